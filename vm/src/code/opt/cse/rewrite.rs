//! Rewrites rules so that they keep values in registers and read them from there, then removes what is dead by
//! liveness analysis: copies, constants, and what an earlier instruction has computed as well.

use std::ops::Range;

use super::expression::Id;
use super::walk::{HeldExpressions, ReachedInstruction, RuleWalk};
use super::{Numbered, Stream};
use crate::code::OperandMut;
use crate::code::fast::{FastOp, FastReg};
use crate::memory::cast;

/// The expressions that are kept.
pub(super) struct KeptExpressions {
    /// By the number of the expression: the register that keeps it and the instruction that computes
    /// it.
    by_id: Vec<Option<(FastReg, usize)>>,
}

impl KeptExpressions {
    /// Assigns registers from `first` on to expressions, each given with the instruction that computes it.
    pub(super) fn new(first: usize, expressions: impl Iterator<Item = (Id, usize)>) -> Self {
        let mut by_id = Vec::new();
        for (number, (id, at)) in expressions.enumerate() {
            if by_id.len() <= id.at() {
                by_id.resize(id.at() + 1, None);
            }
            by_id[id.at()] = Some((FastReg(cast::register(first + number)), at));
        }
        Self { by_id }
    }

    fn get(&self, id: Option<Id>) -> Option<(FastReg, usize)> {
        self.by_id.get(id?.at()).copied().flatten()
    }

    /// Returns the register that holds an expression before instruction `at`.
    fn at_hand(&self, id: Option<Id>, at: usize) -> Option<FastReg> {
        self.get(id).filter(|(_, first)| *first < at).map(|(register, _)| register)
    }
}

/// Returns the stream with `kept` expressions in additional registers.
pub(super) fn rewrite(
    stream: &Stream<'_>,
    numbered: &Numbered,
    walk: &mut RuleWalk,
    kept: &KeptExpressions,
) -> Rewritten {
    let room = stream.ops.len();
    let mut shared = Rewritten::with_capacity(room);
    let mut liveness = Liveness::default();
    for (range, understood) in &numbered.rules {
        let begin = shared.ops.len();
        if *understood {
            // Instructions that are not reached have no position of their own.
            shared.moved.resize(range.end, begin);
            let computed = |at: usize, _: &FastOp, _: &HeldExpressions| numbered.computed[at];
            walk.rule(stream, range.clone(), computed, |step| {
                shared.moved[step.at] = shared.ops.len();
                shared.add(reading_kept(step, kept, stream), step, kept);
                let is_repeated = numbered.is_repeated(step.computed, step.at);
                shared.repeated.resize(shared.ops.len(), is_repeated);
            });
            shared.remove_dead(stream, range, begin, &mut liveness);
        } else {
            shared.moved.extend((begin..).take(range.len()));
            shared.ops.extend_from_slice(&stream.ops[range.clone()]);
            shared.repeated.resize(shared.ops.len(), false);
        }
    }
    // The end of the stream.
    shared.moved.push(shared.ops.len());
    shared.ops.extend(stream.ops.last().cloned());
    shared
}

/// The new form of a stream.
pub(super) struct Rewritten {
    pub(super) ops: Vec<FastOp>,
    /// The new position of each instruction of the original.
    pub(super) moved: Vec<usize>,
    /// True for each instruction that computes what an earlier one has computed in every run, or copies it.
    repeated: Vec<bool>,
}

/// Returns the instruction of a step with operands redirected to the registers of kept expressions. A
/// window of several registers is not redirected.
fn reading_kept(step: &ReachedInstruction<'_>, kept: &KeptExpressions, stream: &Stream<'_>) -> FastOp {
    let mut op = step.op.clone();
    let one = op.window(stream.shapes).is_some_and(|(_, count)| count == 1);
    op.operands_mut(|operand| match operand {
        OperandMut::Window(_) if !one => {}
        OperandMut::In(reg) | OperandMut::Window(reg) => {
            if let Some(register) = kept.at_hand(step.held.get(*reg), step.at) {
                *reg = register;
            }
        }
        _ => {}
    });
    op
}

