//! What is wrong with a text or an evaluation, and where: title, detail, subject, context.
//!
//! A diagnostic knows byte ranges of one source text, not the text itself; the
//! report of the library joins both.

use std::borrow::Cow;
use std::fmt;

use crate::fault::span::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The text or the evaluation has no usable result.
    Error,
    /// Worth knowing, nothing is lost.
    Warning,
}

/// One finding about a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The established short name of the problem, for example `Unknown variable`.
    pub title: Cow<'static, str>,
    /// One or more sentences: what was found, what was wanted, what to do.
    pub detail: Cow<'static, str>,
    /// The exact place, when there is one.
    pub subject: Option<Span>,
    /// The larger construct that `subject` stands in, when that helps.
    pub context: Option<Span>,
}

impl Diagnostic {
    /// An error at `subject`.
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

    /// The same finding inside the larger construct `context`.
    pub fn within(mut self, context: Span) -> Self {
        self.context = Some(context);
        self
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.title, self.detail)
    }
}
