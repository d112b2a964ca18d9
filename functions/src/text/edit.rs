//! Functions that put text into text. The size of the result is known, and paid, beforehand.

use hclvm_vm::{Arena, CallError, Function, Type, Value};

use super::made;
use crate::arguments::{CallResult, integer_of, may_make_text, may_read, number, string, text_of};

/// `replace(str, substr, replace)`: every occurrence, literally.
pub(crate) fn replace() -> Function {
    let parameters = ["str", "substr", "replace"].map(string);
    Function::new("replace", parameters, Type::String, |arena, args, _| {
        Ok(replaced(arena, text_of(args, 0), text_of(args, 1), text_of(args, 2)))
    })
}

/// Returns the text with every occurrence of `from` replaced; an empty `from` occurs around every
/// character.
pub(crate) fn replaced<'a>(arena: &'a Arena, text: &'a str, from: &str, to: &str) -> Value<'a> {
    if !arena.charge(text.len() as u64) || !may_read(arena, from) {
        return Value::DYNAMIC;
    }
    let count = text.matches(from).count();
    if count == 0 {
        return Value::str(arena, text);
    }
    let size = (text.len() - count * from.len()).saturating_add(count.saturating_mul(to.len()));
    if !may_make_text(arena, size) {
        return Value::DYNAMIC;
    }
    let mut result = arena.string();
    result.reserve(size);
    let mut rest = 0;
    for (at, _) in text.match_indices(from) {
        result.push_str(text.get(rest..at).unwrap_or(""));
        result.push_str(to);
        rest = at + from.len();
    }
    result.push_str(text.get(rest..).unwrap_or(""));
    made(arena, result.into_bump_str())
}

/// `indent(spaces, str)`: spaces after every line end.
pub(crate) fn indent() -> Function {
    Function::new("indent", [number("spaces"), string("str")], Type::String, indent_body)
}

fn indent_body<'a>(arena: &'a Arena, args: &[Value<'a>], _: Type<'a>) -> CallResult<'a> {
    let text = text_of(args, 1);
    let spaces = usize::try_from(integer_of(args, 0)?)
        .map_err(|_| CallError::new("the number of spaces must not be negative"))?;
    let lines = text.bytes().filter(|byte| *byte == b'\n').count();
    let size = text.len().saturating_add(lines.saturating_mul(spaces));
    if !may_make_text(arena, size) {
        return Ok(Value::DYNAMIC);
    }
    let mut result = arena.string();
    result.reserve(size);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            result.push('\n');
            result.extend(std::iter::repeat_n(' ', spaces));
        }
        result.push_str(line);
    }
    Ok(made(arena, result.into_bump_str()))
}
