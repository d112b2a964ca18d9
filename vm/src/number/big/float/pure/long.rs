//! Long integers, by dashu-int, and the words of mantissas.
//!
//! Words are converted through bytes, since the words of that crate have 32 bits on some machines.

use dashu_int::UBig;
use dashu_int::ops::{BitTest, DivRem};

/// Returns the integer of words, the least significant first.
pub(super) fn integer(words: &[u64]) -> UBig {
    let mut bytes = vec![0; words.len() * 8];
    for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    UBig::from_le_bytes(&bytes)
}

/// Returns the words of an integer, the least significant first.
pub(super) fn words(integer: &UBig) -> Vec<u64> {
    let mut words = vec![0; bits(integer).div_ceil(64)];
    to_words(integer, &mut words);
    words
}

/// Copies the words of an integer; those above it stay.
pub(super) fn to_words(integer: &UBig, words: &mut [u64]) {
    let mut bytes = integer.to_le_bytes().into_vec();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
}

/// Returns the number of bits.
pub(super) fn bits(integer: &UBig) -> usize {
    integer.bit_len()
}

/// Returns the quotient and whether there is a remainder.
pub(super) fn divide(dividend: &UBig, divisor: &UBig) -> (UBig, bool) {
    let (quotient, rest) = dividend.div_rem(divisor);
    (quotient, rest != UBig::ZERO)
}
