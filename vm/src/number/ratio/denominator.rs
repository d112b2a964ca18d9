//! Denominators of ratios: powers of ten, which have tables; any others; and one by which a text divides many times.
//! Each has the residues of powers of two from which [`ratio`](super) rounds.

use super::{BITS, LARGEST, MOST, signed};
use crate::number::decimal::{MAX_DIGITS, power_of_ten};
use crate::number::{NumberRef, Width};

/// A denominator.
pub(super) trait Denominator: Copy {
    /// Returns the denominator.
    fn value(self) -> u64;

    /// Returns the denominator, shifted so that its first bit is set, and by how many bits.
    fn normalized(self) -> (u64, i32);

    /// Returns `2^(512 - exponent) * magnitude`, modulo twice the denominator.
    fn residue(self, magnitude: u64, exponent: i32) -> Option<u64>;
}

/// A denominator of results: a power of ten, or any.
pub(super) trait OfResults: Denominator {
    /// Returns the quotient of a multiple and this divisor of it.
    fn over(self, divisor: Self) -> i64;

    /// Returns the fraction in the simplest form, if it has one apart from that of a ratio.
    fn simplest(self, numerator: i64) -> Option<NumberRef<'static>>;

    /// Returns the exponent of a power of ten, or zero.
    fn scale(self) -> u8;
}

/// Any denominator.
#[derive(Clone, Copy)]
pub(super) struct Any(pub(super) u64);

impl Any {
    /// Returns a denominator that both divide.
    pub(super) fn common(self, other: Self) -> Option<Self> {
        match (self.0.is_multiple_of(other.0), other.0.is_multiple_of(self.0)) {
            (true, _) => Some(self),
            (_, true) => Some(other),
            _ => self.times(other.0),
        }
    }

    /// Returns a multiple. `None` if it is too large.
    pub(super) fn times(self, factor: u64) -> Option<Self> {
        self.0.checked_mul(factor).filter(|product| *product <= LARGEST).map(Self)
    }
}

impl Denominator for Any {
    fn value(self) -> u64 {
        self.0
    }

    #[expect(clippy::cast_possible_wrap, reason = "the number of bits is small")]
    fn normalized(self) -> (u64, i32) {
        (self.0 << self.0.leading_zeros(), self.0.leading_zeros() as i32)
    }

    fn residue(self, magnitude: u64, exponent: i32) -> Option<u64> {
        let twos = self.0.trailing_zeros();
        Some(residue(magnitude, exponent, twos, Modulus::new(self.0 >> twos)))
    }
}

impl OfResults for Any {
    fn over(self, divisor: Self) -> i64 {
        signed(self.0 / divisor.0)
    }

    fn simplest(self, numerator: i64) -> Option<NumberRef<'static>> {
        let denominator = signed(self.0);
        (numerator % denominator == 0).then(|| NumberRef::Int(numerator / denominator, Width::Full))
    }

    fn scale(self) -> u8 {
        0
    }
}

/// Returns [`Denominator::residue`] of a denominator `2^twos * odd`.
fn residue(magnitude: u64, exponent: i32, twos: u32, odd: Modulus) -> u64 {
    // The exponent is small, so that this is positive and below 2^10.
    let power = (BITS - exponent).unsigned_abs().wrapping_sub(twos + 1) & 0x3FF;
    let mut residue = odd.rest(1 << (power >> 4));
    for bit in (0..4).rev() {
        residue = odd.rest((residue * residue) << (power >> bit & 1));
    }
    odd.rest(odd.rest(magnitude) * residue) << (twos + 1)
}

/// A divisor of numbers of 63 bits.
#[derive(Clone, Copy)]
pub(super) struct Modulus {
    pub(super) divisor: u64,
    /// `2^64 / divisor`, rounded down, or slightly less.
    pub(super) reciprocal: u64,
}

impl Modulus {
    const fn new(divisor: u64) -> Self {
        Self { divisor, reciprocal: u64::MAX / divisor }
    }

    /// Returns the quotient and the remainder of a division.
    // Inlined, as `Operand::plus`: a few instructions.
    #[inline(always)]
    const fn divide(self, dividend: u64) -> (u64, u64) {
        // The quotient is right or too small by one.
        let quotient = ((dividend as u128 * self.reciprocal as u128) >> 64) as u64;
        let rest = dividend - quotient * self.divisor;
        if rest >= self.divisor { (quotient + 1, rest - self.divisor) } else { (quotient, rest) }
    }

    /// Returns the remainder of a division.
    // Inlined, as `Operand::plus`: a few instructions.
    #[inline(always)]
    pub(super) const fn rest(self, dividend: u64) -> u64 {
        self.divide(dividend).1
    }
}

/// A denominator as a divisor.
pub(super) struct RatioDivisor {
    /// The denominator, shifted so that it has 32 bits.
    pub(super) shifted: u64,
    /// By how many bits it is shifted.
    pub(super) zeros: u32,
    /// `2^95 / shifted`, rounded down, or at most 2 less.
    pub(super) reciprocal: u64,
}

impl RatioDivisor {
    pub(super) fn new(denominator: u32) -> Self {
        let zeros = denominator.leading_zeros();
        let shifted = u64::from(denominator) << zeros;
        // A division of two words, the second of 32 bits.
        let (first, rest) = ((u64::MAX >> 1) / shifted, (u64::MAX >> 1) % shifted);
        Self { shifted, zeros, reciprocal: (first << 32) | ((rest << 32) / shifted) }
    }

    /// Returns the denominator, shifted by as many bits, which are zeros, to the right.
    fn modulus(&self, zeros: u32) -> Modulus {
        let zeros = self.zeros + zeros;
        Modulus { divisor: self.shifted >> zeros, reciprocal: self.reciprocal >> (31 - zeros) }
    }

