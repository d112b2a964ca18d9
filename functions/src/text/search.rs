//! Searches in texts: `startswith`, `endswith`, `strcontains`.

use hclvm_vm::{Accepts, Arena, Function, Intrinsic, TextOperation, Type, Value, View};

use crate::arguments::{CallResult, get, of_plain_texts, of_texts, string, text_of};

/// `startswith(str, prefix)`: an unknown text may have a known prefix that decides.
pub(crate) fn startswith() -> Function {
    let text = string("str").accepting(Accepts::PLAIN.unknown());
    Function::new("startswith", [text, string("prefix")], Type::Bool, startswith_body)
        .inline(|arena, args| of_plain_texts(arena, args, begins))
        .intrinsic(Intrinsic::OfText(TextOperation::Begins))
}

fn begins<'a>(arena: &'a Arena, text: &'a str, prefix: &'a str) -> Option<Value<'a>> {
    arena.look_at(prefix).then(|| Value::bool(text.starts_with(prefix)))
}

fn startswith_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let View::Unknown(unknown) = get(args, 0).view() else { return of_texts(arena, args, begins) };
    let prefix = text_of(args, 1);
    if !arena.look_at(prefix) {
        return Ok(Value::DYNAMIC);
    }
    let known = unknown.refinement.prefix;
    if known.starts_with(prefix) {
        return Ok(Value::TRUE);
    }
    if !known.is_empty() && known.len() >= prefix.len() {
        return Ok(Value::FALSE);
    }
    Ok(Value::unknown_of(arena, ty))
}

/// `endswith(str, suffix)`
pub(crate) fn endswith() -> Function {
    Function::new("endswith", [string("str"), string("suffix")], Type::Bool, |arena, args, _| {
        of_texts(arena, args, ends)
    })
    .inline(|arena, args| of_plain_texts(arena, args, ends))
    .intrinsic(Intrinsic::OfText(TextOperation::Ends))
}

fn ends<'a>(arena: &'a Arena, text: &'a str, suffix: &'a str) -> Option<Value<'a>> {
    arena.look_at(suffix).then(|| Value::bool(text.ends_with(suffix)))
}

/// `strcontains(str, substr)`
pub(crate) fn strcontains() -> Function {
    Function::new("strcontains", [string("str"), string("substr")], Type::Bool, |arena, args, _| {
        of_texts(arena, args, holds)
    })
    .inline(|arena, args| of_plain_texts(arena, args, holds))
    .intrinsic(Intrinsic::OfText(TextOperation::Contains))
}

fn holds<'a>(arena: &'a Arena, text: &'a str, part: &'a str) -> Option<Value<'a>> {
    arena.charge(text.len() as u64).then(|| Value::bool(text.contains(part)))
}
