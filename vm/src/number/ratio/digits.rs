//! The text of ratios, from the digits of their fractions.
//!
//! The shortest digits of a float are those up to the first in which it differs from one of its bounds, half a unit in
//! the last place below and above. All three differ so little from the fraction that they have its digits, up to
//! some ten in front of that one:
//!
//! ```text
//! float, bounds    (n / d) * 10^p - w * c, - w * (c + 1), - w * (c - 1)      with p places in front of the point
//! w                10^p times half a unit in the last place: small, until there are enough digits
//! c                the error of the float in halves of units
//! ```
//! The fraction's digits are those of `remainder * 10^16 / d`, 16 at a time, after each of which the remainder is that
//! of this division. Where 64-bit floats do not tell the first differing digit, there is no result here.

use super::estimate::{nearest_integer, power_of_two};
use super::{Any, Operand, Power, Ratio, exponent};
use crate::number::eight_digits;

/// The places of [`RatioText`]: a sign, a whole part of 63 bits, a point, and the digits of 512 bits behind nine zeros,
/// up to the end of a step.
const ROOM: usize = 224;

/// The digits of a step.
const STEP: usize = 16;

/// The most units in the last place.
const MOST_ULPS: u16 = 1000;

/// More than the error of a distance from the fraction.
const DOUBT: f64 = 1e-10;

/// Room for the text of a ratio.
pub(crate) struct RatioText {
    bytes: [u8; ROOM],
    len: usize,
}

impl Ratio {
    /// Makes a text of the shortest digits that parse to this number. `None` if the float has to tell them.
    pub(crate) fn text(self, text: &mut RatioText) -> Option<()> {
        let denominator = u64::from(self.denominator);
        let magnitude = self.numerator.unsigned_abs();
        let (whole, remainder) = (magnitude / denominator, magnitude % denominator);
        if remainder == 0 || self.ulps.unsigned_abs() > MOST_ULPS {
            return None;
        }
        let (error, exponent) = self.error()?;
        text.len = 0;
        if self.numerator < 0 {
            text.push(b"-")?;
        }
        text.push(itoa::Buffer::new().format(whole).as_bytes())?;
        text.push(b".")?;

        // Half a unit is `2^-bits`. In so many places, a fraction that does not end is farther from integers than the
        // float and its bounds are from the fraction.
        let bits = super::BITS + 1 - exponent;
        let of_error = 2 + (self.ulps.unsigned_abs() + 1).ilog2();
        let of_denominator = 1 + self.denominator.ilog2();
        let places = places(u32::try_from(bits).ok()?.checked_sub(of_error + of_denominator + 1)?);
        let mut fraction = Fraction::new(remainder, self.denominator);
        for _ in 0..places / STEP {
            text.push_step(fraction.next())?;
        }
        let left = places % STEP;
        text.push_step(fraction.advance(left)? * TENS.get(STEP - left)?)?;
        text.len -= STEP - left;
        // A fraction that has ended is the float itself, or its digits are those of the error.
        if fraction.remainder == 0 && error.abs() <= 1.0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "floats hold these powers of ten")]
        let ten = *STEPS.get(places / STEP)? * TENS.get(left)?.cast_signed() as f64;
        text.push_last(fraction, power_of_two(-bits) * ten, error)
    }

    /// Returns by how many halves of units in the last place the fraction is above the float, and the exponent.
    #[expect(clippy::cast_precision_loss, reason = "the error is accounted for")]
    fn error(self) -> Option<(f64, i32)> {
        let numerator = i64::try_from(self.numerator.unsigned_abs()).ok()?;
        let ulps = self.ulps;
        let (error, exponent) = if self.scale == 0 {
            let operand = Operand { numerator, denominator: Any(self.denominator.into()), ulps };
            (operand.error(2)?, exponent(numerator.unsigned_abs(), operand.denominator).0)
        } else {
            let operand = Operand { numerator, denominator: Power::of(self.scale)?, ulps };
            (operand.error(2)?, exponent(numerator.unsigned_abs(), operand.denominator).0)
        };
        Some((error.amount as f64 / f64::from(self.denominator), exponent))
    }
}

