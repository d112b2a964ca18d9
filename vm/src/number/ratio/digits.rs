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
//! of this division. Those of most small denominators repeat, so that 16 of them are stored again and again. Where
//! 64-bit floats do not show the first differing digit, there is no result here.

use super::denominator::{Modulus, RatioDivisor};
use super::estimate::{nearest_integer, power_of_two};
use super::{Ratio, RatioOperand};
use crate::number::{eight_digits, short_integer};

/// The places of [`RatioText`]: a sign, a whole part of 63 bits, a point, and the digits of 512 bits behind nine zeros,
/// up to the end of a step.
const ROOM: usize = 224;

/// The digits of a step.
const STEP: usize = 16;

/// The steps that may have last digits.
const AHEAD: usize = 2;

/// The most digits that are skipped at once. Their power of ten times a remainder has 64 bits.
const MOST_SKIPPED: usize = 9;

/// The most digits that are removed from a float at first, and then one by one.
const MOST_OF_FLOATS: usize = 3;
const MOST_ONE_BY_ONE: usize = 5;

/// The most units in the last place.
const MOST_ULPS: u16 = 1000;

/// More than the error of a distance from the fraction: some 2^-52, times ten for each digit removed from the float.
const DOUBT: f64 = 1e-7;

/// Room for the text of a ratio.
pub(crate) struct RatioText {
    bytes: [u8; ROOM],
    len: usize,
}

impl Ratio {
    /// Makes a text of the shortest digits that parse to this number. `None` if the float has to show them.
    pub(crate) fn text(self, text: &mut RatioText) -> Option<()> {
        let divisor = RatioDivisor::new(self.denominator);
        let (whole, remainder) = divisor.divide(self.numerator.unsigned_abs());
        if remainder == 0 || self.ulps.unsigned_abs() > MOST_ULPS {
            return None;
        }
        let (error, exponent) = self.error(&divisor)?;
        text.len = 0;
        if self.numerator < 0 {
            text.push(b"-")?;
        }
        text.push_whole(whole)?;
        text.push(b".")?;

        // Half a unit is `2^-bits`. In so many places, a fraction that does not end is farther from integers than the
        // float and its bounds are from the fraction.
        let bits = super::BITS + 1 - exponent;
        let of_error = 2 + (self.ulps.unsigned_abs() + 1).ilog2();
        let of_denominator = 1 + self.denominator.ilog2();
        let places = places(u32::try_from(bits).ok()?.checked_sub(of_error + of_denominator + 1)?);
        let fraction = Fraction::new(remainder, &divisor);
        let fraction = text.push_steps(fraction, places / STEP, self.denominator)?;
        let ten = *STEPS.get(places / STEP)? * float(*TENS.get(places % STEP)?);
        text.end(fraction, places % STEP, power_of_two(-bits) * ten, error)
    }

