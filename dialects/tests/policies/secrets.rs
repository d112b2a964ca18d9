//! Sensitive values are in no message, explanation or problem, whatever an expression does with them.

use std::fmt::Write;

use hclvm_dialects::terraform_policy::{GivenInputs, Status};

use super::{created, judged, plan, policies};

/// The text that must not appear, in the forms that functions give it.
const FORMS: [&str; 6] =
    ["zq7canary", "yranac7qz", "enE3Y2FuYXJ5", "7a713763616e617279", "zq7%2Bcanary", "Q7CANAR"];

/// Expressions over a sensitive value. `S` is the value, which is a text.
const EXPRESSIONS: [&str; 60] = [
    "S",
    "\"${S}\"",
    "\"a ${S} b\"",
    "core::upper(S)",
    "core::strrev(S)",
    "core::base64encode(S)",
    "core::jsonencode(S)",
    "core::jsonencode({ a = S })",
    "core::jsonencode([S, S])",
    "core::valuetostring(S)",
    "core::valuetostring([S])",
    "core::valuetostring({ a = { b = S } })",
    "core::format(\"%s\", S)",
    "core::format(\"%q\", [S])",
    "core::formatlist(\"%s!\", [S])[0]",
    "core::join(\",\", [S, S])",
    "core::split(\"q\", S)[1]",
    "core::substr(S, 0, 9)",
    "core::trim(S, \"x\")",
    "core::trimprefix(S, \"x\")",
    "core::trimsuffix(S, \"x\")",
    "core::trimspace(S)",
    "core::title(S)",
    "core::chomp(S)",
    "core::indent(2, S)",
    "core::replace(S, \"x\", \"y\")",
    "core::regex(\".*\", S)",
    "core::regexall(\".*\", S)[0]",
    "core::concat([S], [\"a\"])[0]",
    "core::coalesce(S, \"a\")",
    "core::coalescelist([S], [\"a\"])[0]",
    "core::element([S], 0)",
    "core::flatten([[S]])[0]",
    "core::distinct([S])[0]",
    "core::sort([S])[0]",
    "core::reverse([S])[0]",
    "core::slice([S], 0, 1)[0]",
    "core::merge({ a = S }, {})[\"a\"]",
    "core::keys({ (S) = 1 })[0]",
    "core::values({ a = S })[0]",
    "core::lookup({ a = S }, \"a\", \"b\")",
    "core::zipmap([\"a\"], [S])[\"a\"]",
    "core::tolist([S])[0]",
    "core::one([S])",
    "core::try(S, \"a\")",
    "core::can(S) ? S : \"a\"",
    "[for s in [S] : s][0]",
    "{ for s in [S] : s => s }[S]",
    "[S][*][0]",
    "{ a = S }.a",
    "core::yamlencode(S)",
    "core::yamldecode(core::yamlencode({ a = S })).a",
    "core::jsondecode(core::jsonencode({ a = S })).a",
    "core::urlencode(S)",
    "core::sha256(S) == \"\" ? S : S",
    "core::parseint(S, 10)",
    "core::semvercmp(S, \"1.0.0\")",
    "core::regex_match(S, S) ? S : S",
    "core::getresources(\"t\", { secret = S })[0].secret",
    "core::getresources(\"o\", { open = S })",
];

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
    for expression in EXPRESSIONS {
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
