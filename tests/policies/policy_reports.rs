//! Policies in the situations of which users of other engines reported that they were decided wrongly.

use std::collections::BTreeSet;
use std::fmt::Write;

use hclvm::policy::{Cause, Combining, PolicySpec};
use hclvm::value::marks_from;
use hclvm::{Engine, Json, Value};

/// Returns the effect, the cause and the rule that decided.
fn decided(text: &str, request: &str, combining: Combining<'_>) -> (String, Cause, Option<String>) {
    let engine = Engine::new();
    let module = engine.parse("p.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec { combining, ..PolicySpec::default() }).expect("a policy");
    let mut scope = module.scope();
    scope.set_all_json(request).expect("JSON");
    let mut session = engine.session();
    let decision = policy.decide(&mut session, &scope).expect("within the limits");
    (decision.effect().to_owned(), decision.cause(), decision.name().map(str::to_owned))
}

fn rule(name: &str, when: &str, effect: &str) -> String {
    format!("rule \"{name}\" {{\n  when = {when}\n  effect = \"{effect}\"\n}}\n")
}

const COMBININGS: [Combining<'_>; 4] =
    [Combining::First, Combining::All, Combining::Overrides("deny"), Combining::Overrides("allow")];

#[test]
fn a_denying_rule_that_reads_a_missing_attribute_is_not_skipped() {
    for (when, request) in [
        ("user.blocked == true", r#"{"user": {"id": "a"}, "action": "read"}"#),
        ("user.blocked", r#"{"user": {"id": "a"}, "action": "read"}"#),
        ("tool.hash != \"abc\"", r#"{"tool": {}, "action": "read"}"#),
        ("tool.call.hash != \"abc\"", r#"{"tool": {}, "action": "read"}"#),
        ("!contains([\"a\"], tool.region)", r#"{"tool": {}, "action": "read"}"#),
        ("tool.hash != \"abc\"", r#"{"action": "read"}"#),
        ("tool.hash != \"abc\"", r#"{"tool": null, "action": "read"}"#),
    ] {
        let text = rule("pin", when, "deny") + &rule("read", "action == \"read\"", "allow");
        for combining in [Combining::First, Combining::All, Combining::Overrides("deny")] {
            assert_eq!(decided(&text, request, combining), ("deny".into(), Cause::Undecided, None), "{when}");
        }
    }
    // Null differs from every text.
    let text = rule("pin", "tool.hash != \"abc\"", "deny") + &rule("read", "action == \"read\"", "allow");
    let request = r#"{"tool": {"hash": null}, "action": "read"}"#;
    assert_eq!(decided(&text, request, Combining::First), ("deny".into(), Cause::Rule, Some("pin".into())));
}

#[test]
fn rules_that_do_not_apply_are_passed_and_none_denies() {
    let text = rule("w", "action == \"write\"", "deny") + &rule("r", "user == \"ann\"", "allow");
    let request = r#"{"action": "read", "user": "ann"}"#;
    for combining in COMBININGS {
        assert_eq!(decided(&text, request, combining), ("allow".into(), Cause::Rule, Some("r".into())));
        let none = rule("w", "action == \"write\"", "allow");
        assert_eq!(decided(&none, request, combining), ("deny".into(), Cause::NoRule, None));
        assert_eq!(decided("locals {\n  a = 1\n}\n", "{}", combining), ("deny".into(), Cause::NoRule, None));
    }
}

#[test]
fn conditions_are_true_or_false() {
    let text = rule("a", "request.ok", "allow");
    for (ok, cause) in [
        ("true", Cause::Rule),
        ("false", Cause::NoRule),
        ("\"true\"", Cause::Undecided),
        ("\"false\"", Cause::Undecided),
        ("1", Cause::Undecided),
        ("0", Cause::Undecided),
        ("null", Cause::Undecided),
        ("[]", Cause::Undecided),
        ("\"\"", Cause::Undecided),
    ] {
        let (effect, found, _) =
            decided(&text, &format!(r#"{{"request": {{"ok": {ok}}}}}"#), Combining::First);
        assert_eq!(found, cause, "{ok}");
        assert_eq!(effect == "allow", cause == Cause::Rule, "{ok}");
    }
}

#[test]
fn an_alternative_that_is_true_makes_up_for_an_error() {
    let request = r#"{"request": {"claims": {}, "principal": "a"}}"#;
    for when in [
        "request.claims.group == \"admin\" || request.principal == \"a\"",
        "request.principal == \"a\" || request.claims.group == \"admin\"",
        "try(request.claims.group, \"\") == \"admin\" || request.principal == \"a\"",
        "can(request.claims.group) && request.claims.group == \"x\" || request.principal == \"a\"",
    ] {
        let (effect, ..) = decided(&rule("a", when, "allow"), request, Combining::First);
        assert_eq!(effect, "allow", "{when}");
        let neither = when.replace("principal == \"a\"", "principal == \"b\"");
        let (effect, ..) = decided(&rule("a", &neither, "allow"), request, Combining::First);
        assert_eq!(effect, "deny", "{neither}");
    }
}

#[test]
fn an_index_decides_as_the_rules_one_by_one() {
    let (mut text, mut whens) = (String::new(), Vec::new());
    let effect = |n: usize| if n.is_multiple_of(7) { "deny" } else { "allow" };
    for n in 0..60 {
        let when = match n % 6 {
            0 => format!("req.path == \"/p/{n}\""),
            1 => format!("contains([\"a{n}\", \"b\"], req.team)"),
            2 => format!("startswith(req.path, \"/q/{n}\")"),
            3 => format!("req.size > {n} && req.kind == \"k{n}\""),
            4 => format!("req.n == {n}"),
            _ => format!("req.flag == {}", n % 4 == 1),
        };
        let _ = write!(text, "{}", rule(&format!("r{n}"), &when, effect(n)));
        whens.push(when);
    }
    let engine = Engine::new();
    let module = engine.parse("p.hcl", &text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let mut session = engine.session();
    for request in [
        r#"{"path": "/p/12"}"#,
        r#"{"path": "/p/12", "team": "b"}"#,
        r#"{"n": "4"}"#,
        r#"{"n": 4.0}"#,
        r#"{"n": null}"#,
        r#"{"path": null, "team": null, "n": 16, "size": 0, "kind": "", "flag": "false"}"#,
        r#"{"path": "/q/8/x", "team": "zz", "n": -1, "size": 1e3, "kind": "k9", "flag": null}"#,
        r#"{"path": "x", "team": "a7", "n": 1.5, "size": "100", "kind": "k3", "flag": false}"#,
        r#"{"path": "x", "team": "z", "n": 99, "size": 1, "kind": "none", "flag": true}"#,
        "{}",
    ] {
        let mut scope = module.scope();
        scope.set_json("req", request).expect("JSON");
        let mut seen = BTreeSet::new();
        for _ in 0..6 {
            let decision = policy.decide(&mut session, &scope).expect("within the limits");
            seen.insert(format!("{} {:?} {:?}", decision.effect(), decision.cause(), decision.name()));
        }
        // Each rule as a policy of its own, in which an error is undecided as well if the effect is not the default.
        let (mut wanted, mut open) = (("deny".to_owned(), Cause::NoRule, None), BTreeSet::new());
        for (n, when) in whens.iter().enumerate() {
            let alone = rule(&format!("r{n}"), when, "allow");
            match decided(&alone, &format!("{{\"req\": {request}}}"), Combining::First).1 {
                Cause::Rule => {
                    wanted = (effect(n).to_owned(), Cause::Rule, Some(format!("r{n}")));
                    break;
                }
                Cause::NoRule => {}
                _ => {
                    open.insert(effect(n));
                }
            }
        }
        let stays = wanted.0.clone();
        if open.iter().any(|open| *open != stays) {
            wanted = ("deny".to_owned(), Cause::Undecided, None);
        }
        let (effect, cause, name) = wanted;
        let wanted = format!("{effect} {cause:?} {:?}", name.as_deref());
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [wanted], "{request}");
    }
}

#[test]
fn no_operation_shows_a_marked_value_that_it_refuses() {
    let engine = Engine::standard();
    let mut session = engine.session();
    for text in [
        "parseint(secret, 10)",
        "timeadd(secret, \"1h\")",
        "{ a = 1 }[secret]",
        "[1][secret]",
        "secret ? 1 : 2",
        "regex(secret, \"a\")",
        "jsondecode(secret)",
        "tobool(secret)",
        "{ for x in [1, 2] : secret => x }",
        "formatdate(secret, secret)",
        "[for x in secret : x]",
        "secret.a",
        "-secret",
        "secret && true",
        "format(\"%d\", secret)",
        "range(secret)",
        "keys(secret)",
        "csvdecode(secret)",
        "secret + 1",
        "max(secret, 1)",
    ] {
        let document = engine.parse("x.hcl", &format!("y = {text}\n")).expect("HCL");
        let mut scope = document.scope();
        scope
            .build("secret", |arena| {
                Ok(Value::str(arena, "hunter2 \u{1}{").with_marks(arena, marks_from(arena, &["sensitive"])))
            })
            .expect("it is small");
        let program = document.attribute("y").expect("it is there").program().expect("it is small");
        let shown = match session.run(&program, &scope) {
            Ok(value) => format!("{value:?} {value} {:?}", Json(value).lenient().to_text()),
            Err(error) => format!("{error} {error:?} {}", error.to_diagnostics("x").report()),
        };
        assert!(!shown.contains("hunter2"), "{text}: {shown}");
    }
}
