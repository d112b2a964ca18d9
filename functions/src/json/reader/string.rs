//! Strings of JSON. A string without escapes is a slice of the text; only one with escapes is decoded
//! into other memory.

use std::borrow::Cow;
use std::fmt::Write;

use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, cast};

use super::{JsonError, JsonReader};

/// A sink that discards what is written, to check a string without decoding it into memory.
struct Discard;

impl Write for Discard {
    fn write_str(&mut self, _: &str) -> std::fmt::Result {
        Ok(())
    }
}

/// A string without escapes.
#[derive(Clone, Copy, Debug)]
pub struct PlainString<'t> {
    /// The text between the quotes.
    pub text: &'t str,
    /// True if all of its characters are ASCII.
    pub ascii: bool,
}

impl<'t> JsonReader<'t> {
    /// Reads a string whose opening quote is next and that has no escapes. Returns `None`, without
    /// advancing, if it has some.
    #[inline]
    pub fn plain_string(&mut self) -> Result<Option<PlainString<'t>>, JsonError> {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let (len, ascii) = plain_length(rest);
        if rest.get(len) == Some(&b'"') {
            self.at = start + len + 1;
            let text = self.text.get(start..start + len).unwrap_or_default();
            return Ok(Some(PlainString { text, ascii }));
        }
        if rest.get(len) == Some(&b'\\') {
            return Ok(None);
        }
        self.at = start + len;
        Err(self.broken_string())
    }

    /// Reads a string that has escapes into `arena`, in normal form C. Empty if the arena has no room,
    /// which exhausts the budget.
    // Few strings have escapes.
    #[cold]
    pub fn decoded<'a>(&mut self, arena: &'a Arena) -> Result<&'a str, JsonError> {
        let start = self.at;
        // Finds the end first: decoding only shortens a string, so the reserved memory is enough.
        self.decode(&mut Discard)?;
        if !arena.has_room(self.at - start) {
            return Ok("");
        }
        let mut text = arena.string();
        text.reserve(self.at - start);
        self.at = start;
        self.decode(&mut text)?;
        Ok(nfc(arena, text.into_bump_str()))
    }

    /// Reads a string as it is written, for callers without an arena.
    #[inline]
    pub fn owned_string(&mut self) -> Result<Cow<'t, str>, JsonError> {
        if let Some(plain) = self.plain_string()? {
            return Ok(Cow::Borrowed(plain.text));
        }
        let mut text = String::new();
        self.decode(&mut text)?;
        Ok(Cow::Owned(text))
    }

    /// Checks a string and advances over it.
    #[inline]
    pub fn skip_string(&mut self) -> Result<(), JsonError> {
        if self.plain_string()?.is_none() {
            self.decode(&mut Discard)?;
        }
        Ok(())
    }

    // Only errors get here.
    #[cold]
    fn broken_string(&self) -> JsonError {
        match self.peek() {
            Some(_) => self.error("a string has a control character that is not escaped"),
            None => self.error("a string has no closing quote before the end of the text"),
        }
    }

    /// string = '"' ( character | escape )* '"'
    ///
    /// Writes the string with its escapes decoded.
    // Few strings have escapes.
    #[cold]
    fn decode(&mut self, out: &mut impl Write) -> Result<(), JsonError> {
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let (len, _) = plain_length(rest.as_bytes());
            // Writing to a string, in an arena or not, never fails.
            let _ = out.write_str(rest.get(..len).unwrap_or_default());
            self.at += len;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    let character = self.escape()?;
                    let _ = out.write_char(character);
                }
                _ => return Err(self.broken_string()),
            }
        }
    }

    /// escape = "\" ( '"' | "\" | "/" | "b" | "f" | "n" | "r" | "t" | "u" hex hex hex hex )
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
                return Err(self.error(format!("JSON has no escape sequence of `\\` and {}", self.found())));
            }
        })
    }

    /// Reads the character of `\uXXXX`, or of two of them that are a surrogate pair, after the `u`.
    fn unicode(&mut self) -> Result<char, JsonError> {
        let high = self.four_digits()?;
        if let Some(character) = char::from_u32(high) {
            return Ok(character);
        }
        let after = self.at;
        let pair = self.text.as_bytes().get(after..after + 2) == Some(br"\u") && high < 0xDC00;
        if pair {
            self.at += 2;
            let low = self.four_digits()?;
            if (0xDC00..0xE000).contains(&low)
                && let Some(character) = char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
            {
                return Ok(character);
            }
        }
        if self.lone_surrogates {
            self.at = after;
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        Err(self.error("half of a surrogate pair"))
    }

    fn four_digits(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        let number = u32::from_str_radix(digits, 16)
            .ok()
            .filter(|_| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let number = number.ok_or_else(|| self.error("expected four hexadecimal digits after `\\u`"))?;
        self.at += 4;
        Ok(number)
    }
}

/// Returns how many bytes precede the first quote, backslash or control character, and whether all of
/// them are ASCII. SWAR, eight bytes at a time:
///
/// ```text
/// byte ^ 0x02             0x22 (quote) becomes 0x20; what was below 0x20 stays below
/// …    - 0x21             borrows from its high bit exactly where the byte was one of these
/// byte ^ 0x5C, - 0x01     the same for the backslash
/// & !byte & 0x80          a high bit that was there before does not count
/// ```
/// A borrow into the next byte can come only from a byte that matches itself, and only the first
/// match counts.
#[inline]
fn plain_length(bytes: &[u8]) -> (usize, bool) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let (mut at, mut seen) = (0, 0);
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        let quotes_and_controls = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        let backslashes = (word ^ (ONES * 0x5C)).wrapping_sub(ONES);
        let found = (quotes_and_controls | backslashes) & !word & HIGH;
        if found != 0 {
            // The bits below the first one that is set.
            let before = found ^ (found - 1);
            seen |= word & before;
            return (at + cast::index(found.trailing_zeros() / 8), seen & HIGH == 0);
        }
        seen |= word;
        at += 8;
    }
    for byte in bytes.get(at..).unwrap_or_default() {
        if matches!(byte, b'"' | b'\\' | 0..0x20) {
            break;
        }
        seen |= u64::from(*byte);
        at += 1;
    }
    (at, seen & HIGH == 0)
}

#[cfg(test)]
mod tests {
    use super::plain_length;

    /// Does the same one byte at a time.
    fn plainly(bytes: &[u8]) -> (usize, bool) {
        let len = bytes.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
        (len, bytes.get(..len).unwrap_or_default().is_ascii())
    }

    #[test]
    fn eight_bytes_at_a_time_agree_with_one() {
        for special in 0..=255 {
            for other in [b'a', 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0xC3, 0xFF, b'"', 0x01] {
                for len in 0..20 {
                    for at in 0..=len {
                        let mut bytes = vec![other; len];
                        bytes.insert(at, special);
                        assert_eq!(plain_length(&bytes), plainly(&bytes), "{bytes:?}");
                    }
                }
            }
        }
    }
}
