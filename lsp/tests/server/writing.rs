//! Help while a text is written: completion, signatures, formatting, tokens.

use serde_json::{Value as Json, json};

use crate::client::{Editor, edited, folder, marked, uri};

const URI: &str = "file:///a.hcl";

fn completions(text: &str) -> Vec<String> {
    let (text, at) = marked(text);
    let mut editor = Editor::new();
    editor.open(URI, &text);
    editor.completions(URI, at)
}

#[test]
fn names_are_completed() {
    assert_eq!(completions("locals {\n  first = 1\n  second = 2\n}\na = local.^"), ["first", "second"]);
    assert_eq!(completions("locals {\n  first = 1\n}\na = local.f^"), ["first"]);
    assert!(completions("a = upp^").contains(&"upper".to_owned()));
    assert!(completions("a = \"${upp^}\"").contains(&"upper".to_owned()));
    assert!(completions("a = [for value in b : va^]").contains(&"value".to_owned()));
    assert_eq!(completions("a = 1 # upp^"), [""; 0]);
    assert_eq!(completions("a = \"upp^\""), [""; 0]);
    assert_eq!(completions("rule \"a\" ^"), [""; 0]);
    assert!(completions("^").contains(&"rule".to_owned()));
    assert!(completions("rule \"a\" {\n  ^\n}").contains(&"when".to_owned()));
    assert!(completions("a = \"%{ ^").contains(&"endif".to_owned()));
    assert!(completions("a = user.name\nb = user.^").contains(&"name".to_owned()));
    let iterator = "b {\n dynamic \"x\" {\n  for_each = [1]\n  content {\n   v = x.^\n  }\n }\n}";
    assert_eq!(completions(iterator), ["key", "value"]);
}

