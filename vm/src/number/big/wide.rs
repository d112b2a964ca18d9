//! Floats of up to 512 bits without allocations: finite, not zero, and with an exponent far from the limits.
//!
//! ```text
//! value       ± 0.mantissa * 2^exponent, the mantissa's first bit is set
//! mantissa    8 words, the least significant first; bits beyond the precision are zero
//! result      9 words, rounded once: the lowest one is the guard. Its last bit also records
//!             that lower bits were dropped, so that a tie is distinguished from what is near one
//! ```
//! Written by hand: the number engine, whose results these are bit for bit, allocates each number. What is not representable
//! here is computed by [`Long`](super::Long).

use std::cmp::Ordering;

use super::NEAR;
use crate::memory::cast;

/// The words of a mantissa.
pub(super) const WORDS: usize = 8;
/// The bits of a mantissa, which are the highest precision.
pub(super) const MOST_BITS: u32 = 512;
/// The first bit of a word.
pub(super) const TOP: u64 = 1 << 63;

/// A mantissa, or the words of a result behind the guard.
type Mantissa = [u64; WORDS];

/// A result before rounding: the guard, then the mantissa. The first bit of the last word is set.
pub(super) type Unrounded = [u64; WORDS + 1];

/// A finite float that is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide {
    mantissa: Mantissa,
    exponent: i32,
    bits: u16,
    negative: bool,
}

impl Wide {
    /// Creates a float from a mantissa whose first bit is set. `None` if it is not, and if the precision or the
    /// exponent is too large. Bits beyond the precision must be zero.
    pub(super) fn from_mantissa(
        mantissa: Mantissa,
        exponent: i64,
        bits: u32,
        negative: bool,
    ) -> Option<Self> {
        let normal = mantissa[WORDS - 1] >= TOP && exponent.abs() <= NEAR;
        let bits = u16::try_from(bits).ok().filter(|bits| u32::from(*bits) <= MOST_BITS)?;
        let exponent = i32::try_from(exponent).ok()?;
        normal.then_some(Self { mantissa, exponent, bits, negative })
    }

    /// Returns an integer, rounded to a precision. `None` for zero.
    pub(super) fn from_integer(magnitude: u64, negative: bool, bits: u32) -> Option<Self> {
        if magnitude == 0 {
            return None;
        }
        let zeros = magnitude.leading_zeros();
        let mut mantissa = [0; WORDS];
        mantissa[WORDS - 1] = magnitude << zeros;
        let exact = Self::from_mantissa(mantissa, i64::from(64 - zeros), bits.max(64), negative)?;
        exact.at(bits)
    }

    /// Returns an integer at the most bits. `None` for zero.
    pub(super) fn from_i128(value: i128) -> Option<Self> {
        let magnitude = value.unsigned_abs();
        let zeros = magnitude.leading_zeros();
        let shifted = magnitude.checked_shl(zeros)?;
        let mut mantissa = [0; WORDS];
        mantissa[WORDS - 1] = u64::try_from(shifted >> 64).ok()?;
        mantissa[WORDS - 2] = u64::try_from(shifted & u128::from(u64::MAX)).ok()?;
        Self::from_mantissa(mantissa, i64::from(u128::BITS - zeros), MOST_BITS, value < 0)
    }

    /// Returns the quotient of two integers, rounded once. `None` if one of them is zero.
    pub(super) fn of_integers(dividend: u64, divisor: u64, negative: bool, bits: u32) -> Option<Self> {
        if dividend == 0 || divisor == 0 {
            return None;
        }
        let (zeros, divisor_zeros) = (dividend.leading_zeros(), divisor.leading_zeros());
        let exponent = i64::from(divisor_zeros) - i64::from(zeros);
        let (first, divisor) = (dividend << zeros, divisor << divisor_zeros);
        Self::of_quotient(quotient_by_word([first], divisor), exponent, bits, negative)
    }

    /// Returns a float of a host at 53 bits. `None` for zero, subnormal floats, infinity and NaN.
    pub(super) fn from_f64(value: f64) -> Option<Self> {
        if !value.is_normal() {
            return None;
        }
        let bits = value.to_bits();
        let exponent = i64::from(cast::length(cast::amount(bits >> 52 & 0x7FF))) - 1022;
        let mut mantissa = [0; WORDS];
        mantissa[WORDS - 1] = TOP | bits << 11;
        Self::from_mantissa(mantissa, exponent, f64::MANTISSA_DIGITS, value < 0.0)
    }

    pub(super) const fn mantissa(&self) -> &Mantissa {
        &self.mantissa
    }

