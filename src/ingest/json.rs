//! JSON text as values, in one pass and without a tree in between.
//!
//! The text is copied into the arena once, and strings without escapes are slices of that
//! copy. Numbers are read from their text: small integers and short decimals inline, all
//! others at 512 bits. Nesting is bounded by [`DEEPEST`] and the limits of the arena.

use std::fmt;

use hclvm_vm::arena::Arena;
use hclvm_vm::number::Number;
use hclvm_vm::text::nfc;
use hclvm_vm::value::Value;

use super::site::{Refusal, Site};

mod string;

/// Levels of arrays and objects that a text may have, so that reading needs little stack.
const DEEPEST: u16 = 128;

/// What is wrong with a JSON text, and where.
#[derive(Debug)]
pub(crate) struct JsonError {
    message: String,
    line: usize,
    column: usize,
}

impl JsonError {
    /// A value that the limits of the engine do not allow.
    pub(crate) fn beyond_limits() -> Self {
        Self { message: "the value exceeds the limits of the engine".to_owned(), line: 1, column: 1 }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

/// Reads one JSON text to its end.
pub(crate) fn read<'a>(arena: &'a Arena, json: &[u8]) -> Result<Value<'a>, JsonError> {
    read_at(Site::new(arena), json)
}

/// Reads one JSON text to its end, as part of a larger value.
pub(super) fn read_at<'a>(site: Site<'a>, json: &[u8]) -> Result<Value<'a>, JsonError> {
    let text = utf8(json)?;
    let copy = site.arena().text(text);
    let mut reader = Reader::new(copy);
    if copy.len() != text.len() {
        return Err(reader.refused(&Refusal::Memory(site.arena().budget().limits().arena_bytes)));
    }
    let value = reader.value(site, DEEPEST)?;
    reader.end()?;
    Ok(value)
}

fn utf8(json: &[u8]) -> Result<&str, JsonError> {
    std::str::from_utf8(json).map_err(|error| {
        let valid = std::str::from_utf8(&json[..error.valid_up_to()]).unwrap_or_default();
        Reader { text: valid, at: valid.len() }.error("bytes that are no UTF-8")
    })
}

/// The members of a JSON object one by one, for those who want only some of them.
#[derive(Debug)]
pub(crate) struct Members<'t> {
    reader: Reader<'t>,
    first: bool,
}

impl<'t> Members<'t> {
    /// The members of the object that `json` is.
    pub(crate) fn new(json: &'t [u8]) -> Result<Self, JsonError> {
        let mut reader = Reader::new(utf8(json)?);
        reader.space();
        if reader.peek() != Some(b'{') {
            return Err(reader.error("an object with a member for each variable was expected"));
        }
        reader.at += 1;
        Ok(Self { reader, first: true })
    }

    /// The name of the next member; after the last one the text has to end.
    pub(crate) fn next_name(&mut self) -> Result<Option<std::borrow::Cow<'t, str>>, JsonError> {
        if !self.reader.another(b'}', &mut self.first)? {
            self.reader.end()?;
            return Ok(None);
        }
        let name = self.reader.name()?;
        Ok(Some(name))
    }

    /// The text of the value of the member whose name came last.
    pub(crate) fn value_text(&mut self) -> Result<&'t str, JsonError> {
        self.reader.space();
        let start = self.reader.at;
        self.reader.skip()?;
        Ok(&self.reader.text[start..self.reader.at])
    }

    /// An error about the value whose text came last, placed in the whole text.
    pub(crate) fn error(&self, value: &str, error: &JsonError) -> JsonError {
        let before = &self.reader.text[..self.reader.at - value.len()];
        let place = Reader { text: before, at: before.len() }.error("");
        let column = if error.line == 1 { place.column + error.column - 1 } else { error.column };
        JsonError { message: error.message.clone(), line: place.line + error.line - 1, column }
    }
}

