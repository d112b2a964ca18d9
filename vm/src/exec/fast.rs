//! The fast tier: code for plain values, without faults, marks and unknowns. A run returns the value that
//! the [`baseline`](super::baseline) tier would return, or `None`: it falls back, and the caller runs the
//! baseline tier.

mod decide;
#[cfg(test)]
mod decisions;
mod dispatch;
mod entry;
mod inline;
mod intervals;
mod loops;
mod machine;
mod map;
mod registers;
mod slow;
#[cfg(test)]
mod superinstructions;

use super::Frame;
use crate::code::fast::Fast;
use crate::memory::arena::Arena;
use crate::value::{TextBuffer, Value};
pub(super) use entry::run_rules;
use entry::{enter, run_instead};
pub(super) use machine::FastMachine;

/// Runs fast code in an arena of its own. Returns `None` if it falls back, after which the caller resets
/// the arena. A run that ends well leaves the budget full: straight-line code is not charged. Templates
/// grow in `text`.
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
    let mut value = enter(fast, frame.values(), arena, text);
    if value.is_none() && fast.entry.is_decision() {
        arena.budget().refill();
        value = run_instead(fast, frame.values(), arena, text);
    }
    value.filter(|_| arena.budget().ends_well())
}

/// Like [`run_fast`], but restores the budget if it falls back, so that the baseline tier can run in the
/// same arena.
pub fn try_fast<'a>(fast: &'a Fast, frame: Frame<'_, 'a>, arena: &'a Arena) -> Option<Value<'a>> {
    let before = arena.budget().mark();
    // Charges the length of the code, which bounds the cost of straight-line code.
    let value = if arena.charge(fast.ops.len() as u64) && frame.is_plain(fast) {
        let mut text = arena.take_scratch();
        let charged = arena.budget().mark();
        let mut value = enter(fast, frame.values(), arena, &mut text);
        if value.is_none() && fast.entry.is_decision() {
            arena.budget().restore(charged);
            value = run_instead(fast, frame.values(), arena, &mut text);
        }
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
