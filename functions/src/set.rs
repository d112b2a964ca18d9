//! Functions of sets. Arguments are first converted to one element type, which may make
//! elements equal that were not.

use std::cmp::Ordering;

use hclvm_vm::ops::equality::equals;
use hclvm_vm::{Arena, CallError, Function, Parameter, Safety, Type, Value, convert, set_of, unify};

use super::arguments::{
    CallResult, TypeResult, any, collect, element_type, get, items_of, may_make_items, may_order,
    of_unknown_type,
};
use super::value_set::ValueSet;

/// A set of elements of any one type.
const ANY_SET: Type<'static> = Type::Set(&Type::Dynamic);

fn set(name: &str) -> Parameter {
    of_unknown_type(Parameter::new(name, ANY_SET))
}

/// `sethaselement(set, elem)`
pub(crate) fn sethaselement() -> Function {
    Function::new(
        "sethaselement",
        [set("set"), of_unknown_type(any("elem"))],
        Type::Bool,
        |arena, args, ty| {
            let (set, element) = (get(args, 0), get(args, 1));
            let items = items_of(set);
            if !arena.charge(items.len() as u64) {
                return Ok(Value::DYNAMIC);
            }
            if items.iter().any(|item| equals(arena, *item, element).as_bool() == Some(true)) {
                return Ok(Value::TRUE);
            }
            let certain = set.is_wholly_known() || !element_type(set).same(arena, element.type_of(arena));
            Ok(if certain { Value::FALSE } else { Value::unknown_of(arena, ty) })
        },
    )
}

/// `setunion(first_set, other_sets...)`; elements may be unknown.
pub(crate) fn setunion() -> Function {
    several("setunion", Merge { first: true, both: true, second: true }, |arena, sets| {
        let mut all = arena.list();
        for set in sets {
            all.extend_from_slice(items_of(*set));
        }
        Some(all.into_bump_slice())
    })
}

/// `setintersection(first_set, other_sets...)`
pub(crate) fn setintersection() -> Function {
    several("setintersection", Merge { first: false, both: true, second: false }, |arena, sets| {
        let (first, others) = known(sets)?.split_first()?;
        let others = all_seen(arena, others);
        Some(keep(arena, *first, |item| others.iter().all(|other| other.contains(item))))
    })
}

/// `setsubtract(a, b)`
pub(crate) fn setsubtract() -> Function {
    let merge = Merge { first: true, both: false, second: false };
    operation("setsubtract", &["a", "b"], merge, |arena, sets| {
        let (first, others) = known(sets)?.split_first()?;
        let others = all_seen(arena, others);
        Some(keep(arena, *first, |item| !others.iter().any(|other| other.contains(item))))
    })
}

/// `setsymmetricdifference(first_set, other_sets...)`: the elements of an odd number of the sets.
pub(crate) fn setsymmetricdifference() -> Function {
    several("setsymmetricdifference", Merge { first: true, both: false, second: true }, |arena, sets| {
        let mut sets = known(sets)?.iter();
        let mut left = items_of(*sets.next()?);
        for set in sets {
            let (before, after) = (ValueSet::from(arena, left), seen(arena, *set));
            let mut either = arena.list();
            either.extend(left.iter().copied().filter(|item| !after.contains(*item)));
            either.extend(items_of(*set).iter().copied().filter(|item| !before.contains(*item)));
            left = either.into_bump_slice();
        }
        Some(left)
    })
}

