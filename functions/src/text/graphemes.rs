//! Functions that count in extended grapheme clusters, the characters that a reader sees.

use hclvm_vm::cast;
use hclvm_vm::number::compare;
use hclvm_vm::text::characters;
use hclvm_vm::{
    Accepts, Arena, Function, Intrinsic, NumberBound, NumberRef, Refinement, TextOperation, Type, Unknown,
    Value, View, Width,
};

use super::{made, part};
use crate::arguments::{
    CallResult, get, integer_of, may_make_text, number, of_unknown_type, string, text_of,
};

/// `strlen(str)`
pub(crate) fn strlen() -> Function {
    let text = string("str").accepting(Accepts::PLAIN.unknown().dynamic());
    Function::new("strlen", [text], Type::Number, |arena, args, _| Ok(length(arena, get(args, 0))))
        .refined(Some(not_negative))
        .intrinsic(Intrinsic::OfText(TextOperation::Length))
}

/// Returns the number of clusters of a text. That of an unknown text is at least that of its known
/// prefix.
pub(crate) fn length<'a>(arena: &'a Arena, text: Value<'a>) -> Value<'a> {
    match text.view() {
        View::String(text) => Value::short(count(arena, text)),
        View::Unknown(unknown) => {
            let min = count(arena, unknown.refinement.prefix);
            let refinement = Refinement { min: Some(at_least(min)), ..Refinement::default() };
            Value::unknown(arena, Unknown { ty: Type::Number, refinement })
        }
        _ => Value::unknown_of(arena, Type::Number),
    }
}

fn count(arena: &Arena, text: &str) -> i64 {
    if !arena.charge(text.len() as u64) {
        return 0;
    }
    if text.is_ascii() && !text.contains('\r') {
        return cast::signed(text.len());
    }
    cast::signed(characters(text).count())
}

fn at_least(value: i64) -> NumberBound<'static> {
    NumberBound { value: NumberRef::Int(value, Width::Short), inclusive: true }
}

fn not_negative<'a>(_: &'a Arena, _: &[Value<'a>], known: Refinement<'a>) -> Refinement<'a> {
    let zero = at_least(0);
    let min = known.min.filter(|min| compare(min.value, zero.value).is_gt()).unwrap_or(zero);
    Refinement { not_null: true, min: Some(min), ..known }
}

/// `strrev(str)`: the clusters in reverse order.
pub(crate) fn strrev() -> Function {
    Function::new("strrev", [of_unknown_type(string("str"))], Type::String, |arena, args, _| {
        let text = text_of(args, 0);
        if !may_make_text(arena, text.len()) {
            return Ok(Value::DYNAMIC);
        }
        let mut result = arena.string();
        result.reserve(text.len());
        characters(text).rev().for_each(|cluster| result.push_str(cluster));
        Ok(made(arena, result.into_bump_str()))
    })
}

/// `substr(str, offset, length)`: a negative offset counts from the end, a negative length
/// takes the rest.
pub(crate) fn substr() -> Function {
    let parameters = [string("str"), number("offset"), number("length")].map(of_unknown_type);
    Function::new("substr", parameters, Type::String, substr_body)
}

fn substr_body<'a>(arena: &'a Arena, args: &[Value<'a>], _: Type<'a>) -> CallResult<'a> {
    let text = text_of(args, 0);
    let (mut offset, length) = (integer_of(args, 1)?, integer_of(args, 2)?);
    if !arena.charge(text.len() as u64) {
        return Ok(Value::DYNAMIC);
    }
    if offset < 0 {
        offset = offset.saturating_add(count(arena, text));
    } else if length == 0 {
        return Ok(Value::EMPTY_STRING);
    }
    let rest = text.get(end_of(text, offset)..).unwrap_or("");
    // With a negative offset, a length of zero takes the rest too.
    let end = if length <= 0 { rest.len() } else { end_of(rest, length) };
    Ok(part(arena, rest.get(..end).unwrap_or("")))
}

/// Returns where the first `clusters` clusters of a text end, in bytes; its length if it has fewer.
fn end_of(text: &str, clusters: i64) -> usize {
    let Ok(clusters) = usize::try_from(clusters) else { return 0 };
    characters(text).take(clusters).map(str::len).sum()
}
