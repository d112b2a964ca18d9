//! The instructions of the fast body: the same expressions without faults, marks and unknowns.
//!
//! The fast body may only do two things: give the value that the full body gives, or bail
//! out, after which the full body runs. It bails out on every null, unknown or mark that
//! would decide something, and on every fault that no `try` around it takes.
//!
//! Operands by name: `d` receives the result, `a` and `b` are read, `to` is where it may
//! jump, `when` the truth that makes it jump. An attribute is found by `symbol`, first at
//! the position in `cache`, which learns.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use smallvec::SmallVec;
use smol_str::SmolStr;

use super::baseline::{Instruction, Operand, Plain, instructions};
use super::register_file::MOST_SCALED;
pub use super::register_file::{Entry, FastReg, FileSize, RegClass};
use super::{Arithmetic, Build, Callee, Comparison, Const, Count, OperandMut, Shape, ShapeId, Slot, Switch};
use crate::function::Function;
use crate::number::Interval;
use crate::value::Constants;

/// A jump target of the fast body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FastLabel(pub u16);

/// The symbol of an attribute name; see [`crate::memory::name`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(pub u32);

/// Where an attribute was found the last time. Shared between threads: any value is right,
/// a wrong one only costs a search.
#[derive(Default)]
pub struct InlineCache(AtomicU16);

impl Clone for InlineCache {
    fn clone(&self) -> Self {
        Self(AtomicU16::new(self.0.load(Ordering::Relaxed)))
    }
}

impl InlineCache {
    /// The position.
    #[inline(always)]
    pub(crate) fn get(&self) -> usize {
        usize::from(self.0.load(Ordering::Relaxed))
    }

    /// Remembers a position.
    pub(crate) fn set(&self, at: usize) {
        self.0.store(at as u16, Ordering::Relaxed);
    }
}

/// A small integer operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Immediate(pub i32);

/// A pair of intervals of the fast body's list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IntervalId(pub u16);

/// A step of the computation of intervals, on a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// Pushes the number in a register.
    Register(FastReg),
    /// Pushes a constant.
    Constant(Interval),
    /// Replaces two by their sum, difference, product or quotient.
    Apply(Arithmetic),
}

/// The most terms of a computation, and so the most intervals on its stack.
pub const MOST_TERMS: usize = 16;

/// A switch of the fast body's list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SwitchId(pub u16);

macro_rules! plainly {
    ($($ty:ident $prefix:literal),+) => {$(
        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )+};
}

plainly!(FastReg "r", FastLabel "->", Symbol "@", Immediate "", SwitchId "switch", IntervalId "interval");

impl fmt::Debug for InlineCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "~{}", self.get())
    }
}

impl From<&FastReg> for Operand {
    fn from(operand: &FastReg) -> Self {
        Self::FastReg(*operand)
    }
}

impl From<&FastLabel> for Operand {
    fn from(operand: &FastLabel) -> Self {
        Self::FastLabel(*operand)
    }
}

impl From<&Symbol> for Operand {
    fn from(operand: &Symbol) -> Self {
        Self::Symbol(*operand)
    }
}

impl From<&InlineCache> for Operand {
    fn from(operand: &InlineCache) -> Self {
        Self::Plain(Plain::Count(Count(operand.get() as u32)))
    }
}

impl From<&Immediate> for Operand {
    fn from(operand: &Immediate) -> Self {
        Self::Immediate(*operand)
    }
}

impl From<&IntervalId> for Operand {
    fn from(operand: &IntervalId) -> Self {
        Self::Interval(*operand)
    }
}

impl From<&SwitchId> for Operand {
    fn from(operand: &SwitchId) -> Self {
        Self::Switch(*operand)
    }
}

