//! Short decimals: `mantissa / 10^scale`, which stands for that quotient rounded once to 512 bits.
//!
//! Canonical: the scale is 1..=18, the mantissa has at most 18 digits and is not divisible by 10.

use std::cmp::Ordering;

use super::{Big, FULL_BITS, Number};

/// The largest scale, and the largest number of digits.
pub(super) const MAX_DIGITS: u8 = 18;

/// `10^scale` for the scales there are.
pub(super) const fn power_of_ten(scale: u8) -> i64 {
    10_i64.pow(if scale > MAX_DIGITS { MAX_DIGITS } else { scale } as u32)
}

/// The float a decimal stands for. Numerator and denominator are exact, so the one division
/// rounds as reading the decimal's text would.
pub(super) fn promote(mantissa: i64, scale: u8) -> Big {
    Big::quotient(mantissa, power_of_ten(scale), FULL_BITS)
}

/// `a / b` for `b` not zero and a quotient that is no integer, where it is a short decimal.
pub(super) fn quotient(a: i64, b: i64) -> Option<Number> {
    let (dividend, divisor) = (a.unsigned_abs(), b.unsigned_abs());
    if !is_finite_decimal(dividend, divisor) {
        return None;
    }
    let (mut mantissa, mut rest) = (dividend / divisor, u128::from(dividend % divisor));
    let mut scale = 0;
    while rest != 0 {
        rest *= 10;
        // The rest is below the divisor, so this is one digit.
        let digit = u64::try_from(rest / u128::from(divisor)).ok()?;
        mantissa = mantissa.checked_mul(10)?.checked_add(digit)?;
        rest %= u128::from(divisor);
        scale += 1;
    }
    let mantissa = i64::try_from(mantissa).ok().filter(|m| *m < power_of_ten(MAX_DIGITS))?;
    let signed = if (a < 0) == (b < 0) { mantissa } else { -mantissa };
    (scale <= MAX_DIGITS).then_some(Number::Decimal(signed, scale))
}

/// Whether `a / b` ends: all that is left of `b` without twos and fives divides `a`.
fn is_finite_decimal(a: u64, b: u64) -> bool {
    let mut odd = b >> b.trailing_zeros();
    while odd.is_multiple_of(5) {
        odd /= 5;
    }
    a.is_multiple_of(odd)
}

/// The exact order of two decimals, a scale of 0 being an integer. Rounding to 512 bits keeps
/// the order, for two short decimals are never that close.
pub(super) fn compare(a: (i64, u8), b: (i64, u8)) -> Ordering {
    let common = a.1.max(b.1);
    let raised = |(m, s): (i64, u8)| i128::from(m) * i128::from(power_of_ten(common - s));
    raised(a).cmp(&raised(b))
}
