//! Converts the JSON of a scope to values, with a notation for values that JSON cannot express. `shown`
//! writes results in the same notation.
//!
//! | written | meaning |
//! |---|---|
//! | `{"$unknown": "list(string)"}` | an unknown value of that type |
//! | `{"$list": [..]}` `{"$set": [..]}` `{"$map": {..}}` | a collection; a plain array is a tuple, a plain object an object |
//! | `{"$number": "+Inf"}` | a number given as a string |
//!
//! An object with further members is an ordinary object.
//! Recursion is bounded by the nesting that the JSON reader accepts.

use hclvm::ingest::Ingest;
use hclvm::value::{Arena, Entry, convert};
use hclvm::{Error, ErrorKind, Type, Value};
use serde_json::{Map, Value as Json};

use crate::constraint;

/// Names with a special meaning if they are the only member of an object.
const SPECIAL: [&str; 5] = ["$unknown", "$list", "$set", "$map", "$number"];

/// Converts `json` to a value.
pub fn value<'a>(arena: &'a Arena, json: &Json) -> Result<Value<'a>, Error> {
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
        // Ingesting a string normalizes it; names must be normalized too.
        let name = name.ingest(arena)?.as_str().unwrap_or_default();
        entries.push(arena.entry(name, value(arena, member)?));
    }
    // The last of equal names wins: reversed, stably sorted, the first of each run is kept.
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
            "{kind} has the wrong content: $unknown and $number take a string, $list and $set an array, $map an object"
        ))),
    }
}

/// Converts a tuple or object to a collection.
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
