//! For expressions and directives that compute one number, bool, attribute or text of each element, as operations on
//! whole collections: an instruction for each step instead of one for each step and element.
//!
//! ```text
//! [for s in servers : s.load * 2 + 1]     Map            r1 = servers, each .load
//!                                         MapArithmetic  r1 = r1, each * 2
//!                                         MapArithmetic  r1 = r1, each + 1
//!
//! [for s in servers : s.up && s.load < 9] Map            r1 = servers, each .up
//!                                         Map            r2 = servers, each .load
//!                                         MapCompare     r2 = r2, each < 9
//!                                         MapConnective  r1 = r1 && r2, pair by pair
//! ```
//!
//! Comparisons of arithmetic have a bound, and a loop for collections with an element that it does not decide:
//!
//! ```text
//! [for s in servers : s.load + 1 < 1.8]   Map            r1 = servers, each .load
//!                                         MapBound       r1 = r1, each < 0.8   not decided: to the loop
//! ```
//!
//! A fault of any element falls back, so the order of the steps is not observable.

use super::machine::FastMachine;
use super::stop::Stop;
use super::{inline, intervals, slow};
use crate::code::fast::{InlineCache, IntervalId, Symbol};
use crate::code::{Arithmetic, Comparison, Connective};
use crate::memory::arena::Arena;
use crate::number::Interval;
use crate::value::{Tags, Value, View};

/// Returns the attribute of each element of a collection that is not a tuple of objects which all have it at one
/// position; `None` if it falls back.
// Cold: `inline::splat` handles such tuples.
#[cold]
#[inline(never)]
pub(super) fn attributes<'a>(
    machine: &FastMachine<'_, 'a>,
    value: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Option<Value<'a>> {
    let arena = machine.arena;
    let mut results;
    let attribute = |element| slow::attribute(machine, element, cache, symbol).ok();
    match value.view() {
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
            if !arena.charge(items.len() as u64) {
                return None;
            }
            results = arena.list_with(items.len());
            for item in items {
                results.push(attribute(*item)?);
            }
        }
        View::Object(entries) | View::Map(entries, _) => {
            if !arena.charge(entries.len() as u64) {
                return None;
            }
            results = arena.list_with(entries.len());
            for entry in entries {
                results.push(attribute(entry.value)?);
            }
        }
        _ => return None,
    }
    Some(Value::tuple(arena, results.into_bump_slice()))
}

/// Appends the text of each element of a collection to the template opened last, and `behind` after each.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn append_each<'a>(
    machine: &mut FastMachine<'_, 'a>,
    value: Value<'a>,
    behind: Value<'a>,
) -> Result<(), Stop> {
    let behind = behind.as_short_text().ok_or(Stop::FallBack)?;
    if let Some(items) = value.as_items() {
        return append_all(machine, items.iter().copied(), behind);
    }
    let entries = value.as_entries().ok_or(Stop::FallBack)?;
    append_all(machine, entries.iter().map(|entry| entry.value), behind)
}

/// Appends the text of each value, and `behind` after each.
fn append_all<'a>(
    machine: &mut FastMachine<'_, 'a>,
    values: impl ExactSizeIterator<Item = Value<'a>>,
    behind: &str,
) -> Result<(), Stop> {
    // As a loop of two instructions.
    if !machine.arena.charge(2 * values.len() as u64) {
        return Err(Stop::FallBack);
    }
    for value in values {
        match value.as_short_text() {
            Some(text) if machine.text.push_two(text, behind) => {}
            Some(text) => {
                slow::append_text(machine.arena, machine.text, text)?;
                slow::append_text(machine.arena, machine.text, behind)?;
            }
            None => {
                slow::append(machine, value)?;
                slow::append_text(machine.arena, machine.text, behind)?;
            }
        }
    }
    Ok(())
}

/// Applies an operator to each element of a tuple and a constant number; `None` if it falls back.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn arithmetic<'a>(
    arena: &'a Arena,
    op: Arithmetic,
    value: Value<'a>,
    constant: Value<'a>,
) -> Option<Value<'a>> {
    let items = value.as_tuple()?;
    if !arena.charge(items.len() as u64) {
        return None;
    }
    let int = constant.as_full_int();
    let immediate = int.and_then(|int| i32::try_from(int).ok());
    match (op, int, immediate) {
        (Arithmetic::Add, Some(b), _) => {
            sums(arena, items, |a| a.checked_add(b), immediate, |a| slow::add(arena, a, constant))
        }
        (Arithmetic::Subtract, Some(b), _) => {
            let opposite = immediate.and_then(i32::checked_neg);
            sums(arena, items, |a| a.checked_sub(b), opposite, |a| slow::subtract(arena, a, constant))
        }
        (Arithmetic::Multiply, Some(b), _) => {
            // Zero may be negative.
            let product = |a: i64| a.checked_mul(b).filter(|product| *product != 0);
            each(arena, items, product, |a| slow::multiply(arena, a, constant))
        }
        (Arithmetic::Divide, _, Some(b)) => {
            each(arena, items, |a| inline::exact_quotient(a, b), |a| slow::divide(arena, a, constant))
        }
        (Arithmetic::Modulo, _, Some(b)) => {
            each(arena, items, |a| inline::remainder(a, b), |a| slow::modulo(arena, a, constant))
        }
        _ => {
            let apply = slow::operation(op);
            each(arena, items, |_| None, |a| apply(arena, a, constant))
        }
    }
}

