//! Sensitive values of templates: in no output of any command, and nothing but them is replaced.

use serde_json::json;

use crate::{Folder, hclvm, json as parsed, text};

/// A template whose problems all concern the secret.
const FAILING: &str = "variable \"pw\" {\n  type      = string\n  sensitive = true\n}\n\
    source \"null\" \"x\" {\n  a = var.pw + 1\n  b = { a = 1 }[var.pw]\n  c = parseint(var.pw, 10)\n  d = [for x in [var.pw] : x + 1]\n}\n\
    build {\n  sources = [\"null.x\"]\n}\n";

fn path(folder: &Folder) -> String {
    folder.0.path().to_str().expect("a path of plain letters").to_owned()
}

#[test]
fn no_command_shows_a_secret() {
    let folder = Folder::new();
    let template = folder.file("a.pkr.hcl", FAILING);
    folder.file(
        "b.pkr.hcl",
        "variable \"pin\" {\n  default   = \"hunter2\" \n  sensitive = true\n}\nlocal \"l\" {\n  expression = true ? \"hunter2\" : \"b\"\n  sensitive  = true\n}\n",
    );
    let hcltest = "file = \".\"\nscope = { var = { pw = \"hunter2\" } }\ncase \"a\" {\n  expect = { \"local.n\" = 1 }\n}\n";
    folder.file("a.hcltest", hcltest);
    let scope = folder.file("scope.json", "{\"var\": {\"pw\": \"hunter2\"}}");
    let folder = path(&folder);
    let junit = format!("{folder}/junit.xml");
    let argument = ["--var", "pw=hunter2"];
    let commands: [(&[&str], &str); 12] = [
        (&["eval", &folder, argument[0], argument[1]], "invalid-operand"),
        (&["eval", &folder, argument[0], argument[1], "--diagnostics", "json"], "invalid-operand"),
        (&["eval", &folder, argument[0], argument[1], "--diagnostics", "sarif"], "invalid-operand"),
        (&["eval", &folder, argument[0], argument[1], "--diagnostics", "github"], "invalid-operand"),
        (&["eval", &folder, "--scope", &scope, "--why"], "invalid-operand"),
        (&["eval", &folder, "--scopes", &scope], "invalid-operand"),
        (&["check", &folder], "constant-condition"),
        (&["check", &folder, "--diagnostics", "json"], "constant-condition"),
        (&["test", &folder], "Invalid operand"),
        (&["test", &folder, "--junit", &junit], "Invalid operand"),
        (&["specialize", &template, "--scope", &scope], "var.pw"),
        (&["disasm", &template], "Arithmetic"),
    ];
    for (arguments, expected) in commands {
        let output = hclvm(arguments);
        let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(!printed.contains("hunter2"), "{arguments:?}: {printed}");
        assert!(printed.to_lowercase().contains(&expected.to_lowercase()), "{arguments:?}: {printed}");
    }
    let report = std::fs::read_to_string(&junit).expect("a report");
    assert!(report.contains("<failure") && !report.contains("hunter2"), "{report}");
    // The page has the lines of the files, and the table conditions that no case covers.
    let page = format!("{folder}/coverage.html");
    for more in [&["--coverage"][..], &["--coverage", "html", "--coverage-out", &page]] {
        let output = hclvm(&[&["test", &folder], more].concat());
        let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(printed.contains("FAIL") && !printed.contains("hunter2"), "{printed}");
    }
    let report = std::fs::read_to_string(&page).expect("a report");
    assert!(
        report.contains("expression = true ? &quot;&lt;sensitive&gt;&quot; :") && !report.contains("hunter2"),
        "{report}"
    );
    let b = format!("{folder}/b.pkr.hcl");
    for arguments in [&["disasm", &b][..], &["disasm", &b, "--json"], &["disasm", &b, "local.l.expression"]] {
        let output = hclvm(arguments);
        let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(!printed.contains("hunter2"), "{arguments:?}: {printed}");
    }
}

