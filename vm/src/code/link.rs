//! Linking: the fast bodies of many expressions as one stream of instructions with one entry.
//!
//! ```text
//! registers   0 …        all slots that any of the rules reads, each once
//!             behind     the other registers of the rule under way; or as `Fast::place` sees fit
//! instructions           rule 0 │ rule 1 │ … │ End
//!                        Return becomes Emit, which goes on at the next rule
//! ```

use std::sync::Arc;

use super::fast::{EstimateId, Fast, FastLabel, FastOp, FastReg, Handler, Holds, SwitchId, Term};
use super::table::Operand;
use super::{Callee, Const, OperandMut, Shape, ShapeId, Slot, Switch};
use crate::function::Function;
use crate::value::{Constants, Value};

/// Rules in one stream, as many as fit.
#[derive(Debug)]
pub struct Linked {
    /// The stream.
    pub fast: Fast,
    /// Where each rule begins.
    starts: Box<[u16]>,
}

impl Linked {
    /// Number of rules.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Where a rule begins.
    pub(crate) fn start(&self, rule: usize) -> Option<usize> {
        self.starts.get(rule).map(|start| usize::from(*start))
    }
}

/// Links rules in order into as few streams as fit them. A rule without fast body bails out at
/// once.
pub fn link<'r>(rules: impl IntoIterator<Item = Option<&'r Fast>>) -> Vec<Linked> {
    let mut streams = Vec::new();
    let mut linker = Linker::default();
    for rule in rules {
        if !linker.has_room(rule) {
            streams.push(std::mem::take(&mut linker).finish());
        }
        // A rule too large for a stream of its own is run by itself.
        linker.add(rule.filter(|_| linker.has_room(rule)));
    }
    if !linker.rules.is_empty() {
        streams.push(linker.finish());
    }
    streams
}

#[derive(Default)]
struct Linker<'r> {
    rules: Vec<Option<&'r Fast>>,
    slots: Vec<Slot>,
    /// The most registers that a rule has beside its slots.
    others: usize,
    ops: usize,
    functions: usize,
    switches: usize,
    estimates: usize,
}

impl<'r> Linker<'r> {
    fn has_room(&self, rule: Option<&'r Fast>) -> bool {
        let Some(rule) = rule else { return self.ops < usize::from(u16::MAX) - 1 };
        let new = rule.slots.iter().filter(|slot| !self.slots.contains(slot)).count();
        let others = self.others.max(others_of(rule));
        self.slots.len() + new + others <= 256
            && self.ops + rule.ops.len() < usize::from(u16::MAX) - 1
            && fits(self.functions + rule.functions.len())
            && fits(self.switches + rule.switches.len())
            && fits(self.estimates + rule.estimates.len())
    }

    fn add(&mut self, rule: Option<&'r Fast>) {
        self.rules.push(rule);
        let Some(rule) = rule else {
            self.ops += 1;
            return;
        };
        for slot in &rule.slots {
            if !self.slots.contains(slot) {
                self.slots.push(*slot);
            }
        }
        self.others = self.others.max(others_of(rule));
        self.ops += rule.ops.len();
        self.functions += rule.functions.len();
        self.switches += rule.switches.len();
        self.estimates += rule.estimates.len();
    }

    fn finish(self) -> Linked {
        let mut parts = Parts::default();
        let mut starts = Vec::with_capacity(self.rules.len());
        for rule in &self.rules {
            starts.push(parts.ops.len() as u16);
            match rule {
                Some(rule) => parts.append(rule, &self.slots),
                None => parts.ops.push(FastOp::Trap {}),
            }
        }
        parts.ops.push(FastOp::End {});
        let mut fast = Fast {
            ops: parts.ops.into(),
            slot_bits: self.slots.iter().fold(0, |bits, slot| bits | slot.bit()),
            registers: (self.slots.len() + self.others) as u16,
            others: self.slots.len() as u16,
            in_place: false,
            placed: false,
            slots: self.slots.into(),
            names: parts.names.into(),
            handlers: parts.handlers.into(),
            switches: parts.switches.into(),
            estimates: parts.estimates.into(),
            constants: Constants::freeze(&parts.constants),
            functions: parts.functions.into(),
            shapes: parts.shapes.into(),
        };
        fast.place();
        debug_assert_eq!(super::verify_fast(&fast), Ok(()));
        Linked { fast, starts: starts.into() }
    }
}

/// Whether so many things can be told apart by an operand.
fn fits(count: usize) -> bool {
    u16::try_from(count).is_ok()
}

fn others_of(rule: &Fast) -> usize {
    usize::from(rule.registers.saturating_sub(rule.others))
}

