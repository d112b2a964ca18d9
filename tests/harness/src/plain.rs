//! Values as plain JSON: types, marks and the order of sets are lost. `tv` keeps them.

use std::fmt::Write;

use hclvm_vm::{Entry, Value, View};
use serde_json::{Map, Number, Value as Json};

/// Nodes above which a value is too expensive to print.
const MANY: usize = 10_000;

/// Bytes of strings above which a value is too expensive to print.
const LONG: u64 = 1 << 20;

/// Digits above which JSON readers reject a number.
const DIGITS: u64 = 4_000;

/// Returns a value without marks, or `None` if any part is unknown.
pub(crate) fn plain(value: Value<'_>) -> Option<Json> {
    Some(match value.view() {
        View::Null(_) => Json::Null,
        View::Bool(value) => Json::Bool(value),
        View::Number(number) if number.is_infinite() => Json::String(number.to_string()),
        View::Number(number) => Json::Number(Number::from_string_unchecked(number.to_string())),
        View::String(text) => Json::String(text.to_owned()),
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
            Json::Array(items.iter().map(|item| plain(*item)).collect::<Option<_>>()?)
        }
        View::Object(entries) | View::Map(entries, _) => Json::Object(fields(entries)?),
        View::Marked(inner, _) => plain(inner)?,
        View::Unknown(_) | View::Unset => return None,
    })
}

fn fields(entries: &[Entry<'_>]) -> Option<Map<String, Json>> {
    entries.iter().map(|entry| Some((entry.name.to_owned(), plain(entry.value)?))).collect()
}

/// Writes such a value as text without recursion, so that deep values do not depend on the stack size.
pub(crate) fn text(value: Value<'_>) -> Option<String> {
    let mut out = String::new();
    let mut open: Vec<(Members<'_>, bool)> = Vec::new();
    let mut next = Some((None, value));
    loop {
        if let Some((name, value)) = next.take() {
            if let Some(name) = name {
                let _ = write!(out, "{}:", Json::from(name));
            }
            match value.unmark().0.view() {
                View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                    out.push('[');
                    open.push((Members::Items(items.iter()), true));
                }
                View::Object(entries) | View::Map(entries, _) => {
                    out.push('{');
                    open.push((Members::Entries(entries.iter()), true));
                }
                _ => {
                    let _ = write!(out, "{}", plain(value)?);
                }
            }
        }
        let Some((members, first)) = open.last_mut() else { return Some(out) };
        next = members.next();
        if next.is_some() {
            if !std::mem::take(first) {
                out.push(',');
            }
        } else {
            out.push(if matches!(members, Members::Items(_)) { ']' } else { '}' });
            open.pop();
        }
    }
}

/// The remaining members of an aggregate.
enum Members<'a> {
    Items(std::slice::Iter<'a, Value<'a>>),
    Entries(std::slice::Iter<'a, Entry<'a>>),
}

impl<'a> Members<'a> {
    fn next(&mut self) -> Option<(Option<&'a str>, Value<'a>)> {
        match self {
            Self::Items(items) => items.next().map(|item| (None, *item)),
            Self::Entries(entries) => entries.next().map(|entry| (Some(entry.name), entry.value)),
        }
    }
}

/// Returns true if printing a value is cheap. Shared members count each time they occur.
pub(crate) fn is_cheap(value: Value<'_>) -> bool {
    let (mut nodes, mut bytes) = (0, 0);
    let mut open = vec![value];
    while let Some(next) = open.pop() {
        nodes += 1;
        match next.unmark().0.view() {
            View::String(text) => bytes += text.len() as u64,
            View::Number(number) if number.text_length() > DIGITS => return false,
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) if items.len() < MANY => {
                open.extend(items);
            }
            View::Object(entries) | View::Map(entries, _) if entries.len() < MANY => {
                open.extend(entries.iter().map(|entry| entry.value));
                bytes += entries.iter().map(|entry| entry.name.len() as u64).sum::<u64>();
            }
            View::Tuple(_) | View::List(..) | View::Set(..) | View::Object(_) | View::Map(..) => {
                return false;
            }
            _ => {}
        }
        if nodes + open.len() > MANY || bytes > LONG {
            return false;
        }
    }
    true
}

/// Returns a text as a Go string literal.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        // Writing to a string cannot fail.
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            '\r' => write!(out, "\\r"),
            '\t' => write!(out, "\\t"),
            c if c.is_ascii_control() => write!(out, "\\x{:02x}", c as u32),
            c => write!(out, "{c}"),
        };
    }
    out.push('"');
    out
}
