//! `hclvm test --coverage`: the forms of the coverage of one folder in full.

use crate::{Folder, hclvm, text};

const RULES: &str = "\
locals {
  both   = n > 1 && n < 9
  never  = n > 100 ? \"big\" : \"small\"
}
rule \"a.b\" {
  when = local.both
  text = \"${n}\"
}
rule \"c\" {
  when = flag
}
rule \"d\" {
  when = n == 77
  deep {
    x = flag ? 1 : n > 3 ? 2 : 3
  }
}
rule \"e\" {
  other = [
    n > 5,
    n > 50,
  ]
  none = true ? 1 : 2
}
dynamic \"made\" {
  for_each = n > 2 ? [1] : []
  content {
    y = made.value > n
  }
}
";

const OTHER: &str = "a = flag\nb = n > 3 ? \"<&>\" : \"\\\"\"\nunused = [for x in [n] : x if x > 1]\n";

const CASES: &str = r#"file = "."
scope = { flag = true }
case "low" {
  scope  = { n = 1 }
  expect = { "rule.\"a.b\".when" = false, "rule.c.when" = true, "rule.d.deep.x" = 1, a = true, b = "\"" }
}
case "middle" {
  scope  = { n = 5 }
  expect = { "rule.\"a.b\".when" = true, "rule.e.other" = [false, false], "local.never" = "small" }
}
case "high" {
  scope  = { n = 9 }
  expect = { "rule.\"a.b\".when" = false, "rule.e.other" = [true, false] }
}
case "fails" {
  scope  = { n = 9 }
  expect = { "rule.\"a.b\".text" = 10 }
}
case "made" {
  scope  = { n = 9 }
  expect = { "made.y" = false }
}
"#;

/// Returns what is printed of the coverage of the folder, and what is written to a file.
fn coverage(options: &[&str]) -> (String, String) {
    let folder = Folder::new();
    folder.file("a.hcl", RULES);
    folder.file("longer-name.hcl", OTHER);
    let file = folder.file("a.hcltest", CASES);
    let out = folder.file("out", "");
    let options: Vec<&str> =
        options.iter().map(|one| if *one == "OUT" { out.as_str() } else { one }).collect();
    let output = hclvm(&[&["test", &file, "--coverage"], &options[..]].concat());
    assert_eq!(text(&output.stderr), "");
    let path = format!("{}/", folder.0.path().display());
    let written = std::fs::read_to_string(&out).expect("a file");
    let printed = text(&output.stdout);
    let (_, table) = printed.split_once("failed\n").expect("a summary");
    (table.replace(&path, ""), written.replace(&path, ""))
}

#[test]
fn the_table() {
    println!("{}", coverage(&[]).0);
    assert!(false);
}

#[test]
fn the_table_in_a_file() {
    let (table, (printed, written)) = (coverage(&[]).0, coverage(&["text", "--coverage-out", "OUT"]));
    assert_eq!((printed.as_str(), format!("\n{written}")), ("", table));
}

#[test]
fn the_records() {
    println!("{}", coverage(&["lcov", "--coverage-out", "OUT"]).1);
    assert!(false);
}

#[test]
fn the_page() {
    let page = coverage(&["html", "--coverage-out", "OUT"]).1;
    let (style, body) = page.split_once("</head>\n").expect("a head");
    println!("{body}");
    assert!(style.contains("<meta charset=\"utf-8\">"), "{style}");
    assert!(false);
}

