//! Declarations of variables.

use hclvm_dialects::Inputs;

use crate::{errors, job_errors, local};

#[test]
fn a_default_gives_a_variable_without_a_type_its_type() {
    let text = "variable \"a\" {\n default = [\"x\"]\n}\n";
    let inputs = Inputs::new().argument("a", "[\"a\", \"b\"]");
    assert_eq!(crate::errors_with(text, &inputs), ["Invalid argument value for -var variable"]);
}

#[test]
fn an_empty_default_leaves_the_type_open_in_a_block_only() {
    let inputs = Inputs::new().argument("a", "[1]");
    assert_eq!(
        local("variable \"a\" {\n default = []\n}\nlocals {\n v = var.a\n}\n", &inputs, "v"),
        "\"[1]\""
    );
    let text = "variables {\n a = []\n}\n";
    assert_eq!(crate::errors_with(text, &inputs), ["Invalid argument value for -var variable"]);
}

#[test]
fn descriptions_and_flags_are_constants_that_convert() {
    assert_eq!(
        errors("variable \"a\" {\n default = 1\n description = 5\n sensitive = \"true\"\n}\n"),
        [""; 0]
    );
    assert_eq!(
        errors("variable \"a\" {\n default = 1\n description = upper(\"x\")\n sensitive = var.b\n}\n"),
        ["Function calls not allowed", "Variables not allowed"]
    );
}

#[test]
fn defaults_call_env_and_nothing_else() {
    let none = Inputs::new();
    let text =
        "variable \"a\" {\n default = \"${env(\"HOME\")}-${env(\"UNSET\")}\"\n}\nlocals {\n v = var.a\n}\n";
    assert_eq!(local(text, &none, "v"), "\"/home/me-\"");
    assert_eq!(errors("variable \"a\" {\n default = upper(\"x\")\n}\n"), ["Call to unknown function"]);
    assert_eq!(errors("locals {\n a = env(\"HOME\")\n}\n"), ["Call to unknown function"]);
}

#[test]
fn types_are_syntax() {
    for ty in ["\"string\"", "strng", "optional(string)", "foo(string)"] {
        let text = format!("variable \"a\" {{\n type = {ty}\n default = null\n}}\n");
        assert_eq!(errors(&text), ["Invalid type specification"], "{ty}");
    }
}

#[test]
fn optional_attributes_have_their_defaults() {
    let text = "variable \"a\" {\n type = map(object({ p = optional(number, 80), q = optional(bool) }))\n default = { x = {}, y = { p = \"81\" } }\n}\nlocals {\n v = var.a\n}\n";
    let expected = r#"{"x":{"p":80,"q":null},"y":{"p":81,"q":null}}"#;
    assert_eq!(local(text, &Inputs::new(), "v"), expected);
}

#[test]
fn a_null_default_is_a_value() {
    let text = "variable \"a\" {\n type = string\n default = null\n}\nlocals {\n v = var.a\n}\n";
    assert_eq!(local(text, &Inputs::new(), "v"), "null");
}

#[test]
fn variables_without_a_value_are_told_with_what_they_lead_to() {
    let text = "variable \"a\" {\n type = object({ x = string })\n}\nlocals {\n v = var.a.y\n}\n";
    assert_eq!(errors(text), ["Unset variable \"a\"", "Unsupported attribute"]);
}

#[test]
fn nomad_has_exact_types_and_no_sensitive_variables() {
    let text = |declaration: &str| {
        format!("variable \"a\" {{\n {declaration}\n default = null\n}}\njob \"j\" {{}}\n")
    };
    for ty in ["type = any", "type = object({ x = optional(string) })"] {
        assert_eq!(job_errors(&text(ty), &Inputs::new()), ["Invalid type specification"], "{ty}");
    }
    assert_eq!(job_errors(&text("sensitive = true"), &Inputs::new()), ["Unsupported argument"]);
}

#[test]
fn nomad_takes_the_type_of_an_empty_default() {
    let text = "variable \"a\" {\n default = {}\n}\nlocals {\n v = var.a\n}\njob \"j\" {}\n";
    let evaluation = crate::job(text, &Inputs::new().argument("a", "{ x = 1 }"));
    assert_eq!(evaluation.local("v").map(crate::json).as_deref(), Some("{}"));
}
