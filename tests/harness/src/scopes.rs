//! Reads scopes from JSON, in the notation of hostile inputs or that of examples.
//!
//! Both extend plain JSON, in which an array is a tuple and an object an object.
//!
//! | hostile inputs | examples |
//! |---|---|
//! | `{"$list_of": T, "v": [..]}`, `{"$map_of": T, "v": {..}}` | `{"$list": [..]}`, `{"$set": [..]}`, `{"$map": {..}}` |
//! | `{"$unknown": T}`, `{"$null": T}` | `{"$unknown": T}` |
//! | `{"$number": text}`, `{"$marked": [mark..], "v": value}` | |
//!
//! A type is written like a type constraint: `string`, `any`, `list(string)`.

use hclvm_vm::{Arena, Entry, Type, Value, convert, marks_from};
use serde_json::{Map, Value as Json};

use crate::tv::{self, normal, number_from, ordered};

/// A notation: converts an object with `$` keys, or returns `None` for an ordinary object.
pub(crate) type Special = for<'a> fn(&'a Arena, &Map<String, Json>) -> tv::Result<Option<Value<'a>>>;

/// Converts `json` in a notation.
pub(crate) fn value_from<'a>(arena: &'a Arena, json: &Json, special: Special) -> tv::Result<Value<'a>> {
    Ok(match json {
        Json::Null => Value::NULL,
        Json::Bool(value) => Value::bool(*value),
        Json::Number(number) => number_from(arena, &number.to_string())?,
        Json::String(text) => Value::str(arena, normal(arena, text)),
        Json::Array(items) => {
            let mut values = arena.list();
            for item in items {
                values.push(value_from(arena, item, special)?);
            }
            Value::tuple(arena, values.into_bump_slice())
        }
        Json::Object(fields) => match special(arena, fields)? {
            Some(value) => value,
            None => Value::object(arena, entries_from(arena, fields, special)?),
        },
    })
}

/// Converts the members of an object, sorted by name.
pub(crate) fn entries_from<'a>(
    arena: &'a Arena,
    fields: &Map<String, Json>,
    special: Special,
) -> tv::Result<&'a [Entry<'a>]> {
    let mut entries = arena.list();
    for (name, value) in fields {
        entries.push(Entry::new(normal(arena, name), value_from(arena, value, special)?));
    }
    Ok(ordered(entries))
}

/// The notation of hostile inputs.
pub(crate) fn hostile<'a>(arena: &'a Arena, fields: &Map<String, Json>) -> tv::Result<Option<Value<'a>>> {
    let content = fields.get("v").unwrap_or(&Json::Null);
    let Some((kind, of)) = fields.iter().find(|(name, _)| name.starts_with('$')) else { return Ok(None) };
    Ok(Some(match kind.as_str() {
        "$list_of" => {
            let element = arena.item(type_named(arena, of)?);
            collected(arena, content, hostile, Type::List(element))?
        }
        "$map_of" => {
            let element = arena.item(type_named(arena, of)?);
            collected(arena, content, hostile, Type::Map(element))?
        }
        "$unknown" => Value::unknown_of(arena, type_named(arena, of)?),
        "$null" => Value::null(arena, type_named(arena, of)?),
        "$number" => number_from(arena, of.as_str().unwrap_or(""))?,
        "$marked" => {
            let names = of.as_array().into_iter().flatten().filter_map(Json::as_str);
            let names: Vec<&str> = names.map(|name| arena.text(name)).collect();
            value_from(arena, content, hostile)?.with_marks(arena, marks_from(arena, &names))
        }
        _ => return Err(format!("not understood in a scope: {kind}")),
    }))
}

/// The notation of examples.
pub(crate) fn example<'a>(arena: &'a Arena, fields: &Map<String, Json>) -> tv::Result<Option<Value<'a>>> {
    let Some((kind, of)) = fields.iter().find(|(name, _)| name.starts_with('$')) else { return Ok(None) };
    Ok(Some(match kind.as_str() {
        "$unknown" => Value::unknown_of(arena, type_named(arena, of)?),
        "$list" => collected(arena, of, example, Type::List(&Type::Dynamic))?,
        "$set" => collected(arena, of, example, Type::Set(&Type::Dynamic))?,
        "$map" => collected(arena, of, example, Type::Map(&Type::Dynamic))?,
        _ => return Err(format!("not understood in a scope: {kind}")),
    }))
}

/// Converts a tuple or object to a collection.
fn collected<'a>(arena: &'a Arena, json: &Json, special: Special, ty: Type<'a>) -> tv::Result<Value<'a>> {
    let value = value_from(arena, json, special)?;
    convert(arena, value, ty).map_err(|mismatch| mismatch.to_string())
}

/// Parses the type named by `json`.
fn type_named<'a>(arena: &'a Arena, json: &Json) -> tv::Result<Type<'a>> {
    let name = json.as_str().unwrap_or("");
    let of = |prefix: &str| name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')'));
    let element =
        |inner: &str| type_named(arena, &Json::String(inner.to_owned())).map(|inner| arena.item(inner));
    Ok(match name {
        "any" | "dynamic" => Type::Dynamic,
        "string" => Type::String,
        "number" => Type::Number,
        "bool" => Type::Bool,
        _ => match (of("list("), of("set("), of("map(")) {
            (Some(inner), ..) => Type::List(element(inner)?),
            (_, Some(inner), _) => Type::Set(element(inner)?),
            (.., Some(inner)) => Type::Map(element(inner)?),
            _ => return Err(format!("not a type: {json}")),
        },
    })
}