impl Rewritten {
    fn with_capacity(room: usize) -> Self {
        Self {
            ops: Vec::with_capacity(room),
            moved: Vec::with_capacity(room),
            repeated: Vec::with_capacity(room),
        }
    }

    /// Adds the instruction of a step, unless a register keeps its value.
    fn add(&mut self, op: FastOp, step: &ReachedInstruction<'_>, kept: &KeptExpressions) {
        match kept.get(step.computed).filter(|(_, first)| *first <= step.at) {
            Some((register, first)) => self.keep(op, register, first == step.at),
            None => self.ops.push(op),
        }
    }

    /// Adds an instruction whose result `register` keeps, from `now` on or already.
    fn keep(&mut self, mut op: FastOp, register: FastReg, now: bool) {
        let Some(d) = op.written() else { return };
        if now {
            op.operands_mut(|operand| {
                if let OperandMut::Out(reg) = operand {
                    *reg = register;
                }
            });
            self.ops.push(op);
        }
        self.ops.push(FastOp::Copy { d, a: register });
    }

    /// Removes dead instructions of the last rule that have no effect and no fault: copies, constants, and what is
    /// computed a second time. Its new form starts at `begin`. A backward liveness analysis: behind the rule only the registers that keep values and those of slots are live.
    fn remove_dead(
        &mut self,
        stream: &Stream<'_>,
        rule: &Range<usize>,
        begin: usize,
        liveness: &mut Liveness,
    ) {
        let Liveness { read_from, places } = liveness;
        let ops = &self.ops[begin..];
        read_from.clear();
        read_from.resize(ops.len() + 1, RewriteRegisters::default());
        places.clear();
        places.resize(ops.len(), 1);
        let mut removed = 0;
        for (at, op) in ops.iter().enumerate().rev() {
            let mut live =
                if op.facts().is_final() { RewriteRegisters::default() } else { read_from[at + 1] };
            stream.targets(op, |to| live.add_all(&read_from[self.moved[to] - begin]));
            let mut needed = true;
            if let Some(d) = op.written() {
                let plain =
                    matches!(op, FastOp::Copy { .. } | FastOp::Constant { .. }) || self.repeated[begin + at];
                let temporary = (stream.slots..stream.registers).contains(&usize::from(d.0));
                needed = !plain || !temporary || live.contains(d);
                live.remove(d);
            }
            if needed {
                stream.reads(op, |reg| live.add(reg));
            } else {
                places[at] = 0;
                removed += 1;
            }
            read_from[at] = live;
        }
        if removed == 0 {
            return;
        }
        let mut next = begin;
        for (at, place) in (begin..).zip(places.iter_mut()) {
            let needed = std::mem::replace(place, next) > 0;
            if needed {
                self.ops.swap(next, at);
                next += 1;
            }
        }
        self.ops.truncate(next);
        self.repeated.truncate(next);
        for moved in &mut self.moved[rule.clone()] {
            *moved = places.get(*moved - begin).copied().unwrap_or(begin);
        }
    }
}

/// Memory for the analysis of one rule after the other.
#[derive(Default)]
struct Liveness {
    /// The registers that are read from each instruction on before they are written.
    read_from: Vec<RewriteRegisters>,
    /// The new position of each instruction; before these are known, 0 for one that is removed.
    places: Vec<usize>,
}

/// A set of registers.
#[derive(Clone, Copy, Default)]
struct RewriteRegisters([u64; 4]);

impl RewriteRegisters {
    fn add(&mut self, FastReg(reg): FastReg) {
        self.0[usize::from(reg / 64)] |= 1 << (reg % 64);
    }

    fn remove(&mut self, FastReg(reg): FastReg) {
        self.0[usize::from(reg / 64)] &= !(1 << (reg % 64));
    }

    fn contains(&self, FastReg(reg): FastReg) -> bool {
        self.0[usize::from(reg / 64)] & 1 << (reg % 64) != 0
    }

    fn add_all(&mut self, others: &Self) {
        for (word, other) in self.0.iter_mut().zip(others.0) {
            *word |= other;
        }
    }
}
