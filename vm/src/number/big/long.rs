//! Binary floats of any precision, over the reference's whole range of exponents, by the number engine. Floats of common
//! precisions and exponents are [`Wide`](super::wide::Wide).
//!
//! A number is `float * 2^shift`. The engine's exponents have 30 bits and the reference's 32, and intermediate
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

use super::super::{FULL_BITS, SHORT_BITS};
use super::NEAR;
use super::float::{Engine, Float};
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
        Self { float: Float::from_words(&[value.unsigned_abs()], 0, bits, value < 0), shift: 0 }
    }

    /// Returns `dividend / divisor`, rounded once. The divisor is not zero, and the precision is at least
    /// 64.
    pub(super) fn quotient(dividend: i64, divisor: i64, bits: u32) -> Self {
        Self::from_i64(dividend, bits).over(&Self::from_i64(divisor, bits), bits)
    }

    pub(super) fn from_u64(value: u64) -> Self {
        Self { float: Float::from_words(&[value], 0, SHORT_BITS, false), shift: 0 }
    }

    pub(super) fn from_f64(value: f64) -> Option<Self> {
        let bits = f64::MANTISSA_DIGITS;
        if value.is_infinite() {
            return Some(Self::infinity(bits, value < 0.0));
        }
        let (mantissa, power) = parts_of(value);
        let float = Float::from_words(&[mantissa], power, bits, value.is_sign_negative());
        (!value.is_nan()).then_some(Self { float, shift: 0 })
    }

    pub(super) fn zero(bits: u32, negative: bool) -> Self {
        Self { float: Float::zero(bits, negative), shift: 0 }
    }

    pub(super) fn infinity(bits: u32, negative: bool) -> Self {
        Self { float: Float::infinity(bits, negative), shift: 0 }
    }

    /// Returns `0.digits * 10^point`, rounded once to 512 bits. The digits are ASCII digits, not all of
    /// them zero.
    pub(super) fn from_decimal(digits: &str, point: i64, negative: bool) -> Self {
        // Decimal exponents within this bound stay within the engine's range.
        const NEAR_POINT: i64 = 80_000_000;
        // Beyond this bound the result is out of the reference's range whatever the digits are.
        const FAR_POINT: i64 = 700_000_000;
        if let Some(near) = i32::try_from(point).ok().filter(|_| point.abs() <= NEAR_POINT) {
            return Self::settle(Float::from_decimal(digits, near, FULL_BITS, negative), 0);
        }
        if point < -FAR_POINT {
            return Self::zero(FULL_BITS, negative);
        }
        if point > FAR_POINT {
            return Self::infinity(FULL_BITS, negative);
        }
        // The power of ten is rounded too; the spare bits keep that error below half a unit in the last
        // place of the result, except for digits that are extremely close to a tie.
        let fraction = Self { float: Float::from_decimal(digits, 0, FULL_BITS + SPARE, negative), shift: 0 };
        fraction.scaled_by_ten(point, FULL_BITS + SPARE).at(FULL_BITS)
    }

    /// Normalizes a result to the form that the module text draws.
    #[expect(clippy::cast_possible_truncation, reason = "both exponents were compared with 32 bits")]
    pub(super) fn settle(float: Float, shift: i64) -> Self {
        let Some(exponent) = float.exponent().map(i64::from) else {
            return Self { float, shift: 0 };
        };
        let total = exponent + shift;
        if shift == 0 && total.abs() <= NEAR {
            return Self { float, shift: 0 };
        }
        if total > i64::from(i32::MAX) {
            return Self::infinity(float.precision(), float.is_negative());
        }
        if total < i64::from(i32::MIN) {
            return Self::zero(float.precision(), float.is_negative());
        }
        let kept = if total.abs() <= NEAR { 0 } else { total };
        Self { float: float.shifted((total - kept - exponent) as i32), shift: kept }
    }
}

/// Conversions between the two forms.
impl Long {
    pub(super) fn from_wide(wide: &Wide) -> Self {
        let power = wide.exponent() - MOST_BITS.cast_signed();
        let float = Float::from_words(wide.mantissa(), power, wide.precision(), wide.is_negative());
        Self { float, shift: 0 }
    }

