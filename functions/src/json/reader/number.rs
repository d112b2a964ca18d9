//! Numbers of JSON. Short ones are converted while they are read; others are left as text, for
//! [`Number::parse_text`](hclvm_vm::Number::parse_text) to read at 512 bits.
//!
//! ```text
//! number = "-"? ( "0" | digit-but-zero digit* ) ( "." digit+ )? ( ("e" | "E") ("+" | "-")? digit+ )?
//! ```

use hclvm_vm::{NumberRef, Value};

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
    negative: bool,
    /// All digits as one integer; valid up to [`SHORT`] digits.
    digits: i64,
    /// The number of digits.
    count: usize,
    /// How many of them follow the point.
    places: usize,
    /// The number of digits of the exponent.
    exponent: usize,
}

impl<'t> JsonReader<'t> {
    /// Reads a number, whose first character is next.
    #[inline]
    pub fn number(&mut self) -> Result<WrittenNumber<'t>, JsonError> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let leads_with_zero = self.peek() == Some(b'0');
        let mut digits = 0;
        let mut count = self.digits(&mut digits)?;
        if leads_with_zero && count > 1 {
            return Err(self.error("a number has a needless zero in front"));
        }
        let mut places = 0;
        if self.peek() == Some(b'.') {
            self.at += 1;
            places = self.digits(&mut digits)?;
            count += places;
        }
        let mut exponent = 0;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            exponent = self.digits(&mut 0)?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        Ok(WrittenNumber { text, negative, digits, count, places, exponent })
    }

    /// Reads at least one digit and returns how many there are. Appends them to the decimal number
    /// `sum`, which wraps around after too many of them.
    #[inline]
    fn digits(&mut self, sum: &mut i64) -> Result<usize, JsonError> {
        let start = self.at;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            *sum = sum.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
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

    /// Returns the number if it is an integer or a decimal fraction that fits the word of a value.
    #[inline]
    pub fn short(self) -> Option<Value<'static>> {
        // A negative zero is a number of its own.
        if self.exponent > 0 || self.count > SHORT || (self.digits == 0 && (self.negative || self.places > 0))
        {
            return None;
        }
        let mut digits = self.digits;
        let mut places = u8::try_from(self.places).ok()?;
        while places > 0 && digits % 10 == 0 {
            digits /= 10;
            places -= 1;
        }
        let signed = if self.negative { -digits } else { digits };
        Some(if places == 0 {
            Value::int(signed)
        } else {
            Value::number_ref(NumberRef::Decimal(signed, places))
        })
    }
}
