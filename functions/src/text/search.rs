//! Searches in texts: `startswith`, `endswith`, `strcontains`.

use hclvm_vm::{Accepts, Arena, Function, Intrinsic, TextOperation, Type, Value, View};

use crate::arguments::{CallResult, get, string, text_of, two_texts};

/// `startswith(str, prefix)`: an unknown text may have a known prefix that decides.
pub(crate) fn startswith() -> Function {
    let text = string("str").accepting(Accepts::PLAIN.unknown());
    Function::new("startswith", [text, string("prefix")], Type::Bool, startswith_body)
        .inline(|arena, args| {
            let [text, prefix] = two_texts(args)?;
            arena.look_at(prefix).then(|| Value::bool(text.starts_with(prefix)))
        })
        .intrinsic(Intrinsic::OfText(TextOperation::Begins))
}

fn startswith_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let prefix = text_of(args, 1);
    if !arena.look_at(prefix) {
        return Ok(Value::DYNAMIC);
    }
    let View::Unknown(unknown) = get(args, 0).view() else {
        return Ok(Value::bool(text_of(args, 0).starts_with(prefix)));
    };
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
        let (text, suffix) = (text_of(args, 0), text_of(args, 1));
        if !arena.look_at(suffix) {
            return Ok(Value::DYNAMIC);
        }
        Ok(Value::bool(text.ends_with(suffix)))
    })
    .inline(|arena, args| {
        let [text, suffix] = two_texts(args)?;
        arena.look_at(suffix).then(|| Value::bool(text.ends_with(suffix)))
    })
    .intrinsic(Intrinsic::OfText(TextOperation::Ends))
}

/// `strcontains(str, substr)`
pub(crate) fn strcontains() -> Function {
    Function::new("strcontains", [string("str"), string("substr")], Type::Bool, |arena, args, _| {
        let text = text_of(args, 0);
        if !arena.charge(text.len() as u64) {
            return Ok(Value::DYNAMIC);
        }
        Ok(Value::bool(text.contains(text_of(args, 1))))
    })
    .inline(|arena, args| {
        let [text, part] = two_texts(args)?;
        arena.charge(text.len() as u64).then(|| Value::bool(text.contains(part)))
    })
    .intrinsic(Intrinsic::OfText(TextOperation::Contains))
}
