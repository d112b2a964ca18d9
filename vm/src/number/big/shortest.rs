//! The shortest digits of a float in place, in integer arithmetic. [`digits`](super::digits) describes the algorithm
//! and has its general form, by the number engine; most fractions are neither large nor tiny and get their digits here.
//!
//! ```text
//! x = whole . fraction        fraction and half, half a unit in the last place of x, are fixed-point numbers:
//!                             ten words behind the point
//! fraction * 10^19            the part in front of the point has the next 19 digits; half is multiplied as well
//! fraction < half             the digits of the lower bound differ from those of x
//! fraction + half >= 1        the digits of the upper bound differ
//! ```
//!
//! The bounds are odd multiples of `half`, a power of two, so their digits end far behind those that are needed. That
//! makes the cases for bounds whose digits end superfluous.

use std::cmp::Ordering;

use super::digits::DecimalText;
use super::wide::{MOST_BITS, Wide, multiply_add};
use crate::memory::cast;

/// Words behind the point: for 512 bits, behind up to 120 zeros.
const WORDS: usize = 10;

/// The digits of a step: the most whose power of ten fits a word.
const STEP: usize = 19;

/// The power of ten of a step.
const STEP_UNIT: u64 = 10_u64.pow(19);

/// Room for the digits of 512 bits, behind those of a whole part and up to the end of a step.
const ROOM: usize = 200;

/// The exponents of numbers that fit: at most one word in front of the point, and all bits within those behind it.
const EXPONENTS: std::ops::RangeInclusive<i32> = -120..=63;

/// The fewest bits behind the point up to `half`: with these, digits suffice before those of the bounds end.
const LEAST_PLACES: u32 = 8;

/// A number of at least 0 and less than 1 in words behind the point, the least significant first.
type Fixed = [u64; WORDS];

impl Wide {
    /// Returns the shortest digits that parse to this number at its own precision; `None` if only the general
    /// algorithm finds them.
    pub(super) fn shortest(&self) -> Option<DecimalText> {
        if !EXPONENTS.contains(&self.exponent()) {
            return None;
        }
        if self.is_integer() {
            let whole = self.exponent().cast_unsigned() <= self.precision();
            let mut digits = Digits::new();
            digits.push_whole(self.small_integer().filter(|_| whole)?);
            return digits.decimal(self.is_negative(), false);
        }
        let places = u32::try_from(i64::from(self.precision()) + 1 - i64::from(self.exponent())).ok()?;
        if places < LEAST_PLACES {
            return None;
        }
        let (whole, mut fraction) = self.around_point();
        let mut half = [0; WORDS];
        let (words, bits) = (cast::index(places.div_ceil(64)), places.wrapping_neg() % 64);
        *half.get_mut(WORDS.checked_sub(words)?)? = 1 << bits;
        let mut digits = Digits::new();
        if whole > 0 {
            digits.push_whole(whole);
        }
        // At most one word of digits behind the last step that is needed.
        for _ in 0..2 * WORDS {
            let lowest = half.iter().position(|word| *word != 0)?;
            let step = times(&mut fraction[lowest..], STEP_UNIT);
            let distance = times(&mut half[lowest..], STEP_UNIT);
            let below = compare(&fraction, &half).is_lt();
            let above = compare(&half, &fraction.map(|word| !word)).is_gt();
            if distance == 0 && !below && !above {
                digits.push(&padded(step));
                continue;
            }
            let lower = step.checked_sub(distance.checked_add(u64::from(below))?)?;
            let upper = step.checked_add(distance)?.checked_add(u64::from(above))?;
            let up = digits.push_last(step, [lower, upper], &fraction)?;
            return digits.decimal(self.is_negative(), up);
        }
        None
    }

    /// Returns the whole part and the fraction.
    fn around_point(&self) -> (u64, Fixed) {
        let mut fraction = [0; WORDS];
        // The mantissa behind two empty words, as a number below one.
        fraction[2..].copy_from_slice(self.mantissa());
        let exponent = self.exponent();
        if exponent <= 0 {
            shift_right(&mut fraction, exponent.unsigned_abs());
            return (0, fraction);
        }
        let mut carry = 0;
        for word in &mut fraction {
            // The exponent is between 1 and 63.
            (*word, carry) = (*word << exponent | carry, *word >> (64 - exponent));
        }
        (carry, fraction)
    }
}

