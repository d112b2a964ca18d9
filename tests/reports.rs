//! Reports: the line of each diagnostic, with carets below its subject.

use std::sync::Arc;

use hclvm::{Engine, Layout};

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
    assert_eq!(lines[0], "error: Unknown variable");
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
    assert!(marked(&found)[1].ends_with('^'), "{found}");
}

#[test]
fn clusters_and_tabs_count_as_the_columns_they_take() {
    assert_eq!(marked(&faults("[\"e\u{301}🇩🇪\", nope]"))[1], "       ^^^^");
    assert_eq!(marked(&faults("[\t1,\t\tnope]"))[1], " \t  \t\t^^^^");
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
