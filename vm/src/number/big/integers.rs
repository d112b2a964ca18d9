//! Conversions between integers and floats, and rounding floats to integers.

use rug::{Float, Integer};

use super::super::SHORT_BITS;
use super::long::Long;
use crate::memory::cast;

impl Long {
    /// Returns the integer with the given digits, most significant first, at the precision it needs, at
    /// least 64 bits. The cost is that of a few multiplications of the length of the result.
    pub(super) fn from_digits(digits: &[u8], radix: u32, negative: bool) -> Self {
        let magnitude = join(digits, radix);
        let bits = magnitude.significant_bits().max(SHORT_BITS);
        let float = Float::with_val(bits, if negative { -magnitude } else { magnitude });
        Self::settle(float, 0)
    }

    /// Returns the number as an `i64`, if it is an integer in range.
    pub(super) fn to_i64(&self) -> Option<i64> {
        self.small_integer()?.to_i64()
    }

    /// Returns the number as a `u64`, if it is an integer in range.
    pub(super) fn to_u64(&self) -> Option<u64> {
        self.small_integer()?.to_u64()
    }

    /// Formats an integer in a radix of 2 to 36. Returns `None` for other numbers and for integers of
    /// more than `limit` bits.
    pub(super) fn integer_text(&self, radix: u32, limit: u64) -> Option<String> {
        let bits = self.exponent().unwrap_or(0);
        let shown = self.is_integer() && self.shift == 0 && bits <= i64::try_from(limit).unwrap_or(i64::MAX);
        shown.then(|| self.float.to_integer())?.map(|integer| integer.to_string_radix(radix.cast_signed()))
    }

    /// Returns the number as an integer, if it is one of at most 64 bits.
    fn small_integer(&self) -> Option<Integer> {
        let fits = self.is_integer() && self.exponent().unwrap_or(0) <= 64;
        if fits { self.float.to_integer() } else { None }
    }

    /// Returns the nearest `f64`, ties to even.
    pub(super) fn to_f64(&self) -> f64 {
        match self.shift {
            0 => self.float.to_f64(),
            1.. => f64::INFINITY.copysign(self.float.to_f64()),
            _ => 0_f64.copysign(self.float.to_f64()),
        }
    }

    /// Rounds toward zero at the same precision. Zero has no sign.
    pub(super) fn truncated(&self) -> Self {
        self.rounded_to_integer(0, |float| Float::with_val(float.prec(), float.trunc_ref()))
    }

    /// Rounds down at the same precision. Zero has no sign.
    pub(super) fn floored(&self) -> Self {
        let tiny = -i64::from(self.is_negative());
        self.rounded_to_integer(tiny, |float| Float::with_val(float.prec(), float.floor_ref()))
    }

    /// Rounds up at the same precision. Zero has no sign.
    pub(super) fn ceiled(&self) -> Self {
        let tiny = i64::from(!self.is_negative());
        self.rounded_to_integer(tiny, |float| Float::with_val(float.prec(), float.ceil_ref()))
    }

    /// Rounds toward zero, at the precision the integer needs, at least 64 bits.
    pub(super) fn integer_part(&self) -> Self {
        let whole = self.truncated();
        let bits = whole.exponent().map_or(SHORT_BITS, |e| u32::try_from(e).unwrap_or(0).max(SHORT_BITS));
        whole.at(bits)
    }

    /// Rounds with `run`. Numbers too small for MPFR's range become `tiny`; those with a positive shift
    /// are whole.
    fn rounded_to_integer(&self, tiny: i64, run: impl Fn(&Float) -> Float) -> Self {
        if self.shift > 0 || self.is_infinite() {
            return self.clone();
        }
        if self.shift < 0 {
            return Self::from_i64(tiny, self.precision());
        }
        let whole = run(&self.float);
        if whole.is_zero() { Self::zero(self.precision(), false) } else { Self::settle(whole, 0) }
    }
}

/// Returns the integer of digits in a radix, by divide and conquer: machine words first, then pairs of
/// neighbours, then pairs of pairs. Few of the multiplications are large, so the cost is below quadratic.
fn join(digits: &[u8], radix: u32) -> Integer {
    let per_word = u64::MAX.ilog(u64::from(radix));
    let mut power = Integer::from(u64::from(radix).pow(per_word));
    // Least significant first, so that only the last part may be short.
    let mut parts: Vec<Integer> = digits
        .rchunks(cast::index(per_word))
        .map(|word| word.iter().fold(0_u64, |sum, d| sum * u64::from(radix) + u64::from(*d)).into())
        .collect();
    while parts.len() > 1 {
        parts = parts
            .chunks_mut(2)
            .map(|pair| match pair {
                [low, high] => std::mem::take(high) * &power + std::mem::take(low),
                [last, ..] => std::mem::take(last),
                [] => Integer::new(),
            })
            .collect();
        power.square_mut();
    }
    parts.pop().unwrap_or_default()
}
