//! Diagnostics as workflow commands: GitHub shows them beside the lines of a change.
//!
//! ```text
//! ::error file=a.hcl,line=1,endLine=1,col=5,endColumn=9,title=Unknown variable::There is no …
//! ```

use std::fmt::Write;

use hclvm::diagnostics::{Severity, Source, steers_terminal};
use hclvm::{Diagnostic, Diagnostics};

/// Returns a command for each diagnostic.
pub(super) fn commands(found: &[Diagnostics]) -> String {
    found.iter().flat_map(|list| list.iter().map(|one| command(list.source(), one))).collect()
}

fn command(source: &Source, diagnostic: &Diagnostic) -> String {
    let mut text = String::from(match diagnostic.severity {
        Severity::Error => "::error file=",
        Severity::Warning => "::warning file=",
    });
    text.push_str(&property(source.name()));
    if let Some(subject) = diagnostic.subject {
        let (start, end) = source.range(subject);
        // Writing to a string cannot fail.
        let _ = write!(text, ",line={},endLine={},col={}", start.line, end.line, start.column);
        // Columns of different lines are not a range.
        if start.line == end.line {
            let _ = write!(text, ",endColumn={}", end.column);
        }
    }
    let title = format!("{} [{}]", diagnostic.title, diagnostic.code());
    let _ = writeln!(text, ",title={}::{}", property(&title), data(&message(diagnostic)));
    text
}

/// Returns the detail, with the values and the proposed changes.
fn message(diagnostic: &Diagnostic) -> String {
    let mut message = diagnostic.detail.to_string();
    if let Some(additions) = diagnostic.additions.as_deref() {
        for value in &additions.values {
            let _ = write!(message, "\n{} is {}", value.path, value.shown);
        }
        if let Some(block) = additions.blocks.last() {
            let _ = write!(message, "\nin {block}");
        }
    }
    message
}

/// Escapes the message of a command. Other control characters would steer the terminal of a log.
fn data(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => escaped.push_str("%25"),
            '\r' => escaped.push_str("%0D"),
            '\n' => escaped.push_str("%0A"),
            c if steers_terminal(c) => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Escapes a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
