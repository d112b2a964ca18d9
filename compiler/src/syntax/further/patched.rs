//! A text with changes, and where each of its bytes was before them.

use hclvm_vm::{Diagnostic, Span, cast};

/// A changed text.
#[derive(Debug)]
pub(super) struct Patched {
    original: String,
    text: String,
    /// The offset in the original of each byte, and of the end.
    offsets: Vec<u32>,
}

impl Patched {
    pub(super) fn new(text: &str) -> Self {
        let offsets = (0..=cast::length(text.len())).collect();
        Self { original: text.to_owned(), text: text.to_owned(), offsets }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Puts `text` in place of `span`. Its bytes belong to the place where the old ones began.
    pub(super) fn replace(&mut self, span: Span, text: &str) {
        let range = cast::index(span.start)..cast::index(span.end);
        let place = self.offsets[range.start];
        self.text.replace_range(range.clone(), text);
        self.offsets.splice(range, text.bytes().map(|_| place));
    }

    fn place(&self, span: Span) -> Span {
        let at = |offset| self.offsets.get(cast::index(offset)).copied().unwrap_or_default();
        let start = at(span.start);
        Span::new(start, at(span.end).max(start))
    }

    /// Returns a diagnostic with its places in the original. Proposals that rest on changed text are left
    /// out.
    pub(super) fn original(&self, mut problem: Diagnostic) -> Diagnostic {
        problem.subject = problem.subject.map(|span| self.place(span));
        problem.context = problem.context.map(|span| self.place(span));
        if let Some(additions) = &mut problem.additions {
            for label in &mut additions.labels {
                label.span = self.place(label.span);
            }
            additions.replacements.retain_mut(|change| {
                let before = change.span.slice(&self.text);
                change.span = self.place(change.span);
                before == change.span.slice(&self.original)
            });
        }
        problem
    }
}
