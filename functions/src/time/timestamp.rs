//! Timestamps of RFC 3339, read as strictly as go-cty reads them.
//!
//! Written by hand because `jiff` accepts more than RFC 3339 (`t` and `z` in lower case, a space, a comma,
//! second 60, no seconds, no separators, a zone in brackets), rejects more than nine digits of a
//! fraction, which Go truncates, and has no timestamps after 9999-12-30T22:00:00Z.
//!
//! ```text
//! timestamp = year "-" month "-" day "T" hour ":" minute ":" second fraction? ( "Z" | offset )
//! fraction  = "." digit+
//! offset    = ( "+" | "-" ) hour ":" minute
//! ```

use std::fmt;

use super::calendar::{Date, days_in_month};

/// Seconds in a day.
const DAY: i64 = 86_400;

/// A point in time, and the offset from UTC at which it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timestamp {
    /// Seconds since 1970 in UTC.
    pub(crate) seconds: i64,
    /// 0 to 999,999,999.
    pub(crate) nanoseconds: i64,
    /// Seconds east of UTC.
    pub(crate) offset: i64,
}

impl Timestamp {
    /// Creates a timestamp in UTC.
    pub(crate) fn utc(seconds: i64, nanoseconds: i64) -> Self {
        Self { seconds, nanoseconds, offset: 0 }
    }

    /// Returns the local date.
    pub(crate) fn date(&self) -> Date {
        Date::from_days((self.seconds + self.offset).div_euclid(DAY))
    }

    /// Returns the local hour, minute and second.
    pub(crate) fn clock(&self) -> (i64, i64, i64) {
        let second = (self.seconds + self.offset).rem_euclid(DAY);
        (second / 3_600, second / 60 % 60, second % 60)
    }

    /// Returns the timestamp `nanoseconds` later.
    pub(crate) fn plus(self, nanoseconds: i64) -> Self {
        const SECOND: i64 = 1_000_000_000;
        // Split first: the sum of both numbers of nanoseconds may exceed 64 bits.
        let (whole, part) = (nanoseconds.div_euclid(SECOND), nanoseconds.rem_euclid(SECOND));
        let total = self.nanoseconds + part;
        Self { seconds: self.seconds + whole + total / SECOND, nanoseconds: total % SECOND, ..self }
    }

    /// Returns the offset as `+hh:mm`, with any separator.
    pub(crate) fn offset_text(&self, separator: &str) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.abs() / 60;
        format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
    }
}

/// Formats the timestamp by RFC 3339, without a fraction.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (date, (hour, minute, second)) = (self.date(), self.clock());
        let sign = if date.year < 0 { "-" } else { "" };
        write!(f, "{sign}{:04}-{:02}-{:02}", date.year.abs(), date.month, date.day)?;
        write!(f, "T{hour:02}:{minute:02}:{second:02}")?;
        match self.offset {
            0 => f.write_str("Z"),
            _ => f.write_str(&self.offset_text(":")),
        }
    }
}

/// Reads a timestamp.
pub(crate) fn parse(text: &str) -> Result<Timestamp, String> {
    let reader = TimestampReader { rest: text };
    reader.timestamp().map_err(|why| format!("the text is not an RFC 3339 timestamp: {why}"))
}

/// A cursor over a timestamp.
struct TimestampReader<'t> {
    /// The text from the cursor on.
    rest: &'t str,
}

impl TimestampReader<'_> {
    fn timestamp(mut self) -> Result<Timestamp, String> {
        let year = self.number("the year", 4, 0..=9_999)?;
        self.expect('-')?;
        let month = u8::try_from(self.number("the month", 2, 1..=12)?).unwrap_or_default();
        self.expect('-')?;
        let day = u8::try_from(self.number("the day", 2, 1..=31)?).unwrap_or_default();
        if day > days_in_month(year, month) {
            return Err(format!("month {month} of {year} has no day {day}"));
        }
        self.expect('T')?;
        let time = self.time()?;
        let nanoseconds = self.fraction()?;
        let offset = self.offset()?;
        if !self.rest.is_empty() {
            return Err(format!("expected its end, found {:?}", self.rest));
        }
        let days = Date { year, month, day }.days();
        Ok(Timestamp { seconds: days * DAY + time - offset, nanoseconds, offset })
    }

    fn time(&mut self) -> Result<i64, String> {
        let hour = self.number("the hour", 2, 0..=23)?;
        self.expect(':')?;
        let minute = self.number("the minute", 2, 0..=59)?;
        self.expect(':')?;
        let second = self.number("the second", 2, 0..=59)?;
        Ok(hour * 3_600 + minute * 60 + second)
    }

    /// fraction = "." digit+
    ///
    /// Returns the nanoseconds; digits after the ninth are dropped.
    fn fraction(&mut self) -> Result<i64, String> {
        let Some(rest) = self.rest.strip_prefix('.') else { return Ok(0) };
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return Err("the decimal point of the second needs digits after it".to_owned());
        }
        let (digits, rest) = rest.split_at(count);
        self.rest = rest;
        Ok(digits.bytes().chain(std::iter::repeat(b'0')).take(9).fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    }

    /// offset = "Z" | ( "+" | "-" ) hour ":" minute
    fn offset(&mut self) -> Result<i64, String> {
        let sign = match self.rest.chars().next() {
            Some('Z') => 0,
            Some('+') => 1,
            Some('-') => -1,
            Some(_) => {
                return Err(format!("expected Z or an offset such as +01:00, found {:?}", self.rest));
            }
            None => return Err("it ends before Z or an offset such as +01:00".to_owned()),
        };
        self.rest = &self.rest[1..];
        if sign == 0 {
            return Ok(0);
        }
        let hours = self.number("the hour of the offset", 2, 0..=23)?;
        self.expect(':')?;
        let minutes = self.number("the minute of the offset", 2, 0..=59)?;
        Ok(sign * (hours * 3_600 + minutes * 60))
    }

    fn number(
        &mut self,
        what: &str,
        digits: usize,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<i64, String> {
        let count = self.rest.bytes().take_while(u8::is_ascii_digit).take(digits).count();
        if self.rest.is_empty() {
            return Err(format!("it ends before {what}"));
        }
        if count < digits {
            return Err(format!("{what} must have {digits} digits, found {:?}", self.rest));
        }
        let (number, rest) = self.rest.split_at(count);
        self.rest = rest;
        let value = number.parse().ok().filter(|value| range.contains(value));
        value.ok_or_else(|| format!("{what} must be from {} to {}, not {number}", range.start(), range.end()))
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None if self.rest.is_empty() => Err(format!("it ends before {wanted:?}")),
            None => Err(format!("expected {wanted:?}, found {:?}", self.rest)),
        }
    }
}
