//! Elements by position or key, and positions by element.

use std::iter;

use hclvm_vm::ops::equality::equals;
use hclvm_vm::{Arena, CallError, Function, Marks, Type, Value, View, cast, find};

use crate::arguments::{
    CallResult, TypeKind, TypeResult, any, any_marked, element_type, entries_of, get, integer_of, items_of,
    kind, may_order, number, of_unknown_type, take_marks,
};

/// `hasindex(collection, key)`
pub(crate) fn hasindex() -> Function {
    let parameters = ["collection", "key"].map(any).map(of_unknown_type);
    Function::new("hasindex", parameters, Type::Bool, |arena, args, _| {
        Ok(Value::bool(indexed(arena, get(args, 0), get(args, 1)).is_some()))
    })
    .typed(|_, args| match kind(get(args, 0)) {
        TypeKind::Tuple | TypeKind::List | TypeKind::Map | TypeKind::Dynamic => Ok(Type::Bool),
        _ => Err(no_indexes()),
    })
}

/// `index(collection, key)`
pub(crate) fn index() -> Function {
    Function::new(
        "index",
        [any("collection"), of_unknown_type(any("key"))],
        Type::Dynamic,
        |arena, args, _| {
            indexed(arena, get(args, 0), get(args, 1))
                .ok_or_else(|| CallError::new("the collection has no element with this index"))
        },
    )
    .typed(index_type)
    .refined(None)
}

fn index_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    let (collection, key) = (get(args, 0), get(args, 1));
    let key_type = key.type_of(arena);
    let wanted = match kind(collection) {
        TypeKind::Tuple | TypeKind::List => Type::Number,
        TypeKind::Map => Type::String,
        _ => return Err(no_indexes()),
    };
    if key_type != wanted && !key_type.is_dynamic() {
        return Err(CallError::new(format!(
            "a key of this collection is a {}, not a {}",
            wanted.friendly_name(),
            key_type.friendly_name()
        )));
    }
    match collection.type_of(arena) {
        Type::Tuple(_) if !key.is_known() => Ok(Type::Dynamic),
        Type::Tuple(types) => {
            let position = usize::try_from(integer_of(args, 1)?).ok();
            position.and_then(|at| types.get(at)).copied().ok_or_else(|| {
                CallError::new(format!("the key is not below {}, the length of the tuple", types.len()))
            })
        }
        _ => Ok(element_type(collection)),
    }
}

fn no_indexes() -> CallError {
    CallError::new("expected a list, map or tuple")
}

/// Returns the element with a key. The key is not converted: a string of digits is not a position.
fn indexed<'a>(arena: &'a Arena, collection: Value<'a>, key: Value<'a>) -> Option<Value<'a>> {
    if let Some(name) = key.as_str() {
        let entries = entries_of(collection);
        return if kind(collection) == TypeKind::Map && may_order(arena, entries.len(), iter::once(name)) {
            Some(find(entries, name)?.value)
        } else {
            None
        };
    }
    let position = usize::try_from(key.as_number()?.to_i64()?).ok()?;
    items_of(collection).get(position).copied()
}

/// `element(list, index)`: the index wraps around at both ends.
pub(crate) fn element() -> Function {
    Function::new("element", [any_marked("list"), number("index")], Type::Dynamic, |arena, args, _| {
        let mut marks = Marks::NONE;
        let list = take_marks(arena, get(args, 0), &mut marks);
        let items = items_of(list);
        let position = wrapped(args, items.len())?;
        Ok(items.get(position).copied().unwrap_or(Value::NULL).with_marks(arena, marks))
    })
    .typed(element_type_of)
    .refined(None)
    .inline(|_, args| {
        let (View::Tuple(items) | View::List(items, _)) = args.first()?.view() else { return None };
        args.get(1)?.as_number()?;
        items.get(wrapped(args, items.len()).ok()?).copied()
    })
}

fn element_type_of<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    let list = get(args, 0);
    match kind(list) {
        TypeKind::List => Ok(element_type(list)),
        TypeKind::Tuple if list.is_known() || !get(args, 1).is_known() => Ok(Type::Dynamic),
        TypeKind::Tuple => match list.type_of(arena) {
            Type::Tuple(types) => {
                Ok(types.get(wrapped(args, types.len())?).copied().unwrap_or(Type::Dynamic))
            }
            _ => Ok(Type::Dynamic),
        },
        _ => Err(CallError::new(format!(
            "expected a list or tuple, found {}, which has no elements by position",
            list.type_of(arena).friendly_name()
        ))),
    }
}

/// Returns the second argument as a position among `len` elements.
fn wrapped(args: &[Value<'_>], len: usize) -> Result<usize, CallError> {
    let index = integer_of(args, 1)?;
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    match index.checked_rem_euclid(len) {
        Some(position) => Ok(usize::try_from(position).unwrap_or(0)),
        None => Err(CallError::new("an empty list has no elements to take one from")),
    }
}

/// `index(list, value)` of Packer and OpenTofu: the position of the first equal element.
pub(crate) fn index_of() -> Function {
    Function::new("index", [any("list"), any("value")], Type::Number, |arena, args, ty| {
        position_of(arena, get(args, 0), get(args, 1), ty)
    })
}

fn position_of<'a>(arena: &'a Arena, list: Value<'a>, value: Value<'a>, ty: Type<'a>) -> CallResult<'a> {
    if !kind(list).is_indexed() {
        return Err(CallError::argument(0, "expected a list or tuple"));
    }
    let items = items_of(list);
    if items.is_empty() {
        return Err(CallError::new("an empty list has no element to find"));
    }
    for (position, item) in items.iter().enumerate() {
        if !arena.charge(1) {
            return Ok(Value::DYNAMIC);
        }
        match equals(arena, *item, value).as_bool() {
            Some(true) => return Ok(Value::short(cast::signed(position))),
            Some(false) => {}
            None => return Ok(Value::unknown_of(arena, ty)),
        }
    }
    Err(CallError::new("no element is equal to the given value"))
}

/// `one(list)`: the only element, or null of an empty list.
pub(crate) fn one() -> Function {
    Function::new("one", [any("list")], Type::Dynamic, |arena, args, ty| {
        let list = get(args, 0);
        match (items_of(list), list.length_range()) {
            ([], _) => Ok(Value::null(arena, ty)),
            ([only], _) => Ok(*only),
            (_, (min, max)) if min != max && min <= 1 => Ok(Value::unknown_of(arena, ty)),
            _ => Err(not_one()),
        }
    })
    .typed(one_type)
    .refined(None)
}

fn one_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    let list = get(args, 0);
    match (kind(list), items_of(list)) {
        (TypeKind::List | TypeKind::Set, _) => Ok(element_type(list)),
        (TypeKind::Tuple, [only]) => Ok(only.type_of(arena)),
        (TypeKind::Tuple, []) => match list.type_of(arena) {
            Type::Tuple([]) => Ok(Type::Dynamic),
            Type::Tuple([only]) => Ok(*only),
            _ => Err(not_one()),
        },
        _ => Err(not_one()),
    }
}

fn not_one() -> CallError {
    CallError::argument(0, "expected a list, set or tuple with at most one element")
}
