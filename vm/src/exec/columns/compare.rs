//! Order and equality of vectors.

use std::ops::RangeInclusive;

use super::mask::Mask;
use super::range;
use super::text::{TextMembership, equal_texts};
use super::vector::{Lane, Precision};
use crate::code::Comparison;
use crate::number::{self, Number, NumberRef, Width};
use crate::value::Value;

/// The rows for which something holds, and those for which it is not known.
pub(super) type Answer = (Mask, Mask);

/// Compares numbers. `range` keeps the floats of a host that compare so with the constant for the next vectors, because
/// finding them takes as long as hundreds of comparisons.
pub(super) fn compare(
    op: Comparison,
    a: Lane<'_>,
    b: Lane<'_>,
    range: &mut Option<RangeInclusive<f64>>,
    within: &Mask,
) -> Answer {
    match (a, b) {
        (Lane::Constant(a), Lane::Constant(b)) => match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => {
                // `<=` and `>=` hold for equal numbers, which have equal texts.
                let truth = op.holds_in(number::compare(a, b)) || !op.is_strict() && number::equal(a, b);
                (all_if(truth, within), Mask::NONE)
            }
            _ => unknown(within),
        },
        (Lane::Constant(a), b) => with_constant(op.mirrored(), b, a, range, within),
        (a, Lane::Constant(b)) => with_constant(op, a, b, range, within),
        (Lane::Ints(a, _), Lane::Ints(b, _)) => (of_pairs(op, a, b), Mask::NONE),
        (Lane::Floats(a, x), Lane::Floats(b, y)) => {
            if !op.is_strict() && (x != y || x == Precision::Mixed) {
                return unknown(within);
            }
            (of_pairs(op, a, b), Mask::NONE)
        }
        (Lane::Ints(a, _), Lane::Floats(b, _)) => {
            (Mask::of_rows(within, |row| holds_between(op, a[row], b[row])), Mask::NONE)
        }
        (Lane::Floats(a, _), Lane::Ints(b, _)) => {
            (Mask::of_rows(within, |row| holds_between(op.mirrored(), b[row], a[row])), Mask::NONE)
        }
        _ => unknown(within),
    }
}

const fn unknown(within: &Mask) -> Answer {
    (Mask::NONE, *within)
}

fn all_if(truth: bool, within: &Mask) -> Mask {
    if truth { *within } else { Mask::NONE }
}

fn with_constant(
    op: Comparison,
    lane: Lane<'_>,
    constant: Value<'_>,
    range: &mut Option<RangeInclusive<f64>>,
    within: &Mask,
) -> Answer {
    let Some(number) = constant.as_number() else { return unknown(within) };
    match lane {
        Lane::Ints(ints, _) => (ints_in(ints, range::of_ints(op, number)), Mask::NONE),
        Lane::Floats(floats, Precision::Host) => {
            let range = range.get_or_insert_with(|| range::of_floats(op, number, true));
            (floats_in(floats, range), Mask::NONE)
        }
        Lane::Floats(floats, precision) => {
            let same = precision == Precision::Full && number.precision() == 512;
            // Numbers of other precisions may be equal in text alone.
            if !same && !op.is_strict() && !matches!(number, NumberRef::Int(..)) {
                return unknown(within);
            }
            (floats_in(floats, &range::of_floats(op, number, false)), Mask::NONE)
        }
        _ => unknown(within),
    }
}

fn ints_in(ints: &[i64], range: RangeInclusive<i64>) -> Mask {
    let (first, last) = range.into_inner();
    if first > last {
        return Mask::NONE;
    }
    if first == i64::MIN {
        return Mask::of_items(ints, |int| int <= last);
    }
    if last == i64::MAX {
        return Mask::of_items(ints, |int| int >= first);
    }
    if first == last {
        return Mask::of_items(ints, |int| int == first);
    }
    Mask::of_items(ints, |int| first <= int && int <= last)
}

fn floats_in(floats: &[f64], range: &RangeInclusive<f64>) -> Mask {
    let (first, last) = (*range.start(), *range.end());
    Mask::of_items(floats, |float| first <= float && float <= last)
}

