//! `hclvm test --record`: cases that are recorded, which pass until a file changes.

use super::{Folder, POLICY, hclvm, json, text};

#[test]
fn recorded_cases_pass_until_the_file_changes() {
    let folder = Folder::new();
    let policy = folder.file(
        "policy.hcl",
        format!("{POLICY}rule \"a.b\" {{\n  text = \"$${{x}} é \\\"q\\\" ${{n}}\"\n}}\n"),
    );
    let scopes = folder.file(
        "scopes.ndjson",
        "{\"$name\": \"one\", \"n\": 1}\n{\"n\": {\"$unknown\": \"number\"}}\n{\"m\": 1}\n{\"n\": 1.5e300}\n",
    );
    let recorded = hclvm(&["test", &policy, "--record", &scopes]);
    assert_eq!(recorded.status.code(), Some(0), "{}", text(&recorded.stderr));
    let cases = text(&recorded.stdout);
    for part in ["case \"one\" {", "case \"line 2\" {", "expect_error {", "\"rule.\\\"a.b\\\".text\""] {
        assert!(cases.contains(part), "{part}: {cases}");
    }
    let file = folder.file("policy.hcltest", cases);
    let output = hclvm(&["test", &file]);
    assert_eq!(text(&output.stdout), "4 cases in 1 file: 4 passed, 0 failed\n");
    folder.file("policy.hcl", POLICY.replace("* 2", "* 3"));
    assert_eq!(hclvm(&["test", &file]).status.code(), Some(1));
    let some = hclvm(&["test", &policy, "--record", &scopes, "--attr", "local.limit"]);
    assert!(!text(&some.stdout).contains("rule"), "{}", text(&some.stdout));
}

/// Returns an attribute for each example of a function that has a value, with the number of its line.
fn examples() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../functions/src/summaries.txt");
    let summaries = std::fs::read_to_string(path).expect("the examples of functions");
    let calls =
        summaries.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" => "));
    // A value of the scope keeps the call from being computed in advance.
    let call = |(at, (call, _)): (usize, (&str, &str))| format!("a{at} = [{call}, n][0]");
    calls.enumerate().map(call).collect()
}

#[test]
fn what_is_recorded_of_every_function_passes() {
    let folder = Folder::new();
    let mut lines = examples();
    let all = lines.len();
    lines.extend(
        [
            "length(l)",
            "strlen(t)",
            "range(length(l))",
            "pow(length(l), 0.5)",
            "parseint(t, 16)",
            "index(l, 2)",
            "signum(-length(l))",
            "log(length(l), 7)",
            "timecmp(d, d)",
            "length(l) / 7",
            "[1 / length(l)]",
            "toset([length(l) / 3, 1])",
            "{ for i in l : \"$${i}\" => i / 7 }",
            "tolist(l)",
            "max(l...)",
            "u",
            "[u, n]",
            "1 / 0",
            "-1 / 0",
            "{ \"$x\" = 1 }",
            "{ \"$unknown\" = \"string\" }",
            "\"\\u202e$${x}\"",
        ]
        .iter()
        .enumerate()
        .map(|(at, call)| format!("b{at} = {call}")),
    );
    let scope =
        r#"{"n": 1, "l": [1, 2, 3], "t": "abc", "d": "2026-01-01T00:00:00Z", "u": {"$unknown": "number"}}"#;
    let scopes = folder.file("scope.ndjson", scope);
    let write = |lines: &[String]| folder.file("all.hcl", format!("{}\n", lines.join("\n")));
    // Examples of functions that other dialects have with other parameters.
    let problems = hclvm(&["eval", &write(&lines), "--scope", &scopes, "--diagnostics", "json"]);
    let problems = if problems.stderr.is_empty() {
        serde_json::json!([])
    } else {
        json(&problems.stderr)["diagnostics"].take()
    };
    for problem in problems.as_array().into_iter().flatten().rev() {
        let line = problem["range"]["start"]["line"].as_u64().expect("a number");
        lines.remove(usize::try_from(line).expect("a small number") - 1);
    }
    assert!(lines.len() > all * 9 / 10, "{} of {all} examples: {lines:#?}", lines.len());
    let recorded = hclvm(&["test", &write(&lines), "--record", &scopes]);
    assert_eq!(recorded.status.code(), Some(0), "{}", text(&recorded.stderr));
    let cases = text(&recorded.stdout);
    assert_eq!(cases.matches("expect = {").count(), 1, "{cases}");
    let output = hclvm(&["test", &folder.file("all.hcltest", cases)]);
    assert_eq!(text(&output.stdout), "1 case in 1 file: 1 passed, 0 failed\n");
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    let folder = Folder::new();
    let (file, none) =
        (folder.file("a.hcl", "rule \"r\" {\n  when = n\n}\n"), folder.file("none.ndjson", ""));
    let (empty, one) = (folder.file("empty.hcl", "\n"), folder.file("one.ndjson", "{\"n\": 1}\n"));
    for (arguments, told) in [
        (&[&file, "--record", &none][..], "There are no scopes in"),
        (&[&empty, "--record", &one], "has no values to record"),
        (&[&file, "--record", &one, "--attr", "rule.r.whn"], "Did you mean `rule.r.when`?"),
        (&[&file, "--record", &one, "--attr", "rule.r"], "is a block"),
    ] {
        let output = hclvm(&[&["test"], arguments].concat());
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{arguments:?}");
        assert!(text(&output.stderr).contains(told), "{}", text(&output.stderr));
    }
}

