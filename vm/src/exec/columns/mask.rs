//! Masks: sets of the rows of a vector, as bits.

use crate::column::{Bits, ones};

/// The rows of a vector: enough to make the choice of kernels cheap, and few enough for a vector of numbers to stay in
/// the first cache.
pub const ROWS: usize = 1_024;

const WORDS: usize = ROWS / 64;

/// The fewest rows of a word for which all of its rows are tested: a test in a loop over all rows takes a third of the
/// time that it takes in one over the bits of a word.
const DENSE: u32 = 20;

/// A set of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask([u64; WORDS]);

impl Mask {
    pub(super) const NONE: Self = Self([0; WORDS]);
    pub(super) const ALL: Self = Self([u64::MAX; WORDS]);

    /// Returns the first `len` rows.
    pub(super) fn first(len: usize) -> Self {
        Self(std::array::from_fn(|at| match len.saturating_sub(at * 64) {
            0 => 0,
            left @ 1..64 => (1 << left) - 1,
            _ => u64::MAX,
        }))
    }

    /// Returns the rows whose bit is set, from a row of `bits` on.
    pub(super) fn of_bits(bits: Bits<'_>, start: usize) -> Self {
        Self(std::array::from_fn(|at| bits.word(start + at * 64)))
    }

    /// Returns the rows whose item passes a test.
    // Inlined, so that the loop over 64 rows has the test in it and is vectorized.
    #[inline(always)]
    pub(super) fn of_items<T: Copy>(items: &[T], test: impl Fn(T) -> bool) -> Self {
        let mut mask = Self::NONE;
        for (word, items) in mask.0.iter_mut().zip(items.chunks(64)) {
            let mut bools = [0; 64];
            for (bool, item) in bools.iter_mut().zip(items) {
                *bool = u8::from(test(*item));
            }
            *word = packed(&bools);
        }
        mask
    }

    /// Returns the rows of `within` whose item passes a test, which takes more than a comparison: words with few of these
    /// rows are tested row by row.
    #[inline(always)] // As `of_items`.
    pub(super) fn of_items_within<T: Copy>(within: &Self, items: &[T], test: impl Fn(T) -> bool) -> Self {
        let mut mask = Self::NONE;
        for (word, (rows, items)) in mask.0.iter_mut().zip(within.0.iter().zip(items.chunks(64))) {
            if rows.count_ones() < DENSE {
                for bit in ones(*rows) {
                    *word |= u64::from(items.get(bit).is_some_and(|item| test(*item))) << bit;
                }
                continue;
            }
            let mut bools = [0; 64];
            for (bool, item) in bools.iter_mut().zip(items) {
                *bool = u8::from(test(*item));
            }
            *word = packed(&bools) & rows;
        }
        mask
    }

    /// Returns the rows whose two items pass a test.
    #[inline(always)] // As `of_items`.
    pub(super) fn of_pairs<T: Copy>(a: &[T], b: &[T], test: impl Fn(T, T) -> bool) -> Self {
        let mut mask = Self::NONE;
        for (word, (a, b)) in mask.0.iter_mut().zip(a.chunks(64).zip(b.chunks(64))) {
            let mut bools = [0; 64];
            for (bool, (a, b)) in bools.iter_mut().zip(a.iter().zip(b)) {
                *bool = u8::from(test(*a, *b));
            }
            *word = packed(&bools);
        }
        mask
    }

    /// Returns the rows of `within` for which `test` holds.
    #[inline(always)] // As `of_items`.
    pub(super) fn of_rows(within: &Self, mut test: impl FnMut(usize) -> bool) -> Self {
        let mut mask = Self::NONE;
        for (at, (word, rows)) in mask.0.iter_mut().zip(within.0).enumerate() {
            for bit in ones(rows) {
                *word |= u64::from(test(at * 64 + bit)) << bit;
            }
        }
        mask
    }

    pub(super) fn insert(&mut self, row: usize) {
        if let Some(word) = self.0.get_mut(row / 64) {
            *word |= 1 << (row % 64);
        }
    }

    /// Returns true for a row of the set.
    pub fn has(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Returns the rows as words of 64 bits.
    pub const fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    /// Returns the rows in order.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| ones(*word).map(move |bit| at * 64 + bit))
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a & b)
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a | b)
    }

    /// Returns the rows that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a & !b)
    }

    fn combined(&self, other: &Self, op: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|at| op(self.0[at], other.0[at])))
    }
}

/// Returns bytes of 0 and 1 as the bits of a word: eight bytes are moved to eight bits by one multiplication.
// Inlined into loops that computed the bytes in vector registers.
#[inline(always)]
fn packed(bools: &[u8; 64]) -> u64 {
    let (eights, _) = bools.as_chunks::<8>();
    eights.iter().rev().fold(0, |word, eight| {
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        word << 8 | bits
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::cast;

    #[test]
    fn bools_become_the_bits_of_a_word() {
        for seed in 0..64_u32 {
            let bools: [bool; 64] = std::array::from_fn(|at| {
                cast::length(at).wrapping_mul(seed + 7).wrapping_mul(0x9E37) >> 5 & 1 == 1
            });
            let mask = Mask::of_items(&bools, |bool| bool);
            assert_eq!(std::array::from_fn(|row| mask.has(row)), bools);
        }
    }

    #[test]
    fn the_first_rows_are_as_many() {
        for len in [0, 1, 63, 64, 65, 700, 1_023, 1_024] {
            let mask = Mask::first(len);
            assert_eq!(mask.rows().collect::<Vec<_>>(), (0..len).collect::<Vec<_>>());
        }
    }
}
