//! The cartesian product of lists and sets.

use hclvm_vm::{
    Accepts, Arena, CallError, Function, Marks, Refinement, Safety, Type, Unknown, Value, convert, set_from,
    unify,
};

use crate::arguments::{
    CallResult, TypeKind, TypeResult, any, collect, element_type, items_of, kind, may_make_items, take_marks,
};

/// Longest product whose length is stated while it is unknown.
const LONGEST_STATED: usize = 2048;

/// `setproduct(sets...)`: a list of tuples when all arguments are lists or tuples, else a set.
pub(crate) fn setproduct() -> Function {
    Function::new("setproduct", [], Type::Dynamic, setproduct_body)
        .variadic(any("sets").accepting(Accepts::PLAIN.unknown().marked()))
        .typed(setproduct_type)
}

fn setproduct_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    if args.len() < 2 {
        return Err(CallError::new("at least two sets or lists are required"));
    }
    let mut elements = arena.list();
    for (index, arg) in args.iter().enumerate() {
        elements.push(element_of(arena, index, *arg)?);
    }
    let tuple = arena.item(Type::Tuple(elements.into_bump_slice()));
    let lists = args.iter().all(|arg| kind(*arg).is_indexed());
    Ok(if lists { Type::List(tuple) } else { Type::Set(tuple) })
}

/// Returns the one type of the elements of an argument.
fn element_of<'a>(arena: &'a Arena, index: usize, arg: Value<'a>) -> TypeResult<'a> {
    match (kind(arg), arg.type_of(arena)) {
        (TypeKind::Set | TypeKind::List, _) => Ok(element_type(arg)),
        (TypeKind::Tuple, Type::Tuple([])) => Ok(Type::Dynamic),
        (TypeKind::Tuple, Type::Tuple(types)) => unify(arena, types, Safety::Unsafe)
            .ok_or_else(|| CallError::argument(index, "one type must suit all the elements")),
        _ => Err(CallError::argument(index, "a set or a list is required")),
    }
}

fn setproduct_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let mut marks = Marks::NONE;
    let mut sides = arena.list();
    sides.extend(args.iter().map(|arg| take_marks(arena, *arg, &mut marks)));
    let (min, max) = total(&sides);
    let product = if max == 0 {
        Ok(made(arena, &[], ty))
    } else if min == max && sides.iter().all(|side| side.is_known()) {
        known_product(arena, &sides, max, ty)
    } else {
        Ok(unknown_product(arena, &sides, max, ty))
    };
    Ok(product?.with_marks(arena, marks))
}

/// Returns the least and the greatest length that the product may have.
fn total(sides: &[Value<'_>]) -> (usize, usize) {
    sides
        .iter()
        .map(|side| side.length_range())
        .fold((1, 1), |(min, max), (least, most)| (min.saturating_mul(least), max.saturating_mul(most)))
}

fn made<'a>(arena: &'a Arena, items: &'a [Value<'a>], ty: Type<'a>) -> Value<'a> {
    match ty {
        Type::Set(element) => set_from(arena, items, *element),
        _ => Value::list(arena, items, ty.element().unwrap_or(Type::Dynamic)),
    }
}

/// Bounds the length if that of every unknown argument is bounded. The lower bound is always one, as in
/// go-cty, even if the arguments promise more or less.
fn unknown_product<'a>(arena: &'a Arena, sides: &[Value<'a>], max: usize, ty: Type<'a>) -> Value<'a> {
    let bounded = max <= LONGEST_STATED && sides.iter().all(|side| !side.is_known() || is_certain(*side));
    let refinement = if bounded {
        Refinement { min_len: 1, max_len: max, ..Refinement::default() }
    } else {
        Refinement::default()
    };
    Value::unknown(arena, Unknown { ty, refinement })
}

fn is_certain(side: Value<'_>) -> bool {
    let (min, max) = side.length_range();
    min == max
}

/// Returns all combinations, the last argument varying fastest.
fn known_product<'a>(arena: &'a Arena, sides: &[Value<'a>], size: usize, ty: Type<'a>) -> CallResult<'a> {
    if !may_make_items(arena, size.saturating_mul(sides.len() + 1)) {
        return Ok(Value::DYNAMIC);
    }
    let elements = if let Some(Type::Tuple(types)) = ty.element() { types } else { &[] };
    let mut columns = arena.list();
    for (index, (side, element)) in sides.iter().zip(elements).enumerate() {
        columns.push(column(arena, index, *side, *element)?);
    }
    let columns = columns.into_bump_slice();
    let rows = collect(arena, (0..size).map(|row| Value::tuple(arena, combination(arena, columns, row))));
    Ok(made(arena, rows, ty))
}

/// Returns the elements of an argument, converted to their one type.
fn column<'a>(
    arena: &'a Arena,
    index: usize,
    side: Value<'a>,
    element: Type<'a>,
) -> Result<&'a [Value<'a>], CallError> {
    let mut items = arena.list();
    for item in items_of(side) {
        let item = convert(arena, *item, element);
        items.push(item.map_err(|error| CallError::argument(index, error.to_string()))?);
    }
    Ok(items.into_bump_slice())
}

/// Returns the combination numbered `row`: its digits in the mixed base of the columns' lengths.
fn combination<'a>(arena: &'a Arena, columns: &[&'a [Value<'a>]], mut row: usize) -> &'a [Value<'a>] {
    let mut items = arena.list();
    items.resize(columns.len(), Value::NULL);
    for (item, column) in items.iter_mut().zip(columns).rev() {
        let len = column.len().max(1);
        *item = column.get(row % len).copied().unwrap_or(Value::NULL);
        row /= len;
    }
    items.into_bump_slice()
}
