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
//! The fraction's digits are those of `remainder / d` in 128 bits behind the point, 16 at a time, after which the
//! remainder is computed again. Where 64-bit floats do not tell the first differing digit, there is no result here.

use super::estimate::{nearest_integer, power_of_two};
use super::{Any, Operand, Power, Ratio, exponent};

/// The places of [`RatioText`]: a sign, a whole part of 63 bits, a point, and the digits of 512 bits behind nine zeros,
/// up to the end of a step.
const ROOM: usize = 224;

/// The digits of a step.
const STEP: usize = 16;

/// The most units in the last place.
const MOST_ULPS: u16 = 1000;

/// More than the error of a distance from the fraction.
const DOUBT: f64 = 1e-10;

/// The text of a ratio.
pub(crate) struct RatioText {
    bytes: [u8; ROOM],
    len: usize,
}

impl RatioText {
    /// Returns the number of bytes.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl Ratio {
    /// Returns the shortest digits that parse to this number. `None` if the float has to tell them.
    pub(crate) fn text(self) -> Option<RatioText> {
        let magnitude = self.numerator.unsigned_abs();
        let (whole, remainder) =
            (magnitude / u64::from(self.denominator), magnitude % u64::from(self.denominator));
        if remainder == 0 || self.ulps.unsigned_abs() > MOST_ULPS {
            return None;
        }
        let (error, exponent) = self.error()?;
        let mut text = RatioText { bytes: [b'0'; ROOM], len: 0 };
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
            let digits = fraction.next();
            fraction.advance(STEP)?;
            text.push(&digits)?;
        }
        text.push(fraction.next().get(..places % STEP)?)?;
        fraction.advance(places % STEP)?;
        // A fraction that has ended is the float itself, or its digits are those of the error.
        if fraction.remainder == 0 && error.abs() <= 1.0 {
            return None;
        }
        let half = power_of_two(-bits) * 10_f64.powi(i32::try_from(places).ok()?);
        text.push_last(&fraction, half, error)?;
        Some(text)
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
    fn push(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.len + bytes.len();
        self.bytes.get_mut(self.len..end)?.copy_from_slice(bytes);
        self.len = end;
        Some(())
    }

    /// Appends the last digits. Half a unit of the float is `half`, less than a digit.
    #[expect(clippy::cast_precision_loss, reason = "floats hold these powers of ten")]
    fn push_last(&mut self, fraction: &Fraction, half: f64, error: f64) -> Option<()> {
        let (start, digits) = (self.len, fraction.next());
        self.push(&digits)?;
        // A digit that is shared, while half a unit is small, follows others that are shared unless it is 0 or 9.
        let small = 1.0 / (64.0 * half * (1.0 + error.abs()));
        let mut count = TENS.iter().take_while(|ten| (**ten as f64) < small).count().clamp(1, STEP);
        if matches!(digits.get(count - 1)?, b'0' | b'9') {
            count = 1;
        }
        for count in count..=STEP {
            let unit = *TENS.get(count)? as f64;
            match digit(fraction.behind(count)?, half * unit, error) {
                Digit::Shared => {}
                Digit::Last(units) => {
                    self.len = start + count;
                    return self.add(units);
                }
                Digit::Doubtful => return None,
            }
        }
        None
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

/// A fraction below one whose digits are wanted.
struct Fraction {
    remainder: u64,
    denominator: u32,
    /// `2^128 / denominator`, rounded up.
    reciprocal: u128,
}

impl Fraction {
    fn new(remainder: u64, denominator: u32) -> Self {
        Self { remainder, denominator, reciprocal: u128::MAX / u128::from(denominator) + 1 }
    }

    /// Returns the next digits.
    // Inlined, because the digits are appended to others.
    #[inline(always)]
    fn next(&self) -> [u8; STEP] {
        let mut behind = self.behind_point();
        let mut digits = [0; STEP];
        for part in digits.chunks_exact_mut(STEP / 2) {
            part.copy_from_slice(&eight_digits(times(&mut behind, 100_000_000)));
        }
        digits
    }

    /// Removes the next digits.
    // Inlined, where the number of digits is mostly known.
    #[inline(always)]
    fn advance(&mut self, count: usize) -> Option<()> {
        // Too large by less than one, and nearly an integer.
        let high = (self.behind(count)? >> 64) + 1;
        self.remainder = low((high * u128::from(self.denominator)) >> 64);
        Some(())
    }

    /// Returns the fraction, rounded up to 128 bits behind the point.
    fn behind_point(&self) -> u128 {
        u128::from(self.remainder).wrapping_mul(self.reciprocal)
    }

    /// Returns what is behind some digits.
    // Inlined, as `advance`.
    #[inline(always)]
    fn behind(&self, count: usize) -> Option<u128> {
        let mut behind = self.behind_point();
        times(&mut behind, *TENS.get(count)?);
        Some(behind)
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

/// Multiplies a number of 128 bits behind the point. Returns the part in front of it.
fn times(behind: &mut u128, factor: u64) -> u64 {
    let low_part = u128::from(low(*behind)) * u128::from(factor);
    let high_part = (*behind >> 64) * u128::from(factor) + (low_part >> 64);
    *behind = (high_part << 64) | u128::from(low(low_part));
    low(high_part >> 64)
}

/// Returns the last 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "the other bits are not wanted")]
const fn low(number: u128) -> u64 {
    number as u64
}

/// Returns the digits of a number below 10^8. Each step splits all parts in two, side by side in a word.
fn eight_digits(number: u64) -> [u8; STEP / 2] {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    // Quotients by 100 and 10 by multiplications, right for numbers of four and two digits.
    let hundreds = ((fours * 10_486) >> 20) & 0x7F_0000_007F;
    let twos = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0xF_000F_000F_000F;
    let ones = tens | ((twos - tens * 10) << 8);
    (ones | 0x3030_3030_3030_3030).to_le_bytes()
}

/// Returns the number of places that so many bits determine: `bits * log10(2)`, rounded down.
const fn places(bits: u32) -> usize {
    (bits as usize * 1233) >> 12
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

/// Returns what the digit in front of a part of the fraction is, where half a unit of the float is `half`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the error is accounted for"
)]
fn digit(behind: u128, half: f64, error: f64) -> Digit {
    const UNIT: f64 = 1.0 / 18_446_744_073_709_551_616.0;
    let fraction = low(behind >> 64) as f64 * UNIT;
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
