//! Registers of the hot loop: a copy of the first values with room for others, or the values themselves.

use crate::code::fast::Fast;
use crate::value::Value;

/// Registers with the first values, where instructions name them by place.
#[inline(always)]
pub(super) fn first_values<'a, const N: usize, const SCALED: bool>(values: &[Value<'a>]) -> [Value<'a>; N] {
    match values.first_chunk::<N>() {
        Some(first) if SCALED => *first,
        _ => [Value::NULL; N],
    }
}

/// Loads the slots which are read, unless they are where they belong.
#[inline(always)]
pub(super) fn load<'a, const N: usize, const SCALED: bool>(
    fast: &Fast,
    values: &[Value<'a>],
    registers: &mut [Value<'a>; N],
) -> Option<()> {
    let in_place = SCALED && fast.in_place && values.len() >= N;
    if in_place { Some(()) } else { load_each(fast, values, registers) }
}

/// Where the values are that instructions read and write.
pub(super) trait Registers<'a, const N: usize> {
    fn all(&self) -> &[Value<'a>; N];

    /// `None` when nothing can be written.
    fn all_mut(&mut self) -> Option<&mut [Value<'a>; N]>;
}

/// Registers of the program's own.
impl<'a, const N: usize> Registers<'a, N> for [Value<'a>; N] {
    #[inline(always)]
    fn all(&self) -> &Self {
        self
    }

    #[inline(always)]
    fn all_mut(&mut self) -> Option<&mut Self> {
        Some(self)
    }
}

/// The values themselves.
impl<'a, const N: usize> Registers<'a, N> for &[Value<'a>; N] {
    #[inline(always)]
    fn all(&self) -> &[Value<'a>; N] {
        self
    }

    #[inline(always)]
    fn all_mut(&mut self) -> Option<&mut [Value<'a>; N]> {
        None
    }
}

/// Loads the slots, one by one.
#[cold]
#[inline(never)]
fn load_each<'a>(fast: &Fast, values: &[Value<'a>], registers: &mut [Value<'a>]) -> Option<()> {
    for (at, slot) in fast.slots.iter().enumerate() {
        let at = if fast.in_place { usize::from(slot.0) } else { at };
        *registers.get_mut(at)? = *values.get(usize::from(slot.0))?;
    }
    Some(())
}
