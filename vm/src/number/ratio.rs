//! Ratios: results of arithmetic on short decimals and integers, held as the fraction that the float is close to.
//!
//! Floats of 512 bits that are computed from short decimals are fractions of small integers but for their last bits.
//! Their sums, products and quotients can be rounded without any of the 512 bits, bit for bit as the floats would be:
//!
//! ```text
//! number     (round(2^k * n / d) + ulps) * 2^-k   the mantissa, an integer of 512 bits, and its unit
//! error t    2^k * n - d * mantissa               a small integer: the number is exactly (n - t / 2^k) / d
//!
//! sum        (a + b  -  t_a / 2^k_a  -  t_b / 2^k_b) / d
//! product    (a * b  -  t_a * b / 2^k_a  -  t_b * a / 2^k_b  +  …) / (d_a * d_b)
//! quotient   (a  -  t_a / 2^k_a) / (d_a * b)      by an integer b
//! ```
//! To round `(n - e) / d`, where `e` is such an error, it suffices to know `2^k * n` modulo `2 * d`: how far the fraction
//! is from the nearest integer of the last place, and whether that one is even. The omitted term of a product is some
//! 2^-512 of the error, which matters in a tie only; a product with a tie is left to the floats. So is everything that
//! does not fit: large denominators, sums that cancel to nothing, and results close to a power of two, where the unit
//! of the last place changes.

#[cfg(test)]
mod agreement;
mod denominator;
mod digits;
mod estimate;

pub(crate) use digits::RatioText;
pub(crate) use estimate::Decimal;

use self::denominator::{Any, Denominator, OfResults, PowerOfTen};
use super::decimal;
use super::{NumberRef, Width};

/// The precision of a ratio.
const BITS: i32 = 512;

/// The largest denominator. Its double fits 32 bits, so that products of two residues fit 64.
const LARGEST: u64 = (1 << 31) - 1;

/// The largest scale of a denominator that is a power of ten.
const MOST: usize = 9;

/// `numerator / denominator`, rounded to 512 bits and moved away from zero by `ulps` units in the last place.
///
/// The number is no integer, and not zero. If `ulps` is not zero, the fraction is no power of two, or its magnitude is
/// less than the number's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: i64,
    denominator: u32,
    /// The exponent of a denominator that is a power of ten, at most 9; 0 for all others.
    scale: u8,
    ulps: i16,
}

/// An operand: its mantissa is `2^(512 - exponent) * numerator / denominator`, rounded and moved by `ulps`.
#[derive(Clone, Copy)]
struct RatioOperand<D> {
    numerator: i64,
    denominator: D,
    ulps: i16,
}

/// The part of an operand's error in a result: `amount / 2^(512 - exponent)`.
#[derive(Clone, Copy)]
struct OperandError {
    amount: i64,
    exponent: i32,
}

impl Ratio {
    /// Returns the quotient of two integers, rounded once. It is no integer. `None` if the denominator is too large.
    pub(super) fn quotient(dividend: i64, divisor: i64) -> Option<Self> {
        let denominator = u32::try_from(divisor.unsigned_abs()).ok().filter(|d| u64::from(*d) <= LARGEST)?;
        let numerator = if divisor < 0 { dividend.checked_neg()? } else { dividend };
        Some(Self { numerator, denominator, scale: 0, ulps: 0 })
    }

    /// Returns the numerator, whose sign is that of the number.
    pub(crate) const fn numerator(self) -> i64 {
        self.numerator
    }

    /// Returns the denominator, which is not zero.
    pub(crate) const fn denominator(self) -> u32 {
        self.denominator
    }

    /// Returns the exponent of a denominator that is a power of ten, or 0.
    pub(crate) const fn scale(self) -> u8 {
        self.scale
    }

    /// Returns the units in the last place by which the number's magnitude is above that of the rounded fraction.
    pub(crate) const fn ulps(self) -> i16 {
        self.ulps
    }

    /// Returns the ratio of parts that another one had.
    pub(crate) const fn of_parts(numerator: i64, denominator: u32, scale: u8, ulps: i16) -> Self {
        Self { numerator, denominator, scale, ulps }
    }

