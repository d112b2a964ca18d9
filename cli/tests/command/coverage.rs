//! `hclvm test --coverage`: what cases cover, in its forms, and the threshold.

use std::path::Path;

use super::{Folder, hclvm, json, text};

const POLICY: &str = "\
locals {
  large = size > 10 && true
}
rule \"a<b\" {
  when   = local.large || user.admin
  reason = user.admin ? \"admin\" : \"${size} > 10\"
}
unused = upper(\"x\")
";

const CASES: &str = "\
file = \"policy.hcl\"
case \"large\" {
  scope  = { size = 11, user = { admin = false } }
  expect = { \"rule.a<b.when\" = true, \"rule.a<b.reason\" = \"11 > 10\" }
}
case \"small\" {
  scope  = { size = 1, user = { admin = false } }
  mock \"upper\" { result = \"Y\" }
  expect = { \"rule.a<b.when\" = false }
}
";

/// Runs the cases with options, and returns the exit code and what is printed.
fn run(folder: &Folder, options: &[&str]) -> (Option<i32>, String) {
    let policy = folder.file("policy.hcl", POLICY);
    let file = folder.file("policy.hcltest", CASES);
    let output = hclvm(&[&["test", &file], options].concat());
    let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
    (output.status.code(), printed.replace(&policy, "policy.hcl"))
}

#[test]
fn a_table_counts_and_lists_what_is_not_covered() {
    let (code, printed) = run(&Folder::new(), &["--coverage"]);
    let expected = "\
2 cases in 1 file: 2 passed, 0 failed

            attributes  conditions      rules  covered
policy.hcl         3/4       10/12        1/1   81.2 %
policy.hcl:5: rule.a<b: `user.admin` is never true, and 1 more condition
policy.hcl:8: unused is not evaluated
";
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!((code, lines(&printed)), (Some(0), lines(expected)), "{printed}");
    let (_, verbose) = run(&Folder::new(), &["--coverage", "-v"]);
    let expected = "\
policy.hcl:5: rule.a<b.when: `user.admin` is never true
policy.hcl:6: rule.a<b.reason: `user.admin` is never true
policy.hcl:8: unused is not evaluated
";
    assert!(verbose.ends_with(expected), "{verbose}");
}

#[test]
fn a_rule_has_one_line() {
    let folder = Folder::new();
    let rule = |name: &str, value: &str| {
        format!("rule \"{name}\" {{\n  when   = n == {value} && b && c\n  effect = \"allow\"\n}}\n")
    };
    let names = ["never", "always", "silent", "other"];
    let rules: String = names.iter().map(|name| rule(name, "1")).collect();
    let policy = folder.file("policy.hcl", format!("locals {{\n  unused = n\n}}\n{rules}"));
    let when = |name: &str, value: bool| format!("\"rule.{name}.when\" = {value}");
    let expect = |values: &[String]| format!("  expect = {{ {} }}\n", values.join(", "));
    let all = [when("always", true), "\"rule.always.effect\" = \"allow\"".to_owned(), when("other", true)];
    let none = [when("never", false), when("other", false)];
    let scope = "  scope = { n = 1, b = true, c = true }\n";
    let cases = format!(
        "file = \"policy.hcl\"\ncase \"a\" {{\n{scope}{}}}\ncase \"b\" {{\n  scope = {{ n = 2, b = true, c = true }}\n{}}}\n",
        expect(&all),
        expect(&none)
    );
    let file = folder.file("policy.hcltest", cases);
    let printed = text(&hclvm(&["test", &file, "--coverage"]).stdout).replace(&policy, "policy.hcl");
    let (_, lines) = printed.split_once(" %\n").expect("a table");
    let expected = "\
policy.hcl:2: local.unused is not evaluated
policy.hcl:5: rule.never never applies: 4 more conditions not covered
policy.hcl:9: rule.always always applies: 4 more conditions not covered
policy.hcl:13: rule.silent is not evaluated
policy.hcl:17: rule.other: `b` is never false, and 1 more condition; 1 attribute not evaluated
";
    assert_eq!(lines, expected);
}

#[test]
fn records_for_lcov_have_lines_and_branches() {
    let folder = Folder::new();
    let out = folder.file("coverage.info", "");
    let (code, printed) = run(&folder, &["--coverage", "lcov", "--coverage-out", &out]);
    assert_eq!((code, printed.lines().count()), (Some(0), 1), "{printed}");
    let records = std::fs::read_to_string(&out).expect("a file");
    let policy = Path::new(&out).with_file_name("policy.hcl");
    let expected = format!(
        "TN:\nSF:{}\nBRDA:2,0,0,1\nBRDA:2,0,1,1\nBRDA:2,1,0,1\nBRDA:2,1,1,1\nBRDA:5,0,0,1\nBRDA:5,0,1,1\n\
         BRDA:5,1,0,1\nBRDA:5,1,1,1\nBRDA:5,2,0,0\nBRDA:5,2,1,1\nBRDA:6,0,0,0\nBRDA:6,0,1,1\nBRF:12\nBRH:10\n\
         DA:2,2\nDA:5,2\nDA:6,1\nDA:8,0\nLF:4\nLH:3\nend_of_record\n",
        policy.display()
    );
    assert_eq!(records, expected);
}

#[test]
fn a_page_shows_the_lines_with_escaped_texts() {
    let folder = Folder::new();
    let out = folder.file("coverage.html", "");
    assert_eq!(run(&folder, &["--coverage=html", "--coverage-out", &out]).0, Some(0));
    let page = std::fs::read_to_string(&out).expect("a file");
    assert!(page.contains("rule &quot;a&lt;b&quot; {"), "{page}");
    assert!(!page.contains("a<b") && page.ends_with("</html>\n"), "{page}");
    for (class, line) in [("covered", 2), ("part", 5), ("part", 6), ("missed", 8)] {
        let row = format!("<tr class=\"{class}\"><td class=\"number\">{line}</td>");
        assert!(page.contains(&row), "line {line} is {class}: {page}");
    }
}

#[test]
fn less_than_the_threshold_fails() {
    let folder = Folder::new();
    assert_eq!(run(&folder, &["--coverage", "--threshold", "50"]).0, Some(0));
    let (code, printed) = run(&folder, &["--coverage", "--threshold", "99.5"]);
    assert_eq!(code, Some(1));
    assert!(
        printed.ends_with("of the attributes and conditions is covered, less than 99.5 %.\n"),
        "{printed}"
    );
}

#[test]
fn a_threshold_is_reached_by_exactly_as_much() {
    let folder = Folder::new();
    folder.file("half.hcl", "a = 1\nb = 2\n");
    let run = |expected: &str, threshold: &str| {
        let cases = format!("file = \"half.hcl\"\ncase \"c\" {{\n  expect = {{ {expected} }}\n}}\n");
        let file = folder.file("half.hcltest", cases);
        hclvm(&["test", &file, "--coverage", "--threshold", threshold]).status.code()
    };
    assert_eq!([run("a = 1", "50"), run("a = 1", "50.1")], [Some(0), Some(1)]);
    assert_eq!([run("a = 1, b = 2", "100"), run("a = 1", "0")], [Some(0), Some(0)]);
    for threshold in ["nan", "101", "x"] {
        assert_eq!(run("a = 1", threshold), Some(2), "{threshold}");
    }
}

#[test]
fn a_threshold_is_not_reached_by_nothing() {
    let folder = Folder::new();
    folder.file("empty.hcl", "# nothing\n");
    let cases = "file = \"empty.hcl\"\ncase \"c\" {\n  expect_error {\n    title = \"x\"\n  }\n}\n";
    let file = folder.file("empty.hcltest", cases);
    let junit = folder.file("junit.xml", "");
    for more in [&[][..], &["--junit", &junit]] {
        let output = hclvm(&[&["test", &file, "--coverage", "--threshold", "90"], more].concat());
        let printed = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1));
        assert!(printed.contains("FAIL No attribute or condition is measured"), "{printed}");
        assert!(!printed.contains("100.0 %"), "{printed}");
    }
    let xml = std::fs::read_to_string(&junit).expect("the results");
    assert!(!xml.contains("coverage.covered"), "nothing has no percentage: {xml}");
}

