//! Parts of lists, and lists backwards.

use hclvm_vm::{Accepts, Arena, CallError, Function, Marks, Parameter, Type, Value};

use crate::arguments::{
    ANY_LIST, CallResult, TypeKind, TypeResult, any_marked, collect, element_type, get, integer_argument,
    integer_of, items_of, kind, list_type, may_make_items, number, take_marks,
};

/// `slice(list, start_index, end_index)`: the end is not included.
pub(crate) fn slice() -> Function {
    let parameters = [any_marked("list"), number("start_index"), number("end_index")];
    Function::new("slice", parameters, Type::Dynamic, |arena, args, _| {
        let (list, marks) = get(args, 0).unmark();
        let (start, end) = (bound(args, 1, list)?, bound(args, 2, list)?);
        let items = part(items_of(list), start, end)?;
        if !arena.spend(items.len() as u64) {
            return Ok(Value::DYNAMIC);
        }
        Ok(like(arena, list, items).with_marks(arena, marks))
    })
    .typed(slice_type)
}

fn slice_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    let list = get(args, 0);
    if kind(list) == TypeKind::Set {
        return Err(CallError::argument(
            0,
            "the elements of a set have no positions; convert the set to a list if any order will do",
        ));
    }
    if !kind(list).is_indexed() {
        return Err(CallError::argument(0, "a list or tuple is required"));
    }
    let (start, end) = (bound(args, 1, list)?, bound(args, 2, list)?);
    if let (Some(start), Some(end)) = (start, end)
        && start > end
    {
        return Err(backwards());
    }
    if kind(list) == TypeKind::List {
        return Ok(list_type(arena, element_type(list)));
    }
    if start.is_none() || end.is_none() {
        return Ok(Type::Dynamic);
    }
    if list.is_known() {
        let mut types = arena.list();
        types.extend(part(items_of(list), start, end)?.iter().map(|item| item.type_of(arena)));
        return Ok(Type::Tuple(types.into_bump_slice()));
    }
    match list.type_of(arena) {
        Type::Tuple(types) => part(types, start, end).map(Type::Tuple),
        _ => Ok(Type::Dynamic),
    }
}

/// Returns an index argument if it is known: a whole number between zero and the length.
fn bound(args: &[Value<'_>], index: usize, list: Value<'_>) -> Result<Option<usize>, CallError> {
    if !get(args, index).is_known() {
        return Ok(None);
    }
    let bound = usize::try_from(integer_argument(args, index)?)
        .map_err(|_| CallError::argument(index, "the index must not be negative"))?;
    match list.length_range() {
        (min, max) if min == max && bound > max => Err(CallError::argument(
            index,
            format!("the index must not be greater than {max}, the length of the list"),
        )),
        _ => Ok(Some(bound)),
    }
}

fn backwards() -> CallError {
    CallError::argument(1, "the start index must not be greater than the end index")
}

fn part<T>(items: &[T], start: Option<usize>, end: Option<usize>) -> Result<&[T], CallError> {
    items.get(start.unwrap_or(0)..end.unwrap_or(items.len())).ok_or_else(backwards)
}

/// Returns a sequence of the kind of `list`, and of its element type.
fn like<'a>(arena: &'a Arena, list: Value<'a>, items: &'a [Value<'a>]) -> Value<'a> {
    if kind(list) == TypeKind::Tuple {
        Value::tuple(arena, items)
    } else {
        Value::list(arena, items, element_type(list))
    }
}

/// `chunklist(list, size)`: lists of at most `size` elements; a size of zero makes one list.
pub(crate) fn chunklist() -> Function {
    let list = Parameter::new("list", ANY_LIST).accepting(Accepts::PLAIN.marked());
    let size = number("size").accepting(Accepts::PLAIN.marked());
    Function::new("chunklist", [list, size], Type::Dynamic, chunklist_body)
        .typed(|arena, args| Ok(list_type(arena, get(args, 0).type_of(arena))))
}

fn chunklist_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let mut marks = Marks::NONE;
    let list = take_marks(arena, get(args, 0), &mut marks);
    let size = take_marks(arena, get(args, 1), &mut marks);
    let size = usize::try_from(integer_of(&[size], 0)?)
        .map_err(|_| CallError::new("the size of a chunk must not be negative"))?;
    let items = items_of(list);
    if !may_make_items(arena, items.len()) {
        return Ok(Value::DYNAMIC);
    }
    let size = if size == 0 { items.len().max(1) } else { size };
    let chunks = items.chunks(size).map(|chunk| Value::list(arena, chunk, element_type(list)));
    let chunks = Value::list(arena, collect(arena, chunks), ty.element().unwrap_or(Type::Dynamic));
    Ok(chunks.with_marks(arena, marks))
}

/// `reverse(list)`: a set becomes a list.
pub(crate) fn reverse() -> Function {
    Function::new("reverse", [any_marked("list")], Type::Dynamic, |arena, args, _| {
        let (list, marks) = get(args, 0).unmark();
        let items = items_of(list);
        if !may_make_items(arena, items.len()) {
            return Ok(Value::DYNAMIC);
        }
        let backwards = collect(arena, items.iter().rev().copied());
        Ok(like(arena, list, backwards).with_marks(arena, marks))
    })
    .typed(reverse_type)
}

fn reverse_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    let list = get(args, 0);
    match kind(list) {
        TypeKind::List | TypeKind::Set => Ok(list_type(arena, element_type(list))),
        TypeKind::Tuple if list.is_known() => Ok(Type::Dynamic),
        TypeKind::Tuple => {
            let mut types = arena.list();
            if let Type::Tuple(own) = list.type_of(arena) {
                types.extend(own.iter().rev().copied());
            }
            Ok(Type::Tuple(types.into_bump_slice()))
        }
        _ => Err(CallError::argument(
            0,
            format!("a list or tuple can be reversed, not a {}", list.type_of(arena).friendly_name()),
        )),
    }
}