    /// Returns by how many halves of units in the last place the fraction is above the float, and the exponent.
    #[expect(clippy::cast_precision_loss, reason = "the error is accounted for")]
    fn error(self, divisor: &RatioDivisor) -> Option<(f64, i32)> {
        let numerator = i64::try_from(self.numerator.unsigned_abs()).ok()?;
        let error = RatioOperand { numerator, denominator: divisor, ulps: self.ulps }.error(2)?;
        Some((error.amount as f64 / f64::from(self.denominator), error.exponent))
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

    /// Appends the whole part.
    fn push_whole(&mut self, whole: u64) -> Option<()> {
        if whole >= 100_000_000 {
            return self.push(itoa::Buffer::new().format(whole).as_bytes());
        }
        let (digits, len) = short_integer(whole);
        *self.bytes.get_mut(self.len..)?.first_chunk_mut()? = digits;
        self.len += len;
        Some(())
    }

    /// Appends the digits of steps and of [`AHEAD`] more. Returns the fraction behind the former.
    fn push_steps(&mut self, mut fraction: Fraction, steps: usize, denominator: u32) -> Option<Fraction> {
        if let Some(repetition) = REPETITIONS.get(usize::try_from(denominator).ok()?)
            && repetition.stride > 0
        {
            return self.repeat_step(fraction, steps, *repetition);
        }
        for _ in 0..steps {
            self.push_step(fraction.next())?;
        }
        let mut ahead = fraction.clone();
        for _ in 0..AHEAD {
            self.push_step(ahead.next())?;
        }
        Some(fraction)
    }

    /// Does the same for a denominator whose digits repeat.
    fn repeat_step(
        &mut self,
        mut fraction: Fraction,
        steps: usize,
        DigitRepetition { stride, is_late }: DigitRepetition,
    ) -> Option<Fraction> {
        let start = self.len;
        if is_late {
            self.push_step(fraction.next())?;
        }
        let repeated = step(fraction.clone().next());
        let end = start + (steps + AHEAD) * STEP;
        while self.len < end {
            *self.bytes.get_mut(self.len..)?.first_chunk_mut()? = repeated;
            self.len += stride;
        }
        self.len = end;
        fraction.skip((steps.checked_sub(usize::from(is_late))? * STEP) % stride);
        Some(fraction)
    }

    /// Appends the digits of a step, the number `digits`.
    // Inlined into the loop over steps.
    #[inline(always)]
    fn push_step(&mut self, digits: u64) -> Option<()> {
        *self.bytes.get_mut(self.len..)?.first_chunk_mut()? = step(digits);
        self.len += STEP;
        Some(())
    }

    /// Ends the text, of which [`AHEAD`] steps are behind `fraction`. Its next `sure` digits are those of the float, half
    /// a unit of which is `half` of a digit there.
    fn end(&mut self, mut fraction: Fraction, sure: usize, half: f64, error: f64) -> Option<()> {
        let start = self.len.checked_sub(AHEAD * STEP)? + sure;
        let digits = self.bytes.get(start..)?.first_chunk::<STEP>()?;
        fraction.skip(sure);
        // A fraction that has ended is the float itself, or its digits are those of the error.
        if fraction.remainder == 0 && error.abs() <= 1.0 {
            return None;
        }
        // A digit that is shared, while half a unit is small, follows others that are shared unless it is 0 or 9.
        let large = 16.0 * half * (1.0 + error.abs());
        let mut count = 1 + places(bits_below_one(large));
        while count > 1 && matches!(digits.get(count - 1)?, b'0' | b'9') {
            count -= 1;
        }
        if count > MOST_OF_FLOATS {
            fraction.skip(count - MOST_OF_FLOATS);
        }
        let ten = float(TENS[count.min(MOST_OF_FLOATS)]);
        let mut behind = fraction.near() * ten;
        behind -= nearest_integer(behind - 0.5).0;
        let has_ended = fraction.remainder == 0;
        if !has_ended && (behind - 0.5).abs() > 0.5 - DOUBT {
            return None;
        }
        let mut half = half * float(*TENS.get(count)?);
        // Zeros are exact.
        for count in count..=if has_ended { STEP } else { count + MOST_ONE_BY_ONE } {
            match digit(behind, half, error, has_ended) {
                Digit::Shared => {}
                Digit::Last(units) => {
                    self.len = start + count;
                    return self.add(units);
                }
                Digit::Doubtful => return None,
            }
            behind = behind * 10.0 - f64::from(digits.get(count)? - b'0');
            half *= 10.0;
        }
        None
    }

    /// Adds to the last digit, and removes the zeros at the end. `None` if that changes the whole part.
    fn add(&mut self, mut units: i16) -> Option<()> {
        let last = self.bytes.get_mut(self.len.checked_sub(1)?)?;
        let digit = i16::from(*last - b'0') + units;
        if (1..10).contains(&digit) {
            *last = b'0' + u8::try_from(digit).ok()?;
            return Some(());
        }
        for byte in self.bytes.get_mut(..self.len)?.iter_mut().rev() {
            if units == 0 {
                break;
            }
            if *byte == b'.' {
                return None;
            }
            let digit = i16::from(*byte - b'0') + units;
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
    denominator: Modulus,
    /// `2^41 * 10^16 / denominator`, rounded down, or at most 2 less.
    factor: u64,
}

impl Fraction {
    fn new(remainder: u64, divisor: &RatioDivisor) -> Self {
        let factor = high(u128::from(divisor.reciprocal) * u128::from(TENS[STEP] << 10));
        let denominator = Modulus { divisor: divisor.shifted, reciprocal: divisor.reciprocal >> 31 };
        Self { remainder: remainder << divisor.zeros, denominator, factor }
    }

    /// Removes the digits of a step, and returns the number that they are.
    // Inlined into the loop over steps.
    #[inline(always)]
    fn next(&mut self) -> u64 {
        let denominator = self.denominator.divisor;
        // Right, or too small by one: the factor's error is less than 2^-7 of the quotient's.
        let digits = low((u128::from(self.remainder) * u128::from(self.factor)) >> 41);
        // Less than 64 bits, so that the others do not matter.
        let rest = self.remainder.wrapping_mul(TENS[STEP]).wrapping_sub(digits.wrapping_mul(denominator));
        let is_less = rest >= denominator;
        self.remainder = if is_less { rest - denominator } else { rest };
        digits + u64::from(is_less)
    }

    /// Returns the nearest float.
    #[expect(clippy::cast_precision_loss, reason = "both have 32 bits")]
    fn near(&self) -> f64 {
        self.remainder.cast_signed() as f64 / self.denominator.divisor.cast_signed() as f64
    }

    /// Removes some digits.
    fn skip(&mut self, mut count: usize) {
        while count > 0 {
            let some = count.min(MOST_SKIPPED);
            self.remainder = self.denominator.rest(self.remainder * TENS[some]);
            count -= some;
        }
    }
}

/// How the digits of a fraction repeat.
#[derive(Clone, Copy)]
struct DigitRepetition {
    /// After so many digits they are the same, at most the digits of a step; 0 if there is no such number.
    stride: usize,
    /// True if the digits of the first step may differ.
    is_late: bool,
}

/// The repetitions of the digits of fractions by their denominators.
static REPETITIONS: [DigitRepetition; 256] = {
    let mut all = [DigitRepetition { stride: 0, is_late: false }; 256];
    let mut denominator = 1;
    while denominator < all.len() {
        // The factors 2 and 5 determine when the repetition begins, the others how long it is.
        let mut rest = denominator;
        while rest % 2 == 0 || rest % 5 == 0 {
            rest /= if rest % 2 == 0 { 2 } else { 5 };
        }
        let (mut power, mut digits, mut stride) = (1 % rest, 0, 0);
        while digits < STEP {
            power = power * 10 % rest;
            digits += 1;
            if power == 1 % rest {
                stride = digits;
            }
        }
        all[denominator] = DigitRepetition { stride, is_late: rest < denominator };
        denominator += 1;
    }
    all
};

/// Returns the digits of a step, the number `digits`.
// Inlined into the loop over steps.
#[inline(always)]
fn step(digits: u64) -> [u8; STEP] {
    let mut bytes = [0; STEP];
    let numbers = [digits / 100_000_000, digits % 100_000_000];
    for (bytes, number) in bytes.chunks_exact_mut(8).zip(numbers) {
        bytes.copy_from_slice(&(eight_digits(number) | 0x3030_3030_3030_3030).to_le_bytes());
    }
    bytes
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
const STEPS: [f64; 11] = [1e0, 1e16, 1e32, 1e48, 1e64, 1e80, 1e96, 1e112, 1e128, 1e144, 1e160];

/// Converts a power of ten of a step's digits. Lossless: its odd factor has 38 bits.
#[expect(clippy::cast_precision_loss, reason = "the bound is documented above")]
const fn float(ten: u64) -> f64 {
    ten.cast_signed() as f64
}

/// Returns the first 64 bits.
const fn high(number: u128) -> u64 {
    (number >> 64) as u64
}

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
    Last(i16),
    /// One of these.
    Doubtful,
}

/// Returns what the digit in front of a fraction is, where half a unit of the float is `half`.
fn digit(fraction: f64, half: f64, error: f64, has_ended: bool) -> Digit {
    let numbers = [error + 1.0, error, error - 1.0].map(|error| fraction - half * error);
    let [below, float, above] = numbers;
    if below > DOUBT && above < 1.0 - DOUBT {
        return Digit::Shared;
    }
    let integers = numbers.map(|number| {
        let (integer, digit) = nearest_integer(number - 0.5);
        if (number - 0.5 - integer).abs() < 0.5 - DOUBT {
            return Some(digit);
        }
        // The sign of what is left of a fraction that has ended is that of its error.
        (has_ended && number.abs() < 0.5).then_some(if number < 0.0 { -1 } else { 0 })
    });
    let [Some(below), Some(digit), Some(above)] = integers else { return Digit::Doubtful };
    let up = match (below != digit, above != digit) {
        (false, false) => return Digit::Shared,
        (true, true) => {
            let over_half = float - f64::from(digit) - 0.5;
            if over_half.abs() < DOUBT {
                return Digit::Doubtful;
            }
            over_half > 0.0
        }
        (_, up) => up,
    };
    Digit::Last(digit + i16::from(up))
}
