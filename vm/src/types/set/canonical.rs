//! The canonical text of a value, which orders sets of compound elements as the reference does.
//!
//! ```text
//! ?  unknown      ~  null       T F  bool      1.5  number, ten digits
//! "a\n"  text, quoted with escapes for what is not printable
//! [e;e;]  list, set      {"k":e;}  map      <e;e;>  tuple, and object by order of names
//! ```

use std::fmt::Write as _;

use crate::memory::arena::{Arena, ArenaString};
use crate::value::{Entry, Value, View};

/// The number of bytes of text that one unit of fuel pays for.
const BYTES_PER_UNIT: usize = 64;

/// Returns the canonical text of `value`, truncated if the budget is exhausted.
pub(super) fn text<'a>(arena: &'a Arena, value: Value<'_>) -> &'a str {
    let mut out = arena.string();
    write_value(arena, value, &mut out);
    out.into_bump_str()
}

fn write_value(arena: &Arena, value: Value<'_>, out: &mut ArenaString<'_>) {
    if !arena.charge(1) {
        return;
    }
    match value.view() {
        View::Unknown(_) | View::Unset => out.push('?'),
        View::Null(_) => out.push('~'),
        View::Bool(value) => out.push(if value { 'T' } else { 'F' }),
        View::Number(number) => out.push_str(&number.text_of_ten_digits()),
        View::String(text) => write_quoted(arena, text, out),
        View::List(items, _) | View::Set(items, _) => write_items(arena, ('[', ']'), items, out),
        View::Tuple(items) => write_items(arena, ('<', '>'), items, out),
        View::Object(entries) => {
            out.push('<');
            for entry in entries {
                write_value(arena, entry.value, out);
                out.push(';');
            }
            out.push('>');
        }
        View::Map(entries, _) => write_map(arena, entries, out),
        View::Marked(inner, _) => write_value(arena, inner, out),
    }
}

fn write_items(arena: &Arena, (open, close): (char, char), items: &[Value<'_>], out: &mut ArenaString<'_>) {
    out.push(open);
    for item in items {
        write_value(arena, *item, out);
        out.push(';');
    }
    out.push(close);
}

fn write_map(arena: &Arena, entries: &[Entry<'_>], out: &mut ArenaString<'_>) {
    out.push('{');
    for entry in entries {
        write_quoted(arena, entry.name, out);
        out.push(':');
        write_value(arena, entry.value, out);
        out.push(';');
    }
    out.push('}');
}

fn write_quoted(arena: &Arena, text: &str, out: &mut ArenaString<'_>) {
    if !arena.charge((text.len() / BYTES_PER_UNIT) as u64) || !arena.has_room(text.len()) {
        return;
    }
    out.push('"');
    for c in text.chars() {
        write_escaped(c, out);
    }
    out.push('"');
}

fn write_escaped(c: char, out: &mut ArenaString<'_>) {
    let short = match c {
        '"' | '\\' => c,
        '\u{07}' => 'a',
        '\u{08}' => 'b',
        '\u{0C}' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\u{0B}' => 'v',
        _ if is_printable(c) => return out.push(c),
        _ => {
            let code = u32::from(c);
            // Writing to a string in the arena cannot fail.
            let _ = match code {
                0..0x80 => write!(out, "\\x{code:02x}"),
                0x80..0x1_0000 => write!(out, "\\u{code:04x}"),
                _ => write!(out, "\\U{code:08x}"),
            };
            return;
        }
    };
    out.push('\\');
    out.push(short);
}

/// Returns true if a character is a letter, mark, number, punctuation or symbol, or the space.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    // After a letter, `escape_debug` escapes only characters that are not printable.
    let mut buffer = [b'a'; 5];
    let length = 1 + c.encode_utf8(&mut buffer[1..]).len();
    let behind_letter = std::str::from_utf8(&buffer[..length]).unwrap_or_default();
    behind_letter.escape_debug().nth(1) != Some('\\')
}
