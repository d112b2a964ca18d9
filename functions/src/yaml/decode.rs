//! Reads YAML as values: sequences as tuples, mappings as objects.
//!
//! Open collections are on an explicit stack. An alias shares the value of its anchor, so that values do
//! not take more memory than the text that repeats them.

use std::borrow::Cow;
use std::collections::HashMap;

use hclvm_vm::{Arena, Entry, Exhausted, Number, Value, last_of_each, may_read_number};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use crate::text_builder::{arena_text, number_text};
use crate::time::readable;

/// Reads the only document of a text.
pub(super) fn decode<'a>(arena: &'a Arena, source: &'a str) -> Result<Value<'a>, String> {
    if !arena.has_room(room_for_lines(source)) {
        return Ok(Value::DYNAMIC);
    }
    let mut decoder = YamlDecoder { arena, frames: Vec::new(), anchors: HashMap::new(), document: None };
    for event in Parser::new_from_str(source) {
        let (event, span) = event.map_err(|error| {
            let place = error.marker();
            format!("line {}, column {}: {}", place.line(), place.col() + 1, error.info())
        })?;
        decoder
            .event(event)
            .map_err(|why| format!("line {}, column {}: {why}", span.start.line(), span.start.col() + 1))?;
        if !arena.charge(1) {
            return Ok(Value::DYNAMIC);
        }
    }
    Ok(decoder.document.unwrap_or(Value::NULL))
}

/// Bytes that the parser may hold of a line at once. As long as what begins with a bracket could turn
/// out to be a key, it keeps every token of the line; a token has a comma or colon, or one beside it.
fn room_for_lines(source: &str) -> usize {
    const BYTES: usize = 512;
    let tokens = |line: &str| line.bytes().filter(|c| matches!(c, b',' | b':' | b'[' | b'{')).count();
    source.lines().map(tokens).max().unwrap_or(0) * BYTES
}

/// An open collection.
enum YamlFrame<'a> {
    Sequence { anchor: usize, items: Vec<Value<'a>> },
    Mapping { anchor: usize, entries: Vec<Entry<'a>>, merged: Vec<Entry<'a>>, key: Option<MappingKey<'a>> },
}

/// What the next value of a mapping is for.
#[derive(Clone, Copy)]
enum MappingKey<'a> {
    Named(&'a str),
    /// `<<`: the entries of the value, where the mapping has none of that name.
    Merge,
}

struct YamlDecoder<'a> {
    arena: &'a Arena,
    frames: Vec<YamlFrame<'a>>,
    /// Finished values by the number of their anchor.
    anchors: HashMap<usize, Value<'a>>,
    document: Option<Value<'a>>,
}