/// Returns the table of a file whose cases expect values.
fn table(name: &str, file: &str, cases: &[&str]) -> String {
    let folder = Folder::new();
    folder.file(name, file);
    let cases = cases.iter().map(|case| format!("case \"c\" {{\n  {case}\n}}\n"));
    let cases = format!("file = \"{name}\"\n{}", cases.collect::<String>());
    let output = hclvm(&["test", &folder.file("a.hcltest", cases), "--coverage"]);
    let printed = text(&output.stdout);
    let (summary, table) =
        printed.split_once("\n\n").unwrap_or_else(|| panic!("{printed}{}", text(&output.stderr)));
    assert!(summary.contains(" 0 failed"), "{printed}");
    let (_, rows) = table.split_once('\n').expect("a head");
    let rows = rows.replace(&format!("{}/", folder.0.path().display()), "");
    rows.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn what_is_a_condition() {
    for (file, cases, expected) in [
        // Constants are no conditions, and a value is one if a case makes it one.
        ("v = true ? 1 : 2\n", &["expect = { v = 1 }"][..], ""),
        ("v = x\n", &["scope = { x = true }\nexpect = { v = true }"], ""),
        ("v = x\n", &["scope = { x = 1 }\nexpect = { v = 1 }"], ""),
        ("r {\n  when = x\n}\n", &["scope = { x = true }\nexpect = { \"r.when\" = true }"], ""),
        ("r {\n  when = x\n}\n", &["scope = { x = false }\nexpect = { \"r.when\" = false }"], ""),
        ("when = x\n", &["scope = { x = true }\nexpect = { when = true }"], ""),
        // Equal conditions at different places count each; one that is evaluated several times counts once.
        ("v = x > 1 || x > 1\n", &["scope = { x = 2 }\nexpect = { v = true }"], ""),
        ("v = [for y in [1, 2] : y > x]\n", &["scope = { x = 1 }\nexpect = { v = [false, true] }"], ""),
        ("v = x > 1 ?\n  y >\n    2 : 3\n", &["scope = { x = 1, y = 1 }\nexpect = { v = 3 }"], ""),
        (
            "v = x > 1\nw = x > 1\n",
            &["scope = { x = 1 }\nexpect = { v = false }", "scope = { x = 2 }\nexpect = { v = true }"],
            "",
        ),
        (
            "dynamic \"d\" {\n  for_each = x\n  content {\n    v = d.value > 1\n  }\n}\n",
            &["scope = { x = [1, 2] }\nexpect = { \"d.v\" = false }"],
            "",
        ),
        ("locals {\n  v = x > 1\n}\nw = local.v\n", &["scope = { x = 1 }\nexpect = { w = false }"], ""),
    ] {
        println!("{file}{:?}", table("a.hcl", file, cases));
        assert_eq!(expected, "");
    }
    assert!(false);
}

#[test]
fn what_counts_of_a_template() {
    let file = r#"
packer {
  required_version = "> 1"
}
variable "n" {
  default = 1
  validation {
    condition     = var.n > 0 || var.n < -10
    error_message = "Positive."
  }
}
local "l" {
  expression = var.n > 1 ? 1 : 2
  sensitive  = false
}
data "http" "d" {
  url = var.n > 2 ? "a" : "b"
}
source "null" "x" {
  name = var.n > 3
  inner {
    sensitive = var.n > 4
  }
}
source "null" "unused" {
  a = var.n > 5
}
build {
  name = var.n > 6 ? "a" : "b"
  source "null.x" {
    name = "own"
  }
  source "null.x" {
    name = "other"
    e    = source.name == "own"
  }
  provisioner "shell" {
    only = var.n > 7 ? ["null.own"] : []
    a    = source.name == "own"
  }
}
"#;
    println!("{}", table("a.pkr.hcl", file, &["expect = { \"local.l\" = 2 }"]));
    let job = "variable \"n\" {\n  default = 1\n}\nlocals {\n  l = var.n > 1\n}\njob \"j\" {\n  all_at_once = local.l\n  group \"g\" {\n    count = var.n > 2 ? 1 : 2\n    task \"t\" {\n      config {\n        a = var.n > 3\n      }\n    }\n  }\n}\n";
    println!("{}", table("a.nomad.hcl", job, &["expect = { \"local.l\" = false }"]));
    assert!(false);
}

#[test]
fn a_percentage_is_rounded_down() {
    let attributes = (0..1000).map(|at| format!("a{at} = n\n")).collect::<String>();
    let expect = (0..999).map(|at| format!("a{at} = 1, ")).collect::<String>();
    let printed = table("a.hcl", &attributes, &[&format!("scope = {{ n = 1 }}\nexpect = {{ {expect} }}")]);
    assert!(printed.starts_with("a.hcl 999/1000 0/0 0/0 99.9 %\n"), "{printed}");
    let printed = table("a.hcl", "a = 1\nb = 2\nc = 3\n", &["expect = { a = 1, b = 2 }"]);
    assert!(printed.starts_with("a.hcl 2/3 0/0 0/0 66.6 %\n"), "{printed}");
    assert_eq!(table("a.hcl", "", &["expect_error {\ntitle = \"x\"\n}"]), "");
}

#[test]
fn names_and_texts_of_a_table_do_not_steer_a_terminal() {
    let steering = "\u{202e}";
    let file = format!("r \"{steering}\" {{\n  v = x == \"{steering}\"\n}}\n");
    let printed = table("a.hcl", &file, &["scope = { x = 1 }\nexpect_error {\ntitle = \"x\"\n}"]);
    assert!(!printed.contains(steering) && printed.contains("a.hcl:2: r."), "{printed}");
}

#[test]
fn a_threshold_beside_json_fails_on_standard_error() {
    let folder = Folder::new();
    folder.file("a.hcl", "a = 1\nb = 2\n");
    let file = folder.file("a.hcltest", "file = \"a.hcl\"\ncase \"c\" {\n  expect = { a = 1 }\n}\n");
    let out = folder.file("out", "");
    let options = ["--coverage", "--threshold", "51", "--json", "--coverage-out", &out];
    let output = hclvm(&[&["test", &file], &options[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    let sentence = "\nFAIL 50.0 % of the attributes and conditions is covered, less than 51 %.\n";
    assert_eq!(text(&output.stderr), sentence);
    assert_eq!(crate::json(&output.stdout)["passed"], 1);
    let output = hclvm(&["test", &file, "--coverage", "--threshold", "51"]);
    assert!(text(&output.stdout).ends_with(sentence) && output.stderr.is_empty(), "{}", text(&output.stdout));
}
