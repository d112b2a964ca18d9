//! Decisions: a compact form of fast code that only tests variables and their attributes and returns a bool or a
//! constant, as most conditions of policies do. It is derived from the instructions and runs in their place; whatever
//! it does not handle runs in the interpreter's loop, from the beginning.
//!
//! ```text
//! Attribute   r3 = r0.groups              Contains  r2.owner in r0.groups  when true -> …
//! Attribute   r4 = r2.owner
//! BranchCall  contains(r3, r4) -> …
//! ```
//!
//! Deriving one takes as many instructions as sixteen runs save, so the first sixteen runs are those of the loop.
//!
//! A decision writes no register, opens no loop and no template, so that it needs nothing of the interpreter's state:
//! a run costs about three quarters of the instructions that the loop needs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use smallvec::SmallVec;

use super::fast::{Fast, FastLabel, FastOp, FastReg, InlineCache, Scaled, Symbol};
use super::{Callee, Comparison, Const};
use crate::memory::cast;
use crate::value::TextHead;

/// The decision of some code, once it has been derived.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    steps: OnceLock<Box<[Step]>>,
    /// The runs before it was derived, or [`GIVEN_UP`].
    runs: AtomicU8,
}

/// The run after which a decision is derived: about as many runs as make up for it. In debug builds it is the first
/// one, because tests evaluate most programs a few times.
pub(super) const RUNS: u8 = if cfg!(debug_assertions) { 1 } else { 16 };

/// The count at which code is left to the loop.
pub(super) const GIVEN_UP: u8 = RUNS + 64;

impl Decision {
    /// Returns the steps if they have been derived.
    // Inlined into the start of each run, where it is a load and a compare.
    #[inline(always)]
    pub(crate) fn steps(&self) -> Option<&[Step]> {
        self.steps.get().map(|steps| &**steps)
    }

    /// Notes a run without steps, and derives them if there were enough.
    // Never inlined: it is part of sixteen runs only.
    #[inline(never)]
    pub(crate) fn note_run(&self, fast: &Fast) {
        // Other threads may count at the same time: the sum stays far below what fits.
        if self.is_given_up() || self.runs.fetch_add(1, Ordering::Relaxed) + 1 != RUNS {
            return;
        }
        match of(fast) {
            Some(steps) => {
                self.steps.get_or_init(|| steps);
            }
            None => self.runs.store(GIVEN_UP, Ordering::Relaxed),
        }
    }

    /// Returns true if the code has turned out to be no decision.
    // Inlined into runs without steps, where it is a compare.
    #[inline(always)]
    pub(crate) fn is_given_up(&self) -> bool {
        self.runs.load(Ordering::Relaxed) >= GIVEN_UP
    }

    /// Removes the steps and forgets the runs, for other code.
    pub(crate) fn clear(&mut self) {
        if self.steps().is_some() {
            *self = Self::default();
        }
        *self.runs.get_mut() = 0;
    }
}

/// An attribute of a variable: the variable as in the instructions, and the attribute's symbol and inline cache.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) variable: Scaled,
    pub(crate) symbol: Symbol,
    /// The position at which the attribute was found the last time; see [`InlineCache`]. That has 16 bits, because
    /// instructions have no room for more, and a load of 16 bits takes another instruction to become an index.
    position: AtomicU32,
}

impl Path {
    /// Returns the path of an attribute, with an inline cache of its own.
    pub(super) fn new(variable: Scaled, symbol: Symbol) -> Self {
        Self { variable, symbol, position: AtomicU32::new(0) }
    }

    /// Returns the position in the inline cache as an index.
    // Inlined: it is part of every access to an attribute.
    #[inline(always)]
    pub(crate) fn position(&self) -> usize {
        cast::index(self.position.load(Ordering::Relaxed))
    }

    /// Searches with an inline cache of an instruction, and keeps the position that it has then.
    pub(crate) fn search<T>(&self, search: impl FnOnce(&InlineCache) -> T) -> T {
        let cache = InlineCache::default();
        cache.set(self.position());
        let found = search(&cache);
        self.position.store(cache.position().into(), Ordering::Relaxed);
        found
    }
}

/// Where a step jumps to: the number of steps from it to a later one, or a result, which is no step of its own.
///
/// ```text
/// 1 …          a later step
/// 32 …         the constants
/// 65534 65535  false, true
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target(u16);

/// What a [`Target`] returns if it is no step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    Bool(bool),
    Constant(usize),
}

impl Target {
    /// More than the steps of any decision, so that a constant is never one of them.
    const FIRST_CONSTANT: u16 = 32;
    const FALSE: u16 = u16::MAX - 1;

    /// Returns the target that is `to`, for the step `from`; `None` unless it is a later one.
    fn step(from: usize, to: usize) -> Option<Self> {
        let distance = to.checked_sub(from).and_then(|distance| u16::try_from(distance).ok())?;
        (1..Self::FIRST_CONSTANT).contains(&distance).then_some(Self(distance))
    }

