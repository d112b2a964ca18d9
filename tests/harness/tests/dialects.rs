//! The recorded cases of modules, if they are there: what applications make of files.

use std::fs;
use std::path::Path;

use hclvm_harness::dialect::answer;
use serde_json::Value as Json;

#[test]
fn modules_have_the_values_and_problems_of_their_applications() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/dialects/modules.jsonl");
    let Ok(lines) = fs::read_to_string(&path) else {
        eprintln!("skipped: there is no {}", path.display());
        return;
    };
    let mut wrong = Vec::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let case: Json = serde_json::from_str(line).expect("a line is JSON");
        let found = answer(line).expect("a line is answered");
        let expected = &case["expect"];
        let empty = Json::Array(Vec::new());
        let errors = expected.get("errors").unwrap_or(&empty);
        let is_any = case["any_title"] == Json::Bool(true);
        let has_errors = found["errors"] != empty;
        let mut is_right = if is_any { has_errors } else { found["errors"] == *errors };
        is_right &= expected.get("warnings").is_none_or(|warnings| found["warnings"] == *warnings);
        for key in ["locals", "provisioners", "job", "config", "env"] {
            is_right &= expected.get(key).is_none_or(|wanted| is_part(wanted, &found[key]));
        }
        is_right &= expected["config_has"].as_str().is_none_or(|name| found["config"].get(name).is_some());
        if !is_right {
            wrong.push(format!("{} {}: {found}", case["id"], case["title"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns true if a value has all that is wanted of it.
fn is_part(wanted: &Json, found: &Json) -> bool {
    match (wanted, found) {
        (Json::Object(wanted), Json::Object(found)) => {
            wanted.iter().all(|(name, value)| found.get(name).is_some_and(|found| is_part(value, found)))
        }
        (Json::Array(wanted), Json::Array(found)) => {
            wanted.len() == found.len()
                && wanted.iter().zip(found).all(|(wanted, found)| is_part(wanted, found))
        }
        (Json::String(wanted), Json::String(found)) => {
            wanted == found
                || (["$BASEDIR", "$CWD", "$VERSION"].contains(&wanted.as_str()) && !found.is_empty())
        }
        (Json::Number(wanted), Json::Number(found)) => wanted.as_f64() == found.as_f64(),
        _ => wanted == found,
    }
}
