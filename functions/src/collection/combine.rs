//! Several maps into one, several lists into one.

use hclvm_vm::{
    Accepts, Arena, AttributeType, CallError, Function, Marks, Safety, Type, Value, convert, last_of_each,
    list_of, unify,
};

use crate::arguments::{
    CallResult, TypeKind, TypeResult, all_known, any, any_marked, element_type, entries_of, get, items_of,
    kind, list_type, may_make_items, may_order, take_marks,
};

/// `merge(maps...)`: of equal keys the last counts. Maps of one type make a map, anything else
/// an object.
pub(crate) fn merge() -> Function {
    Function::new("merge", [], Type::Dynamic, merge_body)
        .variadic(any("maps").accepting(Accepts::PLAIN.null().dynamic().marked()))
        .typed(merge_type)
}

fn merge_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    for arg in args {
        match kind(*arg) {
            TypeKind::Dynamic => return Ok(Type::Dynamic),
            TypeKind::Map | TypeKind::Object => {}
            _ => return Err(not_mappable(arena, *arg)),
        }
    }
    if let Some(element) = same_map_element(arena, args) {
        return Ok(Type::Map(arena.item(element)));
    }
    if all_known(args) { Ok(Type::Dynamic) } else { Ok(merged_type(arena, args)) }
}

fn not_mappable(arena: &Arena, arg: Value<'_>) -> CallError {
    CallError::new(format!(
        "only maps and objects can be merged, and one argument is a {}",
        arg.type_of(arena).friendly_name()
    ))
}

/// Returns the element type of all arguments if all are maps of one type.
fn same_map_element<'a>(arena: &Arena, args: &[Value<'a>]) -> Option<Type<'a>> {
    let element = element_type(*args.first()?);
    args.iter()
        .all(|arg| kind(*arg) == TypeKind::Map && element_type(*arg).same(arena, element))
        .then_some(element)
}

/// Returns the object type of a merge with an unknown argument; unknown when a map's keys are.
fn merged_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> Type<'a> {
    let mut types = arena.list();
    types.extend(args.iter().map(|arg| arg.type_of(arena)));
    if let Some(first) = types.first()
        && types.iter().all(|ty| ty == first)
    {
        return *first;
    }
    let mut attributes = arena.list();
    for (arg, ty) in args.iter().zip(&types).filter(|(arg, _)| !arg.is_null()) {
        match ty {
            Type::Object(own) => attributes.extend_from_slice(own),
            _ if !arg.is_known() => return Type::Dynamic,
            _ => attributes.extend(entries_of(*arg).iter().map(|entry| AttributeType {
                name: entry.name,
                ty: element_type(*arg),
                optional: false,
            })),
        }
    }
    attributes.sort_by(|a, b| a.name.cmp(b.name));
    keep_last(&mut attributes, |a, b| a.name == b.name);
    Type::Object(attributes.into_bump_slice())
}

fn merge_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let (mut marks, mut size) = (Marks::NONE, 0);
    for arg in args {
        let plain = take_marks(arena, *arg, &mut marks);
        if plain.is_null() {
            continue;
        }
        if plain.as_entries().is_none() {
            return Err(not_mappable(arena, plain));
        }
        size += entries_of(plain).len();
    }
    let names = args.iter().flat_map(|arg| entries_of(*arg)).map(|entry| entry.name);
    if !may_make_items(arena, size.saturating_mul(3)) || !may_order(arena, size, names) {
        return Ok(Value::DYNAMIC);
    }
    let mut entries = arena.list();
    entries.reserve(size);
    for arg in args {
        entries.extend_from_slice(entries_of(*arg));
    }
    let entries = last_of_each(entries);
    let merged = match ty {
        Type::Map(element) => Value::map(arena, entries, *element),
        _ => Value::object(arena, entries),
    };
    Ok(merged.with_marks(arena, marks))
}

/// Drops all but the last of each run of equal items.
pub(super) fn keep_last<T: Copy>(items: &mut hclvm_vm::ArenaVec<'_, T>, same: impl Fn(&T, &T) -> bool) {
    items.dedup_by(|next, kept| {
        let drop = same(next, kept);
        if drop {
            *kept = *next;
        }
        drop
    });
}

/// `concat(seqs...)`: lists of types that one type suits make a list, anything else a tuple.
pub(crate) fn concat() -> Function {
    Function::new("concat", [], Type::Dynamic, concat_body).variadic(any_marked("seqs")).typed(concat_type)
}

fn concat_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    if args.is_empty() {
        return Err(CallError::new("at least one list or tuple is required"));
    }
    if let Some(list) = common_list(arena, args) {
        return Ok(list);
    }
    for (index, arg) in args.iter().enumerate() {
        match kind(*arg) {
            TypeKind::Tuple => {}
            TypeKind::List if arg.is_known() => {}
            TypeKind::List => return Ok(Type::Dynamic),
            _ => {
                let ty = arg.type_of(arena);
                return Err(CallError::argument(
                    index,
                    format!("lists and tuples can be concatenated, not a {}", ty.friendly_name()),
                ));
            }
        }
    }
    if all_known(args) { Ok(Type::Dynamic) } else { Ok(tuple_type(arena, args)) }
}

/// Returns the type of list that all arguments can be converted to, when all are lists.
fn common_list<'a>(arena: &'a Arena, args: &[Value<'a>]) -> Option<Type<'a>> {
    if !args.iter().all(|arg| kind(*arg) == TypeKind::List) {
        return None;
    }
    let mut types = arena.list();
    types.extend(args.iter().map(|arg| list_type(arena, element_type(*arg))));
    unify(arena, &types, Safety::Unsafe)
}

/// Returns the type of a tuple of all elements of known lists and of tuples.
fn tuple_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> Type<'a> {
    let mut types = arena.list();
    for arg in args {
        match arg.type_of(arena) {
            Type::Tuple(own) => types.extend_from_slice(own),
            _ => types.extend(items_of(*arg).iter().map(|_| element_type(*arg))),
        }
    }
    Type::Tuple(types.into_bump_slice())
}

fn concat_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let size = args.iter().map(|arg| items_of(*arg).len()).sum();
    if !may_make_items(arena, size) {
        return Ok(Value::DYNAMIC);
    }
    let mut marks = Marks::NONE;
    let mut items = arena.list();
    items.reserve(size);
    for (index, arg) in args.iter().enumerate() {
        let list = match ty {
            Type::List(element) if !element.same(arena, element_type(*arg)) => {
                convert(arena, get(args, index), ty)
                    .map_err(|error| CallError::argument(index, error.to_string()))?
            }
            _ => *arg,
        };
        items.extend_from_slice(items_of(take_marks(arena, list, &mut marks)));
    }
    let all = match ty {
        Type::List(element) => list_of(arena, items.into_bump_slice_mut(), *element)
            .map_err(|error| CallError::new(error.to_string()))?,
        _ => Value::tuple(arena, items.into_bump_slice()),
    };
    Ok(all.with_marks(arena, marks))
}