    /// Returns `e` for a magnitude in `[2^(e-1), 2^e)`.
    pub(super) const fn exponent(&self) -> i32 {
        self.exponent
    }

    pub(super) const fn is_negative(&self) -> bool {
        self.negative
    }

    pub(super) fn precision(&self) -> u32 {
        u32::from(self.bits)
    }

    /// Returns the number of bits that the mantissa needs.
    pub(super) fn needed_bits(&self) -> u32 {
        let mut zeros = 0;
        for word in self.mantissa {
            zeros += word.trailing_zeros();
            if word != 0 {
                break;
            }
        }
        MOST_BITS - zeros
    }

    pub(super) fn is_integer(&self) -> bool {
        i64::from(self.needed_bits()) <= i64::from(self.exponent)
    }

    /// Returns the magnitude of an integer of at most 64 bits.
    pub(super) fn small_integer(&self) -> Option<u64> {
        let fits = (1..=64).contains(&self.exponent) && self.is_integer();
        fits.then(|| self.mantissa[WORDS - 1] >> (64 - self.exponent))
    }

    /// Returns the exact order.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.compare_magnitude(other),
            (true, true) => other.compare_magnitude(self),
            _ => other.negative.cmp(&self.negative),
        }
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        self.exponent
            .cmp(&other.exponent)
            .then_with(|| self.mantissa.iter().rev().cmp(other.mantissa.iter().rev()))
    }

    pub(super) const fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    /// Moves a number of 512 bits away from zero by units in the last place. `None` if the unit changes on the way.
    pub(super) fn moved(&self, ulps: i16) -> Option<Self> {
        let (mut mantissa, mut step) = (self.mantissa, u64::from(ulps.unsigned_abs()));
        for word in &mut mantissa {
            let overflows;
            (*word, overflows) =
                if ulps < 0 { word.overflowing_sub(step) } else { word.overflowing_add(step) };
            step = u64::from(overflows);
        }
        (step == 0 && mantissa[WORDS - 1] >= TOP).then_some(Self { mantissa, ..*self })
    }

    /// Rounds to another precision.
    pub(super) fn at(&self, bits: u32) -> Option<Self> {
        if bits == self.precision() {
            return Some(*self);
        }
        Self::rounded(behind_guard(&self.mantissa), i64::from(self.exponent), bits, self.negative)
    }

    /// Returns the nearest `f64`, ties to even. `None` near the limits of a float.
    pub(super) fn to_f64(self) -> Option<f64> {
        /// The exponents of normal floats here, whose mantissa is below one.
        const NORMAL: std::ops::RangeInclusive<i32> = -1021..=1023;
        if !NORMAL.contains(&self.exponent) {
            return None;
        }
        let [lower @ .., top] = &self.mantissa;
        let (kept, dropped) = (top >> 11, top << 53);
        let beyond_tie =
            dropped > TOP || dropped == TOP && (kept & 1 == 1 || lower.iter().any(|word| *word != 0));
        // The first bit of the mantissa is implied in a float: it adds one to the exponent. So does rounding up
        // to a power of two.
        let exponent = u64::from((self.exponent + 1021).unsigned_abs()) << 52;
        let magnitude = f64::from_bits(exponent + kept + u64::from(beyond_tie));
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// Rounds toward zero. `None` if that is zero.
    pub(super) fn truncated(&self) -> Option<Self> {
        let mut whole = *self;
        let places = MOST_BITS.saturating_sub(u32::try_from(self.exponent).ok().filter(|e| *e > 0)?);
        let (words, bits) = split(places);
        whole.mantissa[..words].fill(0);
        if let Some(word) = whole.mantissa.get_mut(words) {
            *word &= u64::MAX << bits;
        }
        Some(whole)
    }

    /// Rounds down. `None` if that is zero.
    pub(super) fn floored(&self) -> Option<Self> {
        let one = || Self::from_integer(1, true, self.precision());
        match self.truncated() {
            Some(whole) if self.negative && whole != *self => whole.plus(&one()?, self.precision()),
            None if self.negative => one(),
            whole => whole,
        }
    }

    /// Returns the sum, rounded once. `None` for zero and beyond the range.
    pub(super) fn plus(&self, other: &Self, bits: u32) -> Option<Self> {
        let (large, small) =
            if self.compare_magnitude(other).is_ge() { (self, other) } else { (other, self) };
        let mut parts = behind_guard(&large.mantissa);
        let distance = (i64::from(large.exponent) - i64::from(small.exponent)).unsigned_abs();
        let addend = shifted_right(behind_guard(&small.mantissa), distance);
        let mut exponent = i64::from(large.exponent);
        if self.negative == other.negative {
            if add(&mut parts, &addend) {
                parts = shifted_right(parts, 1);
                parts[WORDS] |= TOP;
                exponent += 1;
            }
        } else {
            subtract(&mut parts, &addend);
            exponent -= i64::from(normalize(&mut parts)?);
        }
        Self::rounded(parts, exponent, bits, large.negative)
    }

    /// Returns the product, rounded once. `None` beyond the range.
    pub(super) fn times(&self, other: &Self, bits: u32) -> Option<Self> {
        let mut product = [0; 2 * WORDS];
        for (at, word) in self.mantissa.iter().enumerate() {
            // Many numbers have few bits.
            if *word == 0 {
                continue;
            }
            let mut carry = 0;
            for (low, factor) in product[at..].iter_mut().zip(&other.mantissa) {
                (*low, carry) = multiply_add(*word, *factor, *low, carry);
            }
            product[at + WORDS] = carry;
        }
        let mut exponent = i64::from(self.exponent) + i64::from(other.exponent);
        let (dropped, kept) = product.split_at(WORDS - 1);
        let mut parts = [0; WORDS + 1];
        parts.copy_from_slice(kept);
        let mut rest = dropped.iter().any(|word| *word != 0);
        if parts[WORDS] < TOP {
            shift_left_once(&mut parts, dropped[WORDS - 2] >= TOP);
            rest = dropped[WORDS - 2] << 1 != 0 || dropped[..WORDS - 2].iter().any(|word| *word != 0);
            exponent -= 1;
        }
        parts[0] |= u64::from(rest);
        Self::rounded(parts, exponent, bits, self.negative != other.negative)
    }

    /// Returns the quotient, rounded once. `None` beyond the range.
    pub(super) fn over(&self, other: &Self, bits: u32) -> Option<Self> {
        let quotient = quotient(&self.mantissa, &other.mantissa);
        let exponent = i64::from(self.exponent) - i64::from(other.exponent);
        Self::of_quotient(quotient, exponent, bits, self.negative != other.negative)
    }

    fn of_quotient(quotient: Quotient, mut exponent: i64, bits: u32, negative: bool) -> Option<Self> {
        let Quotient { mut parts, first, rest } = quotient;
        parts[0] |= u64::from(rest);
        if first {
            parts = shifted_right(parts, 1);
            parts[WORDS] |= TOP;
            exponent += 1;
        }
        Self::rounded(parts, exponent, bits, negative)
    }

    /// Rounds to nearest, ties to even.
    // Inlined: most results have all bits, and are then not copied once more.
    #[inline(always)]
    pub(super) fn rounded(parts: Unrounded, exponent: i64, bits: u32, negative: bool) -> Option<Self> {
        debug_assert!(parts[WORDS] >= TOP);
        if bits != MOST_BITS {
            return Self::rounded_to(parts, exponent, bits, negative);
        }
        let [guard, mut mantissa @ ..] = parts;
        let mut exponent = exponent;
        let mut carry = guard > TOP || guard == TOP && mantissa[0] & 1 == 1;
        for word in &mut mantissa {
            (*word, carry) = word.overflowing_add(u64::from(carry));
        }
        if carry {
            mantissa[WORDS - 1] = TOP;
            exponent += 1;
        }
        Self::from_mantissa(mantissa, exponent, bits, negative)
    }

    /// [`Wide::rounded`] to fewer bits than a mantissa has.
    fn rounded_to(parts: Unrounded, mut exponent: i64, bits: u32, negative: bool) -> Option<Self> {
        let [guard, mut mantissa @ ..] = parts;
        let dropped = MOST_BITS.checked_sub(bits).filter(|dropped| (1..MOST_BITS).contains(dropped))?;
        let (words, shift) = split(dropped);
        // The bit behind the last one that is kept, and whether one of those behind it is set.
        let (at, below) = split(dropped - 1);
        let half = mantissa[at] >> below & 1 == 1;
        let lower = guard != 0 || mantissa[..at].iter().any(|word| *word != 0);
        let rest = lower || mantissa[at] & ((1 << below) - 1) != 0;
        let odd = mantissa[words] >> shift & 1 == 1;
        mantissa[..words].fill(0);
        mantissa[words] &= u64::MAX << shift;
        if half && (rest || odd) {
            let mut carry = 1 << shift;
            for word in &mut mantissa[words..] {
                let overflows;
                (*word, overflows) = word.overflowing_add(carry);
                carry = u64::from(overflows);
            }
            if carry != 0 {
                mantissa[WORDS - 1] = TOP;
                exponent += 1;
            }
        }
        Self::from_mantissa(mantissa, exponent, bits, negative)
    }
}

