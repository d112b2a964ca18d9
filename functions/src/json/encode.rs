//! Values as JSON: compact, keys in order, numbers in plain decimals, `<`, `>` and `&` escaped.

use std::fmt::Write;

use hclvm_vm::{Entry, NumberRef, Value, View};

use crate::text_builder::TextBuilder;

/// Writes a wholly known value. Depth is bounded by the limit that every value was made under.
pub(crate) fn write_json(out: &mut TextBuilder<'_>, value: Value<'_>) -> Result<(), &'static str> {
    if !out.arena().charge(1) {
        return Ok(());
    }
    match value.view() {
        View::Null(_) => out.push("null"),
        View::Bool(true) => out.push("true"),
        View::Bool(false) => out.push("false"),
        View::Number(number) => return write_number(out, number),
        View::String(text) => write_quoted(out, text),
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => return write_items(out, items),
        View::Object(entries) | View::Map(entries, _) => return write_entries(out, entries),
        View::Marked(inner, _) => return write_json(out, inner),
        View::Unknown(_) | View::Unset => return Err("a value that is not known yet has no JSON"),
    };
    Ok(())
}

fn write_number(out: &mut TextBuilder<'_>, number: NumberRef<'_>) -> Result<(), &'static str> {
    if number.is_infinite() {
        return Err("JSON has no infinite numbers");
    }
    out.push_number(number);
    Ok(())
}

fn write_items(out: &mut TextBuilder<'_>, items: &[Value<'_>]) -> Result<(), &'static str> {
    out.push("[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 && !out.push(",") {
            return Ok(());
        }
        write_json(out, *item)?;
    }
    out.push("]");
    Ok(())
}

fn write_entries(out: &mut TextBuilder<'_>, entries: &[Entry<'_>]) -> Result<(), &'static str> {
    out.push("{");
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 && !out.push(",") {
            return Ok(());
        }
        write_quoted(out, entry.name);
        out.push(":");
        write_json(out, entry.value)?;
    }
    out.push("}");
    Ok(())
}

/// Writes a text in JSON quotes; false when the budget does not allow it.
pub(crate) fn write_quoted(out: &mut TextBuilder<'_>, text: &str) -> bool {
    out.push("\"");
    let mut rest = text;
    while let Some(at) = rest.find(must_be_escaped) {
        let (plain, tail) = rest.split_at(at);
        let mut chars = tail.chars();
        if !out.push(plain) || !chars.next().is_none_or(|c| write_escape(out, c)) {
            return false;
        }
        rest = chars.as_str();
    }
    out.push(rest) && out.push("\"")
}

fn must_be_escaped(c: char) -> bool {
    matches!(c, '\0'..='\x1F' | '"' | '\\' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}

fn write_escape(out: &mut TextBuilder<'_>, c: char) -> bool {
    match c {
        '"' => out.push("\\\""),
        '\\' => out.push("\\\\"),
        '\n' => out.push("\\n"),
        '\r' => out.push("\\r"),
        '\t' => out.push("\\t"),
        '\x08' => out.push("\\b"),
        '\x0C' => out.push("\\f"),
        _ => write!(out, "\\u{:04x}", u32::from(c)).is_ok(),
    }
}