/// Compares the numbers of two lanes of one type.
fn of_pairs<T: Copy + PartialOrd>(op: Comparison, a: &[T], b: &[T]) -> Mask {
    match op {
        Comparison::Less => Mask::of_pairs(a, b, |a, b| a < b),
        Comparison::LessOrEqual => Mask::of_pairs(a, b, |a, b| a <= b),
        Comparison::Greater => Mask::of_pairs(a, b, |a, b| a > b),
        Comparison::GreaterOrEqual => Mask::of_pairs(a, b, |a, b| a >= b),
    }
}

/// Returns true for an operator that does not hold for equal numbers.
/// Compares an integer with a float by their exact values: a float that is not whole has another text.
fn holds_between(op: Comparison, int: i64, float: f64) -> bool {
    let float = Number::from_f64(float);
    float.is_some_and(|float| op.holds_in(number::compare(NumberRef::Int(int, Width::Short), float.borrow())))
}

/// The primitive type of a lane.
#[derive(PartialEq, Eq)]
enum LaneType {
    Bool,
    Number,
    String,
}

fn type_of(lane: Lane<'_>) -> Option<LaneType> {
    Some(match lane {
        Lane::Bools(_) => LaneType::Bool,
        Lane::Ints(..) | Lane::Floats(..) => LaneType::Number,
        Lane::Texts(_) => LaneType::String,
        Lane::Constant(value) if value.as_bool().is_some() => LaneType::Bool,
        Lane::Constant(value) if value.as_number().is_some() => LaneType::Number,
        Lane::Constant(value) if value.as_str().is_some() => LaneType::String,
        _ => return None,
    })
}

/// Compares values that are not null.
pub(super) fn equal(a: Lane<'_>, b: Lane<'_>, within: &Mask) -> Answer {
    let (Some(a_type), Some(b_type)) = (type_of(a), type_of(b)) else { return unknown(within) };
    if a_type != b_type {
        return (Mask::NONE, Mask::NONE);
    }
    match (a, b) {
        (Lane::Constant(a), Lane::Constant(b)) => {
            let equal = match (a.as_number(), b.as_number()) {
                (Some(a), Some(b)) => number::equal(a, b),
                _ => a.as_str() == b.as_str() && a.as_bool() == b.as_bool(),
            };
            (all_if(equal, within), Mask::NONE)
        }
        (Lane::Constant(a), b) => equal_constant(b, a, within),
        (a, Lane::Constant(b)) => equal_constant(a, b, within),
        (Lane::Bools(a), Lane::Bools(b)) => (within.without(&a.or(b)).or(&a.and(b)), Mask::NONE),
        (Lane::Ints(a, _), Lane::Ints(b, _)) => (Mask::of_pairs(a, b, |a, b| a == b), Mask::NONE),
        (Lane::Floats(a, Precision::Host), Lane::Floats(b, Precision::Host)) => {
            (Mask::of_pairs(a, b, |a, b| a == b), Mask::NONE)
        }
        (Lane::Ints(a, _), Lane::Floats(b, Precision::Host)) => {
            (Mask::of_rows(within, |row| equal_between(a[row], b[row])), Mask::NONE)
        }
        (Lane::Floats(a, Precision::Host), Lane::Ints(b, _)) => {
            (Mask::of_rows(within, |row| equal_between(b[row], a[row])), Mask::NONE)
        }
        (Lane::Texts(a), Lane::Texts(b)) => equal_texts(a, b, within),
        _ => unknown(within),
    }
}

fn equal_constant(lane: Lane<'_>, constant: Value<'_>, within: &Mask) -> Answer {
    match (lane, constant.as_number()) {
        (Lane::Ints(ints, _), Some(number)) => (ints_in(ints, range::equal_ints(number)), Mask::NONE),
        (Lane::Floats(floats, Precision::Host), Some(number)) => {
            (floats_in(floats, &range::equal_floats(number)), Mask::NONE)
        }
        (Lane::Bools(bools), _) if constant.as_bool() == Some(true) => (within.and(bools), Mask::NONE),
        (Lane::Bools(bools), _) => (within.without(bools), Mask::NONE),
        (Lane::Texts(texts), _) => TextMembership::new([constant].into_iter()).rows(texts, within),
        _ => unknown(within),
    }
}

/// Compares an integer and a float of a host. A float that is not whole has another text.
fn equal_between(int: i64, float: f64) -> bool {
    let float = Number::from_f64(float);
    float.is_some_and(|float| number::equal(NumberRef::Int(int, Width::Short), float.borrow()))
}
