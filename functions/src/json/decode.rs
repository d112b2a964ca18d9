//! `jsondecode`: JSON as values, numbers at full precision, arrays as tuples, objects as objects.
//!
//! Open brackets are on an explicit stack, because the depth of values is limited by the host and not
//! by the machine's stack; members are on two others, from which a closing bracket takes those that
//! were pushed since its opening one. The work is linear in the text. Hosts' JSON is built elsewhere,
//! by the ingest of the library, with the same [`JsonReader`].

use hclvm_vm::{Arena, CallError, Entry, Exhausted, Number, Value, may_read_number};

use super::reader::{JsonError, JsonReader};
use crate::arguments::CallResult;

/// Returns the value of a JSON text. `source` is in normal form C, so slices of it are too.
pub(super) fn decode<'a>(arena: &'a Arena, source: &'a str) -> CallResult<'a> {
    if !arena.charge(source.len() as u64) {
        return Ok(Value::DYNAMIC);
    }
    let reader = JsonReader::new(source).accepting_lone_surrogates();
    let mut decoder =
        JsonDecoder { arena, reader, frames: Vec::new(), items: Vec::new(), entries: Vec::new() };
    decoder.document().map_err(|error| CallError::new(format!("the text is not JSON: {error}")))
}

/// An open bracket.
enum JsonFrame<'a> {
    /// An array, and the index of its first item on the stack of items.
    Array(usize),
    /// An object, the index of its first entry on the stack of entries, and the name of the value that
    /// is being read.
    Object(usize, &'a str),
}

struct JsonDecoder<'a> {
    arena: &'a Arena,
    reader: JsonReader<'a>,
    frames: Vec<JsonFrame<'a>>,
    items: Vec<Value<'a>>,
    entries: Vec<Entry<'a>>,
}

impl<'a> JsonDecoder<'a> {
    fn document(&mut self) -> Result<Value<'a>, JsonError> {
        loop {
            // A complete value, or `None` if a bracket has opened and its first member is next.
            let mut value = self.value()?;
            while let Some(complete) = value {
                if self.frames.is_empty() {
                    self.reader.end()?;
                    return Ok(complete);
                }
                value = self.member(complete)?;
            }
            if self.arena.budget().exhausted().is_some() {
                return Ok(Value::DYNAMIC);
            }
        }
    }

    /// Reads a scalar or an empty array or object; returns `None` after the opening bracket of one that
    /// has members.
    fn value(&mut self) -> Result<Option<Value<'a>>, JsonError> {
        self.reader.space();
        match self.reader.peek() {
            Some(b'"') => Ok(Some(Value::str(self.arena, self.string()?))),
            Some(b'{') => self.open(JsonFrame::Object(self.entries.len(), "")),
            Some(b'[') => self.open(JsonFrame::Array(self.items.len())),
            Some(b'-' | b'0'..=b'9') => self.number().map(Some),
            Some(b't') => self.reader.word("true").map(|()| Some(Value::TRUE)),
            Some(b'f') => self.reader.word("false").map(|()| Some(Value::FALSE)),
            Some(b'n') => self.reader.word("null").map(|()| Some(Value::NULL)),
            _ => Err(self.reader.no_value()),
        }
    }

    fn string(&mut self) -> Result<&'a str, JsonError> {
        match self.reader.plain_string()? {
            Some(plain) => Ok(plain.text()),
            None => self.reader.decoded(self.arena),
        }
    }

    fn number(&mut self) -> Result<Value<'a>, JsonError> {
        if let Some(short) = self.reader.short_number() {
            return Ok(short);
        }
        let written = self.reader.number()?;
        let text = written.text();
        if !may_read_number(self.arena, text) {
            return Ok(Value::ZERO);
        }
        let number = Number::parse_text(text);
        let number = number.ok_or_else(|| self.reader.error(format!("the number {text} is out of range")))?;
        Ok(Value::number(self.arena, number))
    }

    /// Opens a bracket, unless it nests deeper than values may.
    fn open(&mut self, frame: JsonFrame<'a>) -> Result<Option<Value<'a>>, JsonError> {
        if self.frames.len() >= usize::from(self.arena.budget().limits().value_depth) {
            self.arena.budget().exhaust(Exhausted::Depth);
        }
        self.reader.bump();
        self.frames.push(frame);
        self.advance(true)
    }

    /// Adds a complete value to the innermost open bracket and advances.
    fn member(&mut self, value: Value<'a>) -> Result<Option<Value<'a>>, JsonError> {
        self.arena.charge(1);
        match self.frames.last() {
            Some(JsonFrame::Array(_)) => self.items.push(value),
            Some(JsonFrame::Object(_, name)) => self.entries.push(Entry::new(name, value)),
            None => {}
        }
        self.advance(false)
    }

    /// Advances to the next member of the innermost open bracket and returns `None`, or closes the
    /// bracket and returns its value. `first` is true directly after the opening bracket.
    fn advance(&mut self, mut first: bool) -> Result<Option<Value<'a>>, JsonError> {
        match self.frames.last_mut() {
            Some(JsonFrame::Array(start)) => {
                let start = *start;
                if self.reader.another(b']', &mut first)? {
                    return Ok(None);
                }
                self.frames.pop();
                Ok(Some(self.array(start)))
            }
            Some(JsonFrame::Object(start, _)) => {
                let start = *start;
                if self.reader.another(b'}', &mut first)? {
                    return self.name().map(|()| None);
                }
                self.frames.pop();
                self.object(start).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Reads the name of the next member and its colon.
    fn name(&mut self) -> Result<(), JsonError> {
        self.reader.key_start()?;
        let name = self.string()?;
        self.reader.colon()?;
        if let Some(JsonFrame::Object(_, next)) = self.frames.last_mut() {
            *next = name;
        }
        Ok(())
    }

    fn array(&mut self, start: usize) -> Value<'a> {
        let items = self.arena.slice(self.items.get(start..).unwrap_or_default());
        self.items.truncate(start);
        Value::tuple(self.arena, items)
    }

    fn object(&mut self, start: usize) -> Result<Value<'a>, JsonError> {
        let mut entries: Vec<Entry<'a>> = self.entries.split_off(start);
        entries.sort_by(|a, b| a.name.cmp(b.name));
        self.keep_last(&mut entries)?;
        Ok(Value::object(self.arena, self.arena.slice(&entries)))
    }

    /// Keeps the last of the entries with equal names. go-cty decodes the type first and the value
    /// second, so all of these must have one type; ingest has no such rule.
    fn keep_last(&self, entries: &mut Vec<Entry<'a>>) -> Result<(), JsonError> {
        let mut conflict = None;
        entries.dedup_by(|later, kept| {
            let equal = later.name == kept.name;
            if equal {
                if later.value.type_of(self.arena) != kept.value.type_of(self.arena) {
                    conflict = Some(later.name);
                }
                kept.value = later.value;
            }
            equal
        });
        match conflict {
            Some(name) => Err(self
                .reader
                .error(format!("an object has {name:?} twice, with values of different types"))),
            None => Ok(()),
        }
    }
}
