//! Which values of an observed run may have lost marks.
//!
//! The result of an instruction that reads a marked value is marked, or there is a fault, of which the value is an
//! unmarked unknown. Whether there is one may depend on what is marked; so a value of this kind is treated like a
//! marked one, as is what is computed from it, and what `try` and `can` give for it.
//!
//! Invariant: whether a value is treated as marked depends on no marked value. Both ways of an instruction that reads
//! a marked value, with and without a fault, end in a value that is.

use super::super::machine::Machine;
use crate::code::{Op, Operand, Reg};
use crate::memory::cast;

/// What may depend on marked values.
#[derive(Debug)]
pub(super) struct Taint {
    /// The registers whose values do, though they may not be marked.
    registers: Vec<bool>,
    /// The values on the stack that do.
    pushed: Vec<bool>,
    /// The constructs that are open.
    open: Vec<OpenConstruct>,
    /// The number of instructions so far that read what does.
    pub(super) reads: u64,
    /// True if the current instruction does.
    pub(super) is_read: bool,
    /// True if the current instruction reads such a value that may not be marked.
    is_lost: bool,
    /// The number of faults before it.
    faults: usize,
}

/// A loop, splat, object, template or `try` that is being evaluated.
#[derive(Clone, Copy, Debug, Default)]
struct OpenConstruct {
    /// True if marked values decide what it evaluates.
    controls: bool,
    /// True if it has a part that depends on one.
    is_read: bool,
    /// True if it has such a part that may not be marked.
    is_lost: bool,
}

impl Taint {
    pub(super) fn new(registers: u16) -> Self {
        Self {
            registers: vec![false; usize::from(registers)],
            pushed: Vec::new(),
            open: Vec::new(),
            reads: 0,
            is_read: false,
            is_lost: false,
            faults: 0,
        }
    }

    /// Returns true if the value of a register must not be shown.
    pub(super) fn of(&self, machine: &Machine<'_, '_>, reg: Reg) -> bool {
        reg != Reg::NONE && (self.lost(reg) || machine.get(reg).contains_marks())
    }

    fn lost(&self, reg: Reg) -> bool {
        self.registers.get(usize::from(reg.0)).copied().unwrap_or(false)
    }

    /// Returns true if a collection itself must not be shown; its elements may be marked anyway.
    fn of_collection(&self, machine: &Machine<'_, '_>, reg: Reg) -> bool {
        self.lost(reg) || machine.get(reg).is_marked()
    }

    /// Returns true if what is evaluated now was decided by marked values.
    pub(super) fn controls(&self) -> bool {
        self.open.iter().any(|open| open.controls)
    }

    /// Notes what the current instruction reads.
    pub(super) fn before(&mut self, machine: &Machine<'_, '_>, op: Op) {
        self.faults = machine.log.len();
        let stack = |count: usize| {
            let from = machine.stack.len().saturating_sub(count);
            let lost = self.pushed.get(from..).unwrap_or_default().contains(&true);
            (lost || machine.stack[from..].iter().any(|value| value.contains_marks()), lost)
        };
        (self.is_read, self.is_lost) = match op {
            // An attribute of an object that is not marked itself depends on no other attribute.
            // A loop over a collection that is not marked itself visits each element, marked or not.
            Op::Attribute { a, .. }
            | Op::IndexConstant { a, .. }
            | Op::ForBegin { a, .. }
            | Op::SplatBegin { a, .. } => (self.of_collection(machine, a), self.lost(a)),
            Op::Index { a, b, .. } => {
                (self.of_collection(machine, a) || self.of(machine, b), self.lost(a) || self.lost(b))
            }
            Op::Call { count, .. } | Op::Tuple { count, .. } => stack(cast::index(count.0)),
            Op::Object { shape, .. } => {
                let shape = machine.code.shapes.get(cast::index(shape.0));
                stack(shape.map_or(0, |shape| cast::index(shape.pushed)))
            }
            Op::CallExpanded { a, .. } => {
                let (is_read, is_lost) = stack(machine.stack.len());
                (is_read || self.of(machine, a), is_lost || self.lost(a))
            }
            op => {
                let (mut is_read, mut is_lost) = (false, false);
                op.operands(|_, operand| {
                    if let Operand::In(reg) = operand {
                        is_read |= self.of(machine, reg);
                        is_lost |= reg != Reg::NONE && self.lost(reg);
                    }
                });
                (is_read, is_lost)
            }
        };
        self.reads += u64::from(self.is_read);
    }

