//! Limits of an evaluation, and the budget that keeps track of what is left of them.
//!
//! Invariant: an exhausted budget stays exhausted until it is refilled. No operator can hide that,
//! because the caller of the evaluation checks the budget at the end.
//!
//! Fuel is handed out in slices. An [`Interrupt`], which can end an evaluation from outside, is queried
//! between two slices, so that spending fuel is one subtraction, before a function whose time no fuel bounds, and at
//! the end: a result that comes too late is an error.
//!
//! ```text
//! reserve ──slice──▶ fuel ──charge──▶ spent
//!            ╰ queries the interrupt
//! ```

use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Arc;

/// The limits of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Units of work: instructions in loops, elements and bytes that functions produce.
    pub fuel: u64,
    /// Bytes of memory for values.
    pub arena_bytes: usize,
    /// Nesting depth of values; a list in a list has depth 2.
    pub value_depth: u16,
    /// Decimal digits of a number that is converted to text.
    pub digits: u32,
    /// Bytes of one string.
    pub text_bytes: usize,
    /// Faults that are reported; further ones are only counted.
    pub faults: usize,
    /// Nesting depth of calls of functions that are defined in HCL.
    pub call_depth: u16,
}

impl Limits {
    /// Limits for configurations of unknown origin; the default.
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
    /// The deadline that the host set; see [`Interrupt`].
    Time,
    /// Not a limit: the host cancelled the evaluation; see [`Interrupt`].
    Cancelled,
    /// [`Limits::call_depth`]
    Calls,
}

/// A condition outside of the machine that ends an evaluation, such as a deadline or a flag. The machine
/// itself does not read the clock.
pub trait Interrupt: Debug + Send + Sync {
    /// Returns the reason why the evaluation has to end, or `None` if it may continue.
    fn ended(&self) -> Option<Exhausted>;
}

/// Units of fuel between two queries of the interrupt. A query may read a clock, which costs more than many
/// units of work.
const SLICE: u64 = 1_000;

/// What is left of the [`Limits`] during one evaluation.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    /// The initial value of `fuel`: 0 if there is an interrupt, so that it is queried first.
    full: u64,
    /// Units that may be spent before the interrupt is queried.
    fuel: Cell<u64>,
    /// Units that are left after those.
    reserve: Cell<u64>,
    /// The value of `fuel` if and only if nothing was spent and no limit exceeded; a value that `fuel`
    /// never has if there is an interrupt.
    untouched: u64,
    interrupt: Option<Arc<dyn Interrupt>>,
    exhausted: Cell<Option<Exhausted>>,
    /// The number of open calls.
    calls: Cell<u16>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Budget {
    /// Creates a full budget.
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

    /// Registers the interrupt that may end evaluations from now on.
    pub fn set_interrupt(&mut self, interrupt: Option<Arc<dyn Interrupt>>) {
        self.full = if interrupt.is_some() { 0 } else { self.limits.fuel };
        self.untouched = untouched(&self.limits, interrupt.is_some());
        self.interrupt = interrupt;
        self.fill();
    }

    /// Returns the registered interrupt.
    pub const fn interrupt(&self) -> Option<&Arc<dyn Interrupt>> {
        self.interrupt.as_ref()
    }

    /// Returns the limits.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the units of fuel that were spent since the last refill.
    pub const fn spent(&self) -> u64 {
        self.limits.fuel.saturating_sub(self.fuel())
    }

    /// Returns the units of fuel that are left.
    pub const fn fuel(&self) -> u64 {
        self.fuel.get() + self.reserve.get()
    }

    /// Spends `units`. Returns false if the budget is exhausted, by this charge or before. (A charge of 0
    /// does not notice that it was exhausted before.)
    #[inline]
    pub fn charge(&self, units: u64) -> bool {
        // An exhausted budget has no fuel left.
        if let Some(left) = self.fuel.get().checked_sub(units) {
            self.fuel.set(left);
            true
        } else {
            self.charge_next_slice(units)
        }
    }

    /// Spends more than is left of the slice. Cold: without an interrupt a slice is all of the fuel.
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

    /// Sets the fuel left to `units`, at most a slice of it without a query.
    fn give(&self, units: u64) {
        let slice = if self.interrupt.is_some() { units.min(SLICE) } else { units };
        self.fuel.set(slice);
        self.reserve.set(units - slice);
    }

    /// Marks the budget as exhausted. The first reason is kept.
    pub fn exhaust(&self, what: Exhausted) {
        if self.exhausted.get().is_none() {
            self.exhausted.set(Some(what));
        }
        self.fuel.set(0);
        self.reserve.set(0);
    }

    /// Returns the limit that was exceeded, if any.
    pub const fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted.get()
    }

    /// Runs `inside` one level of calls deeper. Returns `None`, and exhausts the budget, if the limit is
    /// reached.
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

    /// Returns the fuel left, for [`Budget::restore`].
    pub(crate) const fn mark(&self) -> u64 {
        self.fuel()
    }

    /// Gives back the fuel spent since `mark`: the run fell back to the baseline tier, which spends it
    /// again.
    pub(crate) fn restore(&self, mark: u64) {
        let at_hand = mark.min(self.full);
        self.fuel.set(at_hand);
        self.reserve.set(mark - at_hand);
        self.exhausted.set(None);
    }

    /// Refills the budget. It may be exhausted at once, by the interrupt.
    #[inline]
    pub fn refill(&self) {
        self.fill();
        if self.interrupt.is_some() {
            self.look();
        }
    }

    /// Returns true if no limit was exceeded, and refills the fuel. For runs without an interrupt, whose fuel
    /// is one slice.
    ///
    /// Inlined into the end of every run, where it is a load and a compare.
    #[inline(always)]
    pub(crate) fn ends_well(&self) -> bool {
        debug_assert!(self.interrupt.is_none(), "the interrupt is queried at the end of a run");
        // Most evaluations spend nothing.
        if self.fuel.get() == self.untouched {
            return true;
        }
        if self.exhausted.get().is_some() {
            return self.ends_badly();
        }
        self.fuel.set(self.full);
        true
    }

    /// Refills the fuel after a limit was exceeded.
    // Cold: so that the result of a run is tested by a branch, and not selected and then tested again.
    #[cold]
    #[inline(never)]
    fn ends_badly(&self) -> bool {
        self.fuel.set(self.full);
        false
    }

    fn fill(&self) {
        self.fuel.set(self.full);
        self.reserve.set(self.limits.fuel - self.full);
        self.exhausted.set(None);
    }

    /// Queries the interrupt, if there is one. Returns true if no limit was exceeded.
    #[inline]
    pub fn poll(&self) -> bool {
        if self.interrupt.is_some() {
            self.look();
        }
        self.exhausted.get().is_none()
    }

    /// Queries the interrupt. Cold: it happens once per slice.
    #[cold]
    #[inline(never)]
    fn look(&self) {
        if let Some(reason) = self.interrupt.as_ref().and_then(|interrupt| interrupt.ended()) {
            self.exhaust(reason);
        }
    }
}

/// An open call. Dropping it closes the call, also when a function of the host panics.
struct OpenCall<'b>(&'b Cell<u16>);

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

/// Computes [`Budget::untouched`]: an exhausted budget has no fuel, and one with an interrupt starts with
/// none and never holds more than a slice.
const fn untouched(limits: &Limits, interruptible: bool) -> u64 {
    if interruptible || limits.fuel == 0 { u64::MAX } else { limits.fuel }
}
