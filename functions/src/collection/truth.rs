//! `alltrue` and `anytrue`.

use hclvm_vm::{Arena, Function, Parameter, Type, Value, View};

use crate::arguments::{CallResult, get, items_of};

/// A list of bools.
const BOOLS: Type<'static> = Type::List(&Type::Bool);

/// `alltrue(list)`: a null is not true; elements are asked in order up to the first that decides.
pub(crate) fn alltrue() -> Function {
    Function::new("alltrue", [Parameter::new("list", BOOLS)], Type::Bool, |arena, args, ty| {
        let items = items_of(get(args, 0));
        if !arena.spend(items.len() as u64) {
            return Ok(Value::DYNAMIC);
        }
        for item in items {
            match item.view() {
                View::Bool(true) => {}
                View::Unknown(_) => return Ok(Value::unknown_of(arena, ty)),
                _ => return Ok(Value::FALSE),
            }
        }
        Ok(Value::TRUE)
    })
}

/// `anytrue(list)`: a null is not true; one true element decides whatever is unknown.
pub(crate) fn anytrue() -> Function {
    Function::new("anytrue", [Parameter::new("list", BOOLS)], Type::Bool, anytrue_body)
}

fn anytrue_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let items = items_of(get(args, 0));
    if !arena.spend(items.len() as u64) {
        return Ok(Value::DYNAMIC);
    }
    if items.iter().any(|item| item.as_bool() == Some(true)) {
        return Ok(Value::TRUE);
    }
    let undecided = items.iter().any(|item| !item.is_known());
    Ok(if undecided { Value::unknown_of(arena, ty) } else { Value::FALSE })
}
