//! Conversion between types, unification, and what is said when there is none.

use hclvm_vm::ops::equality::same;
use hclvm_vm::{
    Arena, AttributeType, Entry, MismatchStep, Refinement, Safety, Type, Unknown, Value, View,
    conversion_exists, convert, list_of, marks_from, set_from, unify, unify_all,
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

fn mutable<'a>(arena: &'a Arena, items: &[Value<'a>]) -> &'a mut [Value<'a>] {
    let mut list = arena.list();
    list.extend_from_slice(items);
    list.into_bump_slice_mut()
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
    let number = "expected a number, found a string that does not denote one";
    fails(arena, text(arena, "0x1"), Type::Number, number);
    fails(
        arena,
        text(arena, "yes"),
        Type::Bool,
        "expected a bool, found a string that is neither \"true\" nor \"false\"",
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
fn elements_that_contain_any_are_unified_but_in_sets_and_maps_of_tuples() {
    let arena = &Arena::new();
    let (one, word) = (Value::int(1), text(arena, "s"));
    let strings =
        |text: &'static str| Value::list(arena, arena.slice(&[Value::str(arena, text)]), Type::String);
    let tuples = tuple(arena, &[tuple(arena, &[one]), tuple(arena, &[word])]);
    let lists = arena.slice(&[strings("1"), strings("s")]);
    converts(arena, tuples, Type::List(&ANY_LIST), Value::list(arena, lists, STRINGS));
    let message = "the elements of the set came out with different types";
    let sets = convert(arena, tuples, Type::Set(&ANY_LIST)).expect_err("the elements have two types");
    assert_eq!(sets.to_string(), message);
    let nested = object(arena, &[("a", object(arena, &[("x", one)])), ("b", object(arena, &[("x", word)]))]);
    let map = |text: &'static str| {
        Value::map(arena, arena.slice(&[Entry::new("x", Value::str(arena, text))]), Type::String)
    };
    let maps = arena.slice(&[Entry::new("a", map("1")), Entry::new("b", map("s"))]);
    let expected = Value::map(arena, maps, Type::Map(&Type::String));
    converts(arena, nested, Type::Map(&Type::Map(&Type::Dynamic)), expected);
    let x_any: &[_] = &[attribute("x", Type::Dynamic, false)];
    let x_string: &[_] = &[attribute("x", Type::String, false)];
    let plain = |value| object(arena, &[("x", value)]);
    let objects = arena.slice(&[Entry::new("a", plain(text(arena, "1"))), Entry::new("b", plain(word))]);
    let expected = Value::map(arena, objects, Type::Object(x_string));
    converts(arena, nested, Type::Map(arena.item(Type::Object(x_any))), expected);
    let of_tuples = object(arena, &[("a", tuple(arena, &[one])), ("b", tuple(arena, &[word]))]);
    assert!(convert(arena, of_tuples, Type::Map(&Type::Tuple(&[Type::Dynamic]))).is_err());
}

#[test]
fn nulls_and_unknown_elements_take_the_type_of_the_others() {
    let arena = &Arena::new();
    let refinement = Refinement { not_null: true, ..Refinement::default() };
    let number = Value::unknown(arena, Unknown { ty: Type::Number, refinement });
    let items = mutable(arena, &[Value::NULL, Value::DYNAMIC, number, Value::int(1)]);
    let typed =
        [Value::null(arena, Type::Number), Value::unknown_of(arena, Type::Number), number, Value::int(1)];
    let list = list_of(arena, items, Type::Dynamic).expect("all are numbers");
    assert!(same(arena, list, Value::list(arena, arena.slice(&typed), Type::Number)), "{list:?}");
    let mixed = mutable(arena, &[Value::int(1), text(arena, "a")]);
    assert!(list_of(arena, mixed, Type::Dynamic).is_err());
}

#[test]
fn empty_collections_keep_their_type_where_any_is_wanted() {
    let arena = &Arena::new();
    let empty = |ty| Value::list(arena, arena.slice(&[]), ty);
    converts(arena, empty(Type::Number), ANY_LIST, empty(Type::Number));
    converts(arena, empty(Type::Number), STRINGS, empty(Type::String));
    converts(arena, set_from(arena, &[], Type::Number), ANY_LIST, empty(Type::Number));
    converts(arena, empty(Type::Bool), Type::Set(&Type::Dynamic), set_from(arena, &[], Type::Bool));
    converts(arena, tuple(arena, &[]), ANY_LIST, empty(Type::Dynamic));
    let map = |ty| Value::map(arena, arena.slice(&[]), ty);
    converts(arena, map(Type::Number), Type::Map(&Type::Dynamic), map(Type::Number));
}

#[test]
fn a_mismatch_of_types_names_the_first_part_that_does_not_fit() {
    let arena = &Arena::new();
    let (one, yes) = (Value::int(1), Value::TRUE);
    let pair = tuple(arena, &[one, yes]);
    let numbers = Type::Tuple(&[Type::Number, Type::Number]);
    fails(arena, pair, numbers, "element 1: a number is needed, not a bool");
    let single = Type::Tuple(&[Type::Number]);
    fails(arena, pair, single, "a tuple of length 1 is needed, not of length 2");
    fails(arena, pair, NUMBERS, "element 1: a number is needed, not a bool");
    fails(arena, pair, Type::Set(&Type::Number), "element 1: a number is needed, not a bool");
    let any_set = Type::Set(&Type::Dynamic);
    fails(arena, pair, any_set, "no single type fits all elements of the set: number, bool");
    let both = object(arena, &[("a", one), ("b", yes)]);
    fails(arena, both, Type::Map(&Type::Number), "element \"b\": a number is needed, not a bool");
    let any_map = Type::Map(&Type::Dynamic);
    fails(arena, both, any_map, "no single type fits all elements of the map: number, bool");
    let bools = Value::list(arena, arena.slice(&[yes]), Type::Bool);
    fails(arena, bools, NUMBERS, "each element of the list: a number is needed, not a bool");
    let set = "each element of the set: a number is needed, not a bool";
    fails(arena, bools, Type::Set(&Type::Number), set);
    let map = Value::map(arena, arena.slice(&[Entry::new("b", yes)]), Type::Bool);
    let of_map = "each element of the map: a number is needed, not a bool";
    fails(arena, map, Type::Map(&Type::Number), of_map);
    let want: &[_] = &[attribute("a", Type::Number, true), attribute("b", Type::Number, false)];
    fails(arena, map, Type::Object(want), "attribute \"b\": a number is needed, not a bool");
    let missing: &[_] = &[
        attribute("c", Type::Number, false),
        attribute("d", Type::Number, true),
        attribute("e", Type::Number, false),
    ];
    fails(arena, both, Type::Object(missing), "the attributes \"c\" and \"e\" are missing");
    fails(arena, both, Type::Number, "a number is needed, not an object");
    let tuples = tuple(arena, &[tuple(arena, &[one]), tuple(arena, &[yes])]);
    let parts = "no single type fits all elements of the list: each is a tuple, of parts that differ";
    fails(arena, tuples, ANY_LIST, parts);
    let many = [one, yes, one, tuple(arena, &[]), both, bools];
    let four = "no single type fits all elements of the list: number, bool, tuple, object";
    fails(arena, tuple(arena, &many), ANY_LIST, four);
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
    let message = "attribute \"a\": element 1: expected a number, found a string that does not denote one";
    assert_eq!(mismatch.to_string(), message);
}

#[test]
fn the_way_into_a_marked_value_is_known_but_not_shown() {
    let arena = &Arena::new();
    let marks = marks_from(arena, &["sensitive"]);
    let secret = object(arena, &[("key", text(arena, "x"))]).with_marks(arena, marks);
    let nested = tuple(arena, &[secret]);
    let want = Type::List(&Type::Map(&Type::Number));
    let mismatch = convert(arena, nested, want).expect_err("x is no number");
    let path = [MismatchStep::Index(0), MismatchStep::Key("key")];
    assert_eq!(mismatch.path().collect::<Vec<_>>(), path);
    let message = "element 0: expected a number, found a string that does not denote one";
    assert_eq!(mismatch.to_string(), message);
    let list = tuple(arena, &[Value::int(1), text(arena, "x")]).with_marks(arena, marks);
    let mismatch = convert(arena, list, NUMBERS).expect_err("x is no number");
    assert_eq!(mismatch.path().collect::<Vec<_>>(), [MismatchStep::Index(1)]);
    assert_eq!(mismatch.to_string(), "expected a number, found a string that does not denote one");
}

#[test]
fn optional_attributes_alone_need_no_conversion() {
    let arena = &Arena::new();
    let object: &[_] = &[attribute("id", Type::Number, false)];
    let wanted: &[_] = &[attribute("id", Type::Number, true)];
    let have = Type::Set(arena.item(Type::Object(object)));
    let want = Type::Set(arena.item(Type::Object(wanted)));
    let refinement = Refinement { min_len: 2, ..Refinement::not_null() };
    let set = Value::unknown(arena, Unknown { ty: have, refinement });
    let View::Unknown(found) = convert(arena, set, want).expect("equal types").view() else {
        panic!("it is unknown")
    };
    assert_eq!((found.refinement.min_len, found.ty), (2, have));
    // A row of docs/deviations.md: what takes the place of an absent attribute has a type of values.
    const INNER: &[AttributeType<'static>] = &[attribute("a", STRINGS, true)];
    let outer: &[_] = &[attribute("key", Type::Object(INNER), true)];
    let empty = Value::map(arena, &[], Type::Bool);
    let converted = convert(arena, empty, Type::Object(outer)).expect("all attributes are optional");
    let absent = converted.as_entries().and_then(|entries| entries.first()).expect("it has one").value;
    assert_eq!(absent.type_of(arena), Type::Object(&[attribute("a", STRINGS, false)]));
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
    let object = Type::Object(&[AttributeType { name: "a", ty: Type::Number, optional: false }]);
    assert!(!exists(Type::Map(&Type::Number), object, Safety::Safe));
    assert!(exists(Type::Map(&Type::Number), object, Safety::Unsafe));
    assert!(exists(Type::Map(&Type::String), object, Safety::Unsafe));
    assert!(!exists(Type::Map(&Type::Bool), object, Safety::Unsafe));
    assert!(exists(object, Type::Map(&Type::String), Safety::Safe));
    assert!(!exists(object, Type::Map(&Type::Bool), Safety::Unsafe));
    assert!(!exists(object, STRINGS, Safety::Unsafe));
    assert!(!exists(STRINGS, object, Safety::Unsafe));
    assert!(!exists(Type::String, STRINGS, Safety::Unsafe) && !exists(STRINGS, Type::String, Safety::Unsafe));
    assert!(exists(Type::Set(&Type::Number), STRINGS, Safety::Safe));
    assert!(!exists(STRINGS, NUMBERS, Safety::Safe) && exists(STRINGS, NUMBERS, Safety::Unsafe));
    let pair = Type::Tuple(&[Type::Number, Type::String]);
    assert!(exists(pair, Type::Tuple(&[Type::String, Type::String]), Safety::Safe));
    assert!(!exists(pair, Type::Tuple(&[Type::Number, Type::Number]), Safety::Safe));
    assert!(!exists(pair, Type::Tuple(&[Type::Number]), Safety::Unsafe));
    assert!(exists(pair, STRINGS, Safety::Safe) && !exists(pair, NUMBERS, Safety::Safe));
    assert!(!exists(STRINGS, pair, Safety::Unsafe));
    assert!(exists(Type::Number, Type::Dynamic, Safety::Safe));
    assert!(!exists(Type::Dynamic, Type::Number, Safety::Safe));
    assert!(exists(Type::Dynamic, Type::Number, Safety::Unsafe));
    assert!(exists(Type::Capsule("a"), Type::Capsule("a"), Safety::Safe));
    assert!(!exists(Type::Capsule("a"), Type::Capsule("b"), Safety::Unsafe));
    assert!(!exists(Type::Capsule("a"), Type::String, Safety::Unsafe));
}

#[test]
fn types_conform_part_by_part() {
    const PAIR: Type<'static> = Type::Tuple(&[Type::Number, Type::String]);
    const OBJECT: Type<'static> =
        Type::Object(&[attribute("a", Type::Number, false), attribute("b", Type::String, false)]);
    let arena = &Arena::new();
    let conforms = |ty: Type<'static>, want: Type<'static>| ty.conforms(arena, want);
    assert!(conforms(PAIR, PAIR) && conforms(OBJECT, OBJECT));
    assert!(conforms(PAIR, const { Type::Tuple(&[Type::Dynamic, Type::String]) }));
    assert!(!conforms(PAIR, const { Type::Tuple(&[Type::Number, Type::Bool]) }));
    assert!(!conforms(PAIR, const { Type::Tuple(&[Type::Bool, Type::String]) }));
    assert!(!conforms(PAIR, const { Type::Tuple(&[Type::Number]) }));
    let other = |a, b| Type::Object(arena.slice(&[a, b]));
    let want = |a, b| OBJECT.conforms(arena, other(a, b));
    let (a, b) = (attribute("a", Type::Number, false), attribute("b", Type::String, false));
    assert!(want(attribute("a", Type::Dynamic, false), b));
    assert!(!want(a, attribute("b", Type::Bool, false)));
    assert!(!want(attribute("a", Type::Bool, false), b));
    assert!(!want(a, attribute("c", Type::String, false)));
    assert!(!want(attribute("0", Type::Number, false), b));
    assert!(!conforms(OBJECT, const { Type::Object(&[attribute("a", Type::Number, false)]) }));
    assert!(conforms(STRINGS, ANY_LIST) && !conforms(STRINGS, NUMBERS) && !conforms(ANY_LIST, STRINGS));
    assert!(!conforms(STRINGS, Type::Set(&Type::String)) && !conforms(STRINGS, Type::String));
    assert!(conforms(Type::Capsule("a"), Type::Capsule("a")));
    assert!(!conforms(Type::Capsule("a"), Type::Capsule("b")));
}

#[test]
fn types_are_unified_by_kind() {
    const ONE: Type<'static> = Type::Tuple(&[Type::Number]);
    const TWO: Type<'static> = Type::Tuple(&[Type::String, Type::Bool]);
    const A: Type<'static> = Type::Object(&[attribute("a", Type::Number, false)]);
    const B: Type<'static> = Type::Object(&[attribute("b", Type::String, false)]);
    const TEXT: Type<'static> = Type::Object(&[attribute("a", Type::String, false)]);
    const BOTH: Type<'static> =
        Type::Object(&[attribute("a", Type::String, false), attribute("b", Type::String, false)]);
    let arena = &Arena::new();
    let safe = |types: &[Type<'static>]| unify(arena, types, Safety::Safe);
    assert_eq!(safe(&[Type::Number, Type::String]), Some(Type::String));
    assert_eq!(safe(&[Type::Number, Type::Bool]), None);
    assert_eq!(safe(&[]), None);
    let (one, two, a, b) = (ONE, TWO, A, B);
    assert_eq!(safe(&[one, two]), Some(STRINGS));
    assert_eq!(safe(&[one, STRINGS]), Some(STRINGS));
    assert_eq!(safe(&[a, b]), Some(Type::Map(&Type::String)));
    assert_eq!(safe(&[a, one]), None);
    assert_eq!(safe(&[a, one, Type::Dynamic]), None);
    assert_eq!(safe(&[a, TEXT]), Some(TEXT));
    assert_eq!(safe(&[a, TEXT, BOTH]), Some(Type::Map(&Type::String)));
    assert_eq!(safe(&[Type::List(&ONE), Type::List(&TWO)]), Some(Type::List(&STRINGS)));
    assert_eq!(safe(&[Type::Set(&ONE), Type::Set(&TWO)]), Some(Type::Set(&STRINGS)));
    let maps = Type::Map(&Type::Map(&Type::String));
    assert_eq!(safe(&[Type::Map(&A), Type::Map(&B)]), Some(maps));
    assert_eq!(safe(&[Type::List(&Type::Number), Type::List(&Type::Bool)]), None);
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
