//! Rewrites rules so that they keep values in registers and read them from there, then removes copies and
//! constants that are dead by liveness analysis.

use std::ops::Range;

use super::expression::{Id, split};
use super::walk::{Held, Step, Walk};
use super::{Numbered, Stream};
use crate::code::OperandMut;
use crate::code::fast::{FastOp, FastReg};
use crate::memory::cast;

/// The expressions that are kept.
pub(super) struct Kept {
    /// By the number of the expression: the register that keeps it and the instruction that computes
    /// it.
    by_id: Vec<Option<(FastReg, usize)>>,
}

impl Kept {
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
pub(super) fn rewrite(stream: &Stream<'_>, numbered: &Numbered, walk: &mut Walk, kept: &Kept) -> Rewritten {
    let room = stream.ops.len();
    let mut shared = Rewritten { ops: Vec::with_capacity(room), moved: Vec::with_capacity(room) };
    let mut liveness = Liveness::default();
    for (range, understood) in &numbered.rules {
        let begin = shared.ops.len();
        if *understood {
            // Instructions that are not reached have no position of their own.
            shared.moved.resize(range.end, begin);
            let computed = |at: usize, _: &FastOp, _: &Held| numbered.computed[at];
            walk.rule(stream, range.clone(), computed, |step| {
                shared.moved[step.at] = shared.ops.len();
                shared.add(reading_kept(step, kept, stream), step, kept);
            });
            shared.remove_dead_copies(stream, range, begin, &mut liveness);
        } else {
            shared.moved.extend((begin..).take(range.len()));
            shared.ops.extend_from_slice(&stream.ops[range.clone()]);
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
}

/// Returns the instruction of a step with operands redirected to the registers of kept expressions. A
/// window of several registers is not redirected.
fn reading_kept(step: &Step<'_>, kept: &Kept, stream: &Stream<'_>) -> FastOp {
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
    /// Adds the instruction of a step without the parts whose values are in registers.
    fn add(&mut self, op: FastOp, step: &Step<'_>, kept: &Kept) {
        let by_now = |id| kept.get(id).filter(|(_, first)| *first <= step.at);
        let is_first = |first: usize| first == step.at;
        match (by_now(step.computed.value), by_now(step.computed.tail)) {
            (None, None) => self.ops.push(op),
            (Some((register, first)), None) => match split(&op, register) {
                Some([read, rest]) => {
                    self.ops.extend(is_first(first).then_some(read));
                    self.ops.push(rest);
                }
                None => self.keep(op, register, is_first(first)),
            },
            (value, Some((register, first))) => {
                // The register of the value, and the instruction that reads it.
                let from = value.map_or(register, |(register, _)| register);
                let (read, rest) = match step.computed.value.and_then(|_| split(&op, from)) {
                    Some([read, rest]) => (Some(read), rest),
                    None => (None, op),
                };
                let Some([compute, rest]) = split(&rest, register) else { return };
                let needed = value.map_or(is_first(first), |(_, first)| is_first(first));
                self.ops.extend(read.filter(|_| needed));
                self.ops.extend(is_first(first).then_some(compute));
                self.ops.push(rest);
            }
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

    /// Removes dead copies and constants of the last rule, whose new form starts at `begin`, by a backward
    /// liveness analysis. Behind the rule only the registers that keep values and those of slots are live.
    fn remove_dead_copies(
        &mut self,
        stream: &Stream<'_>,
        rule: &Range<usize>,
        begin: usize,
        liveness: &mut Liveness,
    ) {
        let Liveness { read_from, places } = liveness;
        let ops = &self.ops[begin..];
        read_from.clear();
        read_from.resize(ops.len() + 1, Registers::default());
        places.clear();
        places.resize(ops.len(), 1);
        let mut removed = 0;
        for (at, op) in ops.iter().enumerate().rev() {
            let mut live = if op.is_final() { Registers::default() } else { read_from[at + 1] };
            stream.targets(op, |to| live.add_all(&read_from[self.moved[to] - begin]));
            let mut needed = true;
            if let Some(d) = op.written() {
                let plain = matches!(op, FastOp::Copy { .. } | FastOp::Constant { .. });
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
        for moved in &mut self.moved[rule.clone()] {
            *moved = places.get(*moved - begin).copied().unwrap_or(begin);
        }
    }
}

/// Memory for the analysis of one rule after the other.
#[derive(Default)]
struct Liveness {
    /// The registers that are read from each instruction on before they are written.
    read_from: Vec<Registers>,
    /// The new position of each instruction; before these are known, 0 for one that is removed.
    places: Vec<usize>,
}

/// A set of registers.
#[derive(Clone, Copy, Default)]
struct Registers([u64; 4]);

impl Registers {
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
