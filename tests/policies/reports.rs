//! Reports: the line of each diagnostic, with carets below its subject.

use std::sync::Arc;

use hclvm::diagnostics::{NamedValue, Severity, Source, Span};
use hclvm::{Diagnostic, Diagnostics, Engine, Layout};

/// Returns the report of the errors of a file.
fn report(text: &str) -> String {
    let error = Engine::standard().parse("a.hcl", text).expect_err("it has errors");
    error.diagnostics().expect("they are about the text").report().to_string()
}

/// Returns the report of the errors of an expression.
fn faults(text: &str) -> String {
    let (engine, layout) = (Engine::standard(), Arc::new(Layout::default()));
    let program = engine.compile(text, &layout).expect("it compiles");
    let error = engine.session().run(&program, &engine.scope(&layout)).map(drop).expect_err("it has faults");
    error.diagnostics().expect("they are about the text").report().to_string()
}

/// Returns the two lines with the text and the carets.
fn marked(report: &str) -> Vec<&str> {
    report
        .lines()
        .filter(|line| line.contains(" | "))
        .map(|line| line.split_once(" | ").expect("it is").1)
        .collect()
}

#[test]
fn carets_are_below_the_subject() {
    let found = faults("1 + nothing + 2");
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[0], "error[unknown-variable]: Unknown variable");
    assert_eq!(lines[1], " --> expression:1:5");
    assert_eq!(lines[2..5], ["  |", "1 | 1 + nothing + 2", "  |     ^^^^^^^"]);
    assert!(lines[5].starts_with("  = ") && lines.len() == 6, "{found}");
}

#[test]
fn several_are_separated_by_an_empty_line() {
    let found = faults("[a, b]");
    assert_eq!(found.matches("\n\n").count(), 1);
    assert_eq!(marked(&found), ["[a, b]", " ^", "[a, b]", "    ^"]);
    assert!(found.ends_with('\n') && !found.ends_with("\n\n") && !found.starts_with('\n'));
}

#[test]
fn margins_are_as_wide_as_the_line_number() {
    for (lines, margin) in [(0, "  |"), (8, "  |"), (9, "   |"), (98, "   |"), (99, "    |")] {
        let found = report(&format!("{}a = (1 2)\n", "\n".repeat(lines)));
        assert!(found.contains(&format!("\n{margin}\n{} | a = (1 2)\n{margin} ", lines + 1)), "{found}");
    }
}

#[test]
fn a_subject_of_several_lines_is_marked_to_the_end_of_its_first() {
    let found = faults("1 + [\n 1,\n 2]");
    assert_eq!(marked(&found)[0], "1 + [");
    let found = faults("\"a${\n[1]\n}\" + 1");
    assert_eq!(marked(&found)[1], "^^^^ a string", "{found}");
}

#[test]
fn carets_are_placed_by_the_width_of_characters() {
    assert_eq!(marked(&faults("[\"e\u{301}🇩🇪\", nope]"))[1], "        ^^^^");
    assert_eq!(marked(&faults("[\t1,\t\tnope]")), ["[    1,        nope]", "               ^^^^"]);
    assert_eq!(marked(&faults("[\"漢字\", nope]"))[1], "         ^^^^");
    assert_eq!(
        marked(&faults("[\"\u{202e}\u{2066}\u{200f}\", nope]"))[0],
        "[\"\u{fffd}\u{fffd}\u{fffd}\", nope]"
    );
}

#[test]
fn long_lines_are_cut_around_the_subject() {
    // The subject is at column 81 in what is shown, or where it is if the line is shorter before it.
    for before in [10, 79, 80, 81, 82, 300] {
        let text =
            format!("[{}nope{}]", "1,".repeat(before / 2).replace(",1,1,1", ", 1,11"), ", 2".repeat(200));
        let column = text.find("nope").expect("it is there");
        let found = faults(&text);
        let lines = marked(&found);
        let (shown, carets) = (lines[0], lines[1]);
        let skipped = column.saturating_sub(80);
        assert_eq!(shown.starts_with('…'), skipped > 0, "{found}");
        let width = shown.chars().count();
        assert_eq!(width, 120 + usize::from(skipped > 0), "{found}");
        let at = column - skipped + usize::from(skipped > 0);
        assert_eq!(carets, format!("{}^^^^", " ".repeat(at)));
        assert_eq!(shown.chars().skip(at).take(4).collect::<String>(), "nope");
    }
}

