//! Values as JSON text, written directly: `serde_json` without `arbitrary_precision` would round numbers.

use std::fmt::Write;

use hclvm_vm::View;

use super::number::NUMBER;
use super::{JsonPart, MARKED, UNKNOWN};

impl JsonPart<'_, '_> {
    /// Appends the value. Fails if it has no JSON. Recursion is bounded by its depth.
    pub(super) fn write(&self, out: &mut String) -> Result<(), String> {
        self.fits(self.value.as_str().map_or(0, str::len))?;
        match self.value.view() {
            View::Null(_) => out.push_str("null"),
            View::Bool(value) => out.push_str(if value { "true" } else { "false" }),
            View::Number(number) => match self.infinity(number) {
                Some(text) => single(out, NUMBER, |out| quote(out, text)),
                None => out.push_str(&self.number_text(number)?),
            },
            View::String(text) => quote(out, text),
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                listed(out, ['[', ']'], self.items(items), |out, item| item.write(out))?;
            }
            View::Object(entries) | View::Map(entries, _) => {
                listed(out, ['{', '}'], self.entries(entries), |out, (name, member)| {
                    quote(out, name);
                    out.push(':');
                    member.write(out)
                })?;
            }
            View::Unknown(unknown) => {
                let name = self.unknown(unknown)?;
                single(out, UNKNOWN, |out| quote(out, &name));
            }
            View::Marked(_, marks) => {
                let names = self.marks(marks)?;
                single(out, MARKED, |out| {
                    let _ = listed(out, ['[', ']'], names.iter(), |out, name| {
                        quote(out, name);
                        Ok(())
                    });
                });
            }
            View::Unset => return Err(self.refusal("there is no value")),
        }
        Ok(())
    }
}

/// Writes members between brackets, separated by commas.
fn listed<T>(
    out: &mut String,
    [open, close]: [char; 2],
    members: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut String, T) -> Result<(), String>,
) -> Result<(), String> {
    out.push(open);
    for (at, member) in members.enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, member)?;
    }
    out.push(close);
    Ok(())
}

/// Writes an object with one member.
fn single(out: &mut String, name: &str, write: impl FnOnce(&mut String)) {
    out.push('{');
    quote(out, name);
    out.push(':');
    write(out);
    out.push('}');
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    // Bytes, not characters: a third of the instructions, and all that are escaped are ASCII.
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, 0..=0x1F | b'"' | b'\\')) {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = tail.chars();
        escape(out, chars.next().unwrap_or_default());
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn escape(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x08' => out.push_str("\\b"),
        '\x0C' => out.push_str("\\f"),
        _ => {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
    }
}
