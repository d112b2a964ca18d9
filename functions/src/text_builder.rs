//! Builds texts whose size is not known beforehand. Every byte is charged before it is written.
//!
//! Once the budget is exhausted, writes are dropped and the finished value is a placeholder; the
//! evaluation reports the limit. A finished text is normalized to form C, because characters on both
//! sides of a seam between parts may combine. Functions that know the size of their result use
//! `may_make_text` and a string in the arena instead.

use std::fmt;

use hclvm_vm::{Arena, Exhausted, NumberRef, Value, text};

/// A growing text in memory that the arena keeps for the next one. Methods that write return false once the budget is exhausted.
pub(crate) struct TextBuilder<'a> {
    arena: &'a Arena,
    text: String,
}

impl<'a> TextBuilder<'a> {
    /// Creates an empty text.
    pub(crate) fn new(arena: &'a Arena) -> Self {
        Self { arena, text: arena.take_text() }
    }

    /// Returns the arena whose budget is charged.
    pub(crate) fn arena(&self) -> &'a Arena {
        self.arena
    }

    /// Appends a text.
    pub(crate) fn push(&mut self, part: &str) -> bool {
        let fits = self.has_room(part.len());
        if fits {
            self.text.push_str(part);
        }
        fits
    }

    /// Appends a character.
    pub(crate) fn push_char(&mut self, c: char) -> bool {
        self.push(c.encode_utf8(&mut [0; 4]))
    }

    /// Appends an ASCII character `count` times.
    pub(crate) fn repeat(&mut self, c: char, count: usize) -> bool {
        let fits = self.has_room(count);
        if fits {
            self.text.extend(std::iter::repeat_n(c, count));
        }
        fits
    }

    /// Appends a number as its conversion to string shows it.
    pub(crate) fn push_number(&mut self, number: NumberRef<'_>) -> bool {
        match number_text(self.arena, number) {
            Some(text) => self.push(&text),
            None => false,
        }
    }

    /// Returns the text written so far.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Finishes the text and returns it as a value.
    pub(crate) fn value(self) -> Value<'a> {
        text_value(self.arena, &self.text)
    }

    fn has_room(&self, bytes: usize) -> bool {
        let total = self.text.len().saturating_add(bytes);
        if total > self.arena.budget().limits().text_bytes {
            self.arena.budget().exhaust(Exhausted::Text);
        }
        self.arena.charge(bytes as u64)
    }
}

impl Drop for TextBuilder<'_> {
    fn drop(&mut self) {
        self.arena.keep_text(std::mem::take(&mut self.text));
    }
}

impl fmt::Write for TextBuilder<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.push(part) { Ok(()) } else { Err(fmt::Error) }
    }
}

/// Copies a text into the arena in normal form C and returns it as a value; a placeholder if the
/// budget is exhausted.
pub fn text_value<'a>(arena: &'a Arena, text: &str) -> Value<'a> {
    if arena.budget().exhausted().is_some() {
        return Value::DYNAMIC;
    }
    Value::str(arena, arena_text(arena, text))
}

/// Copies a text into the arena in normal form C.
pub fn arena_text<'a>(arena: &'a Arena, made: &str) -> &'a str {
    text::nfc(arena, arena.text(made))
}

/// Returns the text of a number; `None`, which exhausts the budget, if it has too many digits.
pub(crate) fn number_text(arena: &Arena, number: NumberRef<'_>) -> Option<String> {
    let text = number.text_within(u64::from(arena.budget().limits().digits));
    if text.is_none() {
        arena.budget().exhaust(Exhausted::Digits);
    }
    text
}