#[test]
fn a_subject_behind_the_line_has_a_caret_there() {
    // The line ends where an expression is missing.
    let found = report("a = 1 +");
    assert_eq!(marked(&found), ["a = 1 +", "       ^"]);
    let found = report("a = 1 +\nb = 2\n");
    assert_eq!(marked(&found), ["a = 1 +", "       ^"]);
}

#[test]
fn an_empty_subject_has_one_caret() {
    // The text between the quotes.
    let found = faults("parseint(\"\", 10)");
    assert_eq!(marked(&found)[1].matches('^').count(), 1, "{found}");
    let caret = marked(&found)[1].len();
    assert!(found.contains(&format!(":1:{caret}\n")), "{found}");
}

#[test]
fn details_of_several_lines_are_indented() {
    let found = faults("try(a, b)");
    let details: Vec<&str> = found.lines().skip_while(|line| !line.starts_with("  = ")).collect();
    assert!(details.len() > 2, "{found}");
    assert!(details[1..].iter().all(|line| line.starts_with("    ") || line.trim().is_empty()), "{found}");
}

/// Returns the place of the first `part` in `text`.
fn span(text: &str, part: &str) -> Span {
    let start = text.find(part).expect("the text contains it");
    let offset = |at: usize| u32::try_from(at).expect("a short text");
    Span::new(offset(start), offset(start + part.len()))
}

fn shown(text: &str, problem: Diagnostic) -> String {
    Diagnostics::new(Arc::new(Source::new("a.hcl", text, Vec::new())), vec![problem]).report().to_string()
}

/// Asserts that the lines of a report are these.
#[track_caller]
fn lines_are(found: &str, lines: &[&str]) {
    assert_eq!(found.lines().collect::<Vec<_>>(), lines, "{found}");
}

#[test]
fn labels_are_on_their_lines_and_beside_the_subject() {
    let text = "a = f(\n  0,\n  1,\n  2,\n  8,\n  3 + four\n";
    let problem = Diagnostic::error("Operation failed", "It failed.", span(text, "3 + four"))
        .label(span(text, "("), "the bracket opens here")
        .label(span(text, "3"), "this is 3")
        .label(span(text, "four"), "this is \"four\"")
        .label(span(text, "2"), "");
    lines_are(
        &shown(text, problem),
        &[
            "error[operation-failed]: Operation failed",
            " --> a.hcl:6:3",
            "  |",
            "1 | a = f(",
            "  |      - the bracket opens here",
            "...",
            "4 |   2,",
            "  |   -",
            "5 |   8,",
            "6 |   3 + four",
            "  |   ^^^^^^^^ this is \"four\"",
            "  |   |",
            "  |   this is 3",
            "  = It failed.",
        ],
    );
}

#[test]
fn the_label_of_the_subject_is_beside_its_carets() {
    let text = "a = 1 + ten";
    let problem = Diagnostic::error("Invalid operand", "A number is required.", span(text, "ten"))
        .label(span(text, "ten"), "this is \"ten\"")
        .label(span(text, "1"), "this is 1");
    lines_are(
        &shown(text, problem),
        &[
            "error[invalid-operand]: Invalid operand",
            " --> a.hcl:1:9",
            "  |",
            "1 | a = 1 + ten",
            "  |     -   ^^^ this is \"ten\"",
            "  |     |",
            "  |     this is 1",
            "  = A number is required.",
        ],
    );
}

