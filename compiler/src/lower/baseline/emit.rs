//! The emitter of the baseline tier: instructions with origins, labels and registers.
//!
//! Nothing here fails half way: an overflow of the instruction format sets a flag, and
//! [`Emitter::finish`] then returns [`TooLarge`].

use std::sync::Arc;

use hclvm_vm::code::{
    Callee, Code, Const, Failure, FailureId, Label, Op, Origin, Position, Reg, Shape, ShapeId, Slot,
};
use hclvm_vm::hash::HashMap;
use hclvm_vm::{Arena, Function, Place, Value};
use smol_str::SmolStr;

use crate::lower::emit::{Pool, TooLarge};

/// A full body under construction.
#[derive(Debug)]
pub(crate) struct Emitter<'a> {
    ops: Vec<Op>,
    origins: Vec<Origin>,
    pool: Pool<'a>,
    functions: Vec<Arc<Function>>,
    failures: Vec<Failure>,
    slots: HashMap<Slot, SmolStr>,
    /// Where each label points; `u32::MAX` until placed.
    labels: Vec<u32>,
    next: u16,
    registers: u16,
    too_large: bool,
}

impl<'a> Emitter<'a> {
    /// Of nothing yet.
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

    /// A free register, to be given back in the reverse order. Only for those who lend it on
    /// by closure themselves.
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

    /// A constant.
    pub(crate) fn constant(&mut self, value: Value<'a>) -> Const {
        self.pool.constant(value)
    }

    /// A function; the same one is listed once.
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

    /// The keys of an object constructor.
    pub(crate) fn shape(&mut self, shape: Shape) -> ShapeId {
        self.pool.shape(shape)
    }

    /// A problem that is a fault when reached.
    pub(crate) fn failure(&mut self, failure: Failure) -> FailureId {
        self.failures.push(failure);
        FailureId(self.failures.len() as u32 - 1)
    }

    /// A slot that the code reads.
    pub(crate) fn slot(&mut self, slot: Slot, name: &SmolStr) -> Slot {
        self.slots.entry(slot).or_insert_with(|| name.clone());
        slot
    }

    /// A label that is not placed yet.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    /// Places a label at the next instruction.
    pub(crate) fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.ops.len() as u32;
    }

    /// A position among siblings; those beyond the format share the last one.
    pub(crate) fn position(at: usize) -> Position {
        Position(u16::try_from(at).unwrap_or(u16::MAX))
    }

    /// The code.
    pub(crate) fn finish(mut self) -> Result<Code, TooLarge> {
        if self.too_large {
            return Err(TooLarge);
        }
        for op in &mut self.ops {
            if let Some(target) = op.target_mut() {
                target.0 = self.labels[target.0 as usize];
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