/// The body of an expression without faults, marks and unknowns. Small ones are all in one piece
/// of memory but for their texts, because there may be many. Immutable but for caches, shared
/// between threads.
#[derive(Debug, Default)]
pub struct Fast {
    /// The instructions; every path ends in a return or a trap.
    pub ops: SmallVec<[FastOp; 8]>,
    /// The slots that are loaded before the first instruction: into registers 0, 1, … or, if they
    /// are `in_place`, each into the register of its own number.
    pub slots: SmallVec<[Slot; 8]>,
    /// The bits of those slots; see [`Slot::bit`].
    pub slot_bits: u64,
    /// Number of registers needed.
    pub registers: u16,
    /// The first of the registers that hold other values, all in a row.
    pub others: u16,
    /// Whether the registers begin as a copy of the frame's first values, or are these values. The others
    /// stand where that has values which this expression does not read.
    pub in_place: bool,
    /// How a run begins.
    pub entry: Entry,
    /// Names of the attributes, by symbol, for values built before the names had symbols.
    pub names: SmallVec<[(Symbol, SmolStr); 2]>,
    /// Where execution goes on after a fault, by ranges of instructions, inner ranges first.
    pub handlers: Box<[Handler]>,
    /// Switches over texts.
    pub switches: Box<[Switch]>,
    /// Computations of two intervals, the left operand's first.
    pub intervals: Box<[Box<[Term]>]>,
    /// Constants.
    pub constants: Constants,
    /// Functions called.
    pub functions: SmallVec<[Arc<Function>; 2]>,
    /// Keys of object constructors.
    pub shapes: Box<[Shape]>,
}

/// What a fault in a range of instructions leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First instruction of the range.
    pub start: u16,
    /// Instruction after the range.
    pub end: u16,
    /// Where to go on; `None` bails out, because something around may still drop the fault.
    pub target: Option<FastLabel>,
}

impl Fast {
    /// Whether there are no instructions: the body of an expression that has no fast form.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Empty, as a new one. Keeps the memory of its lists, so that another body can be made in it.
    pub fn clear(&mut self) {
        let Self { ops, slots, names, constants, functions, .. } = self;
        ops.clear();
        slots.clear();
        names.clear();
        constants.clear();
        functions.clear();
        (self.slot_bits, self.registers, self.others) = (0, 0, 0);
        (self.in_place, self.entry) = (false, Entry::None);
        // Most have none of these, and nothing is kept of them.
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

    /// Lets the instructions name registers by 8 times their number, where all numbers are small
    /// enough: half of where they are among the registers, which saves the machine a shift for each
    /// operand. Where there is room the slots keep the numbers that they have in the frame.
    pub fn place(&mut self) {
        self.place_and_resolve(|_| {});
    }

    /// The same, while `resolve` gets each label of the instructions: both look at all operands.
    pub fn place_and_resolve(&mut self, mut resolve: impl FnMut(&mut FastLabel)) {
        let file = FileSize::of(self.registers);
        let places_registers = !self.entry.is_scaled() && file.is_scaled();
        // Where slots move to, and how far all other values do.
        let (mut slots, mut moving, mut others_by) = ([0; MOST_SCALED as usize], 0, 0);
        if places_registers && let Some((others, registers)) = self.row_in_place(file.registers()) {
            for (number, slot) in slots.iter_mut().zip(&self.slots) {
                *number = slot.0 as u8;
            }
            moving = self.others as u8;
            others_by = (others as u8).wrapping_sub(moving);
            (self.others, self.registers, self.in_place) = (others, registers, true);
        }
        let number = |FastReg(reg)| {
            if reg < moving {
                slots[usize::from(reg % MOST_SCALED as u8)]
            } else {
                reg.wrapping_add(others_by)
            }
        };
        // Whether instructions use other values than those of slots.
        let mut others = false;
        for op in &mut self.ops {
            let leaves_d = matches!(op, FastOp::ReturnCall { .. });
            op.operands_mut(|name, operand| match operand {
                OperandMut::FastReg(reg) if places_registers => {
                    others |= reg.0 >= moving && !(leaves_d && name == "d");
                    reg.0 = number(*reg) << 3;
                }
                OperandMut::FastLabel(label) => resolve(label),
                _ => {}
            });
        }
        if places_registers {
            for term in self.intervals.iter_mut().flatten() {
                if let Term::Register(reg) = term {
                    reg.0 = number(*reg);
                }
            }
            self.entry = Entry::of(file, self.in_place && !others);
        } else if !file.is_scaled() {
            self.entry = Entry::of(file, false);
        }
    }

    /// Where the other values can stand when slots have their own numbers, and the registers needed
    /// then: no more than `most`, which are set up anyway.
    fn row_in_place(&self, most: u16) -> Option<(u16, u16)> {
        let count = self.registers.saturating_sub(self.others);
        let taken =
            self.slots.iter().try_fold(0_u64, |taken, slot| (slot.0 < most).then(|| taken | 1 << slot.0))?;
        let row = (1_u64 << count) - 1;
        let others = (0..=most.checked_sub(count)?).find(|start| taken & (row << start) == 0)?;
        let registers = (others + count).max(u64::BITS as u16 - taken.leading_zeros() as u16);
        Some((others, registers))
    }

    /// What a register holds, by its number.
    pub fn holds(&self, FastReg(reg): FastReg) -> RegClass {
        let slot = if self.in_place {
            self.slots.iter().position(|slot| slot.0 == u16::from(reg))
        } else {
            Some(usize::from(reg)).filter(|at| *at < self.slots.len())
        };
        slot.map_or_else(
            || RegClass::Temporary(usize::from(u16::from(reg).saturating_sub(self.others))),
            RegClass::Slot,
        )
    }

    /// The number of a register that an instruction names.
    pub fn number(&self, reg: FastReg) -> FastReg {
        if self.entry.is_scaled() { FastReg(reg.0 >> 3) } else { reg }
    }

    /// Where a fault at instruction `pc` leads to.
    pub(crate) fn handler(&self, pc: usize) -> Option<usize> {
        let inside =
            |handler: &&Handler| (usize::from(handler.start)..usize::from(handler.end)).contains(&pc);
        self.handlers.iter().find(inside)?.target.map(|label| usize::from(label.0))
    }

    /// The name behind a symbol.
    pub(crate) fn name(&self, symbol: Symbol) -> Option<&str> {
        self.names.iter().find(|(known, _)| *known == symbol).map(|(_, name)| name.as_str())
    }
}

impl FastOp {
    /// Whether it ends a program with its result.
    pub(crate) fn returns(&self) -> bool {
        matches!(
            self,
            Self::Return { .. }
                | Self::ReturnConstant { .. }
                | Self::ReturnBool { .. }
                | Self::ReturnArm { .. }
                | Self::ReturnCall { .. }
                | Self::ReturnTemplate { .. }
        )
    }

