//! The engine of the feature `pure`: floats whose mantissas are machine words, without C.
//!
//! ```text
//! value       ± 0.words * 2^exponent, the least significant word first, the first bit of the last word is set
//! words       as many as the precision needs; bits beyond the precision are zero
//! zero        no words; infinity has none either, and `infinite`
//! result      exact words, or more words than the precision has with a last bit that is set if lower ones were
//!             dropped; then rounded once
//! ```
//! No crate computes such floats as fast: dashu-float 0.6 takes 2 to 10 times as long, astro-float 1.5 to 3 times. [`words`]
//! computes with short mantissas and leaves long ones to dashu-int, [`decimal`] reads and writes decimal digits.

mod decimal;
mod long;
mod words;

use std::cmp::Ordering;

use dashu_int::UBig;

use super::super::wide::TOP;
use super::{Direction, Engine, LEAST_BITS, join};
use crate::memory::cast;

/// A binary float, never NaN.
#[derive(Clone, Debug)]
pub(in super::super) struct Float {
    words: Vec<u64>,
    exponent: i32,
    bits: u32,
    negative: bool,
    infinite: bool,
}

/// Rounding.
impl Float {
    /// Rounds the number `0.words * 2^exponent`, whose first bit is set.
    fn rounded(words: &mut [u64], mut exponent: i32, bits: u32, negative: bool) -> Self {
        let count = cast::index(bits.div_ceil(64));
        let Some(cut) = words.len().checked_sub(count) else {
            let mut all = vec![0; count];
            all[count - words.len()..].copy_from_slice(words);
            return Self { words: all, exponent, bits, negative, infinite: false };
        };
        let (dropped, kept) = words.split_at_mut(cut);
        // The bits of the lowest word that is kept which the precision has not.
        let unused = bits.wrapping_neg() % 64;
        let lowest = kept[0];
        // What is dropped, from the first bit on.
        let (first, others) = match (unused, dropped) {
            (0, [others @ .., first]) => (*first, &*others),
            (0, []) => (0, &[][..]),
            (_, others) => (lowest << (64 - unused), &*others),
        };
        kept[0] = lowest >> unused << unused;
        let odd = lowest >> unused & 1 == 1;
        let up = first > TOP || first == TOP && (odd || words::is_set(others));
        if up && words::add(kept, &[1 << unused]) {
            if let Some(first) = kept.last_mut() {
                *first = TOP;
            }
            exponent += 1;
        }
        Self { words: kept.to_vec(), exponent, bits, negative, infinite: false }
    }

    /// Rounds the integer `words * 2^power`.
    fn of_integer(words: &mut [u64], power: i32, bits: u32, negative: bool) -> Self {
        match words::normalize(words) {
            None => Self::zero(bits, negative),
            Some(zeros) => {
                let length = cast::length(words.len()).cast_signed() * 64;
                Self::rounded(words, power + length - zeros.cast_signed(), bits, negative)
            }
        }
    }

    /// Rounds the sum of two magnitudes, or the difference of a larger and a smaller one.
    fn combined(large: &Self, small: &Self, add: bool, bits: u32, negative: bool) -> Self {
        // A guard word behind all words of both and of the result. If bits of the smaller number are dropped, the last
        // bit of the guard is set: it may count for a little more or less than these bits do, but the sum stays
        // between the same two neighbours, and no tie.
        let count = cast::index(bits.div_ceil(64)).max(large.words.len()).max(small.words.len()) + 1;
        let distance = large.exponent.abs_diff(small.exponent);
        let mut exponent = large.exponent;
        words::with_zeros(count, |parts| {
            words::shifted_right(&small.words, distance, parts);
            if add {
                if words::add(&mut parts[count - large.words.len()..], &large.words) {
                    words::shift_right_once(parts);
                    exponent += 1;
                }
            } else {
                words::subtract_from(&large.words, parts);
                match words::normalize(parts) {
                    None => return Self::zero(bits, false),
                    Some(zeros) => exponent -= zeros.cast_signed(),
                }
            }
            Self::rounded(parts, exponent, bits, negative)
        })
    }