/// The digits found so far.
struct Digits {
    /// Without leading zeros.
    text: Vec<u8>,
    /// The number of digits in front of the point, or of zeros behind it as a negative number.
    point: i64,
}

impl Digits {
    fn new() -> Self {
        Self { text: Vec::with_capacity(ROOM), point: 0 }
    }

    /// Appends the digits of the whole part.
    fn push_whole(&mut self, whole: u64) {
        self.text.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
        self.point = cast::signed(self.text.len());
    }

    /// Appends digits. In front of the first one, zeros only move the point.
    fn push(&mut self, digits: &[u8]) {
        let zeros = if self.text.is_empty() { leading_zeros(digits) } else { 0 };
        self.point -= cast::signed(zeros);
        self.text.extend_from_slice(digits.get(zeros..).unwrap_or_default());
    }

    /// Appends the digits of the last step up to the first one that differs from that of a bound. Returns true if
    /// it is to be incremented; `None` if the upper bound has more digits than the number.
    fn push_last(&mut self, step: u64, [lower, upper]: [u64; 2], rest: &Fixed) -> Option<bool> {
        if upper >= STEP_UNIT {
            return None;
        }
        let [step, lower, upper] = [step, lower, upper].map(padded);
        if self.text.is_empty() && leading_zeros(&step) != leading_zeros(&upper) {
            return None;
        }
        let at = (0..STEP).find(|at| step[*at] != lower[*at] || step[*at] != upper[*at])?;
        let (found, behind) = step.split_at(at + 1);
        self.push(found);
        Some(match (step[at] != lower[at], step[at] != upper[at]) {
            (true, true) => match order_of_half(behind, rest) {
                Ordering::Less => false,
                Ordering::Equal => step[at] & 1 == 1,
                Ordering::Greater => true,
            },
            (_, up) => up,
        })
    }

    /// Returns the number, with the last digit incremented if `up`.
    fn decimal(self, negative: bool, up: bool) -> Option<DecimalText> {
        let digits = String::from_utf8(self.text).ok()?;
        let mut decimal = DecimalText { negative, digits, point: self.point };
        decimal.cut(usize::MAX, up);
        Some(decimal)
    }
}

/// Compares digits behind a point, and a fraction of a unit of the last one, with one half.
fn order_of_half(digits: &[u8], rest: &Fixed) -> Ordering {
    let Some((first, others)) = digits.split_first() else { return compare(rest, &HALF) };
    let is_more = || others.iter().any(|digit| *digit != b'0') || rest.iter().any(|word| *word != 0);
    first.cmp(&b'5').then_with(|| if is_more() { Ordering::Greater } else { Ordering::Equal })
}

fn leading_zeros(digits: &[u8]) -> usize {
    digits.iter().take_while(|digit| **digit == b'0').count()
}

/// One half.
const HALF: Fixed = {
    let mut half = [0; WORDS];
    half[WORDS - 1] = 1 << 63;
    half
};

/// Returns the digits of a step with leading zeros.
fn padded(step: u64) -> [u8; STEP] {
    let mut digits = [b'0'; STEP];
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(step).as_bytes();
    if let Some(to) = STEP.checked_sub(text.len()).and_then(|zeros| digits.get_mut(zeros..)) {
        to.copy_from_slice(text);
    }
    digits
}

/// Multiplies in place. Returns the part in front of the point.
// Inlined: a loop over a few words.
#[inline(always)]
fn times(words: &mut [u64], factor: u64) -> u64 {
    let mut carry = 0;
    for word in words {
        (*word, carry) = multiply_add(*word, factor, carry, 0);
    }
    carry
}

/// Compares two numbers. The first words differ for most.
fn compare(a: &Fixed, b: &Fixed) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

/// Shifts to the right by at most 120 bits; the bits that are shifted out are zeros.
fn shift_right(words: &mut Fixed, distance: u32) {
    debug_assert!(distance <= 128 && cast::index(distance) <= (WORDS * 64) - cast::index(MOST_BITS));
    let (skip, bits) = (cast::index(distance / 64), distance % 64);
    for at in 0..WORDS {
        let low = words.get(at + skip).copied().unwrap_or(0);
        let high = words.get(at + skip + 1).copied().unwrap_or(0);
        words[at] = if bits == 0 { low } else { low >> bits | high << (64 - bits) };
    }
}
