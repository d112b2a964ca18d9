//! What conditions were: the outcomes of an evaluation, added up, as bytes, and of what is marked.

use hclvm::Engine;
use hclvm::why::{Coverage, Outcomes, Truth};

use super::set;

/// The conditions of an expression with what they were in a scope: `t`, `f`, `u`, `n`, `e`, `o` for true, false,
/// unknown, null, error and other values, `s` if evaluated without mattering, `m` if marked.
fn told(expression: &str, scope: &str) -> Vec<String> {
    let engine = Engine::new();
    let document = engine.parse("x.hcl", &format!("x = {expression}")).expect("it parses");
    let program = document.attribute("x").expect("x").program().expect("it compiles");
    let mut values = document.scope();
    set(&mut values, scope);
    let coverage = engine.session().observe(&program, &values).expect("no limit");
    let conditions = program.conditions().expect("it fits");
    assert_eq!(conditions.len(), coverage.outcomes().len());
    let lines = conditions.iter().zip(coverage.outcomes());
    lines.map(|(condition, outcomes)| format!("{}: {}", condition.text, letters(outcomes))).collect()
}

fn letters(outcomes: Outcomes) -> String {
    let truths = Truth::ALL.into_iter().zip("tfuneo".chars());
    let mut found: String =
        truths.filter(|(truth, _)| outcomes.has(*truth)).map(|(_, letter)| letter).collect();
    found.extend(outcomes.skipped().then_some('s'));
    found.extend(outcomes.concealed().then_some('m'));
    found
}

#[test]
fn an_operand_behind_the_one_that_decides_does_not_matter() {
    assert_eq!(told("a && b", "a = false\nb = true"), ["a: f", "b: s", "a && b: f"]);
    assert_eq!(told("a && b", "a = true\nb = false"), ["a: t", "b: f", "a && b: f"]);
    assert_eq!(told("a || b > 1", "a = true\nb = 2"), ["b > 1: s", "a: t", "a || b > 1: t"]);
    let all = ["a: f", "b: s", "a && b: f", "c: s", "a && b && c: f"];
    assert_eq!(told("a && b && c", "a = false\nb = true\nc = true"), all);
}

#[test]
fn an_arm_that_is_not_chosen_does_not_matter() {
    let told = told("a ? b : (c && d)", "a = true\nb = false\nc = true\nd = true");
    assert_eq!(told, ["c: s", "d: s", "c && d: s", "b: f", "a: t", "a ? b : (c && d): f"]);
}

#[test]
fn arms_that_are_no_bools_are_no_conditions() {
    assert_eq!(told("a ? \"x\" : b", "a = true\nb = \"y\""), ["a: t"]);
    assert_eq!(told("a ? b : c", "a = true\nb = \"x\"\nc = \"y\""), ["b: o", "c: s", "a: t", "a ? b : c: o"]);
    assert_eq!(told("{ ok = a ? 1 : 2, is = a == b }", "a = true\nb = true"), ["a: t", "a == b: t"]);
}

#[test]
fn a_clause_has_the_outcomes_of_all_elements() {
    assert_eq!(told("[for x in xs : x if x > 1]", "xs = [1, 2, 3]"), ["x > 1: tf"]);
    assert_eq!(told("[for x in xs : x if x.on]", "xs = [{ on = true }]"), ["x.on: t"]);
    assert_eq!(told("[for x in xs : x if x > 1]", "xs = []"), ["x > 1: "]);
    let nested = told("[for x in xs : x > 1 ? a : b]", "xs = [1, 2]\na = \"a\"\nb = \"b\"");
    assert_eq!(nested, ["x > 1: tf"]);
}

#[test]
fn in_a_loop_each_round_says_what_matters() {
    let told = told("[for x in xs : x.a && x.b]", "xs = [{ a = true, b = false }, { a = false, b = true }]");
    assert_eq!(told, ["x.a: tf", "x.b: fs", "x.a && x.b: f"]);
}

