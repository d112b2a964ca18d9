//! Shortcuts of functions for plain arguments, and their forms for constant texts: both compute what the protocol of a
//! call computes, or decline.

use hclvm::functions::{Capabilities, FunctionTable};
use hclvm::value::{Arena, Entry, convert, identical, marks_from};
use hclvm::{Type, Value};
use hclvm_vm::Function;

fn tuple<'a>(arena: &'a Arena, items: &[Value<'a>]) -> Value<'a> {
    Value::tuple(arena, arena.slice(items))
}

/// Values of every kind: some of them suit each parameter.
fn arguments(arena: &Arena) -> Vec<Value<'_>> {
    let text = |text| Value::str(arena, text);
    let secret = text("secret").with_marks(arena, marks_from(arena, &["sensitive"]));
    let unknown = Value::unknown_of(arena, Type::String);
    let words = tuple(arena, &[text("b"), text("a"), text("a")]);
    let list = |value| convert(arena, value, Type::List(&Type::String)).expect("texts convert");
    let object = |b| {
        let entries = [Entry::new("a", Value::int(1)), Entry::new("b", b)];
        Value::object(arena, arena.slice(&entries))
    };
    let map = convert(arena, object(text("x")), Type::Map(&Type::String)).expect("it converts");
    let long = arena.text(&"long ".repeat(100));
    vec![
        text(""),
        text("a"),
        text("b"),
        text("-"),
        text("/a+/"),
        text("12"),
        text("a-b-ab"),
        text("é"),
        text(long),
        Value::int(0),
        Value::int(2),
        Value::int(-3),
        Value::short(7),
        convert(arena, text("0.5"), Type::Number).expect("a number"),
        convert(arena, text("1e300"), Type::Number).expect("a number"),
        Value::TRUE,
        Value::NULL,
        Value::null(arena, Type::String),
        Value::DYNAMIC,
        unknown,
        secret,
        tuple(arena, &[]),
        words,
        tuple(arena, &[Value::int(1), Value::NULL]),
        tuple(arena, &[unknown, text("a")]),
        tuple(arena, &[secret]),
        list(words),
        list(tuple(arena, &[text("a"), unknown])),
        convert(arena, words, Type::Set(&Type::String)).expect("texts"),
        object(text("y")),
        object(unknown),
        object(secret),
        object(Value::NULL),
        map,
    ]
}

fn tables() -> impl Iterator<Item = FunctionTable> {
    hclvm::functions::tables(&Capabilities::none()).into_iter().map(|(_, table)| table)
}

/// Returns the result of a call as programs make it; `None` if it fails.
fn called<'a>(arena: &'a Arena, function: &Function, args: &[Value<'a>]) -> Option<Value<'a>> {
    let converted: Option<Vec<_>> = args
        .iter()
        .enumerate()
        .map(|(at, arg)| convert(arena, *arg, function.parameter(at)?.ty).ok())
        .collect();
    function.call(arena, &converted?).ok()
}

/// Calls `check` with a function and each choice of arguments that it takes, up to three.
fn each_call(arena: &Arena, function: &Function, mut check: impl FnMut(&[Value<'_>])) {
    let values = arguments(arena);
    for count in (0..=3).filter(|count| function.takes(*count)) {
        for number in 0..values.len().pow(u32::try_from(count).expect("at most three")) {
            let digits = (0..count).scan(number, |rest, _| {
                let digit = *rest % values.len();
                *rest /= values.len();
                Some(values[digit])
            });
            check(&digits.collect::<Vec<_>>());
        }
    }
}

#[test]
fn shortcuts_compute_what_calls_compute() {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for table in tables() {
        for name in table.names() {
            let function = table.get(name).expect("it is listed");
            let Some(inline) = function.inline else { continue };
            let arena = Arena::new();
            let count = counts.entry(name.to_string()).or_default();
            each_call(&arena, function, |args| {
                let Some(found) = inline(&arena, args) else { return };
                *count += 1;
                let expected = called(&arena, function, args);
                let same = expected.is_some_and(|expected| identical(&arena, found, expected));
                assert!(same, "{name}{args:?}: {found:?} instead of {expected:?}");
            });
        }
    }
    assert!(counts.len() > 10, "{counts:?}");
    assert!(counts.values().all(|count| *count > 0), "a shortcut declines everything: {counts:?}");
}

#[test]
fn prepared_functions_compute_what_calls_compute() {
    let mut forms = 0;
    for table in tables() {
        for name in table.names() {
            let function = table.get(name).expect("it is listed");
            if !function.prepares() {
                continue;
            }
            let arena = Arena::new();
            each_call(&arena, function, |args| {
                let texts: Vec<Option<&str>> = args.iter().map(|arg| arg.as_str()).collect();
                let Some(form) = function.prepared(&texts) else { return };
                forms += 1;
                let (found, expected) = (called(&arena, &form, args), called(&arena, function, args));
                let same = match (found, expected) {
                    (Some(found), Some(expected)) => identical(&arena, found, expected),
                    (found, expected) => found.is_none() && expected.is_none(),
                };
                assert!(same, "{name}{args:?}: {found:?} instead of {expected:?}");
            });
        }
    }
    assert!(forms > 1_000, "{forms}");
}
