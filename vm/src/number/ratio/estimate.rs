//! Sums and products of short decimals whose last place 64 bits determine.
//!
//! The exact way of [`ratio`](super) takes the residues of three fractions. Here a multiplication by a number of a table
//! estimates how far each of them is from the nearest integer of its last place, in units of that:
//!
//! ```text
//! half      2^k / (2 * 10^s), without its integer part, rounded to 64 bits
//! n * half  half of the fraction in units of the last place; its first bit is the parity, the others are the offset
//! ```
//!
//! Numerators have at most 36 bits, so that an offset is right but for 2^-28. Sums and products of the offsets show how
//! far the result is from the nearest integer, but for [`DOUBT`]. A distance that is so close to half a unit is exactly
//! half a unit if it is a multiple of a fraction that is not too small. What remains in doubt, and what does not fit, has
//! no result here.

use super::BITS;

/// The number of bits of a numerator.
const MOST_BITS: u32 = 36;

/// More than the error of the distance of a result from the nearest integer.
const DOUBT: f64 = 1.0 / 16_777_216.0;

/// If the distance is a multiple of the reciprocal of this number or less, it is within [`DOUBT`] of half a unit only if
/// it is half a unit.
const FINEST_TIE: u64 = 1 << 22;

/// If a decimal's last bits that are finer than a unit are a tie, half a unit, then the fraction is so far from the
/// nearest integer or farther, times `2^64`; by the number of these bits.
const TIES: [u64; 16] = {
    let mut ties = [u64::MAX; 16];
    let mut bits = 1;
    while bits < ties.len() {
        ties[bits] = ((1 << bits) - 1) << (63 - bits);
        bits += 1;
    }
    ties
};

/// An integer, or `numerator / 10^scale`, rounded to 512 bits and moved away from zero by `ulps` units in the last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    numerator: i64,
    scale: u8,
    ulps: i16,
}

/// What is known of a decimal.
#[derive(Clone, Copy)]
struct Estimate {
    /// The fraction, too large by some 2^-44 of it, so that one that is a power of two is not below that.
    near: f64,
    /// Half of the fraction in units of its last place, without the integer part of that, times `2^64`.
    half: i64,
}

impl Decimal {
    /// Returns a decimal. The scale of an integer is zero, and it has no `ulps`.
    pub(crate) const fn new(numerator: i64, scale: u8, ulps: i16) -> Self {
        Self { numerator, scale, ulps }
    }

    /// Returns the numerator, the scale and the units.
    pub(crate) const fn parts(self) -> (i64, u8, i16) {
        (self.numerator, self.scale, self.ulps)
    }

    /// Returns `10^scale`.
    // Inlined, as `plus`: a few instructions.
    #[inline(always)]
    pub(crate) fn denominator(self) -> u32 {
        EstimatePower::of(self.scale).denominator
    }

    /// Returns the negated decimal.
    pub(crate) const fn negated(self) -> Self {
        Self { numerator: self.numerator.wrapping_neg(), ..self }
    }

