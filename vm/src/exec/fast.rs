//! The fast tier: code for plain values, without faults, marks and unknowns. A run returns the value that
//! the [`baseline`](super::baseline) tier would return, or `None`: it falls back, and the caller runs the
//! baseline tier.

mod dispatch;
mod entry;
mod inline;
mod loops;
mod machine;
mod registers;
mod slow;
#[cfg(test)]
mod superinstructions;

use super::Frame;
use crate::code::fast::Fast;
use crate::memory::arena::Arena;
use crate::value::{TextBuffer, Value};
use entry::enter;
pub(super) use entry::run_rules;
pub(super) use machine::FastMachine;

/// The value that a fast body gives in an arena that it has for itself; `None` when it bails out,
/// after which the arena is to be reset. A run that ends well leaves the budget full. Straight-line
/// code costs nothing here. Templates grow in `text`.
#[inline]
pub fn run_fast<'a>(
    fast: &'a Fast,
    frame: Frame<'_, 'a>,
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    if !frame.is_plain(fast) {
        return None;
    }
    enter(fast, frame.values(), arena, text).filter(|_| arena.budget().ends_well())
}

/// Like [`run_fast`], but the full body may do everything again in the same arena, with what the
/// fast one was given.
pub fn try_fast<'a>(fast: &'a Fast, frame: Frame<'_, 'a>, arena: &'a Arena) -> Option<Value<'a>> {
    let before = arena.budget().mark();
    // A call charges for what straight-line code is bounded by.
    let value = if arena.charge(fast.ops.len() as u64) && frame.is_plain(fast) {
        let mut text = arena.take_scratch();
        let value = enter(fast, frame.values(), arena, &mut text);
        arena.keep_scratch(text);
        value.filter(|_| arena.budget().exhausted().is_none())
    } else {
        None
    };
    if value.is_none() {
        arena.budget().restore(before);
        arena.forgive();
    }
    value
}
