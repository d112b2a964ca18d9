//! `hclvm test`: the results of one run in each form, and reports of mistakes in test files.

use serde_json::{Value as Json, json};

use crate::{Folder, POLICY, hclvm, json as parsed, text};

/// Cases of each kind: one that passes, values that differ, errors that are not expected or missing, and no path.
const CASES: &str = r#"file = "policy.hcl"
case "good" {
  scope  = { n = 1 }
  expect = { "local.limit" = 2 }
}
case "two values" {
  scope  = { n = 1 }
  expect = { "local.limit" = 3, "rule.small.when" = null }
}
case "no variable" {
  expect = { "local.limit" = 2, "rule.none.when" = 1 }
}
case "no error" {
  scope = { n = 1 }
  expect_error {
    title  = "Unknown variable"
    line   = 2
    column = 3
    file   = "policy.hcl"
  }
}
dynamic "case" {
  for_each = ["made"]
  labels   = [case.value]
  content {
    scope  = { n = 1 }
    expect = { "x..y" = 1 }
  }
}
"#;

/// A folder with the cases, and a test file that cannot be read.
fn folder() -> (Folder, String) {
    let folder = Folder::new();
    folder.file("policy.hcl", POLICY);
    folder.file("a.hcltest", CASES);
    folder.file("b.hcltest", "cse \"a\" {}\n");
    let path = folder.0.path().to_str().expect("a path of plain letters").to_owned();
    (folder, path)
}

/// The printed results of all cases.
const TEXT: &str = r#"FAIL ./b.hcltest
  error[unknown-block-type]: Unsupported block type
   --> ./b.hcltest:1:1, in cse "a"
    |
  1 | cse "a" {}
    | ^^^
    = Blocks of type "cse" are not allowed here. Did you mean "case"?
  help: replace `cse` by `case`
    |
  1 | case "a" {}
    | ~~~~

FAIL ./a.hcltest:6: two values
  local.limit
    expected 3
    found    2
  rule.small.when
    expected null
    found    true

FAIL ./a.hcltest:10: no variable
  error[unset-variable]: Unknown variable
   --> ./policy.hcl:2:11, in locals
    |
  2 |   limit = n * 2
    |           ^
    = The variable "n" has no value in this scope.
  local.limit
    expected 2
    found    unknown

FAIL ./a.hcltest:13: no error
  Expected the error "Unknown variable" in line 2, column 3 of policy.hcl.

FAIL ./a.hcltest: made
  `x..y` in `expect` is not a path: a name is empty.

5 cases in 2 files: 1 passed, 4 failed; 1 test file with errors
"#;

#[test]
fn results_as_text() {
    let (_folder, path) = folder();
    let printed = |arguments: &[&str]| {
        let output = hclvm(&[&["test"], arguments].concat());
        assert_eq!(text(&output.stderr), "");
        (output.status.code(), text(&output.stdout).replace(&path, "."))
    };
    assert_eq!(printed(&[&path]), (Some(1), TEXT.to_owned()));
    // A file that cannot be read fails whatever the filter is.
    let (code, some) = printed(&[&path, "--filter", "good"]);
    assert_eq!(code, Some(1));
    let summary = "1 case in 2 files: 1 passed, 0 failed; 1 test file with errors; 4 filtered out\n";
    assert!(some.starts_with("FAIL ./b.hcltest\n") && some.ends_with(summary), "{some}");
    assert_eq!(printed(&[&path, "--filter", "other"]).0, Some(1));
    let (code, one) = printed(&[&format!("{path}/a.hcltest"), "--filter", "good"]);
    assert_eq!((code, one.as_str()), (Some(0), "1 case in 1 file: 1 passed, 0 failed; 4 filtered out\n"));
}

