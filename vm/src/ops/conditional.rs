//! What is known of a conditional's result when the condition is unknown.

use crate::arena::Arena;
use crate::types::Type;
use crate::value::{Refinement, Unknown, Value};

/// What is certain of a value that is either `yes` or `no`, both unmarked, when converted to `ty`.
pub fn hull<'a>(arena: &'a Arena, yes: Value<'a>, no: Value<'a>, ty: Type<'a>) -> Value<'a> {
    if yes.is_null() && no.is_null() {
        return Value::null(arena, ty);
    }
    let not_null = yes.is_known() && !yes.is_null() && no.is_known() && !no.is_null();
    Unknown { ty, refinement: Refinement { not_null, ..Refinement::default() } }.settle(arena)
}
