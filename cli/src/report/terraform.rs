//! Diagnostics in the shape of `terraform validate -json`, so that existing viewers can display them. Codes,
//! labels, replacements and further diagnostics are members that it does not have.

use hclvm::diagnostics::{Additions, NamedValue, Position, Severity, Source};
use hclvm::{Diagnostic, Diagnostics};
use serde_json::{Map, Value as Json, json};

/// Converts all diagnostics to one JSON object.
pub(super) fn summary(found: &[Diagnostics]) -> Json {
    let all = || found.iter().flat_map(|one| one.iter());
    let errors = all().filter(|one| one.is_error()).count();
    json!({
        "format_version": "1.0",
        "valid": errors == 0,
        "error_count": errors,
        "warning_count": all().count() - errors,
        "diagnostics": found.iter().flat_map(list).collect::<Vec<_>>(),
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
        members.insert("snippet".into(), snippet(source, start, end, diagnostic.additions.as_deref()));
    }
    if let Some(additions) = diagnostic.additions.as_deref() {
        add(&mut members, source, additions);
    }
    Json::Object(members)
}

/// Adds the members that Terraform does not have, unless they are empty.
fn add(members: &mut Map<String, Json>, source: &Source, additions: &Additions) {
    let located = |span, text: &str| {
        let (start, end) = source.range(span);
        json!({
            "range": { "filename": source.name(), "start": json_position(start), "end": json_position(end) },
            "text": text,
        })
    };
    let labels: Vec<Json> = additions.labels.iter().map(|label| located(label.span, &label.text)).collect();
    let changes: Vec<Json> =
        additions.replacements.iter().map(|change| located(change.span, &change.text)).collect();
    for (name, list) in [("labels", labels), ("replacements", changes)] {
        if !list.is_empty() {
            members.insert(name.into(), list.into());
        }
    }
    if !additions.blocks.is_empty() {
        members.insert("blocks".into(), additions.blocks.clone().into());
    }
    if additions.further {
        members.insert("further".into(), true.into());
    }
}

fn json_position(position: Position) -> Json {
    json!({ "line": position.line, "column": position.column, "byte": position.byte })
}

/// Returns the line in which a range starts. Offsets count bytes in that line.
fn snippet(source: &Source, start: Position, end: Position, additions: Option<&Additions>) -> Json {
    let code = source.line(start.line).unwrap_or_default();
    let before = source.text().get(..start.byte as usize).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let from = (start.byte as usize - line_start).min(code.len());
    let to = (end.byte as usize).saturating_sub(line_start).clamp(from, code.len());
    let value = |one: &NamedValue| json!({ "traversal": one.path, "statement": format!("is {}", one.shown) });
    let values = additions.map_or(&[][..], |additions| &additions.values);
    json!({
        "context": additions.and_then(|additions| additions.blocks.last()),
        "code": code,
        "start_line": start.line,
        "highlight_start_offset": from,
        "highlight_end_offset": to,
        "values": values.iter().map(value).collect::<Vec<_>>(),
    })
}
