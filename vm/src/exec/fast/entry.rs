//! The start of a run of the fast tier: chooses the loop that is compiled for the program's register file and
//! initializes its registers. [`dispatch`](super::dispatch) is the loop itself.

use std::mem::ManuallyDrop;

use super::compute::compute;
use super::decide::decide;
use super::dispatch::run_loop;
use super::machine::FastMachine;
use super::registers::{first_values, load};
use crate::code::decision::VARIABLES;
use crate::code::fast::{Entry, Fast};
use crate::memory::arena::Arena;
use crate::value::{FEWEST, TextBuffer, Value};

/// Runs a program with one result, in the loop for its [`Entry`]; `None` if it falls back to the baseline
/// tier or, for a decision, to [`run_instead`]. The caller checks whether a limit was exceeded.
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
        Entry::DecisionBorrowed8 => run_decision::<false>,
        Entry::DecisionOwned8 => run_decision::<true>,
        Entry::ComputationBorrowed8 => run_computation::<false>,
        Entry::ComputationOwned8 => run_computation::<true>,
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

/// Runs a decision, which writes registers if it is `OWNED`; `None` means that [`run_instead`] has to run.
// Never inlined: there is one copy for each entry, behind the table.
#[inline(never)]
fn run_decision<'a, const OWNED: bool>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    let Some(steps) = fast.decision.steps() else {
        return run_first::<OWNED>(fast, values, arena, text);
    };
    match values.first_chunk::<VARIABLES>() {
        Some(first) => decide(fast, steps, first, arena),
        None => run_small_decision(fast, values, arena, text),
    }
}

/// Runs a computation, or the loop if it is none. It writes registers if it is `OWNED`; `None` means that
/// [`run_instead`] has to run.
// Never inlined: there is one copy for each entry, behind the table. It only calls, so that it saves nothing.
#[inline(never)]
fn run_computation<'a, const OWNED: bool>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    if !fast.computation.is_given_up() {
        run_steps(fast, values, arena, text)
    } else if OWNED {
        run_alone::<8, true>(fast, values, arena, text)
    } else {
        run_in_place::<8>(fast, values, arena, text)
    }
}

/// Runs a computation by its steps, if they have been derived.
// Never inlined; see `run_computation`.
#[inline(never)]
fn run_steps<'a>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    match (fast.computation.steps(), values.first_chunk::<VARIABLES>()) {
        (Some(steps), Some(first)) => compute(fast, steps, first),
        (Some(_), None) => run_small_computation(fast, values, arena, text),
        (None, _) => run_instead(fast, values, arena, text),
    }
}

/// Returns the values of a packed scope, if code reads no others. An expansion may have any number of values.
fn packed_values<'v, 'a>(fast: &Fast, values: &'v [Value<'a>]) -> Option<&'v [Value<'a>; FEWEST]> {
    values.try_into().ok().filter(|_| fast.slot_bits >> FEWEST == 0)
}

/// Runs a decision with fewer values than [`VARIABLES`].
// Never inlined: it contains a copy of the loop. It has the caller's parameters, so that the call is a jump.
#[inline(never)]
fn run_small_decision<'a>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    match packed_values(fast, values) {
        Some(all) => decide(fast, fast.decision.steps()?, all, arena),
        None => run_alone::<8, true>(fast, values, arena, text),
    }
}

/// Runs a computation with fewer values than [`VARIABLES`].
// Never inlined; see `run_small_decision`.
#[inline(never)]
fn run_small_computation<'a>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    match packed_values(fast, values) {
        Some(all) => compute(fast, fast.computation.steps()?, all),
        None => run_alone::<8, true>(fast, values, arena, text),
    }
}

/// Runs a decision that has not been derived yet, or code that has turned out to be none.
// Never inlined: the call is the last thing that `run_decision` does, so that it saves nothing around it.
#[inline(never)]
fn run_first<'a, const OWNED: bool>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    if !fast.decision.is_given_up() {
        fast.decision.note_run(fast);
    }
    if OWNED {
        run_alone::<8, true>(fast, values, arena, text)
    } else {
        run_in_place::<8>(fast, values, arena, text)
    }
}

/// Runs a program in the loop whose decision or computation did not end well, or has not been derived.
// Cold: they are about plain values.
#[cold]
#[inline(never)]
pub(super) fn run_instead<'a>(
    fast: &'a Fast,
    values: &[Value<'a>],
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    if fast.entry.may_be_computation() {
        fast.computation.note_run(fast);
    }
    run_alone::<8, true>(fast, values, arena, text)
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
