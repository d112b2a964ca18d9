//! Sets: distinct elements in the reference's order.
//!
//! Elements of a primitive type are ordered by value: bytes of texts, numbers, false before
//! true. Elements of other types are ordered by their canonical text, see `canonical`. After
//! the known elements stand the unknown ones, then a null. Equal elements are one element, the
//! first of them; unknown elements never are, for they may turn out to be different.

mod canonical;

use std::cmp::Ordering;

use crate::memory::arena::{Arena, ArenaVec, WORK_TO_READ};
use crate::number::{self, NumberRef};
use crate::ops::equality::decide;
use crate::types::Type;
use crate::value::{Marks, Value, View};

/// A set of `items` in any order, with repetitions; marks of the items move to the set. The items
/// have the type `element`.
pub fn set_from<'a>(arena: &'a Arena, items: &[Value<'a>], element: Type<'a>) -> Value<'a> {
    let mut marks = Marks::NONE;
    let mut members = arena.list();
    for (at, item) in items.iter().enumerate() {
        let (value, own) = item.unmark_deep(arena);
        marks = marks.union(arena, own);
        members.push(SetMember { value, text: canonical_text(arena, value), at });
    }
    if members.len() > 1 && arena.charge(members.len() as u64) && may_order(arena, &members) {
        let compound = members.iter().any(|member| !member.text.is_empty());
        if compound {
            members.sort_unstable_by(|a, b| {
                a.order(b).then_with(|| rank(a.value, b.value)).then(a.at.cmp(&b.at))
            });
            merge_equal(arena, &mut members);
        }
        // Members that are only told apart by more than their order stand as they came.
        members.sort_unstable_by(|a, b| a.order(b).then(a.at.cmp(&b.at)));
        if !compound {
            merge_equal(arena, &mut members);
        }
    }
    let mut ordered = arena.list();
    ordered.extend(members.iter().map(|member| member.value));
    Value::set_of_ordered(arena, ordered.into_bump_slice(), element).with_marks(arena, marks)
}

/// Pays for the comparisons that long texts take part in; false when the budget is exhausted.
fn may_order(arena: &Arena, members: &[SetMember<'_>]) -> bool {
    members.iter().all(|member| may_compare(arena, member.value, members.len()))
}

/// Pays for the comparisons that put `value` in its place among `count` others.
fn may_compare(arena: &Arena, value: Value<'_>, count: usize) -> bool {
    let long = value.as_str().filter(|text| text.len() > WORK_TO_READ);
    long.is_none_or(|text| arena.put_in_order(text, count))
}

/// Whether a known unmarked set has an element that is certainly equal to `value`.
pub fn contains<'a>(arena: &'a Arena, set: Value<'a>, value: Value<'a>) -> bool {
    let items = set.as_items().unwrap_or_default();
    let (value, _) = value.unmark_deep(arena);
    if !arena.charge(u64::from(items.len().max(1).ilog2())) || !may_compare(arena, value, items.len()) {
        return false;
    }
    let wanted = SetMember { value, text: canonical_text(arena, value), at: 0 };
    let member = |item: &Value<'a>| SetMember { value: *item, text: canonical_text(arena, *item), at: 0 };
    // One place to the left, for numbers that are equal but not in exact order.
    let start = items.partition_point(|item| member(item).order(&wanted).is_lt()).saturating_sub(1);
    for (passed, item) in items.iter().skip(start).enumerate() {
        let candidate = member(item);
        if candidate.is_equal(arena, &wanted) {
            return true;
        }
        if passed > 0 && candidate.order(&wanted).is_gt() || !arena.charge(1) {
            return false;
        }
    }
    false
}

/// An element on its way into a set.
#[derive(Clone, Copy)]
struct SetMember<'a> {
    value: Value<'a>,
    /// The canonical text; empty for primitives, which are ordered by value.
    text: &'a str,
    /// Its place among the items that were given.
    at: usize,
}

impl<'a> SetMember<'a> {
    /// The order of the set; equal members need not be equal values.
    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        if let (Some(a), Some(b)) = (self.value.as_number(), other.value.as_number()) {
            return number::compare(a, b);
        }
        if let (Some(a), Some(b)) = (self.value.as_str(), other.value.as_str()) {
            return a.cmp(b);
        }
        if let (Some(a), Some(b)) = (self.value.as_bool(), other.value.as_bool()) {
            return a.cmp(&b);
        }
        class(self.value).cmp(&class(other.value)).then_with(|| self.text.cmp(other.text))
    }

    fn is_equal(&self, arena: &'a Arena, other: &Self) -> bool {
        // Two empty texts are not left to the system: their addresses may be none, which some
        // processors are slow to find out.
        (self.text.is_empty() && other.text.is_empty() || self.text == other.text)
            && !is_other_zero(self.value, other.value)
            && decide(arena, self.value, other.value) == Some(true)
    }
}

/// Known values, then unknown ones, then nulls.
fn class(value: Value<'_>) -> u8 {
    match value.view() {
        View::Null(_) => 2,
        View::Unknown(_) => 1,
        _ => 0,
    }
}

fn canonical_text<'a>(arena: &'a Arena, value: Value<'a>) -> &'a str {
    match value.view() {
        View::Tuple(_) | View::Object(_) | View::List(..) | View::Set(..) | View::Map(..) => {
            canonical::text(arena, value)
        }
        _ => "",
    }
}

/// The zeros are equal, and yet two elements.
fn is_other_zero(a: Value<'_>, b: Value<'_>) -> bool {
    let negative_zero = |number: NumberRef<'_>| number.is_zero() && number.is_negative();
    match (a.as_number(), b.as_number()) {
        (Some(a), Some(b)) => negative_zero(a) != negative_zero(b),
        _ => false,
    }
}

/// Leaves one of each run of equal members, with the place of the first that came.
fn merge_equal<'a>(arena: &'a Arena, members: &mut ArenaVec<'a, SetMember<'a>>) {
    members.dedup_by(|next, kept| {
        let equal = next.is_equal(arena, kept);
        if equal && next.at < kept.at {
            *kept = *next;
        }
        equal
    });
}

/// An order of values with equal canonical texts that brings equal ones together: by their
/// numbers, of which the text only has ten digits.
fn rank(a: Value<'_>, b: Value<'_>) -> Ordering {
    match (a.view(), b.view()) {
        (View::Number(a), View::Number(b)) => number::compare(a, b),
        (View::Tuple(a), View::Tuple(b))
        | (View::List(a, _), View::List(b, _))
        | (View::Set(a, _), View::Set(b, _)) => first_difference(a.iter().zip(b).map(|(a, b)| rank(*a, *b))),
        (View::Object(a), View::Object(b)) | (View::Map(a, _), View::Map(b, _)) => {
            first_difference(a.iter().zip(b).map(|(a, b)| rank(a.value, b.value)))
        }
        _ => Ordering::Equal,
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
