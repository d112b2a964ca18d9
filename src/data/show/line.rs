//! Values on one line, for messages: HCL text, or the type where the text would not fit.
//!
//! [`Pretty`](super::Pretty) shows all of a value. Invariant: of a marked value nothing is shown but that it
//! is marked.

use std::fmt::{self, Write};

use hclvm_vm::{Entry, NumberRef, Value, View, listed};

use super::pretty::{write_name, write_string};

/// Characters of a value that is shown as such; with the path before it, it fits a line of a terminal. It
/// bounds the recursion as well: every level of nesting writes a character.
const LONGEST: usize = 60;

/// Characters shown of a string that is cut.
const LONGEST_TEXT: usize = 40;

/// Digits shown of a number that does not fit: as many as distinguish floats of 64 bits.
const DIGITS: usize = 17;

/// Returns a value as HCL text on a line, or a description of its type and size, for messages. Of a marked value
/// only that it is marked.
///
/// ```
/// let engine = hclvm::Engine::new();
/// let layout = std::sync::Arc::default();
/// let list = engine.eval("[1, \"a\"]", &engine.scope(&layout))?;
/// assert_eq!(hclvm::show::line(list.get()), "[1, \"a\"]");
/// # Ok::<(), hclvm::Error>(())
/// ```
pub fn line(value: Value<'_>) -> String {
    let mut out = BoundedLine { text: String::new(), left: LONGEST };
    match write_value(&mut out, value) {
        Ok(()) => out.text,
        Err(fmt::Error) => summary(value),
    }
}

/// Returns the kind of a value with its article, for labels: `a string`, `null`.
pub(crate) fn kind(value: Value<'_>) -> String {
    let name = |name: &str| format!("{} {name}", if name.starts_with('o') { "an" } else { "a" });
    match value.view() {
        View::Null(_) => "null".to_owned(),
        View::Bool(_) => name("bool"),
        View::Number(_) => name("number"),
        View::String(_) => name("string"),
        View::Tuple(_) => name("tuple"),
        View::Object(_) => name("object"),
        View::List(_, element) => name(&format!("list of {}", element.friendly_name())),
        View::Set(_, element) => name(&format!("set of {}", element.friendly_name())),
        View::Map(_, element) => name(&format!("map of {}", element.friendly_name())),
        View::Unknown(unknown) if unknown.ty.is_dynamic() => "unknown".to_owned(),
        View::Unknown(unknown) => name(&format!("{}, unknown", unknown.ty.friendly_name())),
        View::Marked(..) => "(marked)".to_owned(),
        View::Unset => "without a value".to_owned(),
    }
}

/// Text of so many more characters.
struct BoundedLine {
    text: String,
    left: usize,
}

impl Write for BoundedLine {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // A text of a length in bytes far above the bound is not counted.
        let count = if text.len() > 4 * LONGEST { usize::MAX } else { text.chars().count() };
        self.left = self.left.checked_sub(count).ok_or(fmt::Error)?;
        self.text.push_str(text);
        Ok(())
    }
}

fn write_value(out: &mut BoundedLine, value: Value<'_>) -> fmt::Result {
    match value.view() {
        View::Null(_) => out.write_str("null"),
        View::Bool(value) => write!(out, "{value}"),
        View::Number(number) => out.write_str(&number_text(number)),
        View::String(text) => write_string(out, text),
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
            out.write_char('[')?;
            for (at, item) in items.iter().enumerate() {
                out.write_str(if at > 0 { ", " } else { "" })?;
                write_value(out, *item)?;
            }
            out.write_char(']')
        }
        View::Object(entries) | View::Map(entries, _) => {
            out.write_char('{')?;
            for (at, entry) in entries.iter().enumerate() {
                out.write_str(if at > 0 { ", " } else { "" })?;
                write_name(out, entry.name)?;
                out.write_str(" = ")?;
                write_value(out, entry.value)?;
            }
            out.write_char('}')
        }
        View::Unknown(_) => out.write_str("unknown"),
        View::Marked(..) => out.write_str("(marked)"),
        View::Unset => out.write_str("(no value)"),
    }
}

fn number_text(number: NumberRef<'_>) -> String {
    number.text_within(LONGEST as u64).unwrap_or_else(|| number.text_general(Some(DIGITS)))
}

/// Describes a value that does not fit a line.
fn summary(value: Value<'_>) -> String {
    let items = |what: String, items: &[Value<'_>]| format!("{what} with {} elements", items.len());
    match value.view() {
        View::String(text) => cut_string(text),
        View::Tuple(all) => items("tuple".to_owned(), all),
        View::List(all, element) => items(format!("list of {}", element.friendly_name()), all),
        View::Set(all, element) => items(format!("set of {}", element.friendly_name()), all),
        View::Object(entries) => format!("object with the attributes {}", names(entries)),
        View::Map(entries, element) => {
            format!("map of {} with the keys {}", element.friendly_name(), names(entries))
        }
        _ => kind(value),
    }
}

/// Returns the first characters of a string, quoted, and its length.
fn cut_string(text: &str) -> String {
    let start: String = text.chars().take(LONGEST_TEXT).chain(['…']).collect();
    let mut quoted = String::new();
    // Writing to a text cannot fail.
    let _ = write_string(&mut quoted, &start);
    format!("{quoted} ({} characters)", text.chars().count())
}

/// Returns the first names of an object or map.
fn names(entries: &[Entry<'_>]) -> String {
    listed(&entries.iter().map(|entry| entry.name).collect::<Vec<_>>())
}