/// Splits a number of bits into words and bits.
fn split(bits: u32) -> (usize, u32) {
    (cast::index(bits / 64), bits % 64)
}

fn behind_guard(mantissa: &Mantissa) -> Unrounded {
    let mut parts = [0; WORDS + 1];
    parts[1..].copy_from_slice(mantissa);
    parts
}

/// Shifts to the right. The last bit records that one of those that were shifted out was set.
fn shifted_right(parts: Unrounded, distance: u64) -> Unrounded {
    if distance == 0 {
        return parts;
    }
    let words = usize::try_from(distance / 64).unwrap_or(usize::MAX).min(WORDS + 1);
    let bits = distance % 64;
    let mut shifted = [0; WORDS + 1];
    let mut rest = parts[..words].iter().any(|word| *word != 0);
    for (to, at) in shifted.iter_mut().zip(words..=WORDS) {
        let above = parts.get(at + 1).copied().unwrap_or(0);
        *to = if bits == 0 { parts[at] } else { parts[at] >> bits | above << (64 - bits) };
    }
    if let Some(lowest) = parts.get(words) {
        rest |= lowest & ((1 << bits) - 1) != 0;
    }
    shifted[0] |= u64::from(rest);
    shifted
}

pub(super) fn shift_left_once(parts: &mut Unrounded, mut carry: bool) {
    for word in parts {
        let next = *word >= TOP;
        *word = *word << 1 | u64::from(carry);
        carry = next;
    }
}