impl<'a> YamlDecoder<'a> {
    fn event(&mut self, event: Event<'a>) -> Result<(), String> {
        match event {
            Event::DocumentStart(_) if self.document.is_some() => {
                Err("only one document is allowed".to_owned())
            }
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, style, anchor, tag.as_deref()),
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).copied();
                self.add(value.ok_or("an anchor cannot be referred to from inside its own definition")?)
            }
            Event::SequenceStart(anchor, tag) => {
                allow(tag.as_deref(), "seq")?;
                self.open(YamlFrame::Sequence { anchor, items: Vec::new() })
            }
            Event::MappingStart(anchor, tag) => {
                allow(tag.as_deref(), "map")?;
                self.open(YamlFrame::Mapping { anchor, entries: Vec::new(), merged: Vec::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            _ => Ok(()),
        }
    }

    fn open(&mut self, frame: YamlFrame<'a>) -> Result<(), String> {
        if let Some(YamlFrame::Mapping { key: None, .. }) = self.frames.last() {
            return Err("the key of a mapping must be a string".to_owned());
        }
        if self.frames.len() >= usize::from(self.arena.budget().limits().value_depth) {
            self.arena.budget().exhaust(Exhausted::Depth);
        }
        self.frames.push(frame);
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let (anchor, value) = match self.frames.pop() {
            Some(YamlFrame::Sequence { anchor, items }) => {
                (anchor, Value::tuple(self.arena, self.arena.slice(&items)))
            }
            Some(YamlFrame::Mapping { anchor, entries, merged, .. }) => {
                // Own entries come after merged ones, and of those the first ones last.
                let mut all = self.arena.list();
                all.extend(merged.into_iter().rev());
                all.extend(entries);
                (anchor, Value::object(self.arena, last_of_each(all)))
            }
            None => return Ok(()),
        };
        self.named(anchor, value)
    }

    /// Adds a value that may have an anchor.
    fn named(&mut self, anchor: usize, value: Value<'a>) -> Result<(), String> {
        if anchor > 0 {
            self.anchors.insert(anchor, value);
        }
        self.add(value)
    }

    fn scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Result<(), String> {
        let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        if let Some(YamlFrame::Mapping { key: key @ None, .. }) = self.frames.last_mut() {
            if text == "<<" && !quoted && tag.is_none_or(|tag| own_name(&verbatim(tag)) == "merge") {
                *key = Some(MappingKey::Merge);
                return Ok(());
            }
            let value = resolve(self.arena, text, quoted, tag)?;
            *key = Some(MappingKey::Named(key_text(self.arena, value)?));
            if anchor > 0 {
                self.anchors.insert(anchor, value);
            }
            return Ok(());
        }
        let value = resolve(self.arena, text, quoted, tag)?;
        self.named(anchor, value)
    }

    /// Adds a finished value to what is open.
    fn add(&mut self, value: Value<'a>) -> Result<(), String> {
        match self.frames.last_mut() {
            None => self.document = Some(value),
            Some(YamlFrame::Sequence { items, .. }) => items.push(value),
            Some(YamlFrame::Mapping { entries, merged, key, .. }) => match key.take() {
                Some(MappingKey::Named(name)) => entries.push(Entry::new(name, value)),
                Some(MappingKey::Merge) => merge(self.arena, merged, value)?,
                None => *key = Some(MappingKey::Named(key_text(self.arena, value)?)),
            },
        }
        Ok(())
    }
}

/// Collects the entries of a mapping, or of each mapping of a sequence. Every entry is charged, because
/// one mapping can be merged many times.
fn merge<'a>(arena: &Arena, merged: &mut Vec<Entry<'a>>, value: Value<'a>) -> Result<(), String> {
    const WRONG: &str = "only mappings can be merged into a mapping";
    let mut one = |value: Value<'a>| {
        let entries = value.as_entries().ok_or(WRONG)?;
        let bytes = size_of_val(entries).saturating_add(merged.len() * size_of::<Entry<'_>>());
        if arena.charge(entries.len() as u64) && arena.has_room(bytes) {
            merged.extend(entries);
        }
        Ok(())
    };
    match value.as_items() {
        Some(items) => items.iter().try_for_each(|item| one(*item)),
        None => one(value),
    }
}

/// Returns a key as a text. Numbers and bools are converted.
fn key_text<'a>(arena: &'a Arena, value: Value<'a>) -> Result<&'a str, String> {
    if let Some(text) = value.as_str() {
        return Ok(text);
    }
    if let Some(truth) = value.as_bool() {
        return Ok(if truth { "true" } else { "false" });
    }
    let number = value.as_number().ok_or("the key of a mapping must be a string")?;
    Ok(arena.text(&number_text(arena, number).unwrap_or_default()))
}

/// A tag as it is written between `!<` and `>`: `tag:yaml.org,2002:str` or `!local`.
fn verbatim(tag: &Tag) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}

/// Returns the name of a tag of YAML's own, such as `str`; empty for others.
fn own_name(verbatim: &str) -> &str {
    verbatim.strip_prefix("tag:yaml.org,2002:").unwrap_or_default()
}

/// Refuses a tag other than the one that a collection has anyway.
fn allow(tag: Option<&Tag>, wanted: &str) -> Result<(), String> {
    match tag.map(verbatim) {
        Some(tag) if own_name(&tag) != wanted => Err(format!("the tag {tag} is not supported here")),
        _ => Ok(()),
    }
}

