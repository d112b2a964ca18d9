//! Values and results as JSON.
//!
//! Lists, sets and tuples are arrays, maps and objects are objects. What JSON has no word for
//! is written as scopes write it (`{"$unknown": TYPE}`, `{"$number": "+Inf"}`), and a marked
//! value as its marks alone: `{"$marked": ["secret"]}`.
//!
//! A value may refer to the same part many times, and a short number may have a long text, so
//! writing has limits of its own.

use std::io::{self, Write};

use hclvm::module::{BlockResult, BodyResult, ModuleResult};
use hclvm::show::JsonStyle;
use hclvm::{Json, Limits, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Bytes of one result.
const LONGEST: usize = Limits::untrusted().arena_bytes;

/// A value as JSON.
pub(crate) fn shown(value: Value<'_>) -> JsonStyle<'_> {
    Json(value).lenient().within(Limits::untrusted())
}

/// Everything a file evaluates to; empty parts are left out.
pub(crate) struct ShownModule<'m, 'a> {
    /// What the scope is called.
    pub(crate) title: Option<&'m str>,
    /// The values.
    pub(crate) result: &'m ModuleResult<'a>,
}

impl Serialize for ShownModule<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        if let Some(title) = self.title {
            map.serialize_entry("scope", title)?;
        }
        if !self.result.locals.is_empty() {
            map.serialize_entry("locals", &Named(&self.result.locals))?;
        }
        body_members(&mut map, &self.result.body)?;
        map.end()
    }
}

struct Named<'m, 'a>(&'m [(&'a str, Value<'a>)]);

impl Serialize for Named<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().map(|(name, value)| (name, shown(*value))))
    }
}

fn body_members<M: SerializeMap>(map: &mut M, body: &BodyResult<'_>) -> Result<(), M::Error> {
    if !body.attributes.is_empty() {
        map.serialize_entry("attrs", &Named(&body.attributes))?;
    }
    if !body.blocks.is_empty() {
        map.serialize_entry("blocks", &Blocks(&body.blocks))?;
    }
    Ok(())
}

struct Blocks<'m, 'a>(&'m [BlockResult<'a>]);

impl Serialize for Blocks<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().map(ShownBlock))
    }
}

struct ShownBlock<'m, 'a>(&'m BlockResult<'a>);

impl Serialize for ShownBlock<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        match self.0 {
            BlockResult::Block { kind, labels, body } => {
                map.serialize_entry("type", kind)?;
                if !labels.is_empty() {
                    map.serialize_entry("labels", labels)?;
                }
                body_members(&mut map, body)?;
            }
            BlockResult::Pending { kind, for_each } => {
                map.serialize_entry("dynamic", kind)?;
                map.serialize_entry("for_each", &shown(*for_each))?;
            }
        }
        map.end()
    }
}

/// How results are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Layout {
    /// One line a result
    Json,
    /// Indented
    Pretty,
}

/// Writes something as JSON into `buffer`, which is emptied first, and ends the line.
///
/// # Errors
/// A sentence that says why it cannot be written.
pub(crate) fn write(layout: Layout, shown: &impl Serialize, buffer: &mut Vec<u8>) -> Result<(), String> {
    buffer.clear();
    let out = Bounded(buffer);
    let written = match layout {
        Layout::Json => serde_json::to_writer(out, shown),
        Layout::Pretty => serde_json::to_writer_pretty(out, shown),
    };
    buffer.push(b'\n');
    written.map_err(|error| error.to_string())
}

/// Takes as many bytes as one result may have.
struct Bounded<'b>(&'b mut Vec<u8>);

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LONGEST {
            return Err(io::Error::other(format!("it is longer than {LONGEST} bytes")));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
