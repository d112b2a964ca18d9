//! Mantissas as machine words, the least significant first: sums, products, quotients and shifts.
//!
//! A mantissa is a number in `[1/2, 1)`, so mantissas of different lengths begin at the same bit: their last words.

use std::cmp::Ordering;

use super::super::super::wide::{WordDivisor, estimate, multiply_add};
use super::long;
use crate::memory::cast;

/// Products of mantissas with more words, both, are computed by dashu-int.
const LONG_FACTOR: usize = 40;

/// Quotients of more words by divisors of more words are computed by dashu-int.
const LONG_DIVISOR: usize = 160;

/// The most words that need no allocation before they are rounded: those of a product of 1,280 bits.
const IN_PLACE: usize = 40;

/// Lends words, all zero.
pub(super) fn with_zeros<Result>(count: usize, run: impl FnOnce(&mut [u64]) -> Result) -> Result {
    match [0; IN_PLACE].get_mut(..count) {
        Some(words) => run(words),
        None => run(&mut vec![0; count]),
    }
}

/// Returns true if a bit is set.
pub(super) fn is_set(words: &[u64]) -> bool {
    words.iter().any(|word| *word != 0)
}

/// Adds to the lowest words; returns true if that overflows. There are no more words to add than words.
pub(super) fn add(to: &mut [u64], addend: &[u64]) -> bool {
    let (low, high) = to.split_at_mut(addend.len());
    let mut carry = false;
    for (word, other) in low.iter_mut().zip(addend) {
        (*word, carry) = add_carry(*word, *other, carry);
    }
    for word in high {
        if !carry {
            return false;
        }
        (*word, carry) = word.overflowing_add(1);
    }
    carry
}

/// Returns the sum of two words and a carry, and the next carry.
// Inlined into loops: two instructions.
#[inline(always)]
fn add_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum, first | second)
}

/// Returns the difference of two words and a borrow, and the next borrow.
// Inlined into loops: two instructions.
#[inline(always)]
fn subtract_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(u64::from(borrow));
    (difference, first | second)
}

/// Subtracts words of the same length that are not larger.
fn subtract(from: &mut [u64], subtrahend: &[u64]) {
    let mut borrow = false;
    for (word, other) in from.iter_mut().zip(subtrahend) {
        (*word, borrow) = subtract_borrow(*word, *other, borrow);
    }
}

/// Replaces a mantissa by the difference of a larger one, which is shorter, and itself.
pub(super) fn subtract_from(large: &[u64], small: &mut [u64]) {
    let (below, upper) = small.split_at_mut(small.len() - large.len());
    let mut borrow = false;
    for word in below {
        (*word, borrow) = subtract_borrow(0, *word, borrow);
    }
    for (word, larger) in upper.iter_mut().zip(large) {
        (*word, borrow) = subtract_borrow(*larger, *word, borrow);
    }
}

/// Compares two mantissas.
pub(super) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let common = a.len().min(b.len());
    let ((a_rest, a), (b_rest, b)) = (a.split_at(a.len() - common), b.split_at(b.len() - common));
    a.iter().rev().cmp(b.iter().rev()).then_with(|| is_set(a_rest).cmp(&is_set(b_rest)))
}

/// Moves a mantissa to the right, into words that are zero and at least one more than those of the mantissa.
/// The last bit is set if bits that are set were dropped.
pub(super) fn shifted_right(mantissa: &[u64], distance: u32, parts: &mut [u64]) {
    let count = parts.len();
    let (skip, bits) = (cast::index(distance / 64), distance % 64);
    // The words of the mantissa begin here, if it is longer than what is left above.
    let dropped = (mantissa.len() + skip).saturating_sub(count).min(mantissa.len());
    let (below, kept) = mantissa.split_at(dropped);
    let mut rest = is_set(below);
    let end = count.saturating_sub(skip);
    let start = end - kept.len();
    if bits == 0 {
        parts[start..end].copy_from_slice(kept);
    } else {
        // From the first word on, so that each one gives its low bits to the next.
        let mut above = 0;
        for (to, word) in parts[start..end].iter_mut().rev().zip(kept.iter().rev()) {
            *to = *word >> bits | above;
            above = *word << (64 - bits);
        }
        match start.checked_sub(1) {
            Some(last) => parts[last] = above,
            None => rest |= above != 0,
        }
        // The highest of the dropped words leaves no bits above the last word.
    }
    parts[0] |= u64::from(rest);
}

/// Moves a mantissa with a carry to the right by one bit.
pub(super) fn shift_right_once(words: &mut [u64]) {
    let mut above = 1;
    let rest = words.first().is_some_and(|word| word & 1 == 1);
    for word in words.iter_mut().rev() {
        let next = *word & 1;
        *word = *word >> 1 | above << 63;
        above = next;
    }
    if let Some(last) = words.first_mut() {
        *last |= u64::from(rest);
    }
}

/// Moves to the left by fewer than 64 bits, which are zero.
pub(super) fn shift_left(words: &mut [u64], bits: u32) {
    if bits == 0 {
        return;
    }
    let mut below = 0;
    for word in words {
        let next = *word >> (64 - bits);
        *word = *word << bits | below;
        below = next;
    }
}

