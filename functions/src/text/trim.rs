//! Functions that cut at the ends of a text.

use hclvm_vm::{Arena, Function, Type, Value};

use super::part;
use crate::arguments::{of_plain_texts, of_texts, string, text_of};

/// What is left of a text, after all that was cut off has been looked at.
fn kept<'a>(arena: &'a Arena, text: &str, left: &'a str) -> Value<'a> {
    if arena.spend((text.len() - left.len()) as u64) { part(arena, left) } else { Value::DYNAMIC }
}

/// `chomp(str)`: without the line ends at its end.
pub(crate) fn chomp() -> Function {
    Function::new("chomp", [string("str")], Type::String, |arena, args, _| {
        let text = text_of(args, 0);
        Ok(kept(arena, text, text.trim_end_matches(['\r', '\n'])))
    })
}

/// `trimspace(str)`
pub(crate) fn trimspace() -> Function {
    Function::new("trimspace", [string("str")], Type::String, |arena, args, _| {
        let text = text_of(args, 0);
        Ok(kept(arena, text, text.trim()))
    })
}

/// `trim(str, cutset)`: without any characters of the cutset at either end.
pub(crate) fn trim() -> Function {
    Function::new("trim", [string("str"), string("cutset")], Type::String, |arena, args, _| {
        let (text, cutset) = (text_of(args, 0), text_of(args, 1));
        if !arena.charge((text.len() + cutset.len()) as u64) {
            return Ok(Value::DYNAMIC);
        }
        // Sorted, so that a long cutset on a long text stays cheap.
        let mut cut: Vec<char> = cutset.chars().collect();
        cut.sort_unstable();
        Ok(part(arena, text.trim_matches(|c| cut.binary_search(&c).is_ok())))
    })
}

/// `trimprefix(str, prefix)`: once.
pub(crate) fn trimprefix() -> Function {
    Function::new("trimprefix", [string("str"), string("prefix")], Type::String, |arena, args, _| {
        of_texts(arena, args, without_prefix)
    })
    .inline(|arena, args| of_plain_texts(arena, args, without_prefix))
}

fn without_prefix<'a>(arena: &'a Arena, text: &'a str, prefix: &'a str) -> Option<Value<'a>> {
    arena.look_at(prefix).then(|| part(arena, text.strip_prefix(prefix).unwrap_or(text)))
}

/// `trimsuffix(str, suffix)`: once.
pub(crate) fn trimsuffix() -> Function {
    Function::new("trimsuffix", [string("str"), string("suffix")], Type::String, |arena, args, _| {
        of_texts(arena, args, without_suffix)
    })
    .inline(|arena, args| of_plain_texts(arena, args, without_suffix))
}

fn without_suffix<'a>(arena: &'a Arena, text: &'a str, suffix: &'a str) -> Option<Value<'a>> {
    arena.look_at(suffix).then(|| part(arena, text.strip_suffix(suffix).unwrap_or(text)))
}
