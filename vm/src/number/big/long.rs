//! Binary floats of any precision, over the reference's whole range of exponents, by MPFR. Floats of common
//! precisions and exponents are [`Wide`](super::wide::Wide).
//!
//! A number is `float * 2^shift`. MPFR's exponents have 31 bits and the reference's 32, and intermediate
//! products of large numbers must not overflow, so numbers whose exponent exceeds 2^28 keep it apart:
//!
//! ```text
//!   magnitude in [2^(e-1), 2^e)        float in               shift
//!   |e| <= 2^28, zero, infinity        itself                 0
//!   |e| >  2^28                        [1/2, 1)               e
//!   e > 2^31 - 1                       infinity               0
//!   e < -2^31                          zero of the same sign  0
//! ```
//!
//! Invariant: never NaN. Callers reject the operands that would produce one.

use std::cmp::Ordering;

use rug::integer::Order;
use rug::{Float, Integer};

use super::super::{FULL_BITS, SHORT_BITS};
use super::NEAR;
use super::wide::{MOST_BITS, Wide};

/// A binary float with its own precision, never NaN.
#[derive(Clone, Debug)]
pub(super) struct Long {
    pub(super) float: Float,
    pub(super) shift: i64,
}

/// Constructors.
impl Long {
    pub(super) fn from_i64(value: i64, bits: u32) -> Self {
        Self { float: Float::with_val(bits, value), shift: 0 }
    }

    /// Returns `dividend / divisor`, rounded once. The divisor is not zero, and the precision is at least
    /// 64.
    pub(super) fn quotient(dividend: i64, divisor: i64, bits: u32) -> Self {
        let mut float = Float::with_val(bits, dividend);
        float /= divisor;
        Self { float, shift: 0 }
    }

    pub(super) fn from_u64(value: u64) -> Self {
        Self { float: Float::with_val(SHORT_BITS, value), shift: 0 }
    }

    pub(super) fn from_f64(value: f64) -> Option<Self> {
        (!value.is_nan()).then(|| Self { float: Float::with_val(f64::MANTISSA_DIGITS, value), shift: 0 })
    }

    pub(super) fn zero(bits: u32, negative: bool) -> Self {
        Self { float: Float::with_val(bits, if negative { -0.0 } else { 0.0 }), shift: 0 }
    }

    pub(super) fn infinity(bits: u32, negative: bool) -> Self {
        let value = if negative { f64::NEG_INFINITY } else { f64::INFINITY };
        Self { float: Float::with_val(bits, value), shift: 0 }
    }

    /// Returns `0.digits * 10^point`, rounded once to 512 bits. The digits are ASCII digits, not all of
    /// them zero.
    pub(super) fn from_decimal(digits: &str, point: i64, negative: bool) -> Self {
        // Decimal exponents within this bound stay within MPFR's range.
        const NEAR_POINT: u64 = 80_000_000;
        // Beyond this bound the result is out of the reference's range whatever the digits are.
        const FAR_POINT: i64 = 700_000_000;
        let sign = if negative { "-" } else { "" };
        if point.unsigned_abs() <= NEAR_POINT {
            return Self::settle(read(&format!("{sign}0.{digits}e{point}"), FULL_BITS), 0);
        }
        if point < -FAR_POINT {
            return Self::zero(FULL_BITS, negative);
        }
        if point > FAR_POINT {
            return Self::infinity(FULL_BITS, negative);
        }
        // The power of ten is rounded too; the spare bits keep that error below half a unit in the last
        // place of the result, except for digits that are extremely close to a tie.
        let fraction = Self { float: read(&format!("{sign}0.{digits}"), FULL_BITS + SPARE), shift: 0 };
        fraction.scaled_by_ten(point, FULL_BITS + SPARE).at(FULL_BITS)
    }

    /// Normalizes a result to the form that the module text draws.
    #[expect(clippy::cast_possible_truncation, reason = "both exponents were compared with 32 bits")]
    pub(super) fn settle(mut float: Float, shift: i64) -> Self {
        let Some(exponent) = float.get_exp().map(i64::from) else {
            return Self { float, shift: 0 };
        };
        let total = exponent + shift;
        if shift == 0 && total.abs() <= NEAR {
            return Self { float, shift: 0 };
        }
        if total > i64::from(i32::MAX) {
            return Self::infinity(float.prec(), float.is_sign_negative());
        }
        if total < i64::from(i32::MIN) {
            return Self::zero(float.prec(), float.is_sign_negative());
        }
        let kept = if total.abs() <= NEAR { 0 } else { total };
        float <<= (total - kept - exponent) as i32;
        Self { float, shift: kept }
    }
}

/// Conversions between the two forms.
impl Long {
    pub(super) fn from_wide(wide: &Wide) -> Self {
        let mantissa = Integer::from_digits(wide.mantissa(), Order::Lsf);
        let mut float = Float::with_val(wide.precision(), &mantissa);
        float <<= wide.exponent() - MOST_BITS.cast_signed();
        if wide.is_negative() {
            float = -float;
        }
        Self { float, shift: 0 }
    }

    pub(super) fn to_wide(&self) -> Option<Wide> {
        let exponent = self.float.get_exp().filter(|_| self.shift == 0 && self.precision() <= MOST_BITS)?;
        let significand = self.float.get_significand()?;
        let mut mantissa = [0; 8];
        // Whole words, of which the first one has the first bit.
        let mut words = significand.as_limbs().iter().rev();
        for to in mantissa.iter_mut().rev() {
            *to = words.next().copied().unwrap_or(0);
        }
        Wide::from_mantissa(mantissa, i64::from(exponent), self.precision(), self.is_negative())
    }
}

