//! Strings of JSON: slices of the text where nothing is escaped.

use std::borrow::Cow;

use hclvm_vm::arena::Arena;

use super::{JsonError, Reader};

impl<'t> Reader<'t> {
    /// A string, whose opening quote is next. Borrowed from the text, or decoded in the arena.
    #[inline]
    pub(super) fn string<'a>(&mut self, arena: &'a Arena) -> Result<&'a str, JsonError>
    where
        't: 'a,
    {
        match self.plain_string()? {
            Some(text) => Ok(text),
            None => Ok(arena.text(&self.decoded()?)),
        }
    }

    /// Like `string`, for those without an arena.
    pub(super) fn owned_string(&mut self) -> Result<Cow<'t, str>, JsonError> {
        match self.plain_string()? {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => Ok(Cow::Owned(self.decoded()?)),
        }
    }

    pub(super) fn skip_string(&mut self) -> Result<(), JsonError> {
        if self.plain_string()?.is_none() {
            self.decoded()?;
        }
        Ok(())
    }

    /// The string when nothing in it is escaped; else the position stays at its beginning.
    #[inline]
    fn plain_string(&mut self) -> Result<Option<&'t str>, JsonError> {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let len = plain_length(rest);
        match rest.get(len) {
            Some(b'"') => {
                self.at = start + len + 1;
                Ok(Some(&self.text[start..start + len]))
            }
            Some(b'\\') => Ok(None),
            Some(_) => {
                self.at = start + len;
                Err(self.error("a control character in a string has to be escaped"))
            }
            None => {
                self.at = self.text.len();
                Err(self.error("the text ends inside a string"))
            }
        }
    }

    /// The string with its escapes decoded.
    #[cold]
    fn decoded(&mut self) -> Result<String, JsonError> {
        let mut text = String::new();
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let len = plain_length(rest.as_bytes());
            text.push_str(&rest[..len]);
            self.at += len;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.error("a control character in a string has to be escaped")),
                None => return Err(self.error("the text ends inside a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        self.at += 1;
        let selector = self.peek();
        self.at += 1;
        Ok(match selector {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => {
                self.at -= 1;
                return Err(self.error("this is no escape sequence of JSON"));
            }
        })
    }

    /// The character of `\uXXXX`, or of two of them that are a surrogate pair.
    fn unicode(&mut self) -> Result<char, JsonError> {
        let high = self.four_digits()?;
        if let Some(character) = char::from_u32(high) {
            return Ok(character);
        }
        let pair = self.text.as_bytes().get(self.at..self.at + 2) == Some(br"\u") && high < 0xDC00;
        if pair {
            self.at += 2;
            let low = self.four_digits()?;
            if (0xDC00..0xE000).contains(&low)
                && let Some(character) = char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
            {
                return Ok(character);
            }
        }
        Err(self.error("half of a surrogate pair"))
    }

    fn four_digits(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        let number = u32::from_str_radix(digits, 16)
            .ok()
            .filter(|_| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let number = number.ok_or_else(|| self.error("four hexadecimal digits were expected"))?;
        self.at += 4;
        Ok(number)
    }
}

/// How many bytes come before the first quote, backslash or control character. Eight at a time:
/// a byte of `found` has its high bit set when the byte of `word` is one of these.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| <[u8; 8]>::try_from(chunk).ok()) {
        let word = u64::from_le_bytes(chunk);
        let quotes = zero_bytes(word ^ (ONES * u64::from(b'"')));
        let backslashes = zero_bytes(word ^ (ONES * u64::from(b'\\')));
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let found = quotes | backslashes | controls;
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len())
}