    /// Returns the quotient of a number of 63 bits, and the remainder.
    pub(super) fn divide(&self, dividend: u64) -> (u64, u64) {
        self.modulus(0).divide(dividend)
    }
}

impl Denominator for &RatioDivisor {
    fn value(self) -> u64 {
        self.shifted >> self.zeros
    }

    fn normalized(self) -> (u64, i32) {
        (self.shifted << 32, self.zeros.cast_signed() + 32)
    }

    fn residue(self, magnitude: u64, exponent: i32) -> Option<u64> {
        let twos = self.shifted.trailing_zeros() - self.zeros;
        Some(residue(magnitude, exponent, twos, self.modulus(twos)))
    }
}

/// The exponent of the first of [`PowerOfTen::twos`], negated.
const LEAST: i32 = 32;

/// The number of [`PowerOfTen::twos`]: numerators have 63 bits, and denominators at most 30.
const TWOS: usize = 96;

/// The power of two of the last of [`PowerOfTen::twos`] but for the scale: `512 - 1 - e`.
const FIRST_POWER: u32 = 512 - 1 - (96 - 1 - 32);

/// A power of ten, and what residues modulo it need.
pub(super) struct PowerOfTen {
    /// `10^s`
    pub(super) whole: u64,
    /// `5^s`
    odd: Modulus,
    /// `2^(512 - s - 1 - e)` modulo `5^s` for exponents `e` from -32 on.
    twos: [u32; TWOS],
    /// `10^s`, shifted so that its first bit is set.
    normalized: u64,
    /// By how many bits it is shifted.
    zeros: i32,
    /// `s`
    pub(super) scale: u8,
}

impl PowerOfTen {
    /// Returns the power of ten of a scale.
    // Inlined, as `Operand::plus`: a few instructions.
    #[inline(always)]
    pub(super) fn of(scale: u8) -> Option<&'static Self> {
        POWERS.get(usize::from(scale))
    }

    /// Returns the larger of two.
    pub(super) fn larger(&'static self, other: &'static Self) -> &'static Self {
        if self.scale >= other.scale { self } else { other }
    }
}

impl Denominator for &'static PowerOfTen {
    // Inlined, as `Operand::plus`: a few instructions.
    #[inline(always)]
    fn value(self) -> u64 {
        self.whole
    }

    // Inlined, as `Operand::plus`: a few instructions.
    #[inline(always)]
    fn normalized(self) -> (u64, i32) {
        (self.normalized, self.zeros)
    }

    // Inlined, as `Operand::plus`: a few instructions.
    #[inline(always)]
    fn residue(self, magnitude: u64, exponent: i32) -> Option<u64> {
        let two = *self.twos.get(usize::try_from(exponent + LEAST).ok()?)?;
        // The product of the residues fits 64 bits.
        let reduced = if magnitude >> 43 == 0 { magnitude } else { self.odd.rest(magnitude) };
        Some(self.odd.rest(reduced * u64::from(two)) << (self.scale + 1))
    }
}

impl OfResults for &'static PowerOfTen {
    // Inlined, as `Operand::plus`: a few instructions.
    #[inline(always)]
    fn over(self, divisor: Self) -> i64 {
        PowerOfTen::of(self.scale - divisor.scale).map_or(1, |factor| signed(factor.whole))
    }

    // Inlined, as `Operand::plus`: a few instructions.
    #[inline(always)]
    fn simplest(self, mut numerator: i64) -> Option<NumberRef<'static>> {
        let mut scale = self.scale;
        while scale > 0 && numerator % 10 == 0 {
            numerator /= 10;
            scale -= 1;
        }
        if scale == 0 {
            return Some(NumberRef::Int(numerator, Width::Full));
        }
        let fits = numerator.unsigned_abs() < power_of_ten(MAX_DIGITS).unsigned_abs();
        fits.then_some(NumberRef::Decimal(numerator, scale))
    }

    // Inlined, as `Operand::plus`: a few instructions.
    #[inline(always)]
    fn scale(self) -> u8 {
        self.scale
    }
}

/// The powers of ten from `10^0` on.
static POWERS: [PowerOfTen; MOST + 1] = {
    const ONE: PowerOfTen = PowerOfTen {
        whole: 1,
        odd: Modulus::new(1),
        twos: [0; TWOS],
        normalized: 1 << 63,
        zeros: 63,
        scale: 0,
    };
    let mut powers = [ONE; MOST + 1];
    let mut at = 1;
    while at <= MOST {
        let below = &powers[at - 1];
        powers[at] = power(below.whole * 10, below.odd.divisor * 5, below.scale + 1);
        at += 1;
    }
    powers
};

/// Returns `whole = 10^scale` with its table.
#[expect(clippy::cast_possible_truncation, reason = "residues are below 2^21")]
const fn power(whole: u64, odd: u64, scale: u8) -> PowerOfTen {
    let zeros = whole.leading_zeros();
    let mut twos = [0; TWOS];
    // From the largest exponent down, each of which doubles the power of two. That of the largest one is positive.
    let mut residue = 1;
    let mut times = FIRST_POWER - scale as u32;
    while times > 0 {
        residue = residue * 2 % odd;
        times -= 1;
    }
    let mut at = TWOS;
    while at > 0 {
        at -= 1;
        twos[at] = residue as u32;
        residue = residue * 2 % odd;
    }
    let (normalized, zeros) = (whole << zeros, zeros.cast_signed());
    PowerOfTen { whole, odd: Modulus::new(odd), twos, normalized, zeros, scale }
}
