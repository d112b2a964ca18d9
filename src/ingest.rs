//! Values of the host as values of the language.

use hclvm_vm::arena::Arena;
use hclvm_vm::number::Number;
use hclvm_vm::text::nfc;
use hclvm_vm::value::{Entry, Value};
use serde::Serialize;

use crate::error::Error;

/// Something a host can give to a scope. Implemented for everything serde can serialize: sequences
/// become tuples, maps and structs become objects.
pub trait Ingest {
    /// Builds the value in `arena`.
    fn ingest<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Error>;
}

impl<T: Serialize + ?Sized> Ingest for T {
    fn ingest<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Error> {
        let json = serde_json::to_value(self).map_err(|error| Error::value(error.to_string()))?;
        from_json(arena, &json)
    }
}

fn from_json<'a>(arena: &'a Arena, json: &serde_json::Value) -> Result<Value<'a>, Error> {
    Ok(match json {
        serde_json::Value::Null => Value::NULL,
        serde_json::Value::Bool(value) => Value::bool(*value),
        serde_json::Value::Number(number) => {
            let text = number.to_string();
            let number =
                Number::parse_text(&text).ok_or_else(|| Error::value(format!("{text} is no number")))?;
            Value::number(arena, number)
        }
        serde_json::Value::String(text) => Value::str(arena, nfc(arena, arena.text(text))),
        serde_json::Value::Array(items) => {
            let mut values = arena.list();
            for item in items {
                values.push(from_json(arena, item)?);
            }
            Value::tuple(arena, values.into_bump_slice())
        }
        serde_json::Value::Object(members) => {
            let mut entries = arena.list();
            for (name, member) in members {
                entries.push(Entry::new(nfc(arena, arena.text(name)), from_json(arena, member)?));
            }
            Value::object(arena, hclvm_vm::value::last_of_each(arena, entries))
        }
    })
}
