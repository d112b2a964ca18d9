//! Computations: a compact form of fast code that computes with integers and compares them, and returns an integer, a
//! variable, a bool or a constant. Like a [decision](super::decision), it is derived from the instructions after some
//! runs and runs in their place; whatever it does not handle runs in the interpreter's loop, from the beginning.
//!
//! ```text
//! MultiplyInt  r3 = r0 * 3                LoadShift   r1 / 2
//! Shift        r4 = r1 / 2                AddProduct  + r0 * 3
//! Add          r3 = r3 + r4
//! BranchInt    r3 > 2 -> …                CompareInt  < 3  when false -> …
//! ```
//!
//! Integers are computed in one accumulator, without tags: the steps check what they load. Products of a variable and
//! attributes of one are deferred until the instruction that reads them, so that they become operands of its step.
//! Steps may compute in another order than the instructions, because whatever fails starts over; but what is deferred
//! is computed before a jump may skip it, or its faults would be lost.

use std::num::NonZeroU32;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use smallvec::SmallVec;

use super::decision::{GIVEN_UP, MOST_INSTRUCTIONS, Path, RUNS, variable};
use super::fast::{Fast, FastLabel, FastOp, FastReg, Immediate, Scaled, Symbol};
use super::{Comparison, Const};

/// The computation of some code, once it has been derived.
#[derive(Debug, Default)]
pub(crate) struct Computation {
    steps: OnceLock<Box<[Step]>>,
    /// The runs before it was derived, and behind that the runs that had to start over, up to [`GIVEN_UP`]: then the values are
    /// of another kind, or the code is no computation.
    runs: AtomicU8,
}

impl Computation {
    /// Returns the steps if they have been derived.
    // Inlined into the start of each run, where it is a load and a compare.
    #[inline(always)]
    pub(crate) fn steps(&self) -> Option<&[Step]> {
        self.steps.get().map(|steps| &**steps)
    }

    /// Returns true if the steps fail too often.
    // Inlined into the start of each run, where it is a compare.
    #[inline(always)]
    pub(crate) fn is_given_up(&self) -> bool {
        self.runs.load(Ordering::Relaxed) >= GIVEN_UP
    }

    /// Notes a run in the loop, and derives the steps if there were enough.
    // Never inlined: it is part of few runs.
    #[inline(never)]
    pub(crate) fn note_run(&self, fast: &Fast) {
        // Other threads may count at the same time: the sum stays far below what fits.
        if self.is_given_up() || self.runs.fetch_add(1, Ordering::Relaxed) + 1 != RUNS {
            return;
        }
        match steps(fast) {
            Some(steps) => {
                self.steps.get_or_init(|| steps.into_boxed_slice());
            }
            None => self.runs.store(GIVEN_UP, Ordering::Relaxed),
        }
    }

    /// Removes the steps and forgets the runs, for other code.
    pub(crate) fn clear(&mut self) {
        if self.steps().is_some() {
            *self = Self::default();
        }
        *self.runs.get_mut() = 0;
    }
}

