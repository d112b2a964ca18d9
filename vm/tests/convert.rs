//! Conversion between types, unification, and what is said when there is none.

use hclvm_vm::ops::equality::same;
use hclvm_vm::{
    Arena, AttributeType, Entry, MismatchStep, Refinement, Safety, Type, Unknown, Value, View,
    conversion_exists, convert, marks_from, unify, unify_all,
};

const ANY_LIST: Type<'static> = Type::List(&Type::Dynamic);
const STRINGS: Type<'static> = Type::List(&Type::String);
const NUMBERS: Type<'static> = Type::List(&Type::Number);

const fn attribute(name: &'static str, ty: Type<'static>, optional: bool) -> AttributeType<'static> {
    AttributeType { name, ty, optional }
}

fn text<'a>(arena: &'a Arena, text: &'a str) -> Value<'a> {
    Value::str(arena, text)
}

fn tuple<'a>(arena: &'a Arena, items: &[Value<'a>]) -> Value<'a> {
    Value::tuple(arena, arena.slice(items))
}

fn object<'a>(arena: &'a Arena, entries: &[(&'a str, Value<'a>)]) -> Value<'a> {
    let entries: Vec<Entry<'a>> = entries.iter().map(|(name, value)| Entry::new(name, *value)).collect();
    Value::object(arena, arena.slice(&entries))
}

#[track_caller]
fn converts<'a>(arena: &'a Arena, value: Value<'a>, ty: Type<'a>, expected: Value<'a>) {
    let converted = convert(arena, value, ty).expect("the value converts");
    assert!(same(arena, converted, expected), "{converted:?} instead of {expected:?}");
}

#[track_caller]
fn fails<'a>(arena: &'a Arena, value: Value<'a>, ty: Type<'a>, message: &str) {
    assert_eq!(convert(arena, value, ty).expect_err("no such value").to_string(), message);
}

#[test]
fn primitives_become_texts_and_texts_primitives() {
    let arena = &Arena::new();
    converts(arena, Value::int(15), Type::String, text(arena, "15"));
    converts(arena, Value::int(0), Type::String, text(arena, "0"));
    converts(arena, Value::int(-907), Type::String, text(arena, "-907"));
    converts(arena, Value::int(i64::MIN), Type::String, text(arena, "-9223372036854775808"));
    converts(arena, Value::TRUE, Type::String, text(arena, "true"));
    converts(arena, text(arena, "1e2"), Type::Number, Value::int(100));
    converts(arena, text(arena, "0"), Type::Bool, Value::FALSE);
    converts(arena, Value::NULL, Type::Bool, Value::null(arena, Type::Bool));
    let number = "a number is needed, and the text does not denote one";
    fails(arena, text(arena, "0x1"), Type::Number, number);
    fails(
        arena,
        text(arena, "yes"),
        Type::Bool,
        "a bool is needed, and the text is not \"true\" or \"false\"",
    );
    let case = "a bool is needed, and its text must be in lower case: \"true\"";
    fails(arena, text(arena, "True"), Type::Bool, case);
    fails(arena, Value::int(1), Type::Bool, "a bool is needed, not a number");
}

#[test]
fn elements_of_any_type_get_one_in_common() {
    let arena = &Arena::new();
    let mixed = tuple(arena, &[Value::int(1), text(arena, "a"), Value::NULL]);
    let strings = [text(arena, "1"), text(arena, "a"), Value::null(arena, Type::String)];
    converts(arena, mixed, ANY_LIST, Value::list(arena, arena.slice(&strings), Type::String));
    let parted = tuple(arena, &[Value::int(1), Value::TRUE]);
    let message = "no single type fits all elements of the list: number, bool";
    fails(arena, parted, ANY_LIST, message);
}

#[test]
fn marks_stay_where_they_are_but_in_sets() {
    let arena = &Arena::new();
    let marks = marks_from(arena, &["m"]);
    let items = tuple(arena, &[Value::int(1).with_marks(arena, marks), Value::int(2)]);
    let strings = [text(arena, "1").with_marks(arena, marks), text(arena, "2")];
    converts(arena, items, STRINGS, Value::list(arena, arena.slice(&strings), Type::String));
    let set = convert(arena, items, Type::Set(&Type::Number)).expect("a set of numbers");
    let (plain, own) = set.unmark();
    assert_eq!(own.names(), ["m"]);
    assert!(!plain.contains_marks());
}

#[test]
fn unknown_structures_tell_their_length() {
    let arena = &Arena::new();
    let pair = Type::Tuple(&[Type::Number, Type::Number]);
    let source = Unknown { ty: pair, refinement: Refinement::default() };
    let list = convert(arena, Value::unknown(arena, source), STRINGS).expect("a list");
    let View::Unknown(list) = list.view() else { panic!("{list:?} is known") };
    assert_eq!((list.refinement.min_len, list.refinement.max_len), (2, 2));
    let set = convert(arena, Value::unknown(arena, source), Type::Set(&Type::String)).expect("a set");
    assert_eq!(set.length_range(), (1, 2));
    let known_length = convert(arena, Value::unknown_not_null(arena, pair), STRINGS).expect("a list");
    assert_eq!(known_length.as_items().map(<[_]>::len), Some(2));
}

