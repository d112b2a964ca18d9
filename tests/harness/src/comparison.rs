//! Comparison of an answer with the recorded result of its case: errors with their titles, order and
//! ranges, and values with their types, refinements and marks, also the partial values beside errors.

use serde_json::{Map, Value as Json, json};

/// Returns the difference between an answer and the recorded result of its case, if there is one.
pub fn difference(case: &Json, answer: &Json) -> Option<String> {
    let kind = case["kind"].as_str().unwrap_or("");
    let expected = &case["expect"];
    if answer["id"] != case["id"] {
        return Some("no answer".to_owned());
    }
    if answer["unsupported"] == true {
        return Some("unsupported".to_owned());
    }
    let (wanted, found) = (errors(kind, expected), errors(kind, answer));
    if wanted != found {
        return Some(format!("  errors   {found:?}\n  recorded {wanted:?}"));
    }
    if !wanted.is_empty() && !has_value_beside_errors(kind, expected) {
        return None;
    }
    let (wanted, found) = (value(kind, expected), value(kind, answer));
    (wanted != found).then(|| format!("  value    {found}\n  recorded {wanted}"))
}

/// Returns true if a result with errors has a value that is compared. Parse errors leave nothing to
/// evaluate, but the tokens of a text are all there.
fn has_value_beside_errors(kind: &str, result: &Json) -> bool {
    match kind {
        "tokens" => true,
        "expr" | "template" | "jsonexpr" | "config" | "json" => result["phase"] != "parse",
        _ => false,
    }
}

/// Returns title and both ends of the errors of a result, in order. Failed conversions have no title: the
/// reference has sentences for them, and the engine has its own.
fn errors(kind: &str, result: &Json) -> Vec<String> {
    let mut all = Vec::new();
    collect_errors(result, &mut all);
    let shown = |error: &Json| match (kind, &result["phase"]) {
        ("convert", _) => "error".to_owned(),
        (_, Json::String(phase)) if phase == "convert" => "error".to_owned(),
        _ => format!("{} {}-{}", error["summary"], error["start"], error["end"]),
    };
    all.into_iter().map(shown).collect()
}

fn collect_errors<'j>(result: &'j Json, all: &mut Vec<&'j Json>) {
    all.extend(result["errors"].as_array().into_iter().flatten());
    let mut attributes: Vec<_> = result["attrs"].as_object().into_iter().flatten().collect();
    attributes.sort_by_key(|(name, _)| *name);
    for (_, attribute) in attributes {
        collect_errors(attribute, all);
    }
    for block in result["blocks"].as_array().into_iter().flatten() {
        collect_errors(block, all);
    }
}

/// Returns the part of a result that is compared.
fn value(kind: &str, result: &Json) -> Json {
    match kind {
        "expr" | "template" | "jsonexpr" | "convert" => result["value"].clone(),
        "config" | "json" => body_value(result),
        "traversal" => result["traversal"].clone(),
        "tokens" => result["tokens"].clone(),
        _ => {
            let fields = result.as_object().into_iter().flatten();
            let ignored = ["id", "errors", "phase", "type_string"];
            let compared = fields.filter(|(name, _)| !ignored.contains(&name.as_str()));
            Json::Object(compared.map(|(name, field)| (name.clone(), without_errors(field))).collect())
        }
    }
}

/// Reduces a failed analysis to the fact that it failed.
fn without_errors(field: &Json) -> Json {
    if field["errors"].is_array() { json!("failed") } else { field.clone() }
}

fn body_value(body: &Json) -> Json {
    let attributes = body["attrs"].as_object().into_iter().flatten();
    let attributes: Map<String, Json> =
        attributes.map(|(name, attribute)| (name.clone(), attribute["value"].clone())).collect();
    let blocks: Vec<Json> = body["blocks"].as_array().into_iter().flatten().map(block_value).collect();
    json!({ "attrs": attributes, "blocks": blocks })
}

fn block_value(block: &Json) -> Json {
    json!({ "type": block["type"], "labels": block["labels"], "body": body_value(block) })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::difference;

    fn differs(kind: &str, recorded: Json, mut answer: Json) -> bool {
        answer["id"] = json!("x");
        difference(&json!({ "id": "x", "kind": kind, "expect": recorded }), &answer).is_some()
    }

    #[test]
    fn values_are_compared_with_types_refinements_and_marks() {
        let unknown = json!({ "value": { "unknown": "string", "refine": { "prefix": "a" } } });
        assert!(!differs("expr", unknown.clone(), unknown.clone()));
        assert!(differs("expr", unknown, json!({ "value": { "unknown": "string" } })));
        let list = json!({ "value": { "list": [], "of": "string" } });
        assert!(differs("expr", list, json!({ "value": { "list": [], "of": "number" } })));
        let marked = json!({ "value": { "marked": { "bool": true }, "marks": ["a"] } });
        assert!(differs("expr", marked, json!({ "value": { "bool": true } })));
    }

    #[test]
    fn errors_are_compared_with_title_order_and_range() {
        let error =
            |title: &str, end: u32| json!({ "summary": title, "start": [1, 1, 0], "end": [1, 2, end] });
        let result = |errors: &[Json]| json!({ "phase": "parse", "errors": errors });
        let recorded = result(&[error("A", 1), error("B", 1)]);
        assert!(!differs("expr", recorded.clone(), recorded.clone()));
        assert!(differs("expr", recorded.clone(), result(&[error("B", 1), error("A", 1)])));
        assert!(differs("expr", recorded.clone(), result(&[error("A", 1), error("B", 2)])));
        assert!(differs("expr", recorded.clone(), result(&[error("A", 1)])));
        assert!(differs("expr", recorded, json!({ "value": { "bool": true } })));
    }

    #[test]
    fn partial_values_are_compared() {
        let result = |value: Json| json!({ "phase": "eval", "errors": [{ "summary": "A" }], "value": value });
        let recorded = result(json!({ "unknown": "dynamic" }));
        assert!(!differs("expr", recorded.clone(), recorded.clone()));
        assert!(differs("expr", recorded, result(json!({ "unknown": "string" }))));
        let body = |value: Json| json!({ "attrs": { "a": result(value) }, "blocks": [] });
        assert!(differs("config", body(json!({ "bool": true })), body(json!({ "bool": false }))));
    }

    #[test]
    fn a_missing_answer_differs() {
        let case = json!({ "id": "x", "kind": "expr", "expect": { "value": { "bool": true } } });
        assert!(difference(&case, &Json::Null).is_some());
        assert!(difference(&case, &json!({ "id": "x", "unsupported": true })).is_some());
    }
}
