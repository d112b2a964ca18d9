//! The verbs of a format text, read and carried out.

use std::str::Chars;

use hclvm_vm::text::characters;
use hclvm_vm::{CallError, NumberRef, Type, Value, View, convert};

use super::digits;
use crate::json::write_json;
use crate::text_builder::TextBuilder;

/// Widths and precisions of numbers above this are rejected.
const WIDEST: usize = 1_000_000;

/// One verb.
#[derive(Debug, Default)]
pub(super) struct Verb<'f> {
    /// The verb as it is written.
    raw: &'f str,
    /// Its offset in the format, in bytes.
    offset: usize,
    pub(super) zero: bool,
    pub(super) sharp: bool,
    pub(super) minus: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    /// The argument it shows, counted from 1.
    argument: usize,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    pub(super) letter: char,
}

/// Writes `format` with its verbs replaced by `values`, all of which are wholly known.
pub(super) fn render<'a>(
    out: &mut TextBuilder<'a>,
    format: &str,
    values: &[Value<'a>],
) -> Result<(), CallError> {
    let (mut rest, mut next, mut highest) = (format, 1, 0);
    while let Some(at) = rest.find('%') {
        if !out.push(&rest[..at]) {
            return Ok(());
        }
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("%%") {
            out.push("%");
            rest = after;
            continue;
        }
        let verb = VerbReader::new(format, format.len() - rest.len()).verb(next)?;
        rest = &rest[verb.raw.len()..];
        highest = highest.max(verb.argument);
        next = verb.argument.saturating_add(1);
        verb.write(out, values)?;
    }
    out.push(rest);
    all_used(highest, values.len())
}

fn all_used(highest: usize, given: usize) -> Result<(), CallError> {
    let message = match highest {
        _ if highest >= given => return Ok(()),
        0 => "too many arguments: the format has no verbs".to_owned(),
        _ => format!("too many arguments: the format uses only {highest} of {given}"),
    };
    Err(CallError::argument(highest + 1, message))
}

/// Reads one verb.
struct VerbReader<'f> {
    format: &'f str,
    start: usize,
    chars: Chars<'f>,
}

impl<'f> VerbReader<'f> {
    /// Creates a reader behind the percent sign at `start`.
    fn new(format: &'f str, start: usize) -> Self {
        Self { format, start, chars: format.get(start + 1..).unwrap_or_default().chars() }
    }

    /// verb = "%" flag* width? precision? index? letter
    fn verb(mut self, next: usize) -> Result<Verb<'f>, CallError> {
        let mut verb = Verb { offset: self.start, argument: next, ..Verb::default() };
        while self.flag(&mut verb) {}
        verb.width = self.number()?;
        if self.eat('.') {
            verb.precision = Some(self.digits());
        }
        if self.eat('[') {
            verb.argument = self.number()?.ok_or_else(|| self.unexpected())?;
            if !self.eat(']') {
                return Err(self.unexpected());
            }
            if matches!(self.peek(), Some('.' | '0'..='9')) {
                let written = self.format.get(self.start..self.offset()).unwrap_or_default();
                return Err(CallError::new(format!(
                    "width and precision come before the argument's number: they cannot follow {written:?}"
                )));
            }
        }
        verb.letter = self.letter()?;
        verb.raw = self.format.get(self.start..self.offset()).unwrap_or_default();
        Ok(verb)
    }

    fn flag(&mut self, verb: &mut Verb<'_>) -> bool {
        match self.peek() {
            Some('0') => verb.zero = true,
            Some('#') => verb.sharp = true,
            Some('-') => verb.minus = true,
            Some('+') => verb.plus = true,
            Some(' ') => verb.space = true,
            _ => return false,
        }
        self.chars.next();
        true
    }

    /// Reads a number that does not start with zero.
    fn number(&mut self) -> Result<Option<usize>, CallError> {
        match self.peek() {
            Some('1'..='9') => Ok(Some(self.digits())),
            Some('0') => Err(self.unexpected()),
            _ => Ok(None),
        }
    }

    fn digits(&mut self) -> usize {
        let mut value = 0_usize;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            value = value.saturating_mul(10).saturating_add(digit as usize);
            self.chars.next();
        }
        value
    }

    fn letter(&mut self) -> Result<char, CallError> {
        match self.peek() {
            Some(c) if c.is_ascii_alphabetic() => {
                self.chars.next();
                Ok(c)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.chars.next();
        }
        found
    }

    fn peek(&self) -> Option<char> {
        self.chars.clone().next()
    }

    fn offset(&self) -> usize {
        self.format.len() - self.chars.as_str().len()
    }

    fn unexpected(&self) -> CallError {
        let offset = self.offset();
        CallError::new(match self.peek() {
            Some(c) => format!("the format has no verb with the character {c:?} at offset {offset}"),
            None => format!("the format ends inside the verb that starts at offset {}", self.start),
        })
    }
}

