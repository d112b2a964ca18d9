//! The emitter of the baseline tier: instructions with origins, labels and registers.
//!
//! Nothing here fails half way: an overflow of the instruction format sets a flag, and
//! [`Emitter::finish`] then returns [`TooLarge`].

use std::sync::Arc;

use hclvm_vm::code::{
    Callee, Code, Const, Failure, FailureId, Label, Op, Origin, Position, Reg, Shape, ShapeId, Slot,
};
use hclvm_vm::hash::HashMap;
use hclvm_vm::{Arena, Function, Place, Value, cast};
use smol_str::SmolStr;

use crate::lower::emit::{Pool, TooLarge};

/// The instructions of an expression under construction.
#[derive(Debug)]
pub(crate) struct Emitter<'a> {
    ops: Vec<Op>,
    origins: Vec<Origin>,
    pool: Pool<'a>,
    functions: Vec<Arc<Function>>,
    failures: Vec<Failure>,
    slots: HashMap<Slot, SmolStr>,
    /// The position of each label; `u32::MAX` until placed.
    labels: Vec<u32>,
    next: u16,
    registers: u16,
    too_large: bool,
}

impl<'a> Emitter<'a> {
    /// Creates an empty emitter.
    pub(crate) fn new(arena: &'a Arena) -> Self {
        Self {
            ops: Vec::new(),
            origins: Vec::new(),
            pool: Pool::new(arena),
            functions: Vec::new(),
            failures: Vec::new(),
            slots: HashMap::default(),
            labels: Vec::new(),
            next: 0,
            registers: 0,
            too_large: false,
        }
    }

    /// Appends an instruction that came from a part of a node.
    pub(crate) fn emit(&mut self, op: Op, node: u32, place: Place) {
        self.ops.push(op);
        self.origins.push(Origin { node, place });
    }

    /// Returns a free register. Registers are given back in reverse order.
    pub(crate) fn borrow(&mut self) -> Reg {
        let reg = Reg(self.next);
        if self.next >= u16::MAX - 1 {
            self.too_large = true;
        } else {
            self.next += 1;
            self.registers = self.registers.max(self.next);
        }
        reg
    }

    /// Gives a borrowed register back.
    pub(crate) fn give_back(&mut self, reg: Reg) {
        if !self.too_large {
            debug_assert_eq!(reg.0 + 1, self.next);
            self.next = reg.0;
        }
    }

    /// Returns the number of a constant.
    pub(crate) fn constant(&mut self, value: Value<'a>) -> Const {
        self.pool.constant(value)
    }

    /// Lists a function, unless it is listed already.
    pub(crate) fn function(&mut self, function: &Arc<Function>) -> Callee {
        let known = self.functions.iter().position(|known| Arc::ptr_eq(known, function));
        let at = known.unwrap_or_else(|| {
            self.functions.push(Arc::clone(function));
            self.functions.len() - 1
        });
        Callee(u16::try_from(at).unwrap_or_else(|_| {
            self.too_large = true;
            0
        }))
    }

    /// Lists the keys of an object constructor.
    pub(crate) fn shape(&mut self, shape: Shape) -> ShapeId {
        self.pool.shape(shape)
    }

    /// Lists a problem that is a fault when reached.
    pub(crate) fn failure(&mut self, failure: Failure) -> FailureId {
        self.failures.push(failure);
        FailureId(cast::length(self.failures.len()) - 1)
    }

    /// Lists a slot that the code reads, with its name.
    pub(crate) fn slot(&mut self, slot: Slot, name: &SmolStr) -> Slot {
        self.slots.entry(slot).or_insert_with(|| name.clone());
        slot
    }

    /// Returns a label that is not placed yet.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(cast::length(self.labels.len()) - 1)
    }

    /// Places a label at the next instruction.
    pub(crate) fn place(&mut self, label: Label) {
        self.labels[cast::index(label.0)] = cast::length(self.ops.len());
    }

    /// Returns a position among siblings; those beyond the format share the last one.
    pub(crate) fn position(at: usize) -> Position {
        Position(u16::try_from(at).unwrap_or(u16::MAX))
    }

    /// Completes the code: labels become positions.
    pub(crate) fn finish(mut self) -> Result<Code, TooLarge> {
        if self.too_large {
            return Err(TooLarge);
        }
        for op in &mut self.ops {
            if let Some(target) = op.target_mut() {
                target.0 = self.labels[cast::index(target.0)];
            }
        }
        let mut slots: Vec<_> = self.slots.into_iter().collect();
        slots.sort_unstable_by_key(|(slot, _)| *slot);
        let (mut constants, mut shapes) = Default::default();
        self.pool.freeze(&mut constants, &mut shapes);
        let code = Code {
            ops: self.ops.into(),
            origins: self.origins.into(),
            constants,
            functions: self.functions.into(),
            shapes,
            failures: self.failures.into(),
            slots: slots.into(),
            registers: self.registers,
        };
        debug_assert_eq!(hclvm_vm::code::verify(&code), Ok(()));
        Ok(code)
    }
}