    fn sum(&self, other: &Self, other_negative: bool, bits: u32) -> Self {
        if self.infinite {
            return Self::infinity(bits, self.negative);
        }
        if other.infinite {
            return Self::infinity(bits, other_negative);
        }
        match (self.words.is_empty(), other.words.is_empty()) {
            (true, true) => Self::zero(bits, self.negative && other_negative),
            (true, false) => Self { negative: other_negative, ..other.clone() }.at(bits),
            (false, true) => self.clone().at(bits),
            (false, false) => {
                let add = self.negative == other_negative;
                if self.compare_magnitude(other).is_ge() {
                    Self::combined(self, other, add, bits, self.negative)
                } else {
                    Self::combined(other, self, add, bits, other_negative)
                }
            }
        }
    }

    /// Compares two finite numbers that are not zero.
    fn compare_magnitude(&self, other: &Self) -> Ordering {
        self.exponent.cmp(&other.exponent).then_with(|| words::compare(&self.words, &other.words))
    }

    /// Returns the magnitude of a whole number.
    fn to_integer(&self) -> UBig {
        let integer = long::integer(&self.words);
        let power = self.exponent - cast::length(self.words.len()).cast_signed() * 64;
        if power < 0 {
            integer >> cast::index(power.unsigned_abs())
        } else {
            integer << cast::index(power.unsigned_abs())
        }
    }
}

impl Engine for Float {
    fn zero(bits: u32, negative: bool) -> Self {
        Self { words: Vec::new(), exponent: 0, bits, negative, infinite: false }
    }

    fn infinity(bits: u32, negative: bool) -> Self {
        Self { infinite: true, ..Self::zero(bits, negative) }
    }

    fn from_words(words: &[u64], power: i32, bits: u32, negative: bool) -> Self {
        Self::of_integer(&mut words.to_vec(), power, bits, negative)
    }

    fn from_digits(digits: &[u8], radix: u32, negative: bool) -> Self {
        let magnitude: UBig = join(digits, radix);
        let bits = u32::try_from(long::bits(&magnitude)).unwrap_or(u32::MAX).max(LEAST_BITS);
        Self::of_integer(&mut long::words(&magnitude), 0, bits, negative && magnitude != UBig::ZERO)
    }

    fn from_decimal(digits: &str, point: i32, bits: u32, negative: bool) -> Self {
        decimal::parse(digits, point, bits, negative)
    }

    fn precision(&self) -> u32 {
        self.bits
    }

    fn is_zero(&self) -> bool {
        self.words.is_empty() && !self.infinite
    }

    fn is_negative(&self) -> bool {
        self.negative
    }

    fn is_infinite(&self) -> bool {
        self.infinite
    }

    fn exponent(&self) -> Option<i32> {
        (!self.words.is_empty()).then_some(self.exponent)
    }

    fn needed_bits(&self) -> u32 {
        let zeros = self.words.iter().take_while(|word| **word == 0).count();
        let last = self.words.get(zeros).map_or(0, |word| word.trailing_zeros());
        cast::length(self.words.len() - zeros) * 64 - last
    }

    fn first_words<const COUNT: usize>(&self) -> Option<[u64; COUNT]> {
        let mut first = [0; COUNT];
        for (to, word) in first.iter_mut().rev().zip(self.words.iter().rev()) {
            *to = *word;
        }
        (!self.words.is_empty()).then_some(first)
    }

    fn compare(&self, other: &Self) -> Ordering {
        let rank = |float: &Self| {
            let size = if float.infinite { 2 } else { i8::from(!float.words.is_empty()) };
            if float.negative { -size } else { size }
        };
        rank(self).cmp(&rank(other)).then_with(|| match rank(self) {
            1 => self.compare_magnitude(other),
            -1 => other.compare_magnitude(self),
            _ => Ordering::Equal,
        })
    }

    fn plus(&self, other: &Self, bits: u32) -> Self {
        self.sum(other, other.negative, bits)
    }

    fn minus(&self, other: &Self, bits: u32) -> Self {
        self.sum(other, !other.negative, bits)
    }

