//! Values as text for people who debug: never what is marked.

use std::fmt;

use super::{Value, View};
use crate::number::NumberRef;

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            View::Null(ty) => write!(f, "null({})", ty.friendly_name()),
            View::Bool(value) => write!(f, "{value}"),
            View::Number(number) => show_number(f, number),
            View::String(text) => write!(f, "{text:?}"),
            View::Tuple(items) => f.debug_list().entries(items).finish(),
            View::List(items, _) => {
                f.write_str("list")?;
                f.debug_list().entries(items).finish()
            }
            View::Set(items, _) => {
                f.write_str("set")?;
                f.debug_set().entries(items).finish()
            }
            View::Object(entries) => {
                f.debug_map().entries(entries.iter().map(|entry| (entry.name, entry.value))).finish()
            }
            View::Map(entries, _) => {
                f.write_str("map")?;
                f.debug_map().entries(entries.iter().map(|entry| (entry.name, entry.value))).finish()
            }
            View::Unknown(unknown) => write!(f, "unknown({})", unknown.ty.friendly_name()),
            View::Marked(..) => f.write_str("(marked value)"),
            View::Unset => f.write_str("unset"),
        }
    }
}

fn show_number(f: &mut fmt::Formatter<'_>, number: NumberRef<'_>) -> fmt::Result {
    match number {
        NumberRef::Int(value, _) => write!(f, "{value}"),
        other => write!(f, "{other:?}"),
    }
}
