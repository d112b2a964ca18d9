//! Explanations of decisions as text, made by evaluating again and from recorded branches: the cases in decisions.txt.
//!
//! ```text
//! == title
//! a policy, or the condition of its only rule
//! -- scope         the variables; `s` is marked and `later` is unknown
//! -- combining     optional
//! -- why           the explanation with its trees
//! -- branches      what was recorded of it
//! -- explained     the explanation of that, without values
//! ```

use std::fmt::Write;

use hclvm::Engine;
use hclvm::policy::{Branches, Combining, PolicySpec};

use super::set;

const CASES: &str = include_str!("decisions.txt");

#[test]
fn decisions_are_explained_with_values_and_without() {
    let mut failures = String::new();
    let cases: Vec<&str> = CASES.split("\n== ").skip(1).collect();
    for case in &cases {
        let shown = shown(case);
        if shown.trim_end() != case.trim_end() {
            let _ = writeln!(failures, "== {shown}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(cases.len() > 30, "the cases are found");
}

/// Returns a case with what is found instead of what it has.
fn shown(case: &str) -> String {
    let head = case.split("\n-- ").next().expect("a title and a policy").trim_end();
    let part = |name: &str| {
        case.split("\n-- ")
            .find_map(|part| part.strip_prefix(name)?.strip_prefix('\n'))
            .unwrap_or("")
            .trim_end()
    };
    let (_, text) = head.split_once('\n').expect("a title and a policy");
    let text = if text.contains("rule \"") || text.contains("rule {") {
        text.to_owned()
    } else {
        format!("rule \"r\" {{\n  when   = {}\n  effect = \"allow\"\n}}\n", text.trim())
    };
    let combining = match part("combining") {
        "all" => Combining::All,
        "overrides deny" => Combining::Overrides("deny"),
        _ => Combining::First,
    };
    let engine = Engine::new();
    let module = engine.parse("p.hcl", text.as_str()).expect("HCL").module().expect("a module");
    let spec = PolicySpec { combining, outcome: &["status"], ..PolicySpec::default() };
    let policy = module.policy(&spec).expect("a policy");
    let mut scope = module.scope();
    set(&mut scope, part("scope"));
    let mut session = engine.session();
    let why = policy.why(&mut session, &scope).expect("no limit");
    let recorder = policy.decide(&mut session, &scope).expect("no limit").recorder();
    let branches = recorder.record(&mut session).expect("no limit");
    let read: Branches = branches.to_string().parse().expect("its text");
    assert_eq!(read, branches);
    let explained = policy.explain(&read).expect("of this policy");
    let mut shown = format!("{head}\n");
    for name in ["scope", "combining"] {
        if case.contains(&format!("\n-- {name}\n")) {
            let _ = writeln!(shown, "-- {name}\n{}", part(name));
        }
    }
    let _ = write!(shown, "-- why\n{why:#}-- branches\n{branches}\n-- explained\n{explained:#}");
    shown
}
