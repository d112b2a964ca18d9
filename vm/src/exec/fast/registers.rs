//! Registers of the fast tier's loop: a copy of the scope's first values with room for temporaries, or the
//! values themselves. A program's code determines which; see
//! [`Entry`](crate::code::fast::Entry).

use crate::code::fast::Fast;
use crate::value::{FEWEST, Value};

/// Sets up registers. With scaled operands they begin as a copy of the scope's first values, of which small
/// scopes have 8 or 16. Packed ones may have 4, which only the smallest file copies: the test would cost the
/// others more than loading slots one by one costs packed scopes.
///
/// Inlined, so that the copy is built in the registers' own place on the stack.
#[inline(always)]
pub(super) fn first_values<'a, const N: usize, const SCALED: bool>(values: &[Value<'a>]) -> [Value<'a>; N] {
    if !SCALED {
        return [Value::NULL; N];
    }
    match (values.first_chunk::<N>(), values.len()) {
        (Some(first), _) => *first,
        (None, 8) => copy_of::<8, N>(values),
        (None, FEWEST) if N == 8 => copy_of::<FEWEST, N>(values),
        (None, 16) => copy_of::<16, N>(values),
        _ => [Value::NULL; N],
    }
}

/// Returns a copy of the first values in front of nulls. Inlined for the constant sizes.
#[inline(always)]
fn copy_of<'a, const FIRST: usize, const N: usize>(values: &[Value<'a>]) -> [Value<'a>; N] {
    match values.first_chunk::<FIRST>() {
        Some(first) => std::array::from_fn(|at| if at < FIRST { first[at % FIRST] } else { Value::NULL }),
        None => [Value::NULL; N],
    }
}

/// Loads the slots that are read, unless the copy already has them in their registers.
///
/// Inlined for the check; loading itself is out of line.
#[inline(always)]
pub(super) fn load<'a, const N: usize, const SCALED: bool>(
    fast: &Fast,
    values: &[Value<'a>],
    registers: &mut [Value<'a>; N],
) -> Option<()> {
    // Decided first, and without the other cases, which most scopes are not: four instructions of each run.
    if SCALED && values.len() >= N && fast.in_place {
        return Some(());
    }
    // A scope of fewer values is copied whole, and has all slots that are read.
    let whole = matches!(values.len(), 8 | 16) || N == 8 && values.len() == FEWEST;
    let copied = whole && fast.slot_bits >> (values.len() % 64) == 0;
    if SCALED && fast.in_place && copied { Some(()) } else { load_each(fast, values, registers) }
}

/// The storage of the values that instructions read and write. The methods are inlined: every instruction
/// calls one.
pub(super) trait RegisterFile<'a, const N: usize> {
    /// Returns all registers, to be read.
    fn all(&self) -> &[Value<'a>; N];

    /// Returns all registers, to be written; `None` if they are borrowed.
    fn all_mut(&mut self) -> Option<&mut [Value<'a>; N]>;
}

/// The program owns its registers.
impl<'a, const N: usize> RegisterFile<'a, N> for [Value<'a>; N] {
    // Every instruction calls it.
    #[inline(always)]
    fn all(&self) -> &Self {
        self
    }

    // Every instruction with a result calls it.
    #[inline(always)]
    fn all_mut(&mut self) -> Option<&mut Self> {
        Some(self)
    }
}

/// The registers are the scope's values.
impl<'a, const N: usize> RegisterFile<'a, N> for &[Value<'a>; N] {
    // Every instruction calls it.
    #[inline(always)]
    fn all(&self) -> &[Value<'a>; N] {
        self
    }

    // Every instruction with a result calls it.
    #[inline(always)]
    fn all_mut(&mut self) -> Option<&mut [Value<'a>; N]> {
        None
    }
}

/// Loads the slots one by one. Cold: only programs that read slots beyond the copied ones, or scopes with
/// fewer values, get here.
#[cold]
#[inline(never)]
fn load_each<'a>(fast: &Fast, values: &[Value<'a>], registers: &mut [Value<'a>]) -> Option<()> {
    for (at, slot) in fast.slots.iter().enumerate() {
        let at = if fast.in_place { usize::from(slot.0) } else { at };
        *registers.get_mut(at)? = *values.get(usize::from(slot.0))?;
    }
    Some(())
}
