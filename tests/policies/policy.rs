//! Policies: which rule decides, and what decides if rules contradict each other, fail or are unknown.

use hclvm::functions::FunctionTable;
use hclvm::policy::{Cause, Combining, Policy, PolicySpec};
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

pub(crate) fn policy(text: &str, combining: Combining<'_>) -> Result<Policy, Error> {
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
    // Both rules allow, but the first one has obligations.
    assert_eq!(decided(Combining::First, unknown), "deny Undecided own?");
    let text = RULES.replacen("obligations = { log = 1 }", "", 1);
    assert_eq!(decided_by(&text, Combining::First, unknown), "allow Rule open own? {log = 2}");
    let open = r#"{"user": "?", "owner": "a", "public": false, "lock": {"held": true}}"#;
    assert_eq!(decided(Combining::First, open), "deny Undecided own?");
    assert_eq!(decided(Combining::Overrides("deny"), open), "deny Rule locked locked own?");
}

#[test]
fn effects_may_be_computed() {
    let text = "rule \"a\" {\n  when = true\n  effect = level > 3 ? \"allow\" : \"deny\"\n}\n";
    assert_eq!(decided_by(text, Combining::First, r#"{"level": 4}"#), "allow Rule a");
    assert_eq!(decided_by(text, Combining::First, r#"{"level": 3}"#), "deny Rule a");
    assert_eq!(decided_by(text, Combining::First, r#"{"level": "x"}"#), "deny Undecided a!");
    let text = "rule \"a\" {\n  when = true\n  effect = level\n}\n";
    for level in ["12", "null", "[\"allow\"]", "\"ALLOW\"", "\"other\""] {
        let values = format!("{{\"level\": {level}}}");
        assert_eq!(decided_by(text, Combining::First, &values), "deny Undecided", "{level}");
    }
}

#[test]
fn a_rule_without_an_effect_is_an_error() {
    let text = "rule \"a\" {\n  when = true\n}\nrule \"note\" {}\n";
    let error = policy(text, Combining::First).expect_err("it has no effect").to_string();
    assert!(error.contains("x.hcl:1:1: Missing effect"), "{error}");
    assert!(error.contains("x.hcl:4:1: Missing condition"), "{error}");
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
        (decision.name() == Some("own"), rule.attribute("status").and_then(|status| status.as_i64()))
    };
    assert_eq!(status(r#"{"user": "a", "owner": "a"}"#), (true, Some(200)));
    assert_eq!(status(r#"{"user": "b", "owner": "a", "code": 1}"#), (false, Some(401)));
    assert_eq!(status(r#"{"user": "b", "owner": "a"}"#), (false, None), "a denial without its status");
}

const RISK: &str = r#"
rule "users" {
  when   = user != ""
  effect = "allow"
}
rule "risk" {
  when   = path == "/admin"
  effect = headers.risk == "low" ? "allow" : "deny"
}
"#;

#[test]
fn a_rule_that_applies_without_an_effect_may_be_the_overriding_one() {
    let values =
        |path: &str, headers: &str| format!(r#"{{"user": "ann", "path": "{path}", "headers": {headers}}}"#);
    let overrides = Combining::Overrides("deny");
    let swapped = {
        let (_, risk) = RISK.split_once("rule \"risk\"").expect("two rules");
        let (users, _) = RISK.split_once("rule \"risk\"").expect("two rules");
        format!("rule \"risk\"{risk}{users}")
    };
    for text in [RISK, &swapped] {
        let decided = |headers: &str| decided_by(text, overrides, &values("/admin", headers));
        assert_eq!(decided(r#"{"risk": "high"}"#), "deny Rule risk");
        assert!(decided(r#"{"risk": "low"}"#).starts_with("allow Rule"));
        assert_eq!(decided("{}"), "deny Undecided risk!");
        assert_eq!(decided(r#"{"risk": [1]}"#), "deny Rule risk");
        assert_eq!(decided_by(text, overrides, &values("/", "{}")), "allow Rule users");
    }
    for effect in ["null", "[\"deny\"]", "1", "\"block\"", "missing.effect", "unset"] {
        let text = format!(
            "rule \"a\" {{\n  when = true\n  effect = \"allow\"\n}}\n\
             rule \"b\" {{\n  when = true\n  effect = true ? {effect} : path\n}}\n"
        );
        for combining in [overrides, Combining::All] {
            let decided = decided_by(&text, combining, r#"{"path": "/"}"#);
            assert!(decided.starts_with("deny Undecided"), "{effect}: {decided}");
        }
        assert_eq!(decided_by(&text, Combining::First, r#"{"path": "/"}"#), "allow Rule a");
    }
}

#[test]
fn obligations_and_outcomes_that_cannot_be_determined_do_not_allow() {
    let rule = |name: &str, effect: &str, part: &str| {
        format!("rule \"{name}\" {{\n  when = public\n  effect = \"{effect}\"\n  {part}\n}}\n")
    };
    let all = [Combining::First, Combining::All, Combining::Overrides("deny"), Combining::Overrides("allow")];
    let values = r#"{"public": true, "lock": {}, "user": "?", "owner": null}"#;
    for combining in all {
        for (obligations, open) in [
            ("{ mfa = lock.level }", "a!"),
            ("[1, lock.level]", "a!"),
            ("lock.level", "a!"),
            ("public + \"x\"", "a!"),
            ("{ mfa = local.level }", "a?"),
            ("{ mfa = user }", "a?"),
            ("[[{ mfa = \"${user}\" }]]", "a?"),
        ] {
            let text = rule("a", "allow", &format!("obligations = {obligations}"));
            let text = format!("locals {{\n  level = lock.level\n}}\n{text}");
            let open = if obligations.contains("local") { "a!" } else { open };
            let decided = decided_by(&text, combining, values);
            assert_eq!(decided, format!("deny Undecided {open}"), "{obligations}");
            // It denies anyhow.
            let denied = decided_by(&text.replace("\"allow\"", "\"deny\""), combining, values);
            assert!(denied.starts_with(&format!("deny Rule a {open} ")), "{denied}");
        }
        // No obligations, or null as one: the host sees it.
        for known in ["null", "{ mfa = owner }", "{ mfa = try(lock.level, 3) }"] {
            let text = rule("a", "allow", &format!("obligations = {known}"));
            assert!(decided_by(&text, combining, values).starts_with("allow Rule a"), "{known}");
        }
        let reason = rule("a", "allow", "reason = \"level ${lock.level}\"");
        assert_eq!(decided_by(&reason, combining, values), "allow Rule a a!");
        let unknown = rule("a", "allow", "reason = \"user ${user}\"");
        assert_eq!(decided_by(&unknown, combining, values), "allow Rule a a?");
    }
    // One of two obligations.
    let two =
        rule("a", "allow", "obligations = { log = 1 }") + &rule("b", "allow", "obligations = lock.level");
    assert_eq!(decided_by(&two, Combining::First, values), "allow Rule a {log = 1}");
    assert_eq!(decided_by(&two, Combining::All, values), "deny Undecided b!");
    assert_eq!(decided_by(&two, Combining::Overrides("allow"), values), "deny Undecided b!");
    // The obligations of a rule that may apply.
    let open = rule("a", "allow", "")
        + &rule("b", "allow", "obligations = { log = 1 }").replace("public", "user == \"a\"");
    assert_eq!(decided_by(&open, Combining::First, values), "allow Rule a");
    assert_eq!(decided_by(&open, Combining::All, values), "deny Undecided b?");
    // Obligations of another effect do not matter.
    let other = rule("a", "allow", "") + &rule("b", "deny", "obligations = lock.level");
    assert_eq!(decided_by(&other, Combining::All, values), "allow Rule a b!");
    assert_eq!(decided_by(&other, Combining::Overrides("deny"), values), "deny Rule b b! unknown(dynamic)");
}

#[test]
fn outcomes_are_those_of_the_rule_that_decides() {
    let engine = Engine::standard();
    let text = "rule \"a\" {\n  when = true\n  effect = \"allow\"\n  headers = { a = 1 }\n}\n\
                rule \"b\" {\n  when = user.known\n  effect = \"allow\"\n  headers = user.headers\n}\n";
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let mut session = engine.session();
    let mut cause = |combining: Combining<'_>, user: &str| {
        let spec = PolicySpec { outcome: &["headers"], combining, ..PolicySpec::default() };
        let policy = module.policy(&spec).expect("a policy");
        let mut scope = module.scope();
        scope.set_json("user", user).expect("JSON");
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        (decision.effect().to_owned(), decision.cause(), decision.failed().len())
    };
    let allowed = ("allow".to_owned(), Cause::Rule, 1);
    assert_eq!(cause(Combining::All, r#"{"known": true}"#), allowed);
    let denied = ("deny".to_owned(), Cause::Undecided, 1);
    assert_eq!(cause(Combining::All, "{}"), denied);
    let (first, second) = text.split_once("rule \"b\"").expect("two rules");
    let swapped = format!("rule \"b\"{second}{first}");
    let module = engine.parse("x.hcl", &swapped).expect("HCL").module().expect("a module");
    let spec = PolicySpec { outcome: &["headers"], ..PolicySpec::default() };
    let policy = module.policy(&spec).expect("a policy");
    let mut scope = module.scope();
    scope.set_json("user", r#"{"known": true}"#).expect("JSON");
    let decision = policy.decide(&mut session, &scope).expect("within the limits");
    assert_eq!((decision.effect(), decision.cause()), ("deny", Cause::Undecided));
}

#[test]
fn the_effect_in_doubt_is_deny_unless_the_host_has_another() {
    let engine = Engine::standard();
    let decided = |spec: &PolicySpec<'_>, effect: &str| {
        let text = format!("rule \"a\" {{\n  when = user.blocked\n  effect = \"{effect}\"\n}}\n");
        let module = engine.parse("x.hcl", &text).expect("HCL").module().expect("a module");
        let policy = module.policy(spec).expect("a policy");
        let mut scope = module.scope();
        scope.set_json("user", "{}").expect("JSON");
        let mut session = engine.session();
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        format!("{} {:?}", decision.effect(), decision.cause())
    };
    let open = PolicySpec { default_effect: "allow", ..PolicySpec::default() };
    assert_eq!(decided(&open, "deny"), "deny Undecided");
    // Nothing but the default is possible.
    assert_eq!(decided(&open, "allow"), "allow NoRule");
    let forbid = PolicySpec { effects: &["permit", "forbid"], default_effect: "forbid", ..open };
    assert_eq!(decided(&forbid, "permit"), "forbid Undecided");
    let ask = PolicySpec { undecided_effect: Some("ask"), ..PolicySpec::default() };
    assert_eq!(decided(&ask, "allow"), "ask Undecided");
    let any = PolicySpec { effects: &[], default_effect: "none", ..PolicySpec::default() };
    assert_eq!(decided(&any, "anything"), "none Undecided");
}

#[test]
fn effects_of_impure_functions_are_not_constants() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    let calls = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&calls);
    let flip = move || -> String {
        let calls = counted.fetch_add(1, Ordering::Relaxed);
        if calls == 0 { "allow" } else { "deny" }.to_owned()
    };
    let mut functions = FunctionTable::new();
    functions.insert("flip", hclvm::host::function("flip", [], flip).impure());
    let engine = Engine::builder().functions(functions).build();
    let text = "rule \"a\" {\n  when = user\n  effect = flip()\n}\nrule \"b\" {\n  when = true\n  effect = \"allow\"\n}\n";
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    assert_eq!(calls.load(Ordering::Relaxed), 0, "it is not called when the policy is made");
    let mut scope = module.scope();
    scope.set_unknown("user");
    let mut session = engine.session();
    let decision = policy.decide(&mut session, &scope).expect("within the limits");
    assert_eq!((decision.effect(), decision.cause()), ("deny", Cause::Undecided));

    let text =
        "rule \"a\" {\n  when = true\n  effect = \"allow\"\n  priority = flip() == \"allow\" ? 1 : 2\n}\n";
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let error = module.policy(&PolicySpec::default()).expect_err("the priority changes").to_string();
    assert!(error.contains("Unsuitable rule priority"), "{error}");
}

#[test]
fn explanations_name_what_leaves_a_decision_open() {
    let engine = Engine::standard();
    let module = engine.parse("x.hcl", RISK).expect("HCL").module().expect("a module");
    let spec = PolicySpec { combining: Combining::Overrides("deny"), ..PolicySpec::default() };
    let policy = module.policy(&spec).expect("a policy");
    let mut scope = module.scope();
    scope.set_all_json(r#"{"user": "ann", "path": "/admin", "headers": {}}"#).expect("JSON");
    let why = policy.why(&mut engine.session(), &scope).expect("within the limits");
    assert_eq!(
        why.to_string(),
        "deny, because rule \"risk\" is not decided\n\
         rule \"users\" applies, because `user != \"\"` is true (user = \"ann\")\n\
         rule \"risk\" applies, but its `effect` has an error\n"
    );
    // Only the outcome of the rule that would decide matters.
    let text = "rule \"a\" {\n  when = true\n  effect = \"allow\"\n  obligations = headers.a\n}\n\
                rule \"b\" {\n  when = true\n  effect = \"allow\"\n  status = headers.b\n}\n";
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let spec = PolicySpec { combining: Combining::All, outcome: &["status"], ..PolicySpec::default() };
    let policy = module.policy(&spec).expect("a policy");
    let mut scope = module.scope();
    scope.set_json("headers", "{}").expect("JSON");
    let why = policy.why(&mut engine.session(), &scope).expect("within the limits");
    assert_eq!(
        why.to_string(),
        "deny, because rule \"a\" is not decided\n\
         rule \"a\" applies, but its `obligations` has an error\n\
         rule \"b\" applies, because `true` is true\n"
    );
}

/// A rule that is not decided matters only if it could change the effect or what the host has to do. Each case: two rules
/// as effect, obligations of the first one, whose condition is unknown, and of the second one, which applies.
#[test]
fn a_rule_that_is_not_decided_matters_if_it_could_change_the_decision() {
    let combinings =
        [Combining::First, Combining::All, Combining::Overrides("deny"), Combining::Overrides("allow")];
    // The effects with each way of combining: `a` allows, `d` denies, `?` is undecided.
    for (open, has_duties, applies, expected) in [
        ("\"allow\"", false, "allow", "aaaa"),
        ("\"allow\"", true, "allow", "????"),
        ("\"deny\"", false, "allow", "???a"),
        ("\"deny\"", true, "allow", "???a"),
        ("\"allow\"", false, "deny", "??d?"),
        ("\"allow\"", true, "deny", "??d?"),
        ("\"deny\"", false, "deny", "dddd"),
        ("\"deny\"", true, "deny", "dddd"),
        ("later.effect", false, "allow", "???a"),
        ("later.effect", true, "allow", "????"),
        ("later.effect", false, "deny", "??d?"),
        ("later.effect", true, "deny", "??d?"),
    ] {
        for condition in ["later.on", "missing.on", "text"] {
            let duties = if has_duties { "  obligations = { log = 1 }\n" } else { "" };
            let text = format!(
                "rule \"open\" {{\n  when   = {condition}\n  effect = {open}\n{duties}}}\n\
                 rule \"applies\" {{\n  when   = true\n  effect = \"{applies}\"\n}}\n"
            );
            let engine = Engine::standard();
            let module = engine.parse("x.hcl", &text).expect("HCL").module().expect("a module");
            let mut scope = module.scope();
            for (name, value) in [("missing", "{}"), ("text", "\"true\"")] {
                if scope.has(name) {
                    scope.set_json(name, value).expect("JSON");
                }
            }
            if scope.has("later") {
                scope.set_unknown("later");
            }
            let mut session = engine.session();
            let found: String = combinings
                .iter()
                .map(|combining| {
                    let spec = PolicySpec { combining: *combining, ..PolicySpec::default() };
                    let policy = module.policy(&spec).expect("a policy");
                    let decision = policy.decide(&mut session, &scope).expect("within the limits");
                    assert_eq!(decision.rule().is_none(), decision.cause() == Cause::Undecided);
                    match (decision.cause(), decision.effect()) {
                        (Cause::Rule, "allow") => 'a',
                        (Cause::Rule, _) => 'd',
                        (cause, effect) => {
                            assert_eq!((cause, effect), (Cause::Undecided, "deny"));
                            '?'
                        }
                    }
                })
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}

#[test]
fn a_decision_says_what_it_spent() {
    let engine = Engine::standard();
    let module = engine.parse("x.hcl", RULES).expect("HCL").module().expect("a module");
    let mut scope = module.scope();
    let values = r#"{"user": "a", "owner": "a", "public": true, "lock": {"held": false}}"#;
    scope.set_all_json(values).expect("JSON");
    let mut session = engine.session();
    let [first, all] = [Combining::First, Combining::All].map(|combining| {
        let policy = module.policy(&PolicySpec { combining, ..PolicySpec::default() }).expect("a policy");
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        (decision.applying().len(), decision.fuel())
    });
    assert_eq!((first.0, all.0), (1, 2));
    assert!(first.1 > 0 && all.1 > first.1, "later rules are not evaluated: {first:?}, {all:?}");
}