/// Moves the first bit that is set to the front. Returns the distance, `None` if there is none.
pub(super) fn normalize(words: &mut [u64]) -> Option<u32> {
    let zeros = words.iter().rev().take_while(|word| **word == 0).count();
    let first = *words.get(words.len().checked_sub(zeros + 1)?)?;
    words.rotate_right(zeros);
    let bits = first.leading_zeros();
    shift_left(words, bits);
    Some(cast::length(zeros) * 64 + bits)
}

/// Adds `factor * addend` to words of the same length. Returns the carry.
// Inlined: the loop of products.
#[inline(always)]
fn add_multiple(to: &mut [u64], addend: &[u64], factor: u64) -> u64 {
    let mut carry = 0;
    for (word, other) in to.iter_mut().zip(addend) {
        (*word, carry) = multiply_add(factor, *other, *word, carry);
    }
    carry
}

/// Computes a product, with all words of both factors, in words that are zero.
pub(super) fn multiply(a: &[u64], b: &[u64], product: &mut [u64]) {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    if short.len() > LONG_FACTOR {
        long::to_words(&(long::integer(long) * long::integer(short)), product);
        return;
    }
    for (at, factor) in short.iter().enumerate() {
        // Many numbers have few bits.
        if *factor != 0 {
            let end = at + long.len();
            product[end] = add_multiple(&mut product[at..end], long, *factor);
        }
    }
}

/// Computes the first words of the quotient of two mantissas. The last bit is set if there is a remainder. Returns true
/// if the quotient is at least one, so that there is one more bit in front of the words.
pub(super) fn divide(dividend: &[u64], divisor: &[u64], quotient: &mut [u64]) -> bool {
    // Zeros at the end of a divisor change nothing.
    let divisor = &divisor[divisor.iter().take_while(|word| **word == 0).count()..];
    let length = quotient.len() + divisor.len();
    let (below, kept) = dividend.split_at(dividend.len().saturating_sub(length));
    with_zeros(length, |rest| {
        rest[length - kept.len()..].copy_from_slice(kept);
        let first = compare(kept, divisor).is_ge();
        if first {
            subtract(&mut rest[length - divisor.len()..], divisor);
        }
        let has_rest = if divisor.len() > LONG_DIVISOR && quotient.len() > LONG_DIVISOR {
            let (long, has_rest) = long::divide(&long::integer(rest), &long::integer(divisor));
            long::to_words(&long, quotient);
            has_rest
        } else {
            divide_words(rest, divisor, quotient);
            is_set(rest)
        };
        quotient[0] |= u64::from(has_rest || is_set(below));
        first
    })
}

/// Divides in words, Knuth's algorithm D. The words of the dividend above the quotient are less than the divisor, whose
/// first bit is set. Leaves the remainder.
fn divide_words(rest: &mut [u64], divisor: &[u64], quotient: &mut [u64]) {
    let length = divisor.len();
    let [.., top] = divisor else { return };
    let (first, next) = (WordDivisor::new(*top), length.checked_sub(2).map_or(0, |at| divisor[at]));
    for (at, to) in quotient.iter_mut().enumerate().rev() {
        let part = &mut rest[at..=at + length];
        let below = length.checked_sub(2).map_or(0, |at| part[at]);
        let mut word = estimate([part[length], part[length - 1], below], first, next);
        if subtract_multiple(part, divisor, word) {
            word -= 1;
            // The word above the divisor overflows to zero, which undoes the borrow.
            if let Some((above, below)) = part.split_last_mut() {
                *above = above.wrapping_add(u64::from(add(below, divisor)));
            }
        }
        *to = word;
    }
}

/// Subtracts `factor * divisor` from words of which there is one more. Returns true if that was larger.
// Inlined: the loop of divisions. For the length n of the divisor d, f * d = f * 2^(64 n) - f - f * !d, so that the loop
// has the one carry of a sum.
#[inline(always)]
fn subtract_multiple(rest: &mut [u64], divisor: &[u64], factor: u64) -> bool {
    let Some((above, below)) = rest.split_last_mut() else { return false };
    let mut carry = factor;
    for (word, other) in below.iter_mut().zip(divisor) {
        (*word, carry) = multiply_add(factor, !*other, *word, carry);
    }
    let borrow;
    (*above, borrow) = above.overflowing_sub(factor - carry);
    borrow
}

#[cfg(test)]
mod tests {
    use super::super::super::super::wide::TOP;
    use super::*;

    #[test]
    fn what_is_dropped_sets_the_last_bit() {
        for (mantissa, distance, expected) in [
            ([1, TOP], 0, [0, 1, TOP]),
            ([1, TOP], 64, [1, TOP, 0]),
            ([2, TOP], 65, [1, 1 << 62, 0]),
            ([1, TOP], 66, [1, 1 << 61, 0]),
            ([0, TOP], 66, [0, 1 << 61, 0]),
            ([0, TOP], 191, [1, 0, 0]),
            ([0, TOP], 192, [1, 0, 0]),
            ([0, TOP], u32::MAX, [1, 0, 0]),
        ] {
            let mut parts = [0; 3];
            shifted_right(&mantissa, distance, &mut parts);
            assert_eq!(parts, expected, "{mantissa:?} by {distance}");
        }
    }
}