    pub(super) const fn negated(self) -> Self {
        // A numerator is never the least integer.
        Self { numerator: self.numerator.wrapping_neg(), ..self }
    }

    /// Returns the nearest float to the fraction, but for a rounding error of two operations.
    #[expect(clippy::cast_precision_loss, reason = "rounding is part of the result")]
    pub(super) fn near(self) -> f64 {
        self.numerator as f64 / f64::from(self.denominator)
    }
}

/// Returns the sum of numbers that are not both integers. `None` if the floats have to compute it.
#[inline]
pub(super) fn sum(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    if let (Some(a), Some(b)) = (RatioOperand::decimal(a), RatioOperand::decimal(b)) {
        return a.plus(b, a.denominator.larger(b.denominator));
    }
    sum_of_any(a, b)
}

/// Returns the difference of numbers that are not both integers. `None` if the floats have to compute it.
#[inline]
pub(super) fn difference(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    if let (Some(a), Some(b)) = (RatioOperand::decimal(a), RatioOperand::decimal(b)) {
        let b = b.negated();
        return a.plus(b, a.denominator.larger(b.denominator));
    }
    difference_of_any(a, b)
}

/// Returns the product of numbers that are not both integers. `None` if the floats have to compute it.
#[inline]
pub(super) fn product(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    if let (Some(a), Some(b)) = (RatioOperand::decimal(a), RatioOperand::decimal(b)) {
        return a.times(b, PowerOfTen::of(a.denominator.scale + b.denominator.scale)?);
    }
    product_of_any(a, b)
}

/// [`sum`] for all denominators.
// Cold: most denominators are powers of ten.
#[cold]
#[inline(never)]
fn sum_of_any(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (a, b) = (RatioOperand::any(a)?, RatioOperand::any(b)?);
    a.plus(b, a.denominator.common(b.denominator)?)
}

/// [`difference`] for all denominators.
// Cold, as `sum_of_any`.
#[cold]
#[inline(never)]
fn difference_of_any(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (a, b) = (RatioOperand::any(a)?, RatioOperand::any(b)?.negated());
    a.plus(b, a.denominator.common(b.denominator)?)
}

/// [`product`] for all denominators.
// Cold, as `sum_of_any`.
#[cold]
#[inline(never)]
fn product_of_any(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (a, b) = (RatioOperand::any(a)?, RatioOperand::any(b)?);
    a.times(b, a.denominator.times(b.denominator.0)?)
}

/// Returns the quotient of a fraction and an integer. `None` if the floats have to compute it.
pub(super) fn quotient(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (a, b) = (RatioOperand::any(a)?, nonzero(b)?);
    let denominator = a.denominator.times(b.unsigned_abs())?;
    let sign = b.signum();
    let errors = [a.error(sign)?, OperandError::NONE];
    let quotient = rounded(a.numerator * sign, denominator, errors, false)?;
    match quotient {
        NumberRef::Ratio(Ratio { numerator, denominator, ulps: 0, .. }) => {
            Some(decimal::quotient(numerator, i64::from(denominator)).unwrap_or(quotient))
        }
        _ => Some(quotient),
    }
}

/// Returns the remainder of the truncated quotient of a fraction and an integer. `None` if the floats have to compute
/// it.
pub(super) fn remainder(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (dividend, divisor) = (RatioOperand::any(a)?, nonzero(b)?);
    let unit = signed(dividend.denominator.0).checked_mul(divisor)?;
    // The quotient of the numbers may be on the other side of an integer quotient of the fractions.
    if dividend.denominator.0 == 1 || dividend.numerator % unit == 0 {
        return None;
    }
    let times = dividend.numerator / unit;
    sum(a, NumberRef::Int(times.checked_mul(divisor)?.checked_neg()?, Width::Full))
}

/// Returns an integer that is not zero, nor the least one.
fn nonzero(number: NumberRef<'_>) -> Option<i64> {
    match number {
        NumberRef::Int(value, _) => Some(value).filter(|value| *value != 0 && *value != i64::MIN),
        _ => None,
    }
}

