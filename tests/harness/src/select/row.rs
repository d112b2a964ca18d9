//! The line of a case in the checkout: what is compared of its recorded result, without the sentences of
//! the reference.

use serde_json::{Map, Value as Json, json};

/// Returns a case without those parts of its recorded result that are not compared.
pub fn row(case: &Json) -> Json {
    let kind = case["kind"].as_str().unwrap_or("");
    let mut fields = case.as_object().cloned().unwrap_or_default();
    fields.remove("origin");
    // The titles of failed conversions are sentences, and those of failed analyses are not compared.
    let keeps_titles = kind != "convert" && case["expect"]["phase"] != "convert";
    let expect = fields.get("expect").cloned().unwrap_or_default();
    let mut expect = result(&expect, keeps_titles);
    if kind == "static" {
        let analyses = expect.iter_mut().filter(|(name, _)| *name != "errors");
        for (_, analysis) in analyses.filter(|(_, analysis)| analysis["errors"].is_array()) {
            *analysis = json!({ "errors": [] });
        }
    }
    fields.insert("expect".to_owned(), Json::Object(expect));
    Json::Object(fields)
}

/// Reduces the errors in a result, at any depth. Values have no field of this name.
fn result(recorded: &Json, keeps_titles: bool) -> Map<String, Json> {
    let fields = recorded.as_object().into_iter().flatten().filter(|(name, _)| *name != "type_string");
    let reduced = fields.map(|(name, field)| {
        let reduced = match (name.as_str(), field) {
            ("errors", Json::Array(errors)) => errors.iter().map(|one| error(one, keeps_titles)).collect(),
            ("attrs", Json::Object(attributes)) => {
                let reduced = attributes.iter().map(|(name, one)| (name.clone(), result(one, keeps_titles)));
                reduced.map(|(name, fields)| (name, Json::Object(fields))).collect()
            }
            ("blocks", Json::Array(blocks)) => {
                blocks.iter().map(|block| Json::Object(result(block, keeps_titles))).collect()
            }
            _ => field.clone(),
        };
        (name.clone(), reduced)
    });
    reduced.collect()
}

fn error(recorded: &Json, keeps_title: bool) -> Json {
    let kept: &[&str] = if keeps_title { &["summary", "start", "end"] } else { &[] };
    let fields = kept.iter().filter_map(|name| Some(((*name).to_owned(), recorded.get(*name)?.clone())));
    Json::Object(fields.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::row;

    #[test]
    fn errors_keep_title_and_range() {
        let place = [1, 1, 0];
        let recorded =
            json!({ "severity": "error", "summary": "T", "detail": "D.", "start": place, "end": place });
        let kept = json!({ "summary": "T", "start": place, "end": place });
        let body = |error: &serde_json::Value| {
            let attribute = json!({ "phase": "eval", "errors": [error], "value": { "bool": true } });
            let block = json!({ "type": "b", "labels": [], "attrs": { "detail": attribute }, "blocks": [] });
            let expect = json!({ "errors": [error], "attrs": {}, "blocks": [block] });
            json!({ "id": "x", "kind": "config", "expect": expect })
        };
        assert_eq!(row(&body(&recorded)), body(&kept));
    }

    #[test]
    fn failed_conversions_have_no_title() {
        let error = json!({ "severity": "error", "summary": "a number is required", "detail": "" });
        let case = |error| json!({ "id": "x", "kind": "convert", "expect": { "errors": [error] } });
        assert_eq!(row(&case(error)), case(json!({})));
    }
}
