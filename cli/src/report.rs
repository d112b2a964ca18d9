//! Prints diagnostics as text or as JSON. Results are printed by `shown`.
//!
//! The JSON has the shape of `terraform validate -json`, so that existing viewers can display it.

use std::io::{self, Write};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use hclvm::diagnostics::{Position, Severity, Source, Span};
use hclvm::{Diagnostic, Diagnostics, Error, ErrorKind};
use serde_json::{Map, Value as Json, json};

/// The format of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagnosticFormat {
    /// Text with the source lines
    Text,
    /// One JSON object, like `terraform validate -json`
    Json,
}

impl DiagnosticFormat {
    /// Prints diagnostics on standard error.
    pub(crate) fn print(self, diagnostics: &Diagnostics) {
        match self {
            _ if diagnostics.is_empty() => {}
            Self::Text => print_all(std::slice::from_ref(diagnostics)),
            Self::Json => print_text(&format!("{}\n", summary(&[diagnostics]))),
        }
    }
}

/// Prints several lists of diagnostics as text, separated by blank lines. They are coloured if standard
/// error is a terminal that shows colours and the environment does not refuse them.
pub(crate) fn print_all(found: &[Diagnostics]) {
    let colored = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let text = |one: &Diagnostics| {
        let report = one.report();
        if colored { report.colored().to_string() } else { report.to_string() }
    };
    print_text(&found.iter().map(text).collect::<Vec<_>>().join("\n"));
}

/// Writes to standard error. If it is closed, the diagnostics are not wanted.
fn print_text(text: &str) {
    // The stream translates colours for terminals that do not know escape sequences.
    let _ = AutoStream::auto(io::stderr()).lock().write_all(text.as_bytes());
}

/// Converts any error to diagnostics. Errors about values are attributed to the file `name`.
pub(crate) fn diagnostics_of(error: &Error, name: &str) -> Diagnostics {
    match error.kind() {
        ErrorKind::Diagnostics(diagnostics) => diagnostics.clone(),
        ErrorKind::Limit(limit) => {
            let detail = format!("The evaluation ended here: {limit}.");
            let one = Diagnostic::error("Evaluation limit exceeded", detail, limit.span);
            Diagnostics::new(Arc::clone(&limit.source), vec![one])
        }
        _ => sentence("Invalid value", &format!("{error}."), name),
    }
}

/// Returns a diagnostic about a file as a whole.
pub(crate) fn sentence(title: &'static str, detail: &str, name: &str) -> Diagnostics {
    let source = Source::new(name, "", Vec::new());
    let mut one = Diagnostic::error(title, detail.to_owned(), Span::new(0, 0));
    one.subject = None;
    Diagnostics::new(Arc::new(source), vec![one])
}

/// Appends a diagnostic about the file as a whole.
pub(crate) fn with_sentence(
    before: Diagnostics,
    title: &'static str,
    detail: &str,
    name: &str,
) -> Diagnostics {
    let one = sentence(title, detail, name);
    if before.is_empty() {
        return one;
    }
    Diagnostics::new(Arc::clone(before.source()), before.iter().chain(one.iter()).cloned().collect())
}

/// Converts all diagnostics to one JSON object.
pub(crate) fn summary(found: &[&Diagnostics]) -> Json {
    let all = || found.iter().flat_map(|one| one.iter());
    let errors = all().filter(|one| one.is_error()).count();
    json!({
        "format_version": "1.0",
        "valid": errors == 0,
        "error_count": errors,
        "warning_count": all().count() - errors,
        "diagnostics": found.iter().flat_map(|one| list(one)).collect::<Vec<_>>(),
    })
}

/// Converts each diagnostic to a JSON object.
pub(crate) fn list(diagnostics: &Diagnostics) -> Vec<Json> {
    diagnostics.iter().map(|one| object(diagnostics.source(), one)).collect()
}

fn object(source: &Source, diagnostic: &Diagnostic) -> Json {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut members = Map::new();
    members.insert("severity".into(), severity.into());
    members.insert("code".into(), diagnostic.code().name().into());
    members.insert("summary".into(), diagnostic.title.as_ref().into());
    members.insert("detail".into(), diagnostic.detail.as_ref().into());
    if let Some(subject) = diagnostic.subject {
        let (start, end) = source.range(subject);
        let range =
            json!({ "filename": source.name(), "start": json_position(start), "end": json_position(end) });
        members.insert("range".into(), range);
        members.insert("snippet".into(), snippet(source, start, end));
    }
    Json::Object(members)
}

fn json_position(position: Position) -> Json {
    json!({ "line": position.line, "column": position.column, "byte": position.byte })
}

/// Returns the line in which a range starts. Offsets count bytes in that line.
fn snippet(source: &Source, start: Position, end: Position) -> Json {
    let code = source.line(start.line).unwrap_or_default();
    let before = source.text().get(..start.byte as usize).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let from = (start.byte as usize - line_start).min(code.len());
    let to = (end.byte as usize).saturating_sub(line_start).clamp(from, code.len());
    json!({
        "context": null,
        "code": code,
        "start_line": start.line,
        "highlight_start_offset": from,
        "highlight_end_offset": to,
        "values": [],
    })
}
