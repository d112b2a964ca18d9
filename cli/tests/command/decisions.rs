//! `hclvm test` of policies: expected decisions, paths into objects, mocks that fail, and what decisions cover.

use super::{Folder, hclvm, json, text};

const POLICY: &str = r#"rule "blocked" {
  priority = 1
  when     = is_blocked(user.name)
  effect   = "deny"
}
rule "admin" {
  when        = user.role == "admin" && hour < 18
  effect      = "allow"
  reason      = "${user.name} is an admin"
  obligations = { audit = true, risk = { level = 3 } }
}
rule "guest" {
  when   = user.role == "guest"
  effect = "allow"
}
"#;

/// Runs a test file for the policy; returns the exit code and the output.
fn run(cases: &str, further: &[&str]) -> (Option<i32>, String) {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let head = "file = \"policy.hcl\"\nmock \"is_blocked\" { result = false }\n\
                scope = { user = { name = \"ann\", role = \"admin\" }, hour = 9 }\n";
    let file = folder.file("policy.hcltest", format!("{head}{cases}"));
    let output = hclvm(&[&["test", &file], further].concat());
    let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
    (output.status.code(), printed.replace(&policy, "policy.hcl"))
}

#[test]
fn a_case_expects_a_decision() {
    let (code, printed) = run(
        r#"case "allowed" {
  expect_decision {
    effect      = "allow"
    rule        = "admin"
    reason      = "ann is an admin"
    obligations = [{ audit = true, risk = { level = 3 } }]
    cause       = "rule"
  }
}
case "late" {
  scope = { hour = 20 }
  expect_decision {
    effect      = "deny"
    rule        = null
    reason      = null
    obligations = []
    cause       = "no rule"
  }
}
case "both" {
  expect = { "rule.admin.obligations.risk.level" = 3, "rule.admin.when" = true }
  expect_decision {
    rule = "admin"
  }
}
"#,
        &[],
    );
    assert_eq!(code, Some(0), "{printed}");
}

#[test]
fn another_decision_fails_with_its_parts() {
    let (code, printed) = run(
        r#"case "wrong" {
  expect_decision {
    effect      = "deny"
    rule        = "guest"
    obligations = [{ audit = false }]
  }
}
case "inside" {
  expect = { "rule.admin.obligations.risk.level" = 4, "rule.admin.obligations.rsk" = 4 }
}
case "nothing" {
  expect_decision {}
}
"#,
        &[],
    );
    assert_eq!(code, Some(1));
    for wanted in [
        "decision.effect\n    expected \"deny\"\n    found    \"allow\"",
        "decision.rule\n    expected \"guest\"\n    found    \"admin\"",
        "decision.obligations[0].audit\n    expected false\n    found    true",
        "rule.admin.obligations.risk.level\n    expected 4\n    found    3",
        "has no attribute or block `rule.admin.obligations.rsk`",
        "`expect_decision` expects nothing",
    ] {
        assert!(printed.contains(wanted), "{wanted} is missing in\n{printed}");
    }
}

#[test]
fn an_undecided_decision_fails_unless_it_is_expected() {
    let (code, printed) = run(
        r#"case "fails" {
  mock "is_blocked" { error = "no network" }
  expect_decision {
    effect = "deny"
  }
}
case "expected" {
  mock "is_blocked" { error = "no network" }
  expect_decision {
    effect = "deny"
    cause  = "undecided"
  }
}
case "with its error" {
  mock "is_blocked" { error = "no network" }
  expect_decision {
    cause = "undecided"
  }
  expect_error {
    title = "Error in function call"
    line  = 3
  }
}
"#,
        &[],
    );
    assert!(printed.ends_with("3 cases in 1 file: 2 passed, 1 failed\n"), "{printed}");
    assert_eq!(code, Some(1));
    assert!(printed.contains("The decision is undecided.") && printed.contains("no network"), "{printed}");
    for (mock, wanted) in
        [("", "Missing required argument"), ("result = 1\n  error = \"x\"\n", "Unsupported argument")]
    {
        let (code, printed) =
            run(&format!("mock \"f\" {{\n  {mock}}}\ncase \"a\" {{\n  expect = {{ a = 1 }}\n}}\n"), &[]);
        assert_eq!(code, Some(1));
        assert!(printed.contains(wanted), "{printed}");
    }
}

#[test]
fn a_decision_covers_the_rules_that_it_needs() {
    let one = r#"case "allowed" {
  expect_decision {
    effect = "allow"
  }
}
"#;
    let (code, printed) = run(one, &["--coverage", "--verbose"]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("rule.guest.when is not evaluated"), "{printed}");
    assert!(!printed.contains("rule.admin.reason is not evaluated"), "{printed}");
    assert!(printed.contains("rule.blocked.effect is not evaluated"), "{printed}");
    let junit = json(&hclvm_json(one));
    assert_eq!(junit["passed"], 1);
}

/// Returns the results of a test file as JSON.
fn hclvm_json(cases: &str) -> Vec<u8> {
    run(cases, &["--json"]).1.into_bytes()
}

#[test]
fn rules_of_a_project_count_in_coverage() {
    let folder = Folder::new();
    folder.file("policy.hcl", "rule \"a\" {\n  if     = true && x\n  effect = \"allow\"\n}\n");
    folder.file("hclvm.hcl", "policy {\n  condition = \"if\"\n}\n");
    let cases = "file = \"policy.hcl\"\ncase \"a\" {\n  scope = { x = true }\n  expect_decision {\n    rule = \"a\"\n  }\n}\n";
    let file = folder.file("policy.hcltest", cases);
    let printed = text(&hclvm(&["test", &file, "--coverage"]).stdout).to_owned();
    let row = printed.lines().find(|line| line.contains(" 2/2 ")).expect("a row");
    assert!(row.contains(" 1/1 "), "{printed}");
}

#[test]
fn the_project_says_how_rules_decide_in_tests() {
    let folder = Folder::new();
    let rules = "rule \"a\" {\n  when = true\n  effect = \"allow\"\n}\nrule \"b\" {\n  when = true\n  effect = \"deny\"\n}\n";
    folder.file("policy.hcl", rules);
    let cases = "file = \"policy.hcl\"\ncase \"a\" {\n  expect_decision {\n    effect = \"deny\"\n  }\n}\n";
    let file = folder.file("policy.hcltest", cases);
    assert_eq!(hclvm(&["test", &file]).status.code(), Some(1));
    folder.file("hclvm.hcl", "policy {\n  combining = \"deny-overrides\"\n}\n");
    assert_eq!(hclvm(&["test", &file]).status.code(), Some(0));
    folder.file("hclvm.hcl", "policy {\n  combining = \"deny-override\"\n}\n");
    assert_eq!(hclvm(&["test", &file]).status.code(), Some(1), "nothing is tested by half of a project");
}
