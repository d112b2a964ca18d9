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
use std::sync::atomic::{AtomicU8, Ordering};

use smallvec::SmallVec;

use super::fast::{Fast, FastOp, FastReg, InlineCache, Scaled, Symbol};
use super::{Callee, Comparison, Const};
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
                self.steps.get_or_init(|| steps.into_boxed_slice());
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

/// The steps of a decision while it is derived.
type Steps = SmallVec<[Step; 16]>;

/// An attribute of a variable: the variable as in the instructions, and the attribute's inline cache and symbol.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) variable: Scaled,
    pub(crate) cache: InlineCache,
    pub(crate) symbol: Symbol,
}

impl Path {
    /// Returns the path of an attribute, with an inline cache of its own.
    pub(super) fn new(variable: Scaled, symbol: Symbol) -> Self {
        Self { variable, cache: InlineCache::default(), symbol }
    }
}

/// A step of a decision. A step with `to` jumps there, else the next one follows.
#[derive(Debug)]
pub(crate) enum Step {
    /// Jumps if the bool at the path is `when`.
    Attribute { path: Path, when: bool, to: u16 },
    /// Jumps if the value at the path is the constant text `k`, which begins with `head`, or is not, as `when` says.
    AttributeText { path: Path, when: bool, to: u16, k: Const, head: TextHead },
    /// Jumps if the number at the path op `i`.
    AttributeInt { path: Path, op: Comparison, to: u16, i: i32 },
    /// Jumps if the variable is `when`.
    Variable { variable: Scaled, when: bool, to: u16 },
    /// Jumps if the variable is the constant text `k`, which begins with `head`, or is not, as `when` says.
    VariableText { variable: Scaled, when: bool, to: u16, k: Const, head: TextHead },
    /// Jumps if the variable op `i`.
    VariableInt { variable: Scaled, op: Comparison, to: u16, i: i32 },
    /// Jumps if `f`, which searches its first argument, finds the second attribute in the first one, or does not, as
    /// `when` says.
    Contains { f: Callee, paths: [Path; 2], when: bool, to: u16 },
    /// Jumps if f(both attributes) is `when`.
    CallAttributes { f: Callee, paths: [Path; 2], when: bool, to: u16 },
    /// Jumps if f(the attribute, a constant) is `when`.
    CallConstant { f: Callee, path: Path, k: Const, when: bool, to: u16 },
    /// Jumps.
    Jump { to: u16 },
    /// Returns the bool.
    ReturnBool { truth: bool },
    /// Returns a constant.
    ReturnConstant { k: Const },
}

/// The number of variables that a decision may read: each scope that is not packed has as many values.
pub(crate) const VARIABLES: usize = 8;

/// The most instructions of a decision. In a longer condition the start of a run matters little.
pub(super) const MOST_INSTRUCTIONS: usize = 24;

