//! Values under a sample of scopes: hover, hints and lenses.

use serde_json::{Value as Json, json};

use crate::client::{Editor, folder, uri};

const PROJECT: &str = r#"
scope "guest" {
  values = { user = { name = "ann", roles = ["read"], age = 17 } }
}
scope "admin" {
  file = "admin.json"
}
"#;
const ADMIN: &str = r#"{"user": {"name": "bob", "roles": ["admin"], "age": 40}}"#;
const TEXT: &str = r#"locals {
  adult = user.age >= 18
}
rule "x" {
  when = local.adult && user.name == "ann"
}
n = length(user.roles) + 1
s = sensitive(user.name)
t = "${sensitive(user.name)}!"
u = other.name
l = [for r in user.roles : upper(r)]
"#;

fn editor() -> (Editor, String, tempfile::TempDir) {
    let folder = folder(&[("hclvm.hcl", PROJECT), ("admin.json", ADMIN), ("a.hcl", TEXT)]);
    let editor = Editor::of_folder(folder.path());
    let uri = uri(&folder.path().join("a.hcl"));
    editor.open(&uri, TEXT);
    (editor, uri, folder)
}

#[test]
fn hover_shows_values_and_why() {
    let (mut editor, uri, _folder) = editor();
    let attribute = editor.hover(&uri, (4, 4));
    assert!(attribute.contains("when = false"), "{attribute}");
    assert!(attribute.contains("under the scope `guest`"), "{attribute}");
    assert!(
        attribute.contains("because `user.age >= 18` is false") || attribute.contains("local.adult"),
        "{attribute}"
    );
    assert!(editor.hover(&uri, (4, 16)).contains("local.adult = false"));
    assert!(editor.hover(&uri, (4, 32)).contains("user.name = \"ann\""));
    assert!(editor.hover(&uri, (6, 23)).contains('2'), "{}", editor.hover(&uri, (6, 23)));
    assert!(editor.hover(&uri, (6, 5)).contains("length(value"), "{}", editor.hover(&uri, (6, 5)));
    let of_other = editor.hover(&uri, (9, 5));
    assert!(of_other.contains("other") && !of_other.contains("name"), "{of_other}");
    assert!(editor.hover(&uri, (10, 6)).is_empty() || editor.hover(&uri, (10, 0)).contains("READ"));
    assert!(editor.hover(&uri, (10, 10)).contains("for"), "{}", editor.hover(&uri, (10, 10)));
}

#[test]
fn marked_values_are_never_shown() {
    let (mut editor, uri, _folder) = editor();
    for line in [7, 8] {
        let text = editor.hover(&uri, (line, 0));
        assert!(!text.contains("ann"), "{text}");
        let text = editor.hover(&uri, (line, 7));
        assert!(!text.contains("ann"), "{text}");
    }
    let range = json!({"start": {"line": 7, "character": 0}, "end": {"line": 9, "character": 0}});
    let hints = editor.ask("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": range}));
    assert!(!hints.to_string().contains("ann"), "{hints}");
}

#[test]
fn another_scope_is_chosen() {
    let (mut editor, uri, _folder) = editor();
    editor.ask("workspace/executeCommand", json!({"command": "hclvm.useScope", "arguments": ["admin"]}));
    let text = editor.hover(&uri, (4, 16));
    assert!(text.contains("local.adult = true") && text.contains("`admin`"), "{text}");
    assert!(editor.hover(&uri, (4, 32)).contains("bob"));
}

#[test]
fn hints_are_values_and_parameters() {
    let (mut editor, uri, _folder) = editor();
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = editor.ask("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": range}));
    let labels: Vec<&str> =
        hints.as_array().expect("a list").iter().filter_map(|one| one["label"].as_str()).collect();
    assert_eq!(labels[..3], ["= false", "= false", "= 2"], "{labels:?}");
    editor.replace(&uri, "a = replace(\"x\", \"y\", b)\n");
    let hints = editor.ask("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": range}));
    assert_eq!(hints[0]["label"], "str:", "{hints}");
}

#[test]
fn lenses_evaluate_and_explain() {
    let (mut editor, uri, _folder) = editor();
    let lenses = editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    let lenses = lenses.as_array().expect("a list").clone();
    let of = |title: &str, line: u64| {
        let is_meant = |one: &&Json| {
            one["command"]["title"] == title
                && one.pointer("/range/start/line").and_then(Json::as_u64) == Some(line)
        };
        let found = lenses.iter().find(is_meant);
        found.map_or_else(|| panic!("{title} in {lenses:?}"), |one| one["command"].clone())
    };
    let run = |editor: &mut Editor, command: &Json| {
        let parameters = json!({"command": command["command"], "arguments": command["arguments"]});
        editor.ask("workspace/executeCommand", parameters).as_str().expect("a text").to_owned()
    };
    assert_eq!(run(&mut editor, &of("Evaluate", 3)), "rule \"x\" when = false");
    assert!(run(&mut editor, &of("Why", 3)).contains("└─"), "a tree");
    assert_eq!(run(&mut editor, &of("Evaluate", 6)), "n = 2");
    assert_eq!(of("1 use", 1)["command"], "");
}

#[test]
fn variables_of_templates_have_their_values() {
    let mut editor = Editor::new();
    let uri = "file:///x/image.pkr.hcl";
    let text = "variable \"region\" {\n  default = \"eu\"\n}\nvariable \"token\" {\n  default = \"hush\"\n  sensitive = true\n}\n\
                locals {\n  a = upper(var.region)\n  b = \"${var.token}!\"\n}\n";
    editor.open(uri, text);
    assert!(editor.hover(uri, (8, 17)).contains("var.region = \"eu\""), "{}", editor.hover(uri, (8, 17)));
    assert!(editor.hover(uri, (8, 2)).contains("EU"), "{}", editor.hover(uri, (8, 2)));
    for at in [(9, 2), (9, 15), (3, 12), (9, 9)] {
        assert!(!editor.hover(uri, at).contains("hush"), "{at:?}");
    }
}
