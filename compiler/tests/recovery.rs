//! Parsing after an error: which later problems are reported, and where.

use hclvm_compiler::source::Source;
use hclvm_compiler::{ParseLimits, parse_config, parse_expression};
use hclvm_vm::Diagnostic;

fn listed(text: &str, problems: &[Diagnostic], seams: Vec<u32>) -> Vec<String> {
    let source = Source::new("", text, seams);
    let line = |problem: &Diagnostic| {
        let place = source.position(problem.subject.map_or(u32::MAX, |span| span.start));
        format!("{}:{} {}", place.line, place.column, problem.title)
    };
    problems.iter().map(line).collect()
}

#[track_caller]
fn config(text: &str, wanted: &[&str]) {
    let parsed = parse_config(text, &ParseLimits::default());
    assert_eq!(listed(text, &parsed.diagnostics, parsed.seams), wanted, "{text}");
}

#[track_caller]
fn expression(text: &str, wanted: &[&str]) {
    let parsed = parse_expression(text, &ParseLimits::default());
    assert_eq!(listed(text, &parsed.diagnostics, parsed.seams), wanted, "{text}");
}

#[test]
fn a_second_star_ends_an_attribute_splat() {
    expression("a.*.*.0.1", &["1:5 Nested splat expression not allowed"]);
    expression("[null].*.*.1.0.b.*", &["1:10 Nested splat expression not allowed"]);
}

#[test]
fn a_missing_name_ends_an_attribute_splat() {
    expression("a.*..0.1", &["1:3 Invalid attribute name", "1:6 Invalid legacy index syntax"]);
    expression("a.*..", &["1:3 Invalid attribute name", "1:6 Invalid attribute name"]);
}

#[test]
fn a_joiner_behind_an_escape_has_no_column() {
    expression("\"\\u007a\u{200C}\\z\"", &["1:8 Invalid escape sequence"]);
}

#[test]
fn a_number_ends_before_an_exponent_without_digits() {
    expression("[1e.5]", &["1:3 Missing item separator"]);
    expression("[1e+]", &["1:3 Missing item separator"]);
    expression("[1e5, 1E+5, 1.e5]", &[]);
    expression("1e5e5", &["1:1 Invalid number literal"]);
}

#[test]
fn the_value_of_a_for_expression_is_read_after_a_wrong_key() {
    config("w = { for f in [1] : () => f.", &["1:23 Invalid expression", "1:30 Invalid attribute name"]);
    config("w = { for f in [1] : () }", &["1:23 Invalid expression"]);
}

#[test]
fn an_invalid_call_ends_with_its_arguments() {
    config("a=<<E\n%{if e:::()}\nE\n", &["2:9 Missing function name", "3:1 Unexpected end of template"]);
}

#[test]
fn skipped_arguments_include_their_brackets() {
    expression("f(1 2 (3)).", &["1:5 Missing argument separator", "1:12 Invalid attribute name"]);
    expression("f(1 2 ((3) (4))).", &["1:5 Missing argument separator", "1:18 Invalid attribute name"]);
}

#[test]
fn a_skipped_interpolation_includes_directives_in_its_strings() {
    expression(
        r#""${a b "%{ if x }y%{ endif }"} z""#,
        &["1:6 Extra characters after interpolation expression"],
    );
}

#[test]
fn a_skipped_item_ends_at_a_line_break_outside_of_brackets() {
    config("a = b c [\n  a = 1\n]\n", &["1:7 Missing newline after argument"]);
    config("a = b c [\"%{ if x }\",\n  a = 1\n]\n", &["1:7 Missing newline after argument"]);
    config("a = b c ]\na = 1\n", &["1:7 Missing newline after argument", "2:1 Attribute redefined"]);
}
