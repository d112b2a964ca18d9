//! Comparisons with constants as ranges of integers or floats, found once for all rows.
//!
//! ```text
//! x < 2.5     x an integer   i64::MIN ..= 2
//! x > 0.1     x a float      the least float that is above 0.1 ..= infinity
//! x == 0.1    x a float      0.1 ..= 0.1                    equality compares decimal texts
//! ```

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use crate::code::Comparison;
use crate::number::{Number, NumberRef, ceil, compare, equal, floor};

/// The integers that compare so with a number.
pub(super) fn of_ints(op: Comparison, number: NumberRef<'_>) -> RangeInclusive<i64> {
    let below = |bound: Number, inclusive: bool| match bound.borrow().to_i64() {
        Some(bound) if inclusive => i64::MIN..=bound,
        Some(i64::MIN) => EMPTY,
        Some(bound) => i64::MIN..=bound - 1,
        None if number.is_negative() => EMPTY,
        None => i64::MIN..=i64::MAX,
    };
    let above = |bound: Number, inclusive: bool| match bound.borrow().to_i64() {
        Some(bound) if inclusive => bound..=i64::MAX,
        Some(i64::MAX) => EMPTY,
        Some(bound) => bound + 1..=i64::MAX,
        None if number.is_negative() => i64::MIN..=i64::MAX,
        None => EMPTY,
    };
    match op {
        Comparison::Less => below(ceil(number), false),
        Comparison::LessOrEqual => below(floor(number), true),
        Comparison::Greater => above(floor(number), false),
        Comparison::GreaterOrEqual => above(ceil(number), true),
    }
}

// No integers.
#[expect(clippy::reversed_empty_ranges, reason = "an empty range is meant")]
const EMPTY: RangeInclusive<i64> = 1..=0;

/// The integers that are equal to a number.
pub(super) fn equal_ints(number: NumberRef<'_>) -> RangeInclusive<i64> {
    match number.to_i64() {
        Some(int) if equal(number, NumberRef::Int(int, crate::number::Width::Full)) => int..=int,
        _ => EMPTY,
    }
}

/// The floats that compare so with a number. `<=` and `>=` hold for equal numbers, which have equal texts; so floats of
/// a host have to be distinguished from those of other precisions, whose text shows their exact value.
pub(super) fn of_floats(op: Comparison, number: NumberRef<'_>, is_host: bool) -> RangeInclusive<f64> {
    let nearest = number.to_f64();
    let order = order(nearest, number);
    let is_equal = is_host && *equal_floats(number).start() == nearest;
    let (less, greater) = (f64::NEG_INFINITY, f64::INFINITY);
    match op {
        // The greatest float that is below the number.
        Comparison::Less if order == Ordering::Less => less..=nearest,
        Comparison::Less if nearest == less => NO_FLOATS,
        Comparison::Less => less..=nearest.next_down(),
        Comparison::LessOrEqual if order != Ordering::Greater || is_equal => less..=nearest,
        Comparison::LessOrEqual => less..=nearest.next_down(),
        Comparison::Greater if order == Ordering::Greater => nearest..=greater,
        Comparison::Greater if nearest == greater => NO_FLOATS,
        Comparison::Greater => nearest.next_up()..=greater,
        Comparison::GreaterOrEqual if order != Ordering::Less || is_equal => nearest..=greater,
        Comparison::GreaterOrEqual => nearest.next_up()..=greater,
    }
}

// No floats.
const NO_FLOATS: RangeInclusive<f64> = 1.0..=0.0;

/// Compares a float with a number.
fn order(float: f64, number: NumberRef<'_>) -> Ordering {
    Number::from_f64(float).map_or(Ordering::Equal, |float| compare(float.borrow(), number))
}

/// The floats of a host that are equal to a number: those with its decimal text, of which there is one at most, the
/// nearest, or the two zeros.
pub(super) fn equal_floats(number: NumberRef<'_>) -> RangeInclusive<f64> {
    let nearest = number.to_f64();
    match Number::from_f64(nearest) {
        Some(float) if equal(float.borrow(), number) => nearest..=nearest,
        _ => NO_FLOATS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [&str; 22] = [
        "0",
        "1",
        "2.5",
        "0.1",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "1e308",
        "1e400",
        "1e-320",
        "1e-400",
        "0.30000000000000004",
        "0.3",
        "4503599627370496.25",
        "9223372036854775807.5",
        "1e22",
        "3.3",
        "0.1000000000000000055511151231257827021181583404541015625",
        "5e-324",
        "2e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
    ];

    const OPS: [Comparison; 4] =
        [Comparison::Less, Comparison::LessOrEqual, Comparison::Greater, Comparison::GreaterOrEqual];

    fn holds(op: Comparison, order: Ordering) -> bool {
        match op {
            Comparison::Less => order == Ordering::Less,
            Comparison::LessOrEqual => order != Ordering::Greater,
            Comparison::Greater => order == Ordering::Greater,
            Comparison::GreaterOrEqual => order != Ordering::Less,
        }
    }

    /// Returns the strict part of an operator that holds for equal numbers.
    fn strict(op: Comparison) -> Option<Comparison> {
        match op {
            Comparison::LessOrEqual => Some(Comparison::Less),
            Comparison::GreaterOrEqual => Some(Comparison::Greater),
            Comparison::Less | Comparison::Greater => None,
        }
    }

    #[test]
    fn ranges_hold_what_compares_so() {
        for text in NUMBERS {
            let positive = Number::parse_literal(text).expect("a number");
            for number in [crate::number::negate(positive.borrow()), positive] {
                let number = number.borrow();
                let near = number.to_f64();
                let mut floats =
                    vec![near, near.next_up(), near.next_down(), 0.0, -0.0, 1.0, -1.0, f64::MAX, f64::MIN];
                floats.extend([f64::INFINITY, f64::NEG_INFINITY, near / 2.0, near.next_up().next_up()]);
                for float in floats.into_iter().filter(|float| !float.is_nan()) {
                    let own = Number::from_f64(float).expect("a number");
                    let order = compare(own.borrow(), number);
                    for op in OPS {
                        let is_equal = equal(own.borrow(), number) && strict(op).is_some();
                        let host = of_floats(op, number, true).contains(&float);
                        assert_eq!(host, holds(op, order) || is_equal, "{float} {op:?} {text}");
                        let exact = of_floats(op, number, false).contains(&float);
                        assert_eq!(exact, holds(op, order), "{float} {op:?} {text}");
                    }
                    assert_eq!(
                        equal_floats(number).contains(&float),
                        equal(own.borrow(), number),
                        "{float} {text}"
                    );
                }
                let whole = number.to_i64().unwrap_or(if number.is_negative() { i64::MIN } else { i64::MAX });
                for int in [
                    whole,
                    whole.saturating_add(1),
                    whole.saturating_sub(1),
                    0,
                    1,
                    -1,
                    i64::MIN,
                    i64::MAX,
                    2,
                    3,
                ] {
                    let own = NumberRef::Int(int, crate::number::Width::Short);
                    for op in OPS {
                        let expected = holds(op, compare(own, number));
                        assert_eq!(of_ints(op, number).contains(&int), expected, "{int} {op:?} {text}");
                    }
                    assert_eq!(equal_ints(number).contains(&int), equal(own, number), "{int} {text}");
                }
            }
        }
    }
}