impl RatioText {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; ROOM], len: 0 }
    }

    /// Returns the number of bytes.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of the text, which are ASCII, and others behind them, which are ASCII, too.
    pub(crate) const fn block(&self) -> &[u8; ROOM] {
        &self.bytes
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    fn push(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.len + bytes.len();
        self.bytes.get_mut(self.len..end)?.copy_from_slice(bytes);
        self.len = end;
        Some(())
    }

    /// Appends the digits of a step, the number `digits`.
    // Inlined into the loop over steps.
    #[inline(always)]
    fn push_step(&mut self, digits: u64) -> Option<()> {
        let room = self.bytes.get_mut(self.len..)?.first_chunk_mut::<STEP>()?;
        let (first, last) = (digits / 100_000_000, digits % 100_000_000);
        for (room, eight) in room.chunks_exact_mut(8).zip([first, last]) {
            room.copy_from_slice(&(eight_digits(eight) | 0x3030_3030_3030_3030).to_le_bytes());
        }
        self.len += STEP;
        Some(())
    }

    /// Appends the last digits. Half a unit of the float is `half`, less than a digit.
    #[expect(clippy::cast_precision_loss, reason = "floats hold these powers of ten")]
    fn push_last(&mut self, mut fraction: Fraction, half: f64, error: f64) -> Option<()> {
        let start = self.len;
        self.push_step(fraction.clone().next())?;
        let digits = self.bytes.get(start..)?.first_chunk::<STEP>()?;
        // A digit that is shared, while half a unit is small, follows others that are shared unless it is 0 or 9.
        let large = 16.0 * half * (1.0 + error.abs());
        let mut count = (1 + places(bits_below_one(large))).min(STEP);
        while count > 1 && matches!(digits.get(count - 1)?, b'0' | b'9') {
            count -= 1;
        }
        fraction.advance(count)?;
        let mut half = half * TENS.get(count)?.cast_signed() as f64;
        loop {
            match digit(fraction.near(), half, error) {
                Digit::Shared if count < STEP => {}
                Digit::Last(units) => {
                    self.len = start + count;
                    return self.add(units);
                }
                Digit::Shared | Digit::Doubtful => return None,
            }
            fraction.remainder = fraction.remainder * 10 % fraction.denominator;
            half *= 10.0;
            count += 1;
        }
    }

    /// Adds to the last digit, and removes the zeros at the end. `None` if that changes the whole part.
    fn add(&mut self, mut units: i64) -> Option<()> {
        for byte in self.bytes.get_mut(..self.len)?.iter_mut().rev() {
            if units == 0 {
                break;
            }
            if *byte == b'.' {
                return None;
            }
            let digit = i64::from(*byte - b'0') + units;
            *byte = b'0' + u8::try_from(digit.rem_euclid(10)).ok()?;
            units = digit.div_euclid(10);
        }
        let text = self.bytes.get(..self.len)?;
        self.len -= text.iter().rev().take_while(|byte| **byte == b'0').count();
        Some(())
    }
}

/// A fraction below one whose digits are wanted. Both numbers are shifted, so that the denominator has 32 bits.
#[derive(Clone)]
struct Fraction {
    remainder: u64,
    denominator: u64,
    /// `2^41 * 10^16 / denominator`, rounded down.
    factor: u64,
}

impl Fraction {
    fn new(remainder: u64, denominator: u32) -> Self {
        let zeros = denominator.leading_zeros();
        let denominator = u64::from(denominator) << zeros;
        // A division of two words, the second of 32 bits.
        let dividend = TENS[STEP] << 9;
        let (first, rest) = (dividend / denominator, dividend % denominator);
        let factor = (first << 32) | ((rest << 32) / denominator);
        Self { remainder: remainder << zeros, denominator, factor }
    }

