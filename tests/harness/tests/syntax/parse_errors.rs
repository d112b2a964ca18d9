//! Syntax diagnostics compared with recorded ones: titles, order and both ends of every subject.

use hclvm_compiler::source::Source;
use hclvm_compiler::{ParseLimits, parse_config, parse_expression, parse_template, parse_traversal};
use hclvm_vm::Diagnostic;
use libtest_mimic::Failed;
use serde_json::Value;

use crate::recorded;

/// Returns the diagnostics of a case's text, and its seams.
fn diagnose(case: &Value, text: &hclvm_compiler::source::Decoded) -> (Vec<Diagnostic>, Vec<u32>) {
    let limits = ParseLimits::default();
    let kind = case["kind"].as_str().unwrap_or_default();
    let mode = case["mode"].as_str().unwrap_or_default();
    match (kind, mode) {
        ("config", _) => {
            let parsed = parse_config(text, &limits);
            (parsed.diagnostics, parsed.seams)
        }
        ("traversal", _) => {
            let parsed = parse_traversal(text, &limits, mode == "partial");
            (parsed.diagnostics, parsed.seams)
        }
        ("template", _) | ("variables", "template") => {
            let parsed = parse_template(text, &limits);
            (parsed.diagnostics, parsed.seams)
        }
        _ => {
            let parsed = parse_expression(text, &limits);
            (parsed.diagnostics, parsed.seams)
        }
    }
}

pub(crate) fn syntax_diagnostics_are_those_recorded(cases: &[Value]) -> Result<(), Failed> {
    let kinds = ["config", "expr", "template", "static", "variables", "traversal", "typeexpr"];
    let mut cases = recorded::of_kinds(cases, &kinds);
    cases.retain(|case| case["kind"] != "variables" || case["mode"] != "json");
    let mut disagreements = Vec::new();
    for case in &cases {
        let text = recorded::input(case);
        let (diagnostics, seams) = diagnose(case, &text);
        let source = Source::new("", text.text.as_str(), seams);
        let found: Vec<String> = diagnostics.iter().map(|one| recorded::found(&source, one)).collect();
        let wanted: Vec<String> = match case["expect"]["phase"].as_str() {
            Some("parse") => {
                case["expect"]["errors"].as_array().into_iter().flatten().map(recorded::wanted).collect()
            }
            _ => Vec::new(),
        };
        if found != wanted {
            disagreements.push(format!(
                "{} {} {:?}\n  found  {found:#?}\n  wanted {wanted:#?}",
                case["id"], case["kind"], text.text
            ));
        }
    }
    recorded::judge(cases.len(), &disagreements)
}

pub(crate) fn traversals_are_those_recorded(cases: &[Value]) -> Result<(), Failed> {
    let cases = recorded::of_kinds(cases, &["traversal"]);
    let mut disagreements = Vec::new();
    for case in cases.iter().filter(|case| case["expect"]["traversal"].is_array()) {
        let text = recorded::input(case);
        let parsed = parse_traversal(&text, &ParseLimits::default(), case["mode"] == "partial");
        let source = Source::new("", text.text.as_str(), parsed.seams.clone());
        let mut found = Vec::new();
        if let Some((name, span)) = &parsed.root {
            let (start, end) = source.range(*span);
            found.push(format!("root {name} {:?}-{:?}", recorded::place(start), recorded::place(end)));
        }
        for step in &parsed.steps {
            use hclvm_compiler::StepKey::*;
            let key = match &step.key {
                Attribute(name) => format!("attr {name}"),
                Number(_) => "number".into(),
                Text(text) => format!("string {text}"),
                Splat => "splat".into(),
            };
            let (start, end) = source.range(step.span);
            found.push(format!("{key} {:?}-{:?}", recorded::place(start), recorded::place(end)));
        }
        let wanted: Vec<String> =
            case["expect"]["traversal"].as_array().into_iter().flatten().map(recorded_step).collect();
        if found != wanted {
            disagreements
                .push(format!("{} {:?}\n  found  {found:?}\n  wanted {wanted:?}", case["id"], text.text));
        }
    }
    recorded::judge(cases.len(), &disagreements)
}

fn recorded_step(step: &Value) -> String {
    let key = match step {
        _ if step["root"].is_string() => format!("root {}", step["root"].as_str().unwrap_or_default()),
        _ if step["attr"].is_string() => format!("attr {}", step["attr"].as_str().unwrap_or_default()),
        _ if step["index"]["string"].is_string() => {
            format!("string {}", step["index"]["string"].as_str().unwrap_or_default())
        }
        _ if step["index"].is_object() => "number".into(),
        _ => "splat".into(),
    };
    let ends = |index: usize| -> Vec<u64> {
        step["range"][index].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
    };
    format!("{key} {:?}-{:?}", ends(0), ends(1))
}