impl RatioOperand<&'static PowerOfTen> {
    /// Returns an integer or a decimal; `None` for other numbers, and for decimals with many places.
    // Inlined, as `RatioOperand::plus`: a few instructions.
    #[inline(always)]
    fn decimal(number: NumberRef<'_>) -> Option<Self> {
        let (numerator, scale, ulps) = match number {
            NumberRef::Int(value, _) if value != i64::MIN => (value, 0, 0),
            NumberRef::Decimal(mantissa, scale) => (mantissa, scale, 0),
            NumberRef::Ratio(ratio) if ratio.scale != 0 => (ratio.numerator, ratio.scale, ratio.ulps),
            _ => return None,
        };
        Some(Self { numerator, denominator: PowerOfTen::of(scale)?, ulps })
    }
}

impl RatioOperand<Any> {
    /// Returns an integer, a decimal or a ratio; `None` for other numbers, and for decimals with many places.
    fn any(number: NumberRef<'_>) -> Option<Self> {
        if let NumberRef::Ratio(Ratio { numerator, denominator, scale: 0, ulps }) = number {
            return Some(Self { numerator, denominator: Any(u64::from(denominator)), ulps });
        }
        let RatioOperand { numerator, denominator, ulps } = RatioOperand::decimal(number)?;
        Some(Self { numerator, denominator: Any(denominator.whole), ulps })
    }
}

impl<D: OfResults> RatioOperand<D> {
    fn negated(self) -> Self {
        // A numerator is never the least integer.
        Self { numerator: self.numerator.wrapping_neg(), ..self }
    }

    /// Returns the sum, whose denominator both denominators divide.
    // Inlined, so that there is a function for each kind of denominators, without calls.
    #[inline(always)]
    fn plus(self, other: Self, denominator: D) -> Option<NumberRef<'static>> {
        let (factor, other_factor) =
            (denominator.over(self.denominator), denominator.over(other.denominator));
        let addend = other.numerator.checked_mul(other_factor)?;
        let numerator = self.numerator.checked_mul(factor)?.checked_add(addend)?;
        rounded(numerator, denominator, [self.error(factor)?, other.error(other_factor)?], false)
    }

    /// Returns the product, whose denominator is that of both denominators.
    // Inlined, as `plus`.
    #[inline(always)]
    fn times(self, other: Self, denominator: D) -> Option<NumberRef<'static>> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        let errors = [self.error(other.numerator)?, other.error(self.numerator)?];
        let ties_are_open = errors[0].amount != 0 && errors[1].amount != 0;
        rounded(numerator, denominator, errors, ties_are_open)
    }
}

impl<D: Denominator> RatioOperand<D> {
    /// Returns the error of the number, times a factor.
    // Inlined, as `plus`.
    #[inline(always)]
    fn error(self, factor: i64) -> Option<OperandError> {
        let magnitude = self.numerator.unsigned_abs();
        let denominator = self.denominator.value();
        if denominator == 1 && self.ulps == 0 {
            return Some(OperandError::NONE);
        }
        let (exponent, _) = exponent(magnitude, self.denominator);
        let residue = self.denominator.residue(magnitude, exponent)?;
        let error =
            signed(residue) - signed(denominator) * (nearest(residue, denominator) + i64::from(self.ulps));
        let amount = (if self.numerator < 0 { -error } else { error }).checked_mul(factor)?;
        Some(OperandError { amount, exponent })
    }
}

/// Returns `e` for a fraction in `[2^(e-1), 2^e)`, and whether it is the least of them. Neither integer is zero.
// Inlined, as `RatioOperand::plus`: a few instructions.
#[inline(always)]
#[expect(clippy::cast_possible_wrap, reason = "numbers of bits are small")]
fn exponent(magnitude: u64, denominator: impl Denominator) -> (i32, bool) {
    let zeros = magnitude.leading_zeros();
    let (first, (second, second_zeros)) = (magnitude << zeros, denominator.normalized());
    (second_zeros - zeros as i32 + i32::from(first >= second), first == second)
}

