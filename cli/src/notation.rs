//! Values of a scope written as JSON, with what JSON has no word for.
//!
//! | written | means |
//! |---|---|
//! | `{"$unknown": "list(string)"}` | a value of that type that is not known yet |
//! | `{"$list": [..]}` `{"$set": [..]}` `{"$map": {..}}` | a collection; a plain array is a tuple, a plain object an object |
//! | `{"$number": "+Inf"}` | a number by its text |
//!
//! Such an object has that one member only; with others it is an ordinary object.
//! Recursion is bounded by the nesting that the JSON reader accepts.

use hclvm::ingest::Ingest;
use hclvm::value::{Arena, Entry, convert};
use hclvm::{Error, ErrorKind, Type, Value};
use serde_json::{Map, Value as Json};

use crate::constraint;

/// Names that are no attributes where they stand alone in an object.
const SPECIAL: [&str; 5] = ["$unknown", "$list", "$set", "$map", "$number"];

/// The value that `json` denotes.
pub(crate) fn value<'a>(arena: &'a Arena, json: &Json) -> Result<Value<'a>, Error> {
    match json {
        Json::Array(items) => {
            let values: Vec<Value<'a>> =
                items.iter().map(|item| value(arena, item)).collect::<Result<_, _>>()?;
            Ok(Value::tuple(arena, arena.slice(&values)))
        }
        Json::Object(members) => match members.iter().next() {
            Some((kind, content)) if members.len() == 1 && SPECIAL.contains(&kind.as_str()) => {
                special(arena, kind, content)
            }
            _ => object(arena, members),
        },
        plain => plain.ingest(arena),
    }
}

fn object<'a>(arena: &'a Arena, members: &Map<String, Json>) -> Result<Value<'a>, Error> {
    let mut entries: Vec<Entry<'a>> = Vec::with_capacity(members.len());
    for (name, member) in members {
        // A text as a value is in normal form, and so are names.
        let name = name.ingest(arena)?.as_str().unwrap_or_default();
        entries.push(Entry::new(name, value(arena, member)?));
    }
    // Of equal names the last counts: stable order, then the first of the reversed run.
    entries.reverse();
    entries.sort_by_key(|entry| entry.name);
    entries.dedup_by_key(|entry| entry.name);
    Ok(Value::object(arena, arena.slice(&entries)))
}

fn special<'a>(arena: &'a Arena, kind: &str, content: &Json) -> Result<Value<'a>, Error> {
    match (kind, content) {
        ("$unknown", Json::String(ty)) => {
            constraint::read(arena, ty).map(|ty| Value::unknown_of(arena, ty)).map_err(refused)
        }
        ("$list", Json::Array(_)) => collection(arena, content, Type::List(&Type::Dynamic)),
        ("$set", Json::Array(_)) => collection(arena, content, Type::Set(&Type::Dynamic)),
        ("$map", Json::Object(_)) => collection(arena, content, Type::Map(&Type::Dynamic)),
        ("$number", Json::String(_)) => {
            convert(arena, value(arena, content)?, Type::Number).map_err(|error| refused(error.to_string()))
        }
        _ => Err(refused(format!(
            "{kind} needs another content: $unknown and $number take a text, $list and $set an array, $map an object"
        ))),
    }
}

/// A tuple or object as the collection that it converts to.
fn collection<'a>(arena: &'a Arena, json: &Json, ty: Type<'a>) -> Result<Value<'a>, Error> {
    let value = match json {
        Json::Object(members) => object(arena, members)?,
        _ => value(arena, json)?,
    };
    convert(arena, value, ty).map_err(|error| refused(error.to_string()))
}

fn refused(sentence: String) -> Error {
    ErrorKind::Value(sentence).into()
}
