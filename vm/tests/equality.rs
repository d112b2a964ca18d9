//! Equality, order and sets, known and unknown.

use hclvm_vm::ops::OperationFault;
use hclvm_vm::ops::arithmetic::divide;
use hclvm_vm::ops::compare::{Comparison, compare};
use hclvm_vm::ops::conditional::hull;
use hclvm_vm::ops::equality::{differs, equals, same};
use hclvm_vm::{
    Arena, Entry, Number, NumberBound, NumberRef, Refinement, Type, Unknown, Value, View, Width, contains,
    marks_from, set_from,
};

fn text<'a>(arena: &'a Arena, text: &'a str) -> Value<'a> {
    Value::str(arena, text)
}

fn tuple<'a>(arena: &'a Arena, items: &[Value<'a>]) -> Value<'a> {
    Value::tuple(arena, arena.slice(items))
}

fn between(arena: &Arena, min: i64, max: i64) -> Value<'_> {
    bounded(arena, NumberRef::Int(min, Width::Full), NumberRef::Int(max, Width::Full))
}

fn bounded<'a>(arena: &'a Arena, min: NumberRef<'a>, max: NumberRef<'a>) -> Value<'a> {
    let bound = |value| Some(NumberBound { value, inclusive: true });
    let refinement = Refinement { not_null: true, min: bound(min), max: bound(max), ..Refinement::default() };
    Value::unknown(arena, Unknown { ty: Type::Number, refinement })
}

#[test]
fn an_unknown_element_hides_what_is_behind_it() {
    let arena = &Arena::new();
    let unknown = Value::unknown_of(arena, Type::String);
    let (one, two, word) = (Value::int(1), Value::int(2), text(arena, "a"));
    let behind = equals(arena, tuple(arena, &[unknown, one]), tuple(arena, &[word, two]));
    assert!(!behind.is_known());
    let before = equals(arena, tuple(arena, &[one, unknown]), tuple(arena, &[two, word]));
    assert_eq!(before.as_bool(), Some(false));
    let entries = |value, number| {
        let entries = [Entry::new("a", value), Entry::new("b", number)];
        Value::object(arena, arena.slice(&entries))
    };
    let objects = equals(arena, entries(unknown, one), entries(word, two));
    assert_eq!(objects.as_bool(), Some(false), "in objects a difference wins");
}

#[test]
fn types_and_refinements_tell_unknown_values_apart() {
    let arena = &Arena::new();
    let unknown = Value::unknown_of(arena, Type::String);
    assert_eq!(equals(arena, unknown, Value::int(1)).as_bool(), Some(false));
    assert!(!equals(arena, unknown, text(arena, "a")).is_known());
    assert!(!equals(arena, Value::DYNAMIC, Value::int(1)).is_known());
    assert_eq!(equals(arena, between(arena, 0, 10), Value::int(11)).as_bool(), Some(false));
    assert!(!equals(arena, between(arena, 0, 10), between(arena, 20, 30)).is_known());
    assert_eq!(differs(arena, between(arena, 0, 10), Value::NULL).as_bool(), Some(true));
}

#[test]
fn marks_inside_are_marks_of_the_answer() {
    let arena = &Arena::new();
    let marked = tuple(arena, &[Value::TRUE.with_marks(arena, marks_from(arena, &["m"]))]);
    let (answer, marks) = equals(arena, marked, Value::NULL).unmark();
    assert_eq!((answer.as_bool(), marks.names()), (Some(false), ["m"].as_slice()));
    assert!(!same(arena, marked, tuple(arena, &[Value::TRUE])));
}