#[test]
fn results_as_json() {
    let (_folder, path) = folder();
    let output = hclvm(&["test", &path, "--json", "--filter", "o"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
    let mut printed = parsed(text(&output.stdout).replace(&path, ".").as_bytes());
    let problems = printed["problems"].take();
    assert_eq!((&problems[0]["summary"], &problems[1]), (&json!("Unsupported block type"), &json!(null)));
    let errors = printed["cases"][2]["failures"][0]["errors"].take();
    assert_eq!((&errors[0]["summary"], &errors[1]), (&json!("Unknown variable"), &json!(null)));
    let case = |line: u32, name: &str, failures: Json| json!({ "file": "./a.hcltest", "line": line, "name": name, "passed": false, "failures": failures });
    let difference = |path: &str, expected: &str, found: &str| json!({ "path": path, "expected": expected, "found": found });
    let sentence = "Expected the error \"Unknown variable\" in line 2, column 3 of policy.hcl.";
    let expected = json!({
        "files": 2,
        "passed": 1,
        "failed": 3,
        "filtered_out": 1,
        "problems": null,
        "cases": [
            { "file": "./a.hcltest", "line": 2, "name": "good", "passed": true },
            case(6, "two values", json!([
                difference("local.limit", "3", "2"),
                difference("rule.small.when", "null", "true"),
            ])),
            case(10, "no variable", json!([{ "errors": null }, difference("local.limit", "2", "unknown")])),
            case(13, "no error", json!([{ "message": sentence }])),
        ],
    });
    assert_eq!(printed, expected);
}

/// Returns a report of JUnit without its times, which have to be numbers.
fn without_times(report: &str) -> String {
    let mut parts = report.split(" time=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| {
        let (time, rest) = part.split_once('"').expect("an end");
        assert!(time.parse::<f64>().is_ok_and(|time| (0.0..60.0).contains(&time)), "{time}");
        rest
    });
    first + &rest.collect::<String>()
}

/// The report of all cases.
const JUNIT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="./a.hcltest" tests="5" failures="4" errors="0">
    <testcase classname="./a.hcltest" name="good"/>
    <testcase classname="./a.hcltest" name="two values">
      <failure message="local.limit is not as expected">local.limit
  expected 3
  found    2</failure>
      <failure message="rule.small.when is not as expected">rule.small.when
  expected null
  found    true</failure>
    </testcase>
    <testcase classname="./a.hcltest" name="no variable">
      <failure message="Unknown variable">error[unset-variable]: Unknown variable
 --&gt; ./policy.hcl:2:11, in locals
  |
2 |   limit = n * 2
  |           ^
  = The variable &quot;n&quot; has no value in this scope.
</failure>
      <failure message="local.limit is not as expected">local.limit
  expected 2
  found    unknown</failure>
    </testcase>
    <testcase classname="./a.hcltest" name="no error">
      <failure message="Expected the error &quot;Unknown variable&quot; in line 2, column 3 of policy.hcl.">Expected the error &quot;Unknown variable&quot; in line 2, column 3 of policy.hcl.</failure>
    </testcase>
    <testcase classname="./a.hcltest" name="made">
      <failure message="`x..y` in `expect` is not a path: a name is empty.">`x..y` in `expect` is not a path: a name is empty.</failure>
    </testcase>
  </testsuite>
  <testsuite name="./b.hcltest" tests="1" failures="0" errors="1">
    <testcase classname="./b.hcltest" name="./b.hcltest">
      <error message="The test file has errors.">error[unknown-block-type]: Unsupported block type
 --&gt; ./b.hcltest:1:1, in cse &quot;a&quot;
  |
1 | cse &quot;a&quot; {}
  | ^^^
  = Blocks of type &quot;cse&quot; are not allowed here. Did you mean &quot;case&quot;?
help: replace `cse` by `case`
  |
1 | case &quot;a&quot; {}
  | ~~~~
</error>
    </testcase>
  </testsuite>
</testsuites>
"#;

#[test]
fn results_as_junit() {
    let (folder, path) = folder();
    let report = folder.file("junit.xml", "");
    hclvm(&["test", &path, "--junit", &report]);
    let report = std::fs::read_to_string(&report).expect("a report");
    assert_eq!(without_times(&report).replace(&path, "."), JUNIT);
}

#[test]
fn a_report_has_no_characters_that_xml_does_not_have() {
    let folder = Folder::new();
    folder.file("a.hcl", "a = 1\n");
    let name = "a\u{fffe}b\u{ffff}c\\td\\ne\u{1}f<&>";
    let cases = format!("file = \"a.hcl\"\ncase \"{name}\" {{\n  expect = {{ a = 1 }}\n}}\n");
    let (file, report) = (folder.file("a.hcltest", cases), folder.file("junit.xml", ""));
    hclvm(&["test", &file, "--junit", &report]);
    let report = std::fs::read_to_string(&report).expect("a report");
    assert!(report.contains("name=\"a\u{fffd}b\u{fffd}c\td\ne\u{fffd}f&lt;&amp;&gt;\""), "{report}");
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let (_folder, path) = folder();
    let nowhere = format!("{path}/none/report");
    for arguments in [&["--junit", &nowhere][..], &["--coverage", "--coverage-out", &nowhere]] {
        let output = hclvm(&[&["test", &path], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("Cannot write "), "{}", text(&output.stderr));
    }
}

/// Returns the report of a test file for the policy, in which something is wrong.
fn mistake(cases: &str) -> String {
    let folder = Folder::new();
    folder.file("policy.hcl", POLICY);
    let file = folder.file("a.hcltest", format!("file = \"policy.hcl\"\n{cases}"));
    let output = hclvm(&["test", &file]);
    assert_eq!(output.status.code(), Some(1), "{cases}{}", text(&output.stdout));
    text(&output.stdout).replace(&file, "a.hcltest")
}

#[test]
fn values_of_the_wrong_type() {
    let case = |setting: &str| {
        mistake(&format!("case \"a\" {{\n  {setting}\n  expect = {{ \"local.limit\" = 2 }}\n}}\n"))
    };
    for (setting, sentence) in [
        ("file = 1", "`file` has to be a string."),
        ("scope_file = [1]", "`scope_file` has to be a string."),
        ("scope = \"n\"", "`scope` has to be an object of variables."),
        ("expect_error {\n title = 1\n}", "`title` has to be a string."),
        ("expect_error {\n title = null\n}", "`title` of an expected error has to be a string."),
        ("expect_error {\n title = \"x\"\n line = -1\n}", "`line` has to be a number from 1."),
        ("expect_error {\n title = \"x\"\n column = \"1\"\n}", "`column` has to be a number from 1."),
        ("expect_error {\n title = \"x\"\n line = 1.5\n}", "`line` has to be a number from 1."),
        ("expect_error {\n title = \"x\"\n file = true\n}", "`file` has to be a string."),
        ("mock \"f\" {\n result = 1\n arguments = 1\n}", "`arguments` of the mock `f` has to be a list."),
    ] {
        let printed = case(setting);
        let expected = format!("FAIL a.hcltest:2: a\n  {sentence}\n\n1 case in 1 file: 0 passed, 1 failed\n");
        assert_eq!(printed, expected, "{setting}");
    }
    let folder = Folder::new();
    let file = folder.file("a.hcltest", "case \"a\" {\n  expect = { a = 1 }\n}\n");
    let printed = text(&hclvm(&["test", &file]).stdout).to_owned();
    assert!(printed.contains("  `file` is missing: it names the file that is tested.\n"), "{printed}");
}

#[test]
fn mistakes_of_the_file_are_those_of_all_its_cases() {
    let printed =
        mistake("scope = 1\ncase \"a\" {\n  expect = { a = 1 }\n}\ncase \"b\" {\n  expect = { a = 1 }\n}\n");
    assert_eq!(printed.matches("`scope` has to be an object of variables.").count(), 2, "{printed}");
}

#[test]
fn a_test_file_with_errors_of_the_syntax_has_no_cases() {
    let printed = mistake("case \"a\" {\n  expect = { \"local.limit\" = 2 }\n}\nx = \n");
    assert!(printed.contains("Missing expression") || printed.contains("Invalid expression"), "{printed}");
    assert!(!printed.contains("Unsupported argument"), "{printed}");
    assert!(
        printed.ends_with("0 cases in 1 file: 0 passed, 0 failed; 1 test file with errors\n"),
        "{printed}"
    );
}

#[test]
fn names_that_a_block_does_not_have() {
    let expect = "expect = { \"local.limit\" = 2 }";
    for (cases, title, line) in [
        (format!("case \"a\" {{\n  expct = 1\n  {expect}\n}}\n"), "Unsupported argument", 3),
        (
            format!("case \"a\" {{\n  {expect}\n  mock \"f\" {{\n    reslt = 1\n    result = 1\n  }}\n}}\n"),
            "Unsupported argument",
            5,
        ),
        (format!("case \"a\" {{\n  {expect}\n  mock \"f\" {{}}\n}}\n"), "Missing required argument", 4),
        (
            format!("mock \"f\" {{\n  result = 1\n  case \"a\" {{}}\n}}\ncase \"a\" {{\n  {expect}\n}}\n"),
            "Unsupported block type",
            4,
        ),
        (
            format!(
                "case \"a\" {{\n  {expect}\n  expect_error {{\n    title = \"x\"\n    lne = 1\n  }}\n}}\n"
            ),
            "Unsupported argument",
            6,
        ),
        (
            format!("case \"a\" {{\n  {expect}\n  expect_error {{\n    line = 1\n  }}\n}}\n"),
            "Missing required argument",
            4,
        ),
        (format!("case \"a\" {{\n  {expect}\n  locals {{}}\n}}\n"), "Unsupported block type", 4),
        (format!("expect = {{}}\ncase \"a\" {{\n  {expect}\n}}\n"), "Unsupported argument", 2),
        (format!("case {{\n  {expect}\n}}\n"), "Missing name for case", 2),
    ] {
        let printed = mistake(&cases);
        assert!(
            printed.contains(title) && printed.contains(&format!("a.hcltest:{line}:")),
            "{cases}{printed}"
        );
        assert!(
            printed.ends_with("0 cases in 1 file: 0 passed, 0 failed; 1 test file with errors\n"),
            "{printed}"
        );
    }
}

#[test]
fn an_error_without_a_place_is_expected_by_its_title_alone() {
    let folder = Folder::new();
    folder.file("a.pkr.hcl", "variable \"n\" {\n  default = 1\n}\n");
    let run = |place: &str| {
        let cases = format!(
            "file = \"a.pkr.hcl\"\ncase \"a\" {{\n  scope = {{ other = 1 }}\n  expect_error {{\n    title = \"Invalid scope\"\n{place}  }}\n}}\n"
        );
        hclvm(&["test", &folder.file("a.hcltest", cases)]).status.code()
    };
    let files = ["", "    file = \"a.pkr.hcl\"\n"].map(run);
    assert_eq!(files, [Some(0); 2]);
    let others = ["    line = 1\n", "    column = 1\n", "    file = \"b.pkr.hcl\"\n"].map(run);
    assert_eq!(others, [Some(1); 3]);
}

#[test]
fn each_expected_error_is_another_one() {
    let run = |errors: &str| {
        let folder = Folder::new();
        folder.file("a.hcl", "a = x\nb = x\nc = 1 + \"c\"\n");
        let file = folder.file("a.hcltest", format!("file = \"a.hcl\"\ncase \"a\" {{\n{errors}}}\n"));
        text(&hclvm(&["test", &file]).stdout).replace(&file, "a.hcltest")
    };
    let error = |title: &str| format!("  expect_error {{\n    title = \"{title}\"\n  }}\n");
    let (unknown, operand) = (error("Unknown variable"), error("Invalid operand"));
    let all = run(&format!("{operand}{unknown}{unknown}"));
    assert_eq!(all, "1 case in 1 file: 1 passed, 0 failed\n");
    let less = run(&format!("{unknown}{unknown}"));
    assert!(less.contains("a.hcl:3:") && !less.contains("a.hcl:1:") && !less.contains("Expected"), "{less}");
    let more = run(&format!("{operand}{unknown}{unknown}{unknown}"));
    assert!(
        more.contains("\n  Expected the error \"Unknown variable\".\n") && !more.contains("error["),
        "{more}"
    );
    // With errors, a value that is missing is no failure of its own.
    let values = run(&format!("  expect = {{ none = 1 }}\n{operand}{unknown}{unknown}"));
    assert_eq!(values, all);
}

#[test]
fn the_place_of_an_expected_error_is_named() {
    let case = |place: &str| {
        mistake(&format!(
            "case \"a\" {{\n  scope = {{ n = 1 }}\n  expect_error {{\n    title = \"T\"\n{place}  }}\n}}\n"
        ))
    };
    for (place, shown) in [
        ("", "\"T\""),
        ("    line = 3\n", "\"T\" in line 3"),
        ("    column = 4\n", "\"T\", column 4"),
        ("    line = 3\n    column = 4\n    file = \"x.hcl\"\n", "\"T\" in line 3, column 4 of x.hcl"),
    ] {
        let printed = case(place);
        assert!(printed.contains(&format!("\n  Expected the error {shown}.\n")), "{printed}");
    }
}

#[test]
fn a_timed_case_evaluates_what_it_expects() {
    let folder = Folder::new();
    folder.file("a.hcl", "quick = n\nslow = length([for i in range(1000) : [for j in range(5) : i * j + n]])\nwrong = missing\n");
    let cases = "file = \"a.hcl\"\nscope = { n = 1 }\ncase \"quick\" {\n  expect = { quick = 1 }\n}\ncase \"whole\" {\n  expect_error {\n    title = \"Unknown variable\"\n  }\n}\n";
    let printed = parsed(&hclvm(&["test", &folder.file("a.hcltest", cases), "--bench", "--json"]).stdout);
    let time =
        |at: usize| printed["cases"][at]["nanoseconds"].as_u64().unwrap_or_else(|| panic!("{printed}"));
    assert!(time(0) > 0 && time(0) * 20 < time(1), "{printed}");
}

#[test]
fn test_files_are_found_below_folders() {
    let folder = Folder::new();
    let path = folder.0.path().to_str().expect("a path of plain letters").to_owned();
    let case = |name: &str| format!("file = \"a.hcl\"\ncase \"{name}\" {{\n  expect = {{ a = 2 }}\n}}\n");
    folder.file("a.hcl", "a = 1\n");
    folder.file("z.hcltest", case("z"));
    folder.file("b.hcltest", case("b"));
    folder.file(".hidden.hcltest", case("hidden"));
    folder.file("other.txt", case("other"));
    folder.file("README", case("readme"));
    for inner in ["inner", ".inner", "k.hcltest"] {
        let inner = folder.0.path().join(inner);
        std::fs::create_dir(&inner).expect("a folder");
        std::fs::write(inner.join("a.hcl"), "a = 1\n").expect("a file");
        std::fs::write(inner.join("m.hcltest"), case("m")).expect("a file");
    }
    let found = |arguments: &[&str]| {
        let output = hclvm(&[&["test"], arguments].concat());
        let printed = text(&output.stdout).to_owned() + text(&output.stderr);
        let files = printed.lines().filter_map(|line| line.strip_prefix("FAIL "));
        files.map(|line| line.replace(&format!("{path}/"), "")).collect::<Vec<_>>()
    };
    let all = ["b.hcltest:2: b", "inner/m.hcltest:2: m", "k.hcltest/m.hcltest:2: m", "z.hcltest:2: z"];
    assert_eq!(found(&[&path]), all);
    // Each argument in its order.
    let (z, b) = (format!("{path}/z.hcltest"), format!("{path}/b.hcltest"));
    assert_eq!(found(&[&z, &b]), ["z.hcltest:2: z", "b.hcltest:2: b"]);
    assert_eq!(found(&[&path, &b]).len(), 5);
    let missing = hclvm(&["test", &z, &format!("{path}/none.hcltest")]);
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(hclvm(&["test", "-"]).status.code(), Some(2));
    assert!(text(&hclvm(&["test", "-"]).stderr).contains("Name a test file"));
    // Without arguments, those of the present folder.
    let output = crate::command(&["test"]).current_dir(folder.0.path()).output().expect("the command runs");
    let printed = text(&output.stdout);
    assert!(
        printed.starts_with("FAIL b.hcltest:2: b\n") && printed.contains("\nFAIL inner/m.hcltest:2: m\n"),
        "{printed}"
    );
}