    pub(super) fn to_wide(&self) -> Option<Wide> {
        let exponent = self.float.exponent().filter(|_| self.shift == 0 && self.precision() <= MOST_BITS)?;
        let mantissa = self.float.first_words()?;
        Wide::from_mantissa(mantissa, i64::from(exponent), self.precision(), self.is_negative())
    }
}

/// Returns the mantissa of a float as an integer, and its power of two.
fn parts_of(value: f64) -> (u64, i32) {
    /// The bits of a float behind the first one of its mantissa.
    const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = value.to_bits();
    let fraction = bits & ((1 << FRACTION) - 1);
    // With the sign shifted out, at most 11 bits.
    match i32::try_from(bits << 1 >> (FRACTION + 1)).unwrap_or(0) {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << FRACTION, exponent - 1075),
    }
}

/// The additional bits of intermediate powers of ten.
pub(super) const SPARE: u32 = 128;

/// Properties.
impl Long {
    pub(super) fn precision(&self) -> u32 {
        self.float.precision()
    }

    pub(super) fn is_zero(&self) -> bool {
        Engine::is_zero(&self.float)
    }

    pub(super) fn is_negative(&self) -> bool {
        self.float.is_negative()
    }

    pub(super) fn is_infinite(&self) -> bool {
        Engine::is_infinite(&self.float)
    }

    /// Returns true for whole numbers. (No mantissa is as long as the exponents that are kept apart, so
    /// numbers with a positive shift are whole and those with a negative one are not.)
    pub(super) fn is_integer(&self) -> bool {
        self.shift > 0
            || (self.shift == 0
                && !self.is_infinite()
                && i64::from(self.needed_bits()) <= self.exponent().unwrap_or(0))
    }

    /// Returns `e` for a magnitude in `[2^(e-1), 2^e)`, `None` for zero and infinity.
    pub(super) fn exponent(&self) -> Option<i64> {
        self.float.exponent().map(|e| i64::from(e) + self.shift)
    }

    /// Returns the number of bits that the mantissa needs; 0 for zero and infinity.
    pub(super) fn needed_bits(&self) -> u32 {
        self.float.needed_bits()
    }

    /// Returns the exact order. The two zeros are equal.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let apart = self.shift != other.shift && self.is_negative() == other.is_negative();
        if apart && let (Some(a), Some(b)) = (self.exponent(), other.exponent()) {
            // The shift is determined by the exponent, so the exponents differ as well.
            return if self.is_negative() { b.cmp(&a) } else { a.cmp(&b) };
        }
        self.float.compare(&other.float)
    }
}

/// Operations, each rounded once to the precision it is given.
impl Long {
    pub(super) fn plus(&self, other: &Self, bits: u32) -> Self {
        self.aligned(other, |a, b| a.plus(b, bits))
    }

    pub(super) fn minus(&self, other: &Self, bits: u32) -> Self {
        self.aligned(other, |a, b| a.minus(b, bits))
    }

    pub(super) fn times(&self, other: &Self, bits: u32) -> Self {
        Self::settle(self.float.times(&other.float, bits), self.shift + other.shift)
    }

    pub(super) fn over(&self, other: &Self, bits: u32) -> Self {
        Self::settle(self.float.over(&other.float, bits), self.shift - other.shift)
    }

    pub(super) fn negated(&self) -> Self {
        Self { float: self.float.clone().negated(), shift: self.shift }
    }

    /// Multiplies by `2^power`.
    pub(super) fn shifted(self, power: i64) -> Self {
        // A power beyond 2^33 leads out of the range for every number.
        const FAR: i64 = 1 << 33;
        Self::settle(self.float, self.shift + power.clamp(-FAR, FAR))
    }

    /// Rounds to another precision.
    pub(super) fn at(self, bits: u32) -> Self {
        if self.precision() == bits {
            return self;
        }
        Self::settle(self.float.at(bits), self.shift)
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
        self.float.clone().shifted(distance as i32)
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
