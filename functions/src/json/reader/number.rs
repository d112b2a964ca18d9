//! Numbers of JSON. Short ones are converted while they are read; others are left as text, for
//! [`Number::parse_text`](hclvm_vm::Number::parse_text) to read at 512 bits.
//!
//! ```text
//! number = "-"? ( "0" | digit-but-zero digit* ) ( "." digit+ )? ( ("e" | "E") ("+" | "-")? digit+ )?
//! ```

use hclvm_vm::{NumberRef, Value, cast};

use super::string::word_at;
use super::{JsonError, JsonReader};

/// The largest number of digits that surely fit the 64-bit integer of an inline number.
const SHORT: usize = 18;
/// A number with fewer digits than this, and an exponent of at most as many digits as this has zeros,
/// is always representable: the binary exponent of a big float has 32 bits.
const SURE: usize = 100_000_000;
/// The number of zeros of [`SURE`].
const SURE_EXPONENT: usize = 8;

/// A number as it is written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenNumber<'t> {
    text: &'t str,
    /// The number of digits before the exponent.
    count: usize,
    /// The number of digits of the exponent.
    exponent: usize,
}

impl<'t> JsonReader<'t> {
    /// Reads a number without an exponent that fits the word of a value. Returns `None`, without advancing, before
    /// any other number.
    // Not inlined: it is called for each number, from several places, and has its result in machine registers.
    #[inline(never)]
    pub fn short_number(&mut self) -> Option<Value<'static>> {
        let bytes = self.text.as_bytes();
        let (mut start, mut word) = (self.at, word_at(bytes, self.at));
        let negative = first_of(word) == b'-';
        if negative {
            start += 1;
            word = word_at(bytes, start);
        }
        let (value, end) = short_integer(word, negative)
            .map(|(value, count)| (value, start + count))
            .or_else(|| short_fraction(bytes, (start, word), negative))
            .or_else(|| longer_number(bytes, start, negative))?;
        self.at = end;
        Some(value)
    }

    /// Advances over a number that [`JsonReader::short_number`] reads, without its value. Returns false, without
    /// advancing, before any other number.
    // Inlined: mostly a few operations with one word.
    #[inline(always)]
    pub fn skip_short_number(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let word = word_at(bytes, self.at);
        let count = leading_digits(word);
        // Of a zero in front no digit may follow.
        if (1..8).contains(&count) && first_of(word) != b'0' && !continues(behind(word, count)) {
            self.at += count;
            return true;
        }
        self.short_number().is_some()
    }

    /// Reads a number, whose first character is next.
    // Most numbers are short; see `short_number`.
    #[cold]
    pub fn number(&mut self) -> Result<WrittenNumber<'t>, JsonError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let leads_with_zero = self.peek() == Some(b'0');
        let mut count = self.digits()?;
        if leads_with_zero && count > 1 {
            return Err(self.error("a number has a needless zero in front"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            count += self.digits()?;
        }
        let mut exponent = 0;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            exponent = self.digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        Ok(WrittenNumber { text, count, exponent })
    }

    /// Advances over at least one digit and returns how many there are.
    fn digits(&mut self) -> Result<usize, JsonError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { Err(self.error("expected a digit of a number")) } else { Ok(self.at - start) }
    }
}

impl<'t> WrittenNumber<'t> {
    /// Returns the number as it is written.
    #[inline]
    pub fn text(self) -> &'t str {
        self.text
    }

    /// Returns true if the number is certainly representable. A number of which this is not known has
    /// to be parsed to find out.
    #[inline]
    pub fn surely_fits(self) -> bool {
        self.count < SURE && self.exponent <= SURE_EXPONENT
    }
}

/// Returns the first byte of a word.
#[inline(always)] // A conversion.
const fn first_of(word: u64) -> u8 {
    let [first, ..] = word.to_le_bytes();
    first
}

/// Returns the byte behind the first `count` of a word, which are less than eight.
#[inline(always)] // A shift.
const fn behind(word: u64, count: usize) -> u8 {
    first_of(word >> (8 * count))
}

/// Returns true if a number is continued by this byte, which is no digit.
#[inline(always)] // Three comparisons.
const fn continues(byte: u8) -> bool {
    matches!(byte, b'.' | b'e' | b'E')
}

/// Reads an integer of less than eight digits, which most numbers are, from the word behind its sign. Also returns
/// the number of digits.
#[inline(always)] // Into `short_number`.
fn short_integer(word: u64, negative: bool) -> Option<(Value<'static>, usize)> {
    let count = leading_digits(word);
    if !(1..8).contains(&count) || continues(behind(word, count)) {
        return None;
    }
    // A negative zero is a number of its own, and no other number begins with a zero.
    if first_of(word) == b'0' && (negative || count > 1) {
        return None;
    }
    let digits = value_of(word, count).cast_signed();
    Some((Value::int(if negative { -digits } else { digits }), count))
}

