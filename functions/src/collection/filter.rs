//! Functions that keep some elements of a list, and membership.

use hclvm_vm::ops::equality::equals;
use hclvm_vm::{Accepts, Arena, CallError, Function, Intrinsic, Parameter, Safety, Type, Value, unify};

use crate::arguments::{
    ANY_LIST, CallResult, STRINGS, any, collect, element_type, get, items_of, kind, may_make_items,
};
use crate::value_set::{ValueSet, firsts};

/// `compact(list)`: without nulls and empty strings.
pub(crate) fn compact() -> Function {
    Function::new("compact", [Parameter::new("list", STRINGS)], STRINGS, |arena, args, ty| {
        let list = get(args, 0);
        if !list.is_wholly_known() {
            return Ok(Value::unknown_of(arena, ty));
        }
        if !may_make_items(arena, items_of(list).len()) {
            return Ok(Value::DYNAMIC);
        }
        let filled =
            items_of(list).iter().copied().filter(|item| item.as_str().is_some_and(|text| !text.is_empty()));
        Ok(Value::list(arena, collect(arena, filled), Type::String))
    })
}

/// `contains(list, value)`: a value of another type is not contained.
pub(crate) fn contains() -> Function {
    let value = any("value").accepting(Accepts::PLAIN.null());
    Function::new("contains", [any("list"), value], Type::Bool, contains_body)
        .inline(contains_text)
        .intrinsic(Intrinsic::Searches)
}

/// Searches for a string among known primitives.
fn contains_text<'a>(arena: &'a Arena, args: &[Value<'a>]) -> Option<Value<'a>> {
    let [list, text] = args else { return None };
    let items = list.as_items()?;
    let found = text.is_among_primitives(items)?;
    arena.spend(items.len() as u64).then(|| Value::bool(found))
}

fn contains_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let (list, value) = (get(args, 0), get(args, 1));
    if !kind(list).is_sequence() {
        return Err(CallError::new("expected a list, tuple or set to search in"));
    }
    let mut undecided = false;
    for item in items_of(list) {
        if !arena.charge(1) {
            return Ok(Value::DYNAMIC);
        }
        match equals(arena, value, *item).as_bool() {
            Some(true) => return Ok(Value::TRUE),
            Some(false) => {}
            None => undecided = true,
        }
    }
    Ok(if undecided { Value::unknown_of(arena, ty) } else { Value::FALSE })
}

/// `distinct(list)`: of equal elements the first.
pub(crate) fn distinct() -> Function {
    Function::new("distinct", [Parameter::new("list", ANY_LIST)], Type::Dynamic, distinct_body)
        .typed(|arena, args| Ok(get(args, 0).type_of(arena)))
}

fn distinct_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let list = get(args, 0);
    if !list.is_wholly_known() {
        return Ok(Value::unknown_of(arena, ty));
    }
    Ok(Value::list(arena, firsts(arena, items_of(list)), element_type(list)))
}

/// `matchkeys(values, keys, searchset)`: the values whose keys are in the search set.
pub(crate) fn matchkeys() -> Function {
    let parameters = ["values", "keys", "searchset"].map(|name| Parameter::new(name, ANY_LIST));
    Function::new("matchkeys", parameters, Type::Dynamic, matchkeys_body).typed(|arena, args| {
        let sides = [element_type(get(args, 1)), element_type(get(args, 2))];
        match unify(arena, &sides, Safety::Unsafe) {
            Some(_) => Ok(get(args, 0).type_of(arena)),
            None => Err(CallError::new("the keys and the search set must be of one type")),
        }
    })
}

fn matchkeys_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let [values, keys, wanted] = [0, 1, 2].map(|index| items_of(get(args, index)));
    if values.len() != keys.len() {
        return Err(CallError::new(format!(
            "there must be a key for every value, but values are {} and keys {}",
            values.len(),
            keys.len()
        )));
    }
    if !get(args, 1).is_wholly_known() || !get(args, 2).is_wholly_known() {
        return Ok(Value::unknown_of(arena, ty));
    }
    if !may_make_items(arena, values.len() + wanted.len()) {
        return Ok(Value::DYNAMIC);
    }
    let seen = ValueSet::from(arena, wanted);
    let matching = values.iter().zip(keys).filter(|(_, key)| seen.contains(**key)).map(|(value, _)| *value);
    Ok(Value::list(arena, collect(arena, matching), element_type(get(args, 0))))
}
