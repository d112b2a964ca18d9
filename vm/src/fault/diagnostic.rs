//! Diagnostics: a title, a detail, and the place of an error or warning in a source text.
//!
//! A diagnostic holds byte ranges of one source text, not the text itself; the library's report joins
//! both. It is made of a [`Fault`](super::Fault) by the compiler, or by the parser.

use std::borrow::Cow;
use std::fmt;

use crate::fault::code::Code;
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
    /// The stable name of the problem; of a title that is not in the table of codes
    /// [`OTHER`](super::code::OTHER).
    code: Code,
    /// One or more sentences: what was found, what was expected, what to do.
    pub detail: Cow<'static, str>,
    /// The exact range, if there is one.
    pub subject: Option<Span>,
    /// The larger construct that contains `subject`, if that helps.
    pub context: Option<Span>,
    /// What else is known about the problem; most diagnostics of the parser have nothing here. Boxed,
    /// so that a diagnostic without it stays small.
    pub additions: Option<Box<Additions>>,
}

/// What a diagnostic shows beyond its title, detail and place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Additions {
    /// Other places that belong to the problem, for example the bracket that is not closed.
    pub labels: Vec<Label>,
    /// Changes to the text that would solve the problem. Each is a proposal by itself.
    pub replacements: Vec<Replacement>,
    /// The values of the variables that the failed expression reads. Never a marked value.
    pub values: Vec<NamedValue>,
    /// The blocks around the place, from the outermost, as `rule "allow-owner"`.
    pub blocks: Vec<String>,
    /// True if the problem was found after the first one of its item, where the reference has already
    /// given up.
    pub further: bool,
}

impl Additions {
    /// Adds a change that would solve the problem.
    pub fn propose(&mut self, span: Span, text: impl Into<String>) {
        self.replacements.push(Replacement { span, text: text.into() });
    }
}

/// A second place of a diagnostic, with a short text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place, in the text of the diagnostic.
    pub span: Span,
    /// What is there, for example `the bracket opens here`.
    pub text: Cow<'static, str>,
}

/// A change to the text: `text` in place of the bytes of `span`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes to replace; empty for an insertion.
    pub span: Span,
    /// The new text; empty for a deletion.
    pub text: String,
}

/// A variable, or a path below one, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// The path as it is written, for example `local.age`.
    pub path: String,
    /// The value in the syntax of the language, cut to one line, or its type if the value is of no help.
    pub shown: String,
}

impl Diagnostic {
    /// Creates an error at `subject`. Its code is the one of the title.
    pub fn error(
        title: impl Into<Cow<'static, str>>,
        detail: impl Into<Cow<'static, str>>,
        subject: Span,
    ) -> Self {
        let title = title.into();
        Self {
            severity: Severity::Error,
            code: Code::of_title(&title),
            title,
            detail: detail.into(),
            subject: Some(subject),
            context: None,
            additions: None,
        }
    }

    /// Returns the code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Sets a code that is more specific than the one of the title.
    pub fn coded(self, code: Code) -> Self {
        Self { code, ..self }
    }

    /// Makes the diagnostic a warning.
    pub fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// Returns the additions, which are created if there are none.
    pub fn additions_mut(&mut self) -> &mut Additions {
        self.additions.get_or_insert_default()
    }

    /// Adds a second place.
    pub fn label(mut self, span: Span, text: impl Into<Cow<'static, str>>) -> Self {
        self.additions_mut().labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a change that would solve the problem.
    pub fn replacement(mut self, span: Span, text: impl Into<String>) -> Self {
        self.additions_mut().propose(span, text);
        self
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
