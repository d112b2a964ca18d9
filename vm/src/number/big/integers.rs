//! Conversions between integers and floats, and rounding floats to integers.

use super::super::SHORT_BITS;
use super::float::{Engine, Float};
use super::long::Long;

/// The power of two of the smallest float.
const LEAST_POWER: i64 = -1074;

impl Long {
    /// Returns the integer with the given digits, most significant first, at the precision it needs, at
    /// least 64 bits. The cost is that of a few multiplications of the length of the result.
    pub(super) fn from_digits(digits: &[u8], radix: u32, negative: bool) -> Self {
        Self::settle(Float::from_digits(digits, radix, negative), 0)
    }

    /// Returns the number as an `i64`, if it is an integer in range.
    pub(super) fn to_i64(&self) -> Option<i64> {
        let magnitude = i128::from(self.small_integer()?);
        i64::try_from(if self.is_negative() { -magnitude } else { magnitude }).ok()
    }

    /// Returns the number as a `u64`, if it is an integer in range.
    pub(super) fn to_u64(&self) -> Option<u64> {
        self.small_integer().filter(|magnitude| *magnitude == 0 || !self.is_negative())
    }

    /// Formats an integer in a radix of 2 to 36. Returns `None` for other numbers and for integers of
    /// more than `limit` bits.
    pub(super) fn integer_text(&self, radix: u32, limit: u64) -> Option<String> {
        let bits = self.exponent().unwrap_or(0);
        let shown = self.is_integer() && self.shift == 0 && bits <= i64::try_from(limit).unwrap_or(i64::MAX);
        (shown && !self.is_infinite()).then(|| self.float.integer_text(radix))
    }

    /// Returns the magnitude of an integer, if it has at most 64 bits.
    fn small_integer(&self) -> Option<u64> {
        if self.is_zero() {
            return Some(0);
        }
        let [first] = self.float.first_words()?;
        let bits = u32::try_from(self.exponent()?).ok().filter(|bits| *bits <= 64 && self.is_integer())?;
        Some(first >> (64 - bits))
    }

    /// Returns the nearest `f64`, ties to even.
    #[expect(clippy::cast_precision_loss, reason = "the mantissa has at most 53 bits")]
    pub(super) fn to_f64(&self) -> f64 {
        let sign = if self.is_negative() { -1.0 } else { 1.0 };
        let Some(exponent) = self.exponent() else {
            return sign * if self.is_zero() { 0.0 } else { f64::INFINITY };
        };
        // Small floats have fewer bits; half of the smallest one has none, and is rounded to zero.
        let bits = match u32::try_from(exponent - LEAST_POWER) {
            Ok(0) if self.needed_bits() > 1 => return sign * f64::from_bits(1),
            Ok(0) | Err(_) => return sign * 0.0,
            Ok(bits) => bits.min(f64::MANTISSA_DIGITS),
        };
        let rounded = self.clone().at(bits);
        match (rounded.exponent(), rounded.float.first_words()) {
            (Some(exponent @ ..=1024), Some([first])) => {
                sign * scaled((first >> (64 - bits)) as f64, exponent - i64::from(bits))
            }
            _ => sign * f64::INFINITY,
        }
    }

    /// Rounds toward zero at the same precision. Zero has no sign.
    pub(super) fn truncated(&self) -> Self {
        if self.shift > 0 || self.is_infinite() {
            return self.clone();
        }
        if self.shift < 0 {
            return Self::zero(self.precision(), false);
        }
        let whole = Self { float: self.float.truncated(), shift: 0 };
        if whole.is_zero() { Self::zero(self.precision(), false) } else { whole }
    }

    /// Rounds down at the same precision. Zero has no sign.
    pub(super) fn floored(&self) -> Self {
        let whole = self.truncated();
        // A number with a fraction has a bit for it, which the integer may carry into.
        if self.is_negative() && whole.compare(self).is_ne() {
            whole.minus(&Self::from_i64(1, self.precision()), self.precision())
        } else {
            whole
        }
    }

    /// Rounds up at the same precision. Zero has no sign.
    pub(super) fn ceiled(&self) -> Self {
        let ceiled = self.negated().floored();
        if ceiled.is_zero() { ceiled } else { ceiled.negated() }
    }

    /// Rounds toward zero, at the precision the integer needs, at least 64 bits.
    pub(super) fn integer_part(&self) -> Self {
        let whole = self.truncated();
        let bits = whole.exponent().map_or(SHORT_BITS, |e| u32::try_from(e).unwrap_or(0).max(SHORT_BITS));
        whole.at(bits)
    }
}

/// Returns `number * 2^power`, which is a float.
fn scaled(number: f64, power: i64) -> f64 {
    /// The power of two of the smallest float that has all bits.
    const LEAST_NORMAL: i64 = -1022;
    let two_to = |power: i64| f64::from_bits((power + 1023).cast_unsigned() << 52);
    if power < LEAST_NORMAL {
        number * two_to(LEAST_NORMAL) * two_to(power - LEAST_NORMAL)
    } else {
        number * two_to(power)
    }
}