#[test]
fn values_and_blocks_are_told() {
    let text = "rule \"a\" {\n  when = local.age > 1\n}\n";
    let mut problem = Diagnostic::error("Invalid operand", "A number is required.", span(text, "local.age"));
    problem.severity = Severity::Warning;
    let additions = problem.additions_mut();
    additions.blocks = vec!["policy".to_owned(), "rule \"a\"".to_owned()];
    additions.values = vec![NamedValue { path: "local.age".to_owned(), shown: "\"ten\"".to_owned() }];
    additions.further = true;
    lines_are(
        &shown(text, problem),
        &[
            "warning[invalid-operand]: Invalid operand",
            " --> a.hcl:2:10, in rule \"a\" of policy",
            "  |",
            "2 |   when = local.age > 1",
            "  |          ^^^^^^^^^",
            "  = A number is required.",
            "  = local.age is \"ten\"",
            "  = Found after an earlier problem of this item, which may be its cause.",
        ],
    );
}

/// Returns what is proposed for a change of `old` to `new`.
fn proposed(text: &str, old: Span, new: &str) -> Vec<String> {
    let problem = Diagnostic::error("Invalid expression", "No.", old).replacement(old, new);
    let found = shown(text, problem);
    found.lines().skip_while(|line| !line.starts_with("help")).map(str::to_owned).collect()
}

#[test]
fn replacements_are_shown_as_the_changed_line() {
    let text = "when = a and b\nother = [1 2]\n";
    assert_eq!(
        proposed(text, span(text, "and"), "&&"),
        ["help: replace `and` by `&&`", "  |", "1 | when = a && b", "  |          ~~"]
    );
    let before_two = Span::new(span(text, " 2]").start, span(text, " 2]").start);
    assert_eq!(
        proposed(text, before_two, ","),
        ["help: insert `,`", "  |", "2 | other = [1, 2]", "  |           +"]
    );
    assert_eq!(proposed(text, span(text, " and b"), ""), ["help: remove `and b`", "  |", "1 | when = a"]);
    assert_eq!(
        proposed(text, span(text, "a and b\nother"), "[\n  a,\n]\nother"),
        [
            "help: change the text to this",
            "  |",
            "1 | when = [",
            "  |        ~",
            "2 |   a,",
            "  | ~~~~",
            "3 | ]",
            "  | ~",
            "4 | other = [1 2]",
            "  | ~~~~~"
        ]
    );
}

