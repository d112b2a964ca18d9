//! Texts with syntax errors: which problems are reported, in which order, and where each begins.
//!
//! The files of tests/syntax_errors have a case in each line: a text in JSON, and the problems that the
//! reference reports for it.

use std::fs;
use std::path::Path;

use hclvm::Diagnostic;
use hclvm::diagnostics::Source;
use hclvm_compiler::{ParseLimits, parse_config, parse_expression, parse_template};

/// Returns position and title of each problem.
fn listed(text: &str, seams: &[u32], problems: &[Diagnostic]) -> String {
    let source = Source::new("", text, seams.to_vec());
    let line = |problem: &Diagnostic| {
        let place = source.position(problem.subject.map_or(u32::MAX, |span| span.start));
        format!("{}:{} {}", place.line, place.column, problem.title)
    };
    problems.iter().map(line).collect::<Vec<_>>().join("; ")
}

/// Asserts that every text of a file has its problems.
#[track_caller]
fn all_of(file: &str, parse: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax_errors").join(file);
    let content = fs::read_to_string(path).expect("the file can be read");
    let mut differences = Vec::new();
    for line in content.lines() {
        let (text, wanted) = line.rsplit_once(" => ").expect("a text and its problems");
        let text: String = serde_json::from_str(text).expect("a text in JSON");
        let found = parse(&text);
        if found != wanted {
            differences.push(format!("{line}\n  found: {found}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn expressions_have_their_problems() {
    all_of("expressions.txt", |text| {
        let parsed = parse_expression(text, &ParseLimits::default());
        listed(text, &parsed.seams, &parsed.diagnostics)
    });
}

#[test]
fn templates_have_their_problems() {
    all_of("templates.txt", |text| {
        let parsed = parse_template(text, &ParseLimits::default());
        listed(text, &parsed.seams, &parsed.diagnostics)
    });
}

#[test]
fn files_have_their_problems() {
    all_of("files.txt", |text| {
        let parsed = parse_config(text, &ParseLimits::default());
        listed(text, &parsed.seams, &parsed.diagnostics)
    });
}