/// The cases with all values, and with those of two attributes.
const ALL: &str = r#"file = "a.hcl"

case "known" {
  scope = {
    n = 2
    u = [
      1,
    ]
  }
  expect = {
    "local.l" = 3
    "v" = [
      2,
    ]
    "rule.r.when"       = true
    "rule.r.deep.x.y.z" = 3
    "rule.r.more"       = 1
    "rule.q\".none"     = 1
    "made.p"            = 1
  }
}

case "line 3" {
  scope = {
    n = 3
    u = {
      "$unknown" = "list(number)"
    }
  }
  expect = {
    "local.l" = 4
    "v" = [
      3,
    ]
    "rule.r.when"       = true
    "rule.r.deep.x.y.z" = 4
    "rule.r.more"       = 1
    "rule.q\".none"     = 1
  }
}

case "line 4" {
  scope = {
    n = "x"
    u = []
  }
  expect_error {
    title  = "Invalid operand"
    line   = 2
    column = 7
  }
  expect_error {
    title  = "Invalid operand"
    line   = 6
    column = 10
  }
  expect_error {
    title  = "Invalid operand"
    line   = 12
    column = 10
  }
}
"#;
const SOME: &str = r#"file = "a.hcl"

case "known" {
  scope = {
    n = 2
    u = [
      1,
    ]
  }
  expect = {
    "rule.r.more" = 1
    "local.l"     = 3
  }
}

case "line 3" {
  scope = {
    n = 3
    u = {
      "$unknown" = "list(number)"
    }
  }
  expect = {
    "rule.r.more" = 1
    "local.l"     = 4
  }
}

case "line 4" {
  scope = {
    n = "x"
    u = []
  }
  expect_error {
    title  = "Invalid operand"
    line   = 2
    column = 7
  }
}
"#;

#[test]
fn a_recorded_file_in_full() {
    let folder = Folder::new();
    let file = folder.file(
        "a.hcl",
        "locals {\n  l = n + 1\n}\nv = [n]\nrule \"r\" {\n  when = n > 1\n  deep \"x\" \"y\" {\n    z = local.l\n  }\n}\n\
         rule \"r\" {\n  when = n > 2\n  more = 1\n}\nrule \"q\\\"\" {\n  none = 1\n}\n\
         dynamic \"made\" {\n  for_each = u\n  content {\n    p = made.value\n  }\n}\n",
    );
    let scopes = folder.file(
        "scopes.ndjson",
        "{\"$name\": \"known\", \"n\": 2, \"u\": [1]}\n\n{\"n\": 3, \"u\": {\"$unknown\": \"list(number)\"}}\n{\"n\": \"x\", \"u\": []}\n",
    );
    let output = hclvm(&["test", &file, "--record", &scopes]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(text(&output.stdout), ALL);
    let output = hclvm(&[
        "test",
        &file,
        "--record",
        &scopes,
        "--attr",
        "rule.r.more",
        "--attr",
        "local.l",
        "--attr",
        "rule.r.more",
    ]);
    assert_eq!(text(&output.stdout), SOME);
}

#[test]
fn scopes_and_files_that_cannot_be_read_are_errors() {
    let folder = Folder::new();
    let (file, wrong) = (folder.file("a.hcl", "a = n\n"), folder.file("wrong.hcl", "a = \n"));
    let (one, bad) =
        (folder.file("one.ndjson", "{\"n\": 1}\n"), folder.file("bad.ndjson", "{\"n\": 1}\n{\"n\": \n"));
    let (array, number) =
        (folder.file("number.json", "5"), folder.file("reserved.ndjson", "{\"n\": {\"$unknown\": 5}}\n"));
    for (arguments, code) in [
        (&[wrong.as_str(), "--record", &one][..], 1),
        (&[&file, "--record", &bad], 1),
        (&[&file, "--record", &array], 1),
        (&[&file, "--record", &number], 1),
        (&["none.hcl", "--record", &one], 2),
        (&[&file, "--record", "none.ndjson"], 2),
        (&[&file, &file, "--record", &one], 2),
        (&["--record", &one], 2),
    ] {
        let output = hclvm(&[&["test"], arguments].concat());
        assert_eq!(
            (output.status.code(), text(&output.stdout)),
            (Some(code), ""),
            "{arguments:?} {}",
            text(&output.stderr)
        );
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}
