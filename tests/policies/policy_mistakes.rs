//! Mistakes in the rules of a policy, which are errors when it is made, and what a lenient policy ignores.

use hclvm::Engine;
use hclvm::policy::{Cause, Combining, PolicySpec};

use crate::policy::policy;

#[test]
fn mistakes_that_would_make_a_rule_have_no_effect_are_errors() {
    let rest = "rule \"b\" {\n  when = true\n  effect = \"allow\"\n}\n";
    for (text, wanted) in [
        (
            "rule \"a\" {\n  whn = true\n  effect = \"deny\"\n}\n",
            "1:1: Missing condition|2:3: Unsupported argument: \"whn\"|\"when\"?",
        ),
        (
            "rule \"a\" {\n  when = true\n  efect = \"deny\"\n}\n",
            "1:1: Missing effect|3:3: Unsupported argument|\"effect\"?",
        ),
        (
            "rule \"a\" {\n  when = \"user.admin\"\n  effect = \"deny\"\n}\n",
            "2:10: Unsuitable value type|Without quotes, it is an expression.",
        ),
        (
            "rule \"a\" {\n  when = \"true\"\n  effect = \"deny\"\n}\n",
            "2:10: Unsuitable value type|is a bool",
        ),
        (
            "rule \"a\" {\n  when = true\n  effect = deny\n}\n",
            "3:12: Unsuitable effect|`deny` is a variable here. The effect is a string: \"deny\".",
        ),
        (
            "rule \"a\" {\n  when = true\n  effect = \"dney\"\n}\n",
            "3:12: Unsuitable effect|\"allow\" or \"deny\", not \"dney\". Did you mean \"deny\"?",
        ),
        (
            "rule \"a\" {\n  when = true\n  effect = null\n}\n",
            "3:12: Unsuitable effect: The effect of a rule is \"allow\" or \"deny\", as a string",
        ),
        ("rule \"a\" {\n  when = true\n  effect = 12\n}\n", "3:12: Unsuitable effect"),
        (
            "rule \"a\" {\n  when = true\n  effect = \"allow\"\n  obligatons = { mfa = true }\n}\n",
            "4:3: Unsupported argument|\"obligations\"?",
        ),
        (
            "rule \"a\" {\n  when = true\n  effect = \"allow\"\n  obligations {\n    mfa = true\n  }\n}\n",
            "4:3: Unsupported block type",
        ),
        (
            "rule \"a\" {\n  when = true\n  effect = \"deny\"\n  prio = 1\n}\n",
            "4:3: Unsupported argument: \"prio\"",
        ),
        (
            "rul \"a\" {\n  when = true\n  effect = \"deny\"\n}\n",
            "1:1: Unsupported block type|\"rul\"|Did you mean \"rule\"?",
        ),
        (
            "rules {\n  rule \"a\" {\n    when = true\n    effect = \"deny\"\n  }\n}\n",
            "2:3: Unsupported block type|in another block would be ignored",
        ),
        ("Rule \"a\" {\n}\n", "1:1: Unsupported block type|Did you mean \"rule\"?"),
        ("rules \"a\" {\n}\n", "1:1: Unsupported block type|Did you mean \"rule\"?"),
        (
            "policy \"a\" {\n  when = true\n  effect = \"deny\"\n}\n",
            "1:1: Unsupported block type: Rules are blocks of type \"rule\"",
        ),
        (
            "group \"a\" {\n  inner {\n    rule \"a\" {\n      when = true\n      effect = \"deny\"\n    }\n  }\n}\n",
            "3:5: Unsupported block type",
        ),
        ("dynamic \"rle\" {\n  for_each = [1]\n  content {\n  }\n}\n", "1:1: Unsupported block type|\"rle\""),
        (
            "rule = { a = { when = true, effect = \"deny\" } }\n",
            "1:1: Unsupported argument: Rules are blocks",
        ),
    ] {
        let error = policy(&(text.to_owned() + rest), Combining::First).expect_err(text).to_string();
        for part in wanted.split('|') {
            assert!(error.contains(part), "{text}{error}");
        }
        let engine = Engine::standard();
        let module =
            engine.parse("x.hcl", &(text.to_owned() + rest)).expect("HCL").module().expect("a module");
        let lenient = module.policy(&PolicySpec { lenient: true, ..PolicySpec::default() });
        assert_eq!(lenient.is_ok(), !wanted.contains("Missing effect"), "{text}");
    }
    let json =
        Engine::standard().parse_json("x.hcl.json", r#"{"rule": {"a": {"when": true, "effect": "deny"}}}"#);
    let module = json.expect("JSON").module().expect("a module");
    let error = module.policy(&PolicySpec::default()).expect_err("no rules").to_string();
    assert!(error.contains("Rules are blocks of the native syntax"), "{error}");
    let spec = PolicySpec { combining: Combining::Overrides("dney"), ..PolicySpec::default() };
    assert!(
        module.policy(&spec).expect_err("no rule has it").to_string().contains("\"dney\" cannot override")
    );
}

#[test]
fn other_blocks_of_a_policy_are_left_alone() {
    let text = "locals {\n  a = 1\n}\nnote \"n\" {\n  when = \"today\"\n}\nfile \"f\" {}\nrole \"r\" {}\n\
                rule \"a\" {\n  when = true\n  effect = \"allow\"\n}\n";
    let module = Engine::standard().parse("x.hcl", text).expect("HCL").module().expect("a module");
    let error = module.policy(&PolicySpec::default()).expect_err("`role` is almost `rule`").to_string();
    assert!(
        error.contains("\"role\"") && !error.contains("\"file\"") && !error.contains("\"note\""),
        "{error}"
    );
    let spec = PolicySpec { other_blocks: &["role"], ..PolicySpec::default() };
    assert_eq!(module.policy(&spec).expect("a policy").len(), 1);
}

/// Returns the problems of a policy as `line:column title`, each with the text that is proposed instead.
fn problems(text: &str, spec: &PolicySpec<'_>) -> Vec<String> {
    let module = Engine::standard().parse("x.hcl", text).expect("HCL").module().expect("a module");
    let Err(error) = module.policy(spec) else { return Vec::new() };
    let found = serde_json::to_value(error.to_diagnostics("x.hcl")).expect("data");
    let shown = |one: &serde_json::Value| {
        let at = &one["range"]["start"];
        let fix = one.get("replacements").map(|fixes| {
            let fix = &fixes[0];
            let (at, text) = (&fix["range"]["start"], fix["text"].as_str().unwrap_or_default());
            format!(" ({}:{} {text})", at["line"], at["column"])
        });
        let title = one["title"].as_str().unwrap_or_default();
        format!("{}:{} {title}{}", at["line"], at["column"], fix.unwrap_or_default())
    };
    found.as_array().expect("a list").iter().map(shown).collect()
}

#[test]
fn a_mistake_has_a_fix_if_it_is_certain() {
    let rule =
        |kind: &str, effect: &str| format!("{kind} \"a\" {{\n  when   = true\n  effect = {effect}\n}}\n");
    let spec = PolicySpec::default();
    let found = |text: &str| problems(text, &spec).join("|");
    assert_eq!(found(&rule("rle", "\"deny\"")), "1:1 Unsupported block type (1:1 rule)");
    assert_eq!(found(&rule("policy", "\"deny\"")), "1:1 Unsupported block type");
    let dynamic = "dynamic \"rle\" {\n  for_each = [1]\n  content {}\n}\n";
    assert_eq!(found(dynamic), "1:1 Unsupported block type", "the label is not the type");
    assert_eq!(found(&rule("rule", "\"alow\"")), "3:12 Unsuitable effect (3:12 \"allow\")");
    assert_eq!(found(&rule("rule", "\"block\"")), "3:12 Unsuitable effect");
    assert_eq!(found(&rule("rule", "true")), "3:12 Unsuitable effect");
}

#[test]
fn all_mistakes_are_reported_in_the_order_of_the_text() {
    let text = "rule = 1\nrole \"a\" {}\nrule \"b\" {\n  whn = true\n  effect = \"dney\"\n  extra {}\n}\n\
                other {\n  inner {\n    rule \"c\" {\n      when   = true\n      effect = \"deny\"\n      \
                deeper {\n        when   = true\n        effect = 1\n      }\n    }\n  }\n}\n\
                rule \"d\" {\n  when = true\n}\n";
    let found = problems(text, &PolicySpec::default());
    let places: Vec<&str> = found.iter().filter_map(|problem| problem.split(' ').next()).collect();
    assert_eq!(places, ["1:1", "2:1", "3:1", "4:3", "6:3", "10:5", "20:1"], "{found:?}");
    // What is lenient ignores all but the missing effect.
    let lenient = problems(text, &PolicySpec { lenient: true, ..PolicySpec::default() });
    assert_eq!(lenient, ["20:1 Missing effect"]);
}

#[test]
fn locals_and_blocks_of_the_host_may_look_like_rules() {
    let shape = |kind: &str| format!("{kind} {{\n  when   = true\n  effect = \"deny\"\n}}\n");
    let host = PolicySpec { other_blocks: &["host"], ..PolicySpec::default() };
    assert_eq!(problems(&shape("locals"), &host).len(), 0);
    assert_eq!(problems(&shape("host"), &host).len(), 0);
    assert_eq!(problems(&shape("guest"), &host), ["1:1 Unsupported block type"]);
    // A condition or an effect alone makes no rule.
    for part in ["when = true", "effect = \"deny\""] {
        assert_eq!(problems(&format!("guest {{\n  {part}\n}}\n"), &host).len(), 0, "{part}");
    }
    let status =
        PolicySpec { outcome: &["status", "body"], priority: Some("order"), ..PolicySpec::default() };
    let rule = "rule \"a\" {\n  when = true\n  effect = \"deny\"\n  reason = \"r\"\n  obligations = {}\n  \
                order = 1\n  status = 1\n  body = 2\n}\n";
    assert_eq!(problems(rule, &status).len(), 0);
    let unordered = PolicySpec { priority: None, ..status };
    assert_eq!(problems(rule, &unordered), ["6:3 Unsupported argument"]);
}

#[test]
fn a_missing_effect_is_explained_by_one_that_rules_may_have() {
    let text = "rule \"a\" {\n  when = true\n}\n";
    let module = Engine::standard().parse("x.hcl", text).expect("HCL").module().expect("a module");
    let detail = |effects: &[&str]| {
        let spec = PolicySpec { effects, default_effect: "none", ..PolicySpec::default() };
        module.policy(&spec).expect_err("no effect").to_string()
    };
    assert!(detail(&["permit", "forbid"]).contains("write `effect = \"permit\"`"));
    assert!(detail(&[]).contains("write `effect = \"none\"`"));
}

#[test]
fn a_lenient_policy_does_not_allow_by_effects_that_are_unsuitable() {
    let engine = Engine::standard();
    let text =
        |effect: &str| format!("rule \"none\" {{}}\nrule \"a\" {{\n  when = true\n  effect = {effect}\n}}\n");
    for effect in ["\"alow\"", "null", "1", "[\"allow\"]", "\"ALLOW\""] {
        let module = engine.parse("x.hcl", &text(effect)).expect("HCL").module().expect("a module");
        let policy = module.policy(&PolicySpec { lenient: true, ..PolicySpec::default() }).expect("lenient");
        assert_eq!((policy.len(), policy.is_empty()), (1, false));
        let (mut session, scope) = (engine.session(), module.scope());
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        assert_eq!((decision.effect(), decision.cause(), decision.name()), ("deny", Cause::Undecided, None));
    }
    let module = engine.parse("x.hcl", "locals {}\n").expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("no rules");
    assert_eq!((policy.len(), policy.is_empty()), (0, true));
}
