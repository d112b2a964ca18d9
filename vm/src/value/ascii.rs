//! ASCII strings processed eight bytes at a time (SWAR): copies of blocks, and changes of case.
//!
//! Everything here returns `None` for texts that are not ASCII; the general paths are in the function
//! library. Not to be confused with `buffer`, which holds text that is still growing.
#![expect(unsafe_code, reason = "bytes that were seen to be ASCII become a text without another look")]

use super::{LONG_TEXT, Value};
use crate::memory::arena::Arena;

/// The highest bit of each byte, which is clear in ASCII.
const HIGH: u64 = 0x8080_8080_8080_8080;
/// The lowest bit of each byte.
const LOW: u64 = 0x0101_0101_0101_0101;

impl<'a> Value<'a> {
    /// Returns the string with `a` to `z` in upper case. Returns `None` if this is not an ASCII string
    /// shorter than 16 MiB, or if the memory limit leaves no room.
    pub fn to_ascii_upper(self, arena: &'a Arena) -> Option<Self> {
        self.with_flipped_case(arena, b'a')
    }

    /// Returns the string with `A` to `Z` in lower case; `None` as for [`Value::to_ascii_upper`].
    pub fn to_ascii_lower(self, arena: &'a Arena) -> Option<Self> {
        self.with_flipped_case(arena, b'A')
    }

    /// Returns the first `len` of at most eight bytes, lowest first, as a string in the arena. Returns
    /// `None` if a byte is not ASCII.
    ///
    /// Inlined into its callers, which know the length of the text: the copy is then one store.
    #[inline(always)]
    pub(super) fn ascii_word(arena: &'a Arena, word: u64, len: usize) -> Option<Self> {
        if word & HIGH != 0 {
            return None;
        }
        let text = arena.block(word.to_le_bytes()).get(..len)?;
        // SAFETY: the highest bit of each of the eight bytes is clear: all of them are ASCII, and so any
        // part of them is UTF-8. Eight bytes are a short text.
        Some(unsafe { Self::short_text(std::str::from_utf8_unchecked(text)) })
    }

    /// Returns the first `len` bytes as a string in the arena, where they occupy `N` bytes. Returns
    /// `None` if one of them is not ASCII, if there are fewer than `N` bytes, or if `len` is not in
    /// `H..=N`. The bytes after the first `len` are ignored.
    ///
    /// Inlined so that a block of constant size is copied by moves instead of a call of `memcpy`.
    #[inline(always)]
    pub(super) fn ascii_block<const N: usize, const H: usize>(
        arena: &'a Arena,
        bytes: &[u8],
        len: usize,
    ) -> Option<Self> {
        const { assert!(N == 2 * H && H.is_multiple_of(8) && N < LONG_TEXT) };
        let block = bytes.first_chunk::<N>()?;
        let text = block.get(..len)?;
        // The two halves overlap and cover the whole text.
        let (start, end) = (text.first_chunk::<H>()?, text.last_chunk::<H>()?);
        let seen = |half: &[u8; H]| {
            half.as_chunks::<8>().0.iter().fold(0, |seen, word| seen | u64::from_le_bytes(*word))
        };
        if (seen(start) | seen(end)) & HIGH != 0 {
            return None;
        }
        let text = arena.block(*block).get(..len)?;
        // SAFETY: these are copies of bytes of which each was seen with its highest bit clear: the first
        // and the last `H` of at most twice as many, in words of eight. All are ASCII, and so UTF-8.
        // `N` bytes are a short text, as the assertion above says.
        Some(unsafe { Self::short_text(std::str::from_utf8_unchecked(text)) })
    }