    fn times(&self, other: &Self, bits: u32) -> Self {
        let negative = self.negative != other.negative;
        if self.infinite || other.infinite {
            return Self::infinity(bits, negative);
        }
        if self.words.is_empty() || other.words.is_empty() {
            return Self::zero(bits, negative);
        }
        let mut exponent = self.exponent + other.exponent;
        words::with_product(&self.words, &other.words, cast::index(bits.div_ceil(64)), |product| {
            if product.last().is_some_and(|first| *first < TOP) {
                words::shift_left(product, 1);
                exponent -= 1;
            }
            Self::rounded(product, exponent, bits, negative)
        })
    }

    fn over(&self, other: &Self, bits: u32) -> Self {
        let negative = self.negative != other.negative;
        if self.infinite || other.is_zero() {
            return Self::infinity(bits, negative);
        }
        if other.infinite || self.words.is_empty() {
            return Self::zero(bits, negative);
        }
        let mut exponent = self.exponent - other.exponent;
        // A guard word, whose last bit is set if there is a remainder.
        words::with_zeros(cast::index(bits.div_ceil(64)) + 1, |quotient| {
            if words::divide(&self.words, &other.words, quotient) {
                words::shift_right_once(quotient);
                exponent += 1;
            }
            Self::rounded(quotient, exponent, bits, negative)
        })
    }

    fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    fn magnitude(&self) -> Self {
        Self { negative: false, ..self.clone() }
    }

    fn shifted(self, power: i32) -> Self {
        let exponent = if self.words.is_empty() { 0 } else { self.exponent + power };
        Self { exponent, ..self }
    }

    fn at(mut self, bits: u32) -> Self {
        if self.bits == bits || self.words.is_empty() {
            return Self { bits, ..self };
        }
        Self::rounded(&mut self.words, self.exponent, bits, self.negative)
    }

    fn truncated(&self) -> Self {
        let Some(kept) = u32::try_from(self.exponent).ok().filter(|kept| *kept > 0 && !self.infinite) else {
            return if self.infinite { self.clone() } else { Self::zero(self.bits, self.negative) };
        };
        let mut whole = self.clone();
        let cut = (cast::length(whole.words.len()) * 64).saturating_sub(kept);
        let words = cast::index(cut / 64);
        whole.words[..words].fill(0);
        if let Some(word) = whole.words.get_mut(words) {
            *word &= u64::MAX << (cut % 64);
        }
        whole
    }

    fn integer_text(&self, radix: u32) -> String {
        let sign = if self.negative && !self.is_zero() { "-" } else { "" };
        format!("{sign}{}", self.to_integer().in_radix(u8::try_from(radix).unwrap_or(10)))
    }

    fn digits(&self, count: usize, direction: Direction) -> (String, i64) {
        decimal::digits(self, count, direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_rounded_like_exact_ones() {
        let patterns = [0, 1, TOP, u64::MAX, 0x5555_5555_5555_5555];
        let floats: Vec<Float> = (0..125_u64)
            .map(|at| {
                let word = |divisor| patterns[cast::amount(at / divisor % 5)];
                let mut words: Vec<u64> = (0..18).map(|place| word([1, 5][place % 2])).collect();
                words[8..11].fill(word(25));
                Float::from_words(&words, 0, 1_152, false)
            })
            .collect();
        for (a, b) in floats.iter().flat_map(|a| floats.iter().map(move |b| (a, b))) {
            let exact = a.times(b, 2_304);
            for bits in [1_087, 1_088, 1_089, 1_152] {
                let (product, expected) = (a.times(b, bits), exact.clone().at(bits));
                assert_eq!(product.words, expected.words, "{a:?} by {b:?} at {bits} bits");
                assert_eq!(product.exponent, expected.exponent);
            }
        }
    }

    /// MPFR rounds this quotient up, so that it is not compared.
    #[test]
    fn a_tie_of_a_long_divisor_is_rounded_to_even() {
        let float = |words: &[u64]| Float::from_words(words, 0, 512, false);
        let divisor = float(&[3, 5, 7, 11, TOP]);
        let exact = float(&[1, 0, 0, u64::MAX]);
        let dividend = exact.times(&divisor, 1_024);
        assert_eq!(dividend.over(&divisor, 256).first_words(), exact.first_words::<4>());
        assert_eq!(dividend.over(&divisor, 255).first_words(), Some([0, 0, 0, u64::MAX]));
    }
}
