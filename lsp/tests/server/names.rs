//! From names to their definitions and uses.

use serde_json::{Value as Json, json};

use crate::client::{Editor, folder, marked, uri};

const URI: &str = "file:///a.hcl";

/// Returns the lines of locations.
fn lines(locations: &Json) -> Vec<u64> {
    let locations = locations.as_array().expect("a list");
    locations
        .iter()
        .map(|one| one.pointer("/range/start/line").and_then(Json::as_u64).expect("a line"))
        .collect()
}

fn definition(text: &str) -> Vec<u64> {
    let (text, at) = marked(text);
    let mut editor = Editor::new();
    editor.open(URI, &text);
    lines(&editor.at("textDocument/definition", URI, at))
}

fn references(text: &str) -> Vec<u64> {
    let (text, at) = marked(text);
    let mut editor = Editor::new();
    editor.open(URI, &text);
    let mut parameters = crate::client::place(URI, at);
    parameters["context"] = json!({"includeDeclaration": true});
    lines(&editor.ask("textDocument/references", parameters))
}

#[test]
fn definitions_are_found() {
    assert_eq!(definition("locals {\n  n = 1\n}\na = local.^n"), [1]);
    assert_eq!(definition("locals {\n  n = 1\n}\na = local[\"^n\"]"), [1]);
    assert_eq!(definition("a = [\n for k, v in b :\n ^v + 1]"), [1]);
    assert_eq!(
        definition("a = \"%{ for v in b }\n${^v}%{ endfor }\""),
        [0; 0],
        "strings end with their lines"
    );
    assert_eq!(definition("a = <<E\n%{ for v in b }\n${^v}%{ endfor }\nE\n"), [1]);
    assert_eq!(
        definition("b {\n dynamic \"x\" {\n  for_each = [1]\n  content {\n   v = ^x.value\n  }\n }\n}"),
        [1]
    );
    assert_eq!(
        definition(
            "b {\n dynamic \"x\" {\n  for_each = [1]\n  iterator = i\n  content {\n   v = ^i.value\n  }\n }\n}"
        ),
        [3]
    );
    assert_eq!(definition("function \"f\" {\n params = [v]\n result = ^v + 1\n}"), [1]);
    assert_eq!(definition("a = ^user.name"), [0; 0], "the host sets it");
}

#[test]
fn references_are_those_of_the_binding() {
    assert_eq!(references("locals {\n  ^n = 1\n  m = local.n\n}\na = \"${local.n}\"\nb = n"), [1, 2, 4]);
    assert_eq!(references("a = [for ^v in\n v : v +\n v]"), [0, 1, 2], "the collection is outside");
    assert_eq!(references("a = ^user.name\nb = user.id\nc = { user = 1 }"), [0, 1]);
    assert_eq!(references("a = user.^name\nb = user.name\nc = user.names"), [0, 1]);
    assert_eq!(references("a = ^upper(\"\")\nb = upper\nc = upper(\"x\")"), [0, 2]);
}

#[test]
fn collections_do_not_see_the_names_that_a_loop_binds() {
    let (text, at) = marked("a = [for v in [for ^v in b : v] : v]");
    let mut editor = Editor::new();
    editor.open(URI, &text);
    let found = editor.at("textDocument/documentHighlight", URI, at);
    let columns: Vec<u64> = found
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one.pointer("/range/start/character").and_then(Json::as_u64).expect("a column"))
        .collect();
    assert_eq!(columns, [19, 28]);
}

#[test]
fn modules_of_folders_are_one() {
    let variables = "variable \"region\" {\n  default = \"eu\"\n}\nsource \"null\" \"x\" {\n}\n";
    let build = "locals {\n  r = var.region\n}\nbuild {\n  sources = [\"source.null.x\"]\n}\n";
    let folder = folder(&[("variables.pkr.hcl", variables), ("build.pkr.hcl", build)]);
    let mut editor = Editor::of_folder(folder.path());
    let (first, second) =
        (uri(&folder.path().join("variables.pkr.hcl")), uri(&folder.path().join("build.pkr.hcl")));
    editor.open(&second, build);
    let found = editor.at("textDocument/definition", &second, (1, 12));
    assert_eq!((found[0]["uri"].as_str(), lines(&found)), (Some(first.as_str()), vec![0]), "{found}");
    let found = editor.at("textDocument/definition", &second, (4, 27));
    assert_eq!((found[0]["uri"].as_str(), lines(&found)), (Some(first.as_str()), vec![3]), "{found}");
    let names = editor.completions(&second, (1, 12));
    assert_eq!(names, ["region"]);
    let names = editor.completions(&second, (4, 16));
    assert_eq!(names, ["source.null.x"]);
    let mut parameters = crate::client::place(&second, (1, 12));
    parameters["newName"] = json!("zone");
    let edit = editor.ask("textDocument/rename", parameters);
    assert_eq!(edit["changes"].as_object().map(serde_json::Map::len), Some(2), "{edit}");
    let symbols = editor.ask("workspace/symbol", json!({"query": "region"}));
    assert_eq!(symbols[0]["name"], "variable \"region\"");
}

#[test]
fn functions_of_the_project_are_defined_there() {
    let project = "function \"ip_in\" {\n  result = true\n}\n";
    let folder = folder(&[("hclvm.hcl", project), ("a.hcl", "a = ip_in(\"x\")\n")]);
    let mut editor = Editor::of_folder(folder.path());
    let uri = uri(&folder.path().join("a.hcl"));
    editor.open(&uri, "a = ip_in(\"x\")\n");
    assert_eq!(editor.messages(&uri), [""; 0]);
    let found = editor.at("textDocument/definition", &uri, (0, 5));
    assert!(found[0]["uri"].as_str().is_some_and(|uri| uri.ends_with("hclvm.hcl")), "{found}");
}

#[test]
fn symbols_are_a_tree() {
    let mut editor = Editor::new();
    editor.open(URI, "locals {\n  n = 1 + 1\n}\nrule \"a\" {\n  when = true\n  sub {\n  }\n}\nx = 1\n");
    let found = editor.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    let names: Vec<&str> =
        found.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["locals", "rule \"a\"", "x"]);
    assert_eq!(found[0]["children"][0]["detail"], "2");
    assert_eq!(found[1]["children"][1]["name"], "sub");
}

#[test]
fn structure_is_found() {
    let mut editor = Editor::new();
    let text = "# a\n# b\nrule \"a\" {\n  when = [\n    1,\n  ]\n  see = \"https://example.org/x, and\"\n}\n";
    editor.open(URI, text);
    let document = json!({"textDocument": {"uri": URI}});
    let folds = editor.ask("textDocument/foldingRange", document.clone());
    let folds: Vec<(u64, u64)> = folds
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["startLine"].as_u64().expect("a line"), one["endLine"].as_u64().expect("a line")))
        .collect();
    assert_eq!(folds, [(0, 1), (2, 6), (3, 4)]);
    let links = editor.ask("textDocument/documentLink", document);
    assert_eq!(links[0]["target"], "https://example.org/x");
    let parameters = json!({"textDocument": {"uri": URI}, "positions": [{"line": 4, "character": 4}]});
    let mut selection = editor.ask("textDocument/selectionRange", parameters)[0].clone();
    let mut depth = 0;
    while !selection.is_null() {
        depth += 1;
        selection = selection["parent"].clone();
    }
    assert!(depth >= 5, "number, list, attribute, body, block, file: {depth}");
}
