//! Mantissas as machine words, the least significant first: sums, products, quotients and shifts.
//!
//! A mantissa is a number in `[1/2, 1)`, so mantissas of different lengths begin at the same bit: their last words.

use std::cmp::Ordering;

use super::super::super::wide::{WordDivisor, estimate, multiply_add};
use super::long;
use crate::memory::cast;

/// Products of mantissas with more words, both, are computed by dashu-int.
const LONG_FACTOR: usize = 320;

/// Quotients of more words by divisors of more words are computed by dashu-int.
const LONG_DIVISOR: usize = 160;

/// The most words that need no allocation before they are rounded: those of a sum of 4,544 bits. Sums of 4,096 bits take
/// 0.8 of the time that they take with 40, and short ones no more.
const IN_PLACE: usize = 72;

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
    let mut carry = carry_through(low, addend, false, add_carry);
    for word in high {
        if !carry {
            return false;
        }
        (*word, carry) = word.overflowing_add(1);
    }
    carry
}

/// Combines each word with the other one at its place and the carry of the word below. Returns the last carry.
// Four words a round, so that the carry stays in the processor's flag: sums of 8,192 bits take 0.65 of the time.
#[inline(always)]
fn carry_through(
    to: &mut [u64],
    others: &[u64],
    mut carry: bool,
    combine: impl Fn(u64, u64, bool) -> (u64, bool),
) -> bool {
    let ((to, to_rest), (others, others_rest)) = (to.as_chunks_mut::<4>(), others.as_chunks::<4>());
    for (words, others) in to.iter_mut().zip(others) {
        for (word, other) in words.iter_mut().zip(others) {
            (*word, carry) = combine(*word, *other, carry);
        }
    }
    for (word, other) in to_rest.iter_mut().zip(others_rest) {
        (*word, carry) = combine(*word, *other, carry);
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
    carry_through(from, subtrahend, false, subtract_borrow);
}

/// Replaces a mantissa by the difference of a larger one, which is shorter, and itself.
pub(super) fn subtract_from(large: &[u64], small: &mut [u64]) {
    let (below, upper) = small.split_at_mut(small.len() - large.len());
    let mut borrow = false;
    for word in below {
        (*word, borrow) = subtract_borrow(0, *word, borrow);
    }
    carry_through(upper, large, borrow, |word, larger, borrow| subtract_borrow(larger, word, borrow));
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
        for (to, pair) in parts[start..].iter_mut().zip(kept.windows(2)) {
            *to = pair[0] >> bits | pair[1] << (64 - bits);
        }
        if let ([first, ..], [.., last]) = (kept, kept) {
            parts[end - 1] = last >> bits;
            let below = first << (64 - bits);
            match start.checked_sub(1) {
                Some(at) => parts[at] = below,
                None => rest |= below != 0,
            }
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

/// Adds `factor * addend + carry` to words of the same length. Returns the carry.
// Inlined: the loop of products and quotients. The carry is added last, so that a round waits for two additions of the one
// before it, not for three: quotients take 0.8 of the time.
#[inline(always)]
fn add_multiple(to: &mut [u64], addend: impl Iterator<Item = u64>, factor: u64, mut carry: u64) -> u64 {
    for (word, other) in to.iter_mut().zip(addend) {
        let (low, high) = multiply_add(factor, other, *word, 0);
        let (sum, overflows) = low.overflowing_add(carry);
        (*word, carry) = (sum, high + u64::from(overflows));
    }
    carry
}

/// Adds up the products of words that begin at the first words of a product, of which there is room for some or for all.
/// The words are zero.
fn multiply(a: &[u64], b: &[u64], first: &mut [u64]) {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let dropped = a.len() + b.len() - first.len();
    for (at, factor) in short.iter().enumerate() {
        let start = dropped.saturating_sub(at);
        let part = long.get(start..).unwrap_or(&[]);
        if !part.is_empty() {
            let end = at + long.len() - dropped;
            first[end] = add_multiple(&mut first[end - part.len()..end], part.iter().copied(), *factor, 0);
        }
    }
}

/// Lends a product, or its first words with a last bit that is set if lower ones were dropped: at least one word more than
/// the `count` of the result.
pub(super) fn with_product<Result>(
    a: &[u64],
    b: &[u64],
    count: usize,
    run: impl FnOnce(&mut [u64]) -> Result,
) -> Result {
    // Zeros at the end change nothing, and many numbers have few bits.
    let (a, b) = (without_zeros(a), without_zeros(b));
    let all = a.len() + b.len();
    let shorter = a.len().min(b.len());
    with_zeros(all, |product| {
        if shorter > LONG_FACTOR {
            long::to_words(&(long::integer(a) * long::integer(b)), product);
            return run(product);
        }
        // Two guard words behind the result, and one whose value is incomplete, because products of words that begin below it
        // are left out. They add up to less than `shorter + 1` in the second guard word. If that neither carries into the
        // first one, where ties may be, nor could have made the second one zero, they decide nothing.
        if let Some(skipped) = all.checked_sub(count + 3) {
            let first = &mut product[skipped..];
            multiply(a, b, first);
            let [_, guard, rest @ ..] = first else { return run(first) };
            if *guard != 0 && guard.checked_add(u64::from(cast::length(shorter)) + 1).is_some() {
                rest[0] |= 1;
                return run(rest);
            }
            first.fill(0);
        }
        multiply(a, b, product);
        run(product)
    })
}

/// Returns the words above those that are zero.
fn without_zeros(words: &[u64]) -> &[u64] {
    &words[words.iter().take_while(|word| **word == 0).count()..]
}

/// Computes the first words of the quotient of two mantissas. The last bit is set if there is a remainder. Returns true
/// if the quotient is at least one, so that there is one more bit in front of the words.
pub(super) fn divide(dividend: &[u64], divisor: &[u64], quotient: &mut [u64]) -> bool {
    // Zeros at the end of a divisor change nothing.
    let divisor = without_zeros(divisor);
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
    let carry = add_multiple(below, divisor.iter().map(|word| !word), factor, factor);
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