impl Verb<'_> {
    /// Returns true for `%d` without flags, width and precision.
    pub(super) fn is_plain_decimal(&self) -> bool {
        self.letter == 'd' && self.raw.len() == 2
    }

    fn write<'a>(&self, out: &mut TextBuilder<'a>, values: &[Value<'a>]) -> Result<(), CallError> {
        let value = self.argument.checked_sub(1).and_then(|index| values.get(index)).ok_or_else(|| {
            CallError::new(format!(
                "the verb {:?} at offset {} shows argument {}, but there are only {}",
                self.raw,
                self.offset,
                self.argument,
                values.len()
            ))
        })?;
        if self.letter != 'v' && value.is_null() {
            return Err(self.refuse("only %v can show null"));
        }
        match self.letter {
            'v' => self.write_any(out, *value),
            't' => self.write_bool(out, *value),
            'b' | 'd' | 'o' | 'x' | 'X' => self.write_integer(out, *value),
            'e' | 'E' | 'f' | 'g' | 'G' => self.write_float(out, *value),
            's' => self.write_text(out, *value),
            'q' => self.write_quoted(out, *value),
            _ => Err(CallError::new(format!(
                "there is no verb {:?} (in {:?} at offset {})",
                self.letter, self.raw, self.offset
            ))),
        }
    }

    fn refuse(&self, why: impl std::fmt::Display) -> CallError {
        CallError::new(format!(
            "the verb {:?} at offset {} cannot show its argument: {why}",
            self.raw, self.offset
        ))
    }

    /// `%v`: texts as they are, numbers in the shortest form, all else as JSON; `%#v`: JSON.
    fn write_any<'a>(&self, out: &mut TextBuilder<'a>, value: Value<'a>) -> Result<(), CallError> {
        match value.view() {
            View::String(text) if !self.sharp => self.pad(out, text),
            View::Number(number) if !self.sharp => {
                if let Some(text) = digits::shortest(out.arena(), number) {
                    self.pad(out, &text);
                }
            }
            _ if self.width.is_none() => write_json(out, value).map_err(|why| self.refuse(why))?,
            _ => {
                let mut json = TextBuilder::new(out.arena());
                write_json(&mut json, value).map_err(|why| self.refuse(why))?;
                self.pad(out, json.as_str());
            }
        }
        Ok(())
    }

    fn write_bool<'a>(&self, out: &mut TextBuilder<'a>, value: Value<'a>) -> Result<(), CallError> {
        let truth = self.converted(out, value, Type::Bool)?.as_bool();
        out.push(if truth == Some(true) { "true" } else { "false" });
        Ok(())
    }

    fn write_integer<'a>(&self, out: &mut TextBuilder<'a>, value: Value<'a>) -> Result<(), CallError> {
        let Some(number) = self.number(out, value)? else { return Ok(()) };
        if !number.is_integer() {
            return Err(self.refuse("expected a whole number"));
        }
        digits::write_integer(out, self, number);
        Ok(())
    }

    fn write_float<'a>(&self, out: &mut TextBuilder<'a>, value: Value<'a>) -> Result<(), CallError> {
        if let Some(number) = self.number(out, value)? {
            digits::write_float(out, self, number);
        }
        Ok(())
    }

    fn number<'a>(
        &self,
        out: &TextBuilder<'a>,
        value: Value<'a>,
    ) -> Result<Option<NumberRef<'a>>, CallError> {
        let widest = self.width.max(self.precision).unwrap_or_default();
        if widest > WIDEST {
            return Err(self.refuse(format_args!("the widest number has {WIDEST} characters")));
        }
        Ok(self.converted(out, value, Type::Number)?.as_number())
    }

    fn write_text<'a>(&self, out: &mut TextBuilder<'a>, value: Value<'a>) -> Result<(), CallError> {
        if let Some(text) = self.converted(out, value, Type::String)?.as_str() {
            self.pad(out, self.cut(text));
        }
        Ok(())
    }

    /// `%q`: a text in JSON quotes.
    fn write_quoted<'a>(&self, out: &mut TextBuilder<'a>, value: Value<'a>) -> Result<(), CallError> {
        if let Some(text) = self.converted(out, value, Type::String)?.as_str() {
            let mut quoted = TextBuilder::new(out.arena());
            crate::json::write_quoted(&mut quoted, self.cut(text));
            self.pad(out, quoted.as_str());
        }
        Ok(())
    }

    /// Returns as many grapheme clusters as the precision allows; zero allows all.
    fn cut<'t>(&self, text: &'t str) -> &'t str {
        let count = self.precision.unwrap_or_default();
        let end = characters(text).take(count).map(str::len).sum();
        text.get(..end).filter(|_| count > 0).unwrap_or(text)
    }

    /// Writes a text, padded to the width in grapheme clusters.
    fn pad(&self, out: &mut TextBuilder<'_>, text: &str) {
        let missing = self.width.map_or(0, |width| width.saturating_sub(characters(text).count()));
        let filler = if self.zero { '0' } else { ' ' };
        let (before, after) = if self.minus { (0, missing) } else { (missing, 0) };
        let _ = out.repeat(filler, before) && out.push(text) && out.repeat(filler, after);
    }

    fn converted<'a>(
        &self,
        out: &TextBuilder<'a>,
        value: Value<'a>,
        ty: Type<'static>,
    ) -> Result<Value<'a>, CallError> {
        convert(out.arena(), value, ty).map_err(|mismatch| self.refuse(mismatch))
    }
}
