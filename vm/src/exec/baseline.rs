//! The baseline tier: the language's semantics for every value. Each instruction is one function of a
//! file here, which is named after the construct it serves. [`fast`](super::fast) is the tier for plain
//! values.

mod access;
mod call;
pub(super) mod conditional;
mod construct;
mod dispatch;
mod iterate;
mod machine;
mod operators;
mod splat;
mod template;

use crate::code::Code;
use crate::fault::Record;
use crate::memory::arena::Arena;
use crate::memory::limits::Exhausted;
use crate::value::Value;
use machine::Machine;

/// What a run of code gives.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// The value; a partial one beside faults.
    pub value: Value<'a>,
    /// What went wrong, in the reference's order.
    pub faults: &'a [Record<'a>],
    /// The limit that ended the run, if one did: then neither value nor faults mean anything.
    pub exhausted: Option<Exhausted>,
    /// Where the limit was noticed: a node counted from the first node of the expression.
    pub stopped_at: u32,
}

/// Runs baseline code with the values of its layout's slots.
pub fn run<'a>(code: &'a Code, slots: &[Value<'a>], arena: &'a Arena) -> Outcome<'a> {
    let mut machine = Machine::new(code, slots, arena);
    // Straight-line code is bounded by its length; loops and functions charge as they go.
    arena.charge(code.ops.len() as u64);
    let value = machine.run_loop();
    arena.settle();
    Outcome {
        value,
        faults: machine.log.into_bump_slice(),
        exhausted: arena.budget().exhausted(),
        stopped_at: code.origins.get(machine.pc).map_or(0, |origin| origin.node),
    }
}
