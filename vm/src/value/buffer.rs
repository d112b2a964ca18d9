//! Text that grows at its end, in memory that is reused by later evaluations.
//!
//! Invariant: the first `len` bytes are whole strings in a row, so they are valid UTF-8. Strings that are
//! complete are values in an arena; short ones are made in `ascii`.
#![expect(unsafe_code, reason = "whole texts in a row are a text without another look")]

use std::fmt;

use super::Value;
use super::ascii::as_word;
use crate::memory::arena::Arena;
use crate::number::short_integer;

/// The text of the templates being built. A session keeps the memory from one program to the next.
#[derive(Default)]
pub struct TextBuffer {
    /// All of it is initialized; the first `len` bytes are the text.
    bytes: Box<[u8]>,
    /// The length of the text.
    len: usize,
}

impl fmt::Debug for TextBuffer {
    /// Shows the length only: the content may be marked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextBuffer").field("len", &self.len).finish_non_exhaustive()
    }
}

/// The largest buffer that is kept after a run. Larger ones come from rare long templates, and the memory
/// would be held for as long as the session lives.
pub(crate) const LARGEST_KEPT: usize = 1 << 20;

impl TextBuffer {
    /// Removes the text and keeps the memory.
    ///
    /// This and the other functions marked `inline(always)` are a few instructions each, called by the
    /// instructions of templates in the hot loop: a call would cost more than the work.
    #[inline(always)]
    pub(crate) const fn clear(&mut self) {
        self.len = 0;
    }

    /// Removes the text, which a run that fell back to the baseline tier may have left, and frees the
    /// memory if it exceeds the kept size.
    // A few instructions of the hot loop; see `clear`.
    #[inline(always)]
    pub fn shrink(&mut self) {
        self.clear();
        if self.bytes.len() > LARGEST_KEPT {
            *self = Self::default();
        }
    }

    /// Returns the length of the text in bytes.
    // A few instructions of the hot loop; see `clear`.
    #[inline(always)]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Appends a string. Returns false if there is no room for it.
    // A few instructions of the hot loop; see `clear`.
    #[inline(always)]
    pub(crate) fn push(&mut self, text: &str) -> bool {
        let text = text.as_bytes();
        let Some(room) = self.bytes.get_mut(self.len..).and_then(|room| room.get_mut(..text.len())) else {
            return false;
        };
        copy_bytes(room, text);
        self.len += text.len();
        true
    }

    /// Appends two strings. Returns false if there is no room for both.
    // A few instructions of the hot loop; see `clear`.
    #[inline(always)]
    pub(crate) fn push_two(&mut self, first: &str, second: &str) -> bool {
        let (first, second) = (first.as_bytes(), second.as_bytes());
        let room = self.bytes.get_mut(self.len..).and_then(|room| room.split_at_mut_checked(first.len()));
        let Some((room, behind)) = room else { return false };
        let Some(behind) = behind.get_mut(..second.len()) else { return false };
        copy_bytes(room, first);
        copy_bytes(behind, second);
        self.len += first.len() + second.len();
        true
    }

    /// Appends the first `len` characters of a block of ASCII characters. Returns false if others are among them, or if
    /// there is no room for the whole block, which is checked and copied without a loop.
    // A few instructions of the hot loop; see `clear`.
    #[inline(always)]
    pub(crate) fn push_ascii<const N: usize>(&mut self, block: &[u8; N], len: usize) -> bool {
        let Some(room) = self.bytes.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut::<N>) else {
            return false;
        };
        if len > N || block.iter().fold(0, |all, byte| all | byte) >= 0x80 {
            return false;
        }
        *room = *block;
        self.len += len;
        true
    }

    /// Appends the digits of a number below 100,000,000. Returns false for larger numbers, or if there is
    /// no room for eight digits.
    // A few instructions of the hot loop; see `clear`.
    #[inline(always)]
    pub(crate) fn push_small(&mut self, number: u64) -> bool {
        if number >= 100_000_000 {
            return false;
        }
        let Some(room) = self.bytes.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut::<8>) else {
            return false;
        };
        let (digits, len) = short_integer(number);
        *room = digits;
        self.len += len;
        true
    }

    /// Returns the text from `start` on as a string in the arena, if it is ASCII and has at most 128
    /// bytes. The memory it takes there depends on its length only.
    // A few instructions of the hot loop; see `clear`.
    #[inline(always)]
    pub(crate) fn short_text<'a>(&self, arena: &'a Arena, start: usize) -> Option<Value<'a>> {
        let text = self.bytes.get(start..self.len)?;
        let bytes = self.bytes.get(start..)?;
        if let Some(word) = as_word(text) {
            return Value::ascii_word(arena, word, text.len());
        }
        if bytes.len() < LONGEST_SHORT {
            return short_text_at_end(arena, text);
        }
        short_text(arena, bytes, text.len())
    }

    /// Makes room for `more` bytes, at least doubling the memory.
    pub(crate) fn grow(&mut self, more: usize) {
        let needed = self.len + more;
        let mut bytes = std::mem::take(&mut self.bytes).into_vec();
        bytes.resize(needed.max(2 * bytes.len()).max(256), 0);
        self.bytes = bytes.into_boxed_slice();
    }

    /// Returns the text from `start` on; `None` if `start` is not at a character boundary.
    // A few instructions of the hot loop; see `clear`.
    #[inline(always)]
    pub(crate) fn since(&self, start: usize) -> Option<&str> {
        let bytes = self.bytes.get(..self.len)?;
        // SAFETY: the first `len` bytes are whole texts in a row: only `push` and `push_two` make `len`
        // larger, by texts that they copy there, `push_ascii`, by characters that it checks, and `push_small`,
        // by digits that it writes there; `clear` and `forget` make it smaller only to where one begins.
        unsafe { std::str::from_utf8_unchecked(bytes) }.get(start..)
    }

    /// Removes the text from `start` on. Does nothing if `start` is not at a character boundary.
    // A few instructions of the hot loop; see `clear`.
    #[inline(always)]
    pub(crate) fn forget(&mut self, start: usize) {
        if self.since(start).is_some() {
            self.len = start;
        }
    }
}

