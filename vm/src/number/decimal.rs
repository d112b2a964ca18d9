//! Short decimals: `mantissa / 10^scale`, rounded once to 512 bits.
//!
//! Invariant: the form is canonical. The scale is in `1..=18`, and the mantissa has at most 18 digits and
//! is not divisible by 10. Digits of floats are in `big/digits`.

use super::NumberRef;

/// The largest scale and the largest number of digits: 18 digits always fit an `i64`.
pub(super) const MAX_DIGITS: u8 = 18;

/// Returns `10^scale`. Scales above the largest are clamped.
pub(super) const fn power_of_ten(scale: u8) -> i64 {
    10_i64.pow(if scale > MAX_DIGITS { MAX_DIGITS } else { scale } as u32)
}

/// Returns `a / b` if it is a short decimal. `b` is not zero, and the quotient is not an integer.
pub(super) fn quotient(a: i64, b: i64) -> Option<NumberRef<'static>> {
    let (dividend, divisor) = (a.unsigned_abs(), b.unsigned_abs());
    if !is_finite_decimal(dividend, divisor) {
        return None;
    }
    let (mut mantissa, mut rest) = (dividend / divisor, u128::from(dividend % divisor));
    let mut scale = 0;
    while rest != 0 {
        rest *= 10;
        // The rest is below the divisor, so this is a single digit.
        let digit = u64::try_from(rest / u128::from(divisor)).ok()?;
        mantissa = mantissa.checked_mul(10)?.checked_add(digit)?;
        rest %= u128::from(divisor);
        scale += 1;
    }
    let mantissa = i64::try_from(mantissa).ok().filter(|m| *m < power_of_ten(MAX_DIGITS))?;
    let signed = if (a < 0) == (b < 0) { mantissa } else { -mantissa };
    (scale <= MAX_DIGITS).then_some(NumberRef::Decimal(signed, scale))
}

/// Returns true if the decimal expansion of `a / b`, which is no integer, terminates: `b` without its factors 2 and 5
/// divides `a`.
fn is_finite_decimal(a: u64, b: u64) -> bool {
    let mut odd = b >> b.trailing_zeros();
    while odd.is_multiple_of(5) {
        odd /= 5;
    }
    odd != b && a.is_multiple_of(odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_have_at_most_18_digits_inline() {
        let inline = |a, b| {
            quotient(a, b).map(|number| match number {
                NumberRef::Decimal(mantissa, scale) => (mantissa, scale),
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(inline(123_456_789_012_345_678, 10), Some((123_456_789_012_345_678, 1)));
        assert_eq!(inline(1_234_567_890_123_456_789, 10), None);
        assert_eq!(inline(-999_999_999_999_999_999, 10), Some((-999_999_999_999_999_999, 1)));
        assert_eq!(inline(-1_000_000_000_000_000_001, 10), None);
        assert_eq!(inline(i64::MAX, 2), None);
        assert_eq!(inline(i64::MIN, 3), None);
        assert_eq!(inline(1, 1 << 18), Some((3_814_697_265_625, 18)));
        assert_eq!(inline(1, 1 << 19), None);
        assert_eq!(inline(-1, -8), Some((125, 3)));
        assert_eq!(inline(1, -8), Some((-125, 3)));
        assert_eq!(inline(1, 3), None);
        assert_eq!(inline(3, 6), Some((5, 1)));
    }
}
