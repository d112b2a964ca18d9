//! Modules with the results of the reference, which `record.py` recorded in `cases.json`: values of outputs, resources with
//! their addresses and arguments, titles of errors and warnings.
//!
//! `TERRAFORM_CASES=FILE` names further cases, such as those that `record.py generated` makes.

use std::collections::BTreeMap;

use hclvm::diagnostics::Severity;
use hclvm::functions::Capabilities;
use hclvm::{Json as Shown, Value};
use hclvm_dialects::terraform::{Evaluation, Settings, Terraform};
use hclvm_dialects::{Files, Inputs};
use serde_json::{Map, Value as Json};

mod behaviour;
mod evaluator;
mod large;

/// What the application's documentation or a decision of this crate says instead: rows of docs/deviations.md.
const DEVIATIONS: &str = include_str!("deviations.txt");

fn text(value: &Json) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn members(value: &Json) -> impl Iterator<Item = (&String, &Json)> {
    value.as_object().into_iter().flatten()
}

/// Evaluates the files of a case, in a folder of the file system.
fn evaluate(case: &Json) -> Result<Evaluation, hclvm_dialects::Problems> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in members(&case["files"]) {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text(content)).expect("a file");
    }
    let files = Files::read(&Terraform, folder.path()).expect("files");
    let granted = Capabilities::none().directory(folder.path());
    // The reference asks for values.
    let module = Settings::new().granted(granted).strict(true).prepare(&files)?;
    let environment = members(&case["environment"]).map(|(name, value)| (name.clone(), text(value)));
    let inputs = Inputs::new().environment(environment);
    let inputs =
        members(&case["arguments"]).fold(inputs, |inputs, (name, value)| inputs.argument(name, text(value)));
    Ok(module.evaluate(&inputs))
}

fn json(value: Value<'_>) -> Json {
    serde_json::to_value(Shown(value).lenient()).expect("a value in JSON")
}

/// Returns the titles of problems, sorted; names that only the reference has in them are left out.
fn titles<'t>(titles: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let plain = |title: &str| if title.starts_with("Cycle") { "Cycle".to_owned() } else { title.to_owned() };
    let mut titles: Vec<String> = titles.into_iter().map(plain).collect();
    titles.sort();
    titles
}

fn recorded(want: &Json, name: &str) -> Vec<String> {
    titles(want[name].as_array().into_iter().flatten().filter_map(Json::as_str))
}

/// Returns true if two numbers, texts or collections are equal; numbers by their values.
fn equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// Returns what differs from the recorded results.
fn differences(case: &Json) -> Vec<String> {
    let want = &case["want"];
    let mut found = Vec::new();
    let evaluated = match evaluate(case) {
        Ok(evaluated) => evaluated,
        Err(problems) => {
            let ours = titles(problems.titles(Severity::Error));
            if ours != recorded(want, "errors") {
                found.push(format!("errors {ours:?} instead of {}", want["errors"]));
            }
            return found;
        }
    };
    for (name, severity) in [("errors", Severity::Error), ("warnings", Severity::Warning)] {
        let ours = titles(evaluated.problems().titles(severity));
        if ours != recorded(want, name) {
            found.push(format!("{name} {ours:?} instead of {}\n{:?}", want[name], evaluated.problems()));
        }
    }
    if want.get("errors").is_some() || evaluated.problems().has_errors() {
        return found;
    }
    let outputs: BTreeMap<&str, Value<'_>> = evaluated.content().outputs().collect();
    for (name, want) in members(&want["outputs"]) {
        let Some(value) = outputs.get(name.as_str()) else {
            found.push(format!("there is no output {name}"));
            continue;
        };
        match want.get("value") {
            None if value.is_wholly_known() => {
                found.push(format!("output {name} is known: {}", json(*value)));
            }
            None => {}
            Some(_) if want["sensitive"] == Json::Bool(true) && json(*value) == "<sensitive>" => {}
            Some(_) if want["sensitive"] == Json::Bool(true) => found.push(format!("output {name} is shown")),
            Some(want) if equal(&json(*value), want) => {}
            Some(want) => found.push(format!("output {name} is {} instead of {want}", json(*value))),
        }
    }
    let resources: BTreeMap<&str, Value<'_>> =
        evaluated.content().resources().iter().map(|one| (one.address(), one.values())).collect();
    let empty = Map::new();
    let wanted = want["resources"].as_object().unwrap_or(&empty);
    let addresses: Vec<&str> = wanted.keys().map(String::as_str).collect();
    let ours: Vec<&str> = resources.keys().copied().collect();
    if addresses.iter().any(|one| !resources.contains_key(one)) || ours.len() != addresses.len() {
        found.push(format!("resources {ours:?} instead of {addresses:?}"));
        return found;
    }
    for (address, values) in wanted {
        let ours = &resources[address.as_str()];
        for entry in ours.as_entries().unwrap_or_default() {
            let value = json(entry.value);
            match values.get(entry.name) {
                Some(want) if equal(&value, want) => {}
                None if !entry.value.is_wholly_known() => {}
                want => found.push(format!("{address}.{} is {value} instead of {want:?}", entry.name)),
            }
        }
    }
    found
}

fn run(cases: &[Json]) -> (usize, Vec<String>) {
    let mut failures = Vec::new();
    for case in cases {
        let name = text(&case["name"]);
        let found = differences(case);
        if !found.is_empty() && !DEVIATIONS.lines().any(|line| line.split(": ").next() == Some(&name)) {
            failures.push(format!("{name}: {}", found.join("\n    ")));
        }
    }
    (cases.len(), failures)
}

#[test]
fn modules_are_as_in_the_reference() {
    let cases: Vec<Json> = serde_json::from_str(include_str!("cases.json")).expect("cases in JSON");
    let (count, failures) = run(&cases);
    assert!(count >= 120, "{count} cases");
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn deviations_are_still_deviations() {
    let cases: Vec<Json> = serde_json::from_str(include_str!("cases.json")).expect("cases in JSON");
    for line in DEVIATIONS.lines() {
        let (name, _) = line.split_once(": ").expect("a name and a reason");
        let case = cases.iter().find(|case| case["name"] == name).expect("a case");
        assert!(!differences(case).is_empty(), "{name} is as in the reference");
    }
}

#[test]
fn further_modules_are_as_in_the_reference() {
    let Ok(path) = std::env::var("TERRAFORM_CASES") else {
        eprintln!("skipped: TERRAFORM_CASES names no file");
        return;
    };
    let text = std::fs::read_to_string(&path).expect("a file of cases");
    let cases: Vec<Json> = serde_json::from_str(&text).expect("cases in JSON");
    let (count, failures) = run(&cases);
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}
