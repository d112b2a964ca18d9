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

use super::decimal::{self, MAX_DIGITS, power_of_ten};
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

/// A number whose mantissa is `2^(512 - exponent) * numerator / denominator`, rounded and moved by `ulps`.
#[derive(Clone, Copy)]
struct Fraction {
    numerator: i64,
    denominator: u64,
    scale: u8,
    ulps: i16,
}

/// The part of an operand's error in a result: `amount / 2^(512 - exponent)`.
#[derive(Clone, Copy)]
struct Error {
    amount: i128,
    exponent: i32,
}

impl Ratio {
    /// Returns the quotient of two integers, rounded once. `None` if it is an integer, and if the denominator is zero or
    /// too large.
    pub(super) fn quotient(dividend: i64, divisor: i64) -> Option<Self> {
        let denominator = u32::try_from(divisor.unsigned_abs()).ok().filter(|d| u64::from(*d) <= LARGEST)?;
        let numerator = if divisor < 0 { dividend.checked_neg()? } else { dividend };
        let fraction = numerator.checked_rem(i64::from(denominator))? != 0;
        fraction.then_some(Self { numerator, denominator, scale: 0, ulps: 0 })
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

/// Returns the sum. `None` if the floats have to compute it.
pub(super) fn sum(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (a, b) = operands(a, b)?;
    a.plus(b)
}

/// Returns the difference. `None` if the floats have to compute it.
pub(super) fn difference(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (a, b) = operands(a, b)?;
    a.plus(Fraction { numerator: -b.numerator, ..b })
}

/// Returns the product. `None` if the floats have to compute it.
pub(super) fn product(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (a, b) = operands(a, b)?;
    let numerator = a.numerator.checked_mul(b.numerator)?;
    let denominator = Some(a.denominator * b.denominator).filter(|d| *d <= LARGEST)?;
    let is_decimal = a.is_decimal() && b.is_decimal();
    let scale = if is_decimal { a.scale + b.scale } else { 0 };
    let errors = [a.error(i128::from(b.numerator))?, b.error(i128::from(a.numerator))?];
    let ties_are_open = errors[0].amount != 0 && errors[1].amount != 0;
    Fraction { numerator, denominator, scale, ulps: 0 }.rounded(errors, ties_are_open)
}

/// Returns the quotient of a number and an integer. `None` if the floats have to compute it.
pub(super) fn quotient(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (a, b) = operands(a, b)?;
    if b.denominator != 1 || b.ulps != 0 || b.numerator == 0 {
        return None;
    }
    let sign = b.numerator.signum();
    let denominator = a.denominator.checked_mul(b.numerator.unsigned_abs()).filter(|d| *d <= LARGEST)?;
    let result = Fraction { numerator: a.numerator * sign, denominator, scale: 0, ulps: 0 };
    let quotient = result.rounded([a.error(i128::from(sign))?, Error::NONE], false)?;
    match quotient {
        NumberRef::Ratio(Ratio { numerator, denominator, ulps: 0, .. }) => {
            Some(decimal::quotient(numerator, i64::from(denominator)).unwrap_or(quotient))
        }
        _ => Some(quotient),
    }
}

/// Returns the remainder of the truncated quotient of a number and an integer. `None` if the floats have to compute it.
pub(super) fn remainder(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<NumberRef<'static>> {
    let (dividend, divisor) = operands(a, b)?;
    if divisor.denominator != 1 || divisor.ulps != 0 {
        return None;
    }
    let unit = signed(dividend.denominator).checked_mul(divisor.numerator)?;
    // The quotient of the numbers may be on the other side of an integer quotient of the fractions.
    if dividend.numerator.checked_rem(unit)? == 0 {
        return None;
    }
    let times = dividend.numerator / unit;
    sum(a, NumberRef::Int(times.checked_mul(divisor.numerator)?.checked_neg()?, Width::Full))
}

/// Returns both numbers as fractions. `None` unless both have this form, and for two integers, whose results may have
/// 64 bits.
// Inlined: the fractions then stay in registers.
#[inline(always)]
fn operands(a: NumberRef<'_>, b: NumberRef<'_>) -> Option<(Fraction, Fraction)> {
    if matches!((a, b), (NumberRef::Int(..), NumberRef::Int(..))) {
        return None;
    }
    Some((Fraction::of(a)?, Fraction::of(b)?))
}

/// Returns a denominator that those of both numbers divide, and its exponent if it is a power of ten.
// Inlined, as `operands`.
#[inline(always)]
fn common_denominator(a: Fraction, b: Fraction) -> Option<(u64, u8)> {
    if a.is_decimal() && b.is_decimal() {
        return Some(if a.scale >= b.scale { (a.denominator, a.scale) } else { (b.denominator, b.scale) });
    }
    if a.denominator.is_multiple_of(b.denominator) {
        return Some((a.denominator, 0));
    }
    if b.denominator.is_multiple_of(a.denominator) {
        return Some((b.denominator, 0));
    }
    Some((a.denominator * b.denominator, 0)).filter(|(denominator, _)| *denominator <= LARGEST)
}

impl Fraction {
    /// Returns a number as a fraction. `None` for floats, the least integer, and decimals with many places.
    #[inline(always)]
    fn of(number: NumberRef<'_>) -> Option<Self> {
        match number {
            NumberRef::Int(numerator, _) => {
                let number = Self { numerator, denominator: 1, scale: 0, ulps: 0 };
                (numerator != i64::MIN).then_some(number)
            }
            NumberRef::Decimal(numerator, scale) => {
                let denominator = POWERS.get(usize::from(scale))?.whole;
                Some(Self { numerator, denominator, scale, ulps: 0 })
            }
            NumberRef::Ratio(Ratio { numerator, denominator, scale, ulps }) => {
                Some(Self { numerator, denominator: u64::from(denominator), scale, ulps })
            }
            NumberRef::Big(_) => None,
        }
    }

    /// Returns the sum. `None` if the floats have to compute it.
    // Inlined, as `operands`.
    #[inline(always)]
    fn plus(self, other: Self) -> Option<NumberRef<'static>> {
        let (denominator, scale) = common_denominator(self, other)?;
        let (factor, other_factor) =
            (signed(denominator / self.denominator), signed(denominator / other.denominator));
        let addend = other.numerator.checked_mul(other_factor)?;
        let numerator = self.numerator.checked_mul(factor)?.checked_add(addend)?;
        let errors = [self.error(i128::from(factor))?, other.error(i128::from(other_factor))?];
        Self { numerator, denominator, scale, ulps: 0 }.rounded(errors, false)
    }

    /// Returns true for integers and for powers of ten as the denominator.
    const fn is_decimal(self) -> bool {
        self.scale > 0 || self.denominator == 1
    }

    /// Returns `e` for a magnitude in `[2^(e-1), 2^e)`, and whether it is the least of them. The numerator is not zero.
    #[expect(clippy::cast_possible_wrap, reason = "numbers of bits are small")]
    const fn exponent(self) -> (i32, bool) {
        let magnitude = self.numerator.unsigned_abs();
        let (zeros, denominator_zeros) = (magnitude.leading_zeros(), self.denominator.leading_zeros());
        let (first, second) = (magnitude << zeros, self.denominator << denominator_zeros);
        (denominator_zeros as i32 - zeros as i32 + (first >= second) as i32, first == second)
    }

    /// Returns the magnitude of `2^(512 - exponent) * numerator`, modulo twice the denominator.
    // Inlined: a table and two multiplications for powers of ten.
    #[inline(always)]
    fn residue(self, exponent: i32) -> Option<u64> {
        let magnitude = self.numerator.unsigned_abs();
        if self.scale == 0 {
            return Some(if self.denominator == 1 { 0 } else { self.any_residue(exponent) });
        }
        let power = POWERS.get(usize::from(self.scale))?;
        let two = *power.twos.get(usize::try_from(exponent + LEAST).ok()?)?;
        // The product of the residues fits 64 bits.
        let reduced = if magnitude >> 43 == 0 { magnitude } else { power.rest(magnitude) };
        Some(power.rest(reduced * u64::from(two)) << (self.scale + 1))
    }

    /// [`Fraction::residue`] for all denominators.
    // Cold: most denominators are powers of ten. The divisions take longer than the call.
    #[cold]
    #[inline(never)]
    fn any_residue(self, exponent: i32) -> u64 {
        let twos = self.denominator.trailing_zeros();
        let odd = self.denominator >> twos;
        // The exponent is small, so that this is positive and below 2^10.
        let power = (BITS - exponent).unsigned_abs().wrapping_sub(twos + 1) & 0x3FF;
        let mut residue = (1 << (power >> 4)) % odd;
        for bit in (0..4).rev() {
            residue = (residue * residue << (power >> bit & 1)) % odd;
        }
        (self.numerator.unsigned_abs() % odd * residue % odd) << (twos + 1)
    }

    /// Returns the error of the number, times a factor.
    // Inlined: an integer has none.
    #[inline(always)]
    fn error(self, factor: i128) -> Option<Error> {
        if self.denominator == 1 && self.ulps == 0 {
            return Some(Error::NONE);
        }
        let (exponent, _) = self.exponent();
        let residue = self.residue(exponent)?;
        let denominator = signed(self.denominator);
        let error = signed(residue) - denominator * (signed(self.nearest(residue)) + i64::from(self.ulps));
        let amount = i128::from(if self.numerator < 0 { -error } else { error }) * factor;
        Some(Error { amount, exponent })
    }

    /// Returns the integer to which `residue / denominator` is rounded. It is never a tie: a fraction with so small a
    /// denominator that ends, ends within 512 bits.
    const fn nearest(self, residue: u64) -> u64 {
        (2 * residue > self.denominator) as u64 + (2 * residue > 3 * self.denominator) as u64
    }

    /// Returns `(numerator - errors) / denominator`, rounded once. `None` if the floats have to compute it.
    // Inlined, as `operands`.
    #[inline(always)]
    fn rounded(self, errors: [Error; 2], ties_are_open: bool) -> Option<NumberRef<'static>> {
        if self.numerator == 0 || self.numerator == i64::MIN {
            return None;
        }
        if errors[0].amount == 0 && errors[1].amount == 0 {
            return self.with_ulps(0);
        }
        let (exponent, is_power) = self.exponent();
        if is_power {
            return None;
        }
        // The errors are integers in units of 1 / 2^depth of the result's last place, times its denominator.
        let above = errors.map(|error| if error.amount == 0 { 0 } else { exponent - error.exponent });
        let depth = above[0].max(above[1]).max(0);
        let error =
            errors[0].in_units(depth - above[0])?.checked_add(errors[1].in_units(depth - above[1])?)?;
        let error = if self.numerator < 0 { -error } else { error };
        let residue = self.residue(exponent)?;
        let nearest = self.nearest(residue);
        let rest = i128::from(signed(residue) - signed(nearest * self.denominator));
        let rest = (rest << depth).checked_sub(error)?;
        let unit = i128::from(self.denominator) << depth;
        let twice = rest.checked_mul(2)?;
        let ulps = if -unit < twice && twice < unit {
            0
        } else {
            steps(rest, unit, nearest % 2 == 1, ties_are_open)?
        };
        self.with_ulps(ulps)
    }