    /// Returns the sum with a decimal, of which one at least is no integer. `None` if it is not determined here.
    // Inlined, so that what is known of a constant is computed once for a loop.
    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        if scale == 0 || scale > MOST_PLACES {
            return None;
        }
        let factor = i64::from(EstimatePower::of(scale - self.scale).denominator);
        let other_factor = i64::from(EstimatePower::of(scale - other.scale).denominator);
        let addend = other.numerator.checked_mul(other_factor)?;
        let numerator = self.numerator.checked_mul(factor)?.checked_add(addend)?;
        let all = self.numerator.unsigned_abs() | other.numerator.unsigned_abs() | numerator.unsigned_abs();
        if numerator == 0 || all >> MOST_BITS != 0 {
            return None;
        }
        let sum = Self { numerator, scale, ulps: 0 };
        let (a, b, estimate) = (self.estimate(), other.estimate(), sum.estimate());
        let (finer, other_finer) = (estimate.exponent() - a.exponent(), estimate.exponent() - b.exponent());
        // Too little is known of a difference that is much smaller than its operands.
        if finer.min(other_finer) < -1 {
            return None;
        }
        let error = self.error(a) * power_of_two(-finer) + other.error(b) * power_of_two(-other_finer);
        sum.less(error, estimate, Some(finer.max(other_finer)))
    }

    /// Returns the sum of a decimal that is no integer and an integer. `None` if it is not determined here; then
    /// [`plus`](Self::plus) may determine it.
    ///
    /// An integer is a multiple of all units, so that the only rounding is that of the decimal's last bits, those that are
    /// finer than the result's last place. It differs from that of the fraction if these bits are a tie.
    // Inlined, so that it is part of a loop. Nothing in it depends on what is often different for two elements.
    #[inline(always)]
    pub(crate) fn plus_integer(self, integer: i32) -> Option<Self> {
        let power = EstimatePower::of(self.scale);
        // Does not overflow if the numerator fits.
        let numerator = self.numerator.wrapping_add(i64::from(integer) * i64::from(power.denominator));
        let fits =
            |numerator: i64| numerator.wrapping_add(1 << MOST_BITS).cast_unsigned() >> (MOST_BITS + 1) == 0;
        if self.ulps != 0
            || self.scale == 0
            || self.scale > MOST_PLACES
            || !fits(numerator)
            || !fits(self.numerator)
        {
            return None;
        }
        let mut sum = Self { numerator, ..self };
        let estimate = sum.estimate();
        let finer = usize::try_from(estimate.exponent() - self.estimate().exponent()).ok()?;
        if finer > power.finest {
            return None;
        }
        let least = TIES[finer % TIES.len()];
        // The decimal in units of the result's last place.
        let part = Estimate { half: power.half(self.numerator, estimate.near), ..estimate };
        if part.is_odd() && (part.half << 1).unsigned_abs() >= least {
            sum.ulps = sum.away(if part.half << 1 < 0 { -1 } else { 1 });
        }
        Some(sum)
    }

    /// Returns the product with a decimal, of which one at least is no integer. `None` if it is not determined here.
    // Inlined, as `plus`.
    #[inline(always)]
    pub(crate) fn times(self, other: Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        let scale = self.scale + other.scale;
        if scale == 0 || scale > MOST_PLACES || numerator == 0 || numerator.unsigned_abs() >> MOST_BITS != 0 {
            return None;
        }
        let product = Self { numerator, scale, ulps: 0 };
        let (a, b, estimate) = (self.estimate(), other.estimate(), product.estimate());
        let (finer, other_finer) = (estimate.exponent() - a.exponent(), estimate.exponent() - b.exponent());
        let error = self.error(a) * (b.near * power_of_two(-finer));
        let other_error = other.error(b) * (a.near * power_of_two(-other_finer));
        // The product of two errors, which would decide what looks like a tie, is not known.
        let finer = match (self.scale, other.scale) {
            (0, _) => Some(other_finer),
            (_, 0) => Some(finer),
            _ => None,
        };
        product.less(error + other_error, estimate, finer)
    }

    /// Returns the number that the fraction less `error`, in units of its last place, is rounded to. The last place of
    /// what was added is by `finer` bits finer than that, if that shows whether there is a tie.
    // Inlined, as `plus`.
    #[inline(always)]
    fn less(mut self, error: f64, estimate: Estimate, finer: Option<i32>) -> Option<Self> {
        let rest = estimate.offset() - error;
        let (steps, ulps) = nearest_integer(rest);
        // Below a power of two, units are half as large.
        let most = if estimate.is_power() { 0.25 - DOUBT } else { f64::from(i16::MAX) };
        if rest.abs() < most {
            let is_clear = (rest - steps).abs() < 0.5 - DOUBT;
            self.ulps = self.away(if is_clear { ulps } else { self.tie(rest, finer?)? });
            if self.ulps == 0 {
                while self.numerator % 10 == 0 && self.scale > 0 {
                    self.numerator /= 10;
                    self.scale -= 1;
                }
            }
            return Some(self);
        }
        None
    }

    /// Returns the number of steps to the even one of the two nearest integers, from each of which `rest` is half a unit
    /// away. `None` if it may be less.
    // Cold: few results are ties.
    #[cold]
    #[inline(never)]
    #[expect(clippy::cast_possible_truncation, reason = "the number of steps is small")]
    fn tie(self, rest: f64, finer: i32) -> Option<i16> {
        let bits = u32::try_from(finer).ok().filter(|bits| *bits < FINEST_TIE.trailing_zeros())?;
        if EstimatePower::of(self.scale).odd << bits > FINEST_TIE {
            return None;
        }
        let below = rest.abs() as i16;
        let steps = below.checked_add(i16::from((below % 2 == 1) != self.estimate().is_odd()))?;
        Some(if rest < 0.0 { -steps } else { steps })
    }

    /// Returns what is known of the fraction.
    // Inlined, as `plus`.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a numerator has 36 bits")]
    fn estimate(self) -> Estimate {
        let power = EstimatePower::of(self.scale);
        let near = self.numerator as f64 * power.inverse;
        Estimate { near, half: power.half(self.numerator, near) }
    }

    /// Returns how far the fraction is above the number, in units of the last place.
    // Inlined, as `plus`: a few instructions.
    #[inline(always)]
    fn error(self, estimate: Estimate) -> f64 {
        estimate.offset() - f64::from(self.away(self.ulps))
    }

    /// Negates a number of steps if the decimal is negative.
    // Inlined, as `plus`: a few instructions.
    #[inline(always)]
    const fn away(self, steps: i16) -> i16 {
        if self.numerator < 0 { steps.wrapping_neg() } else { steps }
    }
}

