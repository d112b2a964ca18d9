//! Elements by key with a default.

use std::iter;

use hclvm_vm::{Accepts, Arena, CallError, Function, Marks, Type, Value, View, convert, find};

use crate::arguments::{
    CallResult, TypeKind, TypeResult, all_known, any, any_marked, element_type, entries_of, get, kind,
    may_order, string, take_marks, text_of,
};

/// `lookup(inputMap, key, default)`
pub(crate) fn lookup() -> Function {
    let key = string("key").accepting(Accepts::PLAIN.marked());
    let parameters = [any_marked("inputMap"), key, any_marked("default")];
    Function::new("lookup", parameters, Type::Dynamic, |arena, args, ty| {
        found(arena, args, ty, get(args, 0).is_wholly_known())
    })
    .typed(lookup_type)
    .refined(None)
    .inline(found_plain)
}

/// Looks up a text in a plain object or map without unknown and marked parts, which has it or is an object.
fn found_plain<'a>(arena: &'a Arena, args: &[Value<'a>]) -> Option<Value<'a>> {
    let [map, key, default @ ..] = args else { return None };
    let (entries, key) = (map.as_entries()?, key.as_str()?);
    let is_simple =
        |value: &Value<'_>| value.is_wholly_known() && !value.contains_marks() && !value.is_null();
    if !is_simple(map) || !default.iter().all(is_simple) || !may_order(arena, entries.len(), iter::once(key))
    {
        return None;
    }
    match (find(entries, key), map.view(), default) {
        // A default for a map has to suit its elements, whether it is used or not.
        (Some(entry), View::Object(_), _) | (Some(entry), View::Map(..), []) => Some(entry.value),
        (Some(entry), View::Map(_, element), [default]) => {
            default.is_of_type(arena, element).then_some(entry.value)
        }
        (None, View::Object(_), [default]) => Some(*default),
        _ => None,
    }
}

/// `lookup(inputMap, key, default...)` of OpenTofu, which may go without a default. The default may be anything,
/// and unknown elements of the map beside the one that is looked up do not matter.
pub(crate) fn lookup_optional() -> Function {
    let default = any("default").accepting(Accepts::PLAIN.null().unknown().dynamic().marked());
    let mut function = Function::new("lookup", lookup().parameters, Type::Dynamic, |arena, args, ty| {
        found(arena, args, ty, get(args, 0).is_known())
    })
    .typed(lookup_type)
    .refined(None)
    .inline(found_plain)
    .variadic(default);
    function.parameters.truncate(2);
    function
}

fn lookup_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    if args.len() > 3 {
        return Err(CallError::new("a map, a key and at most one default are required"));
    }
    let map = get(args, 0);
    match kind(map) {
        TypeKind::Map => map_type(arena, element_type(map), args.get(2).copied()),
        TypeKind::Object if !get(args, 1).is_known() => Ok(Type::Dynamic),
        TypeKind::Object if all_known(args) && map.is_wholly_known() => Ok(Type::Dynamic),
        TypeKind::Object => object_type(arena, map, args),
        _ => Err(CallError::argument(0, "a map or an object is required")),
    }
}

fn map_type<'a>(arena: &'a Arena, element: Type<'a>, default: Option<Value<'a>>) -> TypeResult<'a> {
    if let Some(default) = default
        && let Err(error) = convert(arena, default, element)
    {
        return Err(CallError::argument(
            2,
            format!("the default must suit the elements of the map: {error}"),
        ));
    }
    Ok(element)
}

fn object_type<'a>(arena: &'a Arena, map: Value<'a>, args: &[Value<'a>]) -> TypeResult<'a> {
    let name = key_of(args);
    match (map.type_of(arena).attribute(name), args.get(2)) {
        (Some(attribute), _) => Ok(attribute.ty),
        (None, Some(default)) => Ok(default.type_of(arena)),
        (None, None) => Err(missing(name)),
    }
}

fn key_of<'a>(args: &[Value<'a>]) -> &'a str {
    text_of(&[get(args, 1).unmark().0], 0)
}

fn missing(name: &str) -> CallError {
    CallError::argument(1, format!("there is no element {name:?}, and no default is given"))
}

/// Returns the element or the default; an unknown value unless `is_known`.
fn found<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>, is_known: bool) -> CallResult<'a> {
    let mut marks = Marks::NONE;
    let map = take_marks(arena, get(args, 0), &mut marks);
    take_marks(arena, get(args, 1), &mut marks);
    if !is_known {
        return Ok(Value::unknown_of(arena, ty).with_marks(arena, marks));
    }
    let name = key_of(args);
    if !may_order(arena, entries_of(map).len(), iter::once(name)) {
        return Ok(Value::DYNAMIC);
    }
    let found = match (find(entries_of(map), name), args.get(2)) {
        (Some(entry), _) => entry.value,
        (None, Some(default)) => {
            convert(arena, *default, ty).map_err(|error| CallError::argument(2, error.to_string()))?
        }
        (None, None) => return Err(missing(name)),
    };
    Ok(found.with_marks(arena, marks))
}
