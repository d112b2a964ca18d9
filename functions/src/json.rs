//! JSON: `jsonencode` and `jsondecode`.

mod decode;
mod encode;
mod reader;

pub(crate) use encode::{write_json, write_quoted};
pub use reader::{Between, ExpectedName, JsonError, JsonReader, PlainString, WrittenNumber, head};

use hclvm_vm::{Arena, CallError, Function, Refinement, Type, Unknown, Value, View};

use super::arguments::{TypeResult, anything, get, string, text_of};
use super::text_builder::TextBuilder;

/// `jsonencode(val)`
pub(crate) fn jsonencode() -> Function {
    Function::new("jsonencode", [anything("val")], Type::String, |arena, args, _| {
        let value = get(args, 0);
        if !value.is_wholly_known() {
            return Ok(unknown_json(arena, value));
        }
        let mut out = TextBuilder::new(arena);
        write_json(&mut out, value).map_err(CallError::new)?;
        Ok(out.value())
    })
}

/// Returns the unknown JSON of a value with unknown parts. Its first character is known if the value is
/// not null.
fn unknown_json<'a>(arena: &'a Arena, value: Value<'a>) -> Value<'a> {
    let prefix = match value.view() {
        View::Object(_) | View::Map(..) => "{",
        View::Tuple(_) | View::List(..) | View::Set(..) => "[",
        View::Unknown(Unknown { ty, refinement }) if refinement.not_null => first_character(ty),
        _ => "",
    };
    let refinement = Refinement { prefix, ..Refinement::not_null() };
    Value::unknown(arena, Unknown { ty: Type::String, refinement })
}

fn first_character(ty: Type<'_>) -> &'static str {
    match ty {
        Type::Object(_) | Type::Map(_) => "{",
        Type::Tuple(_) | Type::List(_) | Type::Set(_) => "[",
        Type::String => "\"",
        _ => "",
    }
}

/// `jsondecode(str)`
pub(crate) fn jsondecode() -> Function {
    Function::new("jsondecode", [string("str")], Type::Dynamic, |arena, args, _| {
        decode::decode(arena, text_of(args, 0))
    })
    .typed(|_, args| predicted(get(args, 0)))
    .refined(None)
}

/// Returns the type of the value of a JSON text, of which only a prefix may be known.
fn predicted(text: Value<'_>) -> TypeResult<'_> {
    let View::Unknown(unknown) = text.view() else { return Ok(Type::Dynamic) };
    match unknown.refinement.prefix.trim().chars().next() {
        None | Some('{' | '[' | 'n') => Ok(Type::Dynamic),
        Some('"') => Ok(Type::String),
        Some('t' | 'f') => Ok(Type::Bool),
        Some('-' | '0'..='9') => Ok(Type::Number),
        Some(other) => {
            Err(CallError::argument(0, format!("no JSON document begins with the character {other:?}")))
        }
    }
}