/// A position in a JSON text.
#[derive(Debug)]
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    #[cold]
    fn error(&self, message: impl Into<String>) -> JsonError {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        JsonError { message: message.into(), line, column: self.at - start + 1 }
    }

    #[cold]
    fn refused(&self, refusal: &Refusal<'_>) -> JsonError {
        self.error(refusal.to_string())
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Nothing but space follows.
    fn end(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.peek().is_none() { Ok(()) } else { Err(self.error("characters after the end of the value")) }
    }

    fn value<'a>(&mut self, site: Site<'a>, depth: u16) -> Result<Value<'a>, JsonError>
    where
        't: 'a,
    {
        self.space();
        match self.peek() {
            Some(b'"') => {
                let text = self.string(site.arena())?;
                Ok(Value::str(site.arena(), nfc(site.arena(), text)))
            }
            Some(b'{') => self.object(site, depth),
            Some(b'[') => self.array(site, depth),
            Some(b'-' | b'0'..=b'9') => self.number(site),
            Some(b't') => self.word("true", Value::TRUE),
            Some(b'f') => self.word("false", Value::FALSE),
            Some(b'n') => self.word("null", Value::NULL),
            Some(_) => Err(self.error("a value was expected")),
            None => Err(self.error("the text ends where a value was expected")),
        }
    }

    fn word<'a>(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, JsonError> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.error("a value was expected"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// Whether another element follows: reads the separator before it, or the closing bracket.
    #[inline]
    fn another(&mut self, close: u8, first: &mut bool) -> Result<bool, JsonError> {
        self.space();
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                return Ok(false);
            }
            Some(b',') if !*first => self.at += 1,
            Some(_) if *first => {}
            Some(_) => return Err(self.error(format!("a comma or \"{}\" was expected", char::from(close)))),
            None => return Err(self.error(format!("the text ends before \"{}\"", char::from(close)))),
        }
        *first = false;
        self.space();
        Ok(true)
    }

    fn inside<'a>(&self, site: Site<'a>, depth: u16) -> Result<(Site<'a>, u16), JsonError> {
        let inner = site.inside().map_err(|refusal| self.refused(&refusal))?;
        let depth = depth.checked_sub(1).ok_or_else(|| self.refused(&Refusal::Depth(DEEPEST)))?;
        Ok((inner, depth))
    }

    fn array<'a>(&mut self, site: Site<'a>, depth: u16) -> Result<Value<'a>, JsonError>
    where
        't: 'a,
    {
        let (inner, depth) = self.inside(site, depth)?;
        self.at += 1;
        let mut items = site.arena().list();
        let mut first = true;
        while self.another(b']', &mut first)? {
            items.push(self.value(inner, depth)?);
            site.has_room().map_err(|refusal| self.refused(&refusal))?;
        }
        Ok(site.tuple(items))
    }

    fn object<'a>(&mut self, site: Site<'a>, depth: u16) -> Result<Value<'a>, JsonError>
    where
        't: 'a,
    {
        let arena = site.arena();
        let (inner, depth) = self.inside(site, depth)?;
        self.at += 1;
        let mut entries = arena.list_with(8);
        let mut first = true;
        while self.another(b'}', &mut first)? {
            self.key_start()?;
            let name = nfc(arena, self.string(arena)?);
            self.colon()?;
            let value = self.value(inner, depth)?;
            entries.push(arena.entry(name, value));
            site.has_room().map_err(|refusal| self.refused(&refusal))?;
        }
        Ok(site.object(entries))
    }

    fn key_start(&self) -> Result<(), JsonError> {
        if self.peek() == Some(b'"') { Ok(()) } else { Err(self.error("a name in quotes was expected")) }
    }

    fn colon(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.error("a colon was expected"));
        }
        self.at += 1;
        Ok(())
    }

    /// The name of a member and the colon after it.
    fn name(&mut self) -> Result<std::borrow::Cow<'t, str>, JsonError> {
        self.key_start()?;
        let name = self.owned_string()?;
        self.colon()?;
        Ok(name)
    }

    /// A number: the common short integers without a detour.
    fn number<'a>(&mut self, site: Site<'a>) -> Result<Value<'a>, JsonError> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let digits = self.digits()?;
        if digits > 1 && self.text.as_bytes().get(self.at - digits) == Some(&b'0') {
            return Err(self.error("a number may not begin with a zero before other digits"));
        }
        let mut whole = true;
        if self.peek() == Some(b'.') {
            whole = false;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            whole = false;
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        if whole && digits < 19 {
            let magnitude = text
                .bytes()
                .skip(usize::from(negative))
                .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
            // A negative zero is a number of its own.
            if !(negative && magnitude == 0) {
                return Ok(Value::int(if negative { -magnitude } else { magnitude }));
            }
        }
        match Number::parse_text(text) {
            Some(number) => Ok(Value::number(site.arena(), number)),
            None => Err(self.refused(&Refusal::Number(text))),
        }
    }

    /// At least one digit; how many there were.
    fn digits(&mut self) -> Result<usize, JsonError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { Err(self.error("a digit was expected")) } else { Ok(self.at - start) }
    }

    /// Passes over a value; brackets need no stack, because only their kinds are remembered.
    fn skip(&mut self) -> Result<(), JsonError> {
        let mut open: Vec<(u8, bool)> = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    open.push((b'}', true));
                }
                Some(b'[') => {
                    self.at += 1;
                    open.push((b']', true));
                }
                Some(b'"') => self.skip_string()?,
                Some(b'-' | b'0'..=b'9') => self.skip_number()?,
                Some(b't') => _ = self.word("true", Value::NULL)?,
                Some(b'f') => _ = self.word("false", Value::NULL)?,
                Some(b'n') => _ = self.word("null", Value::NULL)?,
                Some(_) => return Err(self.error("a value was expected")),
                None => return Err(self.error("the text ends where a value was expected")),
            }
            if open.len() > usize::from(DEEPEST) {
                return Err(self.refused(&Refusal::Depth(DEEPEST)));
            }
            // After a value: the next element, or the end of as many aggregates as close here.
            loop {
                let Some((close, first)) = open.last_mut() else { return Ok(()) };
                let (close, mut is_first) = (*close, *first);
                let more = self.another(close, &mut is_first)?;
                if let Some((_, first)) = open.last_mut() {
                    *first = is_first;
                }
                if more {
                    if close == b'}' {
                        self.key_start()?;
                        self.skip_string()?;
                        self.colon()?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    fn skip_number(&mut self) -> Result<(), JsonError> {
        self.at += usize::from(self.peek() == Some(b'-'));
        self.digits()?;
        while let Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-') = self.peek() {
            self.at += 1;
        }
        Ok(())
    }
}
