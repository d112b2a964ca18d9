//! Functions of sets. Arguments are first converted to one element type, which may make
//! elements equal that were not.

use std::cmp::Ordering;

use hclvm_vm::{
    Arena, CallError, Function, Parameter, Safety, Type, Value, contains, convert, set_of, unify,
};

use super::arguments::{
    CallResult, TypeResult, any, element_type, get, items_of, may_make_items, may_order, of_unknown_type,
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
            if contains(arena, set, element) {
                return Ok(Value::TRUE);
            }
            let certain = set.is_wholly_known() || !element_type(set).same(arena, element.type_of(arena));
            Ok(if certain { Value::FALSE } else { Value::unknown_of(arena, ty) })
        },
    )
}

/// `setunion(first_set, other_sets...)`; elements may be unknown.
pub(crate) fn setunion() -> Function {
    several("setunion", Merge { first: true, both: true, second: true })
}

/// `setintersection(first_set, other_sets...)`
pub(crate) fn setintersection() -> Function {
    several("setintersection", Merge { first: false, both: true, second: false })
}

/// `setsubtract(a, b)`
pub(crate) fn setsubtract() -> Function {
    operation("setsubtract", &["a", "b"], Merge { first: true, both: false, second: false })
}

/// `setsymmetricdifference(first_set, other_sets...)`: the elements of an odd number of the sets.
pub(crate) fn setsymmetricdifference() -> Function {
    several("setsymmetricdifference", Merge { first: true, both: false, second: true })
}

/// The elements of the result for two sets: those of the first one only, of both, and of the second one only.
/// More sets are merged one after the other.
#[derive(Clone, Copy)]
struct Merge {
    first: bool,
    both: bool,
    second: bool,
}

impl Merge {
    fn keeps_all(self) -> bool {
        self.first && self.both && self.second
    }
}

fn several(name: &'static str, merge: Merge) -> Function {
    operation(name, &["first_set"], merge).variadic(set("other_sets"))
}

fn operation(name: &'static str, parameters: &[&str], merge: Merge) -> Function {
    let parameters: Vec<Parameter> = parameters.iter().map(|name| set(name)).collect();
    Function::new(name, parameters, ANY_SET, move |arena, args, ty| body(arena, args, ty, merge))
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

fn body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>, keep: Merge) -> CallResult<'a> {
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
    if ty.element() == Some(Type::String) && are_texts(arena, &sets) {
        let items = merge_all(&sets, |first, second| merge_ordered(arena, first, second, keep));
        return Ok(Value::set_of_ordered(arena, items, Type::String));
    }
    // An unknown element could be equal to any other.
    if !keep.keeps_all() && !sets.iter().all(|set| set.is_wholly_known()) {
        return Ok(Value::unknown_of(arena, ty));
    }
    let kept = merge_all(&sets, |first, second| merge_members(arena, first, second, keep));
    let mut items = arena.list();
    items.extend_from_slice(kept);
    set_of(arena, items.into_bump_slice_mut(), ty.element().unwrap_or(Type::Dynamic))
        .map_err(|error| CallError::new(error.to_string()))
}

fn merge_all<'a>(
    sets: &[Value<'a>],
    merge: impl Fn(&'a [Value<'a>], &'a [Value<'a>]) -> &'a [Value<'a>],
) -> &'a [Value<'a>] {
    sets.iter().map(|set| items_of(*set)).reduce(merge).unwrap_or_default()
}

/// Returns true if all elements are texts, none of them null or unknown.
fn are_texts<'a>(arena: &'a Arena, sets: &[Value<'a>]) -> bool {
    let is_text =
        |item: &Value<'a>| item.as_str().is_some_and(|text| may_order(arena, 1, [text].into_iter()));
    sets.iter().all(|set| items_of(*set).iter().all(is_text))
}

/// Merges the texts of two sets, which are in the order of their bytes.
fn merge_ordered<'a>(
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

/// Merges the elements of two sets by membership. Equal elements of a union are left in: making the set drops
/// them.
fn merge_members<'a>(
    arena: &'a Arena,
    first: &'a [Value<'a>],
    second: &'a [Value<'a>],
    keep: Merge,
) -> &'a [Value<'a>] {
    let mut merged = arena.list();
    if keep.keeps_all() {
        merged.extend_from_slice(first);
        merged.extend_from_slice(second);
        return merged.into_bump_slice();
    }
    let others = ValueSet::from(arena, second);
    merged
        .extend(first.iter().filter(|item| if others.has_element(**item) { keep.both } else { keep.first }));
    if keep.second {
        let others = ValueSet::from(arena, first);
        merged.extend(second.iter().filter(|item| !others.has_element(**item)));
    }
    merged.into_bump_slice()
}
