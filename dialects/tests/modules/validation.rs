//! Validations of variables.

use hclvm_dialects::Inputs;

use crate::{errors, errors_with, job_errors};

fn validated(default: &str, condition: &str, message: &str) -> String {
    format!(
        "variable \"a\" {{\n default = {default}\n validation {{\n condition = {condition}\n error_message = {message}\n }}\n}}\n"
    )
}

#[test]
fn conditions_read_their_variable_and_nothing_else() {
    let of = |condition: &str| errors(&validated("1", condition, "\"A.\""));
    let reference = "Invalid reference in variable validation";
    let condition = "Invalid variable validation condition";
    assert_eq!(of("var.a > local.b"), [reference]);
    assert_eq!(of("var.b > 0"), [reference, condition]);
    assert_eq!(of("length(var) > 0"), [reference, condition]);
    assert_eq!(of("true"), [condition]);
    assert_eq!(of("alltrue([for var in [var.a] : var > 0])"), [""; 0]);
}

#[test]
fn messages_are_sentences() {
    let of = |message: &str| errors(&validated("1", "var.a > 0", message));
    let wrong = ["Invalid validation error message"];
    for message in ["\"\"", "\" \"", "\"a.\"", "\"A\"", "\"\u{65e5}.\"", "5"] {
        assert_eq!(of(message), wrong, "{message}");
    }
    for message in ["\"A!\"", "\" 1 is it? \"", "\"\u{c4}.\""] {
        assert_eq!(of(message), [""; 0], "{message}");
    }
}

#[test]
fn results_are_truths_or_texts_of_truths() {
    let of = |condition: &str| errors(&validated("\"x\"", condition, "\"A.\""));
    let result = ["Invalid variable validation result"];
    assert_eq!(of("var.a"), result);
    assert_eq!(of("var.a == \"x\" ? null : true"), result);
    assert_eq!(of("var.a == \"x\" ? \"true\" : \"false\""), [""; 0]);
    assert_eq!(of("var.a == \"x\" ? \"false\" : \"true\""), ["Invalid value for default variable"]);
    assert_eq!(of("var.a.b"), ["Unsupported attribute"]);
}

#[test]
fn only_the_value_that_is_used_is_validated() {
    let text = validated("0", "var.a > 0", "\"A.\"");
    assert_eq!(errors_with(&text, &Inputs::new().argument("a", "1")), [""; 0]);
    let failed = ["Invalid value for env variable"];
    assert_eq!(errors_with(&text, &Inputs::new().environment([("PKR_VAR_a", "-1")])), failed);
}

#[test]
fn failures_do_not_hide_what_follows() {
    let text = validated("0", "var.a > 0", "\"A.\"");
    let text = format!("{text}locals {{\n b = 1 + \"x\"\n}}\nbuild {{\n sources = [\"null.q\"]\n}}\n");
    let expected = ["Invalid value for default variable", "Invalid operand", "Unknown source null.q"];
    assert_eq!(errors(&text), expected);
}

#[test]
fn both_arguments_are_required() {
    let text = "variable \"a\" {\n default = 1\n validation {}\n}\n";
    assert_eq!(errors(text), ["Missing required argument", "Missing required argument"]);
}

#[test]
fn nomad_refuses_blank_messages_only_and_reads_no_files() {
    let of = |condition: &str, message: &str| {
        let text = validated("\"f\"", condition, message);
        job_errors(&format!("{text}job \"j\" {{}}\n"), &Inputs::new())
    };
    assert_eq!(of("var.a == \"f\"", "\" \""), ["Invalid validation error message"]);
    assert_eq!(of("var.a == \"g\"", "\"small\""), ["Invalid value for default variable"]);
    assert_eq!(of("file(var.a) == \"\"", "\"small\""), ["Error in function call"]);
}
