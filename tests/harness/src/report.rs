//! Diagnostics and positions as JSON, in the notation of the recorded cases. Values are written by `tv`.

use hclvm_compiler::source::{Position, Source};
use hclvm_vm::{Diagnostic, Severity, Span};
use serde_json::{Map, Value as Json, json};

/// `[line, column, byte]`
pub(crate) fn position_to(position: Position) -> Json {
    json!([position.line, position.column, position.byte])
}

/// `[start, end]`
pub(crate) fn range_to(source: &Source, span: Span) -> Json {
    let (start, end) = source.range(span);
    json!([position_to(start), position_to(end)])
}

/// Converts a diagnostic about `source`.
pub(crate) fn diagnostic_to(source: &Source, diagnostic: &Diagnostic) -> Json {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut fields = Map::new();
    fields.insert("severity".to_owned(), json!(severity));
    fields.insert("summary".to_owned(), json!(diagnostic.title));
    fields.insert("detail".to_owned(), json!(diagnostic.detail));
    if let Some(subject) = diagnostic.subject {
        let (start, end) = source.range(subject);
        fields.insert("start".to_owned(), position_to(start));
        fields.insert("end".to_owned(), position_to(end));
    }
    Json::Object(fields)
}

/// Converts diagnostics about `source`, in order.
pub(crate) fn diagnostics_to<'d>(
    source: &Source,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> Json {
    diagnostics.into_iter().map(|diagnostic| diagnostic_to(source, diagnostic)).collect()
}
