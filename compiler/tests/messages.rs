//! Sentences of the front end: what was expected, what was found, and advice. Titles, places and
//! order are compared with recorded ones in tests/harness.

use hclvm_compiler::{ParseLimits, parse_config, parse_json, parse_template};

/// Asserts that the first problem of a file has this sentence.
#[track_caller]
fn config(text: &str, wanted: &str) {
    let parsed = parse_config(text, &ParseLimits::default());
    assert_eq!(parsed.diagnostics[0].detail, wanted, "{text}");
}

#[test]
fn an_expected_expression_is_named_with_the_token_found() {
    config("a = ]\n", "Expected an expression, found `]`. No bracket is open that `]` closes.");
    config("a = \n", "Expected an expression, found a line break. The value behind `=` is missing.");
    config(
        "a = f(1",
        "Missing `)` for the arguments that open here, or a closing bracket inside them. Close the `(` with `)`.",
    );
    config(
        "a = f(1 2)\n",
        "Expected `,` or `)` after the argument, found `2`. Items are separated by commas.",
    );
    config(
        "a = b ? c\n",
        "Expected `:` and the result for false, found a line break. A conditional is `condition ? value : other`.",
    );
}

#[test]
fn a_name_alone_is_no_item() {
    config("port: 1\n", "Expected `=` after `port`, found `:`. An argument is written `name = value`.");
    config("port\n", "Expected `=` or `{` after `port`, found a line break.");
}

#[test]
fn the_header_of_a_block_ends_with_a_brace() {
    config(
        "port \"a\" = 1\n",
        "Expected `{` after the type and labels of the block, found `=`. Only arguments have an equals sign.",
    );
    config(
        "port \"a\"\n{\n}\n",
        "Expected `{` on the line of the type and labels of the block, found a line break.",
    );
}

#[test]
fn operators_of_other_languages_get_advice() {
    config(
        "a = b and c\n",
        "Expected a line break after the value, found `and`. Use `&&` for a logical and.",
    );
    config("a = (b or c)\n", "Expected `)` after the expression, found `or`. Use `||` for a logical or.");
}

#[test]
fn a_long_token_is_shortened() {
    let name = "n".repeat(300);
    config(
        &format!("a = 1 {name}\n"),
        &format!("Expected a line break after the value, found `{}…`.", "n".repeat(40)),
    );
}

#[test]
fn directives_are_paired_by_line() {
    let problems = |text: &str| -> Vec<String> {
        let parsed = parse_template(text, &ParseLimits::default());
        parsed.diagnostics.iter().map(|problem| problem.detail.to_string()).collect()
    };
    assert_eq!(problems("\n\n%{ if a }b"), ["Missing `%{ endif }` for the `%{ if }` on line 3."]);
    assert_eq!(problems("%{ endfor }"), ["`%{ endfor }` has no matching `%{ for }`."]);
    assert_eq!(
        problems("%{ ednif }"),
        ["`ednif` is not a directive; use `if`, `else`, `endif`, `for` or `endfor`. Did you mean `endif`?"]
    );
}

#[test]
fn words_of_javascript_are_not_json() {
    let parsed = parse_json(r#"{"a": undefined}"#, &ParseLimits::default());
    assert_eq!(parsed.diagnostics[0].detail, "`undefined` is not JSON; use null.");
}
