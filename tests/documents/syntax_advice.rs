//! The replacements that syntax errors propose: a text with a mistake, and the text with the change applied.
//!
//! The files of tests/documents/syntax_advice have a case in each line: a text in JSON, and the text that the
//! proposal of its first problem with one makes of it. That text has no syntax error.

use std::fs;
use std::path::Path;

use hclvm::Diagnostic;
use hclvm_compiler::{ParseLimits, parse_config, parse_json, parse_template};

/// Returns the text with the first replacement that is proposed for it.
fn repaired(text: &str, problems: &[Diagnostic]) -> Option<String> {
    let additions = problems.iter().filter_map(|problem| problem.additions.as_deref());
    let change = additions.flat_map(|additions| &additions.replacements).next()?;
    let (start, end) = (change.span.start as usize, change.span.end as usize);
    Some(format!("{}{}{}", &text[..start], change.text, &text[end..]))
}

/// Asserts that every text of a file is repaired as it says, and has no problem then.
#[track_caller]
fn all_of(file: &str, parse: impl Fn(&str) -> Vec<Diagnostic>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents/syntax_advice").join(file);
    let content = fs::read_to_string(path).expect("the file can be read");
    let mut differences = Vec::new();
    for line in content.lines() {
        let (text, wanted) = line.split_once("\" => \"").expect("a text and its repair");
        let (text, wanted) = (format!("{text}\""), format!("\"{wanted}"));
        let [text, wanted]: [String; 2] =
            [text, wanted].map(|text| serde_json::from_str(&text).expect("JSON"));
        let problems = parse(&text);
        let found = repaired(&text, &problems);
        if found.as_deref() != Some(&*wanted) {
            differences.push(format!("{line}\n  found: {found:?} for {problems:#?}"));
        } else if let Some(problem) = parse(&wanted).first() {
            differences.push(format!("{line}\n  still has: {problem}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn files_are_repaired() {
    all_of("files.txt", |text| parse_config(text, &ParseLimits::default()).diagnostics);
}

#[test]
fn templates_are_repaired() {
    all_of("templates.txt", |text| parse_template(text, &ParseLimits::default()).diagnostics);
}

#[test]
fn files_in_json_are_repaired() {
    all_of("json.txt", |text| parse_json(text, &ParseLimits::default()).diagnostics);
}

#[test]
fn a_line_that_is_nearly_the_marker_of_a_heredoc_is_shown() {
    for (text, expected) in [
        ("a = <<EOT\nhello\n  ETO\nb = 1\n", Some(("ETO", "nearly the marker"))),
        ("a = <<EOT\nhello\neot\n", Some(("eot", "nearly the marker"))),
        ("a = f(<<EOT\nhello\nEOT)\n", Some(("EOT)", "the marker is not alone on this line"))),
        ("a = <<EOT\nhello\nEOT2 is no marker\n", None),
    ] {
        let problems = hclvm::Engine::new().parse_lenient("a.hcl", text).1;
        let labels = problems.iter().filter_map(|one| one.additions.as_ref()).flat_map(|one| &one.labels);
        let mut found = labels.map(|label| (label.span.slice(text), &*label.text));
        assert_eq!(found.nth(1), expected, "{text}: {problems}");
    }
}
