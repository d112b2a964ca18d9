//! `harness corpus`: compares real files and mutants of them with the recorded verdicts of the reference.
//!
//! ```text
//! DIR/INDEX.tsv            one row per file: path in column 1, parse mode in 11, verdict in 12
//! DIR/DIAGS.jsonl          the diagnostics of the files that have any
//! DIR/EVAL_UNKNOWN.jsonl   attribute expressions with every variable unknown
//! ```

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hclvm::diagnostics::{Position, Source};
use hclvm::run::Evaluation;
use hclvm::{Body, Diagnostic, Dialect, Document, Engine, Limits, Scope, Session};
use hclvm_compiler::source::decode;
use hclvm_compiler::{ParseLimits, parse_template};
use hclvm_vm::Arena;
use serde_json::{Map, Value as Json};

use crate::plain::plain;
use crate::tally::Tally;
use crate::tv::type_to;
use crate::{notation, table, tv};

/// The arguments of the command line.
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
                request.show = count.ok_or("--show needs a number")?;
            } else {
                request.directory = PathBuf::from(argument);
            }
        }
        Ok(request)
    }
}

/// Compares every file and prints how many agree.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let request = Request::read(arguments)?;
    let index = read(&request.directory.join("INDEX.tsv"))?;
    let recorded = recorded_diagnostics(&request.directory.join("DIAGS.jsonl"))?;
    let values = recorded_values(&request.directory.join("EVAL_UNKNOWN.jsonl"))?;
    let engine = Engine::builder()
        .dialect(Dialect::with_functions(table::packer()))
        .limits(Limits { diagnostics: usize::MAX, ..Limits::default() })
        .build();
    let mut tallies = Tallies::new(request.show);
    for row in index.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [path, _, _, _, _, _, _, _, _, _, mode, verdict, ..] = columns[..] else {
            return Err(format!("not a row of the index: {row}"));
        };
        let bytes = fs::read(request.directory.join(path)).map_err(|error| format!("{path}: {error}"))?;
        let found = if mode == "template" {
            template(path, &bytes)
        } else {
            let (document, diagnostics) = engine.parse_bytes_lenient(path, &bytes);
            if let Some(expected) = values.get(path) {
                attributes(&document, path, expected, &mut tallies.values);
            }
            diagnostics.iter().map(|one| shown(document.source(), one)).collect()
        };
        let expected = recorded.get(path).map_or(&[][..], Vec::as_slice);
        tallies.verdicts.compare(path, &found.is_empty().to_string(), &(verdict == "valid").to_string());
        tallies.diagnostics.compare(path, &found.join("\n"), &expected.join("\n"));
    }
    tallies.print();
    Ok(())
}

/// The counts of the comparison.
struct Tallies {
    verdicts: Tally,
    diagnostics: Tally,
    values: Tally,
}

impl Tallies {
    fn new(show: usize) -> Self {
        Self {
            verdicts: Tally::new("files accepted or rejected alike", show),
            diagnostics: Tally::new("files with equal diagnostics", show),
            values: Tally::new("attributes with equal values", show),
        }
    }

    fn print(&self) {
        self.verdicts.print();
        self.diagnostics.print();
        self.values.print();
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the diagnostics of a bare template.
fn template(path: &str, bytes: &[u8]) -> Vec<String> {
    let text = decode(bytes);
    let parsed = parse_template(&text, &ParseLimits { diagnostics: usize::MAX, ..ParseLimits::default() });
    let source = Source::new(path, text.text, parsed.seams);
    parsed.diagnostics.iter().map(|one| shown(&source, one)).collect()
}

/// Compares every attribute of a document, with all variables unknown.
fn attributes(document: &Document, path: &str, expected: &HashMap<u64, String>, tally: &mut Tally) {
    let mut scope = document.scope();
    scope.set_rest_unknown();
    let mut session = document.engine().session();
    let mut open: Vec<Body<'_>> = vec![document.body()];
    while let Some(body) = open.pop() {
        for attribute in body.attributes() {
            let span = attribute.expression_span();
            let Some(expected) = expected.get(&u64::from(span.start)) else { continue };
            let found = match attribute.program() {
                Ok(program) => result(&program, &scope, &mut session),
                Err(error) => error.to_string(),
            };
            tally.compare(&format!("{path}:{} {}", span.start, attribute.name()), &found, expected);
        }
        open.extend(body.blocks().map(|block| block.body()));
    }
}

fn result(program: &hclvm::Program, scope: &Scope, session: &mut Session) -> String {
    match session.evaluate(program, scope) {
        Ok(evaluation) => written(&evaluation),
        Err(error) => error.to_string(),
    }
}

/// Returns the part of a result that is compared: the value, or title and position of the first error.
fn written(evaluation: &Evaluation<'_>) -> String {
    let value = evaluation.value;
    if let Some(first) = evaluation.diagnostics.iter().next() {
        let place = first.subject.map(|span| evaluation.diagnostics.source().position(span.start));
        let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
        return format!("{} errors, first: {} {line}:{column}", evaluation.diagnostics.len(), first.title);
    }
    let arena: Arena = tv::arena();
    match plain(value) {
        Some(json) => format!("{} {}", sorted(&json), sorted(&type_to(value.type_of(&arena)))),
        None => notation::value(value),
    }
}

/// Returns the expected result of [`written`] for each attribute, by path and start of its expression.
fn recorded_values(path: &Path) -> Result<HashMap<String, HashMap<u64, String>>, String> {
    let mut files: HashMap<String, HashMap<u64, String>> = HashMap::new();
    for line in read(path)?.lines() {
        let row: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let written = match (&row["error"], &row["unknown"]) {
            (Json::Object(error), _) => format!(
                "{} errors, first: {} {}:{}",
                error["n"],
                error["summary"].as_str().unwrap_or(""),
                error["line"],
                error["col"]
            ),
            (_, Json::String(unknown)) => unknown.clone(),
            _ => format!("{} {}", sorted(&row["value"]), sorted(&row["type"])),
        };
        let file = files.entry(row["path"].as_str().unwrap_or("").to_owned()).or_default();
        file.insert(row["start"].as_u64().unwrap_or(0), written);
    }
    Ok(files)
}

/// Sorts the keys of JSON.
pub(crate) fn sorted(json: &Json) -> Json {
    match json {
        Json::Array(items) => items.iter().map(sorted).collect(),
        Json::Object(fields) => {
            let mut ordered: Vec<_> =
                fields.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            ordered.sort_by(|(a, _), (b, _)| a.cmp(b));
            Json::Object(ordered.into_iter().collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Returns the part of a diagnostic that is compared: its title and both ends of its range.
fn shown(source: &Source, diagnostic: &Diagnostic) -> String {
    let Some(subject) = diagnostic.subject else { return diagnostic.title.to_string() };
    let (start, end) = source.range(subject);
    let place = |at: Position| format!("{}:{}:{}", at.line, at.column, at.byte);
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
