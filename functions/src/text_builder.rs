//! A text that a function builds, paid for byte by byte.
//!
//! When the budget ends, what is written is dropped and the finished value is a placeholder:
//! whoever runs the evaluation reports the limit. Every text is brought into normal form C when
//! it is finished, for the seams between its parts may have made other characters of them.

use std::fmt;

use hclvm_vm::{Arena, Exhausted, NumberRef, Value, text};

/// A growing text.
pub(crate) struct TextBuilder<'a> {
    arena: &'a Arena,
    text: String,
}

impl<'a> TextBuilder<'a> {
    /// An empty text.
    pub(crate) fn new(arena: &'a Arena) -> Self {
        Self { arena, text: String::new() }
    }

    /// The arena that pays.
    pub(crate) fn arena(&self) -> &'a Arena {
        self.arena
    }

    /// Adds a text; false when the budget does not allow it.
    pub(crate) fn push(&mut self, part: &str) -> bool {
        let fits = self.has_room(part.len());
        if fits {
            self.text.push_str(part);
        }
        fits
    }

    /// Adds one character.
    pub(crate) fn push_char(&mut self, c: char) -> bool {
        self.push(c.encode_utf8(&mut [0; 4]))
    }

    /// Adds an ASCII character many times.
    pub(crate) fn repeat(&mut self, c: char, count: usize) -> bool {
        let fits = self.has_room(count);
        if fits {
            self.text.extend(std::iter::repeat_n(c, count));
        }
        fits
    }

    /// Adds a number as conversion to text shows it.
    pub(crate) fn push_number(&mut self, number: NumberRef<'_>) -> bool {
        match number_text(self.arena, number) {
            Some(text) => self.push(&text),
            None => false,
        }
    }

    /// What was written so far.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The text as a value.
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

impl fmt::Write for TextBuilder<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.push(part) { Ok(()) } else { Err(fmt::Error) }
    }
}

/// A text as a value: in normal form C, in the arena; a placeholder when the budget is exhausted.
pub fn text_value<'a>(arena: &'a Arena, text: &str) -> Value<'a> {
    if arena.budget().exhausted().is_some() {
        return Value::DYNAMIC;
    }
    Value::str(arena, arena_text(arena, text))
}

/// A text in normal form C in the arena.
pub fn arena_text<'a>(arena: &'a Arena, made: &str) -> &'a str {
    text::nfc(arena, arena.text(made))
}

/// The text of a number; none, and the budget exhausted, when it has too many digits.
pub(crate) fn number_text(arena: &Arena, number: NumberRef<'_>) -> Option<String> {
    let text = number.text_within(u64::from(arena.budget().limits().digits));
    if text.is_none() {
        arena.budget().exhaust(Exhausted::Digits);
    }
    text
}