impl Estimate {
    /// Returns how far the fraction is above the nearest integer of the last place, in `[-0.5, 0.5)`.
    // Inlined, as `Decimal::plus`: a few instructions.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "the error is far below that of the estimate")]
    fn offset(self) -> f64 {
        const UNIT: f64 = 1.0 / 18_446_744_073_709_551_616.0;
        (self.half << 1) as f64 * UNIT
    }

    /// Returns true if the nearest integer of the last place is odd.
    const fn is_odd(self) -> bool {
        self.half.wrapping_add(1 << 62) < 0
    }

    /// Returns the exponent of the fraction.
    // Inlined, as `Decimal::plus`: a few instructions.
    #[inline(always)]
    const fn exponent(self) -> i32 {
        exponent(self.near)
    }

    /// Returns true if the magnitude of the fraction is a power of two.
    // Inlined, as `Decimal::plus`: a few instructions.
    #[inline(always)]
    const fn is_power(self) -> bool {
        // Other fractions are above one by 2^-37 of it at least.
        self.near.to_bits() << SIGN_AND_EXPONENT >> SIGN_AND_EXPONENT < 1 << 12
    }
}

/// The bits of a float in front of its fraction.
const SIGN_AND_EXPONENT: u32 = u64::BITS - f64::MANTISSA_DIGITS + 1;

/// Returns `e + EXPONENT_BIAS` for a magnitude in `[2^(e-1), 2^e)`.
// Inlined, as `Decimal::plus`: a few instructions.
#[inline(always)]
const fn exponent(number: f64) -> i32 {
    (number.to_bits() << 1 >> f64::MANTISSA_DIGITS) as i32
}

/// What [`exponent`] adds.
const EXPONENT_BIAS: i32 = f64::MAX_EXP - 2;

/// Returns `2^exponent`. The exponent is that of a float.
// Inlined, as `Decimal::plus`: a few instructions.
#[inline(always)]
pub(super) const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((EXPONENT_BIAS + 1 + exponent).cast_unsigned() as u64) << (f64::MANTISSA_DIGITS - 1))
}

