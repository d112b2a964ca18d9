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

/// Objects in a list mostly have the names of the first; the reader expects them.
#[test]
fn objects_in_a_list_may_have_other_names_than_the_first() {
    for (text, value) in [
        (r#"[{"a":1,"b":2},{"a":3,"b":4}]"#, r#"[{"a":1,"b":2},{"a":3,"b":4}]"#),
        (r#"[{"b":1,"a":2},{"b":3,"a":4}]"#, r#"[{"a":2,"b":1},{"a":4,"b":3}]"#),
        (r#"[{"b":1,"a":2},{"a":3,"b":4},{"b":5,"a":6}]"#, r#"[{"a":2,"b":1},{"a":3,"b":4},{"a":6,"b":5}]"#),
        (r#"[{"c":1,"a":2,"b":3},{"c":4,"a":5,"b":6}]"#, r#"[{"a":2,"b":3,"c":1},{"a":5,"b":6,"c":4}]"#),
        (r#"[{"a":1,"b":2},{"a":3},{},{"b":4}]"#, r#"[{"a":1,"b":2},{"a":3},{},{"b":4}]"#),
        (r#"[{"a":1},{"a":4,"b":5,"c":6},{"a":7}]"#, r#"[{"a":1},{"a":4,"b":5,"c":6},{"a":7}]"#),
        (r#"[{"b":1},{"b":2,"a":3},{"b":4,"a":5}]"#, r#"[{"b":1},{"a":3,"b":2},{"a":5,"b":4}]"#),
        (r#"[{"a":1,"a":2},{"a":3,"a":4}]"#, r#"[{"a":2},{"a":4}]"#),
        (r#"[{"b":1,"a":2,"b":3},{"b":4,"a":5,"b":6}]"#, r#"[{"a":2,"b":3},{"a":5,"b":6}]"#),
        (r#"[{"a":1,"b":2},{"a":3,"a":4}]"#, r#"[{"a":1,"b":2},{"a":4}]"#),
        (r#"[{"a":{"x":1}},{"a":{"y":2}},{"b":{"x":3}}]"#, r#"[{"a":{"x":1}},{"a":{"y":2}},{"b":{"x":3}}]"#),
        // A prefix of a name, and names with escapes, which mean something else than they show.
        (r#"[{"ab":1},{"a":2},{"abc":3}]"#, r#"[{"ab":1},{"a":2},{"abc":3}]"#),
        (r#"[{"a\\b":1},{"a\b":2}]"#, r#"[{"a\\b":1},{"a\b":2}]"#),
        (r#"[{"a":1},{"\u0061":2},{"a":3}]"#, r#"[{"a":1},{"a":2},{"a":3}]"#),
        (r#"[{"e\u0301":1},{"é":2}]"#, r#"[{"é":1},{"é":2}]"#),
    ] {
        assert_eq!(json(&from_json(text).expect("JSON")), value, "{text}");
    }
    for wrong in [
        r#"[{"a\"b":1},{"a"b":2}]"#,
        r#"[{"a":1},{"a" 2}]"#,
        r#"[{"a":1},{"a":2,}]"#,
        r#"[{"a":1,"b":2},{"a":3 "b":4}]"#,
        r#"[{"a":1},{a:2}]"#,
        r#"[{"a":1},{"a:2}]"#,
    ] {
        assert!(from_json(wrong).is_err(), "{wrong}");
    }
    for count in [63, 64, 65, 255, 256, 257] {
        let member = |at: usize| format!("\"n{:03}\":{at}", count - at);
        let object: Vec<String> = (0..count).map(member).collect();
        let sorted: Vec<String> = (0..count).rev().map(member).collect();
        let text = format!("[{{{0}}},{{{0}}}]", object.join(","));
        let value = format!("[{{{0}}},{{{0}}}]", sorted.join(","));
        assert_eq!(json(&from_json(&text).expect("JSON")), value, "{count}");
    }
}

#[test]
fn surrogates_and_escapes_are_those_of_json() {
    for (text, value) in [
        (r#""\ud83d\ude00""#, "\u{1f600}"),
        (r#""\uD800\uDC00""#, "\u{10000}"),
        (r#""\udbff\udfff""#, "\u{10ffff}"),
        (r#""\ud7ff\ue000""#, "\u{d7ff}\u{e000}"),
        (r#""\b\f\n\r\t\/\\\"""#, "\u{8}\u{c}\n\r\t/\\\""),
        (r#""\u00E9\u0000""#, "\u{e9}\0"),
    ] {
        assert_eq!(from_json(text).expect("JSON").get().as_str(), Some(value), "{text}");
    }
    for wrong in [
        r#""\ud83d""#,
        r#""\ude00""#,
        r#""\ud83dx""#,
        r#""\ud83d\n""#,
        r#""\ud83d\u0041""#,
        r#""\ude00\ud83d""#,
        r#""\u00e""#,
        r#""\u+0e9""#,
        r#""\x41""#,
        r#""\'""#,
        "\"\u{1f}\"",
        "\"a\nb\"",
        "'a'",
    ] {
        assert!(from_json(wrong).is_err(), "{wrong}");
    }
    assert_eq!(from_json("\"\u{7f}\u{80}\"").expect("JSON").get().as_str(), Some("\u{7f}\u{80}"));
}

#[test]
fn the_position_of_an_error_is_counted_in_lines_and_bytes() {
    for (text, place) in [
        ("", "line 1 column 1"),
        (" x", "line 1 column 2"),
        ("\n\n x", "line 3 column 2"),
        ("[1,\r\n2,\r\nx]", "line 3 column 1"),
        ("[\"éé\", x]", "line 1 column 10"),
        ("{\"a\":1,\n\"b\" 2}", "line 2 column 5"),
        ("[1", "line 1 column 3"),
        ("[1]]", "line 1 column 4"),
        ("\"abc", "line 1 column 5"),
        ("[01]", "line 1 column 4"),
        ("tru", "line 1 column 1"),
        ("[1 2]", "line 1 column 4"),
    ] {
        let error = from_json(text).expect_err("no JSON").to_string();
        assert!(error.ends_with(place), "{text}: {error}");
    }
}