    /// Returns the number in the simplest form.
    // Inlined, as `operands`.
    #[inline(always)]
    fn with_ulps(self, ulps: i16) -> Option<NumberRef<'static>> {
        let Self { mut numerator, denominator, mut scale, .. } = self;
        if ulps == 0 {
            let exact = denominator == 1 || scale == 0 && numerator % signed(denominator) == 0;
            if exact {
                return Some(NumberRef::Int(numerator / signed(denominator), Width::Full));
            }
            if scale > 0 {
                while scale > 0 && numerator % 10 == 0 {
                    numerator /= 10;
                    scale -= 1;
                }
                if scale == 0 {
                    return Some(NumberRef::Int(numerator, Width::Full));
                }
                if numerator.unsigned_abs() < power_of_ten(MAX_DIGITS).unsigned_abs() {
                    return Some(NumberRef::Decimal(numerator, scale));
                }
                return None;
            }
        }
        let denominator = u32::try_from(denominator).ok()?;
        Some(NumberRef::Ratio(Ratio { numerator, denominator, scale, ulps }))
    }
}

impl Error {
    const NONE: Self = Self { amount: 0, exponent: 0 };

    /// Returns the amount in units that are smaller by a power of two. `None` if it does not fit.
    #[inline(always)]
    fn in_units(self, power: i32) -> Option<i128> {
        if self.amount == 0 {
            return Some(0);
        }
        let power = u32::try_from(power).ok().filter(|power| *power <= 80)?;
        let shifted = self.amount << power;
        (shifted >> power == self.amount).then_some(shifted)
    }
}