/// The elements of the result, or `None` when unknown elements leave them open.
type Operation = for<'a> fn(&'a Arena, &[Value<'a>]) -> Option<&'a [Value<'a>]>;

/// The elements of the result for two sets of strings: those of the first one only, of both, and of the second
/// one only. More sets are merged one after the other.
#[derive(Clone, Copy)]
struct Merge {
    first: bool,
    both: bool,
    second: bool,
}

fn several(name: &'static str, merge: Merge, operation_on: Operation) -> Function {
    operation(name, &["first_set"], merge, operation_on).variadic(set("other_sets"))
}

fn operation(name: &'static str, parameters: &[&str], merge: Merge, run: Operation) -> Function {
    let parameters: Vec<Parameter> = parameters.iter().map(|name| set(name)).collect();
    Function::new(name, parameters, ANY_SET, move |arena, args, ty| body(arena, args, ty, merge, run))
        .typed(common_set)
}

/// Returns the set type that all arguments convert to. Empty sets without an element type convert to any.
fn common_set<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    let mut elements = arena.list();
    for arg in args {
        let element = element_type(*arg);
        if !element.is_dynamic() || !arg.is_known() || !items_of(*arg).is_empty() {
            elements.push(element);
        }
    }
    if elements.is_empty() {
        return Ok(ANY_SET);
    }
    match unify(arena, &elements, Safety::Unsafe) {
        Some(element) => Ok(Type::Set(arena.item(element))),
        None => Err(CallError::new("no single element type suits all the sets")),
    }
}

fn body<'a>(
    arena: &'a Arena,
    args: &[Value<'a>],
    ty: Type<'a>,
    merge: Merge,
    run: Operation,
) -> CallResult<'a> {
    let size = args.iter().map(|arg| items_of(*arg).len()).sum();
    if !may_make_items(arena, size) {
        return Ok(Value::DYNAMIC);
    }
    let mut sets = arena.list();
    for (index, arg) in args.iter().enumerate() {
        let set = convert(arena, *arg, ty).map_err(|error| CallError::argument(index, error.to_string()))?;
        if !set.is_known() {
            return Ok(Value::unknown_of(arena, ty));
        }
        sets.push(set);
    }
    if ty.element() == Some(Type::String)
        && let Some(items) = merge_all(arena, &sets, merge)
    {
        return Ok(Value::set_of_ordered(arena, items, Type::String));
    }
    let Some(kept) = run(arena, &sets) else { return Ok(Value::unknown_of(arena, ty)) };
    let mut items = arena.list();
    items.extend_from_slice(kept);
    set_of(arena, items.into_bump_slice_mut(), ty.element().unwrap_or(Type::Dynamic))
        .map_err(|error| CallError::new(error.to_string()))
}

/// Merges sets of strings, which are in the order of their bytes. `None` if an element is null or unknown.
fn merge_all<'a>(arena: &'a Arena, sets: &[Value<'a>], keep: Merge) -> Option<&'a [Value<'a>]> {
    let is_text =
        |item: &Value<'a>| item.as_str().is_some_and(|text| may_order(arena, 1, [text].into_iter()));
    if !sets.iter().all(|set| items_of(*set).iter().all(is_text)) {
        return None;
    }
    let (first, others) = sets.split_first()?;
    Some(others.iter().fold(items_of(*first), |merged, other| merge(arena, merged, items_of(*other), keep)))
}

fn merge<'a>(
    arena: &'a Arena,
    mut first: &'a [Value<'a>],
    mut second: &'a [Value<'a>],
    keep: Merge,
) -> &'a [Value<'a>] {
    let mut merged = arena.list();
    while let ([a, after_a @ ..], [b, after_b @ ..]) = (first, second) {
        let order = a.as_str().cmp(&b.as_str());
        let (kept, item) = match order {
            Ordering::Less => (keep.first, a),
            Ordering::Equal => (keep.both, a),
            Ordering::Greater => (keep.second, b),
        };
        if kept {
            merged.push(*item);
        }
        first = if order.is_le() { after_a } else { first };
        second = if order.is_ge() { after_b } else { second };
    }
    if keep.first {
        merged.extend_from_slice(first);
    }
    if keep.second {
        merged.extend_from_slice(second);
    }
    merged.into_bump_slice()
}

/// Returns the sets if all elements are known; an unknown one could be equal to any other.
fn known<'s, 'a>(sets: &'s [Value<'a>]) -> Option<&'s [Value<'a>]> {
    sets.iter().all(|set| set.is_wholly_known()).then_some(sets)
}

fn all_seen<'a>(arena: &'a Arena, sets: &[Value<'a>]) -> &'a [ValueSet<'a>] {
    let mut all = arena.list_with(sets.len());
    all.extend(sets.iter().map(|set| seen(arena, *set)));
    all.into_bump_slice()
}

fn seen<'a>(arena: &'a Arena, set: Value<'a>) -> ValueSet<'a> {
    ValueSet::from(arena, items_of(set))
}

fn keep<'a>(arena: &'a Arena, set: Value<'a>, wanted: impl Fn(Value<'a>) -> bool) -> &'a [Value<'a>] {
    collect(arena, items_of(set).iter().copied().filter(|item| wanted(*item)))
}