#[test]
fn parts_of_the_sample_are_completed() {
    let project = "scope \"s\" {\n  values = { user = { name = \"ann\", address = { city = \"x\" } } }\n}\n";
    let folder = folder(&[("hclvm.hcl", project)]);
    let mut editor = Editor::of_folder(folder.path());
    let uri = uri(&folder.path().join("a.hcl"));
    for (text, expected) in [
        ("a = user.^", &["address", "name"][..]),
        ("a = user.address.^", &["city"]),
        ("a = us^", &["user"]),
        ("b = 1\na = (user.^\nc = 2\n", &["address", "name"]),
    ] {
        let (text, at) = marked(text);
        editor.open(&uri, &text);
        let found = editor.completions(&uri, at);
        assert!(
            found.starts_with(&expected.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn functions_have_documentation_and_snippets() {
    let mut editor = Editor::new();
    editor.open(URI, "a = joi");
    let list = editor.at("textDocument/completion", URI, (0, 7));
    let join = list["items"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["label"] == "join")
        .expect("it is there");
    assert!(join["textEdit"]["newText"].as_str().is_some_and(|text| text.starts_with("join(${1:")), "{join}");
    assert!(join.get("documentation").is_none());
    let resolved = editor.ask("completionItem/resolve", join.clone());
    assert!(resolved["documentation"]["value"].as_str().is_some_and(|text| text.len() > 20), "{resolved}");
}

#[test]
fn signatures_know_the_argument() {
    let mut editor = Editor::new();
    for (text, name, argument) in [
        ("a = join(^", "join", 0),
        ("a = join(\",\", ^", "join", 1),
        ("a = join(\",\", [1, 2], b^)", "join", 1),
        ("a = upper(join(\",\", {a = 1}.b^))", "join", 1),
        ("a = replace(upper(\"x\"), ^)", "replace", 1),
    ] {
        let (text, at) = marked(text);
        editor.open(URI, &text);
        let help = editor.at("textDocument/signatureHelp", URI, at);
        assert!(
            help["signatures"][0]["label"].as_str().is_some_and(|label| label.starts_with(name)),
            "{text}: {help}"
        );
        assert_eq!(help["activeParameter"], argument, "{text}: {help}");
    }
    editor.open(URI, "a = 1");
    assert!(editor.at("textDocument/signatureHelp", URI, (0, 5)).is_null());
}

#[test]
fn texts_and_lines_are_formatted() {
    let mut editor = Editor::new();
    let text = "a=1\nlonger = [ 1,2 ]\n\nb   =   2\n";
    editor.open(URI, text);
    let document = json!({"uri": URI});
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let edits = editor.ask("textDocument/formatting", json!({"textDocument": document, "options": options}));
    assert_eq!(edited(text, &edits), "a      = 1\nlonger = [1, 2]\n\nb = 2\n");
    let range = json!({"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 1}});
    let edits = editor.ask(
        "textDocument/rangeFormatting",
        json!({"textDocument": document, "range": range, "options": options}),
    );
    assert_eq!(edited(text, &edits), "a=1\nlonger = [ 1,2 ]\n\nb = 2\n");
    let text = "b {\na=1\n}";
    editor.replace(URI, text);
    let parameters = json!({"textDocument": document, "position": {"line": 2, "character": 1}, "ch": "}", "options": options});
    let edits = editor.ask("textDocument/onTypeFormatting", parameters);
    assert_eq!(edited(text, &edits), "b {\n  a = 1\n}");
    editor.replace(URI, "a = (");
    let edits = editor.ask("textDocument/formatting", json!({"textDocument": document, "options": options}));
    assert_eq!(edits, json!([]));
}

/// Returns tokens as lines of `line:column text type`.
fn decoded(text: &str, data: &Json) -> Vec<String> {
    let legend = [
        "comment",
        "string",
        "number",
        "keyword",
        "operator",
        "function",
        "variable",
        "parameter",
        "property",
        "type",
        "label",
        "root",
    ];
    let numbers: Vec<usize> = data
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| usize::try_from(one.as_u64().expect("a number")).expect("small"))
        .collect();
    let (mut line, mut column) = (0, 0);
    let lines: Vec<&str> = text.lines().collect();
    numbers
        .chunks(5)
        .map(|token| {
            column = if token[0] == 0 { column + token[1] } else { token[1] };
            line += token[0];
            format!("{} {}", &lines[line][column..column + token[2]], legend[token[3]])
        })
        .collect()
}

#[test]
fn tokens_have_roles() {
    let mut editor = Editor::new();
    let text = "# x\nrule \"a\" {\n  when = upper(local.n) == user.name && true\n}\nb = [for v in c : v + 1]\n/* 1\n2 */ d = { e = 1 }\n";
    editor.open(URI, text);
    let document = json!({"textDocument": {"uri": URI}});
    let full = editor.ask("textDocument/semanticTokens/full", document.clone());
    let tokens = decoded(text, &full["data"]);
    for expected in [
        "# x comment",
        "rule type",
        "a label",
        "when property",
        "upper function",
        "local root",
        "n property",
        "== operator",
        "user variable",
        "true keyword",
        "for keyword",
        "v parameter",
        "in keyword",
        "c variable",
        "/* 1 comment",
        "2 */ comment",
        "e property",
        "1 number",
    ] {
        assert!(tokens.contains(&expected.to_owned()), "{expected} in {tokens:?}");
    }
    let range = json!({"start": {"line": 4, "character": 0}, "end": {"line": 5, "character": 0}});
    let part = editor
        .ask("textDocument/semanticTokens/range", json!({"textDocument": {"uri": URI}, "range": range}));
    assert_eq!(decoded(text, &part["data"])[0], "b property");
    // A change of a line is a short edit, which gives the tokens of the new text.
    let changed = text.replace("true", "false && 2 > 1");
    editor.replace(URI, &changed);
    let parameters = json!({"textDocument": {"uri": URI}, "previousResultId": full["resultId"]});
    let delta = editor.ask("textDocument/semanticTokens/full/delta", parameters);
    let mut data = full["data"].as_array().expect("a list").clone();
    for edit in delta["edits"].as_array().expect("a list") {
        let number = |name: &str| usize::try_from(edit[name].as_u64().expect("a number")).expect("small");
        let new = edit["data"].as_array().expect("a list").clone();
        assert!(new.len() < data.len() / 2);
        data.splice(number("start")..number("start") + number("deleteCount"), new);
    }
    let full = editor.ask("textDocument/semanticTokens/full", document);
    assert_eq!(Json::Array(data), full["data"]);
}