/// Every value is the same as itself and no other one of the list.
#[test]
fn values_are_the_same_with_their_types_marks_and_refinements() {
    let arena = &Arena::new();
    let unknown = |refinement| Value::unknown(arena, Unknown { ty: Type::String, refinement });
    let refined = |refinement: Refinement<'static>| unknown(Refinement { not_null: true, ..refinement });
    let bound = |value, inclusive| Some(NumberBound { value: NumberRef::Int(value, Width::Full), inclusive });
    let in_range = |min, max| {
        let refinement = Refinement { min, max, ..Refinement::default() };
        Value::unknown(arena, Unknown { ty: Type::Number, refinement })
    };
    let of_lengths = |min_len, max_len| {
        let refinement = Refinement { min_len, max_len, ..Refinement::default() };
        Value::unknown(arena, Unknown { ty: Type::List(&Type::Number), refinement })
    };
    let (one, marks) = (Value::int(1), |names: &'static [&'static str]| marks_from(arena, names));
    let items = |items: &[Value<'static>]| -> &[Value<'_>] { arena.slice(items) };
    let entries = |name, value| -> &[Entry<'_>] { arena.slice(&[Entry::new(name, value)]) };
    let all = [
        one,
        Value::int(2),
        text(arena, "1"),
        text(arena, ""),
        Value::TRUE,
        Value::FALSE,
        Value::UNSET,
        Value::NULL,
        Value::null(arena, Type::Number),
        Value::DYNAMIC,
        unknown(Refinement::default()),
        refined(Refinement::default()),
        refined(Refinement { prefix: "a", ..Refinement::default() }),
        refined(Refinement { prefix: "ab", ..Refinement::default() }),
        in_range(None, None),
        in_range(bound(1, true), None),
        in_range(bound(1, false), None),
        in_range(bound(2, true), None),
        in_range(None, bound(1, true)),
        in_range(None, bound(2, true)),
        in_range(bound(1, true), bound(2, true)),
        of_lengths(0, usize::MAX),
        of_lengths(1, usize::MAX),
        of_lengths(0, 3),
        one.with_marks(arena, marks(&["m"])),
        one.with_marks(arena, marks(&["n"])),
        one.with_marks(arena, marks(&["m", "n"])),
        Value::int(2).with_marks(arena, marks(&["m"])),
        tuple(arena, &[]),
        tuple(arena, &[one]),
        tuple(arena, &[Value::int(2)]),
        tuple(arena, &[one, one]),
        Value::list(arena, items(&[one]), Type::Number),
        Value::list(arena, items(&[Value::int(2)]), Type::Number),
        Value::list(arena, items(&[]), Type::Number),
        Value::list(arena, items(&[]), Type::String),
        set_from(arena, &[one], Type::Number),
        set_from(arena, &[], Type::Number),
        set_from(arena, &[], Type::String),
        Value::object(arena, entries("a", one)),
        Value::object(arena, entries("b", one)),
        Value::object(arena, entries("a", Value::int(2))),
        Value::object(arena, arena.slice(&[Entry::new("a", one), Entry::new("b", one)])),
        Value::map(arena, entries("a", one), Type::Number),
        Value::map(arena, entries("b", one), Type::Number),
        Value::map(arena, arena.slice(&[]), Type::Number),
        Value::map(arena, arena.slice(&[]), Type::String),
    ];
    for (at, a) in all.iter().enumerate() {
        for (other, b) in all.iter().enumerate() {
            assert_eq!(same(arena, *a, *b), at == other, "{a:?} and {b:?}");
        }
    }
}

#[test]
fn ranges_decide_an_order_unless_they_touch() {
    let arena = &Arena::new();
    let low = between(arena, 0, 10);
    let ask = |operator, b| compare(arena, operator, low, b).expect("numbers").as_bool();
    assert_eq!(ask(Comparison::Less, Value::int(11)), Some(true));
    assert_eq!(ask(Comparison::GreaterOrEqual, Value::int(11)), Some(false));
    assert_eq!(ask(Comparison::LessOrEqual, Value::int(10)), None);
    assert_eq!(ask(Comparison::Greater, between(arena, 20, 30)), Some(false));
    assert_eq!(ask(Comparison::LessOrEqual, between(arena, 20, 30)), Some(true));
    let null = compare(arena, Comparison::Less, low, Value::null(arena, Type::Number));
    assert_eq!(null.err(), Some(OperationFault::NullArgument));
}

