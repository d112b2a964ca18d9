//! Order, which is exact, and equality, which goes by the printed digits.
//!
//! The two may disagree about numbers of different precision: a host's float `0.1` equals the
//! literal `0.1` and is also greater than it.

use std::cmp::Ordering;

use super::{NumberRef, decimal};

/// The exact order of two numbers; the zeros are equal, infinities stand at the ends.
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

/// The equality of `==`: integers by value, other numbers by their shortest decimal text,
/// which depends on their precision. The zeros are equal.
///
/// The texts are never written out: their digits and the place of the point are compared, and
/// only when the numbers are close.
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

/// Mantissa and scale of an inline number.
fn short_decimal(number: NumberRef<'_>) -> Option<(i64, u8)> {
    match number {
        NumberRef::Int(value, _) => Some((value, 0)),
        NumberRef::Decimal(mantissa, scale) => Some((mantissa, scale)),
        NumberRef::Big(_) => None,
    }
}