/// Returns the value of a scalar.
fn resolve<'a>(
    arena: &'a Arena,
    text: Cow<'a, str>,
    quoted: bool,
    tag: Option<&Tag>,
) -> Result<Value<'a>, String> {
    let as_text = || Value::str(arena, arena_text(arena, &text));
    let Some(tag) = tag else {
        return if quoted { Ok(as_text()) } else { Ok(implied(arena, &text)?.unwrap_or_else(as_text)) };
    };
    let tag = verbatim(tag);
    let wrong = || format!("{text:?} is not of the kind {tag}");
    match own_name(&tag) {
        "str" => Ok(as_text()),
        "binary" if is_base64(&text) => Ok(as_text()),
        "null" => Ok(Value::NULL),
        "bool" => truth(&text).map(Value::bool).ok_or_else(wrong),
        "int" | "float" => Ok(number(arena, &text).ok_or_else(wrong)?),
        "timestamp" => {
            let moment = readable(&text).ok_or_else(wrong)?;
            Ok(Value::str(arena, arena.text(&moment)))
        }
        "binary" => Err(wrong()),
        _ => Err(format!("the tag {tag} is not supported")),
    }
}

/// Returns the value of a scalar that has neither quotes nor tag, unless it is just a text.
fn implied<'a>(arena: &'a Arena, text: &str) -> Result<Option<Value<'a>>, String> {
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Ok(Some(Value::NULL));
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err("NaN is not a number of the language".to_owned());
    }
    if let Some(truth) = truth(text) {
        return Ok(Some(Value::bool(truth)));
    }
    if let Some(moment) = readable(text) {
        return Ok(Some(Value::str(arena, arena.text(&moment))));
    }
    Ok(number(arena, text))
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "y" | "Y" => Some(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "n" | "N" => Some(false),
        _ => None,
    }
}

fn number<'a>(arena: &'a Arena, text: &str) -> Option<Value<'a>> {
    let unsigned = text.trim_start_matches(['+', '-']);
    let infinite =
        matches!(unsigned, ".inf" | ".Inf" | ".INF" | "Inf" | "inf") && text.len() - unsigned.len() < 2;
    let number = match unsigned.as_bytes() {
        // Without a sign, an infinity needs its point.
        _ if infinite && (unsigned.starts_with('.') || unsigned != text) => {
            Number::infinity(text.starts_with('-'))
        }
        [b'0', b'o', digits @ ..] if unsigned == text => radix(digits, 8)?,
        [b'0', b'x', digits @ ..] if unsigned == text => radix(digits, 16)?,
        [b'0'..=b'9' | b'.', ..] if is_decimal(unsigned) && text.len() - unsigned.len() < 2 => {
            if !may_read_number(arena, text) {
                return Some(Value::ZERO);
            }
            Number::parse_text(text)?
        }
        _ => return None,
    };
    Some(Value::number(arena, number))
}

/// Parses an unsigned integer in another base.
fn radix(digits: &[u8], radix: u32) -> Option<Number> {
    let digits = std::str::from_utf8(digits).ok()?;
    Number::parse_integer(digits, radix).filter(|_| digits.bytes().all(|c| c.is_ascii_hexdigit()))
}

/// decimal = ( "." digit+ | digit+ ( "." digit* )? ) ( ( "e" | "E" ) ( "+" | "-" )? digit+ )?
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
}

/// Returns true if a text could be Base64: complete groups of four, padding only at the end.
fn is_base64(text: &str) -> bool {
    let letters: Vec<u8> = text.bytes().filter(|c| !matches!(c, b'\r' | b'\n')).collect();
    let padding = letters.iter().rev().take_while(|c| **c == b'=').count();
    let (body, _) = letters.split_at(letters.len() - padding);
    letters.len().is_multiple_of(4)
        && padding <= 2
        && body.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/'))
}
