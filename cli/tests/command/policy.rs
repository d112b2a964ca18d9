//! `hclvm policy`: formats of results and exit codes. What policies mean is tested with the library.

use std::fmt::Write;

use super::{Folder, hclvm, json, text};

const POLICIES: &str = r#"input "least" {
  type    = number
  default = 3
}
resource_policy "t" "size" {
  enforce {
    condition     = attrs.size >= input.least
    error_message = "The size is ${attrs.size}."
  }
}
resource_policy "t" "name" {
  enforcement_level = "mandatory_overridable"
  enforce {
    condition = attrs.name == "a"
  }
}
resource_policy "t" "note" {
  enforcement_level = "advisory"
  enforce {
    condition = attrs.note == ""
  }
}
"#;

fn plan(after: &str, unknown: &str) -> String {
    format!(
        r#"{{"format_version": "1.2", "resource_changes": [{{"address": "t.x", "mode": "managed", "type": "t", "change":
            {{"actions": ["create"], "before": null, "after": {after}, "after_unknown": {unknown}}}}}]}}"#
    )
}

#[test]
fn exit_codes_follow_the_levels() {
    let folder = Folder::new();
    let policies = format!("--policies={}", folder.file("a.policy.hcl", POLICIES));
    for (after, unknown, more, wanted) in [
        (r#"{"size": 3, "name": "a", "note": ""}"#, "{}", &[][..], 0),
        (r#"{"size": 3, "name": "a", "note": "x"}"#, "{}", &[], 0),
        (r#"{"size": 3, "name": "b", "note": ""}"#, "{}", &[], 1),
        (r#"{"size": 3, "name": "b", "note": ""}"#, "{}", &["--override=name"], 0),
        (r#"{"size": 2, "name": "a", "note": ""}"#, "{}", &["--override=size"], 1),
        (r#"{"size": 2, "name": "a", "note": ""}"#, "{}", &["--input=least=2"], 0),
        (r#"{"size": 2, "name": "a", "note": ""}"#, "{}", &["--input=least=2", "--parameter=least=4"], 1),
        (r#"{"name": "a", "note": ""}"#, r#"{"size": true}"#, &[], 0),
        (r#"{"name": "a", "note": ""}"#, r#"{"size": true}"#, &["--unknown=fail"], 1),
        (r#"{"name": "a", "note": ""}"#, "{}", &[], 1),
        (r#"{"size": 3, "name": "a"}"#, "{}", &[], 0),
    ] {
        let plan = folder.file("plan.json", plan(after, unknown));
        let arguments = [&["policy", "plan", &plan, &policies][..], more].concat();
        let output = hclvm(&arguments);
        assert_eq!(output.status.code(), Some(wanted), "{after} {more:?}: {}", text(&output.stderr));
    }
    for (plan, policy) in [("nope", POLICIES), ("{}", POLICIES), (&*plan("{}", "{}"), "resource_policy {}\n")]
    {
        let plan = folder.file("plan.json", plan);
        let policies = format!("--policies={}", folder.file("b.policy.hcl", policy));
        assert_eq!(hclvm(&["policy", "plan", &plan, &policies]).status.code(), Some(2), "{policy}");
    }
}

#[test]
fn results_have_many_forms() {
    let folder = Folder::new();
    let policies = format!("--policies={}", folder.file("a.policy.hcl", POLICIES));
    let plan = folder.file("plan.json", plan(r#"{"size": 2, "note": ""}"#, r#"{"name": true}"#));
    let run = |format: &str| {
        let output = hclvm(&["policy", "plan", &plan, &policies, "--format", format]);
        assert_eq!(output.status.code(), Some(1));
        text(&output.stdout).to_owned()
    };
    let lines = run("text");
    for part in [
        "fail    t.x (create)",
        "The size is 2.",
        "unknown t.x (create)",
        "waits for t.x.name",
        "3 results: 1 pass, 1 fail",
    ] {
        assert!(lines.contains(part), "{part} is missing:\n{lines}");
    }
    let data = json(run("json").as_bytes());
    assert_eq!(data["verdicts"][0]["status"], "fail");
    assert_eq!(data["verdicts"][0]["messages"][0], "The size is 2.");
    assert_eq!(data["verdicts"][0]["failures"][0]["why"]["result"], "false");
    let log = json(run("sarif").as_bytes());
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    assert_eq!(results[0]["ruleId"], "policy-violation");
    assert_eq!(results[1]["level"], "warning");
    let commands = run("github");
    assert!(commands.starts_with("::error file=") && commands.contains("\n::warning file="), "{commands}");
    let xml = run("junit");
    assert!(xml.contains("failures=\"1\"") && xml.contains("<failure message=\"The size is 2.\">"), "{xml}");
}

#[test]
fn test_files_are_found_and_run() {
    let folder = Folder::new();
    let policies = folder.file("a.policy.hcl", POLICIES);
    folder.file(
        "a.policytest.hcl",
        "resource \"t\" \"x\" {\n  attrs = { size = 3, name = \"a\", note = \"\" }\n}\nresource \"t\" \"y\" {\n  attrs = { size = 1, name = \"a\", note = \"\" }\n}\n",
    );
    let below = std::path::Path::new(&policies).parent().expect("a folder").to_string_lossy().into_owned();
    let output = hclvm(&["policy", "test", "--policies", &below]);
    assert_eq!(output.status.code(), Some(1));
    let lines = text(&output.stdout);
    assert!(lines.contains("# resource.t.x... pass") && lines.contains("# resource.t.y... fail"), "{lines}");
    assert!(lines.contains("The size is 1."), "{lines}");
    let output = hclvm(&["policy", "validate", &below, "--json"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(json(&output.stdout)["errors"].as_array().map(Vec::len), Some(0));
}

#[test]
fn characters_that_steer_a_terminal_are_replaced() {
    let folder = Folder::new();
    let policies = format!("--policies={}", folder.file("a.policy.hcl", POLICIES));
    let plan =
        folder.file("plan.json", plan(r#"{"size": 0, "name": "\u001b[31m", "note": "\u001b[0m"}"#, "{}"));
    for format in ["text", "github", "junit"] {
        let output = hclvm(&["policy", "plan", &plan, &policies, "--format", format]);
        assert!(!output.stdout.contains(&0x1b), "{format}: {}", text(&output.stdout));
    }
}

/// Expressions over a sensitive value, one a line. `S` is the value, which is a text.
const SECRET_FORMS: &str = include_str!("../../../dialects/tests/policies/secret_forms.txt");

/// Returns policies that use the value of an expression in every form: in a condition that is false, in one with an error, and
/// in messages.
fn secret_policies(source: &str) -> String {
    let mut all = String::from(
        "input \"pw\" {\n  type      = string\n  sensitive = true\n  default   = \"zq7canary\"\n}\n",
    );
    for (at, form) in SECRET_FORMS.lines().enumerate() {
        let used = form.replace('S', source);
        for (kind, condition) in
            [("false", format!("({used}) == \"a\"")), ("error", format!("({used}) + 1 == 2"))]
        {
            // Writing to a string cannot fail.
            let _ = write!(
                all,
                "resource_policy \"t\" \"{kind}{at}\" {{\n  enforce {{\n    condition     = {condition}\n    error_message = \"value ${{{used}}}\"\n    info_message  = \"${{{used}}} ${{attrs.id}}\"\n  }}\n}}\n"
            );
        }
    }
    all
}

#[test]
fn no_form_of_a_secret_is_in_any_format() {
    let folder = Folder::new();
    let plan = folder.file(
        "plan.json",
        r#"{"format_version": "1.2", "resource_changes": [{"address": "t.x", "mode": "managed", "type": "t", "change":
            {"actions": ["create"], "before": null, "after": {"secret": "zq7canary"}, "after_unknown": {"id": true},
            "after_sensitive": {"secret": true}}}]}"#,
    );
    let mocks = "resource \"t\" \"x\" {\n  attrs = { id = \"a\", secret = input.pw }\n}\n";
    folder.file("a.policytest.hcl", mocks);
    for source in ["attrs.secret", "input.pw"] {
        let policies = format!("--policies={}", folder.file("a.policy.hcl", secret_policies(source)));
        let tests = format!("--tests={}", folder.0.path().display());
        for format in ["text", "json", "sarif", "junit", "github"] {
            let format = format!("--format={format}");
            for arguments in
                [&["policy", "plan", &plan, &policies, "-v"][..], &["policy", "test", &policies, &tests]]
            {
                let output = hclvm(&[arguments, &[&format]].concat());
                let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
                // The default of the input is in its file, which no report repeats.
                let shown = all.to_lowercase();
                for form in ["zq7canary", "yranac7qz", "enE3Y2FuYXJ5", "7a713763616e617279", "q7canar"] {
                    let at = shown.find(&form.to_lowercase());
                    assert!(
                        at.is_none(),
                        "{source} {arguments:?} {format}: {:?}",
                        at.map(|at| all.get(at.saturating_sub(200)..))
                    );
                }
                assert!(!all.is_empty());
            }
        }
    }
}

#[test]
fn a_default_or_value_that_does_not_fit_is_not_shown() {
    let folder = Folder::new();
    let plan = folder.file("plan.json", plan("{}", "{}"));
    let input = |default: &str| {
        format!(
            "input \"pw\" {{\n  type      = number\n  sensitive = true\n{default}}}\nresource_policy \"t\" \"p\" {{\n  enforce {{\n    condition = true\n  }}\n}}\n"
        )
    };
    let file = |name: &str, text: &str| format!("--input-file={}", folder.file(name, text));
    let file_with_text = file("a.tfvars", "pw = \"zq7canary\"\n");
    let file_with_error = file("b.tfvars", "pw = [\"zq7canary\"\n");
    for (default, more) in [
        ("  default   = \"zq7canary\"\n", &[][..]),
        ("", &[&*file_with_text]),
        ("", &[&*file_with_error]),
        ("  default   = zq7canary.zq7canary\n", &[]),
        ("  default   = [\"zq7canary\"\n", &[]),
        ("", &["--input=pw=\"zq7canary\""]),
        ("", &["--input=pw=zq7canary"]),
        ("", &["--input=pw=[zq7canary"]),
        ("", &["--parameter=pw=\"zq7canary\""]),
        ("", &["--parameter=pw=zq7canary"]),
        ("", &["--parameter=zq7canary"]),
        ("", &["--input=zq7canary"]),
    ] {
        let policies = format!("--policies={}", folder.file("a.policy.hcl", input(default)));
        for format in ["text", "json", "sarif", "junit", "github"] {
            let format = format!("--format={format}");
            let output = hclvm(&[&["policy", "plan", &plan, &policies, &format][..], more].concat());
            let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
            assert!(!all.contains("zq7canary"), "{default} {more:?} {format}: {all}");
            assert_ne!(output.status.code(), Some(0), "{default} {more:?}");
        }
    }
}
