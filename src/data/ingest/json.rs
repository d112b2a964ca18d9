//! JSON text as values, in one pass and without a tree in between.
//!
//! ```text
//! bytes ─utf8─▶ Reader ─┬─ build    a whole value: strings are slices of one copy of the text, or
//!                       │           copied one by one where the text holds more than the value
//!                       ├─ project  only the members that programs read
//!                       └─ skip     nothing: the text is checked and passed over
//! ```
//! Numbers are read from their text: small integers and short decimals inline, all others at 512
//! bits. Nesting is bounded by [`DEEPEST`] and the limits of the arena. What is passed over has to
//! be JSON like the rest, may nest no deeper, and its numbers have to be such as can be held: a text
//! is accepted or refused whichever parts of it programs read, but for the memory it takes.

mod build;
mod number;
mod project;
mod reader;
mod skip;
mod string;

use std::fmt;

use hclvm_vm::{Arena, Value};

use super::value_serializer::{Refusal, ValueSerializer};
use crate::run::projection::Read;
use build::Sliced;
pub(crate) use reader::Reader;

/// Levels of arrays and objects that a text may have, so that reading needs little stack.
const DEEPEST: u16 = 128;

/// A JSON text that a host gives: a `str`, or bytes that have to be UTF-8.
#[derive(Clone, Copy, Debug)]
pub struct JsonText<'t>(Form<'t>);

#[derive(Clone, Copy, Debug)]
enum Form<'t> {
    Text(&'t str),
    Bytes(&'t [u8]),
}

impl<'t> From<&'t str> for JsonText<'t> {
    fn from(text: &'t str) -> Self {
        Self(Form::Text(text))
    }
}

impl<'t> From<&'t String> for JsonText<'t> {
    fn from(text: &'t String) -> Self {
        Self(Form::Text(text))
    }
}

impl<'t> From<&'t [u8]> for JsonText<'t> {
    fn from(bytes: &'t [u8]) -> Self {
        Self(Form::Bytes(bytes))
    }
}

impl<'t, const N: usize> From<&'t [u8; N]> for JsonText<'t> {
    fn from(bytes: &'t [u8; N]) -> Self {
        Self(Form::Bytes(bytes))
    }
}

impl<'t> From<&'t Vec<u8>> for JsonText<'t> {
    fn from(bytes: &'t Vec<u8>) -> Self {
        Self(Form::Bytes(bytes))
    }
}

impl<'t> JsonText<'t> {
    fn text(self) -> Result<&'t str, JsonError> {
        match self.0 {
            Form::Text(text) => Ok(text),
            Form::Bytes(bytes) => std::str::from_utf8(bytes).map_err(|error| {
                let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
                Reader::at_end(valid).error("bytes that are no UTF-8")
            }),
        }
    }

    /// A reader at the first byte.
    pub(crate) fn reader(self) -> Result<Reader<'t>, JsonError> {
        self.text().map(Reader::new)
    }
}

/// What is wrong with a JSON text, and where.
#[derive(Debug)]
pub(crate) struct JsonError {
    message: String,
    line: usize,
    column: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

/// Reads one JSON text to its end.
pub(crate) fn read<'a>(arena: &'a Arena, json: JsonText<'_>) -> Result<Value<'a>, JsonError> {
    read_at(ValueSerializer::new(arena, &Read::Whole), json)
}

/// Reads one JSON text to its end, as part of a larger value.
pub(super) fn read_at<'a>(
    serializer: ValueSerializer<'a, '_>,
    json: JsonText<'_>,
) -> Result<Value<'a>, JsonError> {
    let (arena, text) = (serializer.arena(), json.text()?);
    let copy = arena.text(text);
    let mut reader = Reader::new(copy);
    if copy.len() != text.len() {
        return Err(reader.refused(&Refusal::Memory(arena.budget().limits().arena_bytes)));
    }
    let value = reader.value(Sliced(arena), serializer.levels().min(DEEPEST))?;
    reader.end()?;
    Ok(value)
}

/// Reads of one JSON text, to its end, what `read` says.
pub(crate) fn read_parts<'a>(
    arena: &'a Arena,
    json: JsonText<'_>,
    read: &Read,
) -> Result<Value<'a>, JsonError> {
    let mut reader = json.reader()?;
    let value = reader.member(arena, read)?;
    reader.end()?;
    Ok(value)
}
