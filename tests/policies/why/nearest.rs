//! Short explanations of decisions: the rules that matter most, and the number of the others.

use hclvm::policy::{Combining, PolicySpec, PolicyWhy};
use hclvm::{Engine, Module};

use super::set;

/// Returns why the rules with these conditions, which are named `r0`, `r1` and so on, decide.
fn why(conditions: &[&str], combining: Combining<'_>, scope: &str) -> PolicyWhy {
    let rule = |(at, condition): (usize, &&str)| {
        format!("rule \"r{at}\" {{\n  when   = {condition}\n  effect = \"allow\"\n}}\n")
    };
    let rules: String = conditions.iter().enumerate().map(rule).collect();
    let text = format!("locals {{\n  both = a && b\n}}\n{rules}");
    let engine = Engine::new();
    let module: Module = engine.parse("p.hcl", text.as_str()).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec { combining, ..PolicySpec::default() }).expect("a policy");
    let mut values = module.scope();
    set(&mut values, scope);
    policy.why(&mut engine.session(), &values).expect("no limit")
}

fn names(why: &PolicyWhy) -> Vec<&str> {
    why.relevant_rules().into_iter().filter_map(|rule| rule.name()).collect()
}

const SCOPE: &str = "a = false\nb = false\nc = false\nt = true\ns = false\nlater = true";

#[test]
fn false_conditions_are_counted_by_operators() {
    let conditions = [
        "t",
        "a",
        "a && b",
        "a && t && b && c",
        "a || b && c",
        "(a && b) || (a && b && c)",
        "!t",
        "local.both",
        "local.both && c",
        "t ? a : b",
        "s",
        "a && s",
        "later",
    ];
    let why = why(&conditions, Combining::All, SCOPE);
    let counts: Vec<_> = why.rules().iter().map(|rule| rule.false_conditions()).collect();
    let expected = [
        Some(0),
        Some(1),
        Some(2),
        Some(3),
        Some(1),
        Some(2),
        Some(1),
        Some(2),
        Some(3),
        Some(1),
        None,
        None,
        None,
    ];
    assert_eq!(counts, expected);
}

#[test]
fn rules_that_nearly_apply_are_first_and_the_others_are_counted() {
    let mut conditions = vec!["a && b && c"; 45];
    conditions.extend(["a && b", "t && a", "a && b && c", "t && b", "a && b"]);
    let why = why(&conditions, Combining::First, SCOPE);
    assert_eq!(names(&why), ["r46", "r48", "r45"]);
    let expected = "\
deny, because no rule applies
rule \"r46\" does not apply, because `a` is false
rule \"r48\" does not apply, because `b` is false
rule \"r45\" does not apply, because `a` and `b` are false
and 47 more rules
";
    assert_eq!(why.to_string(), expected);
    assert!(format!("{why:#}").lines().count() > 150, "the long form has all trees");
}

#[test]
fn rules_that_would_not_change_the_effect_come_last() {
    let rule = |(name, condition, effect): (&str, &str, &str)| {
        format!("rule \"{name}\" {{\n  when   = {condition}\n  effect = {effect}\n}}\n")
    };
    let (deny, allow) = ("\"deny\"", "\"allow\"");
    let rules = [
        ("locked", "a", deny),
        ("banned", "b", deny),
        ("owner", "a && b && c", allow),
        ("team", "a && b", allow),
        ("computed", "t && c", "t ? \"allow\" : \"deny\""),
        ("old", "c", deny),
    ];
    let text: String = rules.map(rule).concat();
    let engine = Engine::new();
    let module = engine.parse("p.hcl", text.as_str()).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let mut values = module.scope();
    set(&mut values, SCOPE);
    let why = policy.why(&mut engine.session(), &values).expect("no limit");
    assert_eq!(names(&why), ["computed", "team", "owner"]);
}

#[test]
fn rules_that_decide_or_leave_open_are_always_there() {
    let mut conditions = vec!["a && b"; 20];
    conditions.extend(["later", "t", "t"]);
    let decided = why(&conditions, Combining::All, SCOPE);
    assert_eq!(names(&decided), ["r20", "r21", "r0", "r1", "r2"]);
    // Ten at most, also if nothing is known.
    let open = why(&["later"; 40], Combining::First, SCOPE);
    assert_eq!(names(&open).len(), 7);
    assert!(open.to_string().ends_with("and 33 more rules\n"), "{open}");
    let few = why(&["a && b", "a", "s", "a", "a"], Combining::First, SCOPE);
    assert_eq!(names(&few), ["r0", "r1", "r2", "r3", "r4"]);
}

#[test]
fn rules_that_depend_on_marked_values_are_counted_alone() {
    let mut conditions = vec!["s"; 10];
    conditions.push("a");
    let why = why(&conditions, Combining::First, SCOPE);
    assert_eq!(names(&why), ["r10"]);
    assert!(why.to_string().ends_with("and 10 more rules\n"), "{why}");
}
