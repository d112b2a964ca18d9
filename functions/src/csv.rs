//! Comma-separated values: `csvdecode`.
//!
//! ```text
//! file   = record*                       records without any character are skipped
//! record = field ( "," field )* newline
//! field  = bare | '"' ( character | '""' )* '"'
//! ```
//! The first record names the columns, and every other must have as many fields.
//!
//! Written by hand to be exact with Go's encoding/csv: a quote inside a bare field or after a closing
//! quote is an error there, while the `csv` crate accepts both, and `\r\n` inside quotes is read as
//! `\n`.

use hclvm_vm::{Arena, AttributeType, CallError, Entry, Function, Type, Value};

use super::arguments::{CallResult, may_make_items, string, text_of};
use super::text_builder::arena_text;

/// `csvdecode(str)`: a list of objects, one for each record after the first.
pub(crate) fn csvdecode() -> Function {
    // The text determines the type: an unknown text gives a result of unknown type.
    Function::new("csvdecode", [string("str")], Type::Dynamic, |arena, args, _| {
        decode(arena, text_of(args, 0))
    })
}

fn decode<'a>(arena: &'a Arena, source: &'a str) -> CallResult<'a> {
    if !arena.charge(source.len() as u64) {
        return Ok(Value::DYNAMIC);
    }
    let mut records = Records { arena, rest: source, line: 1 };
    let header = records.next()?.ok_or_else(|| CallError::new("the header line is missing"))?;
    let columns = HeaderNames::of(&header)?;
    let mut rows = arena.list();
    while let Some(fields) = records.next()? {
        if fields.len() != header.len() {
            let message = format!(
                "line {} has {} fields, but the header line has {}",
                records.line - 1,
                fields.len(),
                header.len()
            );
            return Err(CallError::new(message));
        }
        if !may_make_items(arena, 1 + fields.len()) {
            return Ok(Value::DYNAMIC);
        }
        rows.push(columns.object(arena, &fields));
    }
    Ok(Value::list(arena, rows.into_bump_slice(), columns.ty(arena)))
}

/// The names of the columns in order, each with its index in a record.
struct HeaderNames<'a> {
    sorted: Vec<(&'a str, usize)>,
}

impl<'a> HeaderNames<'a> {
    fn of(header: &[&'a str]) -> Result<Self, CallError> {
        let mut sorted: Vec<_> = header.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|pair| matches!(pair, [(a, _), (b, _)] if a == b));
        match twice {
            Some([(name, _), ..]) => Err(CallError::new(format!("two columns are called {name:?}"))),
            _ => Ok(Self { sorted }),
        }
    }

    fn object(&self, arena: &'a Arena, fields: &[&'a str]) -> Value<'a> {
        let mut entries = arena.list();
        entries.extend(self.sorted.iter().map(|(name, at)| {
            let field = fields.get(*at).copied().unwrap_or_default();
            Entry::new(name, Value::str(arena, field))
        }));
        Value::object(arena, entries.into_bump_slice())
    }

    fn ty(&self, arena: &'a Arena) -> Type<'a> {
        let mut attributes = arena.list();
        attributes.extend(self.sorted.iter().map(|(name, _)| AttributeType {
            name,
            ty: Type::String,
            optional: false,
        }));
        Type::Object(attributes.into_bump_slice())
    }
}

/// A cursor over records.
struct Records<'a> {
    arena: &'a Arena,
    rest: &'a str,
    /// The number of the line in which `rest` starts.
    line: usize,
}

impl<'a> Records<'a> {
    /// record = field ( "," field )* newline
    ///
    /// Returns `None` at the end.
    fn next(&mut self) -> Result<Option<Vec<&'a str>>, CallError> {
        while let Some(rest) = self.rest.strip_prefix("\r\n").or_else(|| self.rest.strip_prefix('\n')) {
            self.rest = rest;
            self.line += 1;
        }
        // A carriage return that ends the text belongs to no record.
        if self.rest.is_empty() || self.rest == "\r" {
            return Ok(None);
        }
        let mut fields = Vec::new();
        loop {
            fields.push(self.field()?);
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
                continue;
            }
            self.end_of_line();
            return Ok(Some(fields));
        }
    }

    fn end_of_line(&mut self) {
        let trimmed = self.rest.strip_prefix('\r').unwrap_or(self.rest);
        self.rest = trimmed.strip_prefix('\n').unwrap_or(trimmed);
        self.line += 1;
    }

    fn field(&mut self) -> Result<&'a str, CallError> {
        match self.rest.strip_prefix('"') {
            Some(rest) => self.quoted(rest),
            None => self.bare(),
        }
    }

    fn bare(&mut self) -> Result<&'a str, CallError> {
        let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        // The carriage return of a line's end is not part of the field.
        let is_last = !rest.starts_with(',');
        let field = field.strip_suffix('\r').filter(|_| is_last).unwrap_or(field);
        if field.contains('"') {
            return Err(self.wrong("a field that does not start with a quote has one inside"));
        }
        self.rest = rest;
        Ok(field)
    }

    fn quoted(&mut self, text: &'a str) -> Result<&'a str, CallError> {
        let (mut made, mut from) = (String::new(), 0);
        loop {
            let tail = text.get(from..).unwrap_or_default();
            let Some(length) = tail.find('"') else {
                return Err(self.wrong("a quoted field has no closing quote"));
            };
            let (part, after) = (&tail[..length], &tail[length + 1..]);
            if after.starts_with('"') {
                made.push_str(part);
                made.push('"');
                from += length + 2;
                continue;
            }
            if !(after.is_empty()
                || after.starts_with([',', '\n'])
                || after.starts_with("\r\n")
                || after == "\r")
            {
                return Err(self.wrong("a closing quote is not followed by a comma or the line's end"));
            }
            let field = self.finished(made, part);
            self.line += text[..from + length].matches('\n').count();
            self.rest = after;
            return Ok(field);
        }
    }

    /// Returns a quoted field, with its line ends as `\n`.
    fn finished(&self, mut made: String, last: &'a str) -> &'a str {
        if made.is_empty() && !last.contains("\r\n") {
            return last;
        }
        made.push_str(last);
        arena_text(self.arena, &made.replace("\r\n", "\n"))
    }

    fn wrong(&self, why: &str) -> CallError {
        CallError::new(format!("line {} is not CSV: {why}", self.line))
    }
}
