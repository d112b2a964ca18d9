//! Plain values as Rust's own types, for hosts: `as_i64`, `TryFrom`, `Display`. Other types are read through
//! serde, by the library.
//!
//! Only known, unmarked values are converted, and nothing is rounded except to the nearest float.

use std::fmt;

use super::{OwnedValue, Value, View};
use crate::number::NumberRef;

/// Digits up to which `Display` writes a number; longer ones are written with an exponent.
const LONGEST_NUMBER: u64 = 100_000;

impl Value<'_> {
    /// Returns the value of a known unmarked number that is an integer of 64 bits.
    pub fn as_i64(self) -> Option<i64> {
        self.as_number().and_then(NumberRef::to_i64)
    }

    /// Returns the float nearest to a known unmarked number.
    pub fn as_f64(self) -> Option<f64> {
        self.as_number().map(NumberRef::to_f64)
    }
}

/// Writes a primitive value as a template would: the text of a string, without quotes. Collections are in
/// the notation of `Debug`, which is cut to a few lines; the library writes the whole of a value as JSON or
/// as HCL. Marked values are never shown.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.view() {
            View::String(text) => f.pad(text),
            View::Bool(value) => fmt::Display::fmt(&value, f),
            View::Number(number) => match number.text_within(LONGEST_NUMBER) {
                Some(text) => f.pad(&text),
                None => fmt::Debug::fmt(self, f),
            },
            _ => fmt::Debug::fmt(self, f),
        }
    }
}

impl fmt::Display for OwnedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// The error of converting a value to a type that it does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit(String);

impl Misfit {
    fn new(wanted: &str, found: Value<'_>) -> Self {
        Self(format!("expected {wanted}, found {found:?}"))
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misfit {}

macro_rules! conversions {
    ($($host:ty, $wanted:literal, $convert:expr;)*) => {$(
        impl<'a> TryFrom<Value<'a>> for $host {
            type Error = Misfit;

            fn try_from(value: Value<'a>) -> Result<Self, Misfit> {
                let convert: fn(Value<'a>) -> Option<Self> = $convert;
                convert(value).ok_or_else(|| Misfit::new($wanted, value))
            }
        }

        impl<'a> TryFrom<&'a OwnedValue> for $host {
            type Error = Misfit;

            fn try_from(value: &'a OwnedValue) -> Result<Self, Misfit> {
                value.get().try_into()
            }
        }
    )*};
}

conversions! {
    bool, "a bool", |value| value.as_bool();
    i64, "a whole number of 64 bits", |value| value.as_i64();
    u64, "a whole number from 0 on, of 64 bits", |value| value.as_number().and_then(NumberRef::to_u64);
    f64, "a number", |value| value.as_f64();
    &'a str, "a string", |value| value.as_str();
    String, "a string", |value| value.as_str().map(str::to_owned);
}