/// The longest text that is copied as one block.
const LONGEST_SHORT: usize = 128;

/// Returns the first `len` bytes as a string in the arena, if they are ASCII and `len` is from 8 to
/// `LONGEST_SHORT`. Inlined into its two callers, so that each size of block is a copy without a call.
#[inline(always)]
fn short_text<'a>(arena: &'a Arena, bytes: &[u8], len: usize) -> Option<Value<'a>> {
    match len {
        ..=16 => Value::ascii_block::<16, 8>(arena, bytes, len),
        17..=32 => Value::ascii_block::<32, 16>(arena, bytes, len),
        33..=64 => Value::ascii_block::<64, 32>(arena, bytes, len),
        65..=LONGEST_SHORT => Value::ascii_block::<128, 64>(arena, bytes, len),
        _ => None,
    }
}

/// Does the same for a text near the end of the buffer, where a whole block cannot be read. Cold: the
/// buffer is seldom that full.
#[cold]
#[inline(never)]
fn short_text_at_end<'a>(arena: &'a Arena, text: &[u8]) -> Option<Value<'a>> {
    let mut bytes = [0; LONGEST_SHORT];
    bytes.get_mut(..text.len())?.copy_from_slice(text);
    short_text(arena, &bytes, text.len())
}

/// Copies `from` to `to`, which has the same length. Up to 32 bytes are copied as two blocks that may
/// overlap, which saves the call of `memcpy`.
#[inline(always)]
pub(super) fn copy_bytes(to: &mut [u8], from: &[u8]) {
    match from.len() {
        1 => copy_ends::<1>(to, from),
        2..=3 => {
            for (to, from) in to.iter_mut().zip(from) {
                *to = *from;
            }
        }
        4..=8 => copy_ends::<4>(to, from),
        9..=16 => copy_ends::<8>(to, from),
        17..=32 => copy_ends::<16>(to, from),
        _ => to.copy_from_slice(from),
    }
}

/// Copies the first and the last `N` bytes. Inlined, because `N` decides which move instructions are
/// used.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk::<N>()) {
        *to = *from;
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<N>(), from.last_chunk::<N>()) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, LONGEST_SHORT, TextBuffer, Value};

    #[test]
    fn small_numbers_are_written_as_others() {
        let mut buffer = TextBuffer::default();
        assert!(!buffer.push_small(1));
        buffer.grow(256);
        assert!(!buffer.push_small(100_000_000) && !buffer.push_small(u64::MAX));
        let larger = (10_000..100_000_000).step_by(997).chain([99_999_999]);
        for number in (0..10_000).chain(larger) {
            buffer.clear();
            assert!(buffer.push("n") && buffer.push_small(number) && buffer.push("."));
            assert_eq!(buffer.since(0), Some(&*format!("n{number}.")));
        }
    }

    #[test]
    fn short_texts_are_compared_without_the_bytes_after_them() {
        for behind in ["", "b", "\u{e9}", &"c\u{e9}".repeat(40)] {
            for len in 0..=LONGEST_SHORT + 2 {
                let arena = Arena::new();
                let mut buffer = TextBuffer::default();
                buffer.grow(256);
                let text = "0123456789".repeat(13);
                assert!(buffer.push("begin") && buffer.push(&text[..len]) && buffer.push(behind));
                buffer.len -= behind.len();
                let made = buffer.short_text(&arena, 5).and_then(Value::as_str);
                assert_eq!(made, (len <= LONGEST_SHORT).then_some(&text[..len]), "{len} before {behind:?}");
                // With no bytes behind.
                buffer.bytes = buffer.bytes[..buffer.len].into();
                let made = buffer.short_text(&arena, 5).and_then(Value::as_str);
                assert_eq!(made, (len <= LONGEST_SHORT).then_some(&text[..len]), "{len} at the end");
                assert!(buffer.len == 5 || !buffer.push(behind) || behind.is_empty());
            }
        }
    }

    #[test]
    fn what_is_appended_is_there() {
        let text = "a\u{e9}\u{20ac}\u{10348}0123456789abcdefghijklmnopqrstuvwxyz";
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut buffer = TextBuffer::default();
        assert!(!buffer.push("a"));
        assert!(buffer.push(""));
        let mut expected = String::new();
        for from in &ends {
            for to in ends.iter().filter(|to| *to >= from) {
                let piece = &text[*from..*to];
                if !buffer.push(piece) {
                    buffer.grow(piece.len());
                    assert!(buffer.push(piece));
                }
                expected.push_str(piece);
                assert_eq!(buffer.len(), expected.len());
            }
        }
        assert_eq!(buffer.since(0), Some(&*expected));
        let within = expected.find('\u{e9}').unwrap() + 1;
        assert_eq!(buffer.since(within), None);
        buffer.forget(within);
        assert_eq!(buffer.len(), expected.len());
        buffer.forget(within - 1);
        assert_eq!(buffer.since(0), Some(&expected[..within - 1]));
        assert_eq!(buffer.since(within), None);
    }
}
