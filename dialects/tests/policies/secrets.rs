//! Sensitive values are in no message, explanation or problem, whatever an expression does with them.

use std::fmt::Write;

use hclvm_dialects::terraform_policy::{GivenInputs, Status};

use super::{created, judged, plan, policies};

/// The text that must not appear, in the forms that functions give it.
const FORMS: [&str; 6] =
    ["zq7canary", "yranac7qz", "enE3Y2FuYXJ5", "7a713763616e617279", "zq7%2Bcanary", "Q7CANAR"];

/// Expressions over a sensitive value, one a line. `S` is the value, which is a text.
const EXPRESSIONS: &str = include_str!("secret_forms.txt");

/// Returns everything that is shown of the verdicts of a text.
fn shown(text: &str, inputs: &GivenInputs) -> String {
    let changes = [
        created(
            "t.x",
            r#"{"secret": "zq7canary", "list": ["zq7canary"]}"#,
            r#"{"id": true}"#,
            r#"{"secret": true, "list": [true]}"#,
        ),
        created("o.y", r#"{"open": "zq7canary"}"#, "{}", r#"{"open": true}"#),
    ];
    let policies = policies(text);
    let plan = plan(&changes);
    let report = policies.judge(&plan, inputs).expect("inputs have values");
    let mut out = format!("{}\n{:?}", policies.warnings(), report.problems());
    for verdict in report.verdicts() {
        let _ = write!(out, "\n{:?} {:?} {:?}", verdict.messages(), verdict.infos(), verdict.waits_for());
        let _ = write!(out, "\n{}\n{:?}", verdict.problems(), verdict.problems());
        for found in verdict.problems().groups() {
            out += &serde_json::to_string(found).expect("JSON");
        }
        for why in verdict.failures().iter().filter_map(|failure| failure.why()) {
            let _ = write!(out, "\n{why}\n{}", serde_json::to_string(why).expect("JSON"));
        }
    }
    out
}

fn leaks(text: &str) -> bool {
    let text = text.to_lowercase();
    FORMS.iter().any(|form| text.contains(&form.to_lowercase()))
}

#[test]
fn no_form_of_a_sensitive_value_is_shown() {
    let inputs = GivenInputs::new().argument("pw", "zq7canary");
    assert_eq!(EXPRESSIONS.lines().count(), 60);
    for expression in EXPRESSIONS.lines() {
        for source in ["attrs.secret", "attrs.list[0]", "local.kept", "input.pw"] {
            let used = expression.replace('S', source);
            // The letter is also in names of functions.
            let used = if expression.contains("core::S") { continue } else { used };
            for condition in [format!("({used}) == \"a\""), format!("({used}) + 1 == 2"), "false".to_owned()]
            {
                let text = format!(
                    "input \"pw\" {{\n  type      = string\n  sensitive = true\n}}\nresource_policy \"t\" \"p\" {{\n  locals {{\n    kept = attrs.secret\n  }}\n  enforce {{\n    condition     = {condition}\n    error_message = \"value ${{{used}}}\"\n    info_message  = \"${{{used}}} ${{attrs.id}}\"\n  }}\n}}\n"
                );
                let out = shown(&text, &inputs);
                assert!(!leaks(&out), "{condition}, {used}:\n{out}");
            }
        }
    }
}

#[test]
fn a_part_of_a_message_is_hidden_alone() {
    let text = "resource_policy \"t\" \"p\" {\n  enforce {\n    condition     = attrs.secret == \"\"\n    error_message = \"The text ${attrs.secret} of ${attrs.id} is not empty.\"\n  }\n}\n";
    let changes = [created("t.x", r#"{"secret": "zq7canary"}"#, r#"{"id": true}"#, r#"{"secret": true}"#)];
    let report = judged(&policies(text), &plan(&changes));
    let verdict = &report.verdicts()[0];
    assert_eq!(verdict.status(), Status::Fail);
    assert_eq!(verdict.messages(), ["The text (sensitive value) of (known after apply) is not empty."]);
}

#[test]
fn an_input_that_does_not_fit_is_not_shown() {
    let text =
        "input \"pw\" {\n  type      = number\n  sensitive = true\n}\n".to_owned() + &super::policy("true");
    let inputs = GivenInputs::new().environment([("TFPOLICY_INPUT_pw", "\"zq7canary\"")]);
    let problems = policies(&text).judge(&plan(&[]), &inputs).expect_err("it is no number");
    assert!(!leaks(&format!("{problems}\n{problems:?}")), "{problems:?}");
}

/// Returns what is shown of a condition for a resource whose attributes are all sensitive, beside data of the state.
fn shown_of(condition: &str) -> String {
    let text = super::policy(condition);
    let changes = [
        created("t.x", r#"{"secret": "zq7canary"}"#, r#"{"id": true}"#, "true"),
        created("o.y", r#"{"open": "b"}"#, r#"{"id": true}"#, "true"),
    ];
    let report = judged(&policies(&text), &plan(&changes));
    format!("{:?}", report.verdicts())
}

#[test]
fn what_is_outside_of_the_plan_is_not_named_by_secrets() {
    for condition in [
        "core::gethttprequest(\"https://${attrs.secret}.example.com/\").body == \"\"",
        "core::getdatasource(attrs.secret, {}).id == \"\"",
        "core::getdatasource(\"t\", { name = attrs.secret }).id == \"\"",
        "core::getresources(attrs.secret, { id = attrs.id }) == []",
        "core::getresources(\"o\", { open = attrs.secret, id = attrs.id }) == []",
    ] {
        let out = shown_of(condition);
        assert!(!leaks(&out), "{condition}: {out}");
    }
}

#[test]
fn a_selection_by_sensitive_attributes_is_sensitive() {
    let text = "resource_policy \"t\" \"p\" {\n  enforce {\n    condition     = false\n    error_message = \"There are ${core::length(core::getresources(\"o\", { open = \"b\" }))}.\"\n  }\n}\n";
    for sensitive in ["true", r#"{"open": true}"#] {
        let changes = [created("t.x", "{}", "{}", "{}"), created("o.y", r#"{"open": "b"}"#, "{}", sensitive)];
        let report = judged(&policies(text), &plan(&changes));
        assert_eq!(report.verdicts()[0].messages(), ["There are (sensitive value)."], "{sensitive}");
    }
}

#[test]
fn in_doubt_a_value_is_sensitive() {
    let text = "resource_policy \"t\" \"p\" {\n  enforce {\n    condition     = false\n    error_message = \"${attrs.a} ${attrs.copy}\"\n  }\n}\n";
    // A mirror of another shape, and a text that repeats a sensitive one.
    for (after, sensitive) in [
        (r#"{"a": "zq7canary", "copy": ""}"#, r#"{"a": [true]}"#),
        (r#"{"a": "zq7canary", "copy": ""}"#, r#"{"a": {"b": true}}"#),
        (r#"{"a": "zq7canary", "copy": "zq7canary"}"#, r#"{"a": true}"#),
        (r#"{"a": "", "copy": "zq7canary", "tags": {"b": ["zq7canary"]}}"#, r#"{"tags": {"b": [true]}}"#),
    ] {
        let report = judged(&policies(text), &plan(&[created("t.x", after, "{}", sensitive)]));
        let messages = report.verdicts()[0].messages();
        assert!(
            messages[0].contains("(sensitive value)") && !leaks(&messages[0]),
            "{sensitive}: {messages:?}"
        );
    }
}
