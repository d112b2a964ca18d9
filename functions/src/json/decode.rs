//! JSON as values: numbers at full precision, arrays as tuples, objects as objects.
//!
//! Nesting lives on an explicit stack, members on two others: a closing bracket takes off what
//! was put there since its opening one, so the work is linear however deep the text is.

use hclvm_vm::{Arena, CallError, Entry, Exhausted, Number, Value, may_read_number};

use super::token::{Lexer, Token};
use crate::arguments::Outcome;
use crate::text_builder::arena_text;

/// The value that a JSON text denotes.
pub(super) fn decode<'a>(arena: &'a Arena, source: &'a str) -> Outcome<'a> {
    if !arena.charge(source.len() as u64) {
        return Ok(Value::DYNAMIC);
    }
    let mut decoder = Decoder {
        arena,
        lexer: Lexer::new(source),
        frames: Vec::new(),
        items: Vec::new(),
        entries: Vec::new(),
    };
    decoder.document().map_err(|why| CallError::new(format!("this is not JSON: {why}")))
}

/// What is open.
enum Frame<'a> {
    /// An array whose items start at an index of the stack.
    Array(usize),
    /// An object whose entries start at an index of the stack, and the name of the next value.
    Object(usize, &'a str),
}

struct Decoder<'a> {
    arena: &'a Arena,
    lexer: Lexer<'a>,
    frames: Vec<Frame<'a>>,
    items: Vec<Value<'a>>,
    entries: Vec<Entry<'a>>,
}

