//! Strings of JSON. A string without escapes is a slice of the text; only one with escapes is decoded
//! into other memory.

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
    /// The text that it is a part of.
    whole: &'t str,
    start: usize,
    len: usize,
    /// True if all of its characters are ASCII.
    pub ascii: bool,
    /// Its first bytes; see [`head`].
    head: u64,
}

impl<'t> PlainString<'t> {
    /// Returns the text between the quotes.
    #[inline]
    pub fn text(&self) -> &'t str {
        self.whole.get(self.start..self.start + self.len).unwrap_or_default()
    }

    /// Returns true if it is `name`, whose [`head`] is `head`. Most names differ in a word, so that this does not
    /// look at the text.
    // Inlined into searches.
    #[inline(always)]
    pub fn is(&self, name: &str, head: u64) -> bool {
        self.head == head && self.len == name.len() && (name.len() <= WORD || self.text() == name)
    }
}

/// A name that is expected at the beginning of the next member, with its quote behind it.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedName<'t> {
    name: &'t str,
    /// The first bytes of the name and the quote, and which bytes of a word these are.
    word: u64,
    mask: u64,
}

impl<'t> ExpectedName<'t> {
    /// Prepares a name.
    pub fn new(name: &'t str) -> Self {
        let quote = u64::from(b'"');
        let (word, mask) = match name.len() {
            WORD.. => (head(name), u64::MAX),
            len => (head(name) | quote << (8 * len), u64::MAX >> (8 * (WORD - 1 - len))),
        };
        Self { name, word, mask }
    }

    /// Returns the name.
    pub fn name(&self) -> &'t str {
        self.name
    }
}

/// Returns the first eight bytes of a text as a little-endian word; shorter texts end in zeros.
#[inline]
pub fn head(text: &str) -> u64 {
    match text.as_bytes().first_chunk::<WORD>() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => text.bytes().rev().fold(0, |word, byte| word << 8 | u64::from(byte)),
    }
}

impl<'t> JsonReader<'t> {
    /// Reads a string whose opening quote is next and that has no escapes. Returns `None`, without
    /// advancing, if it has some.
    // Inlined: returned through memory, its result costs more than a short string.
    #[inline(always)]
    pub fn plain_string(&mut self) -> Result<Option<PlainString<'t>>, JsonError> {
        let start = self.at + 1;
        let Scan { len, ascii, head, stop } = scan(self.text.as_bytes(), start);
        if stop == b'"' {
            self.at = start + len + 1;
            return Ok(Some(PlainString { whole: self.text, start, len, ascii, head }));
        }
        self.not_plain(start + len, stop).map(|()| None)
    }

    /// Advances over the string that is next and returns true if it is the expected name, which needs no
    /// escapes.
    // Inlined: a load and a comparison for names of up to seven bytes.
    #[inline(always)]
    pub fn takes(&mut self, expected: &ExpectedName<'_>) -> bool {
        let (start, len) = (self.at + 1, expected.name.len());
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let found = match rest.first_chunk::<WORD>() {
            Some(chunk) if (u64::from_le_bytes(*chunk) ^ expected.word) & expected.mask != 0 => false,
            Some(_) if len < WORD => true,
            _ => rest.get(len) == Some(&b'"') && rest.starts_with(expected.name.as_bytes()),
        };
        if found {
            self.at = start + len + 1;
        }
        found
    }

    /// Fails unless the string that ends in `stop`, at `end`, ends there in an escape.
    // Few strings have escapes.
    #[cold]
    #[inline(never)]
    fn not_plain(&mut self, end: usize, stop: u8) -> Result<(), JsonError> {
        if stop == b'\\' {
            return Ok(());
        }
        self.at = end;
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

    /// Reads a string that has escapes, for callers without an arena.
    // Few strings have escapes.
    #[cold]
    pub fn decoded_string(&mut self) -> Result<String, JsonError> {
        let mut text = String::new();
        self.decode(&mut text)?;
        Ok(text)
    }

    /// Checks a string and advances over it.
    // Inlined, as `plain_string`.
    #[inline(always)]
    pub fn skip_string(&mut self) -> Result<(), JsonError> {
        let (end, stop) = string_end(self.text.as_bytes(), self.at + 1);
        if stop == b'"' {
            self.at = end + 1;
            return Ok(());
        }
        self.skip_escaped(end, stop)
    }

    /// Does the same for a string whose first part ends in `stop`, which is no quote, at `end`.
    // Few strings have escapes.
    #[cold]
    #[inline(never)]
    fn skip_escaped(&mut self, end: usize, stop: u8) -> Result<(), JsonError> {
        self.not_plain(end, stop)?;
        self.decode(&mut Discard)
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
            let len = string_end(rest.as_bytes(), 0).0;
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

/// The bytes of a string up to the first quote, backslash or control character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scan {
    /// How many bytes precede it.
    len: usize,
    /// True if all of these are ASCII.
    ascii: bool,
    /// The first of these; see [`head`].
    head: u64,
    /// The character; 0 if there is none.
    stop: u8,
}

/// The bytes of a word.
const WORD: usize = size_of::<u64>();

/// The high bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Returns the high bit of each byte of a word that is a quote, a backslash or a control character, and of
/// none that precedes the first of them. SWAR:
///
/// ```text
/// byte ^ 0x02             0x22 (quote) becomes 0x20; what was below 0x20 stays below
/// …    - 0x21             borrows from its high bit exactly where the byte was one of these
/// byte ^ 0x5C, - 0x01     the same for the backslash
/// & !byte & 0x80          a high bit that was there before does not count
/// ```
/// A borrow into the next byte can come only from a byte that matches itself, and only the first
/// match counts.
// Inlined: ten instructions.
#[inline(always)]
const fn stops(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let quotes_and_controls = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslashes = (word ^ (ONES * 0x5C)).wrapping_sub(ONES);
    (quotes_and_controls | backslashes) & !word & HIGH
}

/// Returns eight bytes from `at` on as a little-endian word; zeros follow the end of the text.
#[inline(always)] // A check and a load.
pub(super) fn word_at(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<WORD>()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => last_word(bytes, at),
    }
}