/// Returns the integer to which `residue / denominator` is rounded. It is never a tie: a fraction with so small a
/// denominator that ends, ends within 512 bits.
const fn nearest(residue: u64, denominator: u64) -> i64 {
    (2 * residue > denominator) as i64 + (2 * residue > 3 * denominator) as i64
}

/// Returns `(numerator - errors) / denominator`, rounded once. `None` if the floats have to compute it.
// Inlined, as `RatioOperand::plus`.
#[inline(always)]
fn rounded<D: OfResults>(
    numerator: i64,
    denominator: D,
    errors: [OperandError; 2],
    ties_are_open: bool,
) -> Option<NumberRef<'static>> {
    if numerator == 0 || numerator == i64::MIN {
        return None;
    }
    let mut ulps = 0;
    if errors[0].amount != 0 || errors[1].amount != 0 {
        let (exponent, is_power) = exponent(numerator.unsigned_abs(), denominator);
        if is_power {
            return None;
        }
        // The errors are integers in units of 1 / 2^depth of the result's last place, times its denominator.
        let above = errors.map(|error| if error.amount == 0 { 0 } else { exponent - error.exponent });
        let depth = above[0].max(above[1]).max(0);
        let error =
            errors[0].in_units(depth - above[0])?.checked_add(errors[1].in_units(depth - above[1])?)?;
        let error = if numerator < 0 { -error } else { error };
        let residue = denominator.residue(numerator.unsigned_abs(), exponent)?;
        let unit = shifted(signed(denominator.value()), depth)?;
        let nearest = nearest(residue, denominator.value());
        let rest = signed(residue) - nearest * signed(denominator.value());
        // Less than half of the unit, which has 62 bits at most.
        let rest = (rest << depth).checked_sub(error)?;
        let half = unit >> 1;
        if rest <= -half || rest >= half {
            ulps = steps(rest, unit, nearest % 2 == 1, ties_are_open)?;
        }
    }
    if ulps == 0
        && let Some(number) = denominator.simplest(numerator)
    {
        return Some(number);
    }
    let (denominator, scale) = (u32::try_from(denominator.value()).ok()?, denominator.scale());
    Some(NumberRef::Ratio(Ratio { numerator, denominator, scale, ulps }))
}

impl OperandError {
    const NONE: Self = Self { amount: 0, exponent: 0 };

    /// Returns the amount in units that are smaller by a power of two. `None` if it does not fit.
    // Inlined, as `RatioOperand::plus`: a few instructions.
    #[inline(always)]
    fn in_units(self, power: i32) -> Option<i64> {
        if self.amount == 0 { Some(0) } else { shifted(self.amount, power) }
    }
}

/// Multiplies by a power of two. `None` unless the result has at most 62 bits.
// Inlined, as `RatioOperand::plus`: a few instructions.
#[inline(always)]
fn shifted(amount: i64, power: i32) -> Option<i64> {
    let power = u32::try_from(power).ok().filter(|power| *power < 62)?;
    let shifted = amount << power;
    (shifted >> power == amount && shifted.unsigned_abs() < 1 << 62).then_some(shifted)
}

/// Returns `rest / unit`, rounded to an even number of steps, or an odd one from an odd number.
// Cold: most errors are below half a unit.
#[cold]
#[inline(never)]
fn steps(rest: i64, unit: i64, from_odd: bool, ties_are_open: bool) -> Option<i16> {
    let (rest, negative) = (rest.unsigned_abs(), rest < 0);
    let unit = unit.unsigned_abs();
    let (mut steps, over) = (rest / unit, rest % unit * 2);
    if over == unit && ties_are_open {
        return None;
    }
    if over > unit || over == unit && (steps % 2 == 1) != from_odd {
        steps += 1;
    }
    let steps = i16::try_from(steps).ok()?;
    Some(if negative { -steps } else { steps })
}

/// Converts a denominator or a residue. Lossless: both are below `2^33`.
#[expect(clippy::cast_possible_wrap, reason = "the bound is documented above")]
const fn signed(small: u64) -> i64 {
    debug_assert!(small < 1 << 34);
    small as i64
}
