//! Real files and mutants of them against what the reference says of each.
//!
//! ```text
//! DIR/INDEX.tsv            a row a file: path in column 1, parse mode in 11, verdict in 12
//! DIR/DIAGS.jsonl          the diagnostics of the files that have any
//! DIR/EVAL_UNKNOWN.jsonl   attribute expressions with every variable unknown
//! ```

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hclvm_compiler::source::{Source, decode};
use hclvm_compiler::{ParseLimits, parse_config, parse_template};
use hclvm_vm::diagnostic::Diagnostic;
use serde_json::Value as Json;

use crate::tally::Tally;

/// What the command line asks for.
struct Request {
    directory: PathBuf,
    show: usize,
}

impl Request {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut request = Self { directory: PathBuf::from("../shared/corpus"), show: 0 };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "--show" {
                let count = rest.next().and_then(|count| count.parse().ok());
                request.show = count.ok_or("--show takes a number")?;
            } else {
                request.directory = PathBuf::from(argument);
            }
        }
        Ok(request)
    }
}

/// Compares every file and prints figures of agreement.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let request = Request::read(arguments)?;
    let index = read(&request.directory.join("INDEX.tsv"))?;
    let recorded = recorded_diagnostics(&request.directory.join("DIAGS.jsonl"))?;
    let mut verdicts = Tally::new("files accepted or rejected alike", request.show);
    let mut diagnostics = Tally::new("files with equal diagnostics", request.show);
    for row in index.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [path, _, _, _, _, _, _, _, _, _, mode, verdict, ..] = columns[..] else {
            return Err(format!("not a row of the index: {row}"));
        };
        let bytes = fs::read(request.directory.join(path)).map_err(|error| format!("{path}: {error}"))?;
        let (source, found) = diagnose(path, &bytes, mode == "template");
        let found: Vec<String> = found.iter().map(|one| shown(&source, one)).collect();
        let expected = recorded.get(path).map_or(&[][..], Vec::as_slice);
        verdicts.compare(path, &found.is_empty().to_string(), &(verdict == "valid").to_string());
        diagnostics.compare(path, &found.join("\n"), &expected.join("\n"));
    }
    verdicts.print();
    diagnostics.print();
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn diagnose(path: &str, bytes: &[u8], is_template: bool) -> (Source, Vec<Diagnostic>) {
    let text = decode(bytes);
    let limits = ParseLimits { diagnostics: usize::MAX, ..ParseLimits::default() };
    let (diagnostics, seams) = if is_template {
        let parsed = parse_template(&text, &limits);
        (parsed.diagnostics, parsed.seams)
    } else {
        let parsed = parse_config(&text, &limits);
        (parsed.diagnostics, parsed.seams)
    };
    (Source::new(path, text.text, seams), diagnostics)
}

/// A diagnostic as far as it is compared: title and both ends.
fn shown(source: &Source, diagnostic: &Diagnostic) -> String {
    let Some(subject) = diagnostic.subject else { return diagnostic.title.to_string() };
    let (start, end) = source.range(subject);
    let place = |at: hclvm_compiler::source::Position| format!("{}:{}:{}", at.line, at.column, at.byte);
    format!("{} {}-{}", diagnostic.title, place(start), place(end))
}

fn recorded_diagnostics(path: &Path) -> Result<HashMap<String, Vec<String>>, String> {
    let mut files = HashMap::new();
    for line in read(path)?.lines() {
        let row: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let listed = row["diags"].as_array().into_iter().flatten();
        let path = row["path"].as_str().unwrap_or("").to_owned();
        files.insert(path, listed.map(recorded).collect());
    }
    Ok(files)
}

fn recorded(diagnostic: &Json) -> String {
    let place = |keys: [&str; 3]| keys.map(|key| diagnostic[key].to_string()).join(":");
    let title = diagnostic["summary"].as_str().unwrap_or("");
    let (start, end) = (place(["line", "col", "byte"]), place(["end_line", "end_col", "end_byte"]));
    format!("{title} {start}-{end}")
}
