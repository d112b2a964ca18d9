//! Conversions that programs ask for by name.

use hclvm_vm::{Accepts, Arena, CallError, Function, Safety, Type, Value, conversion_exists, convert};

use super::arguments::{ANY_LIST, any, get};

/// `tostring(v)`
pub(crate) fn tostring() -> Function {
    to("tostring", Type::String)
}

/// `tonumber(v)`
pub(crate) fn tonumber() -> Function {
    to("tonumber", Type::Number)
}

/// `tobool(v)`
pub(crate) fn tobool() -> Function {
    to("tobool", Type::Bool)
}

/// `tolist(v)`: of elements of the one type that suits all.
pub(crate) fn tolist() -> Function {
    to("tolist", ANY_LIST)
}

/// `toset(v)`
pub(crate) fn toset() -> Function {
    to("toset", Type::Set(&Type::Dynamic))
}

/// `tomap(v)`
pub(crate) fn tomap() -> Function {
    to("tomap", Type::Map(&Type::Dynamic))
}

/// Creates a function that converts to `want`; null becomes the null of that type.
fn to(name: &'static str, want: Type<'static>) -> Function {
    let value = any("v").accepting(Accepts::PLAIN.null().dynamic());
    Function::new(name, [value], want, move |arena, args, _| {
        let value = get(args, 0);
        convert(arena, value, want).map_err(|error| match value.as_str() {
            // The types are clear.
            Some(_) => CallError::argument(0, error.showing(arena).to_string()),
            None => refused(arena, value, want, &error.showing(arena).to_string()),
        })
    })
    .typed(move |arena, args| {
        let value = get(args, 0);
        if value.is_known() || conversion_exists(arena, value.type_of(arena), want, Safety::Unsafe) {
            return Ok(want);
        }
        Err(refused(arena, value, want, "no value of this type can be converted"))
    })
    .refined(None)
}

fn refused<'a>(arena: &'a Arena, value: Value<'a>, want: Type<'_>, reason: &str) -> CallError {
    let have = value.type_of(arena);
    CallError::argument(
        0,
        format!("{} does not convert to {}: {reason}", have.friendly_name(), want.constraint_name()),
    )
}
