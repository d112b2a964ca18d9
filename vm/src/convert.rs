//! Conversion of values between types.

use std::fmt;

use crate::arena::Arena;
use crate::types::Type;
use crate::value::Value;

/// Why a value has no counterpart in a type. Shown as a phrase such as `string required, but have tuple`.
#[derive(Clone, Copy, Debug)]
pub struct Mismatch<'a> {
    want: Type<'a>,
    have: Type<'a>,
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} required, but have {}", self.want.friendly_name(), self.have.friendly_name())
    }
}

/// `value` as a value of type `ty`. Null stays null, unknown stays unknown, marks stay.
pub fn convert<'a>(arena: &'a Arena, value: Value<'a>, ty: Type<'a>) -> Result<Value<'a>, Mismatch<'a>> {
    let have = value.type_of(arena);
    if ty.is_dynamic() || have == ty { Ok(value) } else { Err(Mismatch { want: ty, have }) }
}
