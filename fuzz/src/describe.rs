//! Formats values and diagnostics completely: types, marks and refinements, so that equal text means equality.

use std::fmt::Write;

use hclvm::value::View;
use hclvm::{Diagnostic, Value};

/// Maximum characters of a description. Values with shared parts can have exponentially long ones.
const LONGEST: usize = 1 << 16;

/// Formats a value and its diagnostics.
pub fn describe<'d>(value: Value<'_>, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> String {
    let mut out = String::new();
    for found in diagnostics {
        let _ =
            writeln!(out, "{:?} {} | {} | {:?}", found.severity, found.title, found.detail, found.subject);
    }
    write_value(&mut out, value);
    out
}

/// Formats a value. Recursion is bounded, because values are at most 1,000 levels deep.
fn write_value(out: &mut String, value: Value<'_>) {
    if out.len() > LONGEST {
        return;
    }
    let _ = match value.view() {
        View::Null(ty) => write!(out, "null({ty:?})"),
        View::String(text) => write!(out, "{text:?}"),
        View::Number(number) => write!(out, "{number:?}"),
        View::Tuple(items) => return write_items(out, "tuple", items),
        View::List(items, ty) => {
            let _ = write!(out, "{ty:?}");
            return write_items(out, "list", items);
        }
        View::Set(items, ty) => {
            let _ = write!(out, "{ty:?}");
            return write_items(out, "set", items);
        }
        View::Object(entries) => return write_entries(out, "object", entries),
        View::Map(entries, ty) => {
            let _ = write!(out, "{ty:?}");
            return write_entries(out, "map", entries);
        }
        View::Unknown(unknown) => write!(out, "{unknown:?}"),
        View::Marked(inner, marks) => {
            let _ = write!(out, "{:?}!", marks.names());
            return write_value(out, inner);
        }
        View::Bool(_) | View::Unset => write!(out, "{value:?}"),
    };
}

fn write_items(out: &mut String, kind: &str, items: &[Value<'_>]) {
    let _ = write!(out, "{kind}[");
    for item in items {
        write_value(out, *item);
        out.push(',');
    }
    out.push(']');
}

fn write_entries(out: &mut String, kind: &str, entries: &[hclvm::value::Entry<'_>]) {
    let _ = write!(out, "{kind}{{");
    for entry in entries {
        let _ = write!(out, "{:?}=", entry.name);
        write_value(out, entry.value);
        out.push(',');
    }
    out.push('}');
}
