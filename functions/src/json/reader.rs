//! A cursor over a JSON text: white space, strings, numbers, words and separators, without values.
//!
//! Two builders of values use it. `jsondecode` (`decode`) keeps open brackets on a stack of its own
//! and charges the budget of the evaluation; the ingest of the library recurses to a fixed depth,
//! predicts the names of objects and can skip what no program reads.
//!
//! The position is always on a character boundary: methods advance over ASCII bytes or whole strings.

mod between;
mod number;
mod string;

pub use between::Between;
pub use number::WrittenNumber;
pub use string::{ExpectedName, PlainString, head};

use std::fmt;

/// A position in a JSON text.
#[derive(Clone, Debug)]
pub struct JsonReader<'t> {
    text: &'t str,
    at: usize,
    lone_surrogates: bool,
}

/// A syntax error in a JSON text and its position. One word, so that a value or an error is returned in
/// machine registers.
#[derive(Debug)]
pub struct JsonError(Box<JsonProblem>);

#[derive(Debug)]
struct JsonProblem {
    message: String,
    line: usize,
    /// In bytes, from 1.
    column: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JsonProblem { message, line, column } = &*self.0;
        write!(f, "{message} at line {line} column {column}")
    }
}

impl<'t> JsonReader<'t> {
    /// Creates a reader at the start of `text`.
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0, lone_surrogates: false }
    }

    /// Creates a reader at the end of `text`, to report an error there.
    pub fn at_end(text: &'t str) -> Self {
        Self { at: text.len(), ..Self::new(text) }
    }

    /// Skips a byte order mark at the start, which editors and shells write before texts of hosts.
    #[must_use]
    pub fn after_mark(self) -> Self {
        let is_marked = self.at == 0 && self.text.starts_with('\u{FEFF}');
        Self { at: if is_marked { '\u{FEFF}'.len_utf8() } else { self.at }, ..self }
    }

    /// Reads half of a surrogate pair as U+FFFD instead of rejecting it, like Go's encoding/json.
    #[must_use]
    pub fn accepting_lone_surrogates(self) -> Self {
        Self { lone_surrogates: true, ..self }
    }

    /// Makes an error at the current position.
    // Keeps the search for the line out of the loops.
    #[cold]
    pub fn error(&self, message: impl Into<String>) -> JsonError {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        JsonError(Box::new(JsonProblem { message: message.into(), line, column: self.at - start + 1 }))
    }

    /// Returns the next byte.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Advances over one byte, which [`peek`](Self::peek) has returned and which is ASCII.
    #[inline]
    pub fn bump(&mut self) {
        self.at += 1;
    }

    /// Advances over white space.
    // Inlined: mostly a compare, because texts of machines have no white space.
    #[inline(always)]
    pub fn space(&mut self) {
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.more_space();
        }
    }

    // Out of line: see `space`.
    #[inline(never)]
    fn more_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Fails unless only white space is left.
    pub fn end(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.peek().is_none() { Ok(()) } else { Err(self.no_end()) }
    }

    // Only errors get here.
    #[cold]
    fn no_end(&self) -> JsonError {
        self.error(format!("expected the end of the text, found {}", self.found()))
    }

    /// Makes the error for a position where a value is missing.
    // Only errors get here.
    #[cold]
    pub fn no_value(&self) -> JsonError {
        self.error(format!("expected a value, found {}", self.found()))
    }

    /// Makes the error for a position where neither a comma nor `close` follows a value.
    // Only errors get here.
    #[cold]
    pub fn no_separator(&self, close: u8) -> JsonError {
        let close = char::from(close);
        self.error(match self.peek() {
            Some(_) => format!("expected a comma or `{close}`, found {}", self.found()),
            None => format!("the text ends before `{close}`"),
        })
    }

    /// Describes the next character for an error.
    fn found(&self) -> String {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(c) if c.is_control() => format!("the character {c:?}"),
            Some(c) => format!("`{c}`"),
            None => "the end of the text".to_owned(),
        }
    }

    /// Advances over `word`: `true`, `false` or `null`.
    #[inline]
    pub fn word(&mut self, word: &str) -> Result<(), JsonError> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.no_word(word));
        }
        self.at += word.len();
        Ok(())
    }

    // Only errors get here.
    #[cold]
    fn no_word(&self, word: &str) -> JsonError {
        self.error(format!("expected `{word}`, found another word that begins with `{}`", &word[..1]))
    }

    /// Advances over the separator before the next element and returns true, or over `close` and
    /// returns false. `first` is true before the first element, which has no separator, and false
    /// afterwards.
    #[inline]
    pub fn another(&mut self, close: u8, first: &mut bool) -> Result<bool, JsonError> {
        self.space();
        match self.peek() {
            Some(b',') if !*first => {
                self.at += 1;
                self.space();
                return Ok(true);
            }
            Some(byte) if byte == close => {
                self.at += 1;
                return Ok(false);
            }
            Some(_) if *first => {}
            _ => return Err(self.no_separator(close)),
        }
        *first = false;
        Ok(true)
    }

    /// Fails unless the name of a member is next.
    #[inline]
    pub fn key_start(&self) -> Result<(), JsonError> {
        if self.peek() == Some(b'"') { Ok(()) } else { Err(self.no_name()) }
    }

    // Only errors get here.
    #[cold]
    fn no_name(&self) -> JsonError {
        self.error(format!("expected a name in double quotes, found {}", self.found()))
    }

    /// Advances over the colon after the name of a member.
    #[inline]
    pub fn colon(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.no_colon());
        }
        self.at += 1;
        Ok(())
    }

    // Only errors get here.
    #[cold]
    fn no_colon(&self) -> JsonError {
        self.error(format!("expected `:` after the name, found {}", self.found()))
    }
}
