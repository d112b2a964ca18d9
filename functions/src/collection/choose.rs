//! The first of several values that will do.

use hclvm_vm::{Arena, CallError, Function, Safety, Type, Value, View, convert, unify};

use crate::arguments::{CallResult, TypeKind, TypeResult, any, anything, get, items_of, kind};

/// `assertnotnull(v)`
pub(crate) fn assertnotnull() -> Function {
    Function::new("assertnotnull", [any("v")], Type::Dynamic, |_, args, _| Ok(get(args, 0))).typed(
        |arena, args| {
            if get(args, 0).is_known() { Ok(Type::Dynamic) } else { Ok(get(args, 0).type_of(arena)) }
        },
    )
}

/// `coalesce(vals...)`: the first that is not null, in the type that suits all.
pub(crate) fn coalesce() -> Function {
    coalescing(false)
}

/// `coalesce(vals...)` of Packer and OpenTofu, which passes over empty strings too.
pub(crate) fn coalesce_nonempty() -> Function {
    coalescing(true)
}

fn coalescing(skip_empty: bool) -> Function {
    let function = Function::new("coalesce", [], Type::Dynamic, move |arena, args, ty| {
        first_of(arena, args, ty, skip_empty)
    })
    .variadic(anything("vals"))
    .typed(common_type);
    if skip_empty { function.inline(first_nonempty_text) } else { function.inline(first_text) }
}

/// Returns the first text of arguments that are plain texts or null.
fn first_text<'a>(_: &'a Arena, args: &[Value<'a>]) -> Option<Value<'a>> {
    text_that(args, |_| true)
}

fn first_nonempty_text<'a>(_: &'a Arena, args: &[Value<'a>]) -> Option<Value<'a>> {
    text_that(args, |text| !text.is_empty())
}

fn text_that<'a>(args: &[Value<'a>], wanted: fn(&str) -> bool) -> Option<Value<'a>> {
    let suits = |arg: &Value<'_>| {
        arg.as_str().is_some() || matches!(arg.view(), View::Null(Type::Dynamic | Type::String))
    };
    let first = args.iter().find(|arg| arg.as_str().is_some_and(wanted))?;
    args.iter().all(suits).then_some(*first)
}

fn common_type<'a>(arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    let mut types = arena.list();
    types.extend(args.iter().map(|arg| arg.type_of(arena)));
    unify(arena, &types, Safety::Unsafe)
        .ok_or_else(|| CallError::new("no single type suits all the arguments, and the result must have one"))
}

fn first_of<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>, skip_empty: bool) -> CallResult<'a> {
    for arg in args {
        if !arg.is_known() {
            return Ok(Value::unknown_of(arena, ty));
        }
        if arg.is_null() {
            continue;
        }
        let value = convert(arena, *arg, ty).map_err(|error| CallError::new(error.to_string()))?;
        if !(skip_empty && value.as_str() == Some("")) {
            return Ok(value);
        }
    }
    Err(CallError::new(if skip_empty {
        "every argument is null or an empty string"
    } else {
        "every argument is null"
    }))
}

/// `coalescelist(vals...)`: the first that has elements.
pub(crate) fn coalescelist() -> Function {
    Function::new("coalescelist", [], Type::Dynamic, |arena, args, ty| {
        for arg in args {
            match arg.view() {
                View::Unknown(_) => return Ok(Value::unknown_of(arena, ty)),
                _ if items_of(*arg).is_empty() => {}
                _ => return Ok(*arg),
            }
        }
        Err(CallError::new("every argument is null or empty"))
    })
    .variadic(anything("vals"))
    .typed(coalescelist_type)
}

fn coalescelist_type<'a>(_: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    if args.is_empty() {
        return Err(CallError::new("expected at least one list"));
    }
    for arg in args {
        match (arg.view(), kind(*arg)) {
            (View::Unknown(_), _) => return Ok(Type::Dynamic),
            (_, TypeKind::List | TypeKind::Tuple) => {}
            _ => return Err(CallError::new("every argument must be a list or a tuple")),
        }
    }
    Ok(Type::Dynamic)
}
