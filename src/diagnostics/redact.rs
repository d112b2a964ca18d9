//! Diagnostics about a text of which parts are not shown, such as the value of a password in a file of variables.
//!
//! ```text
//! password = "hunter2"     4 │ password = <hidden>
//!            ^^^^^^^^^                   ^^^^^^^^
//! ```
//! The text is replaced and the places of the diagnostics move with it, so that every form of a report shows the
//! same, and no column shows how long the part is. Lines keep their numbers.

use std::sync::Arc;

use hclvm_compiler::source::Source;
use hclvm_vm::{Diagnostic, Span, cast};

use crate::diagnostics::error::Diagnostics;

impl Diagnostics {
    /// Returns the diagnostics about the text with `placeholder` in the place of the ranges of `parts`. A proposed change
    /// of a part is left out. Titles, details and values stay as they are.
    #[must_use]
    pub fn redacted(&self, parts: &[Span], placeholder: &str) -> Self {
        let redaction = Redaction::new(self.source(), parts, placeholder);
        let source = self.source().replaced(redaction.text.as_str(), |offset| redaction.start(offset));
        let list = self.iter().map(|one| redaction.diagnostic(one)).collect();
        Self::new(Arc::new(source), list)
    }
}

/// A text in which parts are replaced.
struct Redaction {
    text: String,
    /// In the order of the text.
    parts: Vec<RedactedPart>,
}

/// A part that is replaced.
#[derive(Clone, Copy)]
struct RedactedPart {
    old: Span,
    /// The range of the placeholder.
    new: Span,
    /// The new offset of what follows the part: the line breaks of the part are kept behind the placeholder.
    next: u32,
}

impl Redaction {
    fn new(source: &Source, parts: &[Span], placeholder: &str) -> Self {
        let mut sorted = parts.to_vec();
        sorted.sort();
        let mut redaction = Self { text: String::new(), parts: Vec::new() };
        let mut copied = 0;
        for part in sorted {
            // Of two parts that overlap, the rest of the second is replaced as well.
            let old = Span::new(part.start.max(copied), part.end);
            if old.is_empty() {
                continue;
            }
            redaction.text.push_str(Span::new(copied, old.start).slice(source.text()));
            let start = cast::length(redaction.text.len());
            redaction.text.push_str(placeholder);
            let new = Span::new(start, cast::length(redaction.text.len()));
            redaction.text.extend(old.slice(source.text()).chars().filter(|c| *c == '\n'));
            redaction.parts.push(RedactedPart { old, new, next: cast::length(redaction.text.len()) });
            copied = old.end;
        }
        let rest = Span::new(copied, cast::length(source.text().len()));
        redaction.text.push_str(rest.slice(source.text()));
        redaction
    }

    /// Returns the last part that begins before an offset.
    fn part(&self, offset: u32) -> Option<RedactedPart> {
        let before = self.parts.partition_point(|part| part.old.start < offset);
        self.parts.get(before.checked_sub(1)?).copied()
    }

    /// Returns the new offset of the start of a range.
    fn start(&self, offset: u32) -> u32 {
        match self.part(offset) {
            Some(part) if offset < part.old.end => part.new.start,
            Some(part) => part.next + (offset - part.old.end),
            None => offset,
        }
    }

    /// Returns the new offset of the end of a range.
    fn end(&self, offset: u32) -> u32 {
        match self.part(offset) {
            Some(part) if offset <= part.old.end => part.new.end,
            Some(part) => part.next + (offset - part.old.end),
            None => offset,
        }
    }

    fn span(&self, span: Span) -> Span {
        let start = self.start(span.start);
        Span::new(start, if span.is_empty() { start } else { self.end(span.end).max(start) })
    }

    fn diagnostic(&self, one: &Diagnostic) -> Diagnostic {
        let mut moved = one.clone();
        moved.subject = one.subject.map(|span| self.span(span));
        moved.context = one.context.map(|span| self.span(span));
        if let Some(additions) = &mut moved.additions {
            for label in &mut additions.labels {
                label.span = self.span(label.span);
            }
            additions
                .replacements
                .retain(|change| !self.parts.iter().any(|part| meet(part.old, change.span)));
            for change in &mut additions.replacements {
                change.span = self.span(change.span);
            }
        }
        moved
    }
}

/// Returns true if two ranges have a byte in common, or one of them is empty and in the other.
fn meet(one: Span, other: Span) -> bool {
    one.start < other.end.max(other.start + 1) && other.start < one.end.max(one.start + 1)
}
