//! Texts with syntax errors: which problems are reported, in which order, and where each begins.
//!
//! The files of tests/documents/syntax_errors have a case in each line: a text in JSON, and the problems that the
//! reference reports for it.

use std::fs;
use std::path::Path;

use hclvm::Diagnostic;
use hclvm::diagnostics::Source;
use hclvm_compiler::{LexMode, ParseLimits, further, parse_config, parse_expression, parse_template};

/// Returns position and title of each problem.
fn listed(text: &str, seams: &[u32], problems: &[Diagnostic]) -> String {
    let source = Source::new("", text, seams.to_vec());
    let line = |problem: &Diagnostic| {
        let place = source.position(problem.subject.map_or(u32::MAX, |span| span.start));
        format!("{}:{} {}", place.line, place.column, problem.title)
    };
    problems.iter().map(line).collect::<Vec<_>>().join("; ")
}

/// The texts of a file.
fn texts(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents/syntax_errors").join(file);
    let content = fs::read_to_string(path).expect("the file can be read");
    let text = |line: &str| {
        line.rsplit_once(" => ").map(|(text, _)| serde_json::from_str(text).expect("a text in JSON"))
    };
    content.lines().map(|line| text(line).expect("a text and its problems")).collect()
}

/// Asserts that every text of a file has its problems.
#[track_caller]
fn all_of(file: &str, parse: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents/syntax_errors").join(file);
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

/// The problems that are reported on request follow the others, with a plus in the file. Of several mistakes in a text each is reported,
/// and none that is only a consequence.
#[test]
fn further_problems_are_found() {
    all_of("further.txt", |text| {
        let limits = ParseLimits::default();
        let parsed = parse_config(text, &limits);
        let more = further(text, LexMode::Config, &limits, &parsed.diagnostics);
        let list = |problems: &[Diagnostic]| listed(text, &parsed.seams, problems);
        let more = more.iter().map(|problem| format!("; +{}", list(std::slice::from_ref(problem))));
        list(&parsed.diagnostics) + &more.collect::<Vec<_>>().concat()
    });
}

#[test]
fn further_problems_are_marked_and_at_other_places() {
    let limits = ParseLimits::default();
    for (file, mode) in [
        ("files.txt", LexMode::Config),
        ("expressions.txt", LexMode::Expression),
        ("templates.txt", LexMode::Template),
    ] {
        for text in texts(file) {
            let first = match mode {
                LexMode::Config => parse_config(&*text, &limits).diagnostics,
                LexMode::Expression => parse_expression(&*text, &limits).diagnostics,
                LexMode::Template => parse_template(&*text, &limits).diagnostics,
            };
            let start = |problem: &Diagnostic| problem.subject.map(|span| span.start);
            for problem in further(&*text, mode, &limits, &first) {
                assert!(problem.additions.as_ref().is_some_and(|additions| additions.further), "{text:?}");
                assert!(first.iter().all(|one| start(one) != start(&problem)), "{text:?}: {problem}");
                assert!(
                    problem.subject.is_some_and(|span| span.end as usize <= text.len()),
                    "{text:?}: {problem}"
                );
            }
        }
    }
}

#[test]
fn an_engine_tells_further_problems_on_request() {
    let text = "a = [1 2,\n  3 4]\n";
    let told = |engine: &hclvm::Engine| engine.parse_lenient("", text).1.iter().cloned().collect::<Vec<_>>();
    let few = told(&hclvm::Engine::standard());
    let all = told(&hclvm::Engine::builder().further_errors(true).build());
    assert_eq!((few.len(), all.len()), (1, 2));
    assert_eq!(few[..], all[..1]);
}

#[test]
fn a_text_with_very_many_mistakes_is_read_a_bounded_number_of_times() {
    let text = "a = [1 2]\n".repeat(100_000);
    let limits = ParseLimits::default();
    let first = parse_config(&*text, &limits).diagnostics;
    let more = further(&*text, LexMode::Config, &limits, &first);
    assert!(more.len() < 100, "{}", more.len());
}
