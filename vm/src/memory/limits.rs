//! What one evaluation may spend, and what is left of it.
//!
//! An exhausted budget stays exhausted until it is refilled: no operator can
//! swallow it, because whoever runs the evaluation asks the budget at the end.
//!
//! Fuel is handed out in slices. What may end an evaluation from outside, a [`Interrupt`], is asked
//! between two slices, so that spending stays one subtraction.
//!
//! ```text
//! reserve ──slice──▶ fuel ──charge──▶ spent
//!            ╰ asks the interrupt
//! ```

use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Arc;

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
    /// Faults that are explained; the others are counted.
    pub faults: usize,
    /// Functions defined in HCL that are called inside of each other.
    pub call_depth: u16,
}

impl Limits {
    /// For texts of unknown origin; the default.
    pub const UNTRUSTED: Self = Self {
        fuel: 10_000_000,
        arena_bytes: 64 << 20,
        value_depth: 1_000,
        digits: 100_000,
        text_bytes: 16 << 20,
        faults: 100,
        call_depth: 64,
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
    /// The time that the host gave, see [`Interrupt`].
    Time,
    /// Not a limit: the host stopped the evaluation, see [`Interrupt`].
    Cancelled,
    /// [`Limits::call_depth`]
    Calls,
}

/// What may end an evaluation from outside: a deadline, a flag. The machine itself reads no clock.
pub trait Interrupt: Debug + Send + Sync {
    /// Why the evaluation has to end, if it has to.
    fn ended(&self) -> Option<Exhausted>;
}

/// Units of fuel between two looks at the interrupt.
const SLICE: u64 = 1_000;

/// What is left of the [`Limits`] of one evaluation.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    /// What `fuel` begins with: nothing when there is a interrupt, so that it is asked first.
    full: u64,
    /// Units that may be spent before the interrupt is asked.
    fuel: Cell<u64>,
    /// Units after those.
    reserve: Cell<u64>,
    /// What `fuel` is as long as nothing was spent and no limit exceeded, and never otherwise; with
    /// a interrupt it is never that.
    untouched: u64,
    interrupt: Option<Arc<dyn Interrupt>>,
    exhausted: Cell<Option<Exhausted>>,
    /// Calls that are open.
    calls: Cell<u16>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Budget {
    /// A full budget.
    pub const fn new(limits: Limits) -> Self {
        Self {
            limits,
            full: limits.fuel,
            fuel: Cell::new(limits.fuel),
            reserve: Cell::new(0),
            untouched: untouched(&limits, false),
            interrupt: None,
            exhausted: Cell::new(None),
            calls: Cell::new(0),
        }
    }

    /// Lets `interrupt` end evaluations from now on.
    pub fn set_interrupt(&mut self, interrupt: Option<Arc<dyn Interrupt>>) {
        self.full = if interrupt.is_some() { 0 } else { self.limits.fuel };
        self.untouched = untouched(&self.limits, interrupt.is_some());
        self.interrupt = interrupt;
        self.fill();
    }

    /// What may end the evaluation from outside.
    pub const fn interrupt(&self) -> Option<&Arc<dyn Interrupt>> {
        self.interrupt.as_ref()
    }

    /// The limits it started from.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Units of fuel left.
    pub const fn fuel(&self) -> u64 {
        self.fuel.get() + self.reserve.get()
    }

    /// Spends `units`; false when the budget is exhausted, now or before. (Only a charge of nothing
    /// does not notice that it was exhausted before.)
    #[inline]
    pub fn charge(&self, units: u64) -> bool {
        // Nothing is left of an exhausted budget.
        if let Some(left) = self.fuel.get().checked_sub(units) {
            self.fuel.set(left);
            true
        } else {
            self.charge_next_slice(units)
        }
    }

    /// Spends more than is left of the slice.
    #[cold]
    #[inline(never)]
    fn charge_next_slice(&self, units: u64) -> bool {
        self.look();
        let Some(left) = self.fuel().checked_sub(units) else {
            self.exhaust(Exhausted::Fuel);
            return false;
        };
        self.give(left);
        self.exhausted.get().is_none()
    }

    /// `units` of fuel, no more than a slice of them at hand.
    fn give(&self, units: u64) {
        let slice = if self.interrupt.is_some() { units.min(SLICE) } else { units };
        self.fuel.set(slice);
        self.reserve.set(units - slice);
    }

    /// Marks the budget as exhausted by `what`; the first reason is kept.
    pub fn exhaust(&self, what: Exhausted) {
        if self.exhausted.get().is_none() {
            self.exhausted.set(Some(what));
        }
        self.fuel.set(0);
        self.reserve.set(0);
    }

    /// The limit that was exceeded, if one was.
    pub const fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted.get()
    }

    /// Lends one level of calls to `inside`; `None` when there is none left, which exhausts the
    /// budget.
    pub fn call<T>(&self, inside: impl FnOnce() -> T) -> Option<T> {
        let open = self.calls.get();
        if open >= self.limits.call_depth {
            self.exhaust(Exhausted::Calls);
            return None;
        }
        self.calls.set(open + 1);
        let _closes = OpenCall(&self.calls);
        Some(inside())
    }

    /// What is left now, to come back to with [`Budget::restore`].
    pub(crate) const fn mark(&self) -> u64 {
        self.fuel()
    }

    /// Takes back what was spent since `mark`, because the work is done again by other means.
    pub(crate) fn restore(&self, mark: u64) {
        let at_hand = mark.min(self.full);
        self.fuel.set(at_hand);
        self.reserve.set(mark - at_hand);
        self.exhausted.set(None);
    }

    /// Full again, unless the interrupt says at once that the evaluation has to end.
    #[inline]
    pub fn refill(&mut self) {
        self.fill();
        if self.interrupt.is_some() {
            self.look();
        }
    }

    /// Whether no limit was exceeded; full again then, unless something watches: without a interrupt
    /// all fuel is at hand, and the reserve stays empty.
    #[inline(always)]
    pub(crate) fn ends_well(&self) -> bool {
        // Most evaluations spend nothing.
        if self.fuel.get() == self.untouched {
            return true;
        }
        self.fuel.set(self.full);
        self.exhausted.get().is_none()
    }

    fn fill(&mut self) {
        self.fuel.set(self.full);
        self.reserve.set(self.limits.fuel - self.full);
        self.exhausted.set(None);
    }

    /// Asks the interrupt.
    #[cold]
    #[inline(never)]
    fn look(&self) {
        if let Some(reason) = self.interrupt.as_ref().and_then(|interrupt| interrupt.ended()) {
            self.exhaust(reason);
        }
    }
}

/// A call that is open until this is dropped, also when a function of the host panics in it.
struct OpenCall<'b>(&'b Cell<u16>);

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

/// See [`Budget::untouched`]: an exhausted budget has no fuel, one with a interrupt begins with none and
/// never has more than a slice at hand.
const fn untouched(limits: &Limits, interruptible: bool) -> u64 {
    if interruptible || limits.fuel == 0 { u64::MAX } else { limits.fuel }
}
