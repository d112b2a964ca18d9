//! The fast tier: code for plain values, without faults, marks and unknowns. A run returns the value that
//! the [`baseline`](super::baseline) tier would return, or `None`: it falls back, and the caller runs the
//! baseline tier.

mod attribute;
mod dispatch;
mod entry;
mod inline;
mod intervals;
mod loops;
mod machine;
mod map;
mod marked;
mod registers;
mod slow;
mod stop;
#[cfg(test)]
mod superinstructions;

use super::Frame;
use super::readable::is_readable;
use crate::code::fast::Fast;
use crate::memory::arena::Arena;
use crate::memory::limits::Budget;
use crate::value::{TextBuffer, Value};
use entry::enter;
pub(super) use entry::run_rules;
pub(super) use machine::FastMachine;

/// Runs fast code in an arena of its own, which has no interrupt. Returns `None` if it falls back, after which the
/// caller resets the arena. A run that ends well leaves the budget full: straight-line code is not charged. Templates
/// grow in `text`.
///
/// `frame` returns the values. Another attempt calls it again, so that they need not be kept during the first one.
#[inline]
pub fn run_fast<'v, 'a: 'v>(
    fast: &'a Fast,
    frame: impl Fn() -> Frame<'v, 'a>,
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    let value = run_attempts(fast, frame, arena, text)?;
    arena.budget().ends_well().then_some(value)
}

/// Like [`run_fast`], for an arena with an interrupt, which is queried at the end.
pub fn run_watched<'v, 'a: 'v>(
    fast: &'a Fast,
    frame: impl Fn() -> Frame<'v, 'a>,
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    let value = run_attempts(fast, frame, arena, text)?;
    arena.budget().poll().then_some(value)
}

/// Runs fast code, and again in the other ways that there are.
// Inlined into its two callers: the first attempt is the start of nearly every run.
#[inline(always)]
fn run_attempts<'v, 'a: 'v>(
    fast: &'a Fast,
    frame: impl Fn() -> Frame<'v, 'a>,
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    let first = frame();
    let attempt = if is_readable(fast, first) { enter(fast, first.values(), arena, text) } else { None };
    attempt.or_else(|| run_again(fast, frame, arena, text, |budget| budget.refill()))
}

/// Like [`run_fast`], but restores the budget if it falls back, so that the baseline tier can run in the
/// same arena, and queries the interrupt at the end.
pub fn try_fast<'a>(fast: &'a Fast, frame: Frame<'_, 'a>, arena: &'a Arena) -> Option<Value<'a>> {
    let before = arena.budget().mark();
    // Charges the length of the code, which bounds the cost of straight-line code.
    let value = if arena.charge(fast.ops.len() as u64) {
        let mut text = arena.take_scratch();
        let charged = arena.budget().mark();
        let mut value =
            if is_readable(fast, frame) { enter(fast, frame.values(), arena, &mut text) } else { None };
        if value.is_none() {
            let restart = |budget: &Budget| budget.restore(charged);
            value = run_again(fast, move || frame, arena, &mut text, restart);
        }
        arena.keep_scratch(text);
        value.filter(|_| arena.budget().poll())
    } else {
        None
    };
    if value.is_none() {
        arena.budget().restore(before);
        arena.forgive();
    }
    value
}

/// Runs code again that a first run did not get through: without the marks of its values, or, if it was expected to
/// read marks, as if there were none. `restart` gives back what the run before has spent.
// Cold: most values are plain.
#[cold]
#[inline(never)]
fn run_again<'v, 'a: 'v>(
    fast: &'a Fast,
    frame: impl Fn() -> Frame<'v, 'a>,
    arena: &'a Arena,
    text: &mut TextBuffer,
    restart: impl Fn(&Budget),
) -> Option<Value<'a>> {
    if arena.budget().exhausted().is_some() {
        return None;
    }
    let frame = frame();
    if marked::is_eligible(fast, frame) {
        restart(arena.budget());
        let value = marked::run(fast, frame, arena, text);
        if value.is_some() {
            return value;
        }
    }
    // The first run took for granted that it would read a mark.
    if !fast.reads_marks() {
        return None;
    }
    fast.note_marks(false);
    if !is_readable(fast, frame) {
        return None;
    }
    restart(arena.budget());
    enter(fast, frame.values(), arena, text)
}
