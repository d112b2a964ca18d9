//! Edits: after each of them the server reports what a fresh check reports. All examples are without errors.

use std::path::{Path, PathBuf};

use hclvm::Engine;
use hclvm::check::Declared;
use hclvm::lint::Lints;
use serde_json::{Value as Json, json};

use crate::client::Editor;

const URI: &str = "file:///a.hcl";

/// What edits insert.
const PIECES: [&str; 14] = [
    "a",
    "=",
    "\n",
    "{",
    "}",
    "\"",
    "${",
    "local.x",
    " ",
    "# é\n",
    "b = upper(1, 2)\n",
    "[",
    ")",
    "locals {\n  x = 1\n}\n",
];

fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).expect("31 bits")
}

/// Returns the position of a byte in units of UTF-16.
fn position(text: &str, at: usize) -> Json {
    let before = &text[..at];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    json!({"line": line, "character": before[start..].encode_utf16().count()})
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    // Positions are never between the two characters that end a line, which clients do not send either.
    at
}

/// Returns the diagnostics of a fresh check.
fn fresh(text: &str) -> Vec<String> {
    let engine = Engine::builder().further_errors(true).build();
    let (document, syntax) = engine.parse_lenient("/a.hcl", text);
    if syntax.has_errors() {
        return syntax.iter().map(ToString::to_string).collect();
    }
    let checked = hclvm_project::check::document(&document, &Declared::anything(), &Lints::new(), None);
    checked.problems.iter().flat_map(|one| one.iter()).map(ToString::to_string).collect()
}

/// Edits a text at random. `HCLVM_EDITS` is the number of edits.
#[test]
fn edits_give_the_diagnostics_of_a_fresh_check() {
    let edits = std::env::var("HCLVM_EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(3000);
    let start =
        "locals {\n  x = 1\n}\nrule \"é😀\" {\n  when = local.x == y.z\n}\na = [for v in w : v]\n".repeat(4);
    let mut text = start.clone();
    let mut editor = Editor::new();
    editor.open(URI, &text);
    let mut seed = 11;
    for count in 1..=edits {
        let from = boundary(&text, next(&mut seed) % (text.len() + 1));
        let to = boundary(&text, (from + next(&mut seed) % 6).min(text.len())).max(from);
        let piece = PIECES[next(&mut seed) % PIECES.len()];
        let range = json!({"start": position(&text, from), "end": position(&text, to)});
        editor.change(URI, json!([{"range": range, "text": piece}]));
        text.replace_range(from..to, piece);
        if count % 5 == 0 {
            let shown = editor.messages(URI);
            let shown: Vec<&str> =
                shown.iter().map(|one| one.split('\n').next().unwrap_or_default()).collect();
            let expected = fresh(&text);
            let expected: Vec<&str> =
                expected.iter().map(|one| one.split('\n').next().unwrap_or_default()).collect();
            assert_eq!(shown, expected, "after {count} edits:\n{text}");
        }
        if count % 40 == 0 || text.len() > 2 * start.len() {
            text.clone_from(&start);
            editor.replace(URI, &text);
        }
    }
}

/// Returns the files in a folder and below.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the repository").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|suffix| suffix == "hcl" || suffix == "nomad") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn examples_have_no_errors_and_all_requests_are_answered() {
    let examples = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"));
    assert!(examples.len() > 3, "{examples:?}");
    let mut editor = Editor::new();
    for path in examples {
        let text = std::fs::read_to_string(&path).expect("a text");
        let uri = crate::client::uri(&path);
        editor.open(&uri, &text);
        let report = editor.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}));
        let is_error = |one: &&Json| one["severity"] == 1;
        let errors: Vec<&Json> =
            report["items"].as_array().expect("a list").iter().filter(is_error).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
        for (line, content) in text.lines().enumerate() {
            for at in [0, content.len() / 2, content.len()] {
                for method in ["hover", "completion", "signatureHelp", "definition", "documentHighlight"] {
                    editor.at(&format!("textDocument/{method}"), &uri, (line, at));
                }
            }
        }
        for method in ["documentSymbol", "foldingRange", "semanticTokens/full", "codeLens", "documentLink"] {
            editor.ask(&format!("textDocument/{method}"), json!({"textDocument": {"uri": uri}}));
        }
    }
}
