//! Builds values from JSON text in one pass, without a tree in between.
//!
//! ```text
//! bytes ─utf8─▶ JsonReader ─┬─ build    a whole value: strings are slices of one copy of the text, or
//!                           │           copied one by one where the text holds more than the value
//!                           ├─ project  only the members that programs read; earlier objects predict them
//!                           └─ skip     nothing: the text is checked
//! ```
//! The reader is shared with the function `jsondecode`, whose builder differs: it uses no recursion,
//! charges the budget of the evaluation and has go-cty's rules for equal names and surrogates.
//!
//! Numbers are read from their text: small integers and short decimals inline, all others at 512
//! bits. Nesting is bounded by [`DEEPEST`] and the limits of the arena. Skipped parts must be valid
//! JSON, may nest no deeper, and their numbers must be representable: whether a text is accepted does
//! not depend on the parts that programs read, except for the memory these take.

mod build;
mod prediction;
mod project;
mod skip;

use hclvm_functions::{JsonError, JsonReader};
use hclvm_vm::{Arena, Value};

use super::value_serializer::{ValueRefusal, ValueSerializer};
use crate::run::projection::Read;
use build::Sliced;
pub(crate) use prediction::{ObjectSite, PredictionProgress};
pub(crate) use project::{member, skip_member};

/// The maximum nesting of arrays and objects, which bounds the recursion of [`build`] to little stack.
const DEEPEST: u16 = 128;

/// A JSON text from the host: a `str`, or bytes that must be UTF-8. A byte order mark before it is skipped.
#[derive(Clone, Copy, Debug)]
pub struct JsonText<'t>(JsonForm<'t>);

#[derive(Clone, Copy, Debug)]
enum JsonForm<'t> {
    Text(&'t str),
    Bytes(&'t [u8]),
}

impl<'t> From<&'t str> for JsonText<'t> {
    fn from(text: &'t str) -> Self {
        Self(JsonForm::Text(text))
    }
}

impl<'t> From<&'t String> for JsonText<'t> {
    fn from(text: &'t String) -> Self {
        Self(JsonForm::Text(text))
    }
}

impl<'t> From<&'t [u8]> for JsonText<'t> {
    fn from(bytes: &'t [u8]) -> Self {
        Self(JsonForm::Bytes(bytes))
    }
}

impl<'t, const N: usize> From<&'t [u8; N]> for JsonText<'t> {
    fn from(bytes: &'t [u8; N]) -> Self {
        Self(JsonForm::Bytes(bytes))
    }
}

impl<'t> From<&'t Vec<u8>> for JsonText<'t> {
    fn from(bytes: &'t Vec<u8>) -> Self {
        Self(JsonForm::Bytes(bytes))
    }
}

impl<'t> JsonText<'t> {
    fn text(self) -> Result<&'t str, JsonError> {
        match self.0 {
            JsonForm::Text(text) => Ok(text),
            JsonForm::Bytes(bytes) => std::str::from_utf8(bytes).map_err(|error| {
                let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
                let is_utf_16 = matches!(bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..]);
                let why =
                    if is_utf_16 { "the bytes are UTF-16, not UTF-8" } else { "the bytes are not UTF-8" };
                JsonReader::at_end(valid).error(why)
            }),
        }
    }

    /// Creates a reader at the first byte.
    pub(crate) fn reader(self) -> Result<JsonReader<'t>, JsonError> {
        Ok(JsonReader::new(self.text()?).after_mark())
    }
}

/// Advances over the `{` of the object that has a member for each variable.
pub(crate) fn open_variables(reader: &mut JsonReader<'_>) -> Result<(), JsonError> {
    reader.space();
    if reader.peek() != Some(b'{') {
        return Err(reader.error("expected an object with a member for each variable"));
    }
    reader.bump();
    Ok(())
}

/// Makes the error for a value that the limits of the arena do not allow.
// Only errors get here.
#[cold]
fn refused(reader: &JsonReader<'_>, refusal: &ValueRefusal<'_>) -> JsonError {
    reader.error(refusal.to_string())
}

/// Makes the error for nesting deeper than `limit`, or than [`DEEPEST`] if that is less.
// Only errors get here.
#[cold]
fn too_deep(reader: &JsonReader<'_>, limit: u16) -> JsonError {
    refused(reader, &ValueRefusal::Depth(limit.min(DEEPEST)))
}

/// Makes the error for a variable whose value the limits of the engine do not allow, at its end.
// Only errors get here.
#[cold]
pub(crate) fn beyond_limits(reader: &JsonReader<'_>) -> JsonError {
    reader.error("the value exceeds the limits of the engine")
}

/// Reads a bool, a null or a number that fits the word of a value. Returns `None`, without advancing, before any
/// other value.
pub(crate) fn scalar(reader: &mut JsonReader<'_>) -> Result<Option<Value<'static>>, JsonError> {
    reader.space();
    match reader.peek() {
        Some(b'-' | b'0'..=b'9') => Ok(reader.short_number()),
        Some(b't') => reader.word("true").map(|()| Some(Value::TRUE)),
        Some(b'f') => reader.word("false").map(|()| Some(Value::FALSE)),
        Some(b'n') => reader.word("null").map(|()| Some(Value::NULL)),
        _ => Ok(None),
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
    let mut reader = JsonReader::new(copy).after_mark();
    if copy.len() != text.len() {
        return Err(refused(&reader, &ValueRefusal::Memory(arena.budget().limits().arena_bytes)));
    }
    let value = build::value(&mut reader, Sliced(arena), serializer.levels().min(DEEPEST))?;
    reader.end()?;
    Ok(value)
}

/// Reads the parts of one JSON text that `read` names, and checks the rest to its end.
pub(crate) fn read_parts<'a>(
    arena: &'a Arena,
    json: JsonText<'_>,
    read: &Read,
) -> Result<Value<'a>, JsonError> {
    let mut reader = json.reader()?;
    let value = member(&mut reader, arena, read, &mut ObjectSite::default())?;
    reader.end()?;
    Ok(value)
}
