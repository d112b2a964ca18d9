//! The start of a run of the fast tier: chooses the loop that is compiled for the program's register file and
//! initializes its registers. [`dispatch`](super::dispatch) is the loop itself.

use std::mem::ManuallyDrop;

use super::dispatch::run_loop;
use super::machine::FastMachine;
use super::registers::{first_values, load};
use crate::code::fast::{Entry, Fast};
use crate::memory::arena::Arena;
use crate::value::{TextBuffer, Value};

/// Runs a program with one result, in the loop for its [`Entry`]; `None` if it falls back to the baseline
/// tier. The caller checks whether a limit was exceeded.
///
/// Inlined into both callers: a table of the loops' addresses is indexed with the entry, so that the
/// choice costs an instruction more than a call through a pointer.
#[inline(always)]
pub(super) fn enter<'a>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    let run = match fast.entry {
        Entry::None => run_nothing,
        Entry::Borrowed8 => run_in_place::<8>,
        Entry::Borrowed16 => run_in_place::<16>,
        Entry::Owned8 => run_alone::<8, true>,
        Entry::Owned16 => run_alone::<16, true>,
        Entry::Owned32 => run_alone::<32, true>,
        Entry::Owned64 => run_alone::<64, false>,
        Entry::Owned256 => run_alone::<256, false>,
    };
    run(fast, values, arena, text)
}

/// Falls back, for a program without fast code.
fn run_nothing<'a>(_: &'a Fast, _: &[Value<'a>], _: &'a Arena, _: &mut TextBuffer) -> Option<Value<'a>> {
    None
}

/// Runs a program with one result. The loop is part of this function, so that a short program costs one
/// call. Never inlined: there is one copy for each size of register file, behind the table.
#[inline(never)]
fn run_alone<'a, const N: usize, const SCALED: bool>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    let mut registers = first_values::<N, SCALED>(values);
    load::<N, SCALED>(fast, values, &mut registers)?;
    let mut machine = ManuallyDrop::new(FastMachine::new(fast, arena, text));
    run_loop::<N, SCALED, _>(&mut machine, &mut registers, 0, None)
}

/// Runs a program that only reads the scope's first values: it needs no registers of its own, hence no
/// copy. Never inlined, as [`run_alone`].
#[inline(never)]
fn run_in_place<'a, const N: usize>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    let Some(mut values) = values.first_chunk::<N>() else {
        return run_alone::<16, true>(fast, values, arena, text);
    };
    let mut machine = ManuallyDrop::new(FastMachine::new(fast, arena, text));
    run_loop::<N, true, _>(&mut machine, &mut values, 0, None)
}

/// The results of a rule set that are still to be written, in order.
pub(super) type Results<'r, 'a> = std::slice::IterMut<'r, Value<'a>>;

/// Runs a rule set from an instruction on, until its end or until it falls back. Results are written to
/// `values` from position `next` on, which is updated. Never inlined: it holds two copies of the loop.
#[inline(never)]
pub(in crate::exec) fn run_rules<'a>(
    machine: &mut FastMachine<'_, 'a>,
    values: &mut [Value<'a>],
    from: usize,
    next: &mut usize,
) -> Option<()> {
    let ended = if machine.fast.entry.is_scaled() {
        run_stream::<32, true>(machine, values, from, next)
    } else {
        run_stream::<256, false>(machine, values, from, next)
    };
    machine.forget_open();
    ended
}

/// Runs a rule set in registers of one size. Inlined, so that the loop is part of [`run_rules`].
#[inline(always)]
fn run_stream<'a, const N: usize, const SCALED: bool>(
    machine: &mut FastMachine<'_, 'a>,
    values: &mut [Value<'a>],
    from: usize,
    next: &mut usize,
) -> Option<()> {
    let mut registers = first_values::<N, SCALED>(values);
    load::<N, SCALED>(machine.fast, values, &mut registers)?;
    let count = values.len();
    // A local copy stays in machine registers while the rules run.
    let mut rest = values.get_mut(*next..)?.iter_mut();
    let ended = run_loop::<N, SCALED, _>(machine, &mut registers, from, Some(&mut rest));
    *next = count - rest.len();
    ended.map(drop)
}
