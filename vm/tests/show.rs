//! `{:?}` of values: like HCL's literals, short, and without the content of marked values.

use hclvm_vm::{Arena, Entry, Number, OwnedValue, Type, Value, marks_from};

fn shown(value: Value<'_>) -> String {
    let text = format!("{value:?}");
    assert_eq!(format!("{value:#?}"), text);
    assert_eq!(format!("{:?}", OwnedValue::new(value)), text);
    text
}

#[test]
fn values_are_shown_like_literals() {
    let arena = Arena::new();
    let text = Value::str(&arena, "a \"b\"");
    let number = |text| Value::number(&arena, Number::parse_text(text).unwrap());
    let items = arena.slice(&[Value::int(1), text]);
    let entries = arena.slice(&[Entry::new("a", Value::TRUE), Entry::new("b c", Value::NULL)]);
    for (value, expected) in [
        (text, r#""a \"b\"""#),
        (Value::short(12), "12"),
        (number("-0.5"), "-0.5"),
        (number("1e30"), "1000000000000000000000000000000"),
        (number("1.5e600000000"), "1.5e+600000000"),
        (number("inf"), "+Inf"),
        (Value::tuple(&arena, items), r#"[1, "a \"b\""]"#),
        (Value::list(&arena, &[Value::TRUE], Type::Bool), "tolist([true])"),
        (Value::set_of_ordered(&arena, &[], Type::Bool), "toset([])"),
        (Value::object(&arena, entries), r#"{a = true, "b c" = null}"#),
        (Value::map(&arena, &[], Type::Bool), "tomap({})"),
        (Value::null(&arena, Type::String), "null(string)"),
        (Value::unknown_of(&arena, Type::Number), "unknown(number)"),
        (Value::UNSET, "unset"),
    ] {
        assert_eq!(shown(value), expected);
    }
    assert_eq!(format!("{entries:?}"), r#"[a = true, "b c" = null]"#);
}

#[test]
fn marked_values_are_not_shown() {
    let arena = Arena::new();
    let secret = Value::str(&arena, "secret").with_marks(&arena, marks_from(&arena, &["sensitive"]));
    assert_eq!(shown(secret), "(marked)");
    let entries = arena.slice(&[Entry::new("password", secret)]);
    assert_eq!(shown(Value::object(&arena, entries)), "{password = (marked)}");
}

#[test]
fn large_values_are_cut() {
    let arena = Arena::new();
    let long = Value::str(&arena, arena.text(&"é".repeat(1_000)));
    assert_eq!(shown(long), format!("\"{}\"…", "é".repeat(100)));
    let many: Vec<Value<'_>> = (0..1_000).map(Value::int).collect();
    let many = Value::tuple(&arena, arena.slice(&many));
    assert!(shown(many).ends_with("18, 19, …]"), "{many:?}");
    let deep = (0..900).fold(Value::TRUE, |inner, _| Value::tuple(&arena, arena.slice(&[inner])));
    assert_eq!(shown(deep), "[[[[[[…]]]]]]");
    let wide = Value::tuple(&arena, arena.slice(&[long; 20]));
    assert_eq!(shown(wide).chars().count(), 501);
    assert!(shown(wide).ends_with('…'));
}

#[test]
fn a_value_that_is_kept_can_lose_one_of_its_marks() {
    let arena = Arena::new();
    let marked =
        |value: Value<'static>, names: &[&'static str]| value.with_marks(&arena, marks_from(&arena, names));
    let items = [marked(Value::int(1), &["a"]), marked(Value::int(2), &["a", "b"]), Value::int(3)];
    let inner = Value::tuple(&arena, arena.slice(&items));
    let value = inner.with_marks(&arena, marks_from(&arena, &["a"]));
    let kept = OwnedValue::new(value).without_mark("a");
    let items = kept.get().as_items().expect("it is not marked");
    let names: Vec<_> = items.iter().map(|item| item.unmark().1.names().to_vec()).collect();
    assert_eq!(names, [vec![], vec!["b"], vec![]]);
    assert_eq!(items[1].unmark().0.as_i64(), Some(2));
    assert!(!OwnedValue::new(value).without_mark("c").get().unmark().1.is_empty());
}
