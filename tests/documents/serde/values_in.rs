//! Values of the host ingested through serde. JSON text is in json_in.rs.

use std::collections::{BTreeMap, HashMap};

use hclvm::show::Pretty;
use hclvm::{Engine, Limits, Value};
use serde::Serialize;

use super::*;

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
    assert!(!is_true("x[0] / x[1] == 2 / 3", |scope| scope.set("x", &[1_u64 << 63, 3 << 62])));
    assert!(!is_true("x / y == 18446744073709551615 / 7", |scope| {
        scope.set("x", &u64::MAX)?;
        scope.set("y", &7)
    }));
}

#[test]
fn none_and_unit_become_null() {
    assert_eq!(ingested(&()), "null");
    assert_eq!(ingested(&None::<u8>), "null");
    assert_eq!(ingested(&Nothing), "null");
}

#[test]
fn newtypes_are_transparent() {
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
fn each_struct_of_a_sequence_is_what_it_is_alone() {
    #[derive(Serialize)]
    struct Inner {
        z: u8,
        a: u8,
    }

    #[derive(Serialize)]
    struct Server {
        zone: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'static str>,
        #[serde(rename = "größe")]
        size: u8,
        inner: Vec<Inner>,
        #[serde(skip_serializing_if = "Option::is_none")]
        addr: Option<u8>,
    }

    #[derive(Serialize)]
    #[serde(untagged)]
    enum Any {
        Server(Server),
        Inner(Inner),
        Map(BTreeMap<&'static str, u8>),
        Number(u8),
    }

    let server = |name, size, addr| {
        let inner = (0..size).map(|z| Inner { z, a: size }).collect();
        Any::Server(Server { zone: 1, name, size, inner, addr })
    };
    let list = [
        server(Some("a"), 2, Some(1)),
        server(Some("b"), 1, Some(2)),
        server(None, 0, Some(3)),
        server(None, 3, Some(4)),
        server(None, 3, None),
        Any::Inner(Inner { z: 1, a: 2 }),
        Any::Map(BTreeMap::from([("zone", 1), ("b", 2)])),
        Any::Inner(Inner { z: 3, a: 4 }),
        Any::Inner(Inner { z: 5, a: 6 }),
        Any::Number(7),
        server(Some("c"), 2, None),
    ];
    let alone: Vec<String> = list.iter().map(ingested).collect();
    assert_eq!(ingested(&list), format!("[{}]", alone.join(",")));
    assert_eq!(ingested(&list.iter().map(Some).collect::<Vec<_>>()), format!("[{}]", alone.join(",")));
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
fn other_keys_are_rejected() {
    assert!(refused(&Pairs(vec![(1.5, 1)])).contains("found a float as a key"));
    assert!(refused(&Pairs(vec![(vec![1], 1)])).contains("found a sequence as a key"));
    assert!(refused(&Pairs(vec![(None::<u8>, 1)])).contains("found nothing as a key"));
}

#[test]
fn bytes_and_nan_are_rejected_with_their_path() {
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
fn numbers_of_json_trees_are_those_of_their_text() {
    #[derive(Serialize)]
    struct Order {
        price: serde_json::Value,
        weight: f64,
    }
    let tree = || serde_json::from_str::<serde_json::Value>("0.1").expect("JSON");
    assert!(is_true("x == 0.1", |scope| scope.set("x", &tree())));
    assert!(is_true("x[0] == 0.1 && x[1] == 0.1", |scope| scope.set("x", &[tree(), tree()])));
    assert!(is_true("x[0] == 0.1", |scope| scope.set("x", &[Some(Box::new(tree()))])));
    let order = Order { price: tree(), weight: 0.1 };
    assert!(is_true("x.price * 3 == 0.3 && x.weight * 3 != 0.3", |scope| scope.set("x", &order)));
    let tree: serde_json::Value =
        serde_json::from_str("{\"a\": [-7, 18446744073709551615, 1e300, -0.0, 5e-324, 2.0, 123456.789e3]}")
            .expect("JSON");
    assert_eq!(
        json(&value("x", |scope| scope.set("x", &tree)).expect("it goes in")),
        format!(
            "{{\"a\":[-7,18446744073709551615,1{},-0,0.{}5,2,123456789]}}",
            "0".repeat(300),
            "0".repeat(323)
        )
    );
}

#[test]
fn json_trees_behind_pointers_keep_their_numbers() {
    let tree = serde_json::json!({"a": 0.1});
    let boxed = Box::new(tree.clone());
    assert!(is_true("x[0].a * 3 == 0.3", |scope| scope.set("x", &vec![&tree])));
    assert!(is_true("x[0].a * 3 == 0.3", |scope| scope.set("x", &[&boxed])));
    let (number, map) = (tree["a"].as_number().expect("a number"), tree.as_object().expect("an object"));
    assert!(is_true("x * 3 == 0.3", |scope| scope.set("x", number)));
    assert!(is_true("x.a * 3 == 0.3", |scope| scope.set("x", &map)));
}

#[test]
fn types_named_like_those_of_serde_json_are_ordinary_data() {
    mod serde_json {
        #[derive(serde::Serialize)]
        pub(super) struct Value(pub(super) f64);
    }
    assert!(is_true("x * 3 != 0.3", |scope| scope.set("x", &serde_json::Value(0.1))));
}

#[test]
fn results_go_into_a_scope_exactly() {
    let long = value("0.1000000000000000000000001", |_| Ok(())).expect("a number");
    assert_eq!(ingested(&hclvm::Json(long.get())), "0.1000000000000000000000001");
}

#[cfg(feature = "exact-json")]
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

#[test]
fn values_as_deep_as_the_limit_are_accepted() {
    let limit = usize::from(Limits::default().value_depth);
    let deep = value("x", |scope| scope.set("x", &Nested { levels: limit, wrapped: false }));
    let deep = deep.expect("the limit is included");
    assert_eq!(deep.get().depth(), limit);
    assert_eq!(Pretty(deep.get()).to_string().lines().count(), 2 * limit + 1);
}

#[test]
fn deeper_values_are_rejected() {
    for levels in [1_001, 1_000_000] {
        let error = refused(&Nested { levels, wrapped: false });
        assert!(error.contains("values may not nest deeper than 1000 levels"), "{error}");
    }
}

#[test]
fn newtypes_count_as_levels() {
    let error = refused(&Nested { levels: 1_000_000, wrapped: true });
    assert!(error.contains("values may not nest deeper"), "{error}");
}

#[test]
fn the_depth_limit_is_that_of_the_engine() {
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
fn a_shared_value_meets_the_memory_limit_of_a_scope() {
    let arena = hclvm::value::Arena::new();
    let shared = (0..50).fold(Value::TRUE, |inner, _| Value::tuple(&arena, arena.slice(&[inner, inner])));
    let error = value("x", |scope| scope.set_value("x", shared)).expect_err("too large").to_string();
    assert!(error.contains("exceeds the limits"), "{error}");
}

#[test]
fn a_value_of_the_language_keeps_its_types() {
    let third = made("1 / 3");
    assert!(is_true("x == 1 / 3", |scope| scope.set_value("x", third.get())));
}

#[test]
fn names_and_strings_are_converted_to_normal_form_c() {
    let pairs = Pairs(vec![("e\u{301}", "o\u{308}"), ("\u{e9}", "u\u{308}")]);
    assert_eq!(ingested(&pairs), "{\"\u{e9}\":\"\u{fc}\"}");
    let text = "{\"e\u{301}\": 1, \"\u{e9}\": \"o\u{308}\"}";
    assert_eq!(json(&from_json(text).expect("JSON")), "{\"\u{e9}\":\"\u{f6}\"}");
}
