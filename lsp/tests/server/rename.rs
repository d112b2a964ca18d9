//! Renaming: the values of files do not change.

use hclvm::{Engine, show};
use serde_json::{Value as Json, json};

use crate::client::{Editor, edited, marked, place};

const URI: &str = "file:///a.hcl";

fn rename(editor: &mut Editor, at: (usize, usize), new: &str) -> Json {
    let mut parameters = place(URI, at);
    parameters["newName"] = json!(new);
    editor.answer("textDocument/rename", parameters)
}

fn renamed(text: &str) -> String {
    let (text, at) = marked(text);
    let mut editor = Editor::new();
    editor.open(URI, &text);
    let answer = rename(&mut editor, at, "new");
    assert!(answer.get("error").is_none(), "{answer}");
    edited(&text, &answer["result"]["changes"][URI])
}

fn refused(text: &str) -> String {
    let (text, at) = marked(text);
    let mut editor = Editor::new();
    editor.open(URI, &text);
    let answer = rename(&mut editor, at, "new");
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn all_uses_are_renamed() {
    assert_eq!(
        renamed("locals {\n  n = 1\n  m = local.n + 1\n}\na = \"${local.^n}\" == local[\"n\"]\n"),
        "locals {\n  new = 1\n  m = local.new + 1\n}\na = \"${local.new}\" == local[\"new\"]\n"
    );
    assert_eq!(
        renamed("a = [for k, ^v in v : [for v in [v] : v] if v > k]"),
        "a = [for k, new in v : [for v in [new] : v] if new > k]"
    );
    assert_eq!(
        renamed(
            "b {\n  dynamic \"x\" {\n    for_each = [1]\n    content {\n      x = ^x.value\n    }\n  }\n}\n"
        ),
        "b {\n  dynamic \"x\" {\n    iterator = new\n    for_each = [1]\n    content {\n      x = new.value\n    }\n  }\n}\n"
    );
    assert_eq!(
        renamed("function \"f\" {\n  params = [v, w]\n  result = v + ^v * w\n}\n"),
        "function \"f\" {\n  params = [new, w]\n  result = new + new * w\n}\n"
    );
}

#[test]
fn a_rename_that_changes_values_is_refused() {
    assert!(refused("a = ^user.name").contains("host"));
    assert!(refused("a = user.^name").contains("part of a value"));
    assert!(refused("locals {\n  n = 1\n}\na = local.^n\nb = keys(local)").contains("as a whole"));
    assert!(refused("locals {\n  n = 1\n  new = 2\n}\na = local.^n").contains("defined already"));
    assert!(refused("a = [for ^v in b : v + new]").contains("variable"));
    assert!(refused("a = [for ^v in b : [for new in v : new]]").contains("bound"));
    assert!(refused("a = [for new in b : [for ^v in new : v]]").contains("bound"));
    assert!(refused("a = (^").contains("syntax"));
    assert!(refused("a = ^upper(1)").contains("Functions"));
    assert!(refused("^a = 1").contains("does not refer"));
    assert!(refused("a = local.^n").contains("Nothing defines"));
}

/// A generator of numbers: the same ones in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}

const NAMES: [&str; 5] = ["a", "b", "c", "x", "y"];

/// Returns an expression that reads locals, variables and bound names of few letters.
fn expression(random: &mut Random, locals: usize, depth: usize) -> String {
    let name = NAMES[random.below(NAMES.len())];
    let other = NAMES[random.below(NAMES.len())];
    if depth == 0 {
        return match random.below(4) {
            0 if locals > 0 => format!("local.l{}", random.below(locals)),
            1 => name.to_owned(),
            2 => format!("\"{name}\""),
            _ => random.below(9).to_string(),
        };
    }
    let inner = |random: &mut Random| expression(random, locals, depth - 1);
    match random.below(8) {
        0 => format!("[for {name} in [1, {}] : [{name}, {}]]", inner(random), inner(random)),
        1 if name != other => {
            format!("{{for {name}, {other} in [{}] : \"k${{{name}}}\" => {other}}}", inner(random))
        }
        2 => format!(
            "\"<${{jsonencode({})}}%{{ for {name} in [1] }}${{{name}}}%{{ endfor }}>\"",
            inner(random)
        ),
        3 => format!("{{ {name} = {}, ({}) = 1 }}", inner(random), "\"k\""),
        4 => format!("jsonencode([{}, {}])", inner(random), inner(random)),
        5 => format!("try({}, {})", inner(random), inner(random)),
        6 => format!("[{}][*]", inner(random)),
        _ => format!("({})", inner(random)),
    }
}

fn file(random: &mut Random) -> String {
    let locals = 1 + random.below(4);
    let mut text = "locals {\n".to_owned();
    for at in 0..locals {
        text.extend([format!("  l{at} = {}\n", expression(random, at, 2))]);
    }
    text.push_str("}\n");
    for at in 0..2 {
        text.extend([format!("r{at} = {}\n", expression(random, locals, 3))]);
    }
    text.extend([format!(
        "set {{\n  dynamic \"x\" {{\n    for_each = [{}]\n    content {{\n      v = [x.value, {}]\n    }}\n  }}\n}}\n",
        expression(random, locals, 1),
        expression(random, locals, 1)
    )]);
    text
}

/// Returns all values of a file, those of locals by their order.
fn values(text: &str) -> Option<Vec<String>> {
    let engine = Engine::new();
    let document = engine.parse("a.hcl", text).ok()?;
    let module = document.module().ok()?;
    let mut scope = module.scope();
    for name in NAMES {
        if scope.layout().slot(name).is_some() {
            scope.set(name, &format!("variable {name}")).ok()?;
        }
    }
    let mut session = engine.session();
    let values = module.evaluate(&mut session, &scope).ok()?;
    let mut all: Vec<String> = values.locals().map(|(_, value)| show::line(value)).collect();
    all.sort();
    let mut bodies = vec![values.body()];
    while let Some(body) = bodies.pop() {
        all.extend(body.attributes().map(|(_, value)| show::line(value)));
        bodies.extend(body.blocks().map(|block| block.body()));
    }
    Some(all)
}

/// Renames names of generated files. `HCLVM_FILES` is the number of files.
#[test]
fn values_of_generated_files_stay_equal() {
    let files = std::env::var("HCLVM_FILES").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let mut random = Random(7);
    let mut editor = Editor::new();
    let (mut done, mut refused) = (0, 0);
    for _ in 0..files {
        let text = file(&mut random);
        let before = values(&text).unwrap_or_else(|| panic!("it can be evaluated:\n{text}"));
        editor.open(URI, &text);
        let bytes = text.as_bytes();
        let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        let words: Vec<usize> = (1..bytes.len()).filter(|at| is_word(*at) && !is_word(at - 1)).collect();
        for _ in 0..12 {
            let word = words[random.below(words.len())];
            let line = text[..word].matches('\n').count();
            let at = (line, word - text[..word].rfind('\n').map_or(0, |newline| newline + 1));
            let answer = rename(&mut editor, at, ["new", "other", "x", "l9"][random.below(4)]);
            if answer.get("error").is_some() {
                refused += 1;
                continue;
            }
            let changed = edited(&text, &answer["result"]["changes"][URI]);
            let after = values(&changed)
                .unwrap_or_else(|| panic!("it can be evaluated:\n{text}\nrenamed:\n{changed}"));
            assert_eq!(before, after, "{text}\nat {at:?} renamed:\n{changed}");
            done += 1;
        }
    }
    assert!(done > files, "{done} renames of {files} files, {refused} were refused");
}
