//! `hclvm test`: the reports of values that differ, the choice of a mock for a call, and paths into modules.

use crate::{Folder, hclvm, text};

/// Returns the differences of a value from the one that a case expects, each as path, expected and found.
fn differences(value: &str, expected: &str) -> Vec<[String; 3]> {
    let folder = Folder::new();
    folder.file("a.hcl", format!("v = {value}\n"));
    let scope = "{ u = { \"$unknown\" = \"string\" }, m = { \"$marked\" = { value = 1, marks = [\"m\"] } } }";
    let cases =
        format!("file  = \"a.hcl\"\nscope = {scope}\ncase \"c\" {{\n  expect = {{ v = {expected} }}\n}}\n");
    let output = hclvm(&["test", &folder.file("a.hcltest", cases)]);
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    if printed == "1 case in 1 file: 1 passed, 0 failed\n" {
        return Vec::new();
    }
    assert!(lines[0].ends_with(": c"), "{printed}{}", text(&output.stderr));
    let differences = lines[1..lines.len() - 2].chunks(3).map(|lines| {
        let [path, expected, found] = lines else { panic!("{printed}") };
        let value = |line: &str, what: &str| {
            line.strip_prefix(what).unwrap_or_else(|| panic!("{printed}")).to_owned()
        };
        [value(path, "  "), value(expected, "    expected "), value(found, "    found    ")]
    });
    differences.collect()
}

#[test]
fn parts_that_differ_are_named_by_their_paths() {
    for (value, expected, parts) in [
        ("{ a = 1, b = [1, 2], \"c d\" = 3 }", "{ a = 1, b = [1, 2], \"c d\" = 3 }", &[][..]),
        (
            "{ a = 1, b = 2 }",
            "{ b = 3, c = 4 }",
            &[["v.a", "nothing", "1"], ["v.b", "3", "2"], ["v.c", "4", "nothing"]],
        ),
        ("{ \"a b\" = { c = 1 } }", "{ \"a b\" = { c = 2 } }", &[["v[\"a b\"].c", "2", "1"]]),
        ("[1, [2, 3]]", "[1, [2, 4, 5]]", &[["v[1][1]", "4", "3"], ["v[1][2]", "5", "nothing"]]),
        ("[1, 2]", "[1]", &[["v[1]", "nothing", "2"]]),
        ("toset([1, 2])", "toset([2, 3])", &[["v", "3", "nothing"], ["v", "nothing", "1"]]),
        ("toset([[1], [2]])", "[[2], [1]]", &[]),
        ("tolist([1, 2])", "[2, 1]", &[["v[0]", "2", "1"], ["v[1]", "1", "2"]]),
        ("tolist([1, 2])", "toset([1, 2])", &[["v", "[1, 2]", "[1, 2]"]]),
        ("null", "null", &[]),
        ("tostring(null)", "null", &[]),
        ("true", "false", &[["v", "false", "true"]]),
        ("\"a\"", "null", &[["v", "null", "\"a\""]]),
        (
            "{ \"$unknown\" = \"string\", a = 1 }",
            "{ \"$unknown\" = \"string\", a = 2 }",
            &[["v.a", "2", "1"]],
        ),
        ("u", "{ \"$unknown\" = \"string\" }", &[]),
    ] {
        let parts: Vec<[String; 3]> = parts.iter().map(|part| part.map(str::to_owned)).collect();
        assert_eq!(differences(value, expected), parts, "{value} {expected}");
    }
}

#[test]
fn at_most_twenty_differences_are_listed() {
    let list = |count: usize| format!("[{}]", "0, ".repeat(count));
    for (count, listed) in [(19, 19), (20, 20), (21, 20), (50, 20)] {
        assert_eq!(differences(&list(count), "[]").len(), listed);
        assert_eq!(differences(&format!("toset(range({count}))"), "[]").len(), listed);
    }
}

