//! The baseline tier: the language's semantics for every value, with faults, marks and unknowns. Each
//! instruction is one function; the files are named after the constructs of the language.
//! [`fast`](super::fast) is the tier for plain values.

mod access;
mod attempts;
mod call;
pub(super) mod conditional;
mod construct;
mod dispatch;
mod iterate;
mod machine;
mod observe;
mod operators;
mod splat;
mod template;

use crate::code::Code;
use crate::fault::Record;
use crate::memory::arena::Arena;
use crate::memory::limits::Exhausted;
use crate::value::Value;
use machine::Machine;
use observe::Observer;
pub use observe::{Observation, Observed, Outcomes, Truth, Witness, observe};

/// The result of a run of baseline code.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// The value; a partial one beside faults.
    pub value: Value<'a>,
    /// The faults, in the reference's order.
    pub faults: &'a [Record<'a>],
    /// The limit that ended the run, if one did; value and faults are then meaningless.
    pub exhausted: Option<Exhausted>,
    /// The node at which the limit was noticed, counted from the first node of the expression.
    pub stopped_at: u32,
}

/// Runs baseline code with the values of the slots of its layout.
pub fn run<'a>(code: &'a Code, slots: &[Value<'a>], arena: &'a Arena) -> Outcome<'a> {
    finish(Machine::new(code, slots, arena))
}

/// Runs baseline code to find the faults of every part that some values of the unknown slots reach. Where
/// [`run`] follows the reference and drops what an unknown value leaves open, this keeps it: faults in both
/// arms of a conditional with an unknown condition, in both operands of a connective, in loops over unknown
/// collections, and of unknown values whose type suits no use. Parts that known values rule out stay silent.
pub fn explore<'a>(code: &'a Code, slots: &[Value<'a>], arena: &'a Arena) -> Outcome<'a> {
    let mut machine = Machine::new(code, slots, arena);
    machine.exploring = true;
    finish(machine)
}

// Inlined, so that the machine is not moved.
#[inline(always)]
fn finish<'a>(machine: Machine<'_, 'a>) -> Outcome<'a> {
    finish_observed(machine, &mut ())
}

// Inlined, so that the machine is not moved.
#[inline(always)]
fn finish_observed<'a>(mut machine: Machine<'_, 'a>, observer: &mut impl Observer<'a>) -> Outcome<'a> {
    let (code, arena) = (machine.code, machine.arena);
    // The length of the code pays for one pass over it; loops and functions charge for their own work.
    arena.charge(code.ops.len() as u64);
    let value = machine.run_loop(observer);
    arena.settle();
    arena.budget().poll();
    Outcome {
        value,
        faults: Record::in_order(arena, machine.log.into_bump_slice()),
        exhausted: arena.budget().exhausted(),
        stopped_at: code.origins.get(machine.pc).map_or(0, |origin| origin.node),
    }
}
