//! Reading and comparing results recorded from the reference implementation.

use hclvm_compiler::source::{Decoded, Position, Source, decode};
use hclvm_vm::Diagnostic;
use libtest_mimic::Failed;
use serde_json::Value;

/// Reads the lines of a JSON Lines file.
pub(crate) fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// The reason of deviations in the syntax itself; the others are about values.
const OF_SYNTAX: &str = "row: bytes that are not UTF-8 are no text";

/// Returns the cases of the given kinds, without those whose syntax deviates on purpose.
pub(crate) fn of_kinds<'c>(cases: &'c [Value], kinds: &[&str]) -> Vec<&'c Value> {
    let deviating: Vec<&str> = include_str!("../deviations.txt")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(_, reason)| reason.trim() == OF_SYNTAX)
        .map(|(id, _)| id)
        .collect();
    let of = |case: &Value, name: &str| case[name].as_str().unwrap_or_default().to_owned();
    let is_wanted =
        |case: &&Value| kinds.contains(&&*of(case, "kind")) && !deviating.contains(&&*of(case, "id"));
    cases.iter().filter(is_wanted).collect()
}

/// Returns the source text of a case.
pub(crate) fn input(case: &Value) -> Decoded {
    match case["src_b64"].as_str() {
        Some(encoded) => decode(&base64(encoded)),
        None => decode(case["src"].as_str().expect("a case has a source").as_bytes()),
    }
}

/// Decodes a text in base 64.
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
pub(crate) fn found(source: &Source, diagnostic: &Diagnostic) -> String {
    let Some(subject) = diagnostic.subject else { return diagnostic.title.to_string() };
    let (start, end) = source.range(subject);
    format!("{} {:?}-{:?}", diagnostic.title, place(start), place(end))
}

/// Writes these parts of a recorded error.
pub(crate) fn wanted(error: &Value) -> String {
    let place = |key: &str| -> Vec<u64> {
        error[key].as_array().map(|ends| ends.iter().filter_map(Value::as_u64).collect()).unwrap_or_default()
    };
    format!("{} {:?}-{:?}", error["summary"].as_str().unwrap_or_default(), place("start"), place("end"))
}

/// Fails if nothing was compared or if there are disagreements, of which it shows the first.
pub(crate) fn judge(total: usize, disagreements: &[String]) -> Result<(), Failed> {
    if total == 0 {
        return Err("nothing was compared".into());
    }
    if disagreements.is_empty() {
        return Ok(());
    }
    let shown = &disagreements[..disagreements.len().min(crate::judge::shown())];
    Err(format!("{} of {total} disagree, the first:\n{}", disagreements.len(), shown.join("\n")).into())
}