/// Returns `rest / unit`, rounded to an even number of steps, or an odd one from an odd number.
// Cold: most errors are below half a unit.
#[cold]
#[inline(never)]
fn steps(rest: i128, unit: i128, from_odd: bool, ties_are_open: bool) -> Option<i16> {
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

/// The exponent of the first of [`Power::twos`], negated.
const LEAST: i32 = 32;

/// The number of [`Power::twos`]: numerators have 63 bits, and denominators at most 30.
const TWOS: usize = 96;

/// A power of ten, and what residues modulo it need.
struct Power {
    /// `10^s`
    whole: u64,
    /// `5^s`
    odd: u64,
    /// `2^64 / 5^s`, rounded down.
    reciprocal: u64,
    /// `2^(512 - s - 1 - e)` modulo `5^s` for exponents `e` from -32 on.
    twos: [u32; TWOS],
}

impl Power {
    /// Returns the rest of the division by `5^s`.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the first word of the product is wanted")]
    const fn rest(&self, dividend: u64) -> u64 {
        // The quotient is right or too small by one.
        let quotient = (dividend as u128 * self.reciprocal as u128 >> 64) as u64;
        let rest = dividend - quotient * self.odd;
        if rest >= self.odd { rest - self.odd } else { rest }
    }
}

/// The powers of ten from `10^0` on.
static POWERS: [Power; MOST + 1] = {
    const NONE: Power = Power { whole: 1, odd: 1, reciprocal: 0, twos: [0; TWOS] };
    let mut powers = [NONE; MOST + 1];
    let mut scale = 1;
    while scale <= MOST {
        let odd = 5_u64.pow(cast_scale(scale));
        powers[scale].whole = 10_u64.pow(cast_scale(scale));
        powers[scale].odd = odd;
        powers[scale].reciprocal = u64::MAX / odd;
        // From the largest exponent down, each of which doubles the power.
        let mut residue = 1;
        let mut power = 0;
        while power < BITS - cast_scale(scale) as i32 - 1 + LEAST {
            residue = residue * 2 % odd;
            power += 1;
            let exponent = BITS - cast_scale(scale) as i32 - 1 - power;
            if exponent + LEAST < TWOS as i32 {
                powers[scale].twos[(exponent + LEAST) as usize] = residue as u32;
            }
        }
        scale += 1;
    }
    powers
};

/// Narrows a scale, which is at most 9.
const fn cast_scale(scale: usize) -> u32 {
    scale as u32
}