// Out of line: only the last seven bytes of a text get here.
#[inline(never)]
fn last_word(bytes: &[u8], at: usize) -> u64 {
    let left = bytes.len().saturating_sub(at);
    match bytes.last_chunk::<WORD>() {
        _ if left == 0 => 0,
        Some(chunk) => u64::from_le_bytes(*chunk) >> (8 * (WORD - left)),
        None => bytes
            .get(at..)
            .unwrap_or_default()
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Finds the first quote, backslash or control character from `start` on, eight bytes at a time. The end of the text
/// counts as a control character.
// Inlined for strings of less than eight bytes, as most names are: a call doubles their cost.
#[inline(always)]
fn scan(bytes: &[u8], start: usize) -> Scan {
    let word = word_at(bytes, start);
    let found = stops(word);
    if found == 0 {
        let ScanEnd { len, found } = scan_on(bytes, start, word);
        let [stop, ascii] = found.to_le_bytes();
        return Scan { len, ascii: ascii != 0, head: word, stop };
    }
    // The bits of the bytes before the first match.
    let before = (found ^ (found - 1)) >> 8;
    let bit = found.trailing_zeros() & !7;
    let [stop, ..] = (word >> bit).to_le_bytes();
    Scan { len: cast::index(bit / 8), ascii: word & before & HIGH == 0, head: word & before, stop }
}

/// What [`scan_on`] finds. Two words, so that it is returned in machine registers.
struct ScanEnd {
    len: usize,
    /// The character, and 1 if all before it are ASCII.
    found: u16,
}

/// Continues after a first word without a match.
// Out of line: see `scan`.
#[inline(never)]
fn scan_on(bytes: &[u8], start: usize, head: u64) -> ScanEnd {
    let (mut at, mut seen) = (start + WORD, head);
    loop {
        let word = word_at(bytes, at);
        let found = stops(word);
        if found != 0 {
            let before = (found ^ (found - 1)) >> 8;
            let bit = found.trailing_zeros() & !7;
            let [stop, ..] = (word >> bit).to_le_bytes();
            let ascii = (seen | word & before) & HIGH == 0;
            let len = at + cast::index(bit / 8) - start;
            return ScanEnd { len, found: u16::from_le_bytes([stop, u8::from(ascii)]) };
        }
        seen |= word;
        at += WORD;
    }
}

/// Finds the end of a string that begins at `start`: the position of the first quote, backslash or control character,
/// and that character; 0 at the end of the text. Faster than [`scan`] for strings of which nothing else is asked.
// Inlined: short strings take one word.
#[inline(always)]
fn string_end(bytes: &[u8], start: usize) -> (usize, u8) {
    let mut at = start;
    loop {
        let word = word_at(bytes, at);
        let found = stops(word);
        if found != 0 {
            let bit = found.trailing_zeros() & !7;
            let [stop, ..] = (word >> bit).to_le_bytes();
            return (at + cast::index(bit / 8), stop);
        }
        at += WORD;
    }
}

#[cfg(test)]
mod tests {
    use super::{ExpectedName, JsonReader, Scan, head, scan, string_end};

    /// Does the same one byte at a time.
    fn plainly(bytes: &[u8]) -> Scan {
        let len = bytes.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
        let plain = bytes.get(..len).unwrap_or_default();
        let head = plain.iter().take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Scan { len, ascii: plain.is_ascii(), head, stop: bytes.get(len).copied().unwrap_or(0) }
    }

    #[test]
    fn eight_bytes_at_a_time_agree_with_one() {
        for special in 0..=255 {
            for other in [b'a', 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0xC3, 0xFF, b'"', 0x01] {
                for len in 0..20 {
                    for at in 0..=len {
                        let mut bytes = vec![other; len];
                        bytes.insert(at, special);
                        let plain = plainly(&bytes);
                        assert_eq!(scan(&bytes, 0), plain, "{bytes:?}");
                        assert_eq!(string_end(&bytes, 0), (plain.len, plain.stop), "{bytes:?}");
                        let longer = [b"\"", bytes.as_slice()].concat();
                        assert_eq!(scan(&longer, 1), plain, "{bytes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_expected_name_is_recognized() {
        for name in ["", "a", "abcdefg", "abcdefgh", "abcdefghi", "größe", "a name of several words"] {
            let expected = ExpectedName::new(name);
            for behind in ["", ": 1", ": 1, \"b\": 2"] {
                let text = format!("\"{name}\"{behind}");
                let mut reader = JsonReader::new(&text);
                assert!(reader.takes(&expected), "{text}");
                assert_eq!(reader.at, name.len() + 2);
            }
            for other in ["x", "abcdefgx", "abcdefgh-", "größer", "a name of several wordy", "a\\"] {
                let text = format!("\"{other}\": 1, \"abc\": 2");
                let mut reader = JsonReader::new(&text);
                assert!(!reader.takes(&expected), "{text}");
                assert_eq!(reader.at, 0);
            }
        }
    }

    #[test]
    fn the_head_of_a_text_is_its_first_eight_bytes() {
        assert_eq!(head(""), 0);
        assert_eq!(head("ab"), 0x6261);
        assert_eq!(head("abcdefgh"), head("abcdefghi"));
        assert_ne!(head("abcdefgh"), head("abcdefgi"));
    }
}
