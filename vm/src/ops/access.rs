//! `.name` and `[key]` on values of every kind.
//!
//! Null is a fault. A value of unknown type gives a value of unknown type; an unknown collection gives an
//! unknown element if its type has one. The result has the marks of the collection and of the key.

use crate::fault::Fault;
use crate::memory::arena::Arena;
use crate::number::NumberRef;
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::{Entry, Marks, Value, View, find};

/// `value.name`
pub fn attribute<'a>(arena: &'a Arena, value: Value<'a>, name: &'a str) -> Result<Value<'a>, Fault<'a>> {
    let (inner, marks) = value.unmark();
    // Messages list the names of an object that is not marked.
    let open = || marks.is_empty().then_some(inner);
    let found = match inner.view() {
        View::Object(entries) => find(entries, name).ok_or(Fault::NoAttribute { name, of: open() })?.value,
        View::Map(entries, _) => find(entries, name).ok_or(Fault::NoElement { name, of: open() })?.value,
        View::Null(_) => return Err(Fault::AttributeOfNull),
        View::Unknown(unknown) => match unknown.ty {
            Type::Dynamic => Value::DYNAMIC,
            Type::Object(_) => {
                let attribute = unknown.ty.attribute(name).ok_or(Fault::NoAttribute { name, of: open() })?;
                Value::unknown_of(arena, attribute.ty)
            }
            Type::Map(element) => Value::unknown_of(arena, *element),
            ty => return Err(no_attributes(ty, name)),
        },
        _ => return Err(no_attributes(inner.type_of(arena), name)),
    };
    Ok(found.with_marks(arena, marks))
}

fn no_attributes<'a>(ty: Type<'a>, name: &'a str) -> Fault<'a> {
    match ty {
        Type::List(element @ Type::Object(_)) => {
            Fault::AttributeOfObjects { name, set: false, known: element.attribute(name).is_some() }
        }
        Type::Set(element @ Type::Object(_)) => {
            Fault::AttributeOfObjects { name, set: true, known: element.attribute(name).is_some() }
        }
        ty if ty.is_primitive() => Fault::AttributeOfPrimitive(ty),
        ty => Fault::AttributeOfOther(ty),
    }
}

/// `collection[key]`
pub fn index<'a>(arena: &'a Arena, collection: Value<'a>, key: Value<'a>) -> Result<Value<'a>, Fault<'a>> {
    let (inner, marks) = collection.unmark();
    if inner.is_null() {
        return Err(Fault::IndexOfNull);
    }
    if key.is_null() {
        return Err(Fault::IndexNull);
    }
    let (plain_key, key_marks) = key.unmark();
    let of_both = |value: Value<'a>| value.with_marks(arena, marks.union(arena, key_marks));
    let dynamic =
        |value: Value<'a>| matches!(value.view(), View::Unknown(unknown) if unknown.ty.is_dynamic());
    if dynamic(inner) || dynamic(plain_key) {
        return Ok(of_both(Value::DYNAMIC));
    }
    let uncounted = |fault| match fault {
        Fault::IndexRange(_) | Fault::IndexEmpty if !marks.is_empty() => Fault::IndexRange(None),
        fault => fault,
    };
    let open = marks.is_empty().then_some(inner);
    let found = match inner.view() {
        View::List(items, element) => sequence(arena, items, Some(element), key).map_err(uncounted)?,
        View::Tuple(items) => sequence(arena, items, None, key).map_err(uncounted)?,
        View::Map(entries, element) => map(arena, (entries, element), key, open)?,
        View::Object(entries) => {
            object(arena, key, open, |name| find(entries, name).map(|entry| entry.value))?
        }
        View::Unknown(unknown) => match unknown.ty {
            Type::List(element) => {
                number_key(arena, key)?;
                Value::unknown_of(arena, *element)
            }
            Type::Map(element) => {
                convert(arena, key, Type::String).map_err(Fault::IndexKey)?;
                Value::unknown_of(arena, *element)
            }
            Type::Tuple(types) => {
                let mut items = arena.list();
                items.extend(types.iter().map(|ty| Value::unknown_of(arena, *ty)));
                sequence(arena, items.into_bump_slice(), None, key)?
            }
            ty @ Type::Object(_) => {
                object(arena, key, open, |name| Some(Value::unknown_of(arena, ty.attribute(name)?.ty)))?
            }
            Type::Set(_) => return Err(Fault::IndexOfSet),
            ty => return Err(Fault::IndexOfOther(ty)),
        },
        View::Set(..) => return Err(Fault::IndexOfSet),
        _ => return Err(Fault::IndexOfOther(inner.type_of(arena))),
    };
    Ok(of_both(found))
}

