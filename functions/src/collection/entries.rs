//! Maps and objects into lists and back.

use hclvm_vm::{
    Accepts, Arena, AttributeType, CallError, Entry, Function, Marks, Parameter, Type, Value, View,
    last_of_each,
};

use crate::arguments::{
    CallResult, STRINGS, TypeKind, TypeResult, all_known, any, any_marked, collect, element_type, entries_of,
    get, items_of, kind, list_type, may_make_items, may_order, take_marks,
};

/// `keys(inputMap)`: a list of a map's keys, a tuple of an object's names.
pub(crate) fn keys() -> Function {
    let map = any("inputMap").accepting(Accepts::PLAIN.unknown().marked());
    Function::new("keys", [map], Type::Dynamic, keys_body).typed(|_, args| match kind(get(args, 0)) {
        TypeKind::Map => Ok(STRINGS),
        TypeKind::Object => Ok(Type::Dynamic),
        _ => Err(CallError::argument(0, "expected a map or object")),
    })
}

fn keys_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let (map, marks) = get(args, 0).unmark();
    let text = |name: &'a str| Value::str(arena, name);
    if let View::Unknown(unknown) = map.view() {
        // The names of an unknown object are known from its type.
        let keys = match unknown.ty {
            Type::Object(attributes) => {
                Value::tuple(arena, collect(arena, attributes.iter().map(|attribute| text(attribute.name))))
            }
            _ => Value::unknown_of(arena, ty),
        };
        return Ok(keys.with_marks(arena, marks));
    }
    let entries = entries_of(map);
    if !may_make_items(arena, entries.len()) {
        return Ok(Value::DYNAMIC);
    }
    let names = collect(arena, entries.iter().map(|entry| text(entry.name)));
    Ok(sequence(arena, map, names, Type::String).with_marks(arena, marks))
}

/// Returns a list for a map, a tuple for an object.
fn sequence<'a>(arena: &'a Arena, map: Value<'a>, items: &'a [Value<'a>], element: Type<'a>) -> Value<'a> {
    if kind(map) == TypeKind::Map { Value::list(arena, items, element) } else { Value::tuple(arena, items) }
}

/// `values(mapping)`: in the order of the keys.
pub(crate) fn values() -> Function {
    Function::new("values", [any_marked("mapping")], Type::Dynamic, |arena, args, _| {
        let (map, marks) = get(args, 0).unmark();
        let entries = entries_of(map);
        if !may_make_items(arena, entries.len()) {
            return Ok(Value::DYNAMIC);
        }
        let values = collect(arena, entries.iter().map(|entry| entry.value));
        Ok(sequence(arena, map, values, element_type(map)).with_marks(arena, marks))
    })
    .typed(values_type)
}

fn values_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    let map = get(args, 0);
    match kind(map) {
        TypeKind::Map => Ok(list_type(arena, element_type(map))),
        TypeKind::Object if map.is_known() => Ok(Type::Dynamic),
        TypeKind::Object => {
            let mut types = arena.list();
            if let Type::Object(attributes) = map.type_of(arena) {
                types.extend(attributes.iter().map(|attribute| attribute.ty));
            }
            Ok(Type::Tuple(types.into_bump_slice()))
        }
        _ => Err(CallError::new("expected a map or object")),
    }
}

/// `zipmap(keys, values)`: a map of a list of values, an object of a tuple of values.
pub(crate) fn zipmap() -> Function {
    let keys = Parameter::new("keys", STRINGS).accepting(Accepts::PLAIN.marked());
    Function::new("zipmap", [keys, any_marked("values")], Type::Dynamic, zipmap_body).typed(zipmap_type)
}

fn zipmap_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    let (keys, values) = (get(args, 0), get(args, 1));
    match kind(values) {
        TypeKind::List => Ok(Type::Map(arena.item(element_type(values)))),
        TypeKind::Tuple if !keys.is_wholly_known() || all_known(args) => Ok(Type::Dynamic),
        TypeKind::Tuple => zipped_type(arena, keys, values.type_of(arena)),
        _ => Err(CallError::new("the values must be a list or a tuple")),
    }
}

