//! Results recorded from the reference implementation: finding, reading and comparing them.

use std::path::PathBuf;

use hclvm_compiler::source::{Decoded, Position, Source, decode};
use hclvm_vm::Diagnostic;
use serde_json::Value;

/// Returns a directory of recorded results beside the checkout; if it is absent, prints a message and
/// returns `None`.
pub(crate) fn directory(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(name);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no recorded results at {}", path.display());
    None
}

/// Reads the lines of a JSON Lines file.
pub(crate) fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Returns the conformance cases of the given kinds.
#[allow(dead_code, reason = "each test program uses its own part of this file")]
pub(crate) fn cases(kinds: &[&str]) -> Vec<Value> {
    let Some(directory) = directory("conformance") else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let all = files.iter().flat_map(|path| lines(path));
    all.filter(|case| kinds.contains(&case["kind"].as_str().unwrap_or_default())).collect()
}

/// Returns the source text of a case.
#[allow(dead_code, reason = "each test program uses its own part of this file")]
pub(crate) fn input(case: &Value) -> Decoded {
    match case["src_b64"].as_str() {
        Some(encoded) => decode(&base64(encoded)),
        None => decode(case["src"].as_str().expect("a case has a source").as_bytes()),
    }
}

/// Decodes a text in base 64.
#[allow(dead_code, reason = "each test program uses its own part of this file")]
pub(crate) fn base64(encoded: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = encoded.bytes().filter_map(|byte| LETTERS.iter().position(|&letter| letter == byte));
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0usize, 0);
    for digit in digits {
        bits = bits << 6 | digit;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held).to_le_bytes()[0]);
        }
    }
    bytes
}

/// Returns a position in the form of the recordings.
pub(crate) fn place(position: Position) -> [u64; 3] {
    [position.line.into(), position.column.into(), position.byte.into()]
}

/// Writes the compared parts of a diagnostic: its title and both ends of its subject.
#[allow(dead_code, reason = "each test program uses its own part of this file")]
pub(crate) fn found(source: &Source, diagnostic: &Diagnostic) -> String {
    let Some(subject) = diagnostic.subject else { return diagnostic.title.to_string() };
    let (start, end) = source.range(subject);
    format!("{} {:?}-{:?}", diagnostic.title, place(start), place(end))
}

/// Writes these parts of a recorded error.
#[allow(dead_code, reason = "each test program uses its own part of this file")]
pub(crate) fn wanted(error: &Value) -> String {
    let place = |key: &str| -> Vec<u64> {
        error[key].as_array().map(|ends| ends.iter().filter_map(Value::as_u64).collect()).unwrap_or_default()
    };
    format!("{} {:?}-{:?}", error["summary"].as_str().unwrap_or_default(), place("start"), place("end"))
}

/// Prints the first disagreements and fails if there are more than `allowed`.
pub(crate) fn judge(what: &str, total: usize, disagreements: &[String], allowed: usize) {
    eprintln!("{what}: {} of {total} agree", total - disagreements.len());
    let shown = std::env::var("SHOW").ok().and_then(|count| count.parse().ok()).unwrap_or(20);
    for disagreement in disagreements.iter().take(shown) {
        eprintln!("{disagreement}\n");
    }
    assert!(disagreements.len() <= allowed, "{} disagreements of {what}", disagreements.len());
}
