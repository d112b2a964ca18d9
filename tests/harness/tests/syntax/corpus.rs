//! Real files and mutations of them: accepted or rejected as recorded, with equal diagnostics.

use std::collections::HashMap;
use std::path::Path;

use hclvm_compiler::source::{Source, decode};
use hclvm_compiler::{ParseLimits, parse_config, parse_template};
use libtest_mimic::Failed;
use serde_json::Value;

use crate::recorded;

/// The one file with a deliberate deviation: it has a lone byte 0xED, which the reference reads as an
/// identifier together with the two blanks after it.
const DEVIATION: &str = "files/_mutants/m0625_bad_utf8.hcl";

fn wanted(diagnostic: &Value) -> String {
    let at =
        |keys: [&str; 3]| -> Vec<u64> { keys.iter().filter_map(|key| diagnostic[key].as_u64()).collect() };
    let start = at(["line", "col", "byte"]);
    let end = at(["end_line", "end_col", "end_byte"]);
    format!("{} {start:?}-{end:?}", diagnostic["summary"].as_str().unwrap_or_default())
}

pub(crate) fn files_are_diagnosed_as_recorded(corpus: &Path) -> Result<(), Failed> {
    let diagnosed: HashMap<String, Vec<String>> = recorded::lines(&corpus.join("DIAGS.jsonl"))
        .iter()
        .map(|line| {
            let diagnostics = line["diags"].as_array().into_iter().flatten().map(wanted).collect();
            (line["path"].as_str().unwrap_or_default().to_owned(), diagnostics)
        })
        .collect();
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("an index");
    let limits = ParseLimits { diagnostics: usize::MAX, ..ParseLimits::default() };
    let mut disagreements = Vec::new();
    let rows: Vec<&str> = index.lines().skip(1).collect();
    for row in &rows {
        let columns: Vec<&str> = row.split('\t').collect();
        let (path, mode, verdict) = (columns[0], columns[10], columns[11]);
        let text = decode(&std::fs::read(corpus.join(path)).expect("a file"));
        let (diagnostics, seams) = if mode == "template" {
            let parsed = parse_template(&text, &limits);
            (parsed.diagnostics, parsed.seams)
        } else {
            let parsed = parse_config(&text, &limits);
            (parsed.diagnostics, parsed.seams)
        };
        let source = Source::new(path, text.text.as_str(), seams);
        let found: Vec<String> = diagnostics.iter().map(|one| recorded::found(&source, one)).collect();
        let wanted = diagnosed.get(path).cloned().unwrap_or_default();
        if path == DEVIATION {
            assert_eq!(
                found.first().map(String::as_str),
                Some("Invalid character encoding [46, 7, 946]-[46, 8, 947]")
            );
            continue;
        }
        if found != wanted || found.is_empty() != (verdict == "valid") {
            disagreements.push(format!("{path} ({verdict})\n  found  {found:#?}\n  wanted {wanted:#?}"));
        }
    }
    recorded::judge(rows.len(), &disagreements)
}