#[test]
fn long_texts_begin_shortly_before_the_first_difference() {
    let long = "abcdefghijklmnopqrstuvwxyz".repeat(8);
    let of = |found: &str, expected: &str| {
        let differences = differences(&format!("\"{found}\""), &format!("\"{expected}\""));
        let [[path, expected, found]] = &differences[..] else { panic!("{differences:?}") };
        assert_eq!(path, "v");
        [expected.clone(), found.clone()]
    };
    assert_eq!(of(&format!("{long}1"), &format!("{long}2")), ["…\"opqrstuvwxyz2\"", "…\"opqrstuvwxyz1\""]);
    assert_eq!(
        of(&format!("{long}1"), "abc"),
        ["\"abc\"", "\"abcdefghijklmnopqrstuvwxyzabcdefghijklmn…\" (209 characters)"]
    );
    assert_eq!(
        of(&format!("{long}1"), "abcdefghijklmnop"),
        ["\"abcdefghijklmnop\"", "…\"efghijklmnopqrstuvwxyzabcdefghijklmnopqr…\" (205 characters)"]
    );
    assert_eq!(
        of(&format!("1{long}"), &format!("2{long}")),
        [
            "\"2abcdefghijklmnopqrstuvwxyzabcdefghijklm…\" (209 characters)",
            "\"1abcdefghijklmnopqrstuvwxyzabcdefghijklm…\" (209 characters)"
        ]
    );
    assert_eq!(
        of(&format!("abcdefghijkl1{long}"), &format!("abcdefghijkl2{long}")),
        [
            "\"abcdefghijkl2abcdefghijklmnopqrstuvwxyza…\" (221 characters)",
            "\"abcdefghijkl1abcdefghijklmnopqrstuvwxyza…\" (221 characters)"
        ]
    );
    assert_eq!(
        of(&format!("abcdefghijklm1{long}"), &format!("abcdefghijklm2{long}")),
        [
            "…\"bcdefghijklm2abcdefghijklmnopqrstuvwxyza…\" (221 characters)",
            "…\"bcdefghijklm1abcdefghijklmnopqrstuvwxyza…\" (221 characters)"
        ]
    );
    assert_eq!(of(&long, &format!("{long}2")), ["…\"opqrstuvwxyz2\"", "…\"opqrstuvwxyz\""]);
    assert_eq!(of("short", "shirt"), ["\"shirt\"", "\"short\""]);
    assert_eq!(
        of(&format!("éééééééééééééééé1{long}"), &format!("éééééééééééééééé2{long}")),
        [
            "…\"éééééééééééé2abcdefghijklmnopqrstuvwxyza…\" (221 characters)",
            "…\"éééééééééééé1abcdefghijklmnopqrstuvwxyza…\" (221 characters)"
        ]
    );
}

#[test]
fn a_mock_is_for_calls_with_equal_arguments() {
    let folder = Folder::new();
    folder.file("a.hcl", "none = f()\none = f(1)\ntwo = f(1, 2)\nlist = f([1, \"a\"])\nother = g(n)\n");
    let mock = |function: &str, arguments: &str, result: &str| {
        format!("mock \"{function}\" {{\n  {arguments}\n  result = \"{result}\"\n}}\n")
    };
    let run = |mocks: &str, expected: &str| {
        let cases = format!(
            "file = \"a.hcl\"\n{mocks}case \"c\" {{\n  scope = {{ n = 2 }}\n  expect = {{ {expected} }}\n}}\n"
        );
        text(&hclvm(&["test", &folder.file("a.hcltest", cases)]).stdout).to_owned()
    };
    let mocks = [
        mock("f", "arguments = []", "none"),
        mock("f", "arguments = [1]", "one"),
        mock("f", "arguments = [1, 2]", "two"),
        mock("f", "arguments = [[1, \"a\"]]", "list"),
        mock("g", "arguments = [1]", "wrong"),
        mock("g", "arguments = null", "any"),
        mock("g", "arguments = [2]", "late"),
    ];
    let expected = "none = \"none\", one = \"one\", two = \"two\", list = \"list\", other = \"any\"";
    assert_eq!(run(&mocks.concat(), expected), "1 case in 1 file: 1 passed, 0 failed\n");
    let printed = run(&mock("f", "arguments = [3]", "three"), "two = 1");
    assert!(printed.contains("no mock is for the arguments (1, 2)"), "{printed}");
}

