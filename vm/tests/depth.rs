//! Values as deep as the limit allows, on a thread with a small stack; work beyond the budget.

use hclvm_vm::ops::equality::{equals, same};
use hclvm_vm::{
    Arena, Entry, Exhausted, Limits, MismatchStep, Safety, Type, Value, conversion_exists, convert,
    marks_from, set_from, unify,
};

fn on_small_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test);
    assert!(thread.expect("a thread starts").join().is_ok());
}

/// `innermost` within 999 tuples or, every second level, objects.
fn nested<'a>(arena: &'a Arena, innermost: Value<'a>) -> Value<'a> {
    (1..1000).fold(innermost, |inner, level| match level % 2 {
        0 => Value::tuple(arena, arena.slice(&[inner])),
        _ => Value::object(arena, arena.slice(&[Entry::new("a", inner)])),
    })
}

#[test]
fn deep_values_are_compared() {
    on_small_stack(|| {
        let arena = Arena::new();
        let [a, b] = [1, 1].map(|number| nested(&arena, Value::int(number)));
        assert_eq!(equals(&arena, a, b).as_bool(), Some(true));
        assert!(same(&arena, a, b));
        let other = nested(&arena, Value::int(2));
        assert_eq!(equals(&arena, a, other).as_bool(), Some(false));
        let marked = nested(&arena, Value::TRUE.with_marks(&arena, marks_from(&arena, &["m"])));
        assert!(equals(&arena, a, marked).is_marked());
        assert_eq!(arena.budget().exhausted(), None);
    });
}

#[test]
fn deep_values_are_converted_and_ordered() {
    on_small_stack(|| {
        let arena = Arena::new();
        let (number, text) = (nested(&arena, Value::int(1)), nested(&arena, Value::str(&arena, "1")));
        let converted = convert(&arena, number, text.type_of(&arena)).expect("numbers become texts");
        assert!(same(&arena, converted, text));
        let types = [number.type_of(&arena), text.type_of(&arena)];
        let unified = unify(&arena, &types, Safety::Safe).expect("a number can be a text");
        assert!(unified.same(&arena, types[1]));
        let set = set_from(&arena, &[number, number, nested(&arena, Value::int(0))], types[0]);
        // A set of them is one level too deep only with the list around it.
        assert_eq!(set.as_items().map(<[_]>::len), Some(2));
        assert_eq!(arena.budget().exhausted(), None);
    });
}

#[test]
fn a_mismatch_knows_its_place() {
    on_small_stack(|| {
        let arena = Arena::new();
        let text = nested(&arena, Value::str(&arena, "x"));
        let number = nested(&arena, Value::int(1)).type_of(&arena);
        let mismatch = convert(&arena, text, number).expect_err("x is no number");
        assert_eq!(mismatch.path().count(), 999);
        assert_eq!(mismatch.path().next(), Some(MismatchStep::Attribute("a")));
        let bool = nested(&arena, Value::TRUE).type_of(&arena);
        let mismatch =
            convert(&arena, nested(&arena, Value::int(1)), bool).expect_err("numbers are no bools");
        assert!(mismatch.is_of_types());
        assert!(mismatch.to_string().ends_with("a bool is needed, not a number"));
    });
}

#[test]
fn shared_parts_do_not_multiply_without_end() {
    on_small_stack(|| {
        let arena = Arena::with_limits(Limits { fuel: 100_000, ..Limits::UNTRUSTED });
        let doubled = |leaf: i64| {
            (0..200).fold(Value::int(leaf), |half, _| Value::tuple(&arena, arena.slice(&[half, half])))
        };
        let (a, b) = (doubled(1), doubled(1));
        let _ = equals(&arena, a, b);
        assert_eq!(arena.budget().exhausted(), Some(Exhausted::Fuel));
        let _ = (convert(&arena, a, Type::List(&Type::Dynamic)), same(&arena, a, b));
        let _ = set_from(&arena, &[a, b], Type::Dynamic);
    });
}

#[test]
fn comparing_shared_unknown_parts_ends() {
    on_small_stack(|| {
        let arena = Arena::with_limits(Limits { fuel: 100_000, ..Limits::UNTRUSTED });
        let unknown = Value::unknown_of(&arena, Type::Number);
        let doubled = (0..200).fold(unknown, |half, _| Value::tuple(&arena, arena.slice(&[half, half])));
        let _ = equals(&arena, doubled, doubled);
        assert_eq!(arena.budget().exhausted(), Some(Exhausted::Fuel));
    });
}

#[test]
fn converting_shared_lists_ends() {
    on_small_stack(|| {
        let arena = Arena::with_limits(Limits { fuel: 100_000, ..Limits::UNTRUSTED });
        let (mut numbers, mut texts) = (Value::int(1), Type::String);
        for _ in 0..200 {
            let element = numbers.type_of(&arena);
            numbers = Value::list(&arena, arena.slice(&[numbers, numbers]), element);
            texts = Type::List(arena.item(texts));
        }
        let _ = convert(&arena, numbers, texts);
        assert_eq!(arena.budget().exhausted(), Some(Exhausted::Fuel));
    });
}

#[test]
fn relations_of_shared_types_end() {
    on_small_stack(|| {
        let relations: [fn(&Arena, Type<'_>, Type<'_>) -> bool; 5] = [
            |arena, a, b| conversion_exists(arena, a, b, Safety::Safe),
            |arena, a, b| a.same(arena, b),
            |arena, a, b| a.conforms(arena, b),
            |arena, a, _| a.mentions_dynamic(arena),
            |arena, a, _| a.has_optional(arena),
        ];
        for relation in relations {
            let arena = Arena::with_limits(Limits { fuel: 100_000, ..Limits::UNTRUSTED });
            let doubled = || (0..200).fold(Type::Number, |half, _| Type::Tuple(arena.slice(&[half, half])));
            relation(&arena, doubled(), doubled());
            assert_eq!(arena.budget().exhausted(), Some(Exhausted::Fuel));
        }
    });
}
