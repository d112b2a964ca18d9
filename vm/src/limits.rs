//! What one evaluation may spend, and what is left of it.
//!
//! An exhausted budget stays exhausted until it is refilled: no operator can
//! swallow it, because whoever runs the evaluation asks the budget at the end.

use std::cell::Cell;

/// What one evaluation may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Units of work: instructions in loops, elements and bytes that functions make.
    pub fuel: u64,
    /// Bytes of values.
    pub arena_bytes: usize,
    /// Nesting of values (a list in a list is 2).
    pub value_depth: u16,
    /// Decimal digits of a number turned into text.
    pub digits: u32,
    /// Bytes of one text.
    pub text_bytes: usize,
}

impl Limits {
    /// For texts of unknown origin; the default.
    pub const UNTRUSTED: Self = Self {
        fuel: 10_000_000,
        arena_bytes: 64 << 20,
        value_depth: 1_000,
        digits: 100_000,
        text_bytes: 16 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::UNTRUSTED
    }
}

/// The limit that stopped an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exhausted {
    /// [`Limits::fuel`]
    Fuel,
    /// [`Limits::arena_bytes`]
    Memory,
    /// [`Limits::value_depth`]
    Depth,
    /// [`Limits::digits`]
    Digits,
    /// [`Limits::text_bytes`]
    Text,
}

/// What is left of the [`Limits`] of one evaluation.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    fuel: Cell<u64>,
    exhausted: Cell<Option<Exhausted>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Budget {
    /// A full budget.
    pub const fn new(limits: Limits) -> Self {
        Self { limits, fuel: Cell::new(limits.fuel), exhausted: Cell::new(None) }
    }

    /// The limits it started from.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Units of fuel left.
    pub const fn fuel(&self) -> u64 {
        self.fuel.get()
    }

    /// Spends `units`; false when the budget is exhausted, now or before.
    #[inline]
    pub fn charge(&self, units: u64) -> bool {
        if let Some(left) = self.fuel.get().checked_sub(units) {
            self.fuel.set(left);
            self.exhausted.get().is_none()
        } else {
            self.exhaust(Exhausted::Fuel);
            false
        }
    }

    /// Marks the budget as exhausted by `what`; the first reason is kept.
    pub fn exhaust(&self, what: Exhausted) {
        if self.exhausted.get().is_none() {
            self.exhausted.set(Some(what));
        }
        self.fuel.set(0);
    }

    /// The limit that was exceeded, if one was.
    pub const fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted.get()
    }

    /// What is left now, to come back to with [`Budget::restore`].
    pub(crate) const fn mark(&self) -> u64 {
        self.fuel.get()
    }

    /// Takes back what was spent since `mark`, because the work is done again by other means.
    pub(crate) fn restore(&self, mark: u64) {
        self.fuel.set(mark);
        self.exhausted.set(None);
    }

    /// Full again.
    pub fn refill(&mut self) {
        self.fuel.set(self.limits.fuel);
        self.exhausted.set(None);
    }
}