/// Adds words of one length; returns true if that overflows.
// Inlined: the lengths are constants in the callers, which unrolls the loop.
#[inline(always)]
fn add(parts: &mut [u64], addend: &[u64]) -> bool {
    let mut carry = 0;
    for (word, other) in parts.iter_mut().zip(addend) {
        (*word, carry) = split_sum(u128::from(*word) + u128::from(*other) + u128::from(carry));
    }
    carry != 0
}

/// Subtracts what is not larger.
fn subtract(parts: &mut Unrounded, subtrahend: &Unrounded) {
    let mut borrow = false;
    for (word, other) in parts.iter_mut().zip(subtrahend) {
        let (difference, first) = word.overflowing_sub(*other);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        (*word, borrow) = (difference, first || second);
    }
}

/// Shifts the first set bit to the front. Returns the distance, `None` if no bit is set.
///
/// More than one bit is shifted only if the operands were at most one bit apart, so that none was dropped.
fn normalize(parts: &mut Unrounded) -> Option<u32> {
    let zeros = parts.iter().rev().take_while(|word| **word == 0).count();
    let first = *parts.get(WORDS.checked_sub(zeros)?)?;
    let bits = first.leading_zeros();
    let mut shifted = [0; WORDS + 1];
    for at in zeros..=WORDS {
        let below = (at - zeros).checked_sub(1).map_or(0, |below| parts[below]);
        shifted[at] =
            if bits == 0 { parts[at - zeros] } else { parts[at - zeros] << bits | below >> (64 - bits) };
    }
    *parts = shifted;
    Some(cast::length(zeros) * 64 + bits)
}

/// Returns the low and the high word of `a * b + c + d`, which cannot overflow.
pub(super) const fn multiply_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    split_sum(a as u128 * b as u128 + c as u128 + d as u128)
}

/// Returns the low and the high word.
#[expect(clippy::cast_possible_truncation, reason = "a word is what is wanted")]
const fn split_sum(sum: u128) -> (u64, u64) {
    (sum as u64, (sum >> 64) as u64)
}

/// A divisor of one word whose first bit is set, with its reciprocal: two multiplications take the place of the
/// division of two words by one, as Möller and Granlund describe in "Improved division by invariant integers".
#[derive(Clone, Copy, Debug)]
pub(super) struct WordDivisor {
    word: u64,
    /// `(2^128 - 1) / word - 2^64`
    reciprocal: u64,
}

impl WordDivisor {
    #[expect(clippy::cast_possible_truncation, reason = "the first bit of the quotient is implied")]
    pub(super) const fn new(word: u64) -> Self {
        debug_assert!(word >= TOP);
        Self { word, reciprocal: (u128::MAX / word as u128) as u64 }
    }