/// A step of a computation. A step with `to` jumps there, else the next one follows.
#[derive(Debug)]
pub(crate) enum Step {
    /// Puts the variable, an integer, into the accumulator.
    Load { variable: Scaled },
    /// Puts the integer at the path into the accumulator.
    LoadAttribute { path: Path },
    /// Puts the variable times `i` into the accumulator.
    LoadProduct { variable: Scaled, i: NonZeroU32 },
    /// Puts the variable divided by two to the power of `bits` into the accumulator.
    LoadShift { variable: Scaled, bits: u8 },
    /// Adds the variable to the accumulator.
    Add { variable: Scaled },
    /// Adds the integer at the path.
    AddAttribute { path: Path },
    /// Adds the variable times `i`.
    AddProduct { variable: Scaled, i: NonZeroU32 },
    /// Adds `i`.
    AddInt { i: i32 },
    /// Subtracts the variable.
    Subtract { variable: Scaled },
    /// Subtracts the integer at the path.
    SubtractAttribute { path: Path },
    /// Subtracts the variable times `i`.
    SubtractProduct { variable: Scaled, i: NonZeroU32 },
    /// Multiplies by the variable.
    Multiply { variable: Scaled },
    /// Multiplies by the integer at the path.
    MultiplyAttribute { path: Path },
    /// Multiplies by `i`.
    MultiplyInt { i: NonZeroU32 },
    /// Divides by two to the power of `bits`.
    Shift { bits: u8 },
    /// Replaces the accumulator by the rest of its division by `i`.
    ModuloInt { i: NonZeroU32 },
    /// Jumps if the accumulator is less than `i`, or is not, as `when` says.
    CompareInt { when: bool, to: u16, i: i32 },
    /// Jumps if the accumulator op the variable.
    CompareVariable { op: Comparison, to: u16, variable: Scaled },
    /// Jumps if the accumulator op the integer at the path.
    CompareAttribute { op: Comparison, to: u16, path: Path },
    /// Jumps if the variable, a bool, is `when`.
    Variable { variable: Scaled, when: bool, to: u16 },
    /// Jumps.
    Jump { to: u16 },
    /// Returns the accumulator.
    ReturnInteger,
    /// Returns the bool.
    ReturnBool { truth: bool },
    /// Returns a constant.
    ReturnConstant { k: Const },
    /// Returns a variable.
    ReturnVariable { variable: Scaled },
    /// Returns `a`, the value of a conditional whose other arm is `b`.
    ReturnArm { a: Scaled, b: Scaled },
    /// Leaves the run to the loop.
    StartOver,
}

impl Step {
    fn target_mut(&mut self) -> Option<&mut u16> {
        match self {
            Self::CompareInt { to, .. }
            | Self::CompareVariable { to, .. }
            | Self::CompareAttribute { to, .. }
            | Self::Variable { to, .. }
            | Self::Jump { to } => Some(to),
            _ => None,
        }
    }
}

const _: () = assert!(size_of::<Step>() <= 16);

/// The steps of a computation while it is derived.
type List = SmallVec<[Step; 16]>;

/// Returns true if code may be a computation. Its steps are derived later: most programs run too seldom to make up for
/// that.
pub(super) fn may_be_one(fast: &Fast) -> bool {
    let mut any = false;
    let all = fast.ops.iter().all(|op| {
        let computes = computes(op);
        any |= computes;
        computes || may_be_between(op)
    });
    all && any
}

/// Derives the computation that code is; `None` if it is not one.
fn steps(fast: &Fast) -> Option<List> {
    if fast.ops.len() > MOST_INSTRUCTIONS || !fast.in_place || !fast.handlers.is_empty() {
        return None;
    }
    let mut targets = 0_u32;
    fast.each_target(|to| targets |= 1_u32.checked_shl(u32::from(to.0)).unwrap_or_default());
    // The step that each instruction becomes.
    let mut places = [0; MOST_INSTRUCTIONS];
    let mut derivation = Derivation { fast, steps: List::new(), held: None, deferred: SmallVec::new() };
    for (at, op) in fast.ops.iter().enumerate() {
        if targets >> at & 1 != 0 {
            derivation.settle()?;
            derivation.forget();
        }
        *places.get_mut(at)? = u16::try_from(derivation.steps.len()).ok()?;
        derivation.add(op)?;
        if op.written().is_none() {
            derivation.settle()?;
        }
    }
    let mut steps = derivation.steps;
    for step in &mut steps {
        if let Some(to) = step.target_mut() {
            *to = *places.get(usize::from(*to))?;
        }
    }
    Some(steps)
}

/// Returns true for the instructions that compute or compare integers.
///
/// A division by anything but a power of two is not one of them: its quotient is rarely an integer.
const fn computes(op: &FastOp<Scaled>) -> bool {
    matches!(
        op,
        FastOp::Add { .. }
            | FastOp::Subtract { .. }
            | FastOp::Multiply { .. }
            | FastOp::AddInt { .. }
            | FastOp::MultiplyInt { .. }
            | FastOp::Shift { .. }
            | FastOp::ModuloInt { .. }
            | FastOp::BranchInt { .. }
            | FastOp::BranchCompare { .. }
    )
}

