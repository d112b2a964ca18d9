//! The emitter of the fast tier: instructions, labels, registers and the completion of the code.
//!
//! Lowering emits no superinstructions: assembly fuses instructions, after the [`peephole`](super::peephole) pass, and
//! replaces labels by positions. The emitter of the baseline tier records an origin with each instruction; fast code has
//! none, because faults are located by the baseline tier.

use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, Symbol};
use hclvm_vm::text::nfc;
use hclvm_vm::{Value, cast};
use smol_str::SmolStr;

use super::FastLowering;
use crate::tree::{NameId, StepKind, TraversalStep};

impl<'a> FastLowering<'_, 'a> {
    /// Appends an instruction.
    pub(super) fn push(&mut self, op: FastOp) {
        self.ops.push(op);
    }

    /// Loads a constant into `d`.
    pub(super) fn constant(&mut self, value: Value<'a>, d: FastReg) {
        let k = self.pool.constant(value);
        self.push(FastOp::Constant { d, k });
    }

    /// Loads a constant into `d` and jumps.
    pub(super) fn constant_and_jump(&mut self, value: Value<'a>, d: FastReg, to: FastLabel) {
        self.constant(value, d);
        self.push(FastOp::Jump { to });
    }

    /// Returns the position of the next instruction, if the format can name it.
    pub(super) fn here(&self) -> Option<u16> {
        u16::try_from(self.ops.len()).ok()
    }

    /// Returns a label that is not placed yet. Labels beyond the format share a number, and
    /// [`FastLowering::finish`] then rejects the code.
    pub(super) fn label(&mut self) -> FastLabel {
        let label = u16::try_from(self.labels.len()).unwrap_or(u16::MAX);
        self.labels.push(None);
        FastLabel(label)
    }

    /// Places a label at the next instruction.
    pub(super) fn place(&mut self, label: FastLabel) -> Option<()> {
        let here = self.here()?;
        *self.labels.get_mut(usize::from(label.0))? = Some(here);
        Some(())
    }

    /// Takes the next registers and returns the first. Only for methods that lend them by closure.
    pub(super) fn borrow(&mut self, count: usize) -> Option<FastReg> {
        let base = FastReg(self.next);
        self.next = self.next.checked_add(u8::try_from(count).ok()?)?;
        self.fast.registers = self.fast.registers.max(u16::from(self.next));
        Some(base)
    }

    /// Lends the next register.
    pub(super) fn with_register<R>(
        &mut self,
        body: impl FnOnce(&mut Self, FastReg) -> Option<R>,
    ) -> Option<R> {
        self.with_registers(1, body)
    }

    /// Lends consecutive registers; `body` gets the first.
    pub(super) fn with_registers<R>(
        &mut self,
        count: usize,
        body: impl FnOnce(&mut Self, FastReg) -> Option<R>,
    ) -> Option<R> {
        let base = self.borrow(count)?;
        let result = body(self, base);
        self.next = base.0;
        result
    }

    /// Returns the symbol of an attribute name, and lists the name.
    fn symbol(&mut self, id: NameId) -> Symbol {
        let known = self.context.resolution.and_then(|resolution| resolution.attribute(id));
        let Some((symbol, name)) = known else { return self.interned(id) };
        if !self.lists(*symbol) {
            self.list(*symbol, name);
        }
        *symbol
    }

    /// [`FastLowering::symbol`] for a name that is not in the resolution.
    // Out of line, because the names of a file are resolved.
    #[inline(never)]
    fn interned(&mut self, id: NameId) -> Symbol {
        let name = nfc(self.context.arena(), self.context.tree.name(id));
        let symbol = Symbol(self.context.environment.names.symbol(name));
        if !self.lists(symbol) {
            self.fast.names.push((symbol, SmolStr::new(name)));
        }
        symbol
    }

    /// Lists the name of a symbol.
    ///
    /// The name is copied in place: one that is pushed is moved in parts that overlap, which waits for the stores.
    fn list(&mut self, symbol: Symbol, name: &SmolStr) {
        self.fast.names.push((symbol, SmolStr::default()));
        if let Some((_, listed)) = self.fast.names.last_mut() {
            listed.clone_from(name);
        }
    }

    /// Returns true if the name of a symbol is listed.
    fn lists(&self, symbol: Symbol) -> bool {
        self.fast.names.iter().any(|(known, _)| *known == symbol)
    }

    /// Returns the symbol of a step that selects an attribute.
    pub(super) fn step_symbol(&mut self, step: &TraversalStep) -> Option<Symbol> {
        match step.kind {
            StepKind::Attribute(name) => Some(self.symbol(name)),
            StepKind::Index(_) => None,
        }
    }

    /// Completes the code: labels become positions, register numbers become the operands of the
    /// register file. Returns `None` if the code does not fit the instruction format.
    pub(super) fn finish(&mut self) -> Option<()> {
        if self.labels.len() > usize::from(u16::MAX) || self.ops.len() > usize::from(u16::MAX) {
            return None;
        }
        // A label behind the last instruction needs one to jump to.
        let leads_behind = self.labels.contains(&self.here());
        // Without labels there are no jumps.
        if !self.labels.is_empty() {
            self.return_early();
        }
        if leads_behind || !self.ops.last().is_some_and(|op| op.facts().is_final()) {
            self.ops.push(FastOp::Trap {});
        }
        let fast = &mut *self.fast;
        fast.others = cast::operand(fast.slots.len());
        // The lists are empty already, as they remain for most expressions.
        if let Some(extras) = self.extras.take() {
            fast.handlers = extras.handlers.into();
            fast.switches = extras.switches.into();
            fast.intervals = extras.intervals.into();
        }
        self.pool.freeze(&mut fast.constants, &mut fast.shapes);
        fast.assemble(&mut self.ops, &mut self.labels)?;
        debug_assert_eq!(hclvm_vm::code::verify_fast(fast), Ok(()));
        Some(())
    }
}
