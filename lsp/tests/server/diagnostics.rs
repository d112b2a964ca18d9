//! Diagnostics and what can be done about them.

use hclvm::Engine;
use hclvm::check::Declared;
use hclvm::lint::Lints;
use serde_json::{Value as Json, json};

use crate::client::{Editor, edited, folder, uri};

const URI: &str = "file:///a.hcl";

fn actions(editor: &mut Editor, line: usize) -> Json {
    let range = json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 99}});
    editor.ask(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": []}}),
    )
}

#[test]
fn texts_are_those_of_check() {
    let mut editor = Editor::new();
    for text in [
        "a = upper(1, 2)",
        "a = 1 +",
        "a = [1 2\nb = 'x'\nc = and",
        "locals {\n  n = 1\n}\na = 2\n",
        "rule \"a\" {\n  when = 1 == \"1\"\n}",
        "a = local.nmae\nlocals { name = 1 }",
    ] {
        editor.open(URI, text);
        let engine = Engine::builder().further_errors(true).build();
        let (document, syntax) = engine.parse_lenient("/a.hcl", text);
        let expected: Vec<String> = if syntax.has_errors() {
            syntax.iter().map(ToString::to_string).collect()
        } else {
            let checked = document.check(&Declared::anything());
            let lints = document.lints(&Lints::new());
            checked.iter().chain(&lints).map(ToString::to_string).collect()
        };
        let shown = editor.messages(URI);
        assert!(!expected.is_empty(), "{text}");
        let shown: Vec<&str> = shown.iter().map(|one| one.split('\n').next().unwrap_or_default()).collect();
        let expected: Vec<&str> =
            expected.iter().map(|one| one.split('\n').next().unwrap_or_default()).collect();
        assert_eq!(shown, expected, "{text}");
    }
}

#[test]
fn replacements_are_quick_fixes() {
    let mut editor = Editor::new();
    let text = "a = uper(\"x\")\n";
    editor.open(URI, text);
    let found = actions(&mut editor, 0);
    let fix =
        found.as_array().expect("a list").iter().find(|one| one["title"] == "Replace `uper` by `upper`");
    let fix = fix.unwrap_or_else(|| panic!("{found}"));
    assert_eq!(edited(text, &fix["edit"]["changes"][URI]), "a = upper(\"x\")\n");
    let explain =
        found.as_array().expect("a list").iter().find(|one| one["title"] == "Explain unknown-function");
    let command = &explain.expect("every code is explained")["command"];
    let text = editor.ask(
        "workspace/executeCommand",
        json!({"command": command["command"], "arguments": command["arguments"]}),
    );
    assert!(text.as_str().expect("a text").starts_with("# unknown-function"), "{text}");
}

#[test]
fn a_comment_allows_a_warning() {
    let mut editor = Editor::new();
    let text = "locals {\n  n = 1\n}\na = 2\n";
    editor.open(URI, text);
    let found = actions(&mut editor, 1);
    let allow =
        found.as_array().expect("a list").iter().find(|one| one["title"] == "Allow unused-local here");
    let changed = edited(text, &allow.expect("a warning can be allowed")["edit"]["changes"][URI]);
    assert_eq!(changed, "locals {\n  # hclvm:allow unused-local\n  n = 1\n}\na = 2\n");
    editor.replace(URI, &changed);
    assert_eq!(editor.messages(URI), [""; 0]);
}

#[test]
fn the_project_decides() {
    let folder = folder(&[
        (
            "hclvm.hcl",
            "schema = \"types.hcl\"\nexclude = [\"vendor\"]\npolicy {\n  effects = [\"allow\", \"deny\"]\n}\n\
             function \"ip_in\" {\n  result = true\n}\nlints {\n  allow = [\"unused-local\"]\n}\n",
        ),
        ("types.hcl", "user = object({ name = string })\n"),
        (
            "a.hcl",
            "locals {\n  n = 1\n}\nrule \"r\" {\n  when = ip_in(user.name) && user.nmae == \"x\"\n  effect = \"alow\"\n}\n",
        ),
        ("vendor/b.hcl", "a = ("),
        ("c/d.hcl", "a = ("),
    ]);
    let mut editor = Editor::of_folder(folder.path());
    let report = editor.ask("workspace/diagnostic", json!({"previousResultIds": []}));
    let of = |name: &str| {
        let uri = uri(&folder.path().join(name));
        let items = report["items"].as_array().expect("a list");
        items.iter().find(|one| one["uri"] == uri).map(|one| one["items"].clone())
    };
    assert_eq!(of("hclvm.hcl"), Some(json!([])), "{report}");
    assert_eq!(of("types.hcl"), Some(json!([])), "{report}");
    assert_eq!(of("vendor/b.hcl"), None);
    assert_eq!(of("c/d.hcl").and_then(|items| items.as_array().map(Vec::len)), Some(1));
    let items = of("a.hcl").expect("it is checked");
    let codes: Vec<_> = items.as_array().expect("a list").iter().map(|item| &item["code"]).collect();
    assert_eq!(codes, ["unknown-attribute", "rule-effect-value"], "{items}");
}

#[test]
fn a_wrong_project_file_is_shown_in_it() {
    let folder = folder(&[("hclvm.hcl", "dialect = \"perl\"\n"), ("a.hcl", "a = 1\n")]);
    let mut editor = Editor::of_folder(folder.path());
    let uri = uri(&folder.path().join("hclvm.hcl"));
    editor.open(&uri, "dialect = \"perl\"\n");
    let messages = editor.messages(&uri);
    assert!(messages.len() == 1 && messages[0].contains("there is no dialect \"perl\""), "{messages:?}");
    editor.replace(&uri, "dialect = \"opentofu\"\n");
    assert_eq!(editor.messages(&uri), [""; 0]);
}

#[test]
fn files_of_applications_are_checked_as_such() {
    let mut editor = Editor::new();
    let uri = "file:///x/image.pkr.hcl";
    editor.open(
        uri,
        "variable \"region\" {\n  type = string\n}\nlocals {\n  a = upper(var.region)\n  b = upper(1, 2)\n}\n",
    );
    let messages = editor.messages(uri);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("upper"), "{messages:?}");
}
