//! Decimal digits of floats and floats of decimal digits, each rounded once.
//!
//! Powers of ten of large exponents are too long to be computed, so a number times a power of ten is computed as two
//! bounds, with as many bits as the result has and some more. If both bounds give the same result, it is that of the
//! number; else all is computed again with twice as many bits, until it is or the bounds are one number.
//!
//! ```text
//!   low * 2^power  <=  mantissa * 10^exponent  <=  (low + width) * 2^power
//! ```

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use super::super::{Direction, Engine};
use super::{Float, long};
use crate::memory::cast;

/// The bits of bounds that are computed first, beyond those of the result. Two bounds of 64 more bits seldom differ.
const MORE_BITS: usize = 64;

/// Returns `0.digits * 10^point`, rounded once. The digits are ASCII digits; the first and the last one are not zero.
pub(super) fn parse(digits: &str, point: i32, bits: u32, negative: bool) -> Float {
    let mut precision = cast::index(bits) + MORE_BITS;
    loop {
        let count = digits_of(precision).min(digits.len());
        // The text is one of digits.
        let low = UBig::from_str_radix(&digits[..count], 10).unwrap_or_default();
        let width = UBig::from(u8::from(count < digits.len()));
        let ten = i64::from(point) - cast::signed(count);
        let bounds = Bounds { low, width, power: 0 }.times_ten(ten, precision);
        let power = i32::try_from(bounds.power).unwrap_or(0);
        let float = |integer: &UBig| Float::of_integer(&mut long::words(integer), power, bits, negative);
        let low = float(&bounds.low);
        if bounds.is_exact() || low.compare(&float(&bounds.high())).is_eq() {
            return low;
        }
        precision *= 2;
    }
}

/// Returns the first digits of the magnitude of a number, and its point.
pub(super) fn digits(float: &Float, count: usize, direction: Direction) -> (String, i64) {
    let length = cast::length(float.words.len()).cast_signed() * 64;
    let mantissa = long::integer(&float.words);
    let power = i64::from(float.exponent - length);
    let least = least_point(i64::from(float.exponent));
    let ten = cast::signed(count) - least;
    let mut precision = bits_of(count) + MORE_BITS;
    loop {
        let start = Bounds { low: mantissa.clone(), width: UBig::ZERO, power };
        let bounds = start.times_ten(ten, precision);
        if let Some((whole, has_rest)) = bounds.whole() {
            let all = whole.in_radix(10).to_string();
            let point = cast::signed(all.len()) - ten;
            return rounded(all, count, has_rest, direction, point);
        }
        precision *= 2;
    }
}

/// Rounds digits to `count` of them. There is at least one more.
fn rounded(
    mut all: String,
    count: usize,
    has_rest: bool,
    direction: Direction,
    mut point: i64,
) -> (String, i64) {
    let rest = all.split_off(count.min(all.len()));
    let is_set = |digits: &str| digits.bytes().any(|digit| digit != b'0');
    let odd = all.bytes().last().is_some_and(|digit| digit & 1 == 1);
    let up = match direction {
        Direction::Down => false,
        Direction::Up => has_rest || is_set(&rest),
        Direction::Nearest => match rest.as_bytes() {
            [b'5', ..] => has_rest || is_set(&rest[1..]) || odd,
            [first, ..] => *first > b'5',
            [] => false,
        },
    };
    if up {
        let kept = all.trim_end_matches('9').len();
        let zeros = "0".repeat(all.len() - kept);
        all.truncate(kept);
        if let Some(last) = all.pop() {
            all.push(char::from(last as u8 + 1));
        } else {
            all.push('1');
            point += 1;
        }
        all.push_str(&zeros);
        all.truncate(count);
    }
    (all, point)
}

/// Returns a number of digits that have so many bits, or a few more.
fn digits_of(bits: usize) -> usize {
    bits / 3 + 1
}

/// Returns a number of bits of so many digits, or a few more.
fn bits_of(digits: usize) -> usize {
    // log2(10) is less than 10 / 3.
    digits.saturating_mul(10) / 3 + 4
}

/// Returns one or two less than the number of digits in front of the point of the smallest number with an exponent: its
/// decimal exponent is computed with a rounding error.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "at most 32 bits")]
fn least_point(exponent: i64) -> i64 {
    ((exponent - 1) as f64 * std::f64::consts::LOG10_2).floor() as i64 - 1
}

/// Two bounds of a positive number: `low` and `low + width`, times `2^power`.
struct Bounds {
    low: UBig,
    width: UBig,
    power: i64,
}

impl Bounds {
    fn is_exact(&self) -> bool {
        self.width == UBig::ZERO
    }

    fn high(&self) -> UBig {
        &self.low + &self.width
    }

    /// Multiplies by `10^exponent`.
    fn times_ten(self, exponent: i64, precision: usize) -> Self {
        let five = Self::power_of_five(exponent.unsigned_abs(), precision);
        let power = exponent;
        let number = self.shortened(precision);
        let mut result = if exponent < 0 { number.over(&five, precision) } else { number.times(&five) };
        result.power += power;
        result
    }

    fn power_of_five(exponent: u64, precision: usize) -> Self {
        let mut power = Self { low: UBig::ONE, width: UBig::ZERO, power: 0 };
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            power = power.times(&power);
            if exponent >> bit & 1 == 1 {
                power = Self { low: power.low * 5_u8, width: power.width * 5_u8, power: power.power };
            }
            power = power.shortened(precision);
        }
        power
    }

    fn times(&self, other: &Self) -> Self {
        let low = &self.low * &other.low;
        let width =
            if self.is_exact() && other.is_exact() { UBig::ZERO } else { self.high() * other.high() - &low };
        Self { low, width, power: self.power + other.power }
    }

    fn over(&self, other: &Self, precision: usize) -> Self {
        // The quotient has as many bits as the precision, or one more.
        let shift = (precision + other.low.bit_len()).saturating_sub(self.low.bit_len());
        let (low, has_rest) = long::divide(&(&self.low << shift), &other.high());
        let width = if self.is_exact() && other.is_exact() {
            UBig::from(u8::from(has_rest))
        } else {
            let (high, _) = long::divide(&(self.high() << shift), &other.low);
            high + 1_u8 - &low
        };
        Self { low, width, power: self.power - other.power - cast::signed(shift) }
    }

    /// Drops bits that are beyond a precision.
    fn shortened(self, precision: usize) -> Self {
        let Some(cut) = self.low.bit_len().checked_sub(precision).filter(|cut| *cut > 0) else { return self };
        let is_exact = self.is_exact() && self.low.trailing_zeros().is_none_or(|zeros| zeros >= cut);
        let width = if is_exact { UBig::ZERO } else { (self.width >> cut) + 2_u8 };
        Self { low: self.low >> cut, width, power: self.power + cast::signed(cut) }
    }

    /// Returns the number, rounded down to a whole one, and whether that is less; `None` if the bounds disagree.
    fn whole(&self) -> Option<(UBig, bool)> {
        let Ok(cut) = usize::try_from(-self.power) else {
            return self.is_exact().then(|| (&self.low << cast::amount(self.power.unsigned_abs()), false));
        };
        let whole = &self.low >> cut;
        let has_rest = self.low.trailing_zeros().is_some_and(|zeros| zeros < cut);
        let agrees = self.is_exact() || has_rest && self.high() >> cut == whole;
        agrees.then_some((whole, has_rest))
    }
}