fn number_key<'a>(arena: &'a Arena, key: Value<'a>) -> Result<Value<'a>, Fault<'a>> {
    if key.as_number().is_some() {
        Ok(key)
    } else {
        convert(arena, key, Type::Number).map_err(Fault::IndexKey)
    }
}

/// Returns an element of a list (with its element type) or tuple.
fn sequence<'a>(
    arena: &'a Arena,
    items: &'a [Value<'a>],
    element: Option<Type<'a>>,
    key: Value<'a>,
) -> Result<Value<'a>, Fault<'a>> {
    let (key, marks) = number_key(arena, key)?.unmark();
    let Some(number) = key.as_number() else {
        return Ok(element.map_or(Value::DYNAMIC, |element| Value::unknown_of(arena, element)));
    };
    let position = number.to_i64();
    let found = position.and_then(|position| usize::try_from(position).ok()).and_then(|at| items.get(at));
    match found {
        Some(item) => Ok(*item),
        None => Err(out_of_range(number, items.len()).concealed_under(arena, marks)),
    }
}

fn out_of_range<'a>(number: NumberRef<'_>, len: usize) -> Fault<'a> {
    if !number.is_integer() {
        Fault::IndexFraction
    } else if number.is_negative() {
        Fault::IndexNegative
    } else if len == 0 {
        Fault::IndexEmpty
    } else {
        Fault::IndexRange(Some(len))
    }
}

/// Returns an element of a map by key. `open` is the map if its keys may be shown.
fn map<'a>(
    arena: &'a Arena,
    (entries, element): (&'a [Entry<'a>], Type<'a>),
    key: Value<'a>,
    open: Option<Value<'a>>,
) -> Result<Value<'a>, Fault<'a>> {
    let (text, marks) = convert(arena, key, Type::String).map_err(Fault::IndexKey)?.unmark();
    let Some(name) = text.as_str() else {
        return Ok(Value::unknown_of(arena, element));
    };
    let found = if arena.look_at(name) { find(entries, name) } else { None };
    match found {
        Some(entry) => Ok(entry.value),
        None => Err(missing(name, marks, false, open)),
    }
}

/// Returns an attribute by key. `open` is the object if its attributes may be shown.
fn object<'a>(
    arena: &'a Arena,
    key: Value<'a>,
    open: Option<Value<'a>>,
    find: impl FnOnce(&str) -> Option<Value<'a>>,
) -> Result<Value<'a>, Fault<'a>> {
    let number = key.unmark().0.type_of(arena) == Type::Number;
    let (text, marks) = convert(arena, key, Type::String).map_err(Fault::IndexKey)?.unmark();
    let Some(name) = text.as_str() else {
        return Ok(Value::DYNAMIC);
    };
    let found = if arena.look_at(name) { find(name) } else { None };
    match found {
        Some(found) => Ok(found),
        None => Err(missing(name, marks, number, open)),
    }
}

/// Returns the fault of a missing key, which may be shown unless it has marks.
fn missing<'a>(name: &'a str, marks: Marks<'a>, number: bool, open: Option<Value<'a>>) -> Fault<'a> {
    if marks.is_empty() {
        Fault::IndexMissing { key: Some(name), number, of: open }
    } else {
        Fault::IndexMissing { key: None, number, of: None }
    }
}
