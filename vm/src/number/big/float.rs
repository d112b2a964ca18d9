//! The door to the number engine: a binary float of any precision, and the operations that numbers need of it.
//!
//! | feature | engine | built from |
//! |---|---|---|
//! | `rug`, the default | [`mpfr`]: MPFR, through the crate rug | C, LGPL-3.0-or-later |
//! | `pure` | [`pure`]: floats of this crate, with long integers of the crate dashu-int | Rust, MIT or Apache-2.0 |
//!
//! Both give equal results, bit for bit: [`agreement`] compares them. With both features the engine is MPFR, so that a
//! package which asks for one of them never breaks another one. No other file depends on these features.
//!
//! The operations that are not here are computed above: inline numbers and floats of up to 512 bits never get this far,
//! and [`Long`](super::long::Long) keeps exponents beyond 2^28 apart.

#[cfg(all(test, feature = "rug"))]
mod agreement;
#[cfg(feature = "rug")]
mod mpfr;
#[cfg(any(test, not(feature = "rug")))]
mod pure;
#[cfg(all(test, feature = "rug"))]
mod times;

#[cfg(not(any(feature = "rug", feature = "pure")))]
compile_error!(
    "hclvm-vm needs a number engine: turn on its feature `rug` (needs a C compiler) or `pure` (does not)"
);

use std::cmp::Ordering;
use std::fmt::Debug;

/// The float of the engine that this build has.
#[cfg(feature = "rug")]
pub(super) type Float = rug::Float;
/// The float of the engine that this build has.
#[cfg(not(feature = "rug"))]
pub(super) type Float = pure::Float;

/// The least precision of integers that are read digit by digit.
const LEAST_BITS: u32 = 64;

/// A direction of rounding to a number of decimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To nearest, ties to even.
    Nearest,
    /// Toward zero.
    Down,
    /// Away from zero.
    Up,
}

/// What an engine provides. Numbers are never NaN, and exponents stay within 30 bits. Results are rounded once, to
/// nearest, ties to even, to the given precision.
pub(super) trait Engine: Clone + Debug {
    /// Returns a zero.
    fn zero(bits: u32, negative: bool) -> Self;

    /// Returns an infinity.
    fn infinity(bits: u32, negative: bool) -> Self;

    /// Returns `words * 2^power`, the least significant word first. Zero has a sign.
    fn from_words(words: &[u64], power: i32, bits: u32, negative: bool) -> Self;

    /// Returns the integer with the given digits, most significant first, at the precision it needs, at least 64 bits.
    /// The cost is that of a few multiplications of the length of the result.
    fn from_digits(digits: &[u8], radix: u32, negative: bool) -> Self;

    /// Returns `0.digits * 10^point`. The digits are ASCII digits; the first and the last one are not zero.
    fn from_decimal(digits: &str, point: i32, bits: u32, negative: bool) -> Self;

    /// Returns the precision in bits, at least 1.
    fn precision(&self) -> u32;

    /// Returns true for both zeros.
    fn is_zero(&self) -> bool;

    /// Returns true if the sign is minus, as that of negative zero is.
    fn is_negative(&self) -> bool;

    /// Returns true for both infinities.
    fn is_infinite(&self) -> bool;

    /// Returns `e` for a magnitude in `[2^(e-1), 2^e)`, `None` for zero and infinity.
    fn exponent(&self) -> Option<i32>;

    /// Returns the number of bits that the mantissa needs; 0 for zero and infinity.
    fn needed_bits(&self) -> u32;

    /// Returns the first words of the mantissa, the least significant first. The first bit of the last one is set.
    /// `None` for zero and infinity.
    fn first_words<const COUNT: usize>(&self) -> Option<[u64; COUNT]>;

    /// Returns the exact order. The two zeros are equal.
    fn compare(&self, other: &Self) -> Ordering;

    /// Returns the sum, not of infinities of opposite signs. The sum of a number and its negation is positive zero.
    fn plus(&self, other: &Self, bits: u32) -> Self;

    /// Returns the difference: the sum of a number and a negated one.
    fn minus(&self, other: &Self, bits: u32) -> Self;

    /// Returns the product, not of zero and an infinity.
    fn times(&self, other: &Self, bits: u32) -> Self;

    /// Returns the quotient, not of two zeros or of two infinities. The precision is at least that of the divisor: MPFR
    /// 4.2.2 rounds some ties away from even otherwise.
    fn over(&self, other: &Self, bits: u32) -> Self;

    /// Returns the number with another sign.
    fn negated(self) -> Self;

    /// Returns the number without its sign.
    fn magnitude(&self) -> Self;

    /// Multiplies by `2^power`.
    fn shifted(self, power: i32) -> Self;

    /// Rounds to another precision.
    fn at(self, bits: u32) -> Self;

    /// Rounds toward zero at the same precision. Infinity and the sign of a zero stay.
    fn truncated(&self) -> Self;

    /// Formats a whole number in a radix of 2 to 36. The cost is below quadratic.
    fn integer_text(&self, radix: u32) -> String;

    /// Returns the first `count` digits of the magnitude, at least one, and the point: the number is about
    /// `0.digits * 10^point`. Not for zero and infinity. The cost depends on the precision and on `count`, not on the
    /// exponent.
    fn digits(&self, count: usize, direction: Direction) -> (String, i64);
}

/// Returns the integer of digits in a radix, by divide and conquer: machine words first, then pairs of
/// neighbours, then pairs of pairs. Few of the multiplications are large, so the cost is below quadratic.
fn join<Integer>(digits: &[u8], radix: u32) -> Integer
where
    Integer: From<u64> + Default + std::ops::AddAssign + for<'a> std::ops::MulAssign<&'a Integer> + Clone,
{
    let per_word = u64::MAX.ilog(u64::from(radix));
    let mut power = Integer::from(u64::from(radix).pow(per_word));
    // Least significant first, so that only the last part may be short.
    let mut parts: Vec<Integer> = digits
        .rchunks(crate::memory::cast::index(per_word))
        .map(|word| word.iter().fold(0_u64, |sum, d| sum * u64::from(radix) + u64::from(*d)).into())
        .collect();
    while parts.len() > 1 {
        parts = parts
            .chunks_mut(2)
            .map(|pair| match pair {
                [low, high] => {
                    let mut joined = std::mem::take(high);
                    joined *= &power;
                    joined += std::mem::take(low);
                    joined
                }
                [last, ..] => std::mem::take(last),
                [] => Integer::default(),
            })
            .collect();
        if parts.len() > 1 {
            power *= &power.clone();
        }
    }
    parts.pop().unwrap_or_default()
}