/// Returns true if code may be a decision. Its steps are derived later: most programs run too seldom to make up for
/// that. A computation is none.
pub(super) fn may_be_one(fast: &Fast) -> bool {
    let mut rest = &*fast.ops;
    let mut returns = false;
    while let Some(op) = rest.first() {
        returns = matches!(op, FastOp::ReturnBool { .. } | FastOp::ReturnConstant { .. });
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
    returns && fast.ops.len() <= MOST_INSTRUCTIONS && fast.in_place && fast.handlers.is_empty()
}

/// Derives the decision that code is; `None` if it is none.
fn of(fast: &Fast) -> Option<Steps> {
    if fast.ops.len() > MOST_INSTRUCTIONS || !fast.in_place || !fast.handlers.is_empty() {
        return None;
    }
    // The step that each instruction becomes; those behind the first one of a call have none.
    let mut places = [None; MOST_INSTRUCTIONS];
    let mut steps = Steps::new();
    let mut at = 0;
    while let Some(rest) = fast.ops.get(at..).filter(|rest| !rest.is_empty()) {
        *places.get_mut(at)? = u16::try_from(steps.len()).ok();
        let (step, length) = step(fast, rest)?;
        steps.push(step);
        at += length;
    }
    for step in &mut steps {
        if let Some(to) = step.target_mut() {
            *to = places.get(usize::from(*to)).copied().flatten()?;
        }
    }
    Some(steps)
}

/// Returns the step at the beginning of `ops`, and the number of instructions that it takes the place of.
fn step(fast: &Fast, ops: &[FastOp<Scaled>]) -> Option<(Step, usize)> {
    let path = |a: Scaled, symbol: Symbol| Some(Path::new(variable(fast, a)?, symbol));
    let head = |k: Const| fast.constants.values().get(k.0 as usize)?.text_head();
    let step = match ops.first()? {
        FastOp::BranchAttribute { a, when, to, symbol, .. } => {
            Step::Attribute { path: path(*a, *symbol)?, when: *when, to: to.0 }
        }
        FastOp::BranchAttributeText { a, when, to, symbol, k, .. } => {
            Step::AttributeText { path: path(*a, *symbol)?, when: *when, to: to.0, k: *k, head: head(*k)? }
        }
        FastOp::BranchAttributeInt { op, a, to, symbol, i, .. } => {
            Step::AttributeInt { path: path(*a, *symbol)?, op: *op, to: to.0, i: i.0 }
        }
        FastOp::Branch { a, when, to } => {
            Step::Variable { variable: variable(fast, *a)?, when: *when, to: to.0 }
        }
        FastOp::BranchText { a, when, to, k } => Step::VariableText {
            variable: variable(fast, *a)?,
            when: *when,
            to: to.0,
            k: *k,
            head: head(*k)?,
        },
        FastOp::BranchInt { op, a, to, i } => {
            Step::VariableInt { variable: variable(fast, *a)?, op: *op, to: to.0, i: i.0 }
        }
        FastOp::Jump { to } => Step::Jump { to: to.0 },
        FastOp::ReturnBool { truth } => Step::ReturnBool { truth: *truth },
        FastOp::ReturnConstant { k } => Step::ReturnConstant { k: *k },
        FastOp::Attribute { .. } => return Some((call(fast, ops)?, 3)),
        _ => return None,
    };
    Some((step, 1))
}

/// Returns the step for two arguments and the call of a function with them, of which the first one is an attribute
/// and the second one an attribute or a constant. Nothing may jump between these instructions, or the target of a
/// jump has no step.
fn call(fast: &Fast, ops: &[FastOp<Scaled>]) -> Option<Step> {
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
    let searches = function.searches;
    let path = Path::new(variable(fast, *a)?, *symbol);
    match argument {
        FastOp::Attribute { d, a, symbol, .. } if is_second(d) => {
            let other = Path::new(variable(fast, *a)?, *symbol);
            let (f, paths, when, to) = (*f, [path, other], *when, to.0);
            Some(if searches {
                Step::Contains { f, paths, when, to }
            } else {
                Step::CallAttributes { f, paths, when, to }
            })
        }
        FastOp::Constant { d, k } if is_second(d) => {
            Some(Step::CallConstant { f: *f, path, k: *k, when: *when, to: to.0 })
        }
        _ => None,
    }
}

/// Returns the operand if its register holds a variable throughout the run that decisions may read.
pub(super) fn variable(fast: &Fast, operand: Scaled) -> Option<Scaled> {
    let FastReg(reg) = fast.register(operand);
    let is_slot = fast.slots.iter().any(|slot| slot.0 == u16::from(reg));
    (is_slot && usize::from(reg) < VARIABLES).then_some(operand)
}

impl Step {
    fn target_mut(&mut self) -> Option<&mut u16> {
        match self {
            Self::Attribute { to, .. }
            | Self::AttributeText { to, .. }
            | Self::AttributeInt { to, .. }
            | Self::Variable { to, .. }
            | Self::VariableText { to, .. }
            | Self::VariableInt { to, .. }
            | Self::Contains { to, .. }
            | Self::CallAttributes { to, .. }
            | Self::CallConstant { to, .. }
            | Self::Jump { to } => Some(to),
            Self::ReturnBool { .. } | Self::ReturnConstant { .. } => None,
        }
    }
}

// Two steps and a half are a cache line.
const _: () = assert!(size_of::<Step>() <= 32);
