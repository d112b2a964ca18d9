//! The engine of the feature `rug`: MPFR. This file is the only place that names rug.

use std::cmp::Ordering;

use rug::float::Round;
use rug::integer::Order;
use rug::{Assign, Float, Integer};

use super::{Direction, Engine, LEAST_BITS, join};

impl Engine for Float {
    fn zero(bits: u32, negative: bool) -> Self {
        Self::with_val(bits, if negative { -0.0 } else { 0.0 })
    }

    fn infinity(bits: u32, negative: bool) -> Self {
        Self::with_val(bits, if negative { f64::NEG_INFINITY } else { f64::INFINITY })
    }

    fn from_words(words: &[u64], power: i32, bits: u32, negative: bool) -> Self {
        let mut float = match words {
            [word] => Self::with_val(bits, *word),
            _ => Self::with_val(bits, &Integer::from_digits(words, Order::Lsf)),
        };
        float <<= power;
        if negative { -float } else { float }
    }

    fn from_digits(digits: &[u8], radix: u32, negative: bool) -> Self {
        let magnitude: Integer = join(digits, radix);
        let bits = magnitude.significant_bits().max(LEAST_BITS);
        Self::with_val(bits, if negative { -magnitude } else { magnitude })
    }

    fn from_decimal(digits: &str, point: i32, bits: u32, negative: bool) -> Self {
        let sign = if negative { "-" } else { "" };
        let mut float = Self::new(bits);
        // The text is one that MPFR reads.
        if let Ok(parsed) = Self::parse(format!("{sign}0.{digits}e{point}")) {
            float.assign(parsed);
        }
        float
    }

    fn precision(&self) -> u32 {
        self.prec()
    }

    fn is_zero(&self) -> bool {
        self.is_zero()
    }

    fn is_negative(&self) -> bool {
        self.is_sign_negative()
    }

    fn is_infinite(&self) -> bool {
        self.is_infinite()
    }

    fn exponent(&self) -> Option<i32> {
        self.get_exp()
    }

    fn needed_bits(&self) -> u32 {
        self.get_significand().map_or(0, |bits| bits.significant_bits() - bits.find_one(0).unwrap_or(0))
    }

    fn first_words<const COUNT: usize>(&self) -> Option<[u64; COUNT]> {
        let significand = self.get_significand()?;
        let mut mantissa = [0; COUNT];
        // Whole words, of which the first one has the first bit.
        for (to, word) in mantissa.iter_mut().rev().zip(significand.as_limbs().iter().rev()) {
            *to = *word;
        }
        Some(mantissa)
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.partial_cmp(other).unwrap_or(Ordering::Equal)
    }

    fn plus(&self, other: &Self, bits: u32) -> Self {
        Self::with_val(bits, self + other)
    }

    fn minus(&self, other: &Self, bits: u32) -> Self {
        Self::with_val(bits, self - other)
    }

    fn times(&self, other: &Self, bits: u32) -> Self {
        Self::with_val(bits, self * other)
    }

    fn over(&self, other: &Self, bits: u32) -> Self {
        Self::with_val(bits, self / other)
    }

    fn negated(self) -> Self {
        -self
    }

    fn magnitude(&self) -> Self {
        Self::with_val(self.prec(), self.abs_ref())
    }

    fn shifted(self, power: i32) -> Self {
        self << power
    }

    fn at(mut self, bits: u32) -> Self {
        self.set_prec(bits);
        self
    }

    fn truncated(&self) -> Self {
        Self::with_val(self.prec(), self.trunc_ref())
    }

    fn integer_text(&self, radix: u32) -> String {
        let integer = self.to_integer().unwrap_or_default();
        integer.to_string_radix(radix.cast_signed())
    }

    fn digits(&self, count: usize, direction: Direction) -> (String, i64) {
        let round = match direction {
            Direction::Nearest => Round::Nearest,
            Direction::Down => Round::Zero,
            Direction::Up => Round::Up,
        };
        let (_, digits, point) = self.as_abs().to_sign_string_exp_round(10, Some(count), round);
        (digits, i64::from(point.unwrap_or(0)))
    }
}