    /// Changes the case of the 26 letters that begin with `first`.
    ///
    /// Inlined into the two callers, so that `first` and the masks made from it are constants.
    #[inline(always)]
    fn with_flipped_case(self, arena: &'a Arena, first: u8) -> Option<Self> {
        let text = self.as_short_text()?.as_bytes();
        if let Some(word) = as_word(text) {
            return Self::ascii_word(arena, flip(word, first), text.len());
        }
        if let (Some(start), Some(end), at @ 0..=8) =
            (text.first_chunk::<8>(), text.last_chunk::<8>(), text.len() - 8)
        {
            let [start, end] = [*start, *end].map(|word| flip(u64::from_le_bytes(word), first));
            // The two words are equal where they overlap.
            let both = u128::from(start) | u128::from(end) << (8 * at);
            return Self::ascii_block::<16, 8>(arena, &both.to_le_bytes(), text.len());
        }
        self.with_flipped_words(arena, first)
    }

    /// Does the same for more than 16 bytes. Kept out of the path of short texts, which need no loop.
    #[inline(never)]
    fn with_flipped_words(self, arena: &'a Arena, first: u8) -> Option<Self> {
        let copy = arena.bytes_mut(self.as_short_text()?.as_bytes())?;
        let mut seen = 0;
        let (words, rest) = copy.as_chunks_mut::<8>();
        let ended = rest.is_empty();
        for word in words {
            let bytes = u64::from_le_bytes(*word);
            seen |= bytes;
            *word = flip(bytes, first).to_le_bytes();
        }
        if !ended {
            // The last word may overlap the one before: letters that were flipped are no longer among the
            // 26.
            let word = copy.last_chunk_mut::<8>()?;
            let bytes = u64::from_le_bytes(*word);
            seen |= bytes;
            *word = flip(bytes, first).to_le_bytes();
        }
        if seen & HIGH != 0 {
            return None;
        }
        // SAFETY: every byte was seen in `seen` with its highest bit clear, and flipping bit 5 of
        // such bytes leaves that bit clear: all of them are ASCII, and so UTF-8. They are as many as
        // those of the short text they were copied from.
        Some(unsafe { Self::short_text(std::str::from_utf8_unchecked(copy)) })
    }
}

/// Returns fewer than eight bytes as a word, the first byte lowest.
///
/// Inlined so that the word stays in a register.
#[inline(always)]
pub(super) fn as_word(bytes: &[u8]) -> Option<u64> {
    match (bytes.len(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (0..4, ..) => Some(bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))),
        (len @ 4..8, Some(start), Some(end)) => {
            let [start, end] = [*start, *end].map(|half| u64::from(u32::from_le_bytes(half)));
            Some(start | end << (8 * (len - 4)))
        }
        _ => None,
    }
}

/// Flips bit 5 of the bytes that are among the 26 letters from `first` on. Bytes above 127 give an
/// unspecified result, which callers discard.
///
/// Inlined so that the masks are constants.
#[inline(always)]
const fn flip(bytes: u64, first: u8) -> u64 {
    let low = bytes & !HIGH;
    // The highest bit of each byte shows whether the byte is at least `first`, or beyond the last letter.
    let from_first = low + (0x80 - first as u64) * LOW;
    let beyond_last = low + (0x80 - first as u64 - 26) * LOW;
    bytes ^ ((from_first & !beyond_last & HIGH) >> 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(text: &str) -> [Option<String>; 2] {
        let arena = Arena::new();
        let value = Value::str(&arena, text);
        let text = |value: Value<'_>| value.as_str().map(str::to_owned);
        [value.to_ascii_upper(&arena).and_then(text), value.to_ascii_lower(&arena).and_then(text)]
    }

    #[test]
    fn every_ascii_character_changes_as_in_the_library() {
        for length in 1..=40 {
            for byte in 0..128u8 {
                let text: String = (0..length).map(|at| char::from((byte + at) % 128)).collect();
                let expected = [Some(text.to_ascii_uppercase()), Some(text.to_ascii_lowercase())];
                assert_eq!(both(&text), expected, "{text:?}");
            }
        }
        assert_eq!(both(""), [Some(String::new()), Some(String::new())]);
    }

    #[test]
    fn other_texts_are_left_to_others() {
        assert_eq!(both("gr\u{fc}n"), [None, None]);
        for before in 0..20 {
            for behind in 0..20 {
                let text = "a".repeat(before) + "\u{e9}" + &"b".repeat(behind);
                assert_eq!(both(&text), [None, None], "{text:?}");
            }
        }
    }
}