impl<'a> Decoder<'a> {
    fn document(&mut self) -> Result<Value<'a>, String> {
        let mut token = self.lexer.next()?;
        loop {
            // A value that is whole, or nothing yet where a bracket has opened.
            let mut value = self.begin(token)?;
            while let Some(done) = value {
                if self.frames.is_empty() {
                    return self.finish(done);
                }
                value = self.member(done)?;
            }
            if self.arena.budget().exhausted().is_some() {
                return Ok(Value::DYNAMIC);
            }
            token = self.lexer.next()?;
        }
    }

    fn finish(&mut self, value: Value<'a>) -> Result<Value<'a>, String> {
        match self.lexer.next()? {
            Token::End => Ok(value),
            other => Err(format!("{other} follows the value, before offset {}", self.lexer.offset())),
        }
    }

    /// A value that ends with its first token; `None` after an opening bracket that has members.
    fn begin(&mut self, token: Token<'a>) -> Result<Option<Value<'a>>, String> {
        match token {
            Token::ArrayStart => self.open_array(),
            Token::ObjectStart => self.open_object(),
            Token::Null => Ok(Some(Value::NULL)),
            Token::Bool(truth) => Ok(Some(Value::bool(truth))),
            Token::Number(text) => self.number(text).map(Some),
            Token::Text(text) => Ok(Some(Value::str(self.arena, self.text(&text)))),
            // The only array that may end here is an empty one.
            Token::ArrayEnd if self.is_at_array_start() => Ok(self.close_array()),
            other => Err(format!("{other} stands where a value must, before offset {}", self.lexer.offset())),
        }
    }

    fn text(&self, text: &std::borrow::Cow<'a, str>) -> &'a str {
        match text {
            std::borrow::Cow::Borrowed(text) => text,
            std::borrow::Cow::Owned(text) => arena_text(self.arena, text),
        }
    }

    fn number(&self, text: &str) -> Result<Value<'a>, String> {
        if !may_read_number(self.arena, text) {
            return Ok(Value::ZERO);
        }
        let number = Number::parse_text(text).ok_or_else(|| format!("the number {text} is out of range"))?;
        Ok(Value::number(self.arena, number))
    }

    fn open_array(&mut self) -> Result<Option<Value<'a>>, String> {
        self.open(Frame::Array(self.items.len()));
        Ok(None)
    }

    fn is_at_array_start(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::Array(start)) if *start == self.items.len())
    }

    fn open_object(&mut self) -> Result<Option<Value<'a>>, String> {
        let start = self.entries.len();
        self.open(Frame::Object(start, ""));
        match self.lexer.next()? {
            Token::ObjectEnd => Ok(self.close_object(start)?),
            token => self.name(token).map(|()| None),
        }
    }

    /// Enters a level, unless that is deeper than values may be.
    fn open(&mut self, frame: Frame<'a>) {
        if self.frames.len() >= usize::from(self.arena.budget().limits().value_depth) {
            self.arena.budget().exhaust(Exhausted::Depth);
        }
        self.frames.push(frame);
    }

    /// The name of a member and its colon.
    fn name(&mut self, token: Token<'a>) -> Result<(), String> {
        let Token::Text(text) = token else {
            let offset = self.lexer.offset();
            return Err(format!("{token} stands where the name of a property must, before offset {offset}"));
        };
        let name = self.text(&text);
        if let Some(Frame::Object(_, next)) = self.frames.last_mut() {
            *next = name;
        }
        match self.lexer.next()? {
            Token::Colon => Ok(()),
            other => Err(format!("{other} follows the property name {name:?}, which needs a ':'")),
        }
    }

    /// Adds a finished value to the open bracket; the bracket's own value if it closes.
    fn member(&mut self, value: Value<'a>) -> Result<Option<Value<'a>>, String> {
        self.arena.charge(1);
        match self.frames.last() {
            Some(Frame::Array(_)) => {
                self.items.push(value);
                self.after_item()
            }
            Some(Frame::Object(start, name)) => {
                let start = *start;
                self.entries.push(Entry::new(name, value));
                self.after_entry(start)
            }
            None => Ok(Some(value)),
        }
    }

    fn after_item(&mut self) -> Result<Option<Value<'a>>, String> {
        match self.lexer.next()? {
            Token::Comma => self.next_item(),
            Token::ArrayEnd => Ok(self.close_array()),
            other => Err(format!("{other} follows an array element, before offset {}", self.lexer.offset())),
        }
    }

    fn next_item(&mut self) -> Result<Option<Value<'a>>, String> {
        let token = self.lexer.next()?;
        self.begin(token)
    }

    fn after_entry(&mut self, start: usize) -> Result<Option<Value<'a>>, String> {
        match self.lexer.next()? {
            Token::Comma => {
                let token = self.lexer.next()?;
                self.name(token).map(|()| None)
            }
            Token::ObjectEnd => self.close_object(start),
            other => Err(format!("{other} follows a property, before offset {}", self.lexer.offset())),
        }
    }

    fn close_array(&mut self) -> Option<Value<'a>> {
        let Some(Frame::Array(start)) = self.frames.pop() else { return None };
        let items = self.arena.slice(self.items.get(start..).unwrap_or_default());
        self.items.truncate(start);
        Some(Value::tuple(self.arena, items))
    }

    fn close_object(&mut self, start: usize) -> Result<Option<Value<'a>>, String> {
        self.frames.pop();
        let mut entries: Vec<Entry<'a>> = self.entries.split_off(start);
        entries.sort_by(|a, b| a.name.cmp(b.name));
        self.last_of_each(&mut entries)?;
        Ok(Some(Value::object(self.arena, self.arena.slice(&entries))))
    }

    /// Keeps the last of entries with one name, which must be of one type.
    fn last_of_each(&self, entries: &mut Vec<Entry<'a>>) -> Result<(), String> {
        let mut twice = None;
        entries.dedup_by(|later, kept| {
            let same = later.name == kept.name;
            if same {
                if later.value.type_of(self.arena) != kept.value.type_of(self.arena) {
                    twice = Some(later.name);
                }
                kept.value = later.value;
            }
            same
        });
        match twice {
            Some(name) => {
                Err(format!("an object has the property {name:?} twice, with values of other types"))
            }
            None => Ok(()),
        }
    }
}
