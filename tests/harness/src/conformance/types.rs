//! Cases without source text: conversions and unifications.

use hclvm_vm::{MismatchStep, Safety, Type};
use serde_json::{Map, Value as Json, json};

use super::fields;
use crate::case::Case;
use crate::tv::{self, type_from, type_to, value_from, value_to};

/// Converts a value to another type.
pub(super) fn convert(case: &Case) -> Result<Map<String, Json>, String> {
    let arena = tv::arena();
    let value = value_from(&arena, case.get("value").unwrap_or(&Json::Null))?;
    let ty = type_from(&arena, case.get("type").unwrap_or(&Json::Null))?;
    Ok(match hclvm_vm::convert(&arena, value, ty) {
        Ok(value) => fields([("value", value_to(value))]),
        Err(mismatch) => {
            let mut error = json!({ "severity": "error", "summary": mismatch.to_string(), "detail": "" });
            if !mismatch.is_of_types() {
                error["path"] = mismatch.path().map(step_to).collect();
            }
            fields([("phase", json!("eval")), ("errors", json!([error]))])
        }
    })
}

fn step_to(step: MismatchStep<'_>) -> Json {
    match step {
        MismatchStep::Attribute(name) => json!({ "attr": name }),
        MismatchStep::Index(index) => json!({ "index": { "number": index.to_string() } }),
        MismatchStep::Key(key) => json!({ "index": { "string": key } }),
    }
}

/// Unifies several types. Returns the common type and which of them need a conversion to it.
pub(super) fn unify(case: &Case) -> Result<Map<String, Json>, String> {
    let arena = tv::arena();
    let listed = case.get("types").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let types: Vec<Type<'_>> = listed.iter().map(|ty| type_from(&arena, ty)).collect::<Result<_, _>>()?;
    let safety = if case.flag("unsafe") { Safety::Unsafe } else { Safety::Safe };
    let Some(unified) = hclvm_vm::unify_all(&arena, &types, safety) else {
        let error = json!({ "severity": "error", "summary": "no unified type", "detail": "" });
        return Ok(fields([("phase", json!("eval")), ("errors", json!([error]))]));
    };
    let conversions: Vec<bool> = types.iter().map(|ty| unified.needs_conversion(&arena, *ty)).collect();
    Ok(fields([("type", type_to(unified.ty)), ("conversions", json!(conversions))]))
}