/// [`each`] for sums with an integer: `short` is that of integers, and `addend` is what is added to short decimals.
// Inlined, as `each`.
#[inline(always)]
fn sums<'a>(
    arena: &'a Arena,
    items: &[Value<'a>],
    short: impl Fn(i64) -> Option<i64>,
    addend: Option<i32>,
    any: impl Fn(Value<'a>) -> Result<Value<'a>, Stop>,
) -> Option<Value<'a>> {
    let Some(addend) = addend else { return each(arena, items, short, any) };
    let decimal = |a: Value<'a>| Some(Value::decimal(a.as_short_decimal()?.plus_integer(addend)?));
    each(arena, items, short, |a| decimal(a).map_or_else(|| any(a), Ok))
}

/// Compares each element of a tuple with a constant number; `None` if it falls back.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn compare<'a>(
    arena: &'a Arena,
    op: Comparison,
    value: Value<'a>,
    constant: Value<'a>,
) -> Option<Value<'a>> {
    let items = value.as_tuple()?;
    let any = |item: Value<'a>| match item.compare_short(constant) {
        Some(order) => Some(op.holds_in(order)),
        None => slow::compare(arena, op, item, constant).ok(),
    };
    match constant.as_any_int() {
        Some(int) => truths(arena, items, |item| match item.as_any_int() {
            Some(number) => Some(op.holds_for(&number, &int)),
            None => any(item),
        }),
        None => truths(arena, items, any),
    }
}

/// Compares each element of a tuple with a bound; `None` if that does not decide each, or if the budget is exhausted.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn compare_bound<'a>(
    machine: &FastMachine<'_, 'a>,
    op: Comparison,
    value: Value<'a>,
    bound: IntervalId,
) -> Option<Value<'a>> {
    let bound = intervals::bound(machine, bound)?;
    truths(machine.arena, value.as_tuple()?, |item| {
        Interval::of(item.as_number()?)?.compare(bound).map(|order| op.holds_in(order))
    })
}

/// Reports of each element of a tuple whether its being equal to a constant is `when`; `None` if it falls back.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn equal<'a>(
    arena: &'a Arena,
    when: bool,
    value: Value<'a>,
    constant: Value<'a>,
) -> Option<Value<'a>> {
    let items = value.as_tuple()?;
    let any = |item: Value<'a>| slow::equal(arena, item, constant);
    if constant.as_short_text().is_some() {
        let quickly = |item: Value<'a>| item.equals_short_text(constant).or_else(|| any(item));
        return truths(arena, items, |item| Some(quickly(item)? == when));
    }
    truths(arena, items, |item| Some(any(item)? == when))
}

/// Negates each element of a tuple; `None` if it falls back.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn not<'a>(arena: &'a Arena, value: Value<'a>) -> Option<Value<'a>> {
    truths(arena, value.as_tuple()?, |item| item.as_bool().map(|truth| !truth))
}

/// Connects the elements of two tuples, pair by pair. Elements that are not plain bools fall back.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(super) fn connective<'a>(
    arena: &'a Arena,
    op: Connective,
    a: Value<'a>,
    b: Value<'a>,
) -> Option<Value<'a>> {
    let mut others = b.as_tuple()?.iter();
    let mut other = || others.next()?.as_bool();
    match op {
        Connective::And | Connective::StrictAnd => {
            truths(arena, a.as_tuple()?, |item| Some(item.as_bool()? & other()?))
        }
        Connective::Or | Connective::StrictOr => {
            truths(arena, a.as_tuple()?, |item| Some(item.as_bool()? | other()?))
        }
    }
}

/// Computes a bool of each element; `None` if one of them has none.
// Inlined, so that there is a loop for each operation.
#[inline(always)]
fn truths<'a>(
    arena: &'a Arena,
    items: &[Value<'a>],
    mut truth: impl FnMut(Value<'a>) -> Option<bool>,
) -> Option<Value<'a>> {
    if !arena.charge(items.len() as u64) {
        return None;
    }
    let (mut rest, mut complete) = (items.iter(), true);
    let results = arena.filled(items.len(), |_| {
        let result = rest.next().and_then(|item| truth(*item));
        complete &= result.is_some();
        Value::bool(result.unwrap_or_default())
    });
    (complete && results.len() == items.len()).then(|| Value::tuple_of_primitives(arena, results))
}

/// Computes each element: `short` for integers at full precision, if it has a result, else `any`.
// Inlined, so that there is a loop for each operator.
#[inline(always)]
fn each<'a>(
    arena: &'a Arena,
    items: &[Value<'a>],
    short: impl Fn(i64) -> Option<i64>,
    any: impl Fn(Value<'a>) -> Result<Value<'a>, Stop>,
) -> Option<Value<'a>> {
    let (mut tags, mut complete) = (Tags::default(), true);
    let results = arena.filled(items.len(), |at| {
        let item = items.get(at).copied().unwrap_or(Value::NULL);
        let result = match item.as_full_int().and_then(&short) {
            Some(result) => Value::int(result),
            None => any(item).unwrap_or_else(|_| {
                complete = false;
                Value::NULL
            }),
        };
        tags.add(result);
        result
    });
    (complete && results.len() == items.len()).then(|| inline::tuple(arena, results, tags.all_primitive()))
}
