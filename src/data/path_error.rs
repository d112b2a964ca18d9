//! Where in a value something does not fit, and why: the error of both directions of serde.
//!
//! The steps are only collected on the way out of a failure, so a success costs nothing.

use std::fmt;

use serde::de::{Expected, Unexpected};
use serde::{de, ser};
use smol_str::SmolStr;

use crate::diagnostics::error::Error;

/// One step from an aggregate to a member.
#[derive(Clone, Debug)]
pub(crate) enum PathStep {
    /// The element at an index.
    Index(usize),
    /// The attribute or element of a name.
    Name(SmolStr),
}

/// Steps as the language writes them: `servers[2].port`.
#[derive(Debug)]
pub(crate) struct Path<'p>(pub(crate) &'p [PathStep]);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Name(name) if !is_plain_name(name) => write!(f, "[{}]", Excerpt(name))?,
                PathStep::Name(name) if at == 0 => f.write_str(name)?,
                PathStep::Name(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

/// Whether a name can stand without quotes. Narrower than the language's identifiers, which may
/// also hold letters of other scripts.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit() || c == '-')
}

/// A text in quotes, of which a message needs only the beginning.
pub(crate) struct Excerpt<'t>(pub(crate) &'t str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 60;
        match self.0.char_indices().nth(SHOWN) {
            Some((end, _)) => write!(f, "{:?}…", self.0.get(..end).unwrap_or_default()),
            None => write!(f, "{:?}", self.0),
        }
    }
}

/// A value or a type that does not fit, and where.
#[derive(Debug)]
pub(crate) struct PathError(Box<ErrorAtPath>);

#[derive(Debug)]
struct ErrorAtPath {
    /// From the innermost member outwards.
    steps: Vec<PathStep>,
    reason: String,
}

impl PathError {
    /// An error of the value itself.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(Box::new(ErrorAtPath { steps: Vec::new(), reason: reason.into() }))
    }

    /// The same error, seen from the sequence in which it is at `index`.
    pub(crate) fn at_index(mut self, index: usize) -> Self {
        self.0.steps.push(PathStep::Index(index));
        self
    }

    /// The same error, seen from the object in which it is under `name`.
    pub(crate) fn at_name(mut self, name: &str) -> Self {
        self.0.steps.push(PathStep::Name(name.into()));
        self
    }

    /// The same error, seen from the variant it is in, if it is in one.
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
            write!(f, "{}: ", Path(&steps))?;
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
        Self::new(format!("found {found} elements, wanted {wanted}"))
    }

    fn missing_field(name: &'static str) -> Self {
        Self::new(format!("there is no attribute {name:?}"))
    }
}

impl PathError {
    fn found_wanted(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::new(match found {
            Unexpected::Str(text) => format!("found the string {}, wanted {wanted}", Excerpt(text)),
            Unexpected::Signed(number) => format!("found the number {number}, wanted {wanted}"),
            Unexpected::Unsigned(number) => format!("found the number {number}, wanted {wanted}"),
            Unexpected::Float(number) => format!("found the number {number}, wanted {wanted}"),
            other => format!("found {other}, wanted {wanted}"),
        })
    }
}
