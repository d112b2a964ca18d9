//! Every recorded case gives its recorded value and errors on both tiers and in the tree-walker.
//!
//! `deviations.txt` lists the cases that differ, with the reason. A case that differs and is not listed
//! fails the test, as does a case that is listed by its full name and does not differ.

mod recorded;

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::process::{Command, Stdio};
use std::{fs, thread};

use serde_json::{Map, Value as Json, json};

const DEVIATIONS: &str = include_str!("deviations.txt");

#[test]
fn the_baseline_tier_gives_the_recorded_results() {
    judge("full");
}

#[test]
fn the_fast_tier_gives_the_recorded_results() {
    judge("fast");
}

#[test]
fn the_tree_walker_gives_the_recorded_results() {
    judge("treewalk");
}

fn judge(body: &str) {
    let mut cases = cases();
    // The tree-walker evaluates expressions, not bodies by a schema or in JSON.
    cases.retain(|case| body != "treewalk" || case["schema"].is_null() && case["kind"] != "json");
    let answers = answers(body, &cases);
    let mut deviations: Vec<(&str, bool)> =
        DEVIATIONS.lines().filter_map(|line| Some((line.split_whitespace().next()?, false))).collect();
    deviations.retain(|(pattern, _)| !pattern.starts_with('#'));
    let mut families: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut unlisted = Vec::new();
    for case in &cases {
        let id = case["id"].as_str().expect("a case has an id");
        let (agreed, total) =
            families.entry(id.rsplit_once('/').map_or(id, |(family, _)| family)).or_default();
        *total += 1;
        let difference = difference(case, answers.get(id).unwrap_or(&Json::Null));
        let Some(difference) = difference else {
            *agreed += 1;
            continue;
        };
        match deviations.iter_mut().find(|(pattern, _)| matches(pattern, id)) {
            Some((_, used)) => *used = true,
            None => unlisted.push(format!("{id} {}\n{difference}", case["src"])),
        }
    }
    for (family, (agreed, total)) in &families {
        eprintln!("{body:<10} {family:<20} {agreed:>6} of {total:>6}");
    }
    let shown: Vec<&String> = unlisted.iter().take(10).collect();
    assert!(unlisted.is_empty(), "{} cases differ, the first: {shown:#?}", unlisted.len());
    // Cases that this evaluator does not run are not among its deviations.
    let asked =
        |pattern: &str| cases.iter().any(|case| case["id"].as_str().is_some_and(|id| matches(pattern, id)));
    let stale = deviations.iter().filter(|(pattern, used)| !used && asked(pattern));
    let stale: Vec<&str> = stale.map(|(pattern, _)| *pattern).collect();
    let (groups, stale): (Vec<&str>, Vec<&str>) = stale.into_iter().partition(|name| name.ends_with('*'));
    if !groups.is_empty() && !cases.is_empty() {
        eprintln!("listed, but as recorded: {groups:?}");
    }
    assert!(cases.is_empty() || stale.is_empty(), "listed, but as recorded: {stale:?}");
}

/// Returns true if an entry of the list matches a case: exactly, or as a prefix followed by a star.
fn matches(pattern: &str, id: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == id, |prefix| id.starts_with(prefix))
}

/// Reads all recorded cases.
fn cases() -> Vec<Json> {
    let Some(directory) = recorded::directory("conformance") else { return Vec::new() };
    let mut cases = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        let lines = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
        cases.extend(lines.filter(|case: &Json| case["kind"].is_string()));
    }
    // The cases of a group are consecutive in their file.
    cases.sort_by(|a, b| a["id"].as_str().cmp(&b["id"].as_str()));
    cases
}

/// Returns the answers of the program by case.
fn answers(body: &str, cases: &[Json]) -> HashMap<String, Json> {
    if cases.is_empty() {
        return HashMap::new();
    }
    let mut program = Command::new(recorded::HARNESS)
        .args(["conformance", "--body", body])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the harness starts");
    let mut input = program.stdin.take().expect("a pipe");
    let questions: Vec<String> = cases.iter().map(question).collect();
    let writer = thread::spawn(move || {
        // A program that crashed stops reading; its missing answers fail the test.
        let _ = input.write_all(questions.concat().as_bytes());
    });
    let output = program.wait_with_output().expect("the harness ends");
    writer.join().expect("the cases were written");
    let text = String::from_utf8(output.stdout).expect("answers are texts");
    let answers = text.lines().map(|line| serde_json::from_str::<Json>(line).expect("an answer is JSON"));
    answers.map(|answer| (answer["id"].as_str().unwrap_or("").to_owned(), answer)).collect()
}

/// Returns a case without its recorded result.
fn question(case: &Json) -> String {
    let mut fields = case.as_object().cloned().unwrap_or_default();
    fields.remove("expect");
    fields.remove("origin");
    format!("{}\n", Json::Object(fields))
}

/// Returns the difference from the recorded result, if there is one.
fn difference(case: &Json, answer: &Json) -> Option<String> {
    let kind = case["kind"].as_str().unwrap_or("");
    let expected = &case["expect"];
    if answer["id"].is_null() {
        return Some("no answer".to_owned());
    }
    if answer["unsupported"] == true {
        return Some("unsupported".to_owned());
    }
    let (wanted, found) = (errors(kind, expected), errors(kind, answer));
    if wanted != found {
        return Some(format!("  errors   {found:?}\n  recorded {wanted:?}"));
    }
    if !wanted.is_empty() && kind != "tokens" {
        return None;
    }
    let (wanted, found) = (value(kind, expected), value(kind, answer));
    (wanted != found).then(|| format!("  value    {found}\n  recorded {wanted}"))
}

/// Returns title and both ends of the errors of a result, in order. Conversions have texts of their own.
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
