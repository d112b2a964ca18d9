//! `hclvm policy`: formats of results and exit codes. What policies mean is tested with the library.

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
