//! Diagnostics: a title, a detail, and the place of an error or warning in a source text.
//!
//! A diagnostic holds byte ranges of one source text, not the text itself; the library's report joins
//! both. It is made of a [`Fault`](super::Fault) by the compiler, or by the parser.

use std::borrow::Cow;
use std::fmt;

use crate::fault::span::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The text or the evaluation has no usable result.
    Error,
    /// The result is usable.
    Warning,
}

/// An error or warning about a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The short name of the problem, which is the reference's, for example `Unknown variable`.
    pub title: Cow<'static, str>,
    /// One or more sentences: what was found, what was expected, what to do.
    pub detail: Cow<'static, str>,
    /// The exact range, if there is one.
    pub subject: Option<Span>,
    /// The larger construct that contains `subject`, if that helps.
    pub context: Option<Span>,
}

impl Diagnostic {
    /// Creates an error at `subject`.
    pub fn error(
        title: impl Into<Cow<'static, str>>,
        detail: impl Into<Cow<'static, str>>,
        subject: Span,
    ) -> Self {
        Self {
            severity: Severity::Error,
            title: title.into(),
            detail: detail.into(),
            subject: Some(subject),
            context: None,
        }
    }

    /// Sets the larger construct that contains the subject.
    pub fn within(mut self, context: Span) -> Self {
        self.context = Some(context);
        self
    }

    /// Returns true for errors.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.title, self.detail)
    }
}
