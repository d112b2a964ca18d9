//! Explanations as data, and rewritten for hosts that show texts and values in another form.

use hclvm::Engine;
use hclvm::policy::{Cause, PolicySpec};
use hclvm::why::{ConditionKind, Why};
use serde_json::{Value as Json, json};

use super::set;

fn why(expression: &str, scope: &str) -> Why {
    let document = Engine::new().parse("x.hcl", &format!("x = {expression}")).expect("HCL");
    let program = document.attribute("x").expect("x").program().expect("it compiles");
    let mut values = document.scope();
    set(&mut values, scope);
    document.engine().session().why(&program, &values).expect("no limit")
}

/// Returns a condition and its parts as data, without ranges.
fn shown(condition: &Json) -> Json {
    let mut copy = condition.clone();
    let fields = copy.as_object_mut().expect("an object");
    fields.remove("range").expect("it has a range");
    if let Some(parts) = fields.get_mut("parts") {
        *parts = parts.as_array().expect("a list").iter().map(shown).collect();
    }
    copy
}

#[test]
fn every_kind_of_condition_has_a_word() {
    let scope = "a = true\nb = false\nn = 1";
    for (expression, kind, word) in [
        ("a && b", ConditionKind::And, "and"),
        ("a || b", ConditionKind::Or, "or"),
        ("!a", ConditionKind::Not, "not"),
        ("n > 1", ConditionKind::Comparison, "comparison"),
        ("n == 1", ConditionKind::Comparison, "comparison"),
        ("a ? a : b", ConditionKind::Conditional, "conditional"),
        ("a", ConditionKind::Value, "value"),
        ("n + 1", ConditionKind::Value, "value"),
    ] {
        let why = why(expression, scope);
        assert_eq!(why.root().kind, kind, "{expression}");
        assert_eq!(serde_json::to_value(&why).expect("data")["conditions"]["kind"], word, "{expression}");
    }
    let constant = why("a && true", scope);
    assert_eq!(serde_json::to_value(&constant).expect("data")["conditions"]["parts"][1]["kind"], "constant");
}

#[test]
fn every_outcome_has_a_word_or_counts() {
    let of = |expression: &str, scope: &str| {
        let why = serde_json::to_value(why(expression, scope)).expect("data");
        (why["conditions"]["outcome"].clone(), why["result"].clone())
    };
    assert_eq!(of("a", "a = true"), (json!("true"), json!("true")));
    assert_eq!(of("a", "a = false"), (json!("false"), json!("false")));
    assert_eq!(of("a", "a = null"), (json!("null"), json!("null")));
    assert_eq!(of("a", "a = 3"), (json!("other"), json!("3")));
    assert_eq!(of("later == 1", "").0, json!("unknown"));
    assert_eq!(of("a.b", "a = {}").0, json!("failed"));
    assert_eq!(of("s == 1", "s = 1").0, json!("sensitive"));
    let clause = |values: &str| {
        let why = serde_json::to_value(why("[for x in xs : x if x > 1]", values)).expect("data");
        why["conditions"]["parts"][0]["outcome"].clone()
    };
    assert_eq!(clause("xs = [1, 2, 3]"), json!({"true": 2, "false": 1}));
    assert_eq!(clause("xs = []"), json!("never"));
}