/// The tables of a stream under construction.
#[derive(Default)]
struct Parts<'r> {
    ops: Vec<FastOp>,
    names: Vec<(super::fast::Symbol, Const)>,
    handlers: Vec<Handler>,
    switches: Vec<Switch>,
    estimates: Vec<Box<[Term]>>,
    constants: Vec<Value<'r>>,
    functions: Vec<Arc<Function>>,
    shapes: Vec<Shape>,
}

impl<'r> Parts<'r> {
    fn append(&mut self, rule: &'r Fast, slots: &[Slot]) {
        let base = self.ops.len() as u16;
        let (constants, shapes) = (self.constants.len() as u32, self.shapes.len() as u32);
        let (switches, estimates) = (self.switches.len() as u16, self.estimates.len() as u16);
        let callees: Vec<Callee> = rule.functions.iter().map(|function| self.callee(function)).collect();
        let register = |reg: FastReg| match rule.holds(reg) {
            Holds::Slot(slot) => slots.iter().position(|known| *known == rule.slots[slot]).unwrap_or(0) as u8,
            Holds::Other(other) => (slots.len() + other) as u8,
        };
        let ops = reached(rule);
        for (at, op) in ops.iter().enumerate() {
            let mut op = returns_as_emits(op, at + 1 < ops.len(), FastLabel(ops.len() as u16));
            op.operands_mut(|operand| match operand {
                OperandMut::FastReg(reg) => reg.0 = register(rule.number(*reg)),
                OperandMut::FastLabel(label) => label.0 += base,
                OperandMut::Const(constant) => constant.0 += constants,
                OperandMut::Callee(callee) => *callee = callees[usize::from(callee.0)],
                OperandMut::Shape(ShapeId(shape)) => *shape += shapes,
                OperandMut::Switch(SwitchId(switch)) => *switch += switches,
                OperandMut::Estimate(EstimateId(estimate)) => *estimate += estimates,
                OperandMut::Fixed => {}
            });
            self.ops.push(op);
        }
        let moved = |label: FastLabel| FastLabel(label.0 + base);
        // Without a place to go on at, a fault bails out in any case.
        if rule.handlers.iter().any(|handler| handler.target.is_some()) {
            self.handlers.extend(rule.handlers.iter().map(|handler| Handler {
                start: handler.start + base,
                end: handler.end + base,
                target: handler.target.map(moved),
            }));
        }
        self.switches.extend(rule.switches.iter().map(|switch| {
            let mut switch = switch.clone();
            switch.targets_mut().for_each(|target| target.0 += base);
            switch
        }));
        self.estimates.extend(rule.estimates.iter().map(|terms| {
            let moved = |term: &Term| match term {
                Term::Register(reg) => Term::Register(FastReg(register(*reg))),
                term => *term,
            };
            terms.iter().map(moved).collect::<Box<[Term]>>()
        }));
        for (symbol, name) in &rule.names {
            if !self.names.iter().any(|(known, _)| known == symbol) {
                self.names.push((*symbol, Const(name.0 + constants)));
            }
        }
        self.constants.extend_from_slice(rule.constants.values());
        self.shapes.extend_from_slice(&rule.shapes);
    }

    fn callee(&mut self, function: &Arc<Function>) -> Callee {
        let known = self.functions.iter().position(|known| Arc::ptr_eq(known, function));
        let at = known.unwrap_or_else(|| {
            self.functions.push(Arc::clone(function));
            self.functions.len() - 1
        });
        Callee(at as u16)
    }
}

/// The instructions of a rule, without a trap at the end that nothing leads to.
fn reached(rule: &Fast) -> &[FastOp] {
    let [ops @ .., FastOp::Trap {}] = &*rule.ops else { return &rule.ops };
    let trap = ops.len() as u16;
    let mut leads_there = !ops.last().is_some_and(FastOp::is_final);
    for op in ops {
        op.operands(|_, operand| leads_there |= matches!(operand, Operand::FastLabel(to) if to.0 == trap));
    }
    leads_there |= rule.handlers.iter().any(|handler| handler.target.is_some_and(|to| to.0 == trap));
    leads_there |= rule.switches.iter().any(|switch| switch.targets().any(|to| to.0 == trap));
    if leads_there { &rule.ops } else { ops }
}

/// A copy of an instruction, in which a return is an emit that goes on at `to`, the
/// next rule, unless that follows anyway.
fn returns_as_emits(op: &FastOp, jumps: bool, to: FastLabel) -> FastOp {
    match op {
        FastOp::Return { a } => FastOp::Emit { a: *a, jumps, to },
        FastOp::ReturnConstant { k } => FastOp::EmitConstant { k: *k, jumps, to },
        FastOp::ReturnArm { a, b, yes } => FastOp::EmitArm { a: *a, b: *b, yes: *yes, jumps, to },
        op => op.clone(),
    }
}
