//! Values as JSON: compact, keys in order, numbers in plain decimals, `<`, `>` and `&` escaped.

use std::fmt::Write;

use hclvm_vm::{Entry, NumberRef, Value, View};

use crate::functions::draft::Draft;

/// Writes a wholly known value. Depth is bounded by the limit that every value was made under.
pub(crate) fn write_json(draft: &mut Draft<'_>, value: Value<'_>) -> Result<(), &'static str> {
    if !draft.arena().charge(1) {
        return Ok(());
    }
    match value.view() {
        View::Null(_) => draft.push("null"),
        View::Bool(true) => draft.push("true"),
        View::Bool(false) => draft.push("false"),
        View::Number(number) => return write_number(draft, number),
        View::String(text) => write_quoted(draft, text),
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => return write_items(draft, items),
        View::Object(entries) | View::Map(entries, _) => return write_entries(draft, entries),
        View::Marked(inner, _) => return write_json(draft, inner),
        View::Unknown(_) | View::Unset => return Err("a value that is not known yet has no JSON"),
    };
    Ok(())
}

fn write_number(draft: &mut Draft<'_>, number: NumberRef<'_>) -> Result<(), &'static str> {
    if number.is_infinite() {
        return Err("JSON has no infinite numbers");
    }
    draft.push_number(number);
    Ok(())
}

fn write_items(draft: &mut Draft<'_>, items: &[Value<'_>]) -> Result<(), &'static str> {
    draft.push("[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 && !draft.push(",") {
            return Ok(());
        }
        write_json(draft, *item)?;
    }
    draft.push("]");
    Ok(())
}

fn write_entries(draft: &mut Draft<'_>, entries: &[Entry<'_>]) -> Result<(), &'static str> {
    draft.push("{");
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 && !draft.push(",") {
            return Ok(());
        }
        write_quoted(draft, entry.name);
        draft.push(":");
        write_json(draft, entry.value)?;
    }
    draft.push("}");
    Ok(())
}

/// Writes a text in JSON quotes; false when the budget does not allow it.
pub(crate) fn write_quoted(draft: &mut Draft<'_>, text: &str) -> bool {
    draft.push("\"");
    let mut rest = text;
    while let Some(at) = rest.find(must_be_escaped) {
        let (plain, tail) = rest.split_at(at);
        let mut chars = tail.chars();
        if !draft.push(plain) || !chars.next().is_none_or(|c| write_escape(draft, c)) {
            return false;
        }
        rest = chars.as_str();
    }
    draft.push(rest) && draft.push("\"")
}

fn must_be_escaped(c: char) -> bool {
    matches!(c, '\0'..='\x1F' | '"' | '\\' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}

fn write_escape(draft: &mut Draft<'_>, c: char) -> bool {
    match c {
        '"' => draft.push("\\\""),
        '\\' => draft.push("\\\\"),
        '\n' => draft.push("\\n"),
        '\r' => draft.push("\\r"),
        '\t' => draft.push("\\t"),
        '\x08' => draft.push("\\b"),
        '\x0C' => draft.push("\\f"),
        _ => write!(draft, "\\u{:04x}", u32::from(c)).is_ok(),
    }
}
