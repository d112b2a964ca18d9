//! Results decoded to types of the host through serde. Bodies are decoded in tests/documents/decode_body.rs.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::*;

#[test]
fn decoding_reverses_ingesting() {
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

#[test]
fn strings_are_borrowed_from_the_value() {
    let value = made(r#"{ name = "a" }"#);
    let borrowed: BTreeMap<&str, &str> = hclvm::from_value(value.get()).expect("texts");
    let inside = value.get().as_entries().and_then(|entries| entries[0].value.as_str()).expect("a text");
    assert!(std::ptr::eq(borrowed["name"], inside));
}

#[test]
fn integers_are_decoded_if_they_are_exact() {
    assert_eq!(decoded::<u8>("255"), Ok(255));
    assert_eq!(decoded::<i64>("2.50 * 2"), Ok(5));
    assert_eq!(
        decoded::<u8>("256"),
        Err("found the number 256, wanted a whole number from 0 to 255".to_owned())
    );
    assert_eq!(
        decoded::<u32>("-1"),
        Err("found the number -1, wanted a whole number from 0 to 4294967295".to_owned())
    );
    assert_eq!(
        decoded::<i64>("2.5"),
        Err("found the number 2.5, wanted a whole number from -9223372036854775808 to 9223372036854775807"
            .to_owned())
    );
    assert_eq!(
        decoded::<i64>("1e30"),
        Err(format!(
            "found the number 1{}, wanted a whole number from -9223372036854775808 to 9223372036854775807",
            "0".repeat(30)
        ))
    );
    assert_eq!(decoded::<i64>("1e3000"), Err("found a number of 3001 digits, wanted a whole number from -9223372036854775808 to 9223372036854775807".to_owned()));
    assert_eq!(decoded::<i128>("1e30"), Ok(10_i128.pow(30)));
    assert_eq!((decoded::<u64>("-0"), decoded::<u128>("-0")), (Ok(0), Ok(0)));
    assert_eq!(
        decoded::<u128>("0.5"),
        Err("found the number 0.5, wanted a whole number from 0 to 340282366920938463463374607431768211455"
            .to_owned())
    );
}

#[test]
fn floats_are_the_nearest_ones() {
    assert_eq!(decoded::<f64>("1 / 3").map(f64::to_bits), Ok((1.0_f64 / 3.0).to_bits()));
    assert_eq!(decoded::<f64>("1 / 0").map(f64::is_infinite), Ok(true));
    assert_eq!(decoded::<f32>("1 / 0").map(f32::is_infinite), Ok(true));
    assert_eq!(
        decoded::<f32>("1e39"),
        Err(format!("found the number 1{}, wanted a number from -3.4e38 to 3.4e38", "0".repeat(39)))
    );
    assert_eq!(
        decoded::<f64>("1e400"),
        Err("found a number of 401 digits, wanted a number from -1.7e308 to 1.7e308".to_owned())
    );
}

#[test]
fn decoding_converts_nothing() {
    assert_eq!(decoded::<String>("5"), Err("found the number 5, wanted a string".to_owned()));
    assert_eq!(
        decoded::<u8>(r#""5""#),
        Err("found the string \"5\", wanted a whole number from 0 to 255".to_owned())
    );
    assert_eq!(decoded::<bool>("null"), Err("found null, wanted true or false".to_owned()));
    assert_eq!(
        decoded::<char>(r#""ab""#),
        Err("found the string \"ab\", wanted a string of one character".to_owned())
    );
    assert_eq!(decoded::<Vec<u8>>("{}"), Err("found an object with 0 attributes, wanted a list".to_owned()));
    assert_eq!(decoded::<(u8, u8)>("[1]"), Err("found 1 element, wanted a list of 2 elements".to_owned()));
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
fn errors_have_the_path_of_the_value() {
    let fleet = |member: &str| {
        decoded::<Fleet>(&format!("{{ servers = [{{ name = \"a\" }}, {{ {member} }}] }}"))
            .expect_err("the member is wrong")
    };
    assert_eq!(
        fleet("name = \"b\", port = 80.5"),
        "servers[1].port: found the number 80.5, wanted a whole number from 0 to 65535"
    );
    assert_eq!(fleet("port = 80"), "servers[1]: there is no attribute \"name\"");
    assert_eq!(
        fleet("name = \"b\", prt = 80"),
        "servers[1]: no attribute \"prt\" is expected; did you mean \"port\"?"
    );
    assert_eq!(
        fleet("name = \"b\", shape = { Line = [1, \"x\"] }"),
        "servers[1].shape.Line[1]: found the string \"x\", wanted a whole number from -9223372036854775808 to 9223372036854775807"
    );
    assert_eq!(
        fleet("name = \"b\", shape = \"Ellipse\""),
        "servers[1].shape: \"Ellipse\" is not possible here; there are Point, Circle, Line, Box"
    );
    assert_eq!(
        fleet("name = \"b\", shape = { Box = 1, Point = null }"),
        "servers[1].shape: found an object with 2 attributes, wanted an object with one attribute: one of \"Point\", \"Circle\", \"Line\", \"Box\""
    );
    let error = decoded::<HashMap<String, u8>>(r#"{ "a b" = null }"#).expect_err("null is no u8");
    assert_eq!(error, "[\"a b\"]: found null, wanted a whole number from 0 to 255");
}

#[test]
fn long_strings_are_truncated_in_messages() {
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
fn types_that_accept_anything_get_values_of_every_kind() {
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
    let numbers = vec![Any::Int(-5), Any::Int(i64::MIN), Any::Float(1e30), Any::Float(-0.5), Any::Int(0)];
    assert_eq!(decoded::<Any>("[-5, -9223372036854775808, 1e30, -0.5, 0]"), Ok(Any::List(numbers)));
    // Integers have no negative zero.
    assert!(matches!(decoded::<Any>("-0"), Ok(Any::Float(zero)) if zero == 0.0 && zero.is_sign_negative()));
    let expected = vec![Any::Null, Any::Bool(true), Any::Int(5), Any::Float(0.5), Any::Text("a".to_owned())];
    assert_eq!(decoded::<Any>(r#"[null, true, 5, 0.5, "a"]"#), Ok(Any::List(expected)));
}

#[cfg(not(feature = "exact-json"))]
#[test]
fn trees_of_serde_json_get_the_nearest_numbers_they_can_hold() {
    let numbers = "[0.10000000000000000000000001, 1e30, 5, -0.5, 18446744073709551615, 1 / 3]";
    let tree: serde_json::Value = decoded(numbers).expect("a tree");
    assert_eq!(tree, serde_json::json!([0.1, 1e30, 5, -0.5, u64::MAX, 1.0 / 3.0]));
    let error = decoded::<serde_json::Value>("[1e400]").expect_err("no float");
    assert!(error.starts_with("[0]: found a number of 401 digits"), "{error}");
}

#[cfg(feature = "exact-json")]
#[test]
fn trees_of_serde_json_get_numbers_exactly() {
    let tree: serde_json::Value = decoded("[0.10000000000000000000000001, 1e30, 5, -0.5]").expect("a tree");
    assert_eq!(tree.to_string(), format!("[0.10000000000000000000000001,1{},5,-0.5]", "0".repeat(30)));
}

#[test]
fn unknown_values_are_rejected_if_they_are_read() {
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
fn infinitely_recursive_types_are_rejected() {
    #[derive(Deserialize, Debug)]
    struct Loop(#[expect(dead_code, reason = "never made")] Option<Box<Loop>>);
    let error = hclvm::from_value::<Loop>(made("5").get()).expect_err("it would never end");
    assert_eq!(error.to_string(), "the wanted type contains itself without end");
}
