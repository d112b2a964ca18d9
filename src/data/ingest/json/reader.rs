//! A position in a JSON text, and the signs between values.

use std::borrow::Cow;

use super::{DEEPEST, JsonError, Refusal};

/// A position in a JSON text.
#[derive(Debug)]
pub(crate) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn at_end(text: &'t str) -> Self {
        Self { text, at: text.len() }
    }

    #[cold]
    pub(super) fn error(&self, message: impl Into<String>) -> JsonError {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        JsonError { message: message.into(), line, column: self.at - start + 1 }
    }

    #[cold]
    pub(super) fn refused(&self, refusal: &Refusal<'_>) -> JsonError {
        self.error(refusal.to_string())
    }

    /// An error about a value that the limits of the engine do not allow, at its end.
    #[cold]
    pub(crate) fn beyond_limits(&self) -> JsonError {
        self.error("the value exceeds the limits of the engine")
    }

    /// An error about nesting deeper than `limit`, which is less than [`DEEPEST`] where the
    /// engine's own limit is.
    #[cold]
    pub(super) fn too_deep(&self, limit: u16) -> JsonError {
        self.refused(&Refusal::Depth(limit.min(DEEPEST)))
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(super) fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Nothing but space follows.
    pub(crate) fn end(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.peek().is_none() { Ok(()) } else { Err(self.error("characters after the end of the value")) }
    }

    /// Opens the object of all variables.
    pub(crate) fn open_variables(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.peek() != Some(b'{') {
            return Err(self.error("an object with a member for each variable was expected"));
        }
        self.at += 1;
        Ok(())
    }

    #[cold]
    pub(super) fn no_value(&self) -> JsonError {
        match self.peek() {
            Some(_) => self.error("a value was expected"),
            None => self.error("the text ends where a value was expected"),
        }
    }

    #[cold]
    pub(super) fn no_separator(&self, close: u8) -> JsonError {
        let close = char::from(close);
        match self.peek() {
            Some(_) => self.error(format!("a comma or \"{close}\" was expected")),
            None => self.error(format!("the text ends before \"{close}\"")),
        }
    }

    #[inline]
    pub(super) fn word(&mut self, word: &str) -> Result<(), JsonError> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.no_value());
        }
        self.at += word.len();
        Ok(())
    }

    /// Whether another element follows: reads the separator before it, or the closing bracket.
    #[inline]
    pub(crate) fn another(&mut self, close: u8, first: &mut bool) -> Result<bool, JsonError> {
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

    #[inline]
    pub(super) fn key_start(&self) -> Result<(), JsonError> {
        if self.peek() == Some(b'"') { Ok(()) } else { Err(self.error("a name in quotes was expected")) }
    }

    #[inline]
    pub(super) fn colon(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.error("a colon was expected"));
        }
        self.at += 1;
        Ok(())
    }

    /// The name of a member and the colon after it.
    #[inline]
    pub(crate) fn name(&mut self) -> Result<Cow<'t, str>, JsonError> {
        self.key_start()?;
        let name = self.owned_string()?;
        self.colon()?;
        Ok(name)
    }
}