#[test]
fn nothing_in_a_diagnostic_steers_the_terminal() {
    let text = "a = b";
    let bad = "x\u{1b}[2J\u{9b}\u{85}\u{202e}";
    let mut problem = Diagnostic::error(bad, bad, span(text, "b"))
        .label(span(text, "a"), bad)
        .replacement(span(text, "a"), bad);
    let additions = problem.additions_mut();
    additions.blocks.push(bad.to_owned());
    additions.values.push(NamedValue { path: bad.to_owned(), shown: bad.to_owned() });
    let source = Arc::new(Source::new(bad, text, Vec::new()));
    let found = Diagnostics::new(source, vec![problem]).report().to_string();
    assert_eq!(found.matches("x\u{fffd}[2J\u{fffd}\u{fffd}\u{fffd}").count(), 9, "{found}");
    assert!(!found.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{85}']));
}

#[test]
fn places_far_apart_on_a_long_line_are_shown_apart() {
    let text = format!("a = [{}nope]", "1, ".repeat(1_000_000));
    let problem = Diagnostic::error("Unknown variable", "It is unknown.", span(&text, "nope"))
        .label(span(&text, "["), "opens here");
    let found = shown(&text, problem);
    assert!(found.len() < 1_000);
    let lines = marked(&found);
    assert_eq!(lines[1].trim(), "- opens here");
    assert!(
        lines[2].starts_with('…') && lines[2].ends_with("nope]") && lines[3].ends_with(" ^^^^"),
        "{found}"
    );
}

#[test]
fn lines_fit_in_the_columns_of_a_terminal() {
    let text = format!("a = [{}nope{}]", "漢".repeat(100), ", 2".repeat(100));
    let problem = Diagnostic::error("Unknown variable", "It is unknown.", span(&text, "nope"));
    let found = Diagnostics::new(Arc::new(Source::new("a.hcl", text, Vec::new())), vec![problem]);
    for columns in [40, 80, 100] {
        let found = found.report().columns(columns).to_string();
        let widths: Vec<usize> = found.lines().map(hclvm_vm::text::width).collect();
        assert!(widths[3] <= columns && widths[3] >= columns - 2, "{found}");
        assert!(found.contains("nope") && found.contains("^^^^"), "{found}");
    }
    let narrow = found.report().columns(0).to_string();
    assert!(narrow.contains("nope") && narrow.contains("^^^^"), "{narrow}");
}

#[test]
fn a_character_of_many_combining_marks_is_cut() {
    let text = format!("a = \"{}\" + nope + \"{0}\"", format!("e{}", "\u{301}".repeat(100_000)));
    let found = shown(&text, Diagnostic::error("Unknown variable", "It is unknown.", span(&text, "nope")));
    assert!(found.len() < 10_000 && found.contains("nope"));
}

#[test]
fn colours_are_there_when_asked_for() {
    let text = "when = a and b";
    let problem = Diagnostic::error("Invalid operand", "No.", span(text, "and"))
        .label(span(text, "b"), "here")
        .replacement(span(text, "and"), "&&");
    let found = Diagnostics::new(Arc::new(Source::new("a.hcl", text, Vec::new())), vec![problem]);
    let (plain, colored) = (found.report().to_string(), found.report().colored().to_string());
    assert!(!plain.contains('\u{1b}'));
    assert!(
        colored
            .starts_with("\u{1b}[1;31merror[invalid-operand]\u{1b}[0m\u{1b}[1m: Invalid operand\u{1b}[0m\n"),
        "{colored}"
    );
    assert!(
        colored.contains("\u{1b}[1;31m^^^\u{1b}[0m \u{1b}[1;34m-\u{1b}[0m \u{1b}[1;34mhere\u{1b}[0m\n"),
        "{colored}"
    );
    let mut stripped = String::new();
    for part in colored.split('\u{1b}') {
        stripped
            .push_str(part.strip_prefix('[').map_or(part, |part| part.split_once('m').expect("a colour").1));
    }
    assert_eq!(stripped, plain);
}

#[test]
fn parts_of_a_text_are_redacted_and_places_move_with_them() {
    let text = "a = \"né\" + x\nb = [\n  \"one\",\n  2] + y\nc = z\n";
    let part = |one: &str| span(text, one);
    let problem = |title: &'static str, at: Span| {
        let found = Diagnostic::error(title, "Detail.", at);
        found.label(part("\"one\""), "it begins here").replacement(at, "w")
    };
    let list = ["\"né\"", "x", "[\n  \"one\",\n  2]", "y", "z"].map(|one| problem("Problem", part(one)));
    let source = Arc::new(Source::new("a.hcl", text, Vec::new()));
    let parts = [part("[\n  \"one\",\n  2]"), part("\"né\""), part("\"one\"")];
    let redacted = Diagnostics::new(source, list.to_vec()).redacted(&parts, "<hidden>");
    assert_eq!(&**redacted.source().text(), "a = <hidden> + x\nb = <hidden>\n\n + y\nc = z\n");
    let places = redacted.iter().map(|one| {
        let place = one.subject.expect("a place");
        let (start, _) = redacted.source().range(place);
        (start.line, start.column, place.slice(redacted.source().text()).to_owned())
    });
    let expected = [(1, 5, "<hidden>"), (1, 16, "x"), (2, 5, "<hidden>"), (4, 4, "y"), (5, 5, "z")];
    let expected = expected.map(|(line, column, text)| (line, column, text.to_owned()));
    assert_eq!(places.collect::<Vec<_>>(), expected);
    // A proposal would replace what is not shown.
    let proposals = redacted.iter().map(|one| one.additions.as_ref().expect("labels").replacements.len());
    assert_eq!(proposals.collect::<Vec<_>>(), [0, 1, 0, 1, 1]);
    assert!(!redacted.report().to_string().contains("one\""), "{redacted:?}");
}
