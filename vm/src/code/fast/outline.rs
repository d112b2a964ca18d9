//! What is known about code that runs with values that contain marks: it is found in the first of these runs.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::{Fast, FastOp};
use crate::code::facts::Flow;

/// The facts about some code.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    facts: AtomicU8,
    /// The instructions to which others jump, of the first 64.
    targets: AtomicU64,
    /// A set of slots of which the code reads only parts that it names; empty if none is known.
    named: AtomicU64,
}

/// The facts are known.
const KNOWN: u8 = 1;
/// See [`Fast::is_straight`].
const STRAIGHT: u8 = 2;
/// See [`Fast::is_whole`].
const WHOLE: u8 = 4;
/// See [`Fast::reads_marks`].
const READS_MARKS: u8 = 8;
/// See [`Fast::iterates`].
const ITERATES: u8 = 16;

impl Fast {
    /// Returns true if every part of the expression is evaluated, those of loops for each element, and each does with
    /// an unknown or a marked primitive what the baseline tier does, or falls back. Then no operand is skipped whose marks the
    /// result would have, and no function is called, whose shortcuts do not look for marks.
    pub(crate) fn is_straight(&self) -> bool {
        self.facts() & STRAIGHT != 0
    }

    /// Returns true if every part of the expression has code, and no fault in it is handled.
    pub(crate) fn is_whole(&self) -> bool {
        self.facts() & WHOLE != 0
    }

    /// Returns true if an instruction iterates over a collection.
    pub(crate) fn iterates(&self) -> bool {
        self.facts() & ITERATES != 0
    }

    /// Returns the instructions to which others jump, of the first 64, as a set of bits.
    pub(crate) fn targets(&self) -> u64 {
        self.facts();
        self.outline.targets.load(Ordering::Relaxed)
    }

    /// Returns true if the last run whose variables contained marks read one of them: the next one probably will.
    pub(crate) fn reads_marks(&self) -> bool {
        self.outline.facts.load(Ordering::Relaxed) & READS_MARKS != 0
    }

    /// Notes if a run read a mark.
    pub(crate) fn note_marks(&self, read: bool) {
        let facts = &self.outline.facts;
        if read && !self.reads_marks() {
            facts.fetch_or(READS_MARKS, Ordering::Relaxed);
        } else if !read && self.reads_marks() {
            facts.fetch_and(!READS_MARKS, Ordering::Relaxed);
        }
    }

    /// Returns true if the code reads only parts that it names of the slots with marks, which are `marked` unless that is
    /// empty. `find` finds it out, which depends on nothing else.
    pub(crate) fn names_what_it_reads_of(&self, marked: u64, find: impl FnOnce() -> bool) -> bool {
        let named = &self.outline.named;
        if marked != 0 && named.load(Ordering::Relaxed) == marked {
            return true;
        }
        let found = find();
        if found && marked != 0 {
            named.store(marked, Ordering::Relaxed);
        }
        found
    }

    fn facts(&self) -> u8 {
        match self.outline.facts.load(Ordering::Acquire) {
            facts if facts & KNOWN != 0 => facts,
            _ => self.find_facts(),
        }
    }

    // Cold: once for some code.
    #[cold]
    fn find_facts(&self) -> u8 {
        let mut targets = 0_u64;
        self.each_target(|to| targets |= 1_u64.checked_shl(u32::from(to.0)).unwrap_or_default());
        let mut facts = KNOWN;
        facts |= if self.ops.iter().any(|op| op.facts().iterates) { ITERATES } else { 0 };
        if !self.omits && self.handlers.is_empty() {
            facts |= if self.ops.iter().all(|op| op.facts().straight) { STRAIGHT } else { 0 };
            facts |= if self.may_trap() { 0 } else { WHOLE };
        }
        self.outline.targets.store(targets, Ordering::Relaxed);
        self.outline.facts.fetch_or(facts, Ordering::Release) | facts
    }

    /// Returns true if a part of the code may have a fault that was known when it was compiled, and is left out: a trap
    /// that is not behind a return, where nothing reaches it.
    fn may_trap(&self) -> bool {
        let is_target = |at: usize| {
            let mut targeted = false;
            self.each_target(|to| targeted |= usize::from(to.0) == at);
            targeted
        };
        self.ops.iter().enumerate().any(|(at, op)| {
            matches!(op, FastOp::Trap {})
                && (!at.checked_sub(1).is_some_and(|before| self.ops[before].facts().flow == Flow::Returns)
                    || is_target(at))
        })
    }
}