    /// Removes the digits of a step, and returns the number that they are.
    // Inlined into the loop over steps.
    #[inline(always)]
    fn next(&mut self) -> u64 {
        // Right, or too small by one: the factor's error is less than 2^-9 of the quotient's.
        let digits = low((u128::from(self.remainder) * u128::from(self.factor)) >> 41);
        let rest = self.rest(TENS[STEP], digits);
        let is_less = rest >= self.denominator;
        self.remainder = if is_less { rest - self.denominator } else { rest };
        digits + u64::from(is_less)
    }

    /// Returns the nearest float.
    #[expect(clippy::cast_precision_loss, reason = "both have 32 bits")]
    fn near(&self) -> f64 {
        self.remainder.cast_signed() as f64 / self.denominator.cast_signed() as f64
    }

    /// Removes at most as many digits as a step has, and returns the number that they are.
    fn advance(&mut self, count: usize) -> Option<u64> {
        let digits = self.clone().next() / TENS.get(STEP - count)?;
        self.remainder = self.rest(*TENS.get(count)?, digits);
        Some(digits)
    }

    /// Returns what is left of the remainder times `ten` behind the digits in front of the point.
    // Inlined, as `next`.
    #[inline(always)]
    const fn rest(&self, ten: u64, digits: u64) -> u64 {
        // Less than 64 bits, so that the others do not matter.
        self.remainder.wrapping_mul(ten).wrapping_sub(digits.wrapping_mul(self.denominator))
    }
}

/// The powers of ten of the digits of a step.
const TENS: [u64; STEP + 1] = {
    let mut tens = [1; STEP + 1];
    let mut at = 1;
    while at <= STEP {
        tens[at] = tens[at - 1] * 10;
        at += 1;
    }
    tens
};

/// The powers of ten of whole steps.
const STEPS: [f64; ROOM / STEP] =
    [1e0, 1e16, 1e32, 1e48, 1e64, 1e80, 1e96, 1e112, 1e128, 1e144, 1e160, 1e176, 1e192, 1e208];

/// Returns the last 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "the other bits are not wanted")]
const fn low(number: u128) -> u64 {
    number as u64
}

/// Returns the number of places that so many bits determine: `bits * log10(2)`, rounded down.
const fn places(bits: u32) -> usize {
    (bits as usize * 1233) >> 12
}

/// Returns how many bits a positive number is below one, or one less.
fn bits_below_one(number: f64) -> u32 {
    const ONE: u64 = 1.0_f64.to_bits();
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    u32::try_from((ONE - 1).saturating_sub(number.to_bits()) >> MANTISSA).unwrap_or_default()
}

/// What a digit is of a float.
enum Digit {
    /// It is that of both bounds as well, so that more digits are needed.
    Shared,
    /// It is the last one, to which this number is to be added.
    Last(i64),
    /// One of these.
    Doubtful,
}

/// Returns what the digit in front of a fraction is, where half a unit of the float is `half`.
#[expect(clippy::cast_possible_truncation, reason = "a number of ten digits at most")]
fn digit(fraction: f64, half: f64, error: f64) -> Digit {
    let [below, float, above] = [error + 1.0, error, error - 1.0].map(|error| fraction - half * error);
    if below > DOUBT && above < 1.0 - DOUBT {
        return Digit::Shared;
    }
    let [below, digit, above] = [below, float, above].map(|number| {
        let (nearest, _) = nearest_integer(number);
        // The sign of what is left of a fraction that has ended is that of its error.
        let is_known = (number - nearest).abs() > DOUBT || (fraction == 0.0 && nearest == 0.0);
        is_known.then_some(if number < nearest { nearest - 1.0 } else { nearest })
    });
    let (Some(below), Some(digit), Some(above)) = (below, digit, above) else { return Digit::Doubtful };
    let up = match (below != digit, above != digit) {
        (false, false) => return Digit::Shared,
        (true, true) => {
            let over_half = float - digit - 0.5;
            if over_half.abs() < DOUBT {
                return Digit::Doubtful;
            }
            over_half > 0.0
        }
        (_, up) => up,
    };
    Digit::Last(digit as i64 + i64::from(up))
}
