//! Advice: a sentence and a change to the text.

use std::borrow::Cow;

use hclvm_vm::{Diagnostic, Span};

/// What to write instead of a mistake.
#[derive(Clone, Debug)]
pub(crate) struct Advice {
    /// A sentence for people.
    sentence: Cow<'static, str>,
    /// The change to the text, if it follows from the text alone.
    edit: Option<(Span, String)>,
}

impl Advice {
    pub(super) fn new(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self { sentence: sentence.into(), edit: None }
    }

    /// Adds the change: `text` in place of `span`.
    pub(super) fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edit = Some((span, text.into()));
        self
    }

    /// Returns true if the change inserts a comma.
    pub(super) fn inserts_comma(&self) -> bool {
        self.edit.as_ref().is_some_and(|(span, text)| span.is_empty() && text == ",")
    }

    /// Adds a change if there is one.
    pub(super) fn maybe(mut self, edit: Option<(Span, String)>) -> Self {
        self.edit = edit;
        self
    }

    /// Adds the advice to a diagnostic.
    pub(crate) fn add_to(self, mut problem: Diagnostic) -> Diagnostic {
        if !self.sentence.is_empty() {
            let detail = problem.detail.to_mut();
            detail.push(' ');
            detail.push_str(&self.sentence);
        }
        match self.edit {
            Some((span, text)) => problem.replacement(span, text),
            None => problem,
        }
    }
}

/// Returns the range before a token, empty: where text is inserted behind the one before it.
pub(super) fn end_of(span: Span) -> Span {
    Span::new(span.end, span.end)
}
