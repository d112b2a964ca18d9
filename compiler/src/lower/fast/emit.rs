//! The emitter of the fast tier: instructions, labels, registers and the completion of the code.
//!
//! Lowering emits no superinstructions: the emitter [fuses](hclvm_vm::code::fast::Fusion) the instructions that are
//! pushed. Labels are numbers until assembly replaces them by positions. The emitter of the baseline tier records an
//! origin with each instruction; fast code has none, because faults are located by the baseline tier.

use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, Symbol};
use hclvm_vm::convert;
use hclvm_vm::text::nfc;
use hclvm_vm::{Type, Value, cast};
use smol_str::SmolStr;

use super::FastLowering;
use crate::tree::{NameId, StepKind, TraversalStep};

impl<'a> FastLowering<'_, 'a> {
    /// Appends an instruction, which may be fused with those before it.
    pub(super) fn push(&mut self, mut op: FastOp) {
        let before = self.fusion.fuse(&self.ops, &mut op);
        self.ops.truncate(before);
        self.ops.push(op);
    }

    /// Loads a constant into `d`.
    pub(super) fn constant(&mut self, value: Value<'a>, d: FastReg) {
        let k = self.pool.constant(value);
        self.push(FastOp::Constant { d, k });
    }

    /// Lowers a fault in place of a value in `d`. Instructions behind it, which nothing reaches, may read `d`.
    pub(super) fn fault(&mut self, d: FastReg) {
        self.push(FastOp::Trap {});
        self.constant(Value::NULL, d);
    }

    /// Returns the position of the next instruction, to which something leads, if the format can name it.
    pub(super) fn here(&mut self) -> Option<u16> {
        self.fusion.lead_to(self.ops.len());
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

    /// Lends consecutive registers; `body` gets the first. Without registers, it gets any.
    pub(super) fn with_registers<R>(
        &mut self,
        count: usize,
        body: impl FnOnce(&mut Self, FastReg) -> Option<R>,
    ) -> Option<R> {
        if count == 0 {
            return body(self, FastReg(0));
        }
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
        self.symbol_of_text(nfc(self.context.arena(), self.context.tree.name(id)))
    }

    /// Returns the symbol of a name in normal form C.
    fn symbol_of_text(&mut self, name: &str) -> Symbol {
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

    /// Returns the symbol of a step that selects an attribute: `.name`, or `["name"]` with a constant that is no
    /// position. What the two find in objects and maps is the same, and in nothing else do they find anything.
    pub(super) fn step_symbol(&mut self, step: &TraversalStep) -> Option<Symbol> {
        match step.kind {
            StepKind::Attribute(name) => Some(self.symbol(name)),
            StepKind::Index(key) => {
                let key = self.info.constant(key)?;
                let name = key.as_str()?;
                let is_position = convert(self.context.arena(), key, Type::Number).is_ok();
                (!is_position).then(|| self.symbol_of_text(name))
            }
        }
    }

    /// Replaces jumps to the return of a bool, or to the addition of one to the result of a loop, by that instruction.
    fn thread_jumps(&mut self) {
        let (labels, ops) = (&self.labels, self.ops.as_mut_slice());
        // Without labels there are no jumps.
        if labels.is_empty() {
            return;
        }
        for at in 0..ops.len() {
            let FastOp::Jump { to } = ops[at] else { continue };
            let behind = labels.get(usize::from(to.0)).copied().flatten();
            match behind.and_then(|behind| ops.get(usize::from(behind))) {
                Some(FastOp::ReturnBool { truth }) => ops[at] = FastOp::ReturnBool { truth: *truth },
                Some(FastOp::LoopPushBool { truth, to }) => {
                    ops[at] = FastOp::LoopPushBool { truth: *truth, to: *to };
                }
                _ => {}
            }
        }
    }

    /// Completes the code: labels become positions, register numbers become the operands of the
    /// register file. Returns `None` if the code does not fit the instruction format.
    pub(super) fn finish(&mut self) -> Option<()> {
        if self.labels.len() > usize::from(u16::MAX) {
            return None;
        }
        let end = u16::try_from(self.ops.len()).ok()?;
        // A label behind the last instruction needs one to jump to.
        let leads_behind = self.labels.contains(&Some(end));
        if leads_behind || !self.ops.last().is_some_and(|op| op.facts().is_final()) {
            self.ops.push(FastOp::Trap {});
        }
        self.thread_jumps();
        let fast = &mut *self.fast;
        fast.others = cast::operand(fast.slots.len());
        // The lists are empty already, as they remain for most expressions.
        if let Some(extras) = self.extras.take() {
            fast.handlers = extras.handlers.into();
            fast.switches = extras.switches.into();
            fast.intervals = extras.intervals.into();
        }
        self.pool.freeze(&mut fast.constants, &mut fast.shapes);
        let (mut placed, labels) = (Some(()), &self.labels);
        fast.assemble(&self.ops, |label| {
            let position = labels.get(usize::from(label.0)).copied().flatten();
            FastLabel(position.unwrap_or_else(|| {
                placed = None;
                0
            }))
        });
        placed?;
        debug_assert_eq!(hclvm_vm::code::verify_fast(fast), Ok(()));
        Some(())
    }
}