#[test]
fn a_case_with_a_mock_does_not_change_the_function_for_others() {
    let folder = Folder::new();
    folder.file("a.hcl", "a = upper(\"x\")\n");
    let case = |name: &str, mock: &str, expected: &str| {
        format!("case \"{name}\" {{\n  {mock}\n  expect = {{ a = \"{expected}\" }}\n}}\n")
    };
    let mock = "mock \"upper\" {\n    result = \"mocked\"\n  }";
    let cases =
        [case("a", "", "X"), case("b", mock, "mocked"), case("c", "", "X"), case("d", mock, "mocked")];
    let file = folder.file("a.hcltest", format!("file = \"a.hcl\"\n{}", cases.concat()));
    assert_eq!(text(&hclvm(&["test", &file]).stdout), "4 cases in 1 file: 4 passed, 0 failed\n");
    // Cases may test different files.
    folder.file("b.hcl", "a = 1\n");
    let cases = "case \"a\" {\n  file = \"a.hcl\"\n  expect = { a = \"X\" }\n}\ncase \"b\" {\n  file = \"b.hcl\"\n  expect = { a = 1 }\n}\n";
    let file = folder.file("b.hcltest", cases);
    assert_eq!(text(&hclvm(&["test", &file]).stdout), "2 cases in 1 file: 2 passed, 0 failed\n");
}

#[test]
fn paths_lead_into_what_applications_make() {
    let folder = Folder::new();
    folder.file(
        "a.pkr.hcl",
        r#"
variable "n" {
  default = 1
}
locals {
  l = { a = var.n }
}
data "http" "page" {
}
source "null" "x" {
  a = 2
  inner {
    b = 3
  }
  disk "one" {
    c = 4
  }
  disk "two" {
    c = 5
    part "p" {
      d = 6
    }
  }
}
source "null" "unused" {
  e = 7
}
build {
  name    = "first"
  sources = ["null.x"]
}
build {
  name = "second"
  source "null.x" {
    name = "own"
    f    = 8
  }
}
"#,
    );
    let run = |path: &str, value: &str| {
        let cases = format!(
            "file = \"a.pkr.hcl\"\ncase \"c\" {{\n  scope = {{ data = {{ http = {{ page = 9 }} }} }}\n  expect = {{ {path:?} = {value} }}\n}}\n"
        );
        let output = hclvm(&["test", &folder.file("a.hcltest", cases)]);
        (output.status.code(), text(&output.stdout).to_owned())
    };
    for (path, value) in [
        ("var.n", "1"),
        ("local.l", "{ a = 1 }"),
        ("data.http.page", "9"),
        ("build.first.null.x.a", "2"),
        ("build.first.null.x.inner.b", "3"),
        ("build.first.null.x.disk.one.c", "4"),
        ("build.first.null.x.disk.two.c", "5"),
        ("build.first.null.x.disk.two.part.p.d", "6"),
        ("build.second.null.own.f", "8"),
        ("build.second.null.own.a", "2"),
        ("source.null.unused.e", "7"),
    ] {
        let (code, printed) = run(path, value);
        assert_eq!(code, Some(0), "{path}: {printed}");
        let (code, printed) = run(path, "99");
        assert!(
            code == Some(1) && printed.contains(&format!("\n  {path}\n    expected 99\n")),
            "{path}: {printed}"
        );
    }
    for path in [
        "var.m",
        "local.m",
        "data.http.other",
        "data.file.page",
        "build.third.null.x.a",
        "build.first.null.own.a",
        "build.first.other.x.a",
        "build.second.null.x.a",
        "build.first.null.x.disk.three.c",
        "build.first.null.x.disk.one",
        "build.first.null.x.disk.c",
        "build.first.null.x",
        "source.null.x.a",
        "source.null.unused.f",
        "n",
    ] {
        let (code, printed) = run(path, "null");
        assert!(
            code == Some(1) && printed.contains(&format!("has no attribute or block `{path}`")),
            "{path}: {printed}"
        );
    }
}