#[test]
fn sets_are_ordered_and_distinct() {
    let arena = &Arena::new();
    let decimal = Value::number(arena, Number::parse_text("2.5").expect("a number"));
    let items = [Value::int(10), Value::NULL, decimal, Value::int(9), Value::short(10), Value::NULL];
    let set = set_from(arena, &items, Type::Number);
    let shown: Vec<String> =
        set.as_items().unwrap_or_default().iter().map(|item| format!("{item:?}")).collect();
    assert_eq!(shown.len(), 4, "{shown:?}");
    assert!(shown[3].starts_with("null"), "{shown:?}");
    let unknown = Value::unknown_of(arena, Type::String);
    let words = set_from(arena, &[unknown, text(arena, "b"), unknown, text(arena, "a")], Type::String);
    assert_eq!(words.as_items().map(<[_]>::len), Some(4), "unknown elements may be different");
    assert_eq!(words.as_items().and_then(|items| items[0].as_str()), Some("a"));
    assert!(contains(arena, words, text(arena, "b")));
    assert!(!contains(arena, words, text(arena, "c")));
    assert!(!contains(arena, words, unknown));
}

#[test]
fn sets_of_structures_go_by_their_canonical_text() {
    let arena = &Arena::new();
    let items: Vec<_> =
        ["é", "\n", "z", "a\"", "é"].iter().map(|word| tuple(arena, &[text(arena, word)])).collect();
    let set = set_from(arena, &items, Type::Tuple(&[Type::String]));
    let words = set.as_items().unwrap_or_default().iter();
    let words: Vec<_> = words.filter_map(|item| item.as_items()?.first()?.as_str()).collect();
    assert_eq!(words, ["\n", "a\"", "z", "é"]);
    assert!(items.iter().all(|item| contains(arena, set, *item)));
    let other = set_from(arena, &items[1..], Type::Tuple(&[Type::String]));
    assert_eq!(equals(arena, set, other).as_bool(), Some(true));
}

#[test]
fn many_elements_that_look_alike_stay_distinct() {
    let arena = &Arena::new();
    let items: Vec<_> =
        (0..20_000).map(|at| tuple(arena, &[Value::int(1_000_000_000_000_000 + at % 10_000)])).collect();
    let set = set_from(arena, &items, Type::Tuple(&[Type::Number]));
    assert_eq!(set.as_items().map(<[_]>::len), Some(10_000));
    assert_eq!(arena.budget().exhausted(), None);
}

#[test]
fn the_hull_of_two_arms_holds_both() {
    let arena = &Arena::new();
    let number = hull(arena, Value::int(3), between(arena, 5, 7), Type::Number);
    assert!(same(arena, number, between(arena, 3, 7)));
    let settled = hull(arena, Value::int(1), Value::int(1), Type::Number);
    assert!(same(arena, settled, Value::int(1)));
    let null = Value::null(arena, Type::Number);
    assert!(same(arena, hull(arena, null, null, Type::String), Value::null(arena, Type::String)));
    assert!(same(
        arena,
        hull(arena, null, Value::int(1), Type::Number),
        Value::unknown_of(arena, Type::Number)
    ));
}

#[test]
fn a_computed_infinity_is_a_bound_and_one_of_the_host_is_not() {
    let arena = &Arena::new();
    let (one, computed) = (Value::int(1), divide(arena, Value::int(1), Value::ZERO).expect("it is infinite"));
    let max = |value| match hull(arena, one, value, Type::Number).view() {
        View::Unknown(unknown) => unknown.refinement.max.map(|bound| bound.value.is_infinite()),
        _ => panic!("it is unknown"),
    };
    assert_eq!(max(computed), Some(true));
    assert_eq!(max(Value::number(arena, Number::infinity(false))), None);
    let min = |value| match hull(arena, one, value, Type::Number).view() {
        View::Unknown(unknown) => unknown.refinement.min.map(|bound| bound.value.is_infinite()),
        _ => panic!("it is unknown"),
    };
    let computed = divide(arena, Value::int(-1), Value::ZERO).expect("it is infinite");
    assert_eq!(min(computed), Some(true));
    assert_eq!(min(Value::number(arena, Number::infinity(true))), None);
    // On the other side it is listed.
    let infinity = Value::number(arena, Number::infinity(false));
    let View::Unknown(both) = hull(arena, infinity, infinity, Type::Number).view() else {
        panic!("it is unknown")
    };
    assert!(both.refinement.min.is_some() && both.refinement.max.is_none());
}
