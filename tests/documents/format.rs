//! The canonical style: what formatting does to texts, and what it never changes.

use std::path::{Path, PathBuf};

use hclvm::{Engine, Limits, Undefined};
use hclvm_compiler::token::TokenKind;
use hclvm_compiler::{LexMode, lex};

fn formatted(text: &str) -> String {
    let engine = Engine::new();
    let formatted = engine.format("test.hcl", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let again = engine.format("test.hcl", &formatted).expect("formatted text has no errors");
    assert_eq!(again, formatted, "formatting twice differs from formatting once");
    assert_eq!(tokens(&formatted), tokens(text));
    formatted
}

/// The tokens of a text without the blanks between them.
fn tokens(text: &str) -> Vec<(TokenKind, &str)> {
    lex(text, LexMode::Config).tokens.iter().map(|token| (token.kind, token.span.slice(text))).collect()
}

/// The cases of a file: texts before and after, separated by lines of dashes.
#[test]
fn texts_get_the_canonical_style() {
    let cases = include_str!("format/style.txt");
    let mut wrong = Vec::new();
    for case in cases.split("=====\n").filter(|case| !case.is_empty()) {
        let (before, after) = case.split_once("-----\n").expect("a case has two texts");
        let found = formatted(before);
        if found != after {
            wrong.push(format!("{before}is formatted as\n{found}instead of\n{after}"));
        }
        assert_eq!(formatted(after), after);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn carriage_returns_are_kept() {
    assert_eq!(formatted("a=1 #x\r\n\r\nb {\r\nc=2\r\n}\r\n"), "a = 1 #x\r\n\r\nb {\r\n  c = 2\r\n}\r\n");
}

#[test]
fn a_byte_order_mark_is_left_out() {
    assert_eq!(formatted("\u{FEFF}a=1\n"), "a = 1\n");
}

#[test]
fn columns_are_characters_not_bytes() {
    assert_eq!(formatted("é=1\nabc=2\n"), "é   = 1\nabc = 2\n");
    assert_eq!(formatted("m = {\n\"e\u{301}\"=1\nabc=2\n}\n"), "m = {\n  \"e\u{301}\" = 1\n  abc = 2\n}\n");
}

#[test]
fn a_text_with_syntax_errors_is_not_formatted() {
    let error = Engine::new().format("broken.hcl", "a = [1,\nb = }\n").unwrap_err();
    assert!(error.to_string().starts_with("broken.hcl:"), "{error}");
}

#[test]
fn an_aligned_text_may_not_exceed_the_limit() {
    // Names of attributes may not repeat, keys of an object may.
    let text = format!("m = {{\n{} = 1\n{}}}\n", "k".repeat(3000), "a = 1\n".repeat(5000));
    let engine = Engine::builder().limits(Limits { source_bytes: 100_000, ..Limits::untrusted() }).build();
    let error = engine.format("wide.hcl", &text).unwrap_err();
    assert!(error.to_string().contains("at most 100000 are allowed"), "{error}");
}

#[test]
fn deep_nesting_is_formatted() {
    let text = format!("a = {}1{}\n", "[".repeat(900), "]".repeat(900));
    assert_eq!(formatted(&text), text);
    let lines = format!("a = {}1\n{}", "[\n".repeat(900), "]\n".repeat(900));
    let lines = formatted(&lines);
    let deepest = lines.lines().map(|line| line.len() - line.trim_start().len()).max();
    assert_eq!(deepest, Some(1800));
}

/// Texts of the folder, or of the shared folder beside the project, which may be absent.
fn texts(folder: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let native = path.extension().is_some_and(|end| end != "json");
            match std::fs::read_to_string(&path) {
                _ if path.is_dir() => open.push(path),
                Ok(text) if native => found.push((path, text)),
                _ => {}
            }
        }
    }
    found
}

/// Formats each text without errors, and compares the values of all attributes, with every variable unknown.
fn check_texts(texts: Vec<(PathBuf, String)>) -> usize {
    let engine = Engine::builder().undefined(Undefined::Unknown).build();
    let mut checked = 0;
    for (path, text) in texts {
        if engine.parse("before", &text).is_ok() {
            let after = formatted(&text);
            assert_eq!(values(&engine, &after), values(&engine, &text), "{}", path.display());
            checked += 1;
        }
    }
    checked
}

/// The name and value of every attribute, or the titles of its diagnostics. Their sentences quote the text.
fn values(engine: &Engine, text: &str) -> Vec<String> {
    let document = engine.parse("text", text).expect("it has no errors");
    let scope = document.scope();
    let mut session = engine.session();
    let mut open = vec![document.body()];
    let mut found = Vec::new();
    while let Some(body) = open.pop() {
        for attribute in body.attributes() {
            let value = match attribute
                .program()
                .and_then(|program| session.run(&program, &scope).map(|value| format!("{value:?}")))
            {
                Ok(value) => value,
                Err(error) => match error.diagnostics() {
                    Some(all) => all.iter().map(|one| one.title.as_ref()).collect::<Vec<&str>>().join("; "),
                    None => error.to_string(),
                },
            };
            found.push(format!("{} = {value}", attribute.name()));
        }
        open.extend(body.blocks().map(|block| block.body()));
    }
    found
}

#[test]
fn examples_keep_their_values() {
    assert!(check_texts(texts("examples")) >= 4);
}

#[test]
fn real_files_keep_their_values() {
    let texts = texts("../shared/corpus/files");
    if texts.is_empty() {
        eprintln!("skipped: ../shared/corpus/files is absent");
        return;
    }
    assert!(check_texts(texts) > 1000);
}

#[test]
fn recorded_texts_keep_their_values() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance");
    let mut recorded = Vec::new();
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let lines = std::fs::read_to_string(entry.path()).unwrap_or_default();
        for case in lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
            let Some(text) = case["src"].as_str() else { continue };
            match case["kind"].as_str() {
                Some("config") => recorded.push((entry.path(), text.to_owned())),
                Some("expr") => recorded.push((entry.path(), format!("a = ({text}\n)\n"))),
                _ => {}
            }
        }
    }
    if recorded.is_empty() {
        eprintln!("skipped: ../shared/conformance is absent");
        return;
    }
    assert!(check_texts(recorded) > 5000);
}
