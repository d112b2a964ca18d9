//! The one type that values of several types can be converted to.

use crate::arena::Arena;
use crate::types::Type;

/// Which conversions may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// Only those that succeed for every value.
    Safe,
    /// Also those that fail for some values, such as string to number.
    Unsafe,
}

/// The type that values of all `types` can be converted to, if there is one.
pub fn unify<'a>(arena: &'a Arena, types: &[Type<'a>], safety: Safety) -> Option<Type<'a>> {
    let _ = (arena, safety);
    let first = *types.first()?;
    types.iter().all(|ty| *ty == first).then_some(first)
}
