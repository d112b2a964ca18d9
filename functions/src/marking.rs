//! Functions of the marks of a value, by which OpenTofu calls it sensitive or ephemeral.
//!
//! All of them take every value, null, unknown and marked ones included, and only its own marks count: marks of
//! its parts stay where they are, except for `ephemeralasnull`. Their return types are computed, because only
//! such functions may mark their results.

use hclvm_vm::{Accepts, Arena, Entry, Function, Marks, Parameter, Type, Value, View, marks_from, set_from};

use super::arguments::{any, get};

/// The mark of values that are not shown.
const SENSITIVE: &str = "sensitive";

/// The mark of values that exist during a run only.
const EPHEMERAL: &str = "ephemeral";

fn every_value() -> Parameter {
    any("value").accepting(Accepts::PLAIN.null().unknown().dynamic().marked())
}

/// Creates a function that returns its argument with other marks.
fn of_marks(name: &'static str, change: for<'a> fn(&'a Arena, Value<'a>) -> Value<'a>) -> Function {
    Function::new(name, [every_value()], Type::Dynamic, move |arena, args, _| Ok(change(arena, get(args, 0))))
        .typed(|arena, args| Ok(get(args, 0).type_of(arena)))
        .refined(None)
}

/// `sensitive(value)`: the value, marked.
pub(crate) fn sensitive() -> Function {
    of_marks("sensitive", |arena, value| value.with_marks(arena, marks_from(arena, &[SENSITIVE])))
}

/// `nonsensitive(value)`: the value without that mark. It may have other marks, and its parts keep theirs.
pub(crate) fn nonsensitive() -> Function {
    of_marks("nonsensitive", |arena, value| without(arena, value, SENSITIVE))
}

/// `issensitive(value)`: true if the value itself is marked. The marks of an unknown value may be those of a
/// branch that is not taken in the end, so the result is unknown then.
pub(crate) fn issensitive() -> Function {
    Function::new("issensitive", [every_value()], Type::Bool, |arena, args, ty| {
        let (value, marks) = get(args, 0).unmark();
        Ok(if value.is_known() {
            Value::bool(marks.contains(SENSITIVE))
        } else {
            Value::unknown_of(arena, ty)
        })
    })
}

/// `ephemeralasnull(value)`: ephemeral parts become null. Of an unknown part only the type is kept, because it
/// may be ephemeral in the end.
pub(crate) fn ephemeralasnull() -> Function {
    of_marks("ephemeralasnull", lasting)
}

/// Returns a value without one of its own marks.
fn without<'a>(arena: &'a Arena, value: Value<'a>, mark: &str) -> Value<'a> {
    let (inner, marks) = value.unmark();
    inner.with_marks(arena, others(arena, marks, mark))
}

fn others<'a>(arena: &'a Arena, marks: Marks<'a>, mark: &str) -> Marks<'a> {
    let mut names = arena.list();
    names.extend(marks.names().iter().copied().filter(|name| *name != mark));
    marks_from(arena, &names)
}

/// The recursion is bounded by the depth of values.
fn lasting<'a>(arena: &'a Arena, value: Value<'a>) -> Value<'a> {
    if !value.contains_marks() && value.is_wholly_known() || !arena.charge(1) {
        return value;
    }
    let (inner, marks) = value.unmark();
    let kept = if inner.is_known() && marks.contains(EPHEMERAL) {
        Value::null(arena, inner.type_of(arena))
    } else {
        let items = |items: &[Value<'a>]| {
            let mut all = arena.list();
            all.extend(items.iter().map(|item| lasting(arena, *item)));
            all.into_bump_slice()
        };
        let entries = |entries: &[Entry<'a>]| {
            let mut all = arena.list();
            all.extend(entries.iter().map(|entry| Entry { value: lasting(arena, entry.value), ..*entry }));
            all.into_bump_slice()
        };
        match inner.view() {
            View::Unknown(unknown) => Value::unknown_of(arena, unknown.ty),
            View::Tuple(parts) => Value::tuple(arena, items(parts)),
            View::List(parts, element) => Value::list(arena, items(parts), element),
            View::Set(parts, element) => set_from(arena, items(parts), element),
            View::Object(parts) => Value::object(arena, entries(parts)),
            View::Map(parts, element) => Value::map(arena, entries(parts), element),
            _ => inner,
        }
    };
    kept.with_marks(arena, others(arena, marks, EPHEMERAL))
}