#[test]
fn objects_need_their_required_attributes() {
    let arena = &Arena::new();
    let want: &[_] = &[attribute("a", Type::String, false), attribute("b", Type::Number, true)];
    let have = object(arena, &[("a", Value::int(1)), ("z", Value::TRUE)]);
    let converted = object(arena, &[("a", text(arena, "1")), ("b", Value::null(arena, Type::Number))]);
    converts(arena, have, Type::Object(want), converted);
    let other = object(arena, &[("z", Value::TRUE)]);
    fails(arena, other, Type::Object(want), "the attribute \"a\" is missing");
    let wrong = object(arena, &[("a", Value::int(1)), ("b", tuple(arena, &[]))]);
    fails(arena, wrong, Type::Object(want), "attribute \"b\": a number is needed, not a tuple");
    let map = Value::map(arena, arena.slice(&[Entry::new("b", text(arena, "2"))]), Type::String);
    fails(arena, map, Type::Object(want), "the map has no element for the attribute \"a\"");
}

#[test]
fn maps_become_objects_whose_optional_attributes_they_may_lack() {
    let arena = &Arena::new();
    let want: &[_] = &[attribute("a", Type::String, false), attribute("b", Type::Number, true)];
    let map = |name, value| Value::map(arena, arena.slice(&[Entry::new(name, value)]), Type::Bool);
    let converted = object(arena, &[("a", text(arena, "true")), ("b", Value::null(arena, Type::Number))]);
    converts(arena, map("a", Value::TRUE), Type::Object(want), converted);
    converts(arena, map("z", Value::TRUE), Type::Object(&[]), object(arena, &[]));
    let optional: &[_] = &[attribute("b", Type::Number, true)];
    let mismatch = convert(arena, map("b", Value::TRUE), Type::Object(optional)).map(|_| ());
    assert!(mismatch.is_err(), "a bool is no number");
    assert!(convert(arena, map("a", Value::TRUE), Type::Object(optional)).is_ok());
}

#[test]
fn a_mismatch_tells_the_way() {
    let arena = &Arena::new();
    let bad = tuple(arena, &[Value::int(1), text(arena, "x")]);
    let nested = object(arena, &[("a", bad)]);
    let want: &[_] = &[attribute("a", NUMBERS, false)];
    let mismatch = convert(arena, nested, Type::Object(want)).expect_err("x is no number");
    assert!(!mismatch.is_of_types());
    assert_eq!(mismatch.path().collect::<Vec<_>>(), [MismatchStep::Attribute("a"), MismatchStep::Index(1)]);
    let message = "attribute \"a\": element 1: a number is needed, and the text does not denote one";
    assert_eq!(mismatch.to_string(), message);
}

#[test]
fn conversions_are_safe_or_not() {
    let arena = &Arena::new();
    let exists = |from, to, safety| conversion_exists(arena, from, to, safety);
    assert!(exists(Type::Number, Type::String, Safety::Safe));
    assert!(!exists(Type::String, Type::Number, Safety::Safe));
    assert!(exists(Type::String, Type::Number, Safety::Unsafe));
    assert!(!exists(STRINGS, Type::Set(&Type::String), Safety::Safe));
    assert!(exists(STRINGS, Type::Set(&Type::String), Safety::Unsafe));
    assert!(!exists(Type::Bool, Type::Number, Safety::Unsafe));
}

#[test]
fn types_are_unified_by_kind() {
    let arena = &Arena::new();
    let safe = |types: &[Type<'static>]| unify(arena, types, Safety::Safe);
    assert_eq!(safe(&[Type::Number, Type::String]), Some(Type::String));
    assert_eq!(safe(&[Type::Number, Type::Bool]), None);
    assert_eq!(safe(&[]), None);
    let one = Type::Tuple(&[Type::Number]);
    let two = Type::Tuple(&[Type::String, Type::Bool]);
    assert_eq!(safe(&[one, two]), Some(STRINGS));
    assert_eq!(safe(&[one, STRINGS]), Some(STRINGS));
    let a = Type::Object(&[AttributeType { name: "a", ty: Type::Number, optional: false }]);
    let b = Type::Object(&[AttributeType { name: "b", ty: Type::String, optional: false }]);
    assert_eq!(safe(&[a, b]), Some(Type::Map(&Type::String)));
    assert_eq!(safe(&[a, one]), None);
}

#[test]
fn what_is_not_known_yet_keeps_collections_open() {
    let arena = &Arena::new();
    let open = unify_all(arena, &[STRINGS, Type::Dynamic], Safety::Unsafe).expect("it is open");
    assert!(open.open && open.ty.is_dynamic() && open.needs_conversion(arena, Type::Dynamic));
    let number = unify_all(arena, &[Type::Number, Type::Dynamic], Safety::Unsafe).expect("a number");
    assert_eq!((number.open, number.ty), (false, Type::Number));
    assert!(!number.needs_conversion(arena, Type::Number));
}
