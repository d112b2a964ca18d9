//! Values of the host in, results out: through serde, as JSON, as HCL text.

use std::collections::{BTreeMap, HashMap};

use hclvm::{Engine, Error, Json, Limits, OwnedValue, Pretty, Scope, Value};
use serde::{Deserialize, Serialize};

/// The value of an expression in which `x` is what `set` makes it.
fn value(expression: &str, set: impl FnOnce(&mut Scope) -> Result<(), Error>) -> Result<OwnedValue, Error> {
    value_in(&Engine::standard(), expression, set)
}

fn value_in(
    engine: &Engine,
    expression: &str,
    set: impl FnOnce(&mut Scope) -> Result<(), Error>,
) -> Result<OwnedValue, Error> {
    let document = engine.parse("test.hcl", &format!("result = {expression}\n"))?;
    let program = document.attribute("result").expect("the attribute was parsed").program()?;
    let mut scope = document.scope();
    set(&mut scope)?;
    Ok(OwnedValue::new(engine.session().run(&program, &scope)?))
}

/// `x` after it was set from a host's value, as JSON.
fn ingested<T: Serialize + ?Sized>(x: &T) -> String {
    let value = value("x", |scope| scope.set("x", x)).expect("the value can be set");
    json(&value)
}

fn refused<T: Serialize + ?Sized>(x: &T) -> String {
    value("x", |scope| scope.set("x", x)).expect_err("the value must be refused").to_string()
}

fn json(value: &OwnedValue) -> String {
    serde_json::to_string(&Json(value.get())).expect("the value has JSON")
}

fn from_json(text: &str) -> Result<OwnedValue, Error> {
    value("x", |scope| scope.set_json("x", text.as_bytes()))
}

/// A value that a program makes of nothing.
fn made(expression: &str) -> OwnedValue {
    value(expression, |_| Ok(())).expect("the expression has a value")
}

fn is_true(expression: &str, set: impl FnOnce(&mut Scope) -> Result<(), Error>) -> bool {
    value(expression, set).expect("the expression has a value").get().as_bool() == Some(true)
}

// ---- in: serde ----

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
enum Shape {
    Point,
    Circle(f64),
    Line(i64, i64),
    Box { width: u32, height: u32 },
}

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Meters(u32);

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Nothing;