#[test]
fn locals_of_a_file_in_json_are_counted() {
    let folder = Folder::new();
    folder.file("a.hcl.json", "{\"locals\": {\"x\": 1, \"y\": 2}, \"a\": \"${local.x}\"}");
    let cases = "file = \"a.hcl.json\"\ncase \"c\" {\n  expect = { a = 1 }\n}\n";
    let file = folder.file("a.hcltest", cases);
    let printed = text(&hclvm(&["test", &file, "--coverage"]).stdout).to_owned();
    assert!(printed.contains(" 2/3 ") && printed.contains("local.y is not evaluated"), "{printed}");
}

#[test]
fn a_form_that_is_not_printed_needs_a_file() {
    for options in [&["--coverage", "lcov"][..], &["--coverage", "html"], &["--coverage", "--json"]] {
        let (code, printed) = run(&Folder::new(), options);
        assert!(code == Some(2) && printed.contains("--coverage-out"), "{printed}");
    }
    let folder = Folder::new();
    let out = folder.file("coverage.txt", "");
    let (code, printed) = run(&folder, &["--coverage", "--json", "--coverage-out", &out]);
    assert_eq!((code, &json(printed.as_bytes())["passed"]), (Some(0), &2.into()));
}

#[test]
fn a_change_of_the_authorization_policy_fails_its_tests() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/authz");
    let read = |name: &str| std::fs::read_to_string(examples.join(name)).expect("an example");
    for (before, after) in
        [("15 + (user.mfa ? 0 : 25)", "15 + (user.mfa ? 0 : 20)"), ("&& !local.is_admin", "")]
    {
        let folder = Folder::new();
        let policy = read("authz.hcl");
        assert!(policy.contains(before), "{before}");
        folder.file("authz.hcl", policy.replace(before, after));
        let file = folder.file("authz.hcltest", read("authz.hcltest"));
        let output = hclvm(&["test", &file, "--coverage"]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    }
}
