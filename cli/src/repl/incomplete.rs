//! Distinguishes an expression whose end is missing from a wrong one, by the diagnostics of the parser.

use std::sync::Arc;

use hclvm::diagnostics::Severity;
use hclvm::{Diagnostic, Diagnostics, Engine};

/// Problems that are reported where something opens, with what would close it.
const OPEN: [(&str, char); 4] = [
    ("unclosed-tuple", ']'),
    ("unclosed-object", '}'),
    ("unclosed-call", ')'),
    ("unclosed-interpolation", '}'),
];

/// Returns true if further lines could complete an expression: its first error is at its end, or is that
/// something is not closed. A quoted string ends on its line, so the line break counts as entered.
pub(super) fn is_incomplete(engine: &Engine, text: &str) -> bool {
    let text = format!("{text}\n");
    let Some(first) = first_error(engine, &text) else { return false };
    let code = first.code().to_string();
    match OPEN.iter().find(|(open, _)| *open == code) {
        // If the end is missing, a closing bracket there is the one that was missing. Otherwise something
        // before the end is wrong, such as the quote that ends a string within `${`.
        Some((_, bracket)) => {
            let closed = first_error(engine, &format!("{text}{bracket}"));
            closed.is_none_or(|other| other.code() != first.code() || other.subject != first.subject)
        }
        None => first.subject.is_some_and(|place| place.start as usize == text.len()),
    }
}

fn first_error(engine: &Engine, text: &str) -> Option<Diagnostic> {
    let error = engine.compile(text, &Arc::default()).err()?;
    let mut problems = error.diagnostics().into_iter().flat_map(Diagnostics::iter);
    problems.find(|one| one.severity == Severity::Error).cloned()
}

/// Returns the text of an expression that may end with a heredoc, whose last line has to be ended.
pub(super) fn ended(text: &str) -> String {
    if text.contains('\n') && !text.ends_with('\n') { format!("{text}\n") } else { text.to_owned() }
}
