//! Texts into lists and back.

use hclvm_vm::{Accepts, Arena, CallError, Function, Parameter, Refinement, Type, Unknown, Value};

use super::{made, part};
use crate::arguments::{
    CallResult, STRINGS, get, items_of, may_make_items, may_make_text, may_order, may_read, of_plain_texts,
    of_texts, string, text_of,
};

/// `split(separator, str)`: an empty separator splits by code points.
pub(crate) fn split() -> Function {
    Function::new("split", [string("separator"), string("str")], STRINGS, |arena, args, _| {
        of_texts(arena, args, parts)
    })
    .inline(|arena, args| of_plain_texts(arena, args, parts))
}

fn parts<'a>(arena: &'a Arena, separator: &'a str, text: &'a str) -> Option<Value<'a>> {
    (arena.charge(text.len() as u64) && may_read(arena, separator))
        .then(|| split_text(arena, text, separator))
}

fn split_text<'a>(arena: &'a Arena, text: &'a str, separator: &str) -> Value<'a> {
    let (first, more) = (separator.chars().next(), separator.chars().nth(1).is_some());
    let count = match first {
        None => text.chars().count(),
        // A search for a character takes half as long as one for a text.
        Some(one) if !more => text.matches(one).count() + 1,
        Some(_) => text.matches(separator).count() + 1,
    };
    if !may_make_items(arena, count) {
        return Value::DYNAMIC;
    }
    let mut parts = arena.list_with(count);
    match first {
        None => {
            let ends = text.char_indices().map(|(at, c)| at..at + c.len_utf8());
            parts.extend(ends.map(|range| part(arena, text.get(range).unwrap_or(""))));
        }
        Some(one) if !more => parts.extend(text.split(one).map(|piece| part(arena, piece))),
        Some(_) => parts.extend(text.split(separator).map(|piece| part(arena, piece))),
    }
    Value::list(arena, parts.into_bump_slice(), Type::String)
}

/// `join(separator, lists...)`
pub(crate) fn join() -> Function {
    Function::new("join", [string("separator")], Type::String, join_body)
        .variadic(Parameter::new("lists", STRINGS))
}

fn join_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let separator = text_of(args, 0);
    let lists = args.get(1..).unwrap_or(&[]);
    if lists.is_empty() {
        return Err(CallError::new("a separator needs at least one list to join"));
    }
    if !lists.iter().all(|list| list.is_wholly_known()) {
        return Ok(Value::unknown_of(arena, ty));
    }
    let size = joined_size(lists, separator)?;
    let count: usize = lists.iter().map(|list| items_of(*list).len()).sum();
    if !arena.spend(count as u64) || !may_make_text(arena, size) {
        return Ok(Value::DYNAMIC);
    }
    let mut result = arena.string();
    result.reserve(size);
    let mut texts = lists.iter().flat_map(|list| items_of(*list)).filter_map(|item| item.as_str());
    result.push_str(texts.next().unwrap_or(""));
    for text in texts {
        result.push_str(separator);
        result.push_str(text);
    }
    Ok(made(arena, result.into_bump_str()))
}

/// Returns the size in bytes of all elements and the separators between them.
fn joined_size(lists: &[Value<'_>], separator: &str) -> Result<usize, CallError> {
    let (mut size, mut count) = (0_usize, 0_usize);
    for (index, list) in lists.iter().enumerate() {
        for (at, item) in items_of(*list).iter().enumerate() {
            let text = item.as_str().ok_or_else(|| null_element(index, at, lists.len()))?;
            size = size.saturating_add(text.len());
            count += 1;
        }
    }
    Ok(size.saturating_add(separator.len().saturating_mul(count.saturating_sub(1))))
}

fn null_element(list: usize, at: usize, lists: usize) -> CallError {
    let place = if lists > 1 { format!(" of list {}", list + 1) } else { String::new() };
    CallError::argument(list + 1, format!("element {at}{place} is null, and null cannot be joined"))
}

/// `sort(list)`: by the bytes of the texts.
pub(crate) fn sort() -> Function {
    let list = Parameter::new("list", STRINGS).accepting(Accepts::PLAIN.unknown());
    Function::new("sort", [list], STRINGS, sort_body)
}

fn sort_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let list = get(args, 0);
    if !list.is_wholly_known() {
        return Ok(unknown_order(arena, list, ty));
    }
    let items = items_of(list);
    if let Some(at) = items.iter().position(|item| item.is_null()) {
        return Err(CallError::new(format!("element {at} is null, and null has no place in an order")));
    }
    let texts = || items.iter().filter_map(|item| item.as_str());
    if !arena.charge((items.len() as u64).saturating_mul(u64::from(items.len().max(2).ilog2())))
        || !may_order(arena, items.len(), texts())
    {
        return Ok(Value::DYNAMIC);
    }
    let mut sorted = arena.list();
    sorted.extend_from_slice(items);
    sorted.sort_by_key(|item| item.as_str());
    Ok(Value::list(arena, sorted.into_bump_slice(), Type::String))
}

/// What is known of a sorted list before all its elements are: how many there are.
fn unknown_order<'a>(arena: &'a Arena, list: Value<'a>, ty: Type<'a>) -> Value<'a> {
    let (min_len, max_len) = list.length_range();
    Value::unknown(
        arena,
        Unknown { ty, refinement: Refinement { min_len, max_len, ..Refinement::default() } },
    )
}
