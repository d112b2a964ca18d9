//! Functions that read the clock, and functions that take timestamps apart.

use std::time::{SystemTime, UNIX_EPOCH};

use hclvm_vm::{Arena, AttributeType, CallError, Entry, Function, Type, Value};

use super::timestamp::{self, Timestamp};
use super::{layout, strftime};
use crate::arguments::{may_read, number, number_of, string, text_of};
use crate::capability::Capabilities;
use crate::text_builder::text_value;

/// `timestamp()`: the time of the call.
pub(crate) fn timestamp(granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new("timestamp", [], Type::String, move |arena, _, _| {
        let now = moment(granted.granted_clock()?.now());
        Ok(text_value(arena, &now.to_string()))
    })
    .impure()
}

/// `legacy_isotime(format)`: the time at which the host's work began, in a layout of Go.
pub(crate) fn legacy_isotime(granted: &Capabilities) -> Function {
    started(granted, "legacy_isotime", layout::shown)
}

/// `legacy_strftime(format)`: the time at which the host's work began, in a format of C.
pub(crate) fn legacy_strftime(granted: &Capabilities) -> Function {
    started(granted, "legacy_strftime", strftime::shown)
}

fn started(granted: &Capabilities, name: &'static str, show: fn(&str, &Timestamp) -> String) -> Function {
    let granted = granted.clone();
    Function::new(name, [], Type::String, move |arena, args, _| {
        let start = moment(granted.granted_clock()?.start());
        let text = match args.len() {
            0 => start.to_string(),
            1 if !arena.charge(text_of(args, 0).len() as u64 * 16) => return Ok(Value::DYNAMIC),
            1 => show(text_of(args, 0), &start),
            _ => return Err(CallError::argument(1, "expected at most one format")),
        };
        Ok(text_value(arena, &text))
    })
    .variadic(string("format"))
    .impure()
}

fn moment(time: SystemTime) -> Timestamp {
    let (seconds, nanoseconds) = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => (since.as_secs().cast_signed(), i64::from(since.subsec_nanos())),
        Err(before) => {
            let before = before.duration();
            (-before.as_secs().cast_signed(), -i64::from(before.subsec_nanos()))
        }
    };
    Timestamp::utc(seconds, 0).plus(nanoseconds)
}

/// `rfc3339_parse(timestamp)`: the parts of a time.
pub(crate) fn rfc3339_parse() -> Function {
    Function::new("rfc3339_parse", [string("timestamp")], Type::Object(&WITH_UNIX), |arena, args, _| {
        if !may_read(arena, text_of(args, 0)) {
            return Ok(Value::DYNAMIC);
        }
        let time = timestamp::parse(text_of(args, 0)).map_err(|why| CallError::argument(0, why))?;
        Ok(parts(arena, &time, &WITH_UNIX))
    })
}

/// `unix_timestamp_parse(unix_timestamp)`: the parts of a time given in seconds since 1970.
pub(crate) fn unix_timestamp_parse() -> Function {
    let parameter = number("unix_timestamp");
    Function::new("unix_timestamp_parse", [parameter], Type::Object(&WITH_RFC3339), |arena, args, _| {
        // The years that have four digits.
        const FIRST: i64 = -62_167_219_200;
        const LAST: i64 = 253_402_300_799;
        let seconds = number_of(args, 0).to_i64().filter(|seconds| (FIRST..=LAST).contains(seconds));
        let seconds = seconds.ok_or_else(|| {
            CallError::argument(0, format!("expected a whole number from {FIRST} to {LAST}"))
        })?;
        Ok(parts(arena, &Timestamp::utc(seconds, 0), &WITH_RFC3339))
    })
}

const fn attribute(name: &'static str, ty: Type<'static>) -> AttributeType<'static> {
    AttributeType { name, ty, optional: false }
}

const WITH_UNIX: [AttributeType<'static>; 13] = [
    attribute("day", Type::Number),
    attribute("hour", Type::Number),
    attribute("iso_week", Type::Number),
    attribute("iso_year", Type::Number),
    attribute("minute", Type::Number),
    attribute("month", Type::Number),
    attribute("month_name", Type::String),
    attribute("second", Type::Number),
    attribute("unix", Type::Number),
    attribute("weekday", Type::Number),
    attribute("weekday_name", Type::String),
    attribute("year", Type::Number),
    attribute("year_day", Type::Number),
];

const WITH_RFC3339: [AttributeType<'static>; 13] = [
    attribute("day", Type::Number),
    attribute("hour", Type::Number),
    attribute("iso_week", Type::Number),
    attribute("iso_year", Type::Number),
    attribute("minute", Type::Number),
    attribute("month", Type::Number),
    attribute("month_name", Type::String),
    attribute("rfc3339", Type::String),
    attribute("second", Type::Number),
    attribute("weekday", Type::Number),
    attribute("weekday_name", Type::String),
    attribute("year", Type::Number),
    attribute("year_day", Type::Number),
];

/// Returns an object of parts of a time.
fn parts<'a>(arena: &'a Arena, time: &Timestamp, attributes: &[AttributeType<'static>]) -> Value<'a> {
    let mut entries = arena.list();
    entries.extend(
        attributes.iter().map(|attribute| Entry::new(attribute.name, part(arena, time, attribute.name))),
    );
    Value::object(arena, entries.into_bump_slice())
}

fn part<'a>(arena: &'a Arena, time: &Timestamp, name: &str) -> Value<'a> {
    let (date, (hour, minute, second)) = (time.date(), time.clock());
    match name {
        "day" => Value::short(date.day.into()),
        "hour" => Value::short(hour),
        "iso_week" => Value::short(date.iso_week().1),
        "iso_year" => Value::short(date.iso_week().0),
        "minute" => Value::short(minute),
        "month" => Value::short(date.month.into()),
        "month_name" => text_value(arena, date.month_name()),
        "rfc3339" => text_value(arena, &time.to_string()),
        "second" => Value::short(second),
        "unix" => Value::short(time.seconds),
        "weekday" => Value::short(date.weekday().into()),
        "weekday_name" => text_value(arena, date.weekday_name()),
        "year" => Value::short(date.year),
        _ => Value::short(date.day_of_year()),
    }
}
