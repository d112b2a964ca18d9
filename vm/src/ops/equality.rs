//! Equality: `==` in the presence of marks and unknown values, and identity of values. Whether two unmarked values are
//! equal is in `types::equality`.

use crate::memory::arena::Arena;
use crate::number::{self, NumberRef};
use crate::types::Type;
use crate::types::equality::{decide, equal_primitives};
use crate::value::{Entry, Marks, NumberBound, Refinement, Value, View};

/// Returns the value of `a == b`: a bool, or an unknown bool that is not null. Marks of all parts of the
/// operands are added to the result.
#[inline]
pub fn equals<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    answer(arena, a, b, |equal| equal)
}

/// Returns the value of `a != b`, like [`equals`].
#[inline]
pub fn differs<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    answer(arena, a, b, |equal| !equal)
}

#[inline]
fn answer<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>, from: fn(bool) -> bool) -> Value<'a> {
    if let Some(equal) = equal_primitives(arena, a, b) {
        return Value::bool(from(equal));
    }
    // Nothing is known about a value of unknown type, and a primitive has no parts.
    if a.is_dynamic() && b.is_plain_primitive() || b.is_dynamic() && a.is_plain_primitive() {
        return Value::unknown_not_null(arena, Type::Bool);
    }
    if let Some((equal, marks)) = equal_marked(arena, a, b) {
        return Value::bool(from(equal)).with_marks(arena, marks);
    }
    let ((a, a_marks), (b, b_marks)) = (a.unmark_deep(arena), b.unmark_deep(arena));
    let result = match decide(arena, a, b) {
        Some(equal) => Value::bool(from(equal)),
        None => Value::unknown_not_null(arena, Type::Bool),
    };
    result.with_marks(arena, a_marks.union(arena, b_marks))
}

/// Compares two known primitives of which one is marked, and returns their marks. Charges as the comparison of any
/// values: for each marked one, and for two of one type.
fn equal_marked<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Option<(bool, Marks<'a>)> {
    let ((plain_a, a_marks), (plain_b, b_marks)) = (a.unmark(), b.unmark());
    let alike = plain_a.same_primitive_type(plain_b);
    if !plain_a.is_plain_primitive() || !plain_b.is_plain_primitive() {
        return None;
    }
    arena.charge(u64::from(a.is_marked()) + u64::from(b.is_marked()) + u64::from(alike));
    Some((alike && equal_primitives(arena, plain_a, plain_b)?, a_marks.union(arena, b_marks)))
}

/// Returns true if both are the same value of the same type, with the same marks and refinements.
pub fn same<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> bool {
    same_by(arena, a, b, number::equal)
}

/// Returns true if no program can distinguish the values: they are the same, and their numbers have the same
/// precision.
pub fn identical<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> bool {
    same_by(arena, a, b, number::identical)
}

/// Compares two numbers.
type SameNumber = fn(NumberRef<'_>, NumberRef<'_>) -> bool;

fn same_by<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>, numbers: SameNumber) -> bool {
    if a.is_word(b) {
        return true;
    }
    if let Some(equal) = a.quickly_equals(b) {
        return equal;
    }
    if !arena.charge(1) || a.is_other_integer(b) {
        return false;
    }
    match (a.view(), b.view()) {
        (View::Marked(a, a_marks), View::Marked(b, b_marks)) => {
            a_marks == b_marks && same_by(arena, a, b, numbers)
        }
        (View::Null(a), View::Null(b)) => a.same(arena, b),
        (View::Unknown(a), View::Unknown(b)) => {
            a.ty.same(arena, b.ty) && same_refinement(&a.refinement, &b.refinement, numbers)
        }
        (View::Tuple(a), View::Tuple(b)) => same_items(arena, a, b, numbers),
        (View::List(a, a_type), View::List(b, b_type)) | (View::Set(a, a_type), View::Set(b, b_type)) => {
            a_type.same(arena, b_type) && same_items(arena, a, b, numbers)
        }
        (View::Object(a), View::Object(b)) => same_entries(arena, a, b, numbers),
        (View::Map(a, a_type), View::Map(b, b_type)) => {
            a_type.same(arena, b_type) && same_entries(arena, a, b, numbers)
        }
        (View::Number(a), View::Number(b)) => numbers(a, b),
        (View::Unset, View::Unset) => true,
        _ => equal_primitives(arena, a, b).unwrap_or(false),
    }
}

fn same_items<'a>(arena: &'a Arena, a: &[Value<'a>], b: &[Value<'a>], numbers: SameNumber) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_by(arena, *a, *b, numbers))
}

fn same_entries<'a>(arena: &'a Arena, a: &[Entry<'a>], b: &[Entry<'a>], numbers: SameNumber) -> bool {
    let same_entry = |a: &Entry<'a>, b: &Entry<'a>| {
        arena.equal_texts(a.name, b.name) && same_by(arena, a.value, b.value, numbers)
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_entry(a, b))
}

fn same_refinement(a: &Refinement<'_>, b: &Refinement<'_>, numbers: SameNumber) -> bool {
    let same_bound = |a: Option<NumberBound<'_>>, b: Option<NumberBound<'_>>| match (a, b) {
        (Some(a), Some(b)) => a.inclusive == b.inclusive && numbers(a.value, b.value),
        (None, None) => true,
        _ => false,
    };
    a.not_null == b.not_null
        && a.prefix == b.prefix
        && a.origin == b.origin
        && (a.min_len, a.max_len) == (b.min_len, b.max_len)
        && same_bound(a.min, b.min)
        && same_bound(a.max, b.max)
}
