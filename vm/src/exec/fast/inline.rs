//! The cases that are compiled into the loop: splats over known tuples, divisions of small integers. [`slow`](super::slow) handles the others out of line.

use super::attribute::{attribute, attribute_of_object};
use super::machine::FastMachine;
use crate::code::fast::{InlineCache, Symbol};
use crate::memory::arena::Arena;
use crate::types::Type;
use crate::value::{NO_SYMBOL, ShapeCache, Value};

/// Computes `value[*].name` over a tuple of objects; `None` if an element lacks the attribute.
pub(super) fn splat<'a>(
    machine: &FastMachine<'_, 'a>,
    value: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Option<Value<'a>> {
    let arena = machine.arena;
    let items = value.as_tuple()?;
    if !arena.spend(items.len() as u64) {
        return None;
    }
    let mut shape = ShapeCache::NONE;
    if let Some(first) = items.first() {
        element(machine, *first, cache, symbol)?;
        shape = ShapeCache::of(*first, cache.get());
    }
    let places = arena.places(items.len())?;
    match shape.values(items, symbol.0, places) {
        // Flat objects have plain attributes.
        Some(results) => Some(tuple(arena, results, shape.is_flat() || all_primitive(results))),
        None => attributes_of_each(machine, items, cache, symbol),
    }
}

/// Returns the attribute of each element of a tuple whose elements are not alike.
// Cold: the elements of most tuples are alike.
#[cold]
#[inline(never)]
fn attributes_of_each<'a>(
    machine: &FastMachine<'_, 'a>,
    items: &[Value<'a>],
    cache: &InlineCache,
    symbol: Symbol,
) -> Option<Value<'a>> {
    // A copy of the elements, each of which is replaced by its attribute.
    let results = machine.arena.copied(items)?;
    for item in &mut *results {
        *item = element(machine, *item, cache, symbol)?;
    }
    Some(tuple(machine.arena, results, all_primitive(results)))
}

fn all_primitive(values: &[Value<'_>]) -> bool {
    values.iter().all(|value| value.is_plain_primitive())
}

/// Returns the attribute of an element, and leaves its position in the inline cache.
// Inlined into two loops; see `attribute`.
#[inline(always)]
fn element<'a>(
    machine: &FastMachine<'_, 'a>,
    item: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Option<Value<'a>> {
    attribute(item, cache, symbol).or_else(|| searched_element(machine, item, cache, symbol))
}

/// Returns the attribute of an element that does not have it at the position in the inline cache.
// Cold: the elements of most tuples are alike.
#[cold]
#[inline(never)]
fn searched_element<'a>(
    machine: &FastMachine<'_, 'a>,
    item: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Option<Value<'a>> {
    let entries = item.as_object()?;
    match entries.get(cache.get()) {
        // Objects that were built before a program used their names have none of their symbols.
        Some(entry) if entry.symbol == NO_SYMBOL && machine.fast.name(symbol) == Some(entry.name) => {
            Some(entry.value)
        }
        _ => attribute_of_object(machine.fast, entries, cache, symbol).ok(),
    }
}

/// Builds a tuple of items. `primitive` is true if all are known to be plain primitives.
pub(super) fn tuple<'a>(arena: &'a Arena, items: &'a [Value<'a>], primitive: bool) -> Value<'a> {
    if primitive { Value::tuple_of_primitives(arena, items) } else { Value::tuple(arena, items) }
}

/// Returns the element type of the results of a splat over a list, if all are of one primitive type.
pub(super) fn element_type<'a>(arena: &'a Arena, results: &[Value<'a>]) -> Option<Type<'a>> {
    let first = results.first()?.type_of(arena);
    if first.is_primitive() {
        let class = results[0];
        return results.iter().all(|result| result.same_primitive_type(class)).then_some(first);
    }
    None
}

/// Divides `a` by a power of two, if the quotient is a whole number and not negative zero. Inlined: three
/// instructions.
#[inline(always)]
pub(super) fn exact_shift(a: i64, bits: u8) -> Option<i64> {
    let quotient = a >> (bits & 31);
    (a != 0 && quotient << (bits & 31) == a).then_some(quotient)
}

/// Computes `a / i` if `i` is positive and the quotient is a whole number and not negative zero.
/// Inlined, so that the divisor's checks are part of the arm.
#[inline(always)]
pub(super) fn exact_quotient(a: i64, i: i32) -> Option<i64> {
    if a == 0 || i <= 0 {
        return None;
    }
    // The 32-bit division has a fraction of the latency of the 64-bit one on many processors.
    if let Ok(narrow) = i32::try_from(a) {
        let quotient = narrow / i;
        return (quotient.wrapping_mul(i) == narrow).then_some(i64::from(quotient));
    }
    let quotient = a / i64::from(i);
    (quotient.wrapping_mul(i64::from(i)) == a).then_some(quotient)
}

/// Computes `a % i` if `i` is positive. Inlined, as [`exact_quotient`].
#[inline(always)]
pub(super) fn remainder(a: i64, i: i32) -> Option<i64> {
    if i <= 0 {
        return None;
    }
    Some(match i32::try_from(a) {
        Ok(narrow) => i64::from(narrow % i),
        Err(_) => a % i64::from(i),
    })
}
