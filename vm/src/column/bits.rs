//! Bits: one for each row, of the host ([`Bits`]) or of a result ([`Bitmap`]). The first row is the lowest bit, as in
//! Arrow.

/// Bits that the host keeps: the values of a column of bools, or which rows of a column are not null.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'c> {
    /// Enough for `start + len` bits.
    bytes: &'c [u8],
    /// The number of the first bit.
    start: usize,
    len: usize,
}

impl<'c> Bits<'c> {
    /// Returns `len` bits from the bit `start` of `bytes` on, the lowest bit of a byte first. Returns `None` if there
    /// are not as many.
    ///
    /// ```
    /// use hclvm_vm::column::Bits;
    ///
    /// let bits = Bits::new(&[0b0000_0101], 0, 3).expect("a byte has 8 bits");
    /// assert_eq!((0..3).map(|row| bits.get(row)).collect::<Vec<_>>(), [true, false, true]);
    /// ```
    pub fn new(bytes: &'c [u8], start: usize, len: usize) -> Option<Self> {
        let end = start.checked_add(len)?;
        (end.div_ceil(8) <= bytes.len()).then_some(Self { bytes, start, len })
    }

    /// Returns the number of bits.
    pub const fn len(self) -> usize {
        self.len
    }

    /// Returns true if there are no bits.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the bit of a row, false behind the last.
    pub fn get(self, row: usize) -> bool {
        let bit = self.start + row;
        row < self.len && self.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    /// Returns 64 bits from a row on, zeros behind the last.
    pub fn word(self, row: usize) -> u64 {
        let left = self.len.saturating_sub(row);
        if left == 0 {
            return 0;
        }
        let (first, shift) = ((self.start + row) / 8, (self.start + row) % 8);
        let rest = self.bytes.get(first..).unwrap_or_default();
        let low = match rest.first_chunk::<8>() {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        let high = rest.get(8).map_or(0, |byte| u64::from(*byte));
        let word = if shift == 0 { low } else { low >> shift | high << (64 - shift) };
        if left < 64 { word & ((1 << left) - 1) } else { word }
    }
}

/// Bits of a result: which rows are true, or not null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    /// The bits behind the last are zero.
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// Creates a bitmap without bits and reserves memory for `rows`.
    pub fn with_capacity(rows: usize) -> Self {
        Self { words: Vec::with_capacity(rows.div_ceil(64)), len: 0 }
    }

    /// Returns a bitmap of equal bits.
    pub fn of(bit: bool, len: usize) -> Self {
        let mut bitmap = Self { words: vec![if bit { u64::MAX } else { 0 }; len.div_ceil(64)], len };
        if let Some(last) = bitmap.words.last_mut()
            && !len.is_multiple_of(64)
        {
            *last &= (1 << (len % 64)) - 1;
        }
        bitmap
    }

    /// Returns the number of bits.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no bits.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bit of a row, false behind the last.
    pub fn get(&self, row: usize) -> bool {
        self.words.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Returns the bits in words of 64, the first row lowest. The bits behind the last row are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the words of [`Bitmap::words`].
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// Returns the number of bits that are set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the rows whose bit is set, in order.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| ones(*word).map(move |bit| at * 64 + bit))
    }

    /// Returns the bits of all rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = bool> + '_ {
        (0..self.len).map(|row| self.get(row))
    }

    /// Adds a bit.
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        if let Some(last) = self.words.last_mut() {
            *last |= u64::from(bit) << (self.len % 64);
        }
        self.len += 1;
    }

    /// Adds the first `len` bits of words.
    pub fn extend(&mut self, words: &[u64], len: usize) {
        if !self.len.is_multiple_of(64) {
            for row in 0..len {
                self.push(words.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1));
            }
            return;
        }
        self.words.extend(words.iter().copied().chain(std::iter::repeat(0)).take(len.div_ceil(64)));
        if let Some(last) = self.words.last_mut()
            && !len.is_multiple_of(64)
        {
            *last &= (1 << (len % 64)) - 1;
        }
        self.len += len;
    }

    /// Sets a bit that exists.
    pub fn set(&mut self, row: usize, bit: bool) {
        if row < self.len
            && let Some(word) = self.words.get_mut(row / 64)
        {
            *word = *word & !(1 << (row % 64)) | u64::from(bit) << (row % 64);
        }
    }
}

/// Returns the numbers of the bits of a word that are set, in order.
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_bits_from_any_start() {
        let bytes: Vec<u8> = (0..40_u8).map(|at| at.wrapping_mul(37) ^ 0x5A).collect();
        for start in 0..20 {
            for len in [0, 1, 7, 8, 63, 64, 65, 200] {
                let bits = Bits::new(&bytes, start, len).expect("there are 320 bits");
                for row in 0..len + 2 {
                    let word = bits.word(row);
                    for bit in 0..64 {
                        assert_eq!(word >> bit & 1 == 1, bits.get(row + bit), "{start} {len} {row} {bit}");
                    }
                }
            }
        }
        assert!(Bits::new(&bytes, 313, 8).is_none());
    }

    #[test]
    fn a_bitmap_has_no_bits_behind_the_last() {
        let mut bitmap = Bitmap::of(true, 70);
        assert_eq!((bitmap.count(), bitmap.get(69), bitmap.get(70)), (70, true, false));
        bitmap.set(69, false);
        bitmap.push(true);
        assert_eq!(bitmap.rows().skip(68).collect::<Vec<_>>(), [68, 70]);
    }
}
