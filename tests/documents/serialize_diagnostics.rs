//! Diagnostics as data.

use std::sync::Arc;

use hclvm::diagnostics::{NamedValue, Source, Span};
use hclvm::{Diagnostic, Diagnostics};
use serde_json::json;

#[test]
fn diagnostics_serialize_with_all_their_parts() {
    let text = "é = 1\nb = ten + 1\n";
    let mut problem = Diagnostic::error("Invalid operand", "A number is required.", Span::new(11, 14))
        .within(Span::new(11, 18))
        .label(Span::new(0, 2), "first")
        .replacement(Span::new(11, 14), "10");
    let additions = problem.additions_mut();
    additions.values = vec![NamedValue { path: "ten".to_owned(), shown: "\"ten\"".to_owned() }];
    additions.blocks = vec!["rule \"a\"".to_owned()];
    additions.further = true;
    let mut plain = Diagnostic::error("Of the host", "No place.", Span::default()).warning();
    plain.subject = None;
    let source = Arc::new(Source::new("a.hcl", text, Vec::new()));
    let found = Diagnostics::new(source, vec![problem, plain]);
    let place = |line: u32, column: u32, byte: u32| json!({"line": line, "column": column, "byte": byte});
    let range = |start, end| json!({"filename": "a.hcl", "start": start, "end": end});
    assert_eq!(
        serde_json::to_value(&found).expect("they are data"),
        json!([
            {
                "code": "invalid-operand",
                "severity": "error",
                "title": "Invalid operand",
                "detail": "A number is required.",
                "range": range(place(2, 5, 11), place(2, 8, 14)),
                "context": range(place(2, 5, 11), place(2, 12, 18)),
                "labels": [{"range": range(place(1, 1, 0), place(1, 2, 2)), "text": "first"}],
                "replacements": [{"range": range(place(2, 5, 11), place(2, 8, 14)), "text": "10"}],
                "values": [{"path": "ten", "value": "\"ten\""}],
                "blocks": ["rule \"a\""],
                "further": true,
            },
            {"code": "other", "severity": "warning", "title": "Of the host", "detail": "No place."},
        ])
    );
}
