//! Decisions of policies whose rules read marked values: which are shown, and which decide all the same.

use hclvm::policy::{Cause, Combining, Policy, PolicySpec};
use hclvm::value::{Arena, marks_from};
use hclvm::{Engine, Module, OwnedValue, Scope, Value};
use serde_json::{Value as Json, json};

/// A policy and the scope of a request.
struct Request {
    policy: Policy,
    scope: Scope,
}

fn module(text: &str) -> Module {
    Engine::standard().parse("p.hcl", text).expect("HCL").module().expect("a module")
}

/// Returns a policy and a scope in which `secret` is marked, `open` is not, and `later` is unknown.
fn request(text: &str, combining: Combining<'_>, secret: &Json, open: &Json) -> Request {
    let module = module(text);
    let policy = module.policy(&PolicySpec { combining, ..PolicySpec::default() }).expect("a policy");
    let mut scope = module.scope();
    for (name, value) in [("secret", secret), ("open", open)] {
        if scope.has(name) {
            scope.set(name, value).expect("it is small");
        }
    }
    if scope.has("secret") {
        let arena = Arena::new();
        let given = scope.fork();
        let value: Value<'_> = given.get("secret").expect("it is set");
        let marked = value.with_marks(&arena, marks_from(&arena, &["sensitive"]));
        scope.set_value("secret", marked).expect("it is small");
    }
    if scope.has("later") {
        scope.set_unknown("later");
    }
    Request { policy, scope }
}

/// Returns the effect, the cause, the rule and the reason.
fn decided(request: &Request) -> (String, Cause, Option<String>, Option<String>) {
    let mut session = request.policy.session();
    let decision = request.policy.decide(&mut session, &request.scope).expect("within the limits");
    let owned = |text: Option<&str>| text.map(str::to_owned);
    (decision.effect().to_owned(), decision.cause(), owned(decision.name()), owned(decision.reason()))
}

#[test]
fn a_reason_that_is_marked_is_not_shown() {
    for reason in
        ["secret", "\"for ${secret}\"", "true ? \"for you\" : secret", "try(secret.name, \"for you\")"]
    {
        let text = format!("rule \"r\" {{\n  when   = open\n  effect = \"allow\"\n  reason = {reason}\n}}\n");
        let request = request(&text, Combining::First, &json!("zq7canary"), &json!(true));
        let expected = ("allow".to_owned(), Cause::Rule, Some("r".to_owned()), None);
        assert_eq!(decided(&request), expected, "{reason}");
    }
    let text = "rule \"r\" {\n  when   = open\n  effect = \"allow\"\n  reason = \"for ${open}\"\n}\n";
    let open = request(text, Combining::First, &Json::Null, &json!(true));
    assert_eq!(decided(&open).3.as_deref(), Some("for true"));
}

/// The host has to know the effect, so it is not hidden.
#[test]
fn a_rule_whose_effect_is_marked_decides_with_that_effect() {
    let rule =
        |name: &str, effect: &str| format!("rule \"{name}\" {{\n  when   = open\n  effect = {effect}\n}}\n");
    let secret = rule("secret", "secret");
    for combining in [Combining::First, Combining::Overrides("deny"), Combining::All] {
        let request = request(&secret, combining, &json!("allow"), &json!(true));
        let expected = ("allow".to_owned(), Cause::Rule, Some("secret".to_owned()), None);
        assert_eq!(decided(&request), expected, "{combining:?}");
    }
    let both = rule("open", "\"allow\"") + &secret;
    for (effect, name) in [("deny", "secret"), ("allow", "open")] {
        let request = request(&both, Combining::Overrides("deny"), &json!(effect), &json!(true));
        let expected = (effect.to_owned(), Cause::Rule, Some(name.to_owned()), None);
        assert_eq!(decided(&request), expected);
    }
}

#[test]
fn an_undecided_decision_has_no_obligations() {
    let text = "\
rule \"applies\" {
  when        = open
  effect      = \"deny\"
  obligations = { log = 1 }
}
rule \"may\" {
  when        = later
  effect      = \"allow\"
  obligations = { log = 2 }
}
rule \"fails\" {
  when        = open.nothing
  effect      = \"allow\"
  obligations = { log = 3 }
}
";
    for combining in [Combining::All, Combining::Overrides("allow")] {
        let request = request(text, combining, &Json::Null, &json!(true));
        let mut session = request.policy.session();
        let decision = request.policy.decide(&mut session, &request.scope).expect("within the limits");
        assert_eq!((decision.effect(), decision.cause()), ("deny", Cause::Undecided), "{combining:?}");
        assert_eq!(decision.applying().len(), 1);
        let obligations: Vec<_> = decision.obligations().map(|(_, value)| OwnedValue::new(value)).collect();
        assert!(obligations.is_empty(), "{obligations:?}");
    }
    // Without the rules that leave it open, the one that applies has its own.
    let closed = &text[..text.find("rule \"may\"").expect("it is there")];
    let request = request(closed, Combining::All, &Json::Null, &json!(true));
    let mut session = request.policy.session();
    let decision = request.policy.decide(&mut session, &request.scope).expect("within the limits");
    assert_eq!(decision.obligations().map(|(_, value)| value.to_string()).collect::<Vec<_>>(), ["{log = 1}"]);
}
