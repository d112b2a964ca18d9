//! Attributes, elements and constructors that the loop has no inline form for.

use super::super::attribute::{attribute_by_name, attribute_of_object};
use super::super::inline;
use super::super::machine::FastMachine;
use super::super::stop::{Plain, Stop};
use super::plain;
use crate::code::ShapeId;
use crate::code::fast::{InlineCache, Symbol};
use crate::memory::arena::{Arena, WORK_TO_READ};
use crate::ops;
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::{Entry, Value, View, last_of_each};

/// Returns an attribute that is not at the position in the inline cache.
// Cold: only after a miss of the inline cache.
#[cold]
#[inline(never)]
pub(in crate::exec::fast) fn attribute<'a>(
    machine: &FastMachine<'_, 'a>,
    value: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Plain<'a> {
    let FastMachine { fast, arena, .. } = *machine;
    if let Some(entries) = value.as_object() {
        return attribute_of_object(fast, entries, cache, symbol);
    }
    let name = fast.name(symbol).ok_or(Stop::FallBack)?;
    match plain(value)?.view() {
        View::Map(entries, _) => attribute_by_name(entries, cache, name),
        _ => ops::access::attribute(arena, value, name).map_err(|_| Stop::Fault),
    }
}

/// Computes `a[at]`.
#[inline]
pub(in crate::exec::fast) fn index_at<'a>(arena: &'a Arena, a: Value<'a>, at: i64) -> Plain<'a> {
    let (View::Tuple(items) | View::List(items, _)) = a.view() else {
        return index(arena, a, Value::int(at));
    };
    usize::try_from(at).ok().and_then(|at| items.get(at)).copied().ok_or(Stop::Fault)
}

/// Computes `a[b]` where `a` is no plain sequence or `b` no integer.
// Cold: `index_at` handles positions in sequences; a key is searched, which outweighs the call.
#[cold]
#[inline(never)]
pub(in crate::exec::fast) fn index<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Plain<'a> {
    plain(a)?;
    plain(b)?;
    ops::access::index(arena, a, b).map_err(|_| Stop::Fault)
}

/// Builds a tuple of consecutive registers.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(in crate::exec::fast) fn tuple<'a>(arena: &'a Arena, values: &[Value<'a>]) -> Value<'a> {
    Value::tuple(arena, arena.slice(values))
}

/// Builds an object with constant names from consecutive registers.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(in crate::exec::fast) fn object<'a>(
    machine: &FastMachine<'_, 'a>,
    values: &[Value<'a>],
    shape: ShapeId,
) -> Option<Value<'a>> {
    let FastMachine { fast, arena, .. } = *machine;
    let shape = fast.shapes.get(shape.0 as usize)?;
    let mut entries = arena.list_with(shape.names.len());
    for (name, symbol, at) in shape.entries() {
        entries.push(Entry { name, symbol, value: *values.get(at)? });
    }
    Some(Value::object(arena, entries.into_bump_slice()))
}

/// Builds an object of keys and values in turn. The last one of equal keys counts.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(in crate::exec::fast) fn object_of_pairs<'a>(arena: &'a Arena, pairs: &[Value<'a>]) -> Option<Value<'a>> {
    let mut entries = arena.list_with(pairs.len() / 2);
    for pair in pairs.chunks_exact(2) {
        entries.push(arena.entry(key(arena, pair[0])?.as_short_text()?, pair[1]));
    }
    Some(Value::object(arena, last_of_each(entries)))
}

/// Converts a key of an object to a short string.
#[inline]
pub(in crate::exec::fast) fn key<'a>(arena: &'a Arena, key: Value<'a>) -> Option<Value<'a>> {
    if let Some(text) = key.as_short_text() {
        // Reading longer ones is work that the baseline tier charges.
        return (text.len() <= WORK_TO_READ).then_some(key);
    }
    let key = plain(key).ok().filter(|key| !key.is_null())?;
    convert(arena, key, Type::String)
        .ok()
        .filter(|key| key.as_short_text().is_some_and(|key| key.len() <= WORK_TO_READ))
}

/// Builds the list of a splat's results; `None` unless they are of one primitive type.
pub(in crate::exec::fast) fn list_of<'a>(arena: &'a Arena, results: &'a [Value<'a>]) -> Option<Value<'a>> {
    let element = inline::element_type(arena, results)?;
    Some(Value::list(arena, results, element))
}

/// Computes `a[*].name` over anything but a tuple of objects that all have the attribute.
// Cold: `inline::splat` handles such tuples.
#[cold]
#[inline(never)]
pub(in crate::exec::fast) fn splat<'a>(
    machine: &FastMachine<'_, 'a>,
    value: Value<'a>,
    cache: &InlineCache,
    symbol: Symbol,
) -> Plain<'a> {
    let arena = machine.arena;
    let (items, list) = match value.view() {
        View::Tuple(items) => (items, false),
        View::List(items, _) | View::Set(items, _) if !items.is_empty() => (items, true),
        _ => return Err(Stop::FallBack),
    };
    if !arena.charge(items.len() as u64) {
        return Err(Stop::FallBack);
    }
    let mut results = arena.list_with(items.len());
    for item in items {
        // A splat with a faulty element has a fault and a value, so a `try` must not take the fault here.
        results.push(attribute(machine, *item, cache, symbol).map_err(|_| Stop::FallBack)?);
    }
    let results = results.into_bump_slice();
    if list { list_of(arena, results).ok_or(Stop::FallBack) } else { Ok(Value::tuple(arena, results)) }
}