    /// Notes what the current instruction gives. `failed` shows whether its result has faults, and `read_since`
    /// whether anything was read since an instruction `Log`.
    pub(super) fn after(
        &mut self,
        machine: &Machine<'_, '_>,
        op: Op,
        jumps: bool,
        failed: bool,
        read_since: impl Fn(Reg) -> bool,
    ) {
        let is_lost = self.is_lost || self.is_read && (failed || machine.log.len() > self.faults);
        let result = match op {
            Op::ForBegin { a, .. } | Op::SplatBegin { a, .. } => {
                let controls = self.of_collection(machine, a);
                if !jumps {
                    self.open.push(OpenConstruct { controls, ..OpenConstruct::default() });
                }
                controls
            }
            Op::ObjectBegin {} | Op::TemplateBegin {} | Op::TryBegin { .. } => {
                self.open.push(OpenConstruct::default());
                false
            }
            Op::ObjectItem { .. }
            | Op::DistinctItem { .. }
            | Op::TemplatePart { .. }
            | Op::ForValue { .. }
            | Op::SplatItem { .. } => {
                self.note(OpenConstruct { controls: false, is_read: self.is_read, is_lost })
            }
            Op::ForInclude { a, .. } | Op::ForKey { a, .. } => {
                let controls = self.of(machine, a);
                self.note(OpenConstruct { controls, is_read: controls, is_lost: controls })
            }
            Op::ForTested { a, log, .. } => {
                let controls = self.of(machine, a) || read_since(log);
                let lost = self.note(OpenConstruct { controls, is_read: controls, is_lost: controls });
                if jumps { self.close() } else { lost }
            }
            Op::TryTake { log, .. } => {
                let is_read = read_since(log);
                let lost = self.note(OpenConstruct { controls: false, is_read, is_lost: is_lost || is_read });
                if jumps { self.close() } else { lost }
            }
            Op::ObjectEnd { .. }
            | Op::TemplateEnd { .. }
            | Op::ForEnd { .. }
            | Op::SplatEnd { .. }
            | Op::TryFail { .. } => self.close() || is_lost,
            Op::Can { log, .. } => self.close() || is_lost || read_since(log),
            Op::Log { .. }
            | Op::ForNext { .. }
            | Op::ForProbe { .. }
            | Op::SplatNext { .. }
            | Op::ForSame { .. } => false,
            // A function may give an open value for a marked one, and gives an unmarked unknown for some unknown ones.
            Op::Call { d, .. } | Op::CallExpanded { d, .. } => {
                is_lost || self.is_read && !machine.get(d).is_known() && drops_marks(machine, op)
            }
            // Of a collection as a whole, because which of its elements is lost may depend on a marked one.
            Op::Tuple { .. } | Op::Object { .. } => self.is_read,
            _ => is_lost || self.is_read && drops_marks(machine, op),
        };
        op.operands(|_, operand| {
            if let Operand::Out(reg) = operand
                && let Some(register) = self.registers.get_mut(usize::from(reg.0))
                && (jumps
                    || !matches!(op, Op::ForTested { .. } | Op::ForBegin { .. } | Op::SplatBegin { .. }))
            {
                *register = result;
            }
        });
        self.pushed.resize(machine.stack.len(), is_lost);
    }

    /// Adds to the innermost open construct. Returns true if its result is lost.
    fn note(&mut self, more: OpenConstruct) -> bool {
        let Some(open) = self.open.last_mut() else { return more.is_lost };
        open.controls |= more.controls;
        open.is_read |= more.is_read;
        open.is_lost |= more.is_lost;
        open.is_lost
    }

    /// Closes the innermost open construct. Returns true if its result is lost: if a part of it must not be shown.
    fn close(&mut self) -> bool {
        self.open.pop().is_some_and(|open| open.is_lost || open.controls || open.is_read)
    }
}

/// Returns true if an instruction gave a value that is not marked. Operators do for marked values that are unknown.
fn drops_marks(machine: &Machine<'_, '_>, op: Op) -> bool {
    let mut drops = false;
    op.operands(|_, operand| {
        if let Operand::Out(reg) = operand {
            drops |= !machine.get(reg).contains_marks();
        }
    });
    drops
}
