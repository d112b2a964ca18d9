//! Results as JSON and as HCL text. Types of the host are in values_out.rs.

use hclvm::show::Pretty;
use hclvm::{Json, Limits, OwnedValue, Type, Value};
use serde::Serialize;

use super::*;

/// Checks that both ways of writing JSON reject the value.
fn refuses(value: &OwnedValue, why: &str) {
    assert_eq!(Json(value.get()).to_text().expect_err("no JSON").to_string(), why);
    assert_eq!(serde_json::to_string(&Json(value.get())).expect_err("no JSON").to_string(), why);
}

#[test]
fn collections_are_arrays_and_objects() {
    assert_eq!(json(&made(r#"[1, "a", { z = null, b = [] }]"#)), r#"[1,"a",{"b":[],"z":null}]"#);
    assert_eq!(json(&made("[true, false, null, {}, toset([2, 1])]")), "[true,false,null,{},[1,2]]");
}

#[test]
fn numbers_are_written_as_their_text() {
    assert_eq!(
        json(&made("[0.1 + 0.2, 1e20, 1 / 3 * 3, 2.50, 1e-7]")),
        "[0.3,100000000000000000000,1,2.5,0.0000001]"
    );
}

#[cfg(not(feature = "exact-json"))]
#[test]
fn a_json_tree_gets_the_nearest_numbers() {
    let value = made("[0.10000000000000000000000001, 5, -7, 1e30, 1 / 3, 18446744073709551615]");
    let tree = serde_json::to_value(Json(value.get())).expect("a tree");
    assert_eq!(tree, serde_json::json!([0.1, 5, -7, 1e30, 1.0 / 3.0, u64::MAX]));
    let error = serde_json::to_value(Json(made("[1e400]").get())).expect_err("no float").to_string();
    assert_eq!(error, "[0]: the number is too large for a float of 64 bits");
}

/// Names and strings with all characters that must be escaped.
#[test]
fn text_is_escaped_as_serde_json_does_it() {
    let every: String =
        (0..0x180).filter_map(char::from_u32).chain("\u{2028}\u{fffd}\u{1f600}".chars()).collect();
    let map = std::collections::BTreeMap::from([(every.clone(), vec![every])]);
    let value = value("x", |scope| scope.set("x", &map)).expect("it goes in");
    assert_eq!(Json(value.get()).to_text().expect("JSON"), serde_json::to_string(&map).expect("JSON"));
}

#[cfg(feature = "exact-json")]
#[test]
fn a_json_tree_gets_the_same_numbers() {
    let value = made("[0.10000000000000000000000001, 5, -7, 1e30]");
    let tree = serde_json::to_value(Json(value.get())).expect("a tree");
    assert_eq!(tree.to_string(), json(&value));
}

/// Serializes with serde's display serializer, which is not one of JSON.
struct Displayed<T>(T);

impl<T: Serialize> std::fmt::Display for Displayed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.serialize(f)
    }
}

#[test]
fn other_serializers_get_integers_floats_or_texts() {
    let shown = |expression| Displayed(Json(made(expression).get())).to_string();
    assert_eq!(shown("5"), "5");
    assert_eq!(shown("18446744073709551615"), "18446744073709551615");
    assert_eq!(shown("0.1"), "0.1");
    assert_eq!(shown("0.10000000000000000000000001"), "0.10000000000000000000000001");
    assert_eq!(shown("123456789012345678901234567890"), "123456789012345678901234567890");
    assert_eq!(shown("1e400"), format!("1{}", "0".repeat(400)));
    assert_eq!(shown("18446744073709551616"), "18446744073709552000");
    assert_eq!(shown("-9223372036854775808"), "-9223372036854775808");
    assert_eq!(shown("-9223372036854775809"), "-9223372036854775809");
    assert_eq!(shown("0.5"), "0.5");
    assert_eq!(shown("\"a\""), "a");
}

/// Names of JSON are kept with what they look like unescaped.
#[test]
fn names_and_types_in_lenient_json_are_escaped() {
    let arena = hclvm::value::Arena::new();
    let named = |name, ty| hclvm::value::AttributeType { name, ty, optional: false };
    for (name, shown) in [
        ("a", "a"),
        ("_a-1", "_a-1"),
        ("A", "A"),
        ("1a", "\\\"1a\\\""),
        ("-a", "\\\"-a\\\""),
        ("", "\\\"\\\""),
        ("é", "\\\"é\\\""),
    ] {
        let attributes = [named(name, Type::Set(&Type::String))];
        let unknown = Value::unknown_of(&arena, Type::Object(&attributes));
        let expected = format!("{{\"$unknown\":\"object({{{shown} = set(string)}})\"}}");
        assert_eq!(Json(unknown).lenient().to_text().expect("lenient"), expected);
    }
    let empty = [Type::Tuple(&[]), Type::Object(&[])];
    let unknown = Value::unknown_of(&arena, Type::Tuple(&empty));
    assert_eq!(
        Json(unknown).lenient().to_text().expect("lenient"),
        r#"{"$unknown":"tuple([tuple([]), object({})])"}"#
    );
    let marks = hclvm::value::marks_from(&arena, &["b\"", "a"]);
    let marked = Value::TRUE.with_marks(&arena, marks);
    assert_eq!(Json(marked).lenient().to_text().expect("lenient"), r#"{"$marked":["a","b\""]}"#);
    assert_eq!(Json(made("1 / 0").get()).lenient().to_text().expect("lenient"), r#"{"$number":"+Inf"}"#);
}

#[test]
fn paths_of_refused_parts_are_those_of_the_language() {
    let infinite =
        |expression: &str| Json(made(expression).get()).to_text().expect_err("no JSON").to_string();
    for (expression, path) in [
        ("[1 / 0]", "[0]"),
        ("{ a = 1 / 0 }", "a"),
        ("{ a = { b-c = [0, { _d = 1 / 0 }] } }", "a.b-c[1]._d"),
        ("{ \"a b\" = [1 / 0] }", "[\"a b\"][0]"),
        ("[{ \"1\" = 1 / 0 }]", "[0][\"1\"]"),
        ("{ \"é\" = { a = 1 / 0 } }", "[\"é\"].a"),
    ] {
        assert_eq!(infinite(expression), format!("{path}: the number is infinite, so it has no JSON"));
    }
    let long = format!("{{ \"{}\" = 1 / 0 }}", " ".repeat(61));
    assert!(infinite(&long).starts_with(&format!("[\"{}\"…]", " ".repeat(60))));
    let short = format!("{{ \"{}\" = 1 / 0 }}", " ".repeat(60));
    assert!(infinite(&short).starts_with(&format!("[\"{}\"]", " ".repeat(60))));
}

#[test]
fn json_set_as_a_variable_stays_exact() {
    let third = made("[1 / 3]");
    assert!(is_true("x[0] * 3 == 1", |scope| scope.set("x", &Json(third.get()))));
}

#[test]
fn unknown_and_infinite_values_have_no_json() {
    let unknown = value("{ a = [1, \"${x}b\"] }", |scope| {
        scope.set_unknown("x");
        Ok(())
    });
    let unknown = unknown.expect("a value with an unknown part");
    refuses(&unknown, "a[1]: the value is not known (type string), so it has no JSON");
    refuses(&made("1 / 0"), "the number is infinite, so it has no JSON");
}

#[test]
fn lenient_json_shows_the_types_of_unknown_values() {
    let unknown = value("[x, \"${x}b\"]", |scope| {
        scope.set_unknown("x");
        Ok(())
    });
    let unknown = unknown.expect("a tuple");
    let shown = serde_json::to_string(&Json(unknown.get()).lenient()).expect("lenient");
    assert_eq!(shown, r#"[{"$unknown":"any"},{"$unknown":"string"}]"#);
    assert_eq!(Json(unknown.get()).lenient().to_text().expect("lenient"), shown);
}

#[test]
fn lenient_json_writes_types_as_constraints_and_infinities() {
    let arena = hclvm::value::Arena::new();
    let named = |name, ty| hclvm::value::AttributeType { name, ty, optional: false };
    let attributes = [named("a b", Type::Number), named("c", Type::Map(&Type::Bool))];
    let pair = [Type::Object(&attributes), Type::Dynamic];
    let unknown = Value::unknown_of(&arena, Type::List(arena.item(Type::Tuple(&pair))));
    let minus = made("-1 / 0");
    let items = [unknown, minus.get(), Value::TRUE];
    let value = OwnedValue::new(Value::tuple(&arena, arena.slice(&items)));
    let shown = Json(value.get()).lenient().to_text().expect("lenient");
    let ty = r#"list(tuple([object({\"a b\" = number, c = map(bool)}), any]))"#;
    assert_eq!(shown, format!(r#"[{{"$unknown":"{ty}"}},{{"$number":"-Inf"}},true]"#));
    assert_eq!(serde_json::to_string(&Json(value.get()).lenient()).expect("lenient"), shown);
    // 2^40 parts, all but 40 of them shared.
    let ty = (0..40).fold(Type::Bool, |inner, _| Type::Tuple(arena.slice(&[inner, inner])));
    let error = Json(Value::unknown_of(&arena, ty)).lenient().to_text().expect_err("too long").to_string();
    assert_eq!(error, "the type of the unknown value is too long");
}

/// `{ list = ["public", "secret"] }` with a mark on the secret.
fn with_secret() -> OwnedValue {
    let arena = hclvm::value::Arena::new();
    let marks = hclvm::value::marks_from(&arena, &["sensitive"]);
    let secret = Value::str(&arena, "secret").with_marks(&arena, marks);
    let items = [Value::str(&arena, "public"), secret];
    let entries = [hclvm::value::Entry::new("list", Value::tuple(&arena, arena.slice(&items)))];
    OwnedValue::new(Value::object(&arena, arena.slice(&entries)))
}

#[test]
fn marked_values_are_never_shown() {
    let value = with_secret();
    refuses(&value, "list[1]: the value is marked (sensitive), so it has no JSON");
    let shown = serde_json::to_string(&Json(value.get()).lenient()).expect("lenient");
    assert_eq!(shown, r#"{"list":["public",{"$marked":["sensitive"]}]}"#);
    assert_eq!(Json(value.get()).lenient().to_text().expect("lenient"), shown);
    let shown = Pretty(value.get()).to_string();
    assert_eq!(shown, "{\n  list = [\n    \"public\",\n    (marked),\n  ]\n}");
    let error = hclvm::from_value::<serde_json::Value>(value.get()).expect_err("marked").to_string();
    assert_eq!(error, "list[1]: the value is marked (sensitive) and is not given out");
}

#[test]
fn long_numbers_exceed_the_limit_of_digits() {
    let value = made("[1e600000]");
    let error = Json(value.get()).to_text().expect_err("too long").to_string();
    assert_eq!(error, "[0]: the number has more than 100000 digits");
    let limits = Limits { digits: 1_000_000, ..Limits::default() };
    assert_eq!(Json(value.get()).within(limits).to_text().expect("enough").len(), 600_003);
    assert_eq!(Pretty(value.get()).to_string(), "[\n  (number of 600001 digits),\n]");
}

#[test]
fn values_with_shared_parts_exceed_the_size_limit() {
    let arena = hclvm::value::Arena::new();
    let limits = Limits { arena_bytes: 1 << 20, ..Limits::default() };
    // 2^50 members, all but 50 of them shared.
    let value = (0..50).fold(Value::TRUE, |inner, _| Value::tuple(&arena, arena.slice(&[inner, inner])));
    let error = serde_json::to_string(&Json(value).within(limits)).expect_err("too large").to_string();
    assert!(error.ends_with("the value would take more than 1048576 bytes"), "{error}");
    assert_eq!(Json(value).within(limits).to_text().expect_err("too large").to_string(), error);
    let error = hclvm::decode::from_value_within::<serde_json::Value>(value, &limits).expect_err("too large");
    assert!(error.to_string().ends_with("the value would take more than 1048576 bytes"), "{error}");
    let text = Pretty(value).to_string();
    assert!(text.len() < 100 << 20 && text.ends_with("\n]"));
    assert_eq!(text.matches("(and more)\n").count(), 1);
}

#[test]
fn values_are_decoded_up_to_a_depth() {
    let nested =
        |levels| value("x", |scope| scope.set("x", &Nested { levels, wrapped: false })).expect("it goes in");
    assert_eq!(json(&nested(512)).len(), 2 * 512 + 4);
    refuses(&nested(513), "the value is 513 levels deep, more than the 512 allowed");
    let tree: serde_json::Value = hclvm::from_value(nested(128).get()).expect("it comes out");
    assert_eq!(tree.to_string(), json(&nested(128)));
    let error = hclvm::from_value::<serde_json::Value>(nested(129).get()).expect_err("too deep").to_string();
    assert_eq!(error, "the value is 129 levels deep, more than the 128 allowed");
    assert!(
        hclvm::decode::from_value_within::<serde_json::Value>(nested(129).get(), &Limits::default()).is_ok()
    );
}

#[test]
fn pretty_text_evaluates_to_the_value() {
    for expression in [
        r#"{ a = [1, -2.5, true, null], "b c" = {}, d = [[]], for = 1, null = 2, é = "ü" }"#,
        r#""plain""#,
        "-7",
        "[]",
    ] {
        let value = made(expression);
        let text = Pretty(value.get()).to_string();
        assert_eq!(json(&made(&text)), json(&value), "{text}");
    }
}

#[test]
fn pretty_strings_evaluate_to_the_string() {
    let alphabet = ["$", "%", "{", "}", "\"", "\\", "\n", "a", "\u{1}", "~", "\u{85}"];
    let mut texts = vec![String::new()];
    for _ in 0..4 {
        let longer = texts.iter().flat_map(|text| alphabet.iter().map(move |c| format!("{text}{c}")));
        texts = longer.collect();
    }
    let value = value("x", |scope| scope.set("x", &texts)).expect("texts");
    let back = made(&Pretty(value.get()).to_string());
    let back: Vec<&str> = hclvm::from_value(back.get()).expect("texts");
    for (text, back) in texts.iter().zip(&back) {
        assert_eq!(text, back, "{}", Pretty(value.get()));
    }
    assert_eq!(texts.len(), back.len());
}

#[test]
fn pretty_text_is_printable() {
    for (text, shown) in [
        ("\u{1}\u{7f}\u{85}\0", r#""\u0001\u007f\u0085\u0000""#),
        ("\n\r\t\"\\", r#""\n\r\t\"\\""#),
        ("${a} %{b} $a %b $$", r#""$${a} %%{b} $a %b $$""#),
        ("é\u{1f600}", "\"é\u{1f600}\""),
    ] {
        let value = value("x", |scope| scope.set("x", text)).expect("a text");
        assert_eq!(Pretty(value.get()).to_string(), shown);
    }
    let names =
        "{ a = 1, a-1 = 2, 1a = 3, for = 4, null = 5, true = 6, false = 7, in = 8, é = 9, \"\" = 10 }";
    let shown = Pretty(made(&names.replace("1a", "\"1a\"")).get()).to_string();
    let names: Vec<&str> = shown.lines().filter_map(|line| Some(line.trim().split_once(" = ")?.0)).collect();
    assert_eq!(
        names,
        ["\"\"", "\"1a\"", "a", "a-1", "\"false\"", "\"for\"", "in", "\"null\"", "\"true\"", "\"é\""]
    );
}

/// Levels beyond the fortieth are not indented further.
#[test]
fn deep_pretty_text_is_indented_up_to_a_level() {
    let shown = Pretty(made(&format!("{}1{}", "[".repeat(45), "]".repeat(45))).get()).to_string();
    let indents: Vec<usize> = shown.lines().map(|line| line.len() - line.trim_start().len()).collect();
    assert_eq!(indents.len(), 91);
    for (at, indent) in indents.iter().enumerate() {
        assert_eq!(*indent, 2 * at.min(90 - at).min(40), "line {at}");
    }
}

#[test]
fn pretty_text_describes_values_without_a_literal() {
    let value = value("[x, \"${x}b\", 1 / 0, -1 / 0]", |scope| {
        scope.set_unknown("x");
        Ok(())
    });
    assert_eq!(
        Pretty(value.expect("a tuple").get()).to_string(),
        "[\n  (unknown),\n  (unknown string),\n  (infinity),\n  (negative infinity),\n]"
    );
}