/// Returns true for the other instructions of computations.
const fn may_be_between(op: &FastOp<Scaled>) -> bool {
    matches!(
        op,
        FastOp::Attribute { .. }
            | FastOp::Branch { .. }
            | FastOp::Jump { .. }
            | FastOp::Trap {}
            | FastOp::Return { .. }
            | FastOp::ReturnArm { .. }
            | FastOp::ReturnBool { .. }
            | FastOp::ReturnConstant { .. }
    )
}

/// Returns a factor or divisor that is positive: then no result is a negative zero.
fn positive(i: Immediate) -> Option<NonZeroU32> {
    u32::try_from(i.0).ok().and_then(NonZeroU32::new)
}

/// An operand of a step.
#[derive(Clone, Copy)]
enum Term {
    Variable(Scaled),
    Attribute(Scaled, Symbol),
    Product(Scaled, NonZeroU32),
}

/// The steps so far, and where integers are.
struct Derivation<'f> {
    fast: &'f Fast,
    steps: List,
    /// The register whose value is in the accumulator.
    held: Option<FastReg>,
    /// What temporaries hold that is not in the accumulator.
    deferred: SmallVec<[Deferred; 2]>,
}

/// What a temporary holds that is the operand of the steps that read it.
struct Deferred {
    register: FastReg,
    term: Term,
    /// True if there is such a step.
    is_read: bool,
}

