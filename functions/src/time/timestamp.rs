//! Timestamps as RFC 3339 writes them, read strictly.
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

/// A moment, and the offset from UTC it is shown at.
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
    /// A moment in UTC.
    pub(crate) fn utc(seconds: i64, nanoseconds: i64) -> Self {
        Self { seconds, nanoseconds, offset: 0 }
    }

    /// The local date.
    pub(crate) fn date(&self) -> Date {
        Date::from_days((self.seconds + self.offset).div_euclid(DAY))
    }

    /// Local hour, minute and second.
    pub(crate) fn clock(&self) -> (i64, i64, i64) {
        let second = (self.seconds + self.offset).rem_euclid(DAY);
        (second / 3_600, second / 60 % 60, second % 60)
    }

    /// The moment some nanoseconds later.
    pub(crate) fn plus(self, nanoseconds: i64) -> Self {
        const SECOND: i128 = 1_000_000_000;
        let total = i128::from(self.nanoseconds) + i128::from(nanoseconds);
        Self {
            seconds: self.seconds + total.div_euclid(SECOND) as i64,
            nanoseconds: total.rem_euclid(SECOND) as i64,
            ..self
        }
    }

    /// The offset as `+hh:mm`, with any separator.
    pub(crate) fn offset_text(&self, separator: &str) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.abs() / 60;
        format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
    }
}

/// As RFC 3339 writes it, without a fraction.
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

/// The moment that a text denotes.
pub(crate) fn parse(text: &str) -> Result<Timestamp, String> {
    Reader { rest: text }.timestamp().map_err(|why| format!("this is not an RFC 3339 timestamp: {why}"))
}

/// What is left to read.
struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn timestamp(mut self) -> Result<Timestamp, String> {
        let year = self.number("the year", 4, 0..=9_999)?;
        self.expect('-')?;
        let month = self.number("the month", 2, 1..=12)?;
        self.expect('-')?;
        let day = self.number("the day", 2, 1..=31)?;
        if day > i64::from(days_in_month(year, month as u8)) {
            return Err(format!("month {month} of {year} has no day {day}"));
        }
        self.expect('T')?;
        let time = self.time()?;
        let nanoseconds = self.fraction()?;
        let offset = self.offset()?;
        if !self.rest.is_empty() {
            return Err(format!("{:?} follows its end", self.rest));
        }
        let days = Date { year, month: month as u8, day: day as u8 }.days();
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

    /// The digits after the second; what comes after the ninth is dropped.
    fn fraction(&mut self) -> Result<i64, String> {
        let Some(rest) = self.rest.strip_prefix('.') else { return Ok(0) };
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return Err("digits must follow the decimal point of the second".to_owned());
        }
        let (digits, rest) = rest.split_at(count);
        self.rest = rest;
        Ok(digits.bytes().chain(std::iter::repeat(b'0')).take(9).fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    }

    fn offset(&mut self) -> Result<i64, String> {
        let sign = match self.rest.chars().next() {
            Some('Z') => 0,
            Some('+') => 1,
            Some('-') => -1,
            Some(_) => {
                return Err(format!("{:?} stands where Z or an offset such as +01:00 must", self.rest));
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
            None if self.rest.is_empty() => Err(format!("it ends where {wanted:?} must follow")),
            None => Err(format!("{:?} stands where {wanted:?} must", self.rest)),
        }
    }
}
