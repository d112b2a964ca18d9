//! `{:?}` of values: a short notation like that of HCL's literals, for people who debug.
//!
//! | value | shown as |
//! |---|---|
//! | string, number, bool | `"text"`, `12`, `true` |
//! | tuple, list, set | `[1, 2]`, `tolist([1, 2])`, `toset([1, 2])` |
//! | object, map | `{a = 1, "b c" = 2}`, `tomap({a = 1})` |
//! | null, unknown | `null`, `null(string)`, `unknown(number)` |
//! | marked | `(marked)` |
//!
//! Invariants: the content of a marked value is never shown, and the output is short whatever the
//! value is; `…` marks an omission. The whole of a value is written as JSON, by the library.

use std::fmt::{self, Write};

use super::{Entry, Value, View};
use crate::number::NumberRef;

/// Characters shown of one value: a few lines of a terminal.
const LONGEST: usize = 500;

/// Characters shown of one string, so that the members after it are shown as well.
const LONGEST_TEXT: usize = 100;

/// Members shown of one aggregate.
const MOST_MEMBERS: usize = 20;

/// Levels of aggregates shown.
const DEEPEST: usize = 5;

/// Characters up to which a number is written without an exponent: those of the longest 64-bit integer,
/// and as many after the point.
const LONGEST_NUMBER: u64 = 40;

/// Digits shown of a longer number: as many as distinguish floats of 64 bits.
const DIGITS: usize = 17;

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = TruncatingWriter { out: f, left: LONGEST };
        match write_value(&mut out, *self, 0) {
            // The excerpt ends here on purpose.
            Err(_) if out.left == 0 => Ok(()),
            written => written,
        }
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {:?}", ShownName(self.name), self.value)
    }
}

/// Passes on so many characters, then writes `…` and fails, which ends the writing.
struct TruncatingWriter<'f, 'o> {
    out: &'f mut fmt::Formatter<'o>,
    left: usize,
}

impl Write for TruncatingWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match text.char_indices().nth(self.left) {
            None => {
                self.left -= text.chars().count();
                self.out.write_str(text)
            }
            Some((end, _)) => {
                self.left = 0;
                write!(self.out, "{}…", &text[..end])?;
                Err(fmt::Error)
            }
        }
    }
}

/// Writes a value inside `depth` others.
fn write_value(out: &mut TruncatingWriter<'_, '_>, value: View<'_>, depth: usize) -> fmt::Result {
    match value {
        View::Null(ty) if ty.is_dynamic() => out.write_str("null"),
        View::Null(ty) => write!(out, "null({})", ty.friendly_name()),
        View::Bool(value) => write!(out, "{value}"),
        View::Number(number) => write_number(out, number),
        View::String(text) => write_text(out, text),
        View::Tuple(items) => write_items(out, items, depth),
        View::List(items, _) => write_call(out, "tolist", |out| write_items(out, items, depth)),
        View::Set(items, _) => write_call(out, "toset", |out| write_items(out, items, depth)),
        View::Object(entries) => write_entries(out, entries, depth),
        View::Map(entries, _) => write_call(out, "tomap", |out| write_entries(out, entries, depth)),
        View::Unknown(unknown) => write!(out, "unknown({})", unknown.ty.friendly_name()),
        View::Marked(..) => out.write_str("(marked)"),
        View::Unset => out.write_str("unset"),
    }
}

fn write_number(out: &mut TruncatingWriter<'_, '_>, number: NumberRef<'_>) -> fmt::Result {
    match number.text_within(LONGEST_NUMBER) {
        Some(text) => out.write_str(&text),
        None => out.write_str(&number.text_general(Some(DIGITS))),
    }
}

fn write_text(out: &mut TruncatingWriter<'_, '_>, text: &str) -> fmt::Result {
    match text.char_indices().nth(LONGEST_TEXT) {
        None => write!(out, "{text:?}"),
        Some((end, _)) => write!(out, "{:?}…", &text[..end]),
    }
}

fn write_call(
    out: &mut TruncatingWriter<'_, '_>,
    function: &str,
    argument: impl FnOnce(&mut TruncatingWriter<'_, '_>) -> fmt::Result,
) -> fmt::Result {
    write!(out, "{function}(")?;
    argument(out)?;
    out.write_char(')')
}

fn write_items(out: &mut TruncatingWriter<'_, '_>, items: &[Value<'_>], depth: usize) -> fmt::Result {
    out.write_char('[')?;
    write_members(out, items, depth, |out, item| write_value(out, item.view(), depth + 1))?;
    out.write_char(']')
}

fn write_entries(out: &mut TruncatingWriter<'_, '_>, entries: &[Entry<'_>], depth: usize) -> fmt::Result {
    out.write_char('{')?;
    write_members(out, entries, depth, |out, entry| {
        write!(out, "{} = ", ShownName(entry.name))?;
        write_value(out, entry.value.view(), depth + 1)
    })?;
    out.write_char('}')
}

/// Writes the first members of an aggregate inside `depth` others.
fn write_members<T>(
    out: &mut TruncatingWriter<'_, '_>,
    members: &[T],
    depth: usize,
    write: impl Fn(&mut TruncatingWriter<'_, '_>, &T) -> fmt::Result,
) -> fmt::Result {
    let most = if depth < DEEPEST { MOST_MEMBERS } else { 0 };
    for (at, member) in members.iter().take(most).enumerate() {
        if at > 0 {
            out.write_str(", ")?;
        }
        write(out, member)?;
    }
    if members.len() <= most {
        return Ok(());
    }
    out.write_str(if most == 0 { "…" } else { ", …" })
}

/// A name of an object or map: quoted unless it is a plain identifier.
struct ShownName<'a>(&'a str);

impl fmt::Display for ShownName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if self.0.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && self.0.chars().all(plain) {
            return f.write_str(self.0);
        }
        match self.0.char_indices().nth(LONGEST_TEXT) {
            None => write!(f, "{:?}", self.0),
            Some((end, _)) => write!(f, "{:?}…", &self.0[..end]),
        }
    }
}