    /// Returns the target that returns what an instruction returns; `None` for other instructions, and for a constant
    /// behind very many others.
    fn answer(op: &FastOp<Scaled>) -> Option<Self> {
        match op {
            FastOp::ReturnBool { truth } => Some(Self(Self::FALSE + u16::from(*truth))),
            FastOp::ReturnConstant { k } => {
                let number = u16::try_from(k.0).ok()?.checked_add(Self::FIRST_CONSTANT)?;
                (number < Self::FALSE).then_some(Self(number))
            }
            _ => None,
        }
    }

    /// Returns the number of steps to the target, which is more than there are if it is a result.
    // Inlined into each jump: a load.
    #[inline(always)]
    pub(crate) fn distance(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the result that the target is if it is no step.
    // Inlined into the end of a run, where it is a compare.
    #[inline(always)]
    pub(crate) fn result(self) -> Answer {
        match self.0.checked_sub(Self::FALSE) {
            Some(_) => Answer::Bool(self.0 & 1 == 1),
            None => Answer::Constant(usize::from(self.0.wrapping_sub(Self::FIRST_CONSTANT))),
        }
    }
}

/// A step of a decision. A step with `to` jumps there, else the next one follows. All jumps go forward.
#[derive(Debug)]
pub(crate) enum Step {
    /// Jumps if the bool at the path is `when`.
    Attribute { path: Path, when: bool, to: Target },
    /// Jumps if the value at the path is the constant text `k`, which begins with `head`, or is not, as `when` says.
    AttributeText { path: Path, when: bool, to: Target, k: Const, head: TextHead },
    /// Jumps if the number at the path op `i`.
    AttributeInt { path: Path, op: Comparison, to: Target, i: i32 },
    /// Jumps if the variable is `when`.
    Variable { variable: Scaled, when: bool, to: Target },
    /// Jumps if the variable is the constant text `k`, which begins with `head`, or is not, as `when` says.
    VariableText { variable: Scaled, when: bool, to: Target, k: Const, head: TextHead },
    /// Jumps if the variable op `i`.
    VariableInt { variable: Scaled, op: Comparison, to: Target, i: i32 },
    /// Jumps if `f`, which searches its first argument, finds the second attribute in the first one, or does not, as
    /// `when` says.
    Contains { f: Callee, paths: [Path; 2], when: bool, to: Target },
    /// Jumps if f(both attributes) is `when`.
    CallAttributes { f: Callee, paths: [Path; 2], when: bool, to: Target },
    /// Jumps if f(the attribute, a constant) is `when`.
    CallConstant { f: Callee, path: Path, k: Const, when: bool, to: Target },
    /// Jumps.
    Jump { to: Target },
}

/// The number of variables that a decision may read: each scope that is not packed has as many values.
pub(crate) const VARIABLES: usize = 8;

/// The most instructions of a decision. In a longer condition the start of a run matters little.
pub(super) const MOST_INSTRUCTIONS: usize = 24;

/// Returns true if code may be a decision. Its steps are derived later: most programs run too seldom to make up for
/// that. A computation is none.
pub(super) fn may_be_one(fast: &Fast) -> bool {
    // First, because it distinguishes most other code from decisions.
    let returns = matches!(fast.ops.last(), Some(FastOp::ReturnBool { .. } | FastOp::ReturnConstant { .. }));
    if !returns || fast.ops.len() > MOST_INSTRUCTIONS || !fast.in_place || !fast.handlers.is_empty() {
        return false;
    }
    let mut rest = &*fast.ops;
    while let Some(op) = rest.first() {
        let length = match op {
            FastOp::BranchAttribute { .. }
            | FastOp::BranchAttributeText { .. }
            | FastOp::BranchAttributeInt { .. }
            | FastOp::Branch { .. }
            | FastOp::BranchText { .. }
            | FastOp::BranchInt { .. }
            | FastOp::Jump { .. }
            | FastOp::ReturnBool { .. }
            | FastOp::ReturnConstant { .. } => 1,
            FastOp::Attribute { .. } => match rest {
                [_, FastOp::Attribute { .. } | FastOp::Constant { .. }, FastOp::BranchCall { .. }, ..] => 3,
                _ => return false,
            },
            _ => return false,
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    true
}

/// Derives the decision that code is; `None` if it is not one.
fn of(fast: &Fast) -> Option<Box<[Step]>> {
    if fast.ops.len() > MOST_INSTRUCTIONS || !fast.in_place || !fast.handlers.is_empty() {
        return None;
    }
    // The step that each instruction becomes; those behind the first one of a call have none.
    let mut places = [None; MOST_INSTRUCTIONS];
    let mut starts = SmallVec::<[usize; MOST_INSTRUCTIONS]>::new();
    let mut at = 0;
    while let Some(op) = fast.ops.get(at) {
        *places.get_mut(at)? = Some(starts.len());
        starts.push(at);
        at += length(op);
    }
    let steps = starts.iter().enumerate().map(|(from, at)| {
        let target = |FastLabel(to): FastLabel| {
            let (to, op) = (places.get(usize::from(to))?, fast.ops.get(usize::from(to))?);
            Target::answer(op).or_else(|| Target::step(from, (*to)?))
        };
        step(fast, fast.ops.get(*at..)?, target)
    });
    steps.collect()
}

/// Returns the number of instructions that the step of this one takes the place of.
const fn length(op: &FastOp<Scaled>) -> usize {
    if matches!(op, FastOp::Attribute { .. }) { 3 } else { 1 }
}

/// Returns the step at the beginning of `ops`; `target` returns where a jump goes.
fn step(fast: &Fast, ops: &[FastOp<Scaled>], target: impl Fn(FastLabel) -> Option<Target>) -> Option<Step> {
    let path = |a: Scaled, symbol: Symbol| Some(Path::new(variable(fast, a)?, symbol));
    let head = |k: Const| fast.constants.values().get(k.0 as usize)?.text_head();
    Some(match ops.first()? {
        FastOp::BranchAttribute { a, when, to, symbol, .. } => {
            Step::Attribute { path: path(*a, *symbol)?, when: *when, to: target(*to)? }
        }
        FastOp::BranchAttributeText { a, when, to, symbol, k, .. } => Step::AttributeText {
            path: path(*a, *symbol)?,
            when: *when,
            to: target(*to)?,
            k: *k,
            head: head(*k)?,
        },
        FastOp::BranchAttributeInt { op, a, to, symbol, i, .. } => {
            Step::AttributeInt { path: path(*a, *symbol)?, op: *op, to: target(*to)?, i: i.0 }
        }
        FastOp::Branch { a, when, to } => {
            Step::Variable { variable: variable(fast, *a)?, when: *when, to: target(*to)? }
        }
        FastOp::BranchText { a, when, to, k } => Step::VariableText {
            variable: variable(fast, *a)?,
            when: *when,
            to: target(*to)?,
            k: *k,
            head: head(*k)?,
        },
        FastOp::BranchInt { op, a, to, i } => {
            Step::VariableInt { variable: variable(fast, *a)?, op: *op, to: target(*to)?, i: i.0 }
        }
        FastOp::Jump { to } => Step::Jump { to: target(*to)? },
        // For the instructions before it: jumps have the result as their target.
        op @ (FastOp::ReturnBool { .. } | FastOp::ReturnConstant { .. }) => {
            Step::Jump { to: Target::answer(op)? }
        }
        FastOp::Attribute { .. } => return call(fast, ops, target),
        _ => return None,
    })
}

/// Returns the step for two arguments and the call of a function with them, of which the first one is an attribute
/// and the second one an attribute or a constant. Nothing may jump between these instructions, or the target of a
/// jump has no step.
fn call(fast: &Fast, ops: &[FastOp<Scaled>], target: impl Fn(FastLabel) -> Option<Target>) -> Option<Step> {
    let [
        FastOp::Attribute { d: first, a, symbol, .. },
        argument,
        FastOp::BranchCall { f, base, count: 2, when, to },
        ..,
    ] = ops
    else {
        return None;
    };
    let (first, base) = (fast.register(*first), fast.register(*base));
    let is_second = |d: &Scaled| fast.register(*d).0 == base.0.saturating_add(1);
    let function = fast.functions.get(usize::from(f.0))?;
    if function.inline.is_none() || first != base {
        return None;
    }
    let searches = function.searches();
    let path = Path::new(variable(fast, *a)?, *symbol);
    let (f, when, to) = (*f, *when, target(*to)?);
    match argument {
        FastOp::Attribute { d, a, symbol, .. } if is_second(d) => {
            let paths = [path, Path::new(variable(fast, *a)?, *symbol)];
            Some(if searches {
                Step::Contains { f, paths, when, to }
            } else {
                Step::CallAttributes { f, paths, when, to }
            })
        }
        FastOp::Constant { d, k } if is_second(d) => Some(Step::CallConstant { f, path, k: *k, when, to }),
        _ => None,
    }
}

/// Returns the operand if its register holds a variable throughout the run that decisions may read.
pub(super) fn variable(fast: &Fast, operand: Scaled) -> Option<Scaled> {
    let FastReg(reg) = fast.register(operand);
    let is_slot = fast.slots.iter().any(|slot| slot.0 == u16::from(reg));
    (is_slot && usize::from(reg) < VARIABLES).then_some(operand)
}

const _: () = assert!(MOST_INSTRUCTIONS < Target::FIRST_CONSTANT as usize);
// Two steps are a cache line.
const _: () = assert!(size_of::<Step>() <= 32);
