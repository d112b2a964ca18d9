//! Values of a scope written as JSON, with what JSON has no word for.
//!
//! | written | means |
//! |---|---|
//! | `{"$unknown": "list(string)"}` | a value of that type that is not known yet |
//! | `{"$list": [..]}` `{"$set": [..]}` `{"$map": {..}}` | a collection; a plain array is a tuple, a plain object an object |
//! | `{"$number": "+Inf"}` | a number by its text |
//!
//! Recursion is bounded by the nesting that the JSON reader accepts.

use hclvm::{Arena, Entry, Error, ErrorKind, Ingest, Type, Value, convert};
use serde_json::{Map, Value as Json};

use crate::constraint;

/// A member whose name starts with this is no attribute.
const SIGN: char = '$';

/// The value that `json` denotes.
pub(crate) fn value<'a>(arena: &'a Arena, json: &Json) -> Result<Value<'a>, Error> {
    match json {
        Json::Array(items) => {
            let values: Vec<Value<'a>> =
                items.iter().map(|item| value(arena, item)).collect::<Result<_, _>>()?;
            Ok(Value::tuple(arena, arena.slice(&values)))
        }
        Json::Object(members) => match members.keys().find(|name| name.starts_with(SIGN)) {
            Some(kind) => special(arena, kind, members),
            None => object(arena, members),
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

fn special<'a>(arena: &'a Arena, kind: &str, members: &Map<String, Json>) -> Result<Value<'a>, Error> {
    let (Some(content), 1) = (members.get(kind), members.len()) else {
        return Err(refused(format!("{kind:?} has to be the only member of its object")));
    };
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
            "{{\"{kind}\": ..}} means nothing here; known are $unknown with a type, $list and $set with an array, $map with an object, $number with a text"
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