/// Reads a fraction of less than eight digits on either side of the point, of which the last is no zero, from the
/// word behind its sign. Also returns its end.
#[inline(always)] // Into `short_number`.
fn short_fraction(
    bytes: &[u8],
    (start, word): (usize, u64),
    negative: bool,
) -> Option<(Value<'static>, usize)> {
    let count = leading_digits(word);
    if !(1..8).contains(&count) || behind(word, count) != b'.' || first_of(word) == b'0' && count > 1 {
        return None;
    }
    let point = start + count;
    let fraction = word_at(bytes, point + 1);
    let places = leading_digits(fraction);
    if !(1..8).contains(&places)
        || continues(behind(fraction, places))
        || behind(fraction, places - 1) == b'0'
    {
        return None;
    }
    let whole = value_of(word, count).cast_signed();
    let digits = whole * TENS[places] + value_of(fraction, places).cast_signed();
    let signed = if negative { -digits } else { digits };
    let places_of_ten = u8::try_from(places).ok()?;
    Some((Value::number_ref(NumberRef::Decimal(signed, places_of_ten)), point + 1 + places))
}

/// Reads a number of up to [`SHORT`] digits without an exponent, from behind its sign. Also returns its end.
fn longer_number(bytes: &[u8], start: usize, negative: bool) -> Option<(Value<'static>, usize)> {
    let (whole, mut at) = digits_of(bytes, start, 0);
    if at == start || bytes.get(start) == Some(&b'0') && at > start + 1 {
        return None;
    }
    let (mut digits, mut places) = (whole, 0);
    if bytes.get(at) == Some(&b'.') {
        let (all, end) = digits_of(bytes, at + 1, whole);
        places = end - at - 1;
        if places == 0 {
            return None;
        }
        (digits, at) = (all, end);
    }
    let count = at - start - usize::from(places > 0);
    if count > SHORT || matches!(bytes.get(at), Some(b'e' | b'E')) {
        return None;
    }
    Some((short_value(negative, digits, places)?, at))
}

/// The powers of ten by which up to eight digits shift what precedes them.
const TENS: [i64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns how many of the first bytes of a word are digits. SWAR:
///
/// ```text
/// byte - 0x30, byte + 0x46     has its high bit in one of these unless the byte is a digit
/// ```
#[inline(always)] // Six operations.
fn leading_digits(word: u64) -> usize {
    let others = (word.wrapping_sub(ONES * 0x30) | word.wrapping_add(ONES * 0x46) | word) & (ONES * 0x80);
    cast::index(others.trailing_zeros() / 8)
}

/// Returns the value of the first `count` bytes of a word, which are digits; `count` is not 0. SWAR:
///
/// ```text
/// digits << 8 * missing        as if zeros preceded them
/// × 10 + next, × 100, × 10000  neighbours are combined to pairs, fours, and all eight
/// ```
#[inline(always)] // Ten operations.
fn value_of(word: u64, count: usize) -> u64 {
    let digits = (word & (ONES * 0x0F)) << (8 * (8 - count));
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xFFFF_FFFF
}

/// Appends the digits from `at` on to the decimal number `sum`, which wraps around after too many of them, and
/// returns it with their end.
// Inlined twice into a function that is called for most fractions.
#[inline(always)]
fn digits_of(bytes: &[u8], mut at: usize, mut sum: i64) -> (i64, usize) {
    loop {
        let word = word_at(bytes, at);
        let count = leading_digits(word);
        if count == 0 {
            return (sum, at);
        }
        sum = sum.wrapping_mul(TENS[count]).wrapping_add(value_of(word, count).cast_signed());
        at += count;
        if count < 8 {
            return (sum, at);
        }
    }
}

/// Returns the value of at most [`SHORT`] digits, of which `places` follow the point.
#[inline]
fn short_value(negative: bool, mut digits: i64, places: usize) -> Option<Value<'static>> {
    // A negative zero is a number of its own.
    if digits == 0 && (negative || places > 0) {
        return None;
    }
    let mut places = u8::try_from(places).ok()?;
    while places > 0 && digits % 10 == 0 {
        digits /= 10;
        places -= 1;
    }
    let signed = if negative { -digits } else { digits };
    Some(if places == 0 { Value::int(signed) } else { Value::number_ref(NumberRef::Decimal(signed, places)) })
}

#[cfg(test)]
mod tests {
    use hclvm_vm::{Arena, Number, Value};

    use crate::json::JsonReader;

    #[test]
    fn a_short_number_is_what_its_text_says() {
        let texts = [
            "0",
            "7",
            "-7",
            "10",
            "120",
            "0.5",
            "-0.5",
            "1.50",
            "1.0",
            "10.25",
            "0.001",
            "-12.340",
            "999999999999999999",
            "-999999999999999999",
            "0.12345678901234567",
            "100000000000.000001",
        ];
        for text in texts {
            for behind in ["", " ", ",1", "}"] {
                let whole = format!("{text}{behind}");
                let mut reader = JsonReader::new(&whole);
                let found = reader.short_number().expect(text);
                let arena = Arena::new();
                let parsed = Value::number(&arena, Number::parse_text(text).expect("a number"));
                assert_eq!(format!("{found:?}"), format!("{parsed:?}"), "{text}");
                assert_eq!(reader.at, text.len());
            }
        }
    }

    #[test]
    fn other_numbers_are_left_to_be_read() {
        let texts = [
            "-0",
            "0.0",
            "-0.0",
            "1e5",
            "1.5E-3",
            "1234567890123456789",
            "0.123456789012345678",
            "01",
            "-",
            "1.",
            ".5",
            "-.5",
            "00.5",
            "",
        ];
        for text in texts {
            let mut reader = JsonReader::new(text);
            assert!(reader.short_number().is_none(), "{text}");
            assert_eq!(reader.at, 0, "{text}");
        }
    }
}