    /// Whether execution never goes on behind it.
    pub fn is_final(&self) -> bool {
        let elsewhere = matches!(
            self,
            Self::Jump { .. }
                | Self::Emit { .. }
                | Self::EmitConstant { .. }
                | Self::EmitBool { .. }
                | Self::EmitArm { .. }
                | Self::End {}
                | Self::Trap {}
                | Self::Switch { .. }
                | Self::LoopText { .. }
                | Self::LoopTextAttribute { .. }
                | Self::LoopPush { .. }
                | Self::LoopPushAttribute { .. }
                | Self::LoopPushCall { .. }
                | Self::LoopPushCallAttribute { .. }
                | Self::LoopEntry { .. }
                | Self::LoopEntryAttributes { .. }
        );
        elsewhere || self.returns()
    }
}

instructions! {
    /// An instruction of the fast body. Each variant is a row of [`FAST_INSTRUCTIONS`].
    #[derive(Clone)]
    FastOp, FAST_INSTRUCTIONS:
    /// d = a constant.
    Constant { d: FastReg, k: Const }
    /// d = a.
    Copy { d: FastReg, a: FastReg }
    /// d = a.name
    Attribute { d: FastReg, a: FastReg, cache: InlineCache, symbol: Symbol }
    /// d = a[constant text]
    IndexText { d: FastReg, a: FastReg, k: Const }
    /// d = a[constant number]
    IndexInt { d: FastReg, a: FastReg, i: Immediate }
    /// d = a[b]
    Index { d: FastReg, a: FastReg, b: FastReg }
    /// d = a + b
    Add { d: FastReg, a: FastReg, b: FastReg }
    /// d = a - b
    Subtract { d: FastReg, a: FastReg, b: FastReg }
    /// d = a * b
    Multiply { d: FastReg, a: FastReg, b: FastReg }
    /// d = a / b
    Divide { d: FastReg, a: FastReg, b: FastReg }
    /// d = a % b
    Modulo { d: FastReg, a: FastReg, b: FastReg }
    /// d = a + i
    AddInt { d: FastReg, a: FastReg, i: Immediate }
    /// d = a * i
    MultiplyInt { d: FastReg, a: FastReg, i: Immediate }
    /// d = a / i
    DivideInt { d: FastReg, a: FastReg, i: Immediate }
    /// d = a / 2 to the power of `bits`
    Shift { d: FastReg, a: FastReg, bits: u8 }
    /// d = a % i
    ModuloInt { d: FastReg, a: FastReg, i: Immediate }
    /// d = -a
    Negate { d: FastReg, a: FastReg }
    /// d = whether a == constant text.
    EqualText { d: FastReg, a: FastReg, k: Const }
    /// d = the text that templates append for a.
    Text { d: FastReg, a: FastReg }
    /// Goes on when a is a bool, else bails out.
    RequireBool { a: FastReg }
    /// Goes on when nothing in a is unknown, else bails out.
    RequireKnown { a: FastReg }
    /// Jumps when the bool a is `when`.
    Branch { a: FastReg, when: bool, to: FastLabel }
    /// Jumps when the bool a.name is `when`.
    BranchAttribute { a: FastReg, when: bool, cache: InlineCache, to: FastLabel, symbol: Symbol }
    /// Jumps when a.name == constant text is `when`.
    BranchAttributeText { a: FastReg, when: bool, cache: InlineCache, to: FastLabel, symbol: Symbol, k: Const }
    /// Jumps when a.name op i.
    BranchAttributeInt { op: Comparison, a: FastReg, cache: InlineCache, to: FastLabel, symbol: Symbol, i: Immediate }
    /// Jumps when a.name op constant number.
    BranchAttributeNumber { op: Comparison, a: FastReg, cache: InlineCache, to: FastLabel, symbol: Symbol, k: Const }
    /// Jumps when a == constant text is `when`.
    BranchText { a: FastReg, when: bool, to: FastLabel, k: Const }
    /// Jumps when a op i.
    BranchInt { op: Comparison, a: FastReg, to: FastLabel, i: Immediate }
    /// Jumps when a op constant number.
    BranchNumber { op: Comparison, a: FastReg, to: FastLabel, k: Const }
    /// Jumps when a op b.
    BranchCompare { op: Comparison, a: FastReg, b: FastReg, to: FastLabel }
    /// Jumps to `to` when the first of two intervals op the second, to `other` when not; goes on when
    /// they are too close to tell.
    BranchInterval { op: Comparison, intervals: IntervalId, to: FastLabel, other: FastLabel }
    /// Jumps when a == b is `when`.
    BranchEqual { a: FastReg, b: FastReg, when: bool, to: FastLabel }
    /// Jumps when a == constant is `when`.
    BranchEqualConstant { a: FastReg, when: bool, to: FastLabel, k: Const }
    /// Jumps when f(registers from base) is `when`; f returns a bool.
    BranchCall { f: Callee, base: FastReg, count: u8, when: bool, to: FastLabel }
    /// Goes on at the arm for the text a.
    Switch { a: FastReg, table: SwitchId }
    /// Goes on at a label.
    Jump { to: FastLabel }
    /// d = a, brought to the common type of a and b, the two arms of a conditional; `yes` tells which a is.
    Arm { d: FastReg, a: FastReg, b: FastReg, yes: bool }
    /// d = f(registers from base)
    Call { d: FastReg, f: Callee, base: FastReg, count: u8 }
    /// d = a tuple of the registers from base.
    Tuple { d: FastReg, base: FastReg, count: u8 }
    /// d = an object of the registers from base.
    Object { d: FastReg, base: FastReg, shape: ShapeId }
    /// Opens a template; d = where its text begins.
    TemplateBegin { d: FastReg }
    /// Appends literal text.
    TemplateText { k: Const }
    /// Appends a.
    TemplateValue { a: FastReg }
    /// Appends a.name
    TemplateAttribute { a: FastReg, cache: InlineCache, symbol: Symbol }
    /// Appends a, then literal text.
    TemplateValueText { a: FastReg, k: Const }
    /// Appends a.name, then literal text.
    TemplateAttributeText { a: FastReg, cache: InlineCache, symbol: Symbol, k: Const }
    /// d = the text of the template that begins at d.
    TemplateEnd { d: FastReg }
    /// Opens a loop over a with rounds of so many instructions; an empty collection bails out when there is a clause to try.
    LoopBegin { build: Build, a: FastReg, clause: bool, round: Immediate }
    /// Opens a loop over a that only appends to a template, with rounds of so many instructions.
    LoopEach { a: FastReg, clause: bool, round: Immediate }
    /// Opens a loop over the elements of a for a splat, with rounds of so many instructions.
    LoopSplat { a: FastReg, round: Immediate }
    /// value = the next element, or jumps when there is none.
    LoopNext { value: FastReg, to: FastLabel }
    /// key = the key of that element.
    LoopKey { key: FastReg }
    /// Appends a, then literal text, to the template and jumps.
    LoopText { a: FastReg, to: FastLabel, k: Const }
    /// Appends a.name, then literal text, to the template and jumps.
    LoopTextAttribute { a: FastReg, cache: InlineCache, to: FastLabel, symbol: Symbol, k: Const }
    /// Adds a to the result and jumps.
    LoopPush { a: FastReg, to: FastLabel }
    /// Adds a.name to the result and jumps.
    LoopPushAttribute { a: FastReg, cache: InlineCache, to: FastLabel, symbol: Symbol }
    /// Adds f(registers from base) to the result and jumps.
    LoopPushCall { f: Callee, base: FastReg, count: u8, to: FastLabel }
    /// Adds f(a.name) to the result and jumps.
    LoopPushCallAttribute { f: Callee, a: FastReg, cache: InlineCache, to: FastLabel, symbol: Symbol }
    /// Adds a to the result under a key and jumps.
    LoopEntry { key: FastReg, a: FastReg, to: FastLabel }
    /// Adds a.name to the result under the key a.name and jumps; the key's cache and symbol come first.
    LoopEntryAttributes { a: FastReg, key_hint: InlineCache, cache: InlineCache, to: FastLabel, key_symbol: Symbol, symbol: Symbol }
    /// d = what the loop built; closes it.
    LoopEnd { d: FastReg }
    /// Closes a loop that only appended to a template.
    LoopClose { }
    /// d = a[*].name
    Splat { d: FastReg, a: FastReg, cache: InlineCache, symbol: Symbol }
    /// Bails out.
    Trap { }
    /// The result is a, brought to the common type of a and b as by `Arm`.
    ReturnArm { a: FastReg, b: FastReg, yes: bool }
    /// The next result of a rule set is a; goes on at a label if it `jumps`.
    Emit { a: FastReg, jumps: bool, to: FastLabel }
    /// The next result of a rule set is a constant; goes on at a label if it `jumps`.
    EmitConstant { k: Const, jumps: bool, to: FastLabel }
    /// The next result of a rule set is a, brought to the common type of a and b; goes on at a label if it `jumps`.
    EmitArm { a: FastReg, b: FastReg, yes: bool, jumps: bool, to: FastLabel }
    /// The next result of a rule set is a bool; goes on at a label if it `jumps`.
    EmitBool { truth: bool, jumps: bool, to: FastLabel }
    /// The end of a rule set.
    End { }
    /// The result is a.
    Return { a: FastReg }
    /// The result is a constant.
    ReturnConstant { k: Const }
    /// The result is a bool.
    ReturnBool { truth: bool }
    /// The result is f(registers from base); d stays as it is, and is free.
    ReturnCall { d: FastReg, f: Callee, base: FastReg, count: u8 }
    /// The result is the text of the template that begins at d.
    ReturnTemplate { d: FastReg }
}

const _: () = assert!(size_of::<FastOp>() == 16);