fn zipped_type<'a>(arena: &'a Arena, keys: Value<'a>, values: Type<'a>) -> TypeResult<'a> {
    let (keys, types) = (items_of(keys), if let Type::Tuple(types) = values { types } else { &[] });
    check_counts(keys.len(), types.len())?;
    let mut attributes = arena.list();
    for (at, (key, ty)) in keys.iter().zip(types).enumerate() {
        attributes.push(AttributeType { name: key_text(at, *key)?, ty: *ty, optional: false });
    }
    attributes.sort_by(|a, b| a.name.cmp(b.name));
    super::combine::keep_last(&mut attributes, |a, b| a.name == b.name);
    Ok(Type::Object(attributes.into_bump_slice()))
}

fn check_counts(keys: usize, values: usize) -> Result<(), CallError> {
    if keys == values {
        return Ok(());
    }
    Err(CallError::new(format!(
        "there must be a value for every key, but keys are {keys} and values {values}"
    )))
}

fn key_text(at: usize, key: Value<'_>) -> Result<&str, CallError> {
    key.unmark().0.as_str().ok_or_else(|| CallError::new(format!("the key at index {at} is null")))
}

fn zipmap_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let mut marks = Marks::NONE;
    let keys = take_marks(arena, get(args, 0), &mut marks);
    let values = take_marks(arena, get(args, 1), &mut marks);
    if !keys.is_wholly_known() {
        return Ok(Value::unknown_of(arena, ty).with_marks(arena, marks.union(arena, keys.all_marks(arena))));
    }
    let (keys, items) = (items_of(keys), items_of(values));
    check_counts(keys.len(), items.len())?;
    let names = keys.iter().filter_map(|key| key.unmark().0.as_str());
    if !may_make_items(arena, keys.len().saturating_mul(3)) || !may_order(arena, keys.len(), names) {
        return Ok(Value::DYNAMIC);
    }
    let mut entries = arena.list();
    for (at, (key, value)) in keys.iter().zip(items).enumerate() {
        let key = take_marks(arena, *key, &mut marks);
        entries.push(Entry::new(key_text(at, key)?, *value));
    }
    let entries = last_of_each(entries);
    let zipped = match ty {
        Type::Map(element) => Value::map(arena, entries, *element),
        _ => Value::object(arena, entries),
    };
    Ok(zipped.with_marks(arena, marks))
}

/// A map of lists of strings.
const LISTS: Type<'static> = Type::Map(&STRINGS);

/// `transpose(values)`: every element becomes a key, with the keys it stood under as a list.
pub(crate) fn transpose() -> Function {
    Function::new("transpose", [Parameter::new("values", LISTS)], LISTS, transpose_body)
}

fn transpose_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let map = get(args, 0);
    if !map.is_wholly_known() {
        return Ok(Value::unknown_of(arena, ty));
    }
    let mut pairs = arena.list();
    for entry in entries_of(map) {
        let items = entry.value.as_items().ok_or_else(null_member)?;
        if !may_make_items(arena, items.len().saturating_mul(3)) {
            return Ok(Value::DYNAMIC);
        }
        for item in items {
            pairs.push((item.as_str().ok_or_else(null_member)?, Value::str(arena, entry.name)));
        }
    }
    if !may_order(arena, pairs.len(), pairs.iter().map(|(name, _)| *name)) {
        return Ok(Value::DYNAMIC);
    }
    pairs.sort_by_key(|(name, _)| *name);
    let mut entries = arena.list();
    for group in pairs.into_bump_slice().chunk_by(|(a, _), (b, _)| a == b) {
        let Some((name, _)) = group.first() else { continue };
        let keys = collect(arena, group.iter().map(|(_, key)| *key));
        entries.push(Entry::new(name, Value::list(arena, keys, Type::String)));
    }
    Ok(Value::map(arena, entries.into_bump_slice(), STRINGS))
}

fn null_member() -> CallError {
    CallError::argument(0, "lists and their elements must not be null")
}
