//! [`PathError`]: the error of serializers and deserializers over values, with the path to the value
//! that caused it. Errors about source texts are diagnostics.
//!
//! Steps are added while an error returns through the aggregates around it, so success costs nothing.

use std::fmt;

use serde::de::{Expected, Unexpected};
use serde::{de, ser};
use smol_str::SmolStr;

use crate::data::wanted::{ExpectedType, instead};
use crate::diagnostics::error::Error;

/// One step from an aggregate to a member.
#[derive(Clone, Debug)]
pub(crate) enum PathStep {
    /// The element at an index.
    Index(usize),
    /// The attribute or element of a name.
    Name(SmolStr),
}

/// Displays steps as HCL: `servers[2].port`.
#[derive(Debug)]
pub(crate) struct StepsDisplay<'p>(pub(crate) &'p [PathStep]);

impl fmt::Display for StepsDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Name(name) if !is_plain_name(name) => write!(f, "[{}]", QuotedExcerpt(name))?,
                PathStep::Name(name) if at == 0 => f.write_str(name)?,
                PathStep::Name(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

/// Returns true if a name needs no quotes. Narrower than HCL's identifiers, which may hold letters of
/// other scripts.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit() || c == '-')
}

/// Displays the beginning of a string in quotes, as long as a message needs.
pub(crate) struct QuotedExcerpt<'t>(pub(crate) &'t str);

impl fmt::Display for QuotedExcerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 60;
        match self.0.char_indices().nth(SHOWN) {
            Some((end, _)) => write!(f, "{:?}…", self.0.get(..end).unwrap_or_default()),
            None => write!(f, "{:?}", self.0),
        }
    }
}

/// A value that does not fit a type, or a type that has no value, with the path to it. One pointer wide,
/// because every method of the serializers returns it.
#[derive(Debug)]
pub(crate) struct PathError(Box<ErrorAtPath>);

#[derive(Debug)]
struct ErrorAtPath {
    /// From the innermost member outwards, because they are pushed on the way out.
    steps: Vec<PathStep>,
    reason: String,
}

impl PathError {
    /// Creates an error about the value itself.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(Box::new(ErrorAtPath { steps: Vec::new(), reason: reason.into() }))
    }

    /// Adds the index of the value in its sequence.
    pub(crate) fn at_index(mut self, index: usize) -> Self {
        self.0.steps.push(PathStep::Index(index));
        self
    }

    /// Adds the name of the value in its object.
    pub(crate) fn at_name(mut self, name: &str) -> Self {
        self.0.steps.push(PathStep::Name(name.into()));
        self
    }

    /// Adds the name of the variant that the value is the content of, if there is one.
    pub(crate) fn at_variant(self, name: Option<&str>) -> Self {
        match name {
            Some(name) => self.at_name(name),
            None => self,
        }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.steps.is_empty() {
            let steps: Vec<PathStep> = self.0.steps.iter().rev().cloned().collect();
            write!(f, "{}: ", StepsDisplay(&steps))?;
        }
        f.write_str(&self.0.reason)
    }
}

impl std::error::Error for PathError {}

impl From<PathError> for Error {
    fn from(error: PathError) -> Self {
        Self::value(error.to_string())
    }
}

impl ser::Error for PathError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::new(reason.to_string())
    }
}

impl de::Error for PathError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::new(reason.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::found_wanted(found, wanted)
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::found_wanted(found, wanted)
    }

    fn invalid_length(found: usize, wanted: &dyn Expected) -> Self {
        let elements = if found == 1 { "element" } else { "elements" };
        Self::new(format!("found {found} {elements}, wanted {}", ExpectedType(wanted)))
    }

    fn unknown_variant(name: &str, variants: &'static [&'static str]) -> Self {
        Self::new(format!("{} is not possible here{}", QuotedExcerpt(name), instead(name, variants)))
    }

    fn unknown_field(name: &str, fields: &'static [&'static str]) -> Self {
        Self::new(format!("no attribute {} is expected{}", QuotedExcerpt(name), instead(name, fields)))
    }

    fn missing_field(name: &'static str) -> Self {
        Self::new(format!("there is no attribute {name:?}"))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::new(format!("the attribute {name:?} is there twice"))
    }
}

impl PathError {
    fn found_wanted(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        let wanted = ExpectedType(wanted);
        Self::new(match found {
            Unexpected::Str(text) => format!("found the string {}, wanted {wanted}", QuotedExcerpt(text)),
            Unexpected::Signed(number) => format!("found the number {number}, wanted {wanted}"),
            Unexpected::Unsigned(number) => format!("found the number {number}, wanted {wanted}"),
            Unexpected::Float(number) => format!("found the number {number}, wanted {wanted}"),
            other => format!("found {other}, wanted {wanted}"),
        })
    }
}
