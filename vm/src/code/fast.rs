//! The fast tier's code, for values without faults, marks and unknowns.
//!
//! Fast code returns the value that the baseline tier returns, or falls back, after
//! which the baseline tier runs. It falls back on every null, unknown or mark that affects the result, and
//! on every fault that no `try` around it handles.
//!
//! `table` declares the instructions; `fuse` makes superinstructions of those that the compiler emits; `assemble`
//! completes the code.

mod assemble;
mod fuse;
mod outline;
mod table;

use std::sync::Arc;

use smallvec::SmallVec;
use smol_str::SmolStr;

pub use super::operand::{FastLabel, Immediate, InlineCache, IntervalId, SwitchId, Symbol};
pub use super::register_file::{Entry, FastReg, RegClass, Scaled};
pub use fuse::Fusion;
pub use table::{FAST_INSTRUCTIONS, FastOp};

pub(crate) use outline::Outline;

use super::{Arithmetic, Const, Operand, Shape, Slot, Switch};
use crate::function::Function;
use crate::number::Interval;
use crate::value::Constants;

/// A step of the computation of an interval, on a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// Pushes the number in a register.
    Register(FastReg),
    /// Pushes a constant, whose index is given if it may be needed exactly.
    Constant(Interval, Option<Const>),
    /// Replaces the top two intervals by their sum, difference, product or quotient.
    Apply(Arithmetic),
}

/// The most terms of a computation, and so the most intervals on its stack. The stack is an array on the
/// executor's own stack; the compiler compares longer sums and products exactly.
pub const MOST_TERMS: usize = 16;

/// The handler of faults in a range of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First instruction of the range.
    pub start: u16,
    /// Instruction after the range.
    pub end: u16,
    /// Where execution continues; `None` falls back, because something around the range may still drop
    /// the fault.
    pub target: Option<FastLabel>,
}

/// The fast code of one expression, or of many that are [linked](super::link). Immutable but for inline
/// caches, shared between threads. The code of a small expression is one piece of memory, texts aside,
/// because there may be many: hence the inline capacities.
#[derive(Debug, Default)]
pub struct Fast {
    /// The instructions; every path ends in a return or a trap.
    pub ops: SmallVec<[FastOp<Scaled>; 8]>,
    /// The slots that are read. They are loaded before the first instruction into registers 0, 1, … or,
    /// if they are `in_place`, each into the register with the slot's number.
    pub slots: SmallVec<[Slot; 8]>,
    /// The bits of those slots; see [`Slot::bit`].
    pub slot_bits: u64,
    /// Number of registers needed.
    pub registers: u16,
    /// The first of the temporaries, which are consecutive.
    pub others: u16,
    /// True if the registers begin as a copy of the scope's first values, or are these values. The
    /// temporaries take the place of values that this expression does not read.
    pub in_place: bool,
    /// True if parts of the expression have no code, because known conditions rule them out. The marks of what they
    /// read are marks of the result all the same.
    pub omits: bool,
    /// How a run begins.
    pub entry: Entry,
    /// What is known about the code, for values with marks.
    pub(crate) outline: Outline,
    /// Names of the attributes, by symbol, for values built before the names had symbols.
    pub names: SmallVec<[(Symbol, SmolStr); 2]>,
    /// Where execution continues after a fault, by ranges of instructions, inner ranges first.
    pub handlers: Box<[Handler]>,
    /// Switches over texts.
    pub switches: Box<[Switch]>,
    /// Computations of intervals in postfix order. Two operands of a comparison are one list.
    pub intervals: Box<[Box<[Term]>]>,
    /// Constants.
    pub constants: Constants,
    /// Functions called.
    pub functions: SmallVec<[Arc<Function>; 2]>,
    /// Keys of object constructors.
    pub shapes: Box<[Shape]>,
}

impl Fast {
    /// Returns true if there are no instructions: the expression has no fast form.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Empties the code and keeps the memory of its lists, so that other code can be built in it.
    pub fn clear(&mut self) {
        let Self { ops, slots, names, constants, functions, .. } = self;
        ops.clear();
        slots.clear();
        names.clear();
        constants.clear();
        functions.clear();
        (self.slot_bits, self.registers, self.others) = (0, 0, 0);
        (self.in_place, self.omits, self.entry) = (false, false, Entry::None);
        self.outline = Outline::default();
        // Usually empty: a store into an empty box would still read and drop the old one.
        if !self.handlers.is_empty() {
            self.handlers = Box::default();
        }
        if !self.switches.is_empty() {
            self.switches = Box::default();
        }
        if !self.intervals.is_empty() {
            self.intervals = Box::default();
        }
        if !self.shapes.is_empty() {
            self.shapes = Box::default();
        }
    }

    /// Returns the register to which an operand of the instructions refers.
    pub fn register(&self, operand: Scaled) -> FastReg {
        self.entry.unscale(operand)
    }

    /// Returns true if all instructions meet a test, in their order until one does not. Superinstructions are divided
    /// into their parts, with registers behind all others for the values between them, and operands are registers.
    /// False if there are no such registers.
    pub(crate) fn all_parts(&self, mut test: impl FnMut(&FastOp) -> bool) -> bool {
        self.ops.iter().all(|op| self.all_parts_of(op, &mut test))
    }

    /// [`Fast::all_parts`] for one of its instructions.
    pub(crate) fn all_parts_of(&self, op: &FastOp<Scaled>, test: &mut impl FnMut(&FastOp) -> bool) -> bool {
        let between = [FastReg(u8::MAX), FastReg(u8::MAX - 1)];
        let mut plain = FastOp::Trap {};
        op.map_into(&mut plain, |_, reg| self.register(reg), |label| label);
        self.registers < u16::from(u8::MAX) && plain.all_parts(between, test)
    }

    /// Returns what a register holds at the start of a run.
    pub fn class(&self, reg: FastReg) -> RegClass {
        let slot = if self.in_place {
            self.slots.iter().position(|slot| slot.0 == u16::from(reg.0))
        } else {
            Some(usize::from(reg.0)).filter(|at| *at < self.slots.len())
        };
        let temporary = || RegClass::Temporary(usize::from(u16::from(reg.0).saturating_sub(self.others)));
        slot.map_or_else(temporary, RegClass::Slot)
    }

    /// Visits the instructions to which others jump.
    pub(crate) fn each_target(&self, mut visit: impl FnMut(FastLabel)) {
        for op in &self.ops {
            op.operands(|_, operand| {
                if let Operand::Jump(to) = operand {
                    visit(to);
                }
            });
        }
        self.switches.iter().flat_map(Switch::targets).for_each(visit);
    }

    /// Returns the position at which execution continues after a fault at instruction `pc`.
    pub(crate) fn handler(&self, pc: usize) -> Option<usize> {
        let inside =
            |handler: &&Handler| (usize::from(handler.start)..usize::from(handler.end)).contains(&pc);
        self.handlers.iter().find(inside)?.target.map(|label| usize::from(label.0))
    }

    /// Returns the name of a symbol.
    pub(crate) fn name(&self, symbol: Symbol) -> Option<&str> {
        let at = self.outline.position_of(&self.names, symbol)?;
        self.names.get(at).map(|(_, name)| name.as_str())
    }
}