#[test]
fn data_has_what_there_is() {
    let text = "locals { l = a }\nrule \"r\" \"second\" {\n  when   = local.l && b.x == 2\n  effect = \"allow\"\n}\n";
    let module = Engine::new().parse("x.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let mut scope = module.scope();
    set(&mut scope, "a = true\nb = { x = 1 }");
    let mut session = policy.session();
    let why = policy.why(&mut session, &scope).expect("no limit");
    let data = serde_json::to_value(&why).expect("data");
    assert_eq!(
        (&data["effect"], &data["cause"], data.get("rule")),
        (&json!("deny"), &json!("no rule"), None)
    );
    let rule = &data["rules"][0];
    assert_eq!((&rule["labels"], &rule["decides"]), (&json!(["r", "second"]), &json!(false)));
    let condition = &rule["condition"];
    assert_eq!(condition["deciding"], json!(["b.x == 2"]));
    assert_eq!((condition.get("waits_for"), condition.get("diagnostics")), (None, None));
    let value = |path: &str, value: &str| json!([{"path": path, "value": value}]);
    let expected = json!({
        "text": "local.l && b.x == 2", "kind": "and", "outcome": "false", "needed": true, "decides": false,
        "parts": [
            {
                "text": "local.l", "kind": "value", "outcome": "true", "needed": true, "decides": false,
                "values": value("local.l", "true"),
                "parts": [{
                    "name": "local.l", "text": "a", "kind": "value", "outcome": "true", "needed": true,
                    "decides": false, "values": value("a", "true"),
                }],
            },
            {
                "text": "b.x == 2", "kind": "comparison", "outcome": "false", "needed": true, "decides": true,
                "values": value("b.x", "1"),
            },
        ],
    });
    assert_eq!(shown(&condition["conditions"]), expected);
    assert_eq!((why.effect(), why.cause(), why.rules().len()), ("deny", Cause::NoRule, 1));
    assert_eq!(why.rules()[0].labels().collect::<Vec<_>>(), ["r", "second"]);
    assert!(why.rule().is_none() && !why.rules()[0].decides());

    scope.set_unknown("b");
    let undecided = serde_json::to_value(policy.why(&mut session, &scope).expect("no limit")).expect("data");
    assert_eq!(undecided["cause"], "undecided");
    assert_eq!(undecided["rules"][0]["condition"]["waits_for"], json!(["b.x"]));
    let recorder = policy.decide(&mut session, &scope).expect("no limit").recorder();
    let recorded = policy.explain(&recorder.record(&mut session).expect("no limit")).expect("its policy");
    let recorded = serde_json::to_value(&recorded).expect("data");
    assert_eq!(recorded["rules"][0]["condition"]["result"], "unknown");
    assert_eq!(recorded["rules"][0]["condition"].get("waits_for"), None);
}

#[test]
fn recorded_loops_list_their_outcomes() {
    let text = "rule \"r\" {\n  when   = length([for x in xs : x if x > 1]) == 1\n  effect = \"allow\"\n}\n\
                rule \"s\" {\n  when   = s == 1\n  effect = \"allow\"\n}\n\
                rule \"v\" {\n  when   = xs\n  effect = \"allow\"\n}\n\
                rule \"w\" {\n  when   = alltrue((a ? ys : [])[*][a ? 0 : 1])\n  effect = \"allow\"\n}\n";
    let module = Engine::new().parse("x.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let mut scope = module.scope();
    set(&mut scope, "xs = [1, 2, 3]\nys = [[false], [true]]\na = true\ns = 2");
    let mut session = policy.session();
    let recorder = policy.decide(&mut session, &scope).expect("no limit").recorder();
    let recorded = policy.explain(&recorder.record(&mut session).expect("no limit")).expect("its policy");
    let data = serde_json::to_value(&recorded).expect("data");
    let conditions = |rule: usize| &data["rules"][rule]["condition"];
    assert_eq!(conditions(0)["conditions"]["parts"][0]["outcome"], json!(["true", "false"]));
    let source_and_index = &conditions(3)["conditions"]["parts"];
    assert_eq!(source_and_index[0]["outcome"], "true", "the source is evaluated once");
    assert_eq!(source_and_index[1]["outcome"], json!(["true"]));
    let results = [0, 1, 2].map(|rule| conditions(rule)["result"].as_str().expect("a text"));
    assert_eq!(results, ["false", "sensitive", "a value"]);
}

#[test]
fn texts_and_values_can_be_rewritten() {
    let rewritten = |expression: &str, scope: &str| {
        why(expression, scope).rewritten(&str::to_uppercase, &|value| format!("<{value}>")).to_string()
    };
    assert_eq!(
        rewritten("n > 1 && [n, \"secret\"][0] != m", "n = 2\nm = 2"),
        "false, because `[N, \"SECRET\"][0] != M` is false ([N, \"SECRET\"][0] = <2>, N = <2>, M = <2>)\n\
         └─ false  N > 1 && [N, \"SECRET\"][0] != M\n   \
            ├─ true  N > 1  (N = <2>)\n   \
            └─ false  [N, \"SECRET\"][0] != M  ([N, \"SECRET\"][0] = <2>, N = <2>, M = <2>)\n"
    );
    assert_eq!(rewritten("n", "n = false"), "false, because `N` is false\n└─ false  N\n");
    assert_eq!(rewritten("later.a", ""), "unknown: it waits for `LATER.A`\n└─ unknown  LATER.A\n");
    // A result that is no bool is a value.
    assert_eq!(rewritten("n + 1", "n = 2"), "<3>, from N = <2>\n└─ value  N + 1  (N = <2>)\n");
}

#[test]
fn an_explanation_has_its_source_and_its_diagnostics() {
    let why = why("a.b && c", "a = {}\nc = true");
    assert_eq!(&**why.source().text(), "x = a.b && c");
    let titles: Vec<&str> = why.diagnostics().iter().map(|found| found.title.as_ref()).collect();
    assert_eq!(titles, ["Unsupported attribute"]);
    let span = why.root().parts[0].span;
    assert_eq!(&why.source().text()[span.start as usize..span.end as usize], "a.b");
}
