//! Decisions as bytes, in which they wait to be written: short to encode, because that is what logging adds to a
//! decision, and without references, because memory that threads share or pass on is what they wait for.
//!
//! ```text
//! decision   time cause explained epoch fuel elapsed document effect rule reason open  name value … END
//!            … RAW text                                         in place of names and values: a JSON object
//! value      NULL │ FALSE │ TRUE │ INT i64 │ TEXT text │ RAW text │ LIST count value … │ OBJECT count name value …
//! text       length bytes                                      all numbers with their lowest byte first
//! ```
//! RAW is JSON, of values that are rare, or of all values as the host received them. What is read was written here: the reader trusts it, and returns nothing
//! if it ends early.

use std::time::{Duration, SystemTime};

use hclvm::policy::{Cause, Decision};
use hclvm::value::{NumberRef, View};
use hclvm::{Json, Value};

use crate::entry::{Entry, Inputs, Origin, nanoseconds};
use crate::open::open;

/// What begins a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tag {
    End,
    Null,
    False,
    True,
    Int,
    Text,
    Raw,
    List,
    Object,
}

/// The deepest values that are logged, as in [`Json`]. The recursion of this module is bounded by it.
const DEEPEST: u16 = 512;

/// What is logged in place of a value that is too deep or too large.
const OMITTED: &str = "{\"$omitted\":\"too large\"}";

/// Appends a decision.
pub(crate) fn encode(
    decision: &Decision<'_>,
    inputs: Inputs<'_>,
    origin: &Origin,
    elapsed: Duration,
    is_explained: bool,
    out: &mut Vec<u8>,
) {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    number(nanoseconds(since), out);
    out.push(match decision.cause() {
        Cause::Rule => 0,
        Cause::NoRule => 1,
        _ => 2,
    });
    out.push(u8::from(is_explained));
    number(origin.epoch, out);
    number(decision.fuel(), out);
    number(nanoseconds(elapsed), out);
    text(&origin.document, out);
    text(decision.effect(), out);
    optional(decision.name(), out);
    optional(decision.reason(), out);
    optional(open(decision).as_deref(), out);
    match inputs {
        Inputs::Scope(scope) => {
            for name in scope.layout().names() {
                if let Some(variable) = scope.get(name) {
                    tagged(Tag::Text, name, out);
                    let begin = out.len();
                    if !value(variable, DEEPEST, out) {
                        out.truncate(begin);
                        raw(OMITTED, out);
                    }
                }
            }
            out.push(Tag::End as u8);
        }
        Inputs::Json(text) => raw(text, out),
    }
}

/// Appends a value. Returns false if it is too deep or too large.
fn value(value: Value<'_>, depth: u16, out: &mut Vec<u8>) -> bool {
    match value.view() {
        View::Null(_) => out.push(Tag::Null as u8),
        View::Bool(truth) => out.push(if truth { Tag::True } else { Tag::False } as u8),
        View::Number(NumberRef::Int(integer, _)) => {
            out.push(Tag::Int as u8);
            out.extend_from_slice(&integer.to_le_bytes());
        }
        View::String(string) => tagged(Tag::Text, string, out),
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
            let Some(below) = depth.checked_sub(1) else { return false };
            counted(Tag::List, items.len(), out);
            return items.iter().all(|item| self::value(*item, below, out));
        }
        View::Object(entries) | View::Map(entries, _) => {
            let Some(below) = depth.checked_sub(1) else { return false };
            counted(Tag::Object, entries.len(), out);
            return entries.iter().all(|entry| {
                text(entry.name, out);
                self::value(entry.value, below, out)
            });
        }
        _ => {
            let Ok(json) = other(value) else { return false };
            raw(&json, out);
        }
    }
    true
}

/// Returns the JSON of fractions, large numbers, unknown and marked values. Out of line: they are rare.
#[cold]
#[inline(never)]
fn other(value: Value<'_>) -> Result<String, hclvm::Error> {
    Json(value).lenient().to_text()
}

fn raw(json: &str, out: &mut Vec<u8>) {
    tagged(Tag::Raw, json, out);
}

fn tagged(tag: Tag, text: &str, out: &mut Vec<u8>) {
    counted(tag, text.len(), out);
    out.extend_from_slice(text.as_bytes());
}

/// Appends a tag and a length in one step.
fn counted(tag: Tag, count: usize, out: &mut Vec<u8>) {
    let [a, b, c, d] = length(count);
    out.extend_from_slice(&[tag as u8, a, b, c, d]);
}

fn number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes());
}

/// Returns a length as bytes. Values are smaller than the memory that an engine allows them, and so than 4 GiB; what
/// is behind a longer text could not be read.
fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

fn text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&length(text.len()));
    out.extend_from_slice(text.as_bytes());
}

fn optional(optional: Option<&str>, out: &mut Vec<u8>) {
    out.push(u8::from(optional.is_some()));
    if let Some(optional) = optional {
        text(optional, out);
    }
}

/// Reads what was encoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// Returns true behind the last decision.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the time of the decision that follows, in nanoseconds, without reading it.
    pub(crate) fn time(&self) -> Option<u64> {
        Self(self.0).number()
    }

    /// Reads a decision up to its values. Returns true if it is explained.
    pub(crate) fn entry(&mut self, entry: &mut Entry) -> Option<bool> {
        entry.time = SystemTime::UNIX_EPOCH + Duration::from_nanos(self.number()?);
        entry.cause = match self.byte()? {
            0 => Cause::Rule,
            1 => Cause::NoRule,
            _ => Cause::Undecided,
        };
        let is_explained = self.byte()? != 0;
        entry.origin.epoch = self.number()?;
        entry.fuel = self.number()?;
        entry.elapsed = Duration::from_nanos(self.number()?);
        let document = self.text()?;
        if *entry.origin.document != *document {
            entry.origin.document = document.into();
        }
        entry.effect = self.text()?.into();
        entry.rule = if self.byte()? == 0 { None } else { Some(self.text()?.into()) };
        entry.reason = if self.byte()? == 0 { None } else { Some(self.text()?.into()) };
        entry.open.clear();
        if self.byte()? != 0 {
            entry.open.push_str(self.text()?);
        }
        Some(is_explained)
    }

    /// Reads the values as one JSON object, which is not checked yet; `None` if they are encoded one by one.
    pub(crate) fn whole(&mut self) -> Option<&'b str> {
        let mut ahead = *self;
        let whole = (ahead.tag()? == Tag::Raw).then(|| ahead.text())??;
        *self = ahead;
        Some(whole)
    }

    /// Reads the name of the next value; `None` behind the last one.
    pub(crate) fn name(&mut self) -> Option<&'b str> {
        (self.tag()? == Tag::Text).then(|| self.text())?
    }

    pub(crate) fn tag(&mut self) -> Option<Tag> {
        Some(match self.byte()? {
            1 => Tag::Null,
            2 => Tag::False,
            3 => Tag::True,
            4 => Tag::Int,
            5 => Tag::Text,
            6 => Tag::Raw,
            7 => Tag::List,
            8 => Tag::Object,
            _ => Tag::End,
        })
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes().map(|[byte]| byte)
    }

    fn number(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    pub(crate) fn int(&mut self) -> Option<i64> {
        self.bytes().map(i64::from_le_bytes)
    }

    pub(crate) fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.bytes()?)).ok()
    }

    pub(crate) fn text(&mut self) -> Option<&'b str> {
        let length = self.length()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }
}
