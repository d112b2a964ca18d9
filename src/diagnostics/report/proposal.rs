//! A proposed change of the text: its sentence, and the lines as they would be.

use std::ops::Range;

use hclvm_compiler::source::Source;
use hclvm_vm::text::width;
use hclvm_vm::{Replacement, cast};

use crate::diagnostics::report::ink::plain;

/// Columns of a text that is quoted in a sentence; a longer one is only shown in its line.
const QUOTED: usize = 40;

/// Lines that are shown of a change.
const LINES: usize = 5;

/// Returns the sentence that proposes a change.
pub(super) fn sentence(source: &Source, change: &Replacement) -> String {
    let old = change.span.slice(source.text());
    let quoted = |text: &str| {
        let short = !text.contains('\n') && width(text) <= QUOTED;
        short.then(|| format!("`{}`", plain(text.trim())))
    };
    match (old.trim().is_empty(), change.text.trim().is_empty()) {
        (true, _) if old.contains('\n') => "change the text to this".to_owned(),
        (true, _) => format!("insert {}", quoted(&change.text).unwrap_or_else(|| "this".to_owned())),
        (false, true) => format!("remove {}", quoted(old).unwrap_or_else(|| "this text".to_owned())),
        _ => match (quoted(old), quoted(&change.text)) {
            (Some(old), Some(new)) => format!("replace {old} by {new}"),
            _ => "change the text to this".to_owned(),
        },
    }
}

/// A line of the changed text.
#[derive(Debug)]
pub(super) struct ChangedLine {
    /// The number that it would have.
    pub(super) number: u32,
    /// Its text.
    pub(super) text: String,
    /// The bytes of it that are new.
    pub(super) new: Range<usize>,
}

/// Returns the lines that a change touches as they would be, the first few of them.
pub(super) fn changed_lines(source: &Source, change: &Replacement) -> Vec<ChangedLine> {
    let text = source.text();
    let (start, end) = source.range(change.span);
    let Some(first) = source.line_start(start.line) else { return Vec::new() };
    let before = text.get(cast::index(first)..cast::index(change.span.start)).unwrap_or_default();
    let after = text.get(cast::index(change.span.end)..).unwrap_or_default();
    let rest = match source.line(end.line) {
        Some(_) => after.split(['\n', '\r']).next().unwrap_or_default(),
        None => "",
    };
    let parts: Vec<&str> = change.text.split('\n').collect();
    let last = parts.len() - 1;
    let line = |(at, part): (usize, &&str)| {
        let prefix = if at == 0 { before } else { "" };
        let suffix = if at == last { rest } else { "" };
        ChangedLine {
            number: start.line + cast::length(at),
            text: format!("{prefix}{part}{suffix}"),
            new: prefix.len()..prefix.len() + part.len(),
        }
    };
    parts.iter().enumerate().take(LINES).map(line).collect()
}
