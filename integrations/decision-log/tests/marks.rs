//! Entries of decisions that read marked values: nothing that is marked is logged, and which parts are is the same
//! whatever is marked.

#[path = "log/file.rs"]
mod file;

use std::time::Duration;

use hclvm::policy::PolicySpec;
use hclvm::value::{Arena, marks_from};
use hclvm::{Engine, Value};
use hclvm_decision_log::{DecisionLog, Explain, JsonLines, Origin};
use serde_json::{Value as Json, json};

use file::File;

/// Decides with a marked value of `secret`, and returns the line without its times.
fn logged(text: &str, secret: &Json) -> Json {
    let module = Engine::standard().parse("p.hcl", text).expect("HCL").module_for(["open", "secret"]);
    let module = module.expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let mut scope = module.scope();
    scope.set_all_json(&json!({"open": true, "secret": secret}).to_string()).expect("JSON");
    let arena = Arena::new();
    let given = scope.fork();
    let value: Value<'_> = given.get("secret").expect("it is set");
    let marked = value.with_marks(&arena, marks_from(&arena, &["sensitive"]));
    scope.set_value("secret", marked).expect("it is small");
    let file = File::default();
    let builder = DecisionLog::builder().explain(Explain::Conditions);
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    let mut session = policy.session();
    let decision = policy.decide(&mut session, &scope).expect("within the limits");
    log.record(&decision, &scope, &Origin::default(), Duration::ZERO);
    assert_eq!(log.close().written, 1);
    let mut line = file.lines().remove(0);
    line["unix_ms"].take();
    line
}

#[test]
fn a_marked_reason_is_null() {
    let text = "rule \"r\" {\n  when   = open\n  effect = \"allow\"\n  reason = \"for ${secret}\"\n}\n";
    let line = logged(text, &json!("zq7canary"));
    assert_eq!((&line["rule"], &line["reason"]), (&json!("r"), &Json::Null));
    assert!(!line.to_string().contains("zq7canary"), "{line}");
}

#[test]
fn entries_do_not_depend_on_what_is_marked() {
    let conditions = [
        "open && (secret == \"a\" || true)",
        "secret == \"a\" ? open : open",
        "try(secret.name, \"x\") == \"x\" || open",
        "can(secret.name) || open",
        "length([for x in [1, 2] : x if secret == \"a\"]) < 9",
        "(secret.name == \"x\" || open) && open",
        "open || secret > 1",
    ];
    for condition in conditions {
        let text = format!(
            "locals {{\n  hidden = try(secret.name, secret)\n}}\nrule \"r\" {{\n  when = {condition}\n  effect = \
             \"allow\"\n  reason = \"for ${{can(secret.name) ? 1 : 2}}\"\n  obligations = {{ note = \
             local.hidden }}\n}}\n"
        );
        let [first, second] = [json!("zq7canary"), json!({"name": "zq7name"})].map(|secret| {
            let mut line = logged(&text, &secret);
            // More of a condition is evaluated with some values.
            line["fuel"].take();
            line
        });
        assert_eq!(first, second, "{condition}");
        assert_eq!(first["effect"], "allow", "{condition}: {first}");
        assert!(!first.to_string().contains("zq7"), "{first}");
    }
}
