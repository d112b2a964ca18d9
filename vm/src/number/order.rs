//! Order, which is exact, and equality, which compares the printed digits.
//!
//! The two may disagree for numbers of different precision: a host's float `0.1` equals the literal `0.1`
//! and is also greater than it, as in the reference.

use std::cmp::Ordering;

use super::NumberRef;
use super::decimal::power_of_ten;

/// Returns the exact order of two numbers. The zeros are equal, and the infinities are at the ends.
#[inline]
pub fn compare(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Ordering {
    match (lhs, rhs) {
        (NumberRef::Int(a, _), NumberRef::Int(b, _)) => a.cmp(&b),
        _ => compare_fractions(lhs, rhs).unwrap_or_else(|| lhs.to_big().compare(&rhs.to_big())),
    }
}

/// Returns true if two numbers are equal by `==`: integers by value, other numbers by their shortest
/// decimal text, which depends on their precision. The zeros are equal.
///
/// No text is written: digits and exponents are compared, and only if the numbers are close.
#[inline]
pub fn equal(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> bool {
    match (lhs, rhs) {
        (NumberRef::Int(a, _), NumberRef::Int(b, _)) => a == b,
        // Integers of 64 bits have the text that they have at 512 bits.
        _ => match compare_fractions(lhs, rhs) {
            Some(order) => order.is_eq(),
            None => lhs.to_big().same_text(&rhs.to_big()),
        },
    }
}

/// Returns true if two numbers have equal values, precisions and signs, so that no operation can
/// distinguish them.
pub fn identical(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> bool {
    match (lhs, rhs) {
        (NumberRef::Int(a, a_width), NumberRef::Int(b, b_width)) => a == b && a_width == b_width,
        (NumberRef::Decimal(a, a_scale), NumberRef::Decimal(b, b_scale)) => a == b && a_scale == b_scale,
        _ => {
            lhs.precision() == rhs.precision()
                && lhs.is_negative() == rhs.is_negative()
                && compare(lhs, rhs).is_eq()
        }
    }
}

/// Returns the order of two inline numbers: that of their fractions, then that of the units in the last place. Rounding
/// to 512 bits preserves the order of fractions, because distinct ones are never that close.
fn compare_fractions(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Option<Ordering> {
    let (a, a_unit, a_ulps) = fraction(lhs)?;
    let (b, b_unit, b_ulps) = fraction(rhs)?;
    let order = (i128::from(a) * i128::from(b_unit)).cmp(&(i128::from(b) * i128::from(a_unit)));
    Some(order.then_with(|| a_ulps.cmp(&b_ulps)))
}

/// Returns an inline number as a fraction and the units in the last place beside it.
fn fraction(number: NumberRef<'_>) -> Option<(i64, i64, i16)> {
    match number {
        NumberRef::Int(value, _) => Some((value, 1, 0)),
        NumberRef::Decimal(mantissa, scale) => Some((mantissa, power_of_ten(scale), 0)),
        NumberRef::Ratio(ratio) => {
            let ulps = if ratio.numerator() < 0 { -ratio.ulps() } else { ratio.ulps() };
            Some((ratio.numerator(), i64::from(ratio.denominator()), ulps))
        }
        NumberRef::Big(_) => None,
    }
}
