//! Functions of time. All except those that read the clock are pure.
//!
//! Calendar, timestamps and formats are written by hand: the files say where the crate `jiff` (0.2.46)
//! reads or prints otherwise.

mod calendar;
mod clock;
mod duration;
mod layout;
mod pattern;
mod strftime;
mod timestamp;

pub(crate) use clock::{
    legacy_isotime, legacy_strftime, rfc3339_parse, timestamp as now, unix_timestamp_parse,
};

use hclvm_vm::{CallError, Function, Type, Value};

use super::arguments::{may_read, string, text_of};
use super::text_builder::{TextBuilder, text_value};

/// `formatdate(format, time)`
pub(crate) fn formatdate() -> Function {
    Function::new("formatdate", ["format", "time"].map(string), Type::String, |arena, args, _| {
        if !may_read(arena, text_of(args, 1)) {
            return Ok(Value::DYNAMIC);
        }
        let time = timestamp::parse(text_of(args, 1)).map_err(|why| CallError::argument(1, why))?;
        let mut out = TextBuilder::new(arena);
        pattern::write(&mut out, text_of(args, 0), &time).map_err(|why| CallError::argument(0, why))?;
        Ok(out.value())
    })
}

/// `timecmp(timestamp_a, timestamp_b)`: -1, 0 or 1 if the first is earlier, equal or later.
pub(crate) fn timecmp() -> Function {
    Function::new("timecmp", ["timestamp_a", "timestamp_b"].map(string), Type::Number, |arena, args, _| {
        if !may_read(arena, text_of(args, 0)) || !may_read(arena, text_of(args, 1)) {
            return Ok(Value::DYNAMIC);
        }
        let moment = |index| {
            let time = timestamp::parse(text_of(args, index));
            time.map(|time| (time.seconds, time.nanoseconds)).map_err(|why| CallError::argument(index, why))
        };
        Ok(Value::short(i64::from(moment(0)?.cmp(&moment(1)?) as i8)))
    })
}

/// `timeadd(timestamp, duration)`
pub(crate) fn timeadd() -> Function {
    Function::new("timeadd", ["timestamp", "duration"].map(string), Type::String, |arena, args, _| {
        // A duration may have many parts.
        if !may_read(arena, text_of(args, 0)) || !arena.spend(text_of(args, 1).len() as u64) {
            return Ok(Value::DYNAMIC);
        }
        let time = timestamp::parse(text_of(args, 0)).map_err(CallError::new)?;
        let nanoseconds = duration::parse(text_of(args, 1)).map_err(CallError::new)?;
        Ok(text_value(arena, &time.plus(nanoseconds).to_string()))
    })
    .refined(None)
}

/// Converts a date or time as YAML writes it to RFC 3339: fields may lack leading zeros, the time may
/// be missing, and after a space instead of the `T` there is no zone.
#[cfg(feature = "yaml")]
pub(crate) fn readable(text: &str) -> Option<String> {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], &text[at..]),
        None => (text, ""),
    };
    let mut fields = date.split('-');
    let (year, month, day) = (fields.next()?, fields.next()?, fields.next()?);
    if fields.next().is_some() || year.len() != 4 {
        return None;
    }
    let clock = match time.split_at_checked(1) {
        None => "00:00:00Z".to_owned(),
        Some((" ", clock)) => padded_clock(clock)? + "Z",
        Some((_, clock)) => padded_clock(clock)?,
    };
    let moment = format!("{year}-{}-{}T{clock}", two_digits(month)?, two_digits(day)?);
    timestamp::parse(&moment).ok().map(|moment| moment.to_string())
}

/// Pads the fields of a time of day to two digits.
#[cfg(feature = "yaml")]
fn padded_clock(clock: &str) -> Option<String> {
    let mut fields = clock.splitn(3, ':');
    let (hour, minute, rest) = (fields.next()?, fields.next()?, fields.next()?);
    let (second, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    Some(format!("{}:{}:{}{rest}", two_digits(hour)?, two_digits(minute)?, two_digits(second)?))
}

#[cfg(feature = "yaml")]
fn two_digits(field: &str) -> Option<String> {
    matches!(field.len(), 1 | 2).then(|| format!("{field:0>2}"))
}
