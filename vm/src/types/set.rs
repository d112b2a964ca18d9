//! Sets: distinct elements in the reference's order.
//!
//! Elements of a primitive type are ordered by value: strings by their bytes, then numbers, false before
//! true. Elements of other types are ordered by their canonical text, see `canonical`. Unknown elements
//! follow the known ones, and a null is last. Of equal elements the first is kept; unknown elements are
//! never equal, because they may turn out to be different.

mod canonical;

use std::cmp::Ordering;

use crate::memory::arena::{Arena, ArenaVec, WORK_TO_READ};
use crate::number::{self, NumberRef};
use crate::types::Type;
use crate::types::equality::decide;
use crate::value::{Marks, Value, View};

/// Returns a set of `items`, which have the type `element`, in any order and with repetitions. Marks of
/// the items move to the set.
pub fn set_from<'a>(arena: &'a Arena, items: &[Value<'a>], element: Type<'a>) -> Value<'a> {
    if let Some(set) = set_of_texts(arena, items, element) {
        return set;
    }
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
        // Members that compare equal in the set's order keep the order in which they were given.
        members.sort_unstable_by(|a, b| a.order(b).then(a.at.cmp(&b.at)));
        if !compound {
            merge_equal(arena, &mut members);
        }
    }
    let mut ordered = arena.list();
    ordered.extend(members.iter().map(|member| member.value));
    Value::set_of_ordered(arena, ordered.into_bump_slice(), element).with_marks(arena, marks)
}

/// Returns a set of plain strings, the most frequent sets: equal ones are alike, so none needs a position.
/// `None` for other items.
fn set_of_texts<'a>(arena: &'a Arena, items: &[Value<'a>], element: Type<'a>) -> Option<Value<'a>> {
    let mut texts = arena.list_with(items.len());
    for item in items {
        let text = item.as_str().filter(|_| item.fits(Type::String))?;
        if !may_compare(arena, *item, items.len()) {
            return None;
        }
        texts.push((text, *item));
    }
    if !arena.charge(items.len() as u64) {
        return None;
    }
    texts.sort_unstable_by_key(|(text, _)| *text);
    texts.dedup_by_key(|(text, _)| *text);
    let mut ordered = arena.list_with(texts.len());
    ordered.extend(texts.iter().map(|(_, item)| *item));
    Some(Value::set_of_ordered(arena, ordered.into_bump_slice(), element))
}

/// Charges for the comparisons of long texts. Returns false if the budget is exhausted.
fn may_order(arena: &Arena, members: &[SetMember<'_>]) -> bool {
    members.iter().all(|member| may_compare(arena, member.value, members.len()))
}

/// Charges for the comparisons that find the position of `value` among `count` others.
fn may_compare(arena: &Arena, value: Value<'_>, count: usize) -> bool {
    let long = value.as_str().filter(|text| text.len() > WORK_TO_READ);
    long.is_none_or(|text| arena.put_in_order(text, count))
}

/// Returns true if a known unmarked set has an element that is certainly equal to `value`.
pub fn contains<'a>(arena: &'a Arena, set: Value<'a>, value: Value<'a>) -> bool {
    let items = set.as_items().unwrap_or_default();
    let (value, _) = value.unmark_deep(arena);
    if !arena.charge(u64::from(items.len().max(1).ilog2())) || !may_compare(arena, value, items.len()) {
        return false;
    }
    let wanted = SetMember { value, text: canonical_text(arena, value), at: 0 };
    let member = |item: &Value<'a>| SetMember { value: *item, text: canonical_text(arena, *item), at: 0 };
    // One position to the left, for numbers that are equal but differ in the exact order.
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

/// Returns true if two known unmarked values are one element of a set: if they are certainly equal, and are not
/// the two zeros or hold them in the same place.
pub fn same_element<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> bool {
    let [a, b] = [a, b].map(|value| SetMember { value, text: canonical_text(arena, value), at: 0 });
    a.is_equal(arena, &b)
}

/// An element that is being added to a set.
#[derive(Clone, Copy)]
struct SetMember<'a> {
    value: Value<'a>,
    /// The canonical text; empty for primitives, which are ordered by value.
    text: &'a str,
    /// Its position among the items.
    at: usize,
}

impl<'a> SetMember<'a> {
    /// Returns the order of the set. Values that compare equal here may still differ.
    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        if let (Some(a), Some(b)) = (self.value.as_number(), other.value.as_number()) {
            // Negative zero precedes zero.
            return number::compare(a, b).then_with(|| b.is_negative().cmp(&a.is_negative()));
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
        // Empty texts are not compared with `memcmp`: their addresses may be unmapped, which makes the
        // comparison slow on some processors.
        (self.text.is_empty() && other.text.is_empty() || self.text == other.text)
            && !is_other_zero(self.value, other.value)
            && decide(arena, self.value, other.value) == Some(true)
    }
}

/// Known values come first, then unknown ones, then nulls.
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

/// Returns true for the two zeros, which are equal numbers but distinct elements.
fn is_other_zero(a: Value<'_>, b: Value<'_>) -> bool {
    let negative_zero = |number: NumberRef<'_>| number.is_zero() && number.is_negative();
    match (a.as_number(), b.as_number()) {
        (Some(a), Some(b)) => negative_zero(a) != negative_zero(b),
        _ => false,
    }
}

/// Removes all but one of each run of equal members, and keeps the earliest position.
fn merge_equal<'a>(arena: &'a Arena, members: &mut ArenaVec<'a, SetMember<'a>>) {
    members.dedup_by(|next, kept| {
        let equal = next.is_equal(arena, kept);
        if equal && next.at < kept.at {
            *kept = *next;
        }
        equal
    });
}

/// Orders values with equal canonical texts so that equal values are adjacent: by their numbers, of which
/// the text has ten digits only.
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
