//! Order, which is exact, and equality, which compares the printed digits.
//!
//! The two may disagree for numbers of different precision: a host's float `0.1` equals the literal `0.1`
//! and is also greater than it, as in the reference.

use std::cmp::Ordering;

use super::{NumberRef, decimal};

/// Returns the exact order of two numbers. The zeros are equal, and the infinities are at the ends.
#[inline]
pub fn compare(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Ordering {
    match (lhs, rhs) {
        (NumberRef::Int(a, _), NumberRef::Int(b, _)) => a.cmp(&b),
        _ => match (short_decimal(lhs), short_decimal(rhs)) {
            (Some(a), Some(b)) => decimal::compare(a, b),
            _ => lhs.to_big().compare(&rhs.to_big()),
        },
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
        _ => match (short_decimal(lhs), short_decimal(rhs)) {
            (Some(a), Some(b)) => a == b,
            _ => lhs.to_big().same_text(&rhs.to_big()),
        },
    }
}

/// Returns true if two numbers have equal values, precisions and signs, so that no operation can tell them
/// apart.
pub fn identical(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> bool {
    match (lhs, rhs) {
        (NumberRef::Int(a, a_width), NumberRef::Int(b, b_width)) => a == b && a_width == b_width,
        (NumberRef::Decimal(a, a_scale), NumberRef::Decimal(b, b_scale)) => a == b && a_scale == b_scale,
        (NumberRef::Big(a), NumberRef::Big(b)) => {
            a.precision() == b.precision()
                && a.is_negative() == b.is_negative()
                && a.compare(b) == Ordering::Equal
        }
        _ => false,
    }
}

/// Returns the mantissa and the scale of an inline number.
fn short_decimal(number: NumberRef<'_>) -> Option<(i64, u8)> {
    match number {
        NumberRef::Int(value, _) => Some((value, 0)),
        NumberRef::Decimal(mantissa, scale) => Some((mantissa, scale)),
        NumberRef::Big(_) => None,
    }
}
