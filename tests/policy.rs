//! Policies: which rule decides, and what decides if rules contradict each other, fail or are unknown.

use hclvm::policy::{Combining, Policy, PolicySpec};
use hclvm::{Engine, Error};

const RULES: &str = r#"
rule "own" {
  when        = user == owner
  effect      = "allow"
  reason      = "owner ${user}"
  obligations = { log = 1 }
}
rule "open" {
  when        = public
  effect      = "allow"
  obligations = { log = 2 }
}
rule "locked" {
  when   = lock.held
  effect = "deny"
  reason = "locked"
}
"#;

fn policy(text: &str, combining: Combining<'_>) -> Result<Policy, Error> {
    let module = Engine::standard().parse("x.hcl", text).expect("HCL").module().expect("a module");
    module.policy(&PolicySpec { combining, ..PolicySpec::default() })
}

/// Returns the effect, the cause, the rule that decided, the reason and the obligations.
fn decided(combining: Combining<'_>, values: &str) -> String {
    decided_by(RULES, combining, values)
}

fn decided_by(text: &str, combining: Combining<'_>, values: &str) -> String {
    let engine = Engine::standard();
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec { combining, ..PolicySpec::default() }).expect("a policy");
    let mut scope = module.scope();
    scope.set_all_json(values).expect("JSON");
    for name in ["user", "owner", "public", "lock"] {
        if values.contains(&format!("\"{name}\": \"?\"")) {
            scope.set_unknown(name);
        }
    }
    let mut session = engine.session();
    let decision = policy.decide(&mut session, &scope).expect("within the limits");
    let label = |rule: &hclvm::module::BlockValues<'_>| rule.labels().next().unwrap_or_default().to_owned();
    let mut shown = vec![format!("{} {:?}", decision.effect(), decision.cause())];
    shown.extend([decision.name(), decision.reason()].into_iter().flatten().map(str::to_owned));
    shown.extend(decision.undecided().iter().map(|rule| label(rule) + "?"));
    shown.extend(decision.failed().iter().map(|rule| label(rule) + "!"));
    shown.extend(decision.obligations().map(|(_, value)| value.to_string()));
    shown.join(" ")
}

#[test]
fn the_first_rule_that_applies_decides() {
    let both = r#"{"user": "a", "owner": "a", "public": true, "lock": {"held": true}}"#;
    assert_eq!(decided(Combining::First, both), "allow Rule own owner a {log = 1}");
    let neither = r#"{"user": "a", "owner": "b", "public": false, "lock": {"held": false}}"#;
    assert_eq!(decided(Combining::First, neither), "deny NoRule");
}

#[test]
fn an_effect_can_override_others() {
    let both = r#"{"user": "a", "owner": "a", "public": true, "lock": {"held": true}}"#;
    assert_eq!(decided(Combining::Overrides("deny"), both), "deny Rule locked locked");
    assert_eq!(decided(Combining::Overrides("allow"), both), "allow Rule own owner a {log = 1} {log = 2}");
}

#[test]
fn all_rules_that_agree_add_their_obligations() {
    let both = r#"{"user": "a", "owner": "a", "public": true, "lock": {"held": true}}"#;
    assert_eq!(decided(Combining::All, both), "allow Rule own owner a {log = 1} {log = 2}");
}

#[test]
fn errors_that_could_change_the_effect_give_the_default() {
    // Nothing says whether the resource is locked.
    let failing = r#"{"user": "a", "owner": "a", "public": false, "lock": {}}"#;
    assert_eq!(decided(Combining::Overrides("deny"), failing), "deny Undecided locked!");
    assert_eq!(decided(Combining::All, failing), "deny Undecided locked!");
    // It is behind the first match.
    assert_eq!(decided(Combining::First, failing), "allow Rule own owner a {log = 1}");
    // An effect that overrides needs no other rule.
    assert_eq!(decided(Combining::Overrides("allow"), failing), "allow Rule own owner a locked! {log = 1}");
    // Denied in any case.
    let denied = r#"{"user": "a", "owner": "b", "public": false, "lock": {}}"#;
    assert_eq!(decided(Combining::First, denied), "deny NoRule locked!");
    let no_truth = r#"{"user": "a", "owner": "b", "public": [], "lock": {"held": false}}"#;
    assert_eq!(decided(Combining::First, no_truth), "deny Undecided open!");
}

#[test]
fn unknown_conditions_that_could_change_the_effect_give_the_default() {
    let unknown = r#"{"user": "?", "owner": "a", "public": true, "lock": {"held": false}}"#;
    // Both rules allow.
    assert_eq!(decided(Combining::First, unknown), "allow Rule open own? {log = 2}");
    let open = r#"{"user": "?", "owner": "a", "public": false, "lock": {"held": true}}"#;
    assert_eq!(decided(Combining::First, open), "deny Undecided own?");
    assert_eq!(decided(Combining::Overrides("deny"), open), "deny Rule locked locked own?");
}

#[test]
fn effects_may_be_computed() {
    let text = "rule \"a\" {\n  when = true\n  effect = level > 3 ? \"allow\" : \"deny\"\n}\n";
    assert_eq!(decided_by(text, Combining::First, r#"{"level": 4}"#), "allow Rule a");
    assert_eq!(decided_by(text, Combining::First, r#"{"level": 3}"#), "deny Rule a");
    assert_eq!(decided_by(text, Combining::First, r#"{"level": "x"}"#), "deny Undecided");
    let text = "rule \"a\" {\n  when = true\n  effect = 12\n}\n";
    assert_eq!(decided_by(text, Combining::First, "{}"), "deny Undecided");
}

#[test]
fn a_rule_without_an_effect_is_an_error() {
    let error = policy("rule \"a\" {\n  when = true\n}\nrule \"note\" {}\n", Combining::First);
    let error = error.expect_err("it has no effect").to_string();
    assert!(error.contains("x.hcl:1:1: Missing effect") && !error.contains("note"), "{error}");
    assert_eq!(policy(RULES, Combining::First).expect("a policy").len(), 3);
}

#[test]
fn further_attributes_are_evaluated_for_the_rule_that_decides() {
    let text = r#"
rule "own" {
  when   = user == owner
  effect = "allow"
  status = 200
}
rule "other" {
  when   = true
  effect = "deny"
  status = 400 + code
  unused = missing
}
"#;
    let engine = Engine::standard();
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec { outcome: &["status"], ..PolicySpec::default() });
    let policy = policy.expect("a policy");
    let mut session = engine.session();
    let mut status = |values: &str| {
        let mut scope = module.scope();
        scope.set_all_json(values).expect("JSON");
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        let rule = decision.rule().expect("a rule");
        assert!(rule.attribute("unused").is_none_or(|value| value.is_null()));
        (decision.name() == Some("own"), rule.attribute("status").and_then(|status| status.as_i64()))
    };
    assert_eq!(status(r#"{"user": "a", "owner": "a"}"#), (true, Some(200)));
    assert_eq!(status(r#"{"user": "b", "owner": "a", "code": 1}"#), (false, Some(401)));
    assert_eq!(status(r#"{"user": "b", "owner": "a"}"#), (false, None), "it failed");
}
