//! Why a body does not become a type of the host.

use std::fmt;

use hclvm_vm::{Diagnostic, Span};
use serde::de::{self, Expected, Unexpected};

use crate::data::path_error::PathError;
use crate::diagnostics::error::Error;
use crate::structure::content::problem;

/// Why reading ended. The first two get their place from the body or attribute they come out of.
#[derive(Debug)]
pub(super) enum BodyError {
    /// A field that has no attribute and no blocks.
    Missing(&'static str),
    /// Something the type refuses.
    PathError(PathError),
    /// Problems with their places.
    Diagnosed(Vec<Diagnostic>),
    /// A limit that was exceeded.
    Ended(Error),
}

impl BodyError {
    /// The same error, of something that begins at `start` and stands at `whole`.
    pub(super) fn at(self, start: Span, whole: Span) -> Self {
        let problem = match self {
            Self::Missing(name) => problem::missing_argument(name, start),
            Self::PathError(error) => unsuitable(&error, start).within(whole),
            placed => return placed,
        };
        Self::Diagnosed(vec![problem])
    }

    /// What went wrong; `start` is the place of what has none.
    pub(super) fn into_diagnostics(self, start: Span) -> Vec<Diagnostic> {
        match self.at(start, start) {
            Self::Diagnosed(problems) => problems,
            _ => Vec::new(),
        }
    }
}

/// A value that does not fit its field.
fn unsuitable(error: &PathError, place: Span) -> Diagnostic {
    Diagnostic::error("Unsuitable value type", format!("The value cannot be used here: {error}."), place)
}

/// A second block where only one may be.
pub(super) fn duplicate_block(kind: &str, labels: &[&str], first: u32, place: Span) -> Diagnostic {
    let named: Vec<&str> = std::iter::once(kind).chain(labels.iter().copied()).collect();
    let named = named.join(" ");
    let detail = format!("There can be one block {named} here, and another one is on line {first}.");
    Diagnostic::error(format!("Duplicate {kind} block"), detail, place)
}

/// A block that stands for all that an unknown collection would make.
pub(super) fn pending_block(kind: &str, place: Span) -> Diagnostic {
    let detail = format!("The blocks \"{kind}\" cannot be made, because the value of for_each is not known.");
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

    fn missing_field(name: &'static str) -> Self {
        Self::Missing(name)
    }
}