#[test]
fn a_secret_is_replaced_in_values_and_names_that_depend_on_it_alone() {
    let folder = Folder::new();
    let template = folder.file(
        "a.pkr.hcl",
        r#"
variable "s" {
  sensitive = true
  default   = "name"
}
variable "t" {
  sensitive = true
  default   = "a"
}
locals {
  name  = { name = "x", a = "the name", list = [{ a = 1 }] }
  key   = { (var.s) = 1, "k-${var.s}" = { a = 2 } }
  mixed = { name = { (var.s) = var.s } }
  two   = zipmap(["${var.s}", "<sensitive>"], [1, 2])
}
source "name" "a" {
  name = "b"
  a "name" {
    attrs = 1
  }
}
build {
  name    = "type-${var.s}"
  sources = ["source.name.a"]
  provisioner "name" {
    name = "a b"
    a    = { name = 1 }
  }
  dynamic "provisioner" {
    for_each = [var.t]
    labels   = ["${var.s}x"]
    content {}
  }
}
"#,
    );
    let output = hclvm(&["eval", &template]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let hidden = "<sensitive>";
    let expected = json!({
        "variables": { "s": hidden, "t": hidden },
        "locals": {
            "name": { "name": "x", "a": "the <sensitive>", "list": [{ "a": 1 }] },
            // That it depends on the secret is known of the object as a whole.
            "key": { "<sensitive>": 1, "k-<sensitive>": { "<sensitive>": 2 } },
            "mixed": { "name": { "<sensitive>": "<sensitive>" } },
            "two": { "<sensitive>": 2, "<sensitive> 1": 1 },
        },
        "builds": [{
            "name": "type-<sensitive>",
            "sources": [{
                "type": "name",
                "name": "a",
                "attrs": { "name": "b" },
                "blocks": [{ "type": "a", "labels": ["name"], "attrs": { "attrs": 1 } }],
                "provisioners": [
                    { "type": "name", "name": "<sensitive> b", "attrs": { "a": { "name": 1 } } },
                    { "type": "<sensitive>x" },
                ],
            }],
        }],
    });
    assert_eq!(parsed(&output.stdout), expected);
}

#[test]
fn an_explanation_keeps_its_words() {
    let folder = Folder::new();
    let template = folder.file(
        "a.pkr.hcl",
        "variable \"s\" {\n  sensitive = true\n  default   = \"true\"\n}\nvariable \"n\" {\n  default = \"x\"\n}\n\
         source \"true\" \"a\" {\n  is_x = var.n == \"x\"\n  is_s = var.n == \"true\" || var.s == \"it is true\"\n}\nbuild {\n  name    = \"is\"\n  sources = [\"true.a\"]\n}\n",
    );
    let output = hclvm(&["eval", &template, "--why", "--attr", "build.is.true.a.is_x"]);
    let reason = "true, because `var.n == \"x\"` is true (var.n = \"x\")\n";
    assert!(text(&output.stdout).starts_with(reason), "{}{}", text(&output.stdout), text(&output.stderr));
    let output = hclvm(&["eval", &template, "--why", "--attr", "build.is.true.a.is_s", "--output", "json"]);
    let why = parsed(&output.stdout);
    assert_eq!(why["conditions"]["outcome"], "sensitive", "{why}");
    assert_eq!(why["conditions"]["parts"][1]["text"], "var.s == \"it is <sensitive>\"", "{why}");
}

#[test]
fn an_explanation_does_not_show_an_operand_with_the_text_of_a_secret() {
    let folder = Folder::new();
    let template = folder.file(
        "a.pkr.hcl",
        "variable \"s\" {\n  sensitive = true\n  default   = \"hunter2\"\n}\nvariable \"n\" {\n  default = \"x\"\n}\n\
         source \"null\" \"a\" {\n  b = [\"hunter2\", var.n][1] == \"y\"\n}\nbuild {\n  sources = [\"null.a\"]\n}\n",
    );
    for format in [&[][..], &["--output", "json"]] {
        let output = hclvm(&[&["eval", &template, "--why"], format].concat());
        let shown = text(&output.stdout);
        assert!(shown.contains("<sensitive>") && shown.contains("var.n"), "{shown}{}", text(&output.stderr));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn of_two_arguments_for_one_variable_the_last_is_used() {
    let folder = Folder::new();
    let template = folder.file("a.pkr.hcl", "variable \"m\" {\n  type = number\n}\n");
    let output = hclvm(&["eval", &template, "--var", "m=1", "--var", "m=2", "--attr", "var.m"]);
    assert_eq!(text(&output.stdout), "2\n", "{}", text(&output.stderr));
}
