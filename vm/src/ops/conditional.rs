//! The refinement of a conditional's result while its condition is unknown: the result is one of two
//! values.

use crate::memory::arena::Arena;
use crate::number::{self, NumberRef};
use crate::types::Type;
use crate::value::{NumberBound, Refinement, Unknown, Value, View};

/// Returns a value of type `ty` that is known to be `a` or `b`: null if both are, a number in a range
/// that contains both, a collection of a length that fits both. `a` and `b` are the arms before the
/// conversion to `ty`. Marks are left to the caller.
pub fn hull<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>, ty: Type<'a>) -> Value<'a> {
    let ((a, _), (b, _)) = (a.unmark(), b.unmark());
    if a.is_null() && b.is_null() {
        return Value::null(arena, ty);
    }
    // Nothing else is known about strings and bools.
    if matches!(ty, Type::String | Type::Bool) {
        let never_null = is_never_null(a) && is_never_null(b);
        return if never_null { Value::unknown_not_null(arena, ty) } else { Value::unknown_of(arena, ty) };
    }
    let mut refinement =
        Refinement { not_null: is_never_null(a) && is_never_null(b), ..Refinement::default() };
    if a.is_of_type(arena, Type::Number) && b.is_of_type(arena, Type::Number) {
        let ((a_min, a_max), (b_min, b_max)) = (bounds(a), bounds(b));
        refinement.min = outer(a_min, b_min, true).filter(|min| is_bound(min.value, true));
        refinement.max = outer(a_max, b_max, false).filter(|max| is_bound(max.value, false));
    } else if is_collection(a) && is_collection(b) && a.has_type_of(arena, b) {
        let ((a_min, a_max), (b_min, b_max)) = (lengths(a), lengths(b));
        refinement.min_len = a_min.min(b_min);
        refinement.max_len = a_max.max(b_max);
    }
    Unknown { ty, refinement }.settle(arena)
}

fn is_never_null(value: Value<'_>) -> bool {
    match value.view() {
        View::Null(_) => false,
        View::Unknown(unknown) => unknown.refinement.not_null,
        _ => true,
    }
}

fn is_collection(value: Value<'_>) -> bool {
    match value.view() {
        View::List(..) | View::Set(..) | View::Map(..) => true,
        View::Unknown(unknown) => unknown.ty.is_collection(),
        View::Null(ty) => ty.is_collection(),
        _ => false,
    }
}

/// Returns the bounds of a number. A null has none.
fn bounds(value: Value<'_>) -> (Option<NumberBound<'_>>, Option<NumberBound<'_>>) {
    match value.view() {
        View::Number(value) => {
            let bound = Some(NumberBound { value, inclusive: true });
            (bound, bound)
        }
        View::Unknown(unknown) => (unknown.refinement.min, unknown.refinement.max),
        _ => (None, None),
    }
}

/// Returns true unless the number is an infinity of a host on its own side, which the reference does not
/// list as a bound. One that was computed is listed.
fn is_bound(number: NumberRef<'_>, lower: bool) -> bool {
    !(number.is_host_infinity() && number.is_negative() == lower)
}

/// Returns the bound of both ranges: the lesser of two minima, the greater of two maxima.
fn outer<'a>(
    a: Option<NumberBound<'a>>,
    b: Option<NumberBound<'a>>,
    lesser: bool,
) -> Option<NumberBound<'a>> {
    let (a, b) = (a?, b?);
    let order = number::compare(a.value, b.value);
    if order.is_ne() && order.is_lt() == lesser {
        return Some(a);
    }
    // Of equal bounds the second is taken: numbers of different precision may be equal.
    let equal = number::equal(a.value, b.value);
    Some(NumberBound { inclusive: b.inclusive || equal && a.inclusive, ..b })
}

/// Returns the range of lengths of a collection. Unknown elements may turn out to be equal, so a set that
/// contains any has an unknown length.
fn lengths(value: Value<'_>) -> (usize, usize) {
    match value.view() {
        View::Set(items, _) if items.len() > 1 && !value.is_wholly_known() => (0, usize::MAX),
        _ => value.length_range(),
    }
}
