//! Sensitive texts in the output of `hclvm eval`: in values, in names that depend on them, and in expressions.

use serde_json::{Value as Json, json};

use crate::{Folder, hclvm, json as parsed, text};

/// Returns the results of a template.
fn evaluated(template: &str, more: &[&str]) -> Json {
    let folder = Folder::new();
    let file = folder.file("a.pkr.hcl", template);
    let output = hclvm(&[&["eval", &file], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    parsed(&output.stdout)
}

/// Returns the declarations of sensitive variables `s0`, `s1`, … with these texts.
fn secrets(texts: &[&str]) -> String {
    let declared = texts
        .iter()
        .enumerate()
        .map(|(at, text)| format!("variable \"s{at}\" {{\n  default   = {text:?}\n  sensitive = true\n}}\n"));
    declared.collect()
}

/// Returns the local values of a template with secrets.
fn locals(texts: &[&str], locals: &str) -> Json {
    evaluated(&format!("{}locals {{\n{locals}\n}}\n", secrets(texts)), &[])["locals"].take()
}

#[test]
fn a_secret_that_another_one_begins_with_hides_no_part_of_it() {
    for texts in [["abc", "abcd"], ["abcd", "abc"]] {
        let found = locals(&texts, "a = \"abcd abc xabcdx ab\"");
        assert_eq!(found, json!({ "a": "<sensitive> <sensitive> x<sensitive>x ab" }));
    }
}

#[test]
fn secrets_that_overlap_are_hidden_whole() {
    let found = locals(&["abc", "bcd", "dd"], "a = \"abcd abcdd abcabc bcd\"\nb = \"x${lower(\"ABCD\")}x\"");
    let expected = json!({
        "a": "<sensitive> <sensitive> <sensitive><sensitive> <sensitive>", "b": "x<sensitive>x"
    });
    assert_eq!(found, expected);
}

#[test]
fn an_empty_secret_hides_nothing() {
    assert_eq!(locals(&["", "b"], "a = \"a b\"\nc = \"\""), json!({ "a": "a <sensitive>", "c": "" }));
    let open = "locals {\n  a = \"<sensitive>\"\n  b = { a = [\"x\"] }\n}\n";
    assert_eq!(evaluated(open, &[])["locals"], json!({ "a": "<sensitive>", "b": { "a": ["x"] } }));
}

#[test]
fn texts_in_each_kind_of_value() {
    let found = locals(
        &["key"],
        "tuple  = [var.s0, \"key\", 1]\n\
         list   = split(\",\", \"a,${var.s0}\")\n\
         set    = setunion([\"a\"], [var.s0])\n\
         map    = zipmap([\"key\", \"other\"], [var.s0, \"key\"])\n\
         object = { key = var.s0, other = { key = \"key\" }, list = [{ key = 1 }] }\n\
         open   = { key = { key = \"a key\" }, list = [\"key\", { key = null }] }\n\
         number = length(var.s0)\n\
         flag   = var.s0 == \"key\"\n\
         none   = null",
    );
    let hidden = "<sensitive>";
    let expected = json!({
        "tuple": [hidden, hidden, 1],
        "list": ["a", hidden],
        "set": ["a", hidden],
        "map": { "key": hidden, "other": hidden },
        "object": { "key": hidden, "other": { "key": hidden }, "list": [{ "key": 1 }] },
        "open": { "key": { "key": "a <sensitive>" }, "list": [hidden, { "key": null }] },
        "number": 3,
        "flag": true,
        "none": null,
    });
    assert_eq!(found, expected);
}

#[test]
fn names_that_become_equal_are_numbered() {
    let found = locals(
        &["a", "b", "c"],
        "one   = { (var.s0) = 1, (var.s1) = 2, (var.s2) = 3 }\n\
         two   = { (var.s0) = { (var.s1) = var.s2 }, (var.s1) = [var.s0] }\n\
         whole = jsondecode(jsonencode({ (var.s0) = 1, (var.s1) = { c = 2, x = \"c\" } }))",
    );
    let expected = json!({
        "one": { "<sensitive>": 1, "<sensitive> 1": 2, "<sensitive> 2": 3 },
        "two": { "<sensitive>": { "<sensitive>": "<sensitive>" }, "<sensitive> 1": ["<sensitive>"] },
        "whole": { "<sensitive>": 1, "<sensitive> 1": { "<sensitive>": 2, "x": "<sensitive>" } },
    });
    assert_eq!(found, expected);
}

#[test]
fn types_of_unknown_values_are_no_texts() {
    let template = format!(
        "{}data \"http\" \"d\" {{\n}}\nlocals {{\n  open = \"${{data.http.d}}\"\n  known = {{ \"$unknown\" = \"any\" }}\n  both = [\"${{data.http.d}}\", \"any\"]\n  two = {{ \"$unknown\" = \"any\", a = data.http.d }}\n}}\n",
        secrets(&["any"])
    );
    let found = evaluated(&template, &[])["locals"].take();
    let unknown = json!({ "$unknown": "any" });
    assert_eq!(found["open"], unknown);
    assert_eq!(found["known"], json!({ "$unknown": "<sensitive>" }));
    assert_eq!(found["both"], json!([unknown, "<sensitive>"]));
}

#[test]
fn a_value_of_too_many_parts_is_not_shown() {
    // Each level has the one below twice, so that the parts are almost 2^21.
    let mut expression = "v20".to_owned();
    for level in (0..20).rev() {
        expression = format!("[for v{} in [[v{level}, v{level}]] : {expression}][0]", level + 1);
    }
    let template = format!(
        "{}source \"null\" \"x\" {{\n  large = [for v0 in [var.s0] : {expression}]\n  small = [var.s0]\n}}\n",
        secrets(&["key"])
    );
    let found = evaluated(&template, &[])["blocks"][0]["attrs"].take();
    assert_eq!(found, json!({ "large": null, "small": ["<sensitive>"] }));
}

/// The output for a template whose names are secrets elsewhere.
const NAMES: &str = r#"{
  "variables": {
    "s0": "<sensitive>",
    "s1": "<sensitive>"
  },
  "data": {
    "http": {
      "key": {
        "$unknown": "any"
      }
    }
  },
  "builds": [
    {
      "name": "<sensitive>",
      "description": "<sensitive> <sensitive>",
      "sources": [
        {
          "type": "null",
          "name": "key",
          "attrs": {
            "key": 1
          },
          "blocks": [
            {
              "type": "key",
              "labels": [
                "key"
              ],
              "attrs": {
                "a": "<sensitive>"
              }
            },
            {
              "type": "tag",
              "labels": [
                "l-<sensitive>",
                "<sensitive>"
              ]
            }
          ],
          "provisioners": [
            {
              "type": "key",
              "name": "<sensitive>"
            }
          ],
          "error_cleanup_provisioner": {
            "type": "key",
            "attrs": {
              "a": "<sensitive>"
            }
          },
          "post_processors": [
            [
              {
                "type": "null",
                "name": "<sensitive>",
                "attrs": {
                  "a": {
                    "<sensitive>": 2
                  }
                }
              }
            ]
          ]
        },
        {
          "type": "<sensitive>",
          "name": "x-<sensitive>",
          "attrs": {
            "key": 1
          },
          "blocks": [
            {
              "type": "key",
              "labels": [
                "key"
              ],
              "attrs": {
                "a": "<sensitive>"
              }
            },
            {
              "type": "tag",
              "labels": [
                "l-<sensitive>",
                "<sensitive>"
              ]
            }
          ],
          "error_cleanup_provisioner": {
            "type": "key",
            "attrs": {
              "a": "<sensitive>"
            }
          },
          "post_processors": [
            [
              {
                "type": "null",
                "name": "<sensitive>",
                "attrs": {
                  "a": {
                    "<sensitive>": 2
                  }
                }
              }
            ]
          ]
        }
      ]
    }
  ],
  "blocks": [
    {
      "type": "source",
      "labels": [
        "null",
        "unused"
      ],
      "attrs": {
        "a": "<sensitive>"
      }
    }
  ]
}"#;

#[test]
fn names_of_a_template_are_hidden_where_they_depend_on_a_secret() {
    let template = format!(
        "{}{}",
        secrets(&["key", "null"]),
        r#"
data "http" "key" {
}
source "null" "key" {
  key = 1
  key "key" {
    a = "key"
  }
  dynamic "tag" {
    for_each = ["x"]
    labels   = ["l-${var.s0}", "key"]
    content {
    }
  }
}
source "null" "unused" {
  a = "key"
}
build {
  name        = "key"
  description = "key ${var.s0}"
  source "null.key" {
    name = "key"
  }
  dynamic "source" {
    for_each = [var.s0]
    labels   = ["null.key"]
    content {
      name = "x-${source.value}"
    }
  }
  provisioner "key" {
    only = ["null.key"]
    name = "key"
  }
  error-cleanup-provisioner "key" {
    a = var.s0
  }
  post-processor "null" {
    name = var.s1
    a    = { key = 1, (var.s0) = 2 }
  }
}
"#
    );
    let expected: Json = serde_json::from_str(NAMES).expect("JSON");
    assert_eq!(evaluated(&template, &[]), expected);
}

#[test]
fn expressions_of_an_explanation() {
    let explained = |texts: &[&str], expression: &str| {
        let folder = Folder::new();
        let template = format!(
            "{}variable \"n\" {{\n  default = \"n\"\n}}\nlocals {{\n  a = {expression}\n}}\n",
            secrets(texts)
        );
        let file = folder.file("a.pkr.hcl", template);
        let output = hclvm(&["eval", &file, "--why", "--attr", "local.a"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    for (texts, expression, expected) in [
        // A name is no secret, and a literal may be one.
        (
            &["n"][..],
            "var.n == \"n\" || var.n == \"an n\"",
            "true, because `var.n == \"<sensitive>\"` is true (var.n = \"<sensitive>\")\n└─ true  var.n == \"<sensitive>\" || var.n == \"a<sensitive> <sensitive>\"\n   ├─ true  var.n == \"<sensitive>\"  (var.n = \"<sensitive>\")\n   └─ false  var.n == \"a<sensitive> <sensitive>\"  (var.n = \"<sensitive>\")  not needed\n",
        ),
        (
            &["var"],
            "var.n == \"var\"",
            "false, because `var.n == \"<sensitive>\"` is false (var.n = \"n\")\n└─ false  var.n == \"<sensitive>\"  (var.n = \"n\")\n",
        ),
        // A secret that is no name is hidden wherever it is.
        (
            &["var.n"],
            "var.n == \"n\"",
            "true, because `<sensitive> == \"n\"` is true (<sensitive> = \"n\")\n└─ true  <sensitive> == \"n\"  (<sensitive> = \"n\")\n",
        ),
        (
            &["10"],
            "length(var.n) == 10",
            "false, because `length(var.n) == <sensitive>` is false (length(var.n) = 1, var.n = \"n\")\n└─ false  length(var.n) == <sensitive>  (length(var.n) = 1, var.n = \"n\")\n",
        ),
        // In nested literals, everything is.
        (
            &["n"],
            "var.n == \"${var.n}\"",
            "true, because `var.<sensitive> == \"${var.<sensitive>}\"` is true (\"${var.<sensitive>}\" = \"<sensitive>\", var.n = \"<sensitive>\")\n└─ true  var.<sensitive> == \"${var.<sensitive>}\"  (\"${var.<sensitive>}\" = \"<sensitive>\", var.n = \"<sensitive>\")\n",
        ),
        (
            &["n"],
            "var.n == \"\\\"n\"",
            "false, because `var.<sensitive> == \"\\\"<sensitive>\"` is false (var.n = \"<sensitive>\")\n└─ false  var.<sensitive> == \"\\\"<sensitive>\"  (var.n = \"<sensitive>\")\n",
        ),
        (
            &["n"],
            "var.n == \"%{ if true }n%{ endif }\"",
            "true, because `var.<sensitive> == \"%{ if true }<sensitive>%{ e<sensitive>dif }\"` is true (\"%{ if true }<sensitive>%{ e<sensitive>dif }\" = \"<sensitive>\", var.n = \"<sensitive>\")\n└─ true  var.<sensitive> == \"%{ if true }<sensitive>%{ e<sensitive>dif }\"  (\"%{ if true }<sensitive>%{ e<sensitive>dif }\" = \"<sensitive>\", var.n = \"<sensitive>\")\n   └─ true  true\n",
        ),
    ] {
        assert_eq!(explained(texts, expression), expected, "{texts:?} {expression}");
    }
}

#[test]
fn a_job_has_no_secrets() {
    let folder = Folder::new();
    let file = folder.file(
        "a.nomad.hcl",
        "variable \"a\" {\n  default = \"key\"\n}\njob \"key\" {\n  region = var.a\n}\n",
    );
    let output = hclvm(&["eval", &file]);
    let expected = json!({
        "variables": { "a": "key" },
        "blocks": [{ "type": "job", "labels": ["key"], "attrs": { "region": "key" } }],
    });
    assert_eq!(parsed(&output.stdout), expected, "{}", text(&output.stderr));
}
