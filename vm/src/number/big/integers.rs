//! Whole numbers in and out of floats.

use super::{Big, Float, Integer, SHORT_BITS};
use crate::memory::cast;

impl Big {
    /// The integer that digits denote, most significant first, at the bits it needs and at
    /// least 64. The cost is that of a few multiplications of the length of the result.
    pub(in super::super) fn from_digits(digits: &[u8], radix: u32, negative: bool) -> Self {
        let magnitude = join(digits, radix);
        let bits = magnitude.significant_bits().max(SHORT_BITS);
        let float = Float::with_val(bits, if negative { -magnitude } else { magnitude });
        Self::settle(float, 0)
    }

    /// The integer this is, if it is one and fits.
    pub(in super::super) fn to_i64(&self) -> Option<i64> {
        self.small_integer()?.to_i64()
    }

    /// The integer this is, if it is one, not negative, and fits.
    pub(in super::super) fn to_u64(&self) -> Option<u64> {
        self.small_integer()?.to_u64()
    }

    /// The integer's text in a base of 2 to 36; none for other numbers and for integers of more
    /// than `limit` bits.
    pub(in super::super) fn integer_text(&self, radix: u32, limit: u64) -> Option<String> {
        let bits = self.exponent().unwrap_or(0);
        let shown = self.is_integer() && self.shift == 0 && bits <= i64::try_from(limit).unwrap_or(i64::MAX);
        shown.then(|| self.float.to_integer())?.map(|integer| integer.to_string_radix(radix.cast_signed()))
    }

    /// The integer this is, if it is one of at most 64 bits.
    fn small_integer(&self) -> Option<Integer> {
        let fits = self.is_integer() && self.exponent().unwrap_or(0) <= 64;
        if fits { self.float.to_integer() } else { None }
    }

    /// The nearest float, ties to even.
    pub(in super::super) fn to_f64(&self) -> f64 {
        match self.shift {
            0 => self.float.to_f64(),
            1.. => f64::INFINITY.copysign(self.float.to_f64()),
            _ => 0_f64.copysign(self.float.to_f64()),
        }
    }

    /// The number without its fraction, at the same precision; zero has no sign.
    pub(in super::super) fn truncated(&self) -> Self {
        self.rounded_to_integer(0, |float| Float::with_val(float.prec(), float.trunc_ref()))
    }

    /// The next integer down, at the same precision; zero has no sign.
    pub(in super::super) fn floored(&self) -> Self {
        let tiny = -i64::from(self.is_negative());
        self.rounded_to_integer(tiny, |float| Float::with_val(float.prec(), float.floor_ref()))
    }

    /// The next integer up, at the same precision; zero has no sign.
    pub(in super::super) fn ceiled(&self) -> Self {
        let tiny = i64::from(!self.is_negative());
        self.rounded_to_integer(tiny, |float| Float::with_val(float.prec(), float.ceil_ref()))
    }

    /// The number without its fraction, at the bits that needs and at least 64.
    pub(in super::super) fn integer_part(&self) -> Self {
        let whole = self.truncated();
        let bits = whole.exponent().map_or(SHORT_BITS, |e| u32::try_from(e).unwrap_or(0).max(SHORT_BITS));
        whole.at(bits)
    }

    /// Rounds by `run`; numbers too small for that become `tiny`, the large ones are whole.
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

/// The integer of digits in a base: machine words first, then pairs of neighbours, then pairs
/// of pairs, so that the large products are few.
fn join(digits: &[u8], radix: u32) -> Integer {
    let per_word = u64::MAX.ilog(u64::from(radix));
    let mut power = Integer::from(u64::from(radix).pow(per_word));
    // Least significant first: the one part that may be short is then the last.
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
