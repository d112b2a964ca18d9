//! Numbers of JSON: short ones without a detour.
//!
//! ```text
//! number = "-"? ( "0" | digit-but-zero digit* ) ( "." digit+ )? ( ("e" | "E") ("+" | "-")? digit+ )?
//! ```

use hclvm_vm::{Arena, Number, NumberRef, Value};

use super::{JsonError, Reader, Refusal};

/// Digits that an inline number may have.
const SHORT: usize = 18;
/// A number with fewer digits than this, and with an exponent of as many digits as this has zeros,
/// can be held: the number of its bits is far from the end of 32 bits.
const SURE: usize = 100_000_000;

/// A number as it is written.
#[derive(Clone, Copy, Debug)]
struct Written {
    negative: bool,
    /// All digits as one integer, when they are no more than [`SHORT`].
    digits: i64,
    /// How many digits there are.
    count: usize,
    /// How many of them follow the point.
    places: usize,
    /// How many digits its exponent has.
    exponent: usize,
}

impl Reader<'_> {
    /// A number, whose first character is next.
    pub(super) fn number<'a>(&mut self, arena: &'a Arena) -> Result<Value<'a>, JsonError> {
        let start = self.at;
        let written = self.written_number()?;
        if let Some(number) = written.short() {
            return Ok(number);
        }
        Ok(Value::number(arena, self.long_number(start)?))
    }

    /// Passes over a number. One that cannot be held is refused as if it were read, so that it
    /// does not depend on programs which texts are accepted.
    pub(super) fn skip_number(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        let written = self.written_number()?;
        if written.surely_fits() { Ok(()) } else { self.long_number(start).map(drop) }
    }

    /// The number whose text begins at `start` and ends here.
    #[cold]
    fn long_number(&self, start: usize) -> Result<Number, JsonError> {
        let text = self.text.get(start..self.at).unwrap_or_default();
        Number::parse_text(text).ok_or_else(|| self.refused(&Refusal::Number(text)))
    }

    #[inline]
    fn written_number(&mut self) -> Result<Written, JsonError> {
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let leads_with_zero = self.peek() == Some(b'0');
        let mut digits = 0;
        let mut count = self.digits(&mut digits)?;
        if leads_with_zero && count > 1 {
            return Err(self.error("a number may not begin with a zero before other digits"));
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
        Ok(Written { negative, digits, count, places, exponent })
    }

    /// At least one digit; how many there were. `sum` means nothing after too many of them.
    #[inline]
    fn digits(&mut self, sum: &mut i64) -> Result<usize, JsonError> {
        let start = self.at;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            *sum = sum.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == start { Err(self.error("a digit was expected")) } else { Ok(self.at - start) }
    }
}

impl Written {
    /// Whether it is known without a closer look that it can be held.
    #[inline]
    fn surely_fits(self) -> bool {
        self.count < SURE && self.exponent <= SURE.ilog10() as usize
    }

    /// The number, when it is an integer or a fraction that fits a value's word.
    #[inline]
    fn short(self) -> Option<Value<'static>> {
        // A negative zero is a number of its own.
        if self.exponent > 0 || self.count > SHORT || (self.digits == 0 && (self.negative || self.places > 0))
        {
            return None;
        }
        let (mut digits, mut places) = (self.digits, self.places as u8);
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