    /// Returns the quotient and the remainder of two words. The first one is below the divisor.
    #[expect(clippy::cast_possible_truncation, reason = "words are what is wanted")]
    const fn divide(self, high: u64, low: u64) -> (u64, u64) {
        debug_assert!(high < self.word);
        let dividend = (high as u128) << 64 | low as u128;
        // The quotient, or one more or less, and bits behind it.
        let estimate = (self.reciprocal as u128 * high as u128).wrapping_add(dividend);
        let mut quotient = ((estimate >> 64) as u64).wrapping_add(1);
        let mut rest = low.wrapping_sub(quotient.wrapping_mul(self.word));
        if rest > estimate as u64 {
            quotient = quotient.wrapping_sub(1);
            rest = rest.wrapping_add(self.word);
        }
        // Rarely.
        if rest >= self.word {
            quotient = quotient.wrapping_add(1);
            rest -= self.word;
        }
        (quotient, rest)
    }
}

/// `dividend * 2^576 / divisor` of two mantissas.
struct Quotient {
    parts: Unrounded,
    /// True if the bit in front of the parts is set.
    first: bool,
    /// True if there is a remainder.
    rest: bool,
}

fn quotient(dividend: &Mantissa, divisor: &Mantissa) -> Quotient {
    let [lower @ .., top] = divisor;
    if lower.iter().all(|word| *word == 0) {
        return quotient_by_word(*dividend, *top);
    }
    // Long division in words, Knuth's algorithm D: the estimate of a word of the quotient, from two words of the
    // divisor, is too large by one at most.
    let first = WordDivisor::new(*top);
    let mut rest = [0; 2 * WORDS + 2];
    rest[WORDS + 1..=2 * WORDS].copy_from_slice(dividend);
    let mut words = [0; WORDS + 2];
    for at in (0..WORDS + 2).rev() {
        let remaining = [rest[at + WORDS], rest[at + WORDS - 1], rest[at + WORDS - 2]];
        let mut word = estimate(remaining, first, divisor[WORDS - 2]);
        if subtract_multiple(&mut rest[at..=at + WORDS], divisor, word) {
            word -= 1;
            // The word above the divisor overflows to zero, which undoes the borrow.
            if let Some((above, below)) = rest[at..=at + WORDS].split_last_mut() {
                *above = above.wrapping_add(u64::from(add(below, divisor)));
            }
        }
        words[at] = word;
    }
    let mut parts = [0; WORDS + 1];
    parts.copy_from_slice(&words[..=WORDS]);
    Quotient { parts, first: words[WORDS + 1] != 0, rest: rest.iter().any(|word| *word != 0) }
}

/// [`quotient`] for a divisor of one word, such as a power of ten or a small integer. The dividend has the first
/// words of a mantissa, the least significant first.
fn quotient_by_word<const GIVEN: usize>(dividend: [u64; GIVEN], divisor: u64) -> Quotient {
    let mut parts = [0; WORDS + 1];
    let mut given = dividend.into_iter().rev();
    let top = given.next().unwrap_or(TOP);
    // The first bits of both are set, so the first word of the quotient is zero or one.
    let first = top >= divisor;
    let mut rest = top - if first { divisor } else { 0 };
    let divisor = WordDivisor::new(divisor);
    for word in parts.iter_mut().rev() {
        let next = given.next();
        if rest == 0 && next.is_none() {
            break;
        }
        (*word, rest) = divisor.divide(rest, next.unwrap_or(0));
    }
    Quotient { parts, first, rest: rest != 0 }
}

/// Returns an estimate of a word of a quotient from the first three words of what is left of the dividend, and the first
/// two of the divisor: right or one too large.
pub(super) fn estimate([first, second, third]: [u64; 3], divisor: WordDivisor, next: u64) -> u64 {
    let top = divisor.word;
    let (mut word, mut rest, mut overflows) = if first >= top {
        let (rest, overflows) = second.overflowing_add(first);
        (u64::MAX, rest, overflows)
    } else {
        let (word, rest) = divisor.divide(first, second);
        (word, rest, false)
    };
    while !overflows {
        let (low, high) = multiply_add(word, next, 0, 0);
        if (high, low) <= (rest, third) {
            break;
        }
        word -= 1;
        (rest, overflows) = rest.overflowing_add(top);
    }
    word
}

/// Subtracts `word * divisor`. Returns true if that was larger.
fn subtract_multiple(rest: &mut [u64], divisor: &Mantissa, word: u64) -> bool {
    let mut high = 0;
    let mut borrow = false;
    for (at, to) in rest.iter_mut().enumerate() {
        let factor = divisor.get(at).copied().unwrap_or(0);
        let low;
        (low, high) = multiply_add(word, factor, high, 0);
        let (difference, first) = to.overflowing_sub(low);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        (*to, borrow) = (difference, first || second);
    }
    borrow
}
