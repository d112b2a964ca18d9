//! Whether two unmarked values are equal: values of different types never are, and unknown values may be unequal by their
//! types or refinements. The operators and the identity of values are in [`ops::equality`](crate::ops::equality).
//!
//! Tuples and lists are compared from the left up to the first pair that is different or undecided; in objects and maps
//! a difference takes precedence over undecided pairs. Each pair is charged; the result is meaningless once the budget is
//! exhausted.

use super::set;
use crate::memory::arena::Arena;
use crate::number;
use crate::value::{Entry, NumberBound, Refinement, Unknown, Value, View};

/// Compares two known primitives, which most comparisons are between.
#[inline]
pub(crate) fn equal_primitives(arena: &Arena, a: Value<'_>, b: Value<'_>) -> Option<bool> {
    if let (Some(a), Some(b)) = (a.as_str(), b.as_str()) {
        // Empty texts are not compared with `memcmp`: their addresses may be unmapped, which makes the
        // comparison slow on some processors.
        return Some(a.len() == b.len() && (a.is_empty() || arena.look_at(a) && a == b));
    }
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return Some(number::equal(a, b));
    }
    // Others are bools, or of different types and then not equal.
    let are_primitives = a.is_plain_primitive() && b.is_plain_primitive();
    are_primitives.then(|| a.as_bool().is_some() && a.as_bool() == b.as_bool())
}

/// Returns whether two unmarked values are equal, `None` if that depends on unknown parts.
pub(crate) fn decide<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Option<bool> {
    match (a.view(), b.view()) {
        (View::Unknown(a), View::Unknown(b)) => a.is_one_with(b).then_some(true),
        (View::Unknown(unknown), _) => may_become(arena, unknown, b),
        (_, View::Unknown(unknown)) => may_become(arena, unknown, a),
        (View::Null(_), View::Null(_)) => Some(true),
        (View::Null(_), _) | (_, View::Null(_)) => Some(false),
        _ if has_dynamic(arena, a) || has_dynamic(arena, b) => {
            let (a, b) = (a.type_of(arena), b.type_of(arena));
            (!a.conforms(arena, b) && !b.conforms(arena, a)).then_some(false)
        }
        _ if !a.has_type_of(arena, b) => Some(false),
        _ => decide_alike(arena, a, b),
    }
}

/// Returns `Some(false)` if an unknown value cannot be equal to a known one, otherwise `None`.
fn may_become<'a>(arena: &'a Arena, unknown: Unknown<'a>, known: Value<'a>) -> Option<bool> {
    if matches!(known.view(), View::Null(_)) {
        return unknown.refinement.not_null.then_some(false);
    }
    let possible = known.type_of(arena).conforms(arena, unknown.ty) && in_range(&unknown.refinement, known);
    (!possible).then_some(false)
}

/// Returns true if a refinement allows a known value of its type that is not null.
fn in_range(refinement: &Refinement<'_>, known: Value<'_>) -> bool {
    match known.view() {
        View::String(text) => text.starts_with(refinement.prefix),
        View::Number(number) => {
            let inside = |bound: Option<NumberBound<'_>>, outward: std::cmp::Ordering| {
                bound.is_none_or(|bound| {
                    let order = number::compare(number, bound.value);
                    order == outward.reverse() || bound.inclusive && number::equal(number, bound.value)
                })
            };
            inside(refinement.min, std::cmp::Ordering::Less)
                && inside(refinement.max, std::cmp::Ordering::Greater)
        }
        View::List(..) | View::Set(..) | View::Map(..) => {
            let (min, max) = known.length_range();
            max >= refinement.min_len && min <= refinement.max_len
        }
        _ => true,
    }
}

/// Returns true if the type of a part of the value is not fully known.
fn has_dynamic(arena: &Arena, value: Value<'_>) -> bool {
    if value.is_wholly_known() || !arena.charge(1) {
        return false;
    }
    match value.view() {
        View::Unknown(unknown) => unknown.ty.mentions_dynamic(arena),
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
            items.iter().any(|item| has_dynamic(arena, *item))
        }
        View::Object(entries) | View::Map(entries, _) => {
            entries.iter().any(|entry| has_dynamic(arena, entry.value))
        }
        _ => false,
    }
}

/// Compares two unmarked values of one type.
fn decide_alike<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Option<bool> {
    if !arena.charge(1) {
        return Some(false);
    }
    if let Some(equal) = equal_primitives(arena, a, b) {
        return Some(equal);
    }
    if let Some((a, b)) = sequences(a, b) {
        return decide_items(arena, a, b);
    }
    if let Some((a, b)) = mappings(a, b) {
        return decide_entries(arena, a, b);
    }
    decide_leaves(arena, a, b)
}

/// Returns the elements of both values if both are tuples or both are lists.
fn sequences<'a>(a: Value<'a>, b: Value<'a>) -> Option<(&'a [Value<'a>], &'a [Value<'a>])> {
    match (a.view(), b.view()) {
        (View::Tuple(a), View::Tuple(b)) | (View::List(a, _), View::List(b, _)) => Some((a, b)),
        _ => None,
    }
}

/// Returns the entries of both values if both are objects or both are maps.
fn mappings<'a>(a: Value<'a>, b: Value<'a>) -> Option<(&'a [Entry<'a>], &'a [Entry<'a>])> {
    match (a.view(), b.view()) {
        (View::Object(a), View::Object(b)) | (View::Map(a, _), View::Map(b, _)) => Some((a, b)),
        _ => None,
    }
}

/// Separate from the functions that recurse over values, so that their frames stay small.
fn decide_leaves<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Option<bool> {
    match (a.view(), b.view()) {
        (View::Set(a_items, _), View::Set(b_items, _)) => {
            if a_items.iter().chain(b_items).any(|item| !item.is_known()) {
                return None;
            }
            let within = |items: &[Value<'a>], set| items.iter().all(|item| set::contains(arena, set, *item));
            Some(within(a_items, b) && within(b_items, a))
        }
        (View::Unknown(a), View::Unknown(b)) => a.is_one_with(b).then_some(true),
        (View::Unknown(unknown), _) => may_become(arena, unknown, b),
        (_, View::Unknown(unknown)) => may_become(arena, unknown, a),
        (View::Null(_), View::Null(_)) => Some(true),
        _ => Some(false),
    }
}

fn decide_items<'a>(arena: &'a Arena, a: &[Value<'a>], b: &[Value<'a>]) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    for (a, b) in a.iter().zip(b) {
        // Equal integers and short texts, which most elements are, need no more than this.
        if a.is_plain_primitive() && a.is_word(*b) && arena.charge(1) {
            continue;
        }
        match decide_alike(arena, *a, *b) {
            Some(true) => {}
            other => return other,
        }
    }
    Some(true)
}

fn decide_entries<'a>(arena: &'a Arena, a: &[Entry<'a>], b: &[Entry<'a>]) -> Option<bool> {
    if a.len() != b.len() || !a.iter().zip(b).all(|(a, b)| arena.equal_texts(a.name, b.name)) {
        return Some(false);
    }
    let mut all = Some(true);
    for (a, b) in a.iter().zip(b) {
        match decide_alike(arena, a.value, b.value) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}
