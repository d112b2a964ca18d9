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
    let bytes = integer.to_le_bytes();
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes.chunks(8).map(word).collect()
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
