//! Recorded branches: their text, and which evaluation they are recorded of.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hclvm::functions::FunctionTable;
use hclvm::policy::{Branches, Cause, Policy, PolicySpec};
use hclvm::{Engine, Module};

use super::set;

const RULES: &str = "locals {\n  same = a == 1\n}\n\
    rule \"one\" {\n  when   = local.same && b\n  effect = \"deny\"\n}\n\
    rule \"two\" {\n  when   = b\n  effect = \"allow\"\n}\n";

fn policy(text: &str, spec: &PolicySpec<'_>) -> (Module, Policy) {
    let module = Engine::new().parse("p.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(spec).expect("a policy");
    (module, policy)
}

fn read(text: &str) -> Option<Branches> {
    text.parse().ok()
}

#[test]
fn the_text_of_branches_is_read_as_it_is_written() {
    for (text, effect, cause) in [
        ("deny no-rule", "deny", Cause::NoRule),
        ("deny undecided 0:04", "deny", Cause::Undecided),
        ("allow rule 0:02 1*:01", "allow", Cause::Rule),
        ("allow rule 7*:018000ff", "allow", Cause::Rule),
        ("allow rule 10*:01 local.a:02 local.b-c:", "allow", Cause::Rule),
        ("AZaz09-_. no-rule", "AZaz09-_.", Cause::NoRule),
        ("%20%25%7b%40%5b%60%2f%3a%c3%a9 no-rule", " %{@[`/:é", Cause::NoRule),
        ("a%20b%3ac no-rule", "a b:c", Cause::NoRule),
        (" no-rule", "", Cause::NoRule),
    ] {
        let branches = read(text).expect(text);
        assert_eq!((branches.effect(), branches.cause()), (effect, cause), "{text}");
        assert_eq!(branches.to_string(), text);
    }
    assert_eq!(read("allow rule 1:0A").expect("digits").to_string(), "allow rule 1:0a");
    for text in [
        "",
        "deny",
        "deny ",
        "deny maybe",
        "deny rule ",
        "deny rule 1",
        "deny rule 1:0",
        "deny rule 1:012",
        "deny rule 1:0g",
        "deny rule 1:+1",
        "deny rule 1:é",
        "deny  rule",
        "% rule",
        "%f rule",
        "%fg rule",
        "%ff rule",
        "%é rule",
    ] {
        assert!(read(text).is_none(), "{text}");
    }
}

#[test]
fn branches_of_other_rules_are_refused() {
    let (_, policy) = policy(RULES, &PolicySpec::default());
    let explain = |text: &str| policy.explain(&read(text).expect(text)).map(|why| why.to_string());
    assert!(explain("deny rule 1*:01010101 local.same:0101").is_ok());
    for text in ["deny rule 3*:0101", "deny rule 0:0101", "deny rule 1*:0101", "deny rule 1*:0101010101"] {
        assert!(explain(text).is_err(), "{text}");
    }
    // A local that the policy does not have, or of which nothing was recorded, is not explained.
    let alone = explain("deny rule 1*:01010101 local.other:0101").expect("the rule is explained");
    assert_eq!(
        alone,
        "deny, because rule \"one\" applies\nrule \"one\" applies, because `local.same` and `b` are true\n"
    );
    assert!(explain("deny rule 1*:01010101 local.same:01").is_ok(), "only the rule itself has to suit");
}

#[test]
fn branches_are_those_of_the_request_that_was_decided() {
    let (module, policy) = policy(RULES, &PolicySpec::default());
    let (_, other) = self::policy(RULES, &PolicySpec::default());
    assert!(policy.is(&policy.clone()) && !policy.is(&other));
    let mut session = policy.session();
    let mut scope = module.scope();
    set(&mut scope, "a = 2\nb = true");
    let mut recorder = policy.decide(&mut session, &scope).expect("no limit").recorder();
    assert!(recorder.policy().is(&policy));
    set(&mut scope, "a = 1\nb = true");
    let recorded = recorder.record(&mut session).expect("no limit");
    assert_eq!(recorded.to_string(), "allow rule 1:02024102 2*:0101 local.same:0202");
    assert_eq!(recorder.scope().get("a").and_then(|value| value.as_i64()), Some(2));
    // A host may mark what must not be shown.
    recorder.scope_mut().unset("a");
    assert!(recorder.scope().get("a").is_none());
}

#[test]
fn a_rule_that_no_longer_applies_is_not_recorded_as_the_one_that_decided() {
    let on = Arc::new(AtomicBool::new(true));
    let flag = Arc::clone(&on);
    let mut functions = FunctionTable::new();
    let is_on = move || flag.load(Ordering::Relaxed);
    functions.insert("on", hclvm::host::function("on", [], is_on).impure());
    let engine = Engine::builder().functions(functions).build();
    let text = "rule \"a\" {\n  when   = on()\n  effect = \"allow\"\n}\n\
                rule \"b\" {\n  when   = !on()\n  effect = \"allow\"\n}\n";
    let module = engine.parse("p.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let (mut session, scope) = (engine.session(), module.scope());
    let recorder = policy.decide(&mut session, &scope).expect("no limit").recorder();
    assert_eq!(recorder.record(&mut session).expect("it applies").to_string(), "allow rule 0*:0101");
    on.store(false, Ordering::Relaxed);
    let error = recorder.record(&mut session).expect_err("it does not apply").to_string();
    assert!(error.contains("does not apply when it is evaluated again"), "{error}");
    // The first rule is false now as well, but it did not decide.
    let recorder = policy.decide(&mut session, &scope).expect("no limit").recorder();
    assert_eq!(recorder.record(&mut session).expect("it applies").to_string(), "allow rule 0:0202 1*:010201");
}

/// Values of `s`, which is marked.
const SECRETS: [&str; 7] = ["null", "1", "\"1\"", "\"x\"", "true", "{ b = 2 }", "[{ b = 1 }]"];

/// Locals that depend on `s`. The values of some have no mark where a part of them has an error.
const LOCALS: [&str; 9] = [
    "s",
    "try(tonumber(s), 0)",
    "length([s, s.b])",
    "a && tobool(s)",
    "[s.b, 1][1]",
    "s[*].b",
    "{ b = s.b, c = 1 }.c",
    "[for x in [1, 2] : x if x == s]",
    "can(s.b)",
];

/// Conditions that read a local.
const CONDITIONS: [&str; 9] = [
    "local.x == 1",
    "a || local.x == local.y",
    "(true == local.x) ? n.p == 1 : upper(n) != \"A\"",
    "(a || true == local.x) ? { p = a, q = n == 1 }.p : upper([n]) != [for x in [1] : x if n == 2]",
    "local.y == 1 && local.x",
    "length([for x in [1, 2] : x if local.x == x || x == n]) == 1",
    "length(local) == 2 && n == 1",
    "keys(local)[0] == \"x\" || local[k] == 1",
    "try(local.x.b, 1) == 1",
];

#[test]
fn branches_and_explanations_do_not_depend_on_marked_values_of_locals() {
    let mut compared = 0;
    for local in LOCALS {
        for condition in CONDITIONS {
            let text = format!(
                "locals {{\n  x = {local}\n  y = n\n}}\n\
                 rule \"r\" {{\n  when   = {condition}\n  effect = \"deny\"\n}}\n"
            );
            let (module, policy) = policy(&text, &PolicySpec::default());
            let mut session = policy.session();
            let (mut known, mut explained) = (BTreeMap::new(), BTreeMap::new());
            for secret in SECRETS {
                let mut scope = module.scope();
                for (name, value) in [("a", "false"), ("n", "1"), ("k", "\"y\""), ("s", secret)] {
                    if scope.has(name) {
                        set(&mut scope, &format!("{name} = {value}"));
                    }
                }
                let decision = policy.decide(&mut session, &scope).expect("no limit");
                let cause = format!("{:?}", decision.cause());
                // Errors of the decision are shown by it, and so by its explanation.
                let errors = format!("{cause} {}", decision.diagnostics());
                let branches = decision.recorder().record(&mut session).expect("no limit").to_string();
                let first = known.entry(cause).or_insert_with(|| branches.clone());
                assert_eq!(*first, branches, "{text}s = {secret}");
                let why = policy.why(&mut session, &scope).expect("no limit");
                let shown = format!("{why:#}{}", serde_json::to_string(&why).expect("data"));
                let first = explained.entry(errors).or_insert_with(|| shown.clone());
                assert_eq!(*first, shown, "{text}s = {secret}");
                compared += 1;
            }
            compared -= explained.len();
        }
    }
    assert!(compared > 300, "{compared}");
}
