//! Cases of type expressions: the type, its text, and values brought to it.

use hclvm_compiler::source::{Source, decode};
use hclvm_compiler::typeexpr::{TypeMode, convert_with_defaults, type_of_expression, type_string};
use hclvm_compiler::{ParseLimits, parse_expression};
use serde_json::{Map, Value as Json, json};

use super::fields;
use crate::case::Case;
use crate::report::diagnostics_to;
use crate::tv::{self, type_to, value_from, value_to};

/// A type expression, and a value of its type if the case has one.
pub(super) fn typeexpr(case: &Case) -> Result<Map<String, Json>, String> {
    let mode = match case.mode() {
        "type" => TypeMode::Exact,
        "constraint" => TypeMode::Constraint,
        "optional" => TypeMode::WithDefaults,
        other => return Err(format!("no way of reading types is called {other}")),
    };
    let text = decode(&case.source());
    let parsed = parse_expression(&text, &ParseLimits::default());
    let source = Source::new("", text.text.as_str(), parsed.seams);
    if !parsed.diagnostics.is_empty() {
        let errors = diagnostics_to(&source, &parsed.diagnostics);
        return Ok(fields([("phase", json!("parse")), ("errors", errors)]));
    }
    let arena = tv::arena();
    let found = match type_of_expression(&parsed.tree, parsed.root, mode, &arena) {
        Ok(found) => found,
        Err(problems) => {
            let diagnostics: Vec<_> = problems.iter().map(|it| it.diagnostic(&parsed.tree)).collect();
            let errors = diagnostics_to(&source, &diagnostics);
            return Ok(fields([("phase", json!("eval")), ("errors", errors)]));
        }
    };
    let mut answer = fields([("type", type_to(found.ty)), ("type_string", json!(type_string(found.ty)))]);
    if let Some(value) = case.get("value") {
        let value = value_from(&arena, value)?;
        match convert_with_defaults(&arena, value, found.ty, found.defaults.as_ref()) {
            Ok(value) => answer.extend(fields([("value", value_to(value))])),
            Err(mismatch) => {
                let error = json!({ "severity": "error", "summary": mismatch.to_string(), "detail": "" });
                answer.extend(fields([("phase", json!("convert")), ("errors", json!([error]))]));
            }
        }
    }
    Ok(answer)
}