#[test]
fn unknown_null_and_failed_conditions_are_told_apart() {
    assert_eq!(told("a.b && c", "a = {}\nc = true"), ["a.b: e", "c: t", "a.b && c: e"]);
    assert_eq!(told("a.b && c", "a = {}\nc = false"), ["a.b: e", "c: f", "a.b && c: f"]);
    assert_eq!(told("!a", "a = \"true\""), ["a: t", "!a: f"]);
    assert_eq!(told("a ? 1 : 2", "a = 3"), ["a: o"]);
    assert_eq!(told("a ? 1 : 2", "a = null"), ["a: n"]);
}

#[test]
fn what_depends_on_marked_values_is_concealed() {
    let scope = "s = 1\na = true\nb = true";
    assert_eq!(told("s == 1 && a", scope), ["s == 1: m", "a: t", "s == 1 && a: m"]);
    assert_eq!(told("s == 1 ? a : b", scope), ["s == 1: m", "a: t", "b: t", "s == 1 ? a : b: m"]);
    assert_eq!(told("[for x in [1, 2] : a if x == s]", scope), ["x == s: m"]);
    assert_eq!(told("[for x in [1, 2] : a ? 1 : 2 if x == s]", scope), ["x == s: m", "a: m"]);
    assert_eq!(
        told("try(s.x, 1) == 1 || a", scope),
        ["try(s.x, 1) == 1: m", "a: t", "try(s.x, 1) == 1 || a: m"]
    );
    assert_eq!(told("can(s.x) && a", scope), ["can(s.x): m", "a: t", "can(s.x) && a: m"]);
}

#[test]
fn a_marked_key_conceals_the_values_of_its_loop() {
    let scope = "s = 1\na = true\nb = true";
    let keyed = told("{ for x in [1, 2] : (x == s ? \"k\" : \"l\") => a == b }", scope);
    assert_eq!(keyed, ["x == s: m", "a == b: m"]);
}

#[test]
fn coverage_adds_up_and_survives_as_bytes() {
    let engine = Engine::new();
    let document = engine.parse("x.hcl", "x = a || b").expect("it parses");
    let program = document.attribute("x").expect("x").program().expect("it compiles");
    let mut all = Coverage::default();
    for values in ["a = true\nb = true", "a = false\nb = false"] {
        let mut scope = document.scope();
        set(&mut scope, values);
        all.merge(&engine.session().observe(&program, &scope).expect("no limit"));
    }
    let found: Vec<String> = all.outcomes().map(letters).collect();
    assert_eq!(found, ["tf", "fs", "tf"]);
    assert_eq!(Coverage::from_bytes(&all.to_bytes()), all);
}

#[test]
fn the_attributes_of_a_module_are_covered_with_their_locals() {
    let text = "locals { on = a == 1 }\nrule \"x\" { when = local.on && b }\n\
                dynamic \"rule\" {\n  for_each = [1, 2]\n  content { when = rule.value > 1 }\n}";
    let engine = Engine::new();
    let module = engine.parse("x.hcl", text).expect("it parses").module().expect("a module");
    let mut scope = module.scope();
    set(&mut scope, "a = 1\nb = false");
    let covered = module.observe(&mut engine.session(), &scope).expect("no limit");
    let mut lines = Vec::new();
    for (attribute, coverage) in &covered {
        let program = attribute.program().expect("it compiles");
        let conditions = program.conditions().expect("it fits");
        let found = conditions.iter().zip(coverage.outcomes());
        lines.extend(found.map(|(condition, outcomes)| {
            format!("{}: {}: {}", attribute.name(), condition.text, letters(outcomes))
        }));
    }
    let expected = [
        "on: a == 1: t",
        "when: local.on: t",
        "when: b: f",
        "when: local.on && b: f",
        "when: rule.value > 1: tf",
    ];
    assert_eq!(lines, expected);
}