/// The additional bits of intermediate powers of ten.
pub(super) const SPARE: u32 = 128;

/// Parses a decimal that this file has formatted, so parsing cannot fail.
fn read(text: &str, bits: u32) -> Float {
    Float::parse(text).map_or_else(|_| Float::new(bits), |parsed| Float::with_val(bits, parsed))
}

/// Properties.
impl Long {
    pub(super) fn precision(&self) -> u32 {
        self.float.prec()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.float.is_zero()
    }

    pub(super) fn is_negative(&self) -> bool {
        self.float.is_sign_negative()
    }

    pub(super) fn is_infinite(&self) -> bool {
        self.float.is_infinite()
    }

    /// Returns true for whole numbers. (No mantissa is as long as the exponents that are kept apart, so
    /// numbers with a positive shift are whole and those with a negative one are not.)
    pub(super) fn is_integer(&self) -> bool {
        self.shift > 0 || (self.shift == 0 && self.float.is_integer())
    }

    /// Returns `e` for a magnitude in `[2^(e-1), 2^e)`, `None` for zero and infinity.
    pub(super) fn exponent(&self) -> Option<i64> {
        self.float.get_exp().map(|e| i64::from(e) + self.shift)
    }

    /// Returns the number of bits that the mantissa needs; 0 for zero and infinity.
    pub(super) fn needed_bits(&self) -> u32 {
        self.float.get_significand().map_or(0, |bits| bits.significant_bits() - bits.find_one(0).unwrap_or(0))
    }

    /// Returns the exact order. The two zeros are equal.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let apart = self.shift != other.shift && self.is_negative() == other.is_negative();
        if apart && let (Some(a), Some(b)) = (self.exponent(), other.exponent()) {
            // The shift is determined by the exponent, so the exponents differ as well.
            return if self.is_negative() { b.cmp(&a) } else { a.cmp(&b) };
        }
        self.float.partial_cmp(&other.float).unwrap_or(Ordering::Equal)
    }
}

/// Operations, each rounded once to the precision it is given.
impl Long {
    pub(super) fn plus(&self, other: &Self, bits: u32) -> Self {
        self.aligned(other, |a, b| Float::with_val(bits, a + b))
    }

    pub(super) fn minus(&self, other: &Self, bits: u32) -> Self {
        self.aligned(other, |a, b| Float::with_val(bits, a - b))
    }

    pub(super) fn times(&self, other: &Self, bits: u32) -> Self {
        Self::settle(Float::with_val(bits, &self.float * &other.float), self.shift + other.shift)
    }

    pub(super) fn over(&self, other: &Self, bits: u32) -> Self {
        Self::settle(Float::with_val(bits, &self.float / &other.float), self.shift - other.shift)
    }

    pub(super) fn negated(&self) -> Self {
        Self { float: Float::with_val(self.precision(), -&self.float), shift: self.shift }
    }

    /// Multiplies by `2^power`.
    pub(super) fn shifted(self, power: i64) -> Self {
        // A power beyond 2^33 leads out of the range for every number.
        const FAR: i64 = 1 << 33;
        Self::settle(self.float, self.shift + power.clamp(-FAR, FAR))
    }

    /// Rounds to another precision.
    pub(super) fn at(mut self, bits: u32) -> Self {
        if self.precision() == bits {
            return self;
        }
        self.float.set_prec(bits);
        Self::settle(self.float, self.shift)
    }

    /// Computes a sum or difference of floats brought to one shift.
    fn aligned(&self, other: &Self, run: impl Fn(&Float, &Float) -> Float) -> Self {
        if self.shift == other.shift {
            return Self::settle(run(&self.float, &other.float), self.shift);
        }
        let shift = match (self.exponent(), other.exponent()) {
            (Some(a), Some(b)) if a >= b => self.shift,
            (Some(_), None) => self.shift,
            _ => other.shift,
        };
        Self::settle(run(&self.lowered(shift), &other.lowered(shift)), shift)
    }

    /// Returns the float of this number at the shift of a larger one. A number too small to affect the
    /// larger one may come out larger than it is, but still too small to affect it.
    #[expect(clippy::cast_possible_truncation, reason = "the distance is clamped to 30 bits")]
    fn lowered(&self, shift: i64) -> Float {
        let distance = (self.shift - shift).clamp(-2 * NEAR, 0);
        self.float.clone() << distance as i32
    }

    /// Multiplies by `10^power` in two steps, so that the result is infinite or zero only if it is out of
    /// range.
    pub(super) fn scaled_by_ten(&self, power: i64, bits: u32) -> Self {
        let half = power.unsigned_abs() / 2;
        let (first, second) =
            (Self::power_of_ten(half, bits), Self::power_of_ten(power.unsigned_abs() - half, bits));
        if power < 0 {
            self.over(&first, bits).over(&second, bits)
        } else {
            self.times(&first, bits).times(&second, bits)
        }
    }

    fn power_of_ten(mut power: u64, bits: u32) -> Self {
        let mut product = Self::from_i64(1, bits);
        let mut square = Self::from_i64(10, bits);
        while power > 0 {
            if power & 1 == 1 {
                product = product.times(&square, bits);
            }
            square = square.times(&square, bits);
            power >>= 1;
        }
        product
    }
}
