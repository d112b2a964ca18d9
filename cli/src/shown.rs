//! Writes results as JSON. Diagnostics are written by `report`.
//!
//! Lists, sets and tuples are arrays, maps and objects are objects. Values that JSON cannot express
//! are written in the notation of scopes (`{"$unknown": TYPE}`, `{"$number": "+Inf"}`), and a marked
//! value as its marks alone: `{"$marked": ["secret"]}`.
//!
//! Parts of a value may be shared, and a short number may have a long text, so the output has its own
//! size limit.

use std::io::{self, Write};

use hclvm::module::{BlockValues, BodyValues, Values};
use hclvm::show::JsonStyle;
use hclvm::{Json, Limits, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// Maximum bytes of one result.
const LONGEST: usize = Limits::untrusted().arena_bytes;

/// Returns a value in a form that serializes as JSON.
pub(crate) fn shown(value: Value<'_>) -> JsonStyle<'_> {
    Json(value).lenient().within(Limits::untrusted())
}

/// The values of a file; empty parts are omitted.
pub(crate) struct ShownModule<'m, 's> {
    /// The title of the scope.
    pub(crate) title: Option<&'m str>,
    /// The values of each document.
    pub(crate) values: &'m [Values<'s>],
}

impl Serialize for ShownModule<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        if let Some(title) = self.title {
            map.serialize_entry("scope", title)?;
        }
        if self.values.iter().any(|values| values.locals().len() > 0) {
            map.serialize_entry("locals", &ShownLocals(self.values))?;
        }
        let bodies: Vec<BodyValues<'_>> = self.values.iter().map(Values::body).collect();
        body_members(&mut map, &bodies)?;
        map.end()
    }
}

/// The locals of documents.
pub(crate) struct ShownLocals<'v, 's>(pub(crate) &'v [Values<'s>]);

impl Serialize for ShownLocals<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        Named(|| self.0.iter().flat_map(Values::locals)).serialize(out)
    }
}

/// Blocks that a path leads to: a single one as an object, several as a list.
pub(crate) struct ShownBlocks<'v, 's>(pub(crate) &'v [BlockValues<'s>]);

impl Serialize for ShownBlocks<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            [block] => ShownBlock(*block).serialize(out),
            blocks => out.collect_seq(blocks.iter().map(|block| ShownBlock(*block))),
        }
    }
}

/// Values with their names.
struct Named<F>(F);

impl<'s, I: Iterator<Item = (&'s str, Value<'s>)>, F: Fn() -> I> Serialize for Named<F> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map((self.0)().map(|(name, value)| (name, shown(value))))
    }
}

fn body_members<M: SerializeMap>(map: &mut M, bodies: &[BodyValues<'_>]) -> Result<(), M::Error> {
    if bodies.iter().any(|body| body.attributes().len() > 0) {
        map.serialize_entry("attrs", &Named(|| bodies.iter().flat_map(|body| body.attributes())))?;
    }
    if bodies.iter().any(|body| body.blocks().next().is_some()) {
        map.serialize_entry("blocks", &Blocks(bodies))?;
    }
    Ok(())
}

struct Blocks<'v, 's>(&'v [BodyValues<'s>]);

impl Serialize for Blocks<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().flat_map(|body| body.blocks()).map(ShownBlock))
    }
}

struct ShownBlock<'s>(BlockValues<'s>);

impl Serialize for ShownBlock<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Self(block) = *self;
        let mut map = out.serialize_map(None)?;
        if let Some(for_each) = block.pending() {
            map.serialize_entry("dynamic", block.kind())?;
            map.serialize_entry("for_each", &shown(for_each))?;
            return map.end();
        }
        map.serialize_entry("type", block.kind())?;
        let labels: Vec<&str> = block.labels().collect();
        if !labels.is_empty() {
            map.serialize_entry("labels", &labels)?;
        }
        body_members(&mut map, &[block.body()])?;
        map.end()
    }
}

/// The format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OutputFormat {
    /// One line per result
    Json,
    /// Indented
    Pretty,
}

/// Clears `buffer` and writes a value and a line break to it.
///
/// # Errors
/// The reason why the value cannot be written, as a sentence.
pub(crate) fn write(
    format: OutputFormat,
    shown: &impl Serialize,
    buffer: &mut Vec<u8>,
) -> Result<(), String> {
    match format {
        OutputFormat::Json => write_by(CompactFormatter, shown, buffer),
        OutputFormat::Pretty => write_by(PrettyFormatter::new(), shown, buffer),
    }
}

/// Clears `buffer` and writes a value and a line break to it as a formatter has it.
///
/// # Errors
/// As [`write()`].
pub(crate) fn write_by(
    formatter: impl Formatter,
    shown: &impl Serialize,
    buffer: &mut Vec<u8>,
) -> Result<(), String> {
    buffer.clear();
    let mut serializer = serde_json::Serializer::with_formatter(BoundedWriter(buffer), formatter);
    let written = shown.serialize(&mut serializer);
    buffer.push(b'\n');
    written.map_err(|error| error.to_string())
}

/// Clears `buffer` and writes a text and a line break to it.
///
/// # Errors
/// As [`write()`].
pub(crate) fn write_text(text: &str, buffer: &mut Vec<u8>) -> Result<(), String> {
    buffer.clear();
    let written = BoundedWriter(buffer).write_all(text.as_bytes());
    if !text.ends_with('\n') {
        buffer.push(b'\n');
    }
    written.map_err(|error| error.to_string())
}

/// A writer that fails beyond the maximum size of a result.
struct BoundedWriter<'b>(&'b mut Vec<u8>);

impl Write for BoundedWriter<'_> {
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
