//! Execution: code, a scope's slots and an arena give a value and the faults on the way.
//!
//! `full` is the reference semantics: both arms of conditionals, both operands of `&&`
//! and `||`, marks, unknowns and every diagnostic. Each of its instructions is one
//! function of a file here, named as the construct it serves.

mod access;
mod call;
mod cold;
mod conditional;
mod construct;
mod fast;
mod frame;
mod full;
mod iterate;
mod loops;
mod machine;
mod operators;
mod quick;
mod registers;
mod rules;
mod splat;
mod template;

pub use conditional::arms_type;
pub use frame::Frame;
pub use rules::run_rules;

use crate::code::fast::Fast;
use crate::code::{Code, Const, Reg};
use crate::fault::{Fault, Place, Record};
use crate::memory::arena::{Arena, ArenaVec};
use crate::memory::limits::Exhausted;
use crate::value::{TextBuffer, Value};

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

/// The value that a fast body gives in an arena that it has for itself; `None` when it bails out,
/// after which the arena is to be reset. A run that ends well leaves the budget full. Straight-line
/// code costs nothing here. Templates grow in `text`.
#[inline]
pub fn run_fast<'a>(
    fast: &'a Fast,
    frame: Frame<'_, 'a>,
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    if !frame.is_plain(fast) {
        return None;
    }
    fast::enter(fast, frame.values(), arena, text).filter(|_| arena.budget().ends_well())
}

/// Like [`run_fast`], but the full body may do everything again in the same arena, with what the
/// fast one was given.
pub fn try_fast<'a>(fast: &'a Fast, frame: Frame<'_, 'a>, arena: &'a Arena) -> Option<Value<'a>> {
    let before = arena.budget().mark();
    // A call charges for what straight-line code is bounded by.
    let value = if arena.charge(fast.ops.len() as u64) && frame.is_plain(fast) {
        let mut text = arena.take_scratch();
        let value = fast::enter(fast, frame.values(), arena, &mut text);
        arena.keep_scratch(text);
        value.filter(|_| arena.budget().exhausted().is_none())
    } else {
        None
    };
    if value.is_none() {
        arena.budget().restore(before);
        arena.forgive();
    }
    value
}

/// Runs the full body of `code` with the values of its layout's slots.
pub fn run<'a>(code: &'a Code, slots: &[Value<'a>], arena: &'a Arena) -> Outcome<'a> {
    let mut machine = Machine::new(code, slots, arena);
    // Straight-line code is bounded by its length; loops and functions charge as they go.
    arena.charge(code.ops.len() as u64);
    let value = machine.run_full();
    arena.settle();
    Outcome {
        value,
        faults: machine.log.into_bump_slice(),
        exhausted: arena.budget().exhausted(),
        stopped_at: code.origins.get(machine.pc).map_or(0, |origin| origin.node),
    }
}

/// The state of one run.
struct Machine<'r, 'a> {
    code: &'a Code,
    slots: &'r [Value<'a>],
    arena: &'a Arena,
    registers: ArenaVec<'a, Value<'a>>,
    /// Faults so far.
    log: ArenaVec<'a, Record<'a>>,
    /// Failed attempts of the `try` calls under way.
    kept: ArenaVec<'a, Record<'a>>,
    /// Values pushed for constructors and calls.
    stack: ArenaVec<'a, Value<'a>>,
    objects: ArenaVec<'a, construct::OpenObject<'a>>,
    templates: ArenaVec<'a, template::OpenTemplate<'a>>,
    loops: ArenaVec<'a, iterate::Loop<'a>>,
    splats: ArenaVec<'a, splat::OpenSplat<'a>>,
    pc: usize,
    /// Where the last jump went, and the instructions before it that are not paid.
    landed: usize,
    walked: u64,
}

impl<'r, 'a> Machine<'r, 'a> {
    fn new(code: &'a Code, slots: &'r [Value<'a>], arena: &'a Arena) -> Self {
        let mut registers = arena.list();
        registers.resize(usize::from(code.registers), Value::NULL);
        Self {
            code,
            slots,
            arena,
            registers,
            log: arena.list(),
            kept: arena.list(),
            stack: arena.list(),
            objects: arena.list(),
            templates: arena.list(),
            loops: arena.list(),
            splats: arena.list(),
            pc: 0,
            landed: 0,
            walked: 0,
        }
    }

    fn get(&self, reg: Reg) -> Value<'a> {
        self.registers[usize::from(reg.0)]
    }

    fn set(&mut self, reg: Reg, value: Value<'a>) {
        self.registers[usize::from(reg.0)] = value;
    }

    /// Sets a register that may be `Reg::NONE`.
    fn bind(&mut self, reg: Reg, value: Value<'a>) {
        if reg != Reg::NONE {
            self.set(reg, value);
        }
    }

    fn constant(&self, constant: Const) -> Value<'a> {
        self.code.constants.get(constant.0 as usize)
    }

    fn constant_text(&self, constant: Const) -> &'a str {
        self.constant(constant).as_str().unwrap_or("")
    }

    /// How many faults were recorded when `Log` wrote `reg`.
    fn logged(&self, reg: Reg) -> usize {
        match self.get(reg).as_number() {
            Some(crate::number::NumberRef::Int(count, _)) => count as usize,
            _ => 0,
        }
    }

    /// Whether faults were recorded since `Log` wrote `reg`.
    fn faulted_since(&self, reg: Reg) -> bool {
        self.log.len() > self.logged(reg)
    }

    /// The place of the current instruction's origin.
    fn place(&self) -> Place {
        self.code.origins[self.pc].place
    }

    /// Whether marks were taken off a collection whose elements are looked at one by one.
    fn is_secret(&self) -> bool {
        self.loops.iter().any(|open| open.secret) || self.splats.iter().any(|open| open.is_secret())
    }

    /// A fault at a part of the current instruction's node.
    fn record(&self, fault: Fault<'a>, place: Place) -> Record<'a> {
        let fault = if self.is_secret() { fault.concealed(self.arena) } else { fault };
        Record { fault, node: self.code.origins[self.pc].node, place }
    }

    /// Records a fault at a part of the current instruction's node.
    fn fault(&mut self, fault: Fault<'a>, place: Place) {
        let record = self.record(fault, place);
        self.log.push(record);
    }

    /// Removes the faults from `from` up to `to`.
    fn drop_faults(&mut self, from: usize, to: usize) {
        self.log.drain(from..to);
    }
}
