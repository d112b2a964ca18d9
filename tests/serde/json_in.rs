//! Values read from JSON text. Values of the host are in values_in.rs.

use hclvm::Engine;

use super::*;

#[test]
fn json_text_is_every_kind_of_value() {
    let text = r#"{"a":[true,null,"é\n"],"b":{"c":-1.5},"d":[],"e":{}}"#;
    let value = from_json(text).expect("JSON");
    assert_eq!(json(&value), text);
}

#[test]
fn json_numbers_are_exact() {
    for text in [
        "0",
        "-0",
        "18446744073709551615",
        "9223372036854775808",
        "123456789012345678901234567890",
        "0.1",
        "-2.50",
    ] {
        let shown = json(&from_json(text).expect("a number"));
        assert_eq!(shown, if text == "-2.50" { "-2.5" } else { text });
    }
    assert!(is_true("x / 3 == 1 / 3", |scope| scope.set_json("x", b"1")));
    assert!(is_true("x == 0.1", |scope| scope.set_json("x", b"0.1")));
}

#[test]
fn a_number_is_held_unless_its_exponent_is_beyond_32_bits() {
    assert!(is_true("x == 1e400", |scope| scope.set_json("x", b"1e400")));
    let error = from_json("[1,\n 1e99999999999]").expect_err("the exponent is too large").to_string();
    assert!(error.contains("is not a number that can be held at line 2"), "{error}");
}

#[test]
fn a_member_named_like_serde_jsons_number_is_an_ordinary_member() {
    for text in [
        r#"{"$serde_json::private::Number":"12"}"#,
        r#"{"$serde_json::private::Number":12.5}"#,
        r#"{"$serde_json::private::Number":"x","z":[0.5]}"#,
    ] {
        assert_eq!(json(&from_json(text).expect("JSON")), text);
    }
}

#[test]
fn the_last_of_equal_members_wins() {
    assert_eq!(json(&from_json(r#"{"b":1,"a":2,"b":3}"#).expect("JSON")), r#"{"a":2,"b":3}"#);
}

#[test]
fn json_errors_have_line_and_column() {
    let error = from_json("{\n  \"a\": 1,\n  oops\n}").expect_err("no JSON").to_string();
    assert!(error.contains("\"x\"") && error.contains("line 3 column 3"), "{error}");
    assert!(from_json("1 2").expect_err("two values").to_string().contains("line 1 column 3"));
    assert!(from_json("").is_err());
    assert!(value("x", |scope| scope.set_json("x", b"\"\xff\"")).is_err());
}

#[test]
fn deep_json_is_rejected() {
    let text = "[".repeat(100_000);
    let error = from_json(&text).expect_err("too deep").to_string();
    assert!(error.contains("deeper than 128 levels"), "{error}");
    assert!(from_json(&format!("{}{}", "[".repeat(127), "]".repeat(127))).is_ok());
}

#[test]
fn a_variable_with_invalid_json_is_unset() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "y = x").expect("HCL");
    let mut scope = document.scope();
    scope.set_json("x", b"1").expect("JSON");
    scope.set_json("x", b"[1").expect_err("no JSON");
    assert!(scope.get("x").is_none());
}

#[test]
fn json_of_all_variables_sets_those_that_are_read() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "y = a + b").expect("HCL");
    let mut scope = document.scope();
    let text = br#"{"skipped": {"deep": [1e5, "\n"]}, "b": 1, "a": 0.5, "b": 2}"#;
    scope.set_all_json(text).expect("an object");
    let program = document.attribute("y").expect("it is there").program().expect("it compiles");
    let mut session = engine.session();
    let sum: f64 = hclvm::from_value(session.run(&program, &scope).expect("a sum")).expect("a float");
    assert_eq!(sum.to_string(), "2.5");
}

#[test]
fn json_of_all_variables_must_be_an_object() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "y = a").expect("HCL");
    let set = |text: &str| document.scope().set_all_json(text.as_bytes());
    for text in ["[]", "1.5", "null", "\"a\"", "{\"a\": 1", "{\"a\": 1} 2", "{\"a\": [1}"] {
        let error = set(text).expect_err("no object of variables").to_string();
        assert!(error.contains("line 1 column"), "{text}: {error}");
    }
    assert!(set("{}").is_ok());
}