/// Returns the nearest integer to a number of at most 50 bits, and the last 16 bits of that.
// Inlined, as `Decimal::plus`: a few instructions.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the last bits are wanted")]
pub(super) const fn nearest_integer(number: f64) -> (f64, i16) {
    // 1.5 * 2^52: floats of this size are integers, and their last bits are those of the integer.
    const LARGE: f64 = 6_755_399_441_055_744.0;
    let shifted = number + LARGE;
    (shifted - LARGE, shifted.to_bits() as i16)
}

/// The largest scale.
const MOST_PLACES: u8 = 9;

/// The number of exponents of fractions, rounded up to a power of two: from that of `1 / 10^9`, which is -29, to 36.
const EXPONENTS: usize = 128;

/// A power of ten, and what estimates of its fractions need.
struct EstimatePower {
    /// `2^(512 - e) / (2 * 10^s)` without its integer part, times `2^64`. That of an exponent `e` is at
    /// `e + EXPONENT_BIAS`, modulo their number.
    halves: [i64; EXPONENTS],
    /// `5^s`
    odd: u64,
    /// `1 / 10^s`, and 2^-44 of it more.
    inverse: f64,
    /// `10^s`
    denominator: u32,
    /// The most bits for which [`TIES`] is not in doubt: its difference to a fraction is `1 / (5^s * 2^(bits + 1))` or
    /// more.
    finest: usize,
}

impl EstimatePower {
    /// Returns the power of ten of a scale, which is at most [`MOST_PLACES`].
    // Inlined, as `Decimal::plus`: a few instructions.
    #[inline(always)]
    fn of(scale: u8) -> &'static Self {
        &POWERS[usize::from(scale) % POWERS.len()]
    }

    /// Returns half of a fraction in units of the last place of a number, without the integer part of that, times `2^64`.
    // Inlined, as `Decimal::plus`: a few instructions.
    #[inline(always)]
    const fn half(&self, numerator: i64, number: f64) -> i64 {
        numerator.wrapping_mul(self.halves[place(exponent(number))])
    }
}

/// Returns the index in [`EstimatePower::halves`] for what [`exponent`] returns.
// Inlined, as `Decimal::plus`: an instruction.
#[inline(always)]
const fn place(exponent: i32) -> usize {
    exponent.cast_unsigned() as usize % EXPONENTS
}

/// The powers of ten. Their number is a power of two, so that looking one up takes no check.
static POWERS: [EstimatePower; 16] = {
    const ONE: EstimatePower = power(1, 1, 0);
    let mut powers = [ONE; 16];
    let mut scale = 1;
    while scale <= MOST_PLACES {
        let below = &powers[scale as usize - 1];
        powers[scale as usize] = power(below.denominator * 10, below.odd * 5, scale);
        scale += 1;
    }
    powers
};

/// Returns `denominator = 10^scale`, where `odd = 5^scale`, with its table.
#[expect(clippy::cast_possible_truncation, reason = "fractions are below 2^64")]
const fn power(denominator: u32, odd: u64, scale: u8) -> EstimatePower {
    const SLIGHTLY_MORE: f64 = 1.0 + 1.0 / 17_592_186_044_416.0;
    const LARGEST: i32 = 64;
    let mut halves = [0; EXPONENTS];
    let mut residue = 1 % odd;
    let mut times = BITS - 1 - LARGEST - scale as i32;
    while times > 0 {
        residue = residue * 2 % odd;
        times -= 1;
    }
    // From the largest exponent down, each of which doubles the power of two.
    let mut exponent = LARGEST;
    let mut left = EXPONENTS;
    while left > 0 {
        let half = (((residue as u128) << 64) + (odd as u128 >> 1)) / odd as u128;
        halves[place(exponent + EXPONENT_BIAS)] = (half as u64).cast_signed();
        residue = residue * 2 % odd;
        exponent -= 1;
        left -= 1;
    }
    let most = TIES.len() - 1;
    let finest = 26 - (1 + odd.ilog2()) as usize;
    let inverse = SLIGHTLY_MORE / denominator as f64;
    EstimatePower { halves, odd, inverse, denominator, finest: if finest < most { finest } else { most } }
}