impl Derivation<'_> {
    /// Adds the steps for an instruction that computes, compares or returns integers; `None` if there are none.
    fn add(&mut self, op: &FastOp<Scaled>) -> Option<()> {
        match op {
            FastOp::Attribute { d, a, symbol, .. } => {
                self.defer(*d, Term::Attribute(variable(self.fast, *a)?, *symbol))?;
            }
            FastOp::MultiplyInt { d, a, i } if let Some(variable) = variable(self.fast, *a) => {
                self.defer(*d, Term::Product(variable, positive(*i)?))?;
            }
            FastOp::MultiplyInt { d, a, i } => {
                self.compute(*d, *a, Step::MultiplyInt { i: positive(*i)? })?;
            }
            FastOp::AddInt { d, a, i } => self.compute(*d, *a, Step::AddInt { i: i.0 })?,
            FastOp::ModuloInt { d, a, i } => {
                self.compute(*d, *a, Step::ModuloInt { i: positive(*i)? })?;
            }
            FastOp::Shift { d, a, bits } if let Some(variable) = variable(self.fast, *a) => {
                self.push(Step::LoadShift { variable, bits: *bits });
                self.held = Some(self.overwritten(*d)?);
            }
            FastOp::Shift { d, a, bits } => self.compute(*d, *a, Step::Shift { bits: *bits })?,
            FastOp::Add { d, a, b } => {
                let (a, b) = if self.holds(*b) { (b, a) } else { (a, b) };
                let step = match self.term(*b)? {
                    Term::Variable(variable) => Step::Add { variable },
                    Term::Attribute(a, symbol) => Step::AddAttribute { path: Path::new(a, symbol) },
                    Term::Product(variable, i) => Step::AddProduct { variable, i },
                };
                self.compute(*d, *a, step)?;
            }
            FastOp::Subtract { d, a, b } => {
                let step = match self.term(*b)? {
                    Term::Variable(variable) => Step::Subtract { variable },
                    Term::Attribute(a, symbol) => Step::SubtractAttribute { path: Path::new(a, symbol) },
                    Term::Product(variable, i) => Step::SubtractProduct { variable, i },
                };
                self.compute(*d, *a, step)?;
            }
            FastOp::Multiply { d, a, b } => {
                let (a, b) = if self.holds(*b) { (b, a) } else { (a, b) };
                let step = match self.term(*b)? {
                    Term::Variable(variable) => Step::Multiply { variable },
                    Term::Attribute(a, symbol) => Step::MultiplyAttribute { path: Path::new(a, symbol) },
                    Term::Product(..) => return None,
                };
                self.compute(*d, *a, step)?;
            }
            FastOp::BranchInt { op, a, to, i } => {
                self.load(*a)?;
                let (when, after) = match op {
                    Comparison::Less => (true, 0),
                    Comparison::LessOrEqual => (true, 1),
                    Comparison::Greater => (false, 1),
                    Comparison::GreaterOrEqual => (false, 0),
                };
                self.push(Step::CompareInt { when, to: to.0, i: i.0.checked_add(after)? });
            }
            FastOp::BranchCompare { op, a, b, to: FastLabel(to) } => {
                let (a, op, b) = if self.holds(*b) { (b, op.mirrored(), a) } else { (a, *op, b) };
                let step = match self.term(*b)? {
                    Term::Variable(variable) => Step::CompareVariable { op, to: *to, variable },
                    Term::Attribute(a, symbol) => {
                        Step::CompareAttribute { op, to: *to, path: Path::new(a, symbol) }
                    }
                    Term::Product(..) => return None,
                };
                self.load(*a)?;
                self.push(step);
            }
            FastOp::Return { a } if let Some(variable) = variable(self.fast, *a) => {
                self.push(Step::ReturnVariable { variable });
            }
            FastOp::Branch { a, when, to } => {
                let variable = variable(self.fast, *a)?;
                self.push(Step::Variable { variable, when: *when, to: to.0 });
            }
            FastOp::Jump { to } => self.push(Step::Jump { to: to.0 }),
            FastOp::Trap {} => self.push(Step::StartOver),
            FastOp::ReturnBool { truth } => self.push(Step::ReturnBool { truth: *truth }),
            FastOp::ReturnConstant { k } => self.push(Step::ReturnConstant { k: *k }),
            FastOp::ReturnArm { a, b, .. } => {
                let (a, b) = (variable(self.fast, *a)?, variable(self.fast, *b)?);
                self.push(Step::ReturnArm { a, b });
            }
            FastOp::Return { a } => {
                // An attribute may be anything.
                if !self.holds(*a) && !matches!(self.term(*a)?, Term::Product(..)) {
                    return None;
                }
                self.load(*a)?;
                self.push(Step::ReturnInteger);
            }
            _ => return None,
        }
        Some(())
    }

    /// Adds a step that computes `d` of `a` in the accumulator.
    fn compute(&mut self, d: Scaled, a: Scaled, step: Step) -> Option<()> {
        self.load(a)?;
        self.push(step);
        self.held = Some(self.overwritten(d)?);
        Some(())
    }

    /// Puts an operand into the accumulator. What was there is lost: a later operand that it was is not found.
    fn load(&mut self, operand: Scaled) -> Option<()> {
        if self.holds(operand) {
            return Some(());
        }
        match self.term(operand)? {
            Term::Variable(variable) => self.push(Step::Load { variable }),
            Term::Attribute(variable, symbol) => {
                self.push(Step::LoadAttribute { path: Path::new(variable, symbol) });
            }
            Term::Product(variable, i) => self.push(Step::LoadProduct { variable, i }),
        }
        self.held = Some(self.fast.register(operand));
        Some(())
    }

    fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn defer(&mut self, d: Scaled, term: Term) -> Option<()> {
        let register = self.overwritten(d)?;
        self.deferred.push(Deferred { register, term, is_read: false });
        Some(())
    }

    /// Returns the register of an operand that is written, of which nothing else is known any more.
    fn overwritten(&mut self, d: Scaled) -> Option<FastReg> {
        let d = self.fast.register(d);
        if self.deferred.iter().any(|deferred| deferred.register == d && !deferred.is_read) {
            return None;
        }
        self.deferred.retain(|deferred| deferred.register != d);
        self.held = self.held.filter(|register| *register != d);
        Some(d)
    }

    /// Returns `None` if something deferred has no step yet.
    fn settle(&self) -> Option<()> {
        self.deferred.iter().all(|deferred| deferred.is_read).then_some(())
    }

    /// Forgets the temporaries: a jump may have come here with others.
    fn forget(&mut self) {
        (self.held, self.deferred) = (None, SmallVec::new());
    }

    fn holds(&self, operand: Scaled) -> bool {
        self.held == Some(self.fast.register(operand))
    }

    /// Returns the operand of the step that will read `operand`.
    fn term(&mut self, operand: Scaled) -> Option<Term> {
        if let Some(variable) = variable(self.fast, operand) {
            return Some(Term::Variable(variable));
        }
        let register = self.fast.register(operand);
        let deferred = self.deferred.iter_mut().find(|deferred| deferred.register == register)?;
        deferred.is_read = true;
        Some(deferred.term)
    }
}