#[test]
fn scalars_become_scalars() {
    assert_eq!(ingested(&true), "true");
    assert_eq!(ingested(&-7_i8), "-7");
    assert_eq!(ingested("text"), r#""text""#);
    assert_eq!(ingested(&'é'), r#""é""#);
    assert_eq!(ingested(&2.5_f32), "2.5");
}

#[test]
fn integers_of_every_width_are_exact() {
    assert_eq!(ingested(&u64::MAX), u64::MAX.to_string());
    assert_eq!(ingested(&i64::MIN), i64::MIN.to_string());
    assert_eq!(ingested(&u128::MAX), u128::MAX.to_string());
    assert_eq!(ingested(&i128::MIN), i128::MIN.to_string());
}

#[test]
fn host_integers_have_64_bits_and_json_numbers_512() {
    assert!(is_true("x[0] / x[1] == 1 / 3", |scope| scope.set("x", &serde_json::json!([1, 3]))));
    assert!(!is_true("x[0] / x[1] == 1 / 3", |scope| scope.set("x", &[1, 3])));
}

#[test]
fn nothing_is_null() {
    assert_eq!(ingested(&()), "null");
    assert_eq!(ingested(&None::<u8>), "null");
    assert_eq!(ingested(&Nothing), "null");
}

#[test]
fn wrappers_leave_no_trace() {
    assert_eq!(ingested(&Some(Some(Meters(3)))), "3");
}

#[test]
fn enums_are_tagged_by_their_variant() {
    assert_eq!(ingested(&Shape::Point), r#""Point""#);
    assert_eq!(ingested(&Shape::Circle(0.5)), r#"{"Circle":0.5}"#);
    assert_eq!(ingested(&Shape::Line(1, 2)), r#"{"Line":[1,2]}"#);
    assert_eq!(ingested(&Shape::Box { width: 3, height: 4 }), r#"{"Box":{"height":4,"width":3}}"#);
}

#[test]
fn attributes_are_sorted_by_name() {
    #[derive(Serialize)]
    struct Unsorted {
        zebra: u8,
        apple: u8,
    }
    assert_eq!(ingested(&Unsorted { zebra: 1, apple: 2 }), r#"{"apple":2,"zebra":1}"#);
    assert!(is_true("x.apple == 2 && x.zebra == 1", |scope| scope.set("x", &Unsorted { zebra: 1, apple: 2 })));
}

/// A map whose entries come in the order given, repeated keys and all.
struct Pairs<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Pairs<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[test]
fn the_last_of_equal_names_wins() {
    assert_eq!(ingested(&Pairs(vec![("b", 1), ("a", 2), ("b", 3)])), r#"{"a":2,"b":3}"#);
}

#[test]
fn keys_may_be_integers_bools_chars_and_names() {
    assert_eq!(ingested(&Pairs(vec![(10_u64, 1)])), r#"{"10":1}"#);
    assert_eq!(ingested(&Pairs(vec![(-2_i32, 1)])), r#"{"-2":1}"#);
    assert_eq!(ingested(&Pairs(vec![(true, 1)])), r#"{"true":1}"#);
    assert_eq!(ingested(&Pairs(vec![('c', 1)])), r#"{"c":1}"#);
    assert_eq!(ingested(&Pairs(vec![(Shape::Point, 1)])), r#"{"Point":1}"#);
}

#[test]
fn other_keys_are_refused() {
    assert!(refused(&Pairs(vec![(1.5, 1)])).contains("found a float as a key"));
    assert!(refused(&Pairs(vec![(vec![1], 1)])).contains("found a sequence as a key"));
    assert!(refused(&Pairs(vec![(None::<u8>, 1)])).contains("found nothing as a key"));
}

#[test]
fn bytes_and_nan_are_refused_with_their_place() {
    struct Bytes;
    impl Serialize for Bytes {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(b"abc")
        }
    }
    let error = refused(&HashMap::from([("files", vec![None, Some(Bytes)])]));
    assert!(error.starts_with("files[1]: found 3 bytes"), "{error}");
    let error = refused(&[("a b", f64::NAN)].into_iter().collect::<BTreeMap<_, _>>());
    assert!(error.starts_with("[\"a b\"]: ") && error.contains("NaN"), "{error}");
}

#[test]
fn an_infinity_of_the_host_is_a_number() {
    assert!(is_true("x > 1e300 && -x < -1e300", |scope| scope.set("x", &f64::INFINITY)));
}

#[test]
fn numbers_of_json_trees_are_exact() {
    let tree: serde_json::Value =
        serde_json::from_str("[0.1000000000000000000000000001, 1e400]").expect("JSON");
    assert!(is_true("x[0] - 0.1 > 0 && x[1] == 1e400", |scope| scope.set("x", &tree)));
}

#[test]
fn json_inside_of_other_data_is_read() {
    struct Raw(&'static str);
    impl Serialize for Raw {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeStruct;
            let mut raw = serializer.serialize_struct("$serde_json::private::RawValue", 1)?;
            raw.serialize_field("$serde_json::private::RawValue", self.0)?;
            raw.end()
        }
    }
    assert_eq!(ingested(&[Raw("{\"b\": [0.5, null]}")]), r#"[{"b":[0.5,null]}]"#);
    assert!(refused(&[Raw("{")]).starts_with("[0]: the text ends"));
}

/// `[[[…]]]`, or the same in wrappers, without a tree to drop.
struct Nested {
    levels: usize,
    wrapped: bool,
}

impl Serialize for Nested {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(levels) = self.levels.checked_sub(1) else { return serializer.serialize_unit() };
        let inner = Self { levels, wrapped: self.wrapped };
        if self.wrapped { serializer.serialize_some(&inner) } else { serializer.collect_seq([inner]) }
    }
}

#[test]
fn values_as_deep_as_the_limit_go_in() {
    let limit = usize::from(Limits::default().value_depth);
    let deep = value("x", |scope| scope.set("x", &Nested { levels: limit, wrapped: false }));
    let deep = deep.expect("the limit is included");
    assert_eq!(deep.get().depth(), limit);
    assert_eq!(Pretty(deep.get()).to_string().lines().count(), 2 * limit + 1);
}

#[test]
fn values_come_out_up_to_a_depth() {
    let nested =
        |levels| value("x", |scope| scope.set("x", &Nested { levels, wrapped: false })).expect("it goes in");
    assert_eq!(json(&nested(512)).len(), 2 * 512 + 4);
    let error = serde_json::to_string(&Json(nested(513).get())).expect_err("too deep").to_string();
    assert_eq!(error, "the value is 513 levels deep, more than the 512 allowed");
    let tree: serde_json::Value = hclvm::from_value(nested(128).get()).expect("it comes out");
    assert_eq!(tree.to_string(), json(&nested(128)));
    let error = hclvm::from_value::<serde_json::Value>(nested(129).get()).expect_err("too deep").to_string();
    assert_eq!(error, "the value is 129 levels deep, more than the 128 allowed");
    assert!(hclvm::from_value_within::<serde_json::Value>(nested(129).get(), &Limits::default()).is_ok());
}

#[test]
fn deeper_values_are_refused() {
    for levels in [1_001, 1_000_000] {
        let error = refused(&Nested { levels, wrapped: false });
        assert!(error.contains("values may not nest deeper than 1000 levels"), "{error}");
    }
}

#[test]
fn wrappers_count_too() {
    let error = refused(&Nested { levels: 1_000_000, wrapped: true });
    assert!(error.contains("values may not nest deeper"), "{error}");
}

#[test]
fn the_depth_limit_is_the_engines() {
    let engine = Engine::builder().limits(Limits { value_depth: 2, ..Limits::default() }).build();
    let set = |levels| value_in(&engine, "x", |scope| scope.set("x", &Nested { levels, wrapped: false }));
    assert!(set(2).is_ok());
    assert!(set(3).expect_err("three levels").to_string().contains("deeper than 2 levels"));
    let error = value_in(&engine, "x", |scope| scope.set_json("x", b"[[[]]]")).expect_err("three levels");
    assert!(error.to_string().contains("deeper than 2 levels at line 1 column"), "{error}");
}

#[test]
fn endless_input_meets_the_memory_limit() {
    struct Endless;
    impl Serialize for Endless {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(std::iter::repeat(1))
        }
    }
    let engine = Engine::builder().limits(Limits { arena_bytes: 1 << 16, ..Limits::default() }).build();
    let error = value_in(&engine, "x", |scope| scope.set("x", &Endless)).expect_err("too much");
    assert!(error.to_string().contains("more than the 65536 bytes"), "{error}");
}

#[test]
fn a_value_of_the_language_keeps_its_types() {
    let third = made("1 / 3");
    assert!(is_true("x == 1 / 3", |scope| scope.set_value("x", third.get())));
}

#[test]
fn names_and_texts_are_brought_to_normal_form_c() {
    let pairs = Pairs(vec![("e\u{301}", "o\u{308}"), ("\u{e9}", "u\u{308}")]);
    assert_eq!(ingested(&pairs), "{\"\u{e9}\":\"\u{fc}\"}");
    let text = "{\"e\u{301}\": 1, \"\u{e9}\": \"o\u{308}\"}";
    assert_eq!(json(&from_json(text).expect("JSON")), "{\"\u{e9}\":\"\u{f6}\"}");
}

// ---- in: JSON text ----

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
fn a_member_called_like_a_number_of_serde_json_stays_a_member() {
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
fn errors_of_json_tell_line_and_column() {
    let error = from_json("{\n  \"a\": 1,\n  oops\n}").expect_err("no JSON").to_string();
    assert!(error.contains("\"x\"") && error.contains("line 3 column 3"), "{error}");
    assert!(from_json("1 2").expect_err("two values").to_string().contains("line 1 column 3"));
    assert!(from_json("").is_err());
    assert!(value("x", |scope| scope.set_json("x", b"\"\xff\"")).is_err());
}

#[test]
fn deep_json_is_refused() {
    let text = "[".repeat(100_000);
    let error = from_json(&text).expect_err("too deep").to_string();
    assert!(error.contains("deeper than 128 levels"), "{error}");
    assert!(from_json(&format!("{}{}", "[".repeat(127), "]".repeat(127))).is_ok());
}

#[test]
fn a_variable_whose_json_is_wrong_has_no_value() {
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
fn json_of_all_variables_is_an_object() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "y = a").expect("HCL");
    let set = |text: &str| document.scope().set_all_json(text.as_bytes());
    for text in ["[]", "1.5", "null", "\"a\"", "{\"a\": 1", "{\"a\": 1} 2", "{\"a\": [1}"] {
        let error = set(text).expect_err("no object of variables").to_string();
        assert!(error.contains("line 1 column"), "{text}: {error}");
    }
    assert!(set("{}").is_ok());
}

// ---- out: JSON ----

#[test]
fn collections_are_arrays_and_objects() {
    assert_eq!(json(&made(r#"[1, "a", { z = null, b = [] }]"#)), r#"[1,"a",{"b":[],"z":null}]"#);
}

#[test]
fn numbers_are_written_as_their_text() {
    assert_eq!(
        json(&made("[0.1 + 0.2, 1e20, 1 / 3 * 3, 2.50, 1e-7]")),
        "[0.3,100000000000000000000,1,2.5,0.0000001]"
    );
}

#[test]
fn a_json_tree_gets_the_same_numbers() {
    let value = made("[0.10000000000000000000000001, 5, -7, 1e30]");
    let tree = serde_json::to_value(Json(value.get())).expect("a tree");
    assert_eq!(tree.to_string(), json(&value));
}

/// A serializer that is not of JSON: serde's own for texts to display.
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
}

#[test]
fn json_set_as_a_variable_stays_exact() {
    let third = made("[1 / 3]");
    assert!(is_true("x[0] * 3 == 1", |scope| scope.set("x", &Json(third.get()))));
}

#[test]
fn what_is_unknown_or_infinite_has_no_json() {
    let unknown = value("{ a = [1, \"${x}b\"] }", |scope| {
        scope.set_unknown("x");
        Ok(())
    });
    let unknown = unknown.expect("a value with an unknown part");
    let error = serde_json::to_string(&Json(unknown.get())).expect_err("unknown").to_string();
    assert_eq!(error, "a[1]: the value is not known (type string), so it has no JSON");
    let error = serde_json::to_string(&Json(made("1 / 0").get())).expect_err("infinite").to_string();
    assert_eq!(error, "the number is infinite, so it has no JSON");
}

#[test]
fn lenient_json_shows_types_of_what_is_unknown() {
    let unknown = value("[x, \"${x}b\"]", |scope| {
        scope.set_unknown("x");
        Ok(())
    });
    let shown = serde_json::to_string(&Json(unknown.expect("a tuple").get()).lenient()).expect("lenient");
    assert_eq!(shown, r#"[{"$unknown":"dynamic"},{"$unknown":"string"}]"#);
}

/// `{ list = ["public", "secret"] }` with a mark on the secret.
fn with_secret() -> OwnedValue {
    let arena = hclvm::Arena::new();
    let marks = hclvm::marks_from(&arena, &["sensitive"]);
    let secret = Value::str(&arena, "secret").with_marks(&arena, marks);
    let items = [Value::str(&arena, "public"), secret];
    let entries = [hclvm::Entry::new("list", Value::tuple(&arena, arena.slice(&items)))];
    OwnedValue::new(Value::object(&arena, arena.slice(&entries)))
}

#[test]
fn what_is_marked_is_never_shown() {
    let value = with_secret();
    let error = serde_json::to_string(&Json(value.get())).expect_err("marked").to_string();
    assert_eq!(error, "list[1]: the value is marked (sensitive), so it has no JSON");
    let shown = serde_json::to_string(&Json(value.get()).lenient()).expect("lenient");
    assert_eq!(shown, r#"{"list":["public",{"$marked":["sensitive"]}]}"#);
    let shown = Pretty(value.get()).to_string();
    assert_eq!(shown, "{\n  list = [\n    \"public\",\n    (marked),\n  ]\n}");
    let error = hclvm::from_value::<serde_json::Value>(value.get()).expect_err("marked").to_string();
    assert_eq!(error, "list[1]: the value is marked (sensitive) and is not given out");
}

#[test]
fn long_numbers_meet_the_limit_of_digits() {
    let value = made("[1e600000]");
    let error = serde_json::to_string(&Json(value.get())).expect_err("too long").to_string();
    assert_eq!(error, "[0]: the number has more than 100000 digits");
    let limits = Limits { digits: 1_000_000, ..Limits::default() };
    assert_eq!(serde_json::to_string(&Json(value.get()).within(limits)).expect("enough").len(), 600_003);
    assert_eq!(Pretty(value.get()).to_string(), "[\n  (number of 600001 digits),\n]");
}

#[test]
fn values_of_shared_parts_meet_the_limit_of_size() {
    let arena = hclvm::Arena::new();
    let limits = Limits { arena_bytes: 1 << 20, ..Limits::default() };
    // 2^50 members, all but 50 of them shared.
    let value = (0..50).fold(Value::TRUE, |inner, _| Value::tuple(&arena, arena.slice(&[inner, inner])));
    let error = serde_json::to_string(&Json(value).within(limits)).expect_err("too large").to_string();
    assert!(error.ends_with("the value would take more than 1048576 bytes"), "{error}");
    let error = hclvm::from_value_within::<serde_json::Value>(value, &limits).expect_err("too large");
    assert!(error.to_string().ends_with("the value would take more than 1048576 bytes"), "{error}");
    let text = Pretty(value).to_string();
    assert!(text.len() < 100 << 20 && text.contains("(and more)\n") && text.ends_with("\n]"));
}

// ---- out: HCL text ----

#[test]
fn pretty_text_gives_the_value_back() {
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
fn pretty_strings_give_the_string_back() {
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
fn pretty_text_names_what_has_no_literal() {
    let value = value("[x, \"${x}b\", 1 / 0, -1 / 0]", |scope| {
        scope.set_unknown("x");
        Ok(())
    });
    assert_eq!(
        Pretty(value.expect("a tuple").get()).to_string(),
        "[\n  (unknown),\n  (unknown string),\n  (infinity),\n  (negative infinity),\n]"
    );
}

// ---- out: serde ----

fn decoded<T: for<'v> Deserialize<'v>>(expression: &str) -> Result<T, String> {
    hclvm::from_value(made(expression).get()).map_err(|error| error.to_string())
}

#[test]
fn what_went_in_comes_back() {
    fn back<T: Serialize + for<'v> Deserialize<'v> + PartialEq + std::fmt::Debug>(x: T) {
        let value = value("x", |scope| scope.set("x", &x)).expect("it goes in");
        assert_eq!(hclvm::from_value::<T>(value.get()).expect("it comes out"), x);
    }
    back((true, 'é', "text".to_owned(), Nothing, Meters(7)));
    back((u8::MAX, i16::MIN, u64::MAX, i64::MIN, i128::MIN, u128::MAX));
    back((0.1_f32, 0.1_f64, f64::MAX, f64::INFINITY));
    back(vec![Some(1), None]);
    back(vec![Shape::Point, Shape::Circle(0.5), Shape::Line(1, -2), Shape::Box { width: 3, height: 4 }]);
    back(HashMap::from([(1_u8, "one".to_owned()), (200, "two hundred".to_owned())]));
    back(BTreeMap::from([(true, None), (false, Some(1))]));
    back(BTreeMap::from([(Meters(5), [1, 2, 3])]));
}

impl Ord for Meters {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Meters {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Meters {}

#[test]
fn texts_are_borrowed_from_the_value() {
    let value = made(r#"{ name = "a" }"#);
    let borrowed: BTreeMap<&str, &str> = hclvm::from_value(value.get()).expect("texts");
    let inside = value.get().as_entries().and_then(|entries| entries[0].value.as_str()).expect("a text");
    assert!(std::ptr::eq(borrowed["name"], inside));
}

#[test]
fn integers_are_taken_when_they_are_exact() {
    assert_eq!(decoded::<u8>("255"), Ok(255));
    assert_eq!(decoded::<i64>("2.50 * 2"), Ok(5));
    assert_eq!(decoded::<u8>("256"), Err("found the number 256, wanted u8".to_owned()));
    assert_eq!(decoded::<u32>("-1"), Err("found the number -1, wanted u32".to_owned()));
    assert_eq!(decoded::<i64>("2.5"), Err("found the number 2.5, wanted i64".to_owned()));
    assert_eq!(decoded::<i64>("1e30"), Err(format!("found the number 1{}, wanted i64", "0".repeat(30))));
    assert_eq!(decoded::<i64>("1e3000"), Err("found a number of 3001 digits, wanted i64".to_owned()));
    assert_eq!(decoded::<i128>("1e30"), Ok(10_i128.pow(30)));
    assert_eq!(decoded::<u128>("0.5"), Err("found the number 0.5, wanted u128".to_owned()));
}

#[test]
fn floats_are_the_nearest_ones() {
    assert_eq!(decoded::<f64>("1 / 3").map(f64::to_bits), Ok((1.0_f64 / 3.0).to_bits()));
    assert_eq!(decoded::<f64>("1 / 0").map(f64::is_infinite), Ok(true));
    assert_eq!(decoded::<f64>("1e400"), Err("found a number of 401 digits, wanted f64".to_owned()));
}

#[test]
fn nothing_is_converted() {
    assert_eq!(decoded::<String>("5"), Err("found the number 5, wanted a string".to_owned()));
    assert_eq!(decoded::<u8>(r#""5""#), Err("found the string \"5\", wanted u8".to_owned()));
    assert_eq!(decoded::<bool>("null"), Err("found null, wanted a boolean".to_owned()));
    assert_eq!(decoded::<char>(r#""ab""#), Err("found the string \"ab\", wanted a character".to_owned()));
    assert_eq!(
        decoded::<Vec<u8>>("{}"),
        Err("found an object with 0 attributes, wanted a sequence".to_owned())
    );
    assert_eq!(decoded::<(u8, u8)>("[1]"), Err("found 1 elements, wanted a tuple of size 2".to_owned()));
    assert_eq!(decoded::<(u8, u8)>("[1, 2, 3]"), Err("found 3 elements, wanted 2 elements".to_owned()));
}

#[derive(Deserialize, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
struct Server {
    name: String,
    port: Option<u16>,
    shape: Option<Shape>,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Fleet {
    servers: Vec<Server>,
}

#[test]
fn errors_name_the_place() {
    let fleet = |member: &str| {
        decoded::<Fleet>(&format!("{{ servers = [{{ name = \"a\" }}, {{ {member} }}] }}"))
            .expect_err("the member is wrong")
    };
    assert_eq!(fleet("name = \"b\", port = 80.5"), "servers[1].port: found the number 80.5, wanted u16");
    assert_eq!(fleet("port = 80"), "servers[1]: there is no attribute \"name\"");
    assert!(fleet("name = \"b\", prt = 80").starts_with("servers[1]: unknown field `prt`"));
    assert_eq!(
        fleet("name = \"b\", shape = { Line = [1, \"x\"] }"),
        "servers[1].shape.Line[1]: found the string \"x\", wanted i64"
    );
    assert!(
        fleet("name = \"b\", shape = \"Ellipse\"").starts_with("servers[1].shape: unknown variant `Ellipse`")
    );
    assert_eq!(
        fleet("name = \"b\", shape = { Box = 1, Point = null }"),
        "servers[1].shape: found an object with 2 attributes, wanted the name of a variant, or an object with one attribute named so"
    );
    let error = decoded::<HashMap<String, u8>>(r#"{ "a b" = null }"#).expect_err("null is no u8");
    assert_eq!(error, "[\"a b\"]: found null, wanted u8");
}

#[test]
fn long_texts_are_cut_in_messages() {
    let error = decoded::<u8>(&format!("\"{}\"", "x".repeat(1_000))).expect_err("no number");
    assert!(error.len() < 120 && error.contains("xxx\"…"), "{error}");
}

#[test]
fn a_variant_may_have_null_as_its_content() {
    assert_eq!(decoded::<Shape>("{ Point = null }"), Ok(Shape::Point));
    assert_eq!(decoded::<Shape>("{ Point = 1 }"), Err("Point: found the number 1, wanted null".to_owned()));
    assert!(decoded::<Shape>(r#""Circle""#).is_err());
}

#[test]
fn types_that_take_anything_get_everything() {
    #[derive(Deserialize, Debug, PartialEq)]
    #[serde(untagged)]
    enum Any {
        Null,
        Bool(bool),
        Int(i64),
        Float(f64),
        Text(String),
        List(Vec<Any>),
    }
    let expected = vec![Any::Null, Any::Bool(true), Any::Int(5), Any::Float(0.5), Any::Text("a".to_owned())];
    assert_eq!(decoded::<Any>(r#"[null, true, 5, 0.5, "a"]"#), Ok(Any::List(expected)));
}

#[test]
fn trees_of_serde_json_get_numbers_exactly() {
    let tree: serde_json::Value = decoded("[0.10000000000000000000000001, 1e30, 5, -0.5]").expect("a tree");
    assert_eq!(tree.to_string(), format!("[0.10000000000000000000000001,1{},5,-0.5]", "0".repeat(30)));
}

#[test]
fn what_is_unknown_is_refused_where_it_is_looked_at() {
    #[derive(Deserialize, Debug, PartialEq)]
    struct Known {
        a: u8,
    }
    let value = value("{ a = 1, b = x }", |scope| {
        scope.set_unknown("x");
        Ok(())
    });
    let value = value.expect("an object");
    assert_eq!(hclvm::from_value::<Known>(value.get()).expect("b is not looked at"), Known { a: 1 });
    let error = hclvm::from_value::<BTreeMap<String, Option<u8>>>(value.get()).expect_err("b is unknown");
    assert_eq!(error.to_string(), "b: the value is not known (type dynamic)");
}

#[test]
fn a_type_that_contains_itself_without_end_is_refused() {
    #[derive(Deserialize, Debug)]
    struct Loop(#[expect(dead_code, reason = "never made")] Option<Box<Loop>>);
    let error = hclvm::from_value::<Loop>(made("5").get()).expect_err("it would never end");
    assert_eq!(error.to_string(), "the wanted type contains itself without end");
}

#[test]
fn a_shared_value_meets_the_memory_limit_of_a_scope() {
    let arena = hclvm::Arena::new();
    let shared = (0..50).fold(Value::TRUE, |inner, _| Value::tuple(&arena, arena.slice(&[inner, inner])));
    let error = value("x", |scope| scope.set_value("x", shared)).expect_err("too large").to_string();
    assert!(error.contains("exceeds the limits"), "{error}");
}
