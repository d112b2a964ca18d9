//! [`BodyError`]: why a body cannot be deserialized.

use std::fmt;

use hclvm_vm::{Diagnostic, Span};
use serde::de::{self, Expected, Unexpected};

use crate::data::path_error::PathError;
use crate::diagnostics::error::Error;
use crate::structure::content::problem;

/// The error of deserializers of bodies. The first two kinds get their position from the enclosing body
/// or attribute on the way out.
#[derive(Debug)]
pub(super) enum BodyError {
    /// There is neither an attribute nor a block for a field.
    Missing(&'static str),
    /// The type rejects the value.
    PathError(PathError),
    /// Problems with their positions.
    Diagnosed(Vec<Diagnostic>),
    /// A limit was exceeded.
    Ended(Error),
}

impl BodyError {
    /// Adds the position, if there is none yet: errors point at `start`, in the context `whole`.
    pub(super) fn at(self, start: Span, whole: Span) -> Self {
        let problem = match self {
            Self::Missing(name) => problem::missing_argument(name, start),
            Self::PathError(error) => unsuitable(&error, start).within(whole),
            placed => return placed,
        };
        Self::Diagnosed(vec![problem])
    }

    /// Returns the diagnostics; errors without a position get `start`.
    pub(super) fn into_diagnostics(self, start: Span) -> Vec<Diagnostic> {
        match self.at(start, start) {
            Self::Diagnosed(problems) => problems,
            _ => Vec::new(),
        }
    }
}

/// The title of a value that does not fit its field.
const UNSUITABLE: &str = "Unsuitable value type";

/// A value does not fit its field.
fn unsuitable(error: &PathError, place: Span) -> Diagnostic {
    let reason = error.to_string();
    let end = if reason.ends_with('?') { "" } else { "." };
    Diagnostic::error(UNSUITABLE, format!("The value cannot be used here: {reason}{end}"), place)
}

/// Removes the reason, which may show a value or be a message of the host's type.
pub(super) fn conceal(problem: &mut Diagnostic) {
    if problem.title == UNSUITABLE {
        problem.detail = "The value does not fit the type that is wanted here.".into();
    }
}

/// There is a second block where one is allowed.
pub(super) fn duplicate_block(kind: &str, labels: &[&str], first: u32, place: Span) -> Diagnostic {
    let named: Vec<&str> = std::iter::once(kind).chain(labels.iter().copied()).collect();
    let named = named.join(" ");
    let detail = format!("Only one block {named} is allowed here; the first one is on line {first}.");
    Diagnostic::error(format!("Duplicate {kind} block"), detail, place)
}

/// Blocks are made from an unknown collection.
pub(super) fn pending_block(kind: &str, place: Span) -> Diagnostic {
    let detail = format!("`for_each` is not known yet, so the blocks of type \"{kind}\" cannot be made.");
    Diagnostic::error("Invalid dynamic for_each value", detail, place)
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "\"{name}\" is missing"),
            Self::PathError(error) => error.fmt(f),
            Self::Diagnosed(problems) => match problems.first() {
                Some(problem) => problem.fmt(f),
                None => f.write_str("the body cannot be used"),
            },
            Self::Ended(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BodyError {}

impl From<PathError> for BodyError {
    fn from(error: PathError) -> Self {
        Self::PathError(error)
    }
}

impl de::Error for BodyError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        PathError::new(reason.to_string()).into()
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        PathError::invalid_type(found, wanted).into()
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        PathError::invalid_value(found, wanted).into()
    }

    fn unknown_variant(name: &str, variants: &'static [&'static str]) -> Self {
        PathError::unknown_variant(name, variants).into()
    }

    fn unknown_field(name: &str, fields: &'static [&'static str]) -> Self {
        PathError::unknown_field(name, fields).into()
    }

    fn missing_field(name: &'static str) -> Self {
        Self::Missing(name)
    }

    fn duplicate_field(name: &'static str) -> Self {
        PathError::duplicate_field(name).into()
    }
}
