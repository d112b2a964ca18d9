//! Forward data flow: the expression that each register holds at each instruction of a rule. Where paths
//! join, a register keeps an expression only if all paths agree.

use std::ops::Range;

use smallvec::SmallVec;

use super::Stream;
use super::expression::Id;
use crate::code::Operand;
use crate::code::facts::Flow;
use crate::code::fast::{FastLabel, FastOp, FastReg, IntervalId, SwitchId, Term};

/// The expressions that registers hold at a point of a rule. Only registers that the rule has written so far
/// are listed, because there are mostly few of these, and a copy is made at each jump.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldExpressions {
    /// The number of registers that begin with the value of a slot.
    slots: usize,
    /// Registers behind the slots, up to the last one that was written; `None` for one that holds anything
    /// else than an expression.
    others: SmallVec<[Option<Id>; 6]>,
    /// Registers of slots that were written: the one of the rule's result.
    written: SmallVec<[(FastReg, Option<Id>); 1]>,
}

impl HeldExpressions {
    /// Returns what registers hold before the first instruction of a rule.
    fn of_slots(slots: usize) -> Self {
        Self { slots, ..Self::default() }
    }

    /// Returns the expression in a register.
    pub(super) fn get(&self, reg: FastReg) -> Option<Id> {
        match usize::from(reg.0).checked_sub(self.slots) {
            Some(other) => self.others.get(other).copied().flatten(),
            None => match self.written.iter().find(|(written, _)| *written == reg) {
                Some((_, value)) => *value,
                None => Some(Id::of_slot(reg.0)),
            },
        }
    }

    fn set(&mut self, reg: FastReg, value: Option<Id>) {
        if let Some(other) = usize::from(reg.0).checked_sub(self.slots) {
            if self.others.len() <= other {
                self.others.resize(other + 1, None);
            }
            self.others[other] = value;
        } else if let Some((_, known)) = self.written.iter_mut().find(|(written, _)| *written == reg) {
            *known = value;
        } else {
            self.written.push((reg, value));
        }
    }

    /// Keeps the expressions on which another path agrees.
    fn keep_common(&mut self, path: &Self) {
        self.others.truncate(path.others.len());
        for (value, other) in self.others.iter_mut().zip(&path.others) {
            if value != other {
                *value = None;
            }
        }
        for (reg, value) in &mut self.written {
            if *value != path.get(*reg) {
                *value = None;
            }
        }
        for (reg, value) in &path.written {
            if self.get(*reg) != *value {
                self.set(*reg, None);
            }
        }
    }
}

/// An instruction that is reached, and what is known before it is executed.
pub(super) struct ReachedInstruction<'w> {
    /// Its position.
    pub(super) at: usize,
    pub(super) op: &'w FastOp,
    /// The value it computes.
    pub(super) computed: Option<Id>,
    /// The expressions in registers before it.
    pub(super) held: &'w HeldExpressions,
    /// True if every run of the rule that does not fall back executes it.
    pub(super) always: bool,
}

/// True if [`RuleWalk`] can analyse a rule: all its jumps are forward, so that one pass sees each path.
pub(super) fn can_walk(stream: &Stream<'_>, rule: &Range<usize>) -> bool {
    let mut forward = true;
    for at in rule.clone() {
        let op = &stream.ops[at];
        forward &= !matches!(op, FastOp::LoopNext { .. });
        stream.targets(op, |to| forward &= to > at && to < rule.end);
    }
    forward
}

/// Memory for visits of rules, one after the other.
#[derive(Default)]
pub(super) struct RuleWalk {
    /// The expressions in registers at each jump target, by its distance from the first instruction.
    arriving: Vec<Option<HeldExpressions>>,
}

impl RuleWalk {
    /// Visits the instructions of a rule in order. `compute` returns the value that an instruction computes
    /// from the expressions in registers.
    pub(super) fn rule(
        &mut self,
        stream: &Stream<'_>,
        rule: Range<usize>,
        mut compute: impl FnMut(usize, &FastOp, &HeldExpressions) -> Option<Id>,
        mut visit: impl FnMut(&ReachedInstruction<'_>),
    ) {
        let start = rule.start;
        // Each target is taken when it is visited, so only the length changes.
        self.arriving.resize(self.arriving.len().max(rule.len()), None);
        let mut current = Some(HeldExpressions::of_slots(stream.slots));
        let mut furthest = start;
        let mut ended = false;
        for at in rule {
            // Most instructions are no targets: taking nothing would still copy a hundred bytes.
            let arriving = &mut self.arriving[at - start];
            if arriving.is_some()
                && let Some(other) = arriving.take()
            {
                match &mut current {
                    Some(held) => held.keep_common(&other),
                    None => current = Some(other),
                }
            }
            let (Some(held), Some(op)) = (&mut current, stream.ops.get(at)) else { continue };
            let computed = compute(at, op, held);
            visit(&ReachedInstruction { at, op, computed, held, always: furthest <= at && !ended });
            if let Some(written) = op.written() {
                let value = if let FastOp::Copy { a, .. } = op { held.get(*a) } else { computed };
                held.set(written, value);
            }
            stream.targets(op, |to| {
                furthest = furthest.max(to);
                match &mut self.arriving[to - start] {
                    Some(known) => known.keep_common(held),
                    new => *new = Some(held.clone()),
                }
            });
            let facts = op.facts();
            ended |= facts.flow == Flow::Emits;
            if facts.is_final() {
                current = None;
            }
        }
    }
}

impl Stream<'_> {
    /// Calls `visit` with each target of an instruction within its rule.
    pub(super) fn targets(&self, op: &FastOp, mut visit: impl FnMut(usize)) {
        if op.facts().flow == Flow::Emits {
            return;
        }
        op.operands(|_, operand| match operand {
            Operand::Jump(FastLabel(to)) => visit(usize::from(to)),
            Operand::Switch(SwitchId(switch)) => {
                let targets = self.switches.get(usize::from(switch)).into_iter();
                targets.flat_map(|switch| switch.targets()).for_each(|to| visit(usize::from(to.0)));
            }
            _ => {}
        });
    }

    /// Calls `visit` with each register that an instruction outside of loops reads.
    pub(super) fn reads(&self, op: &FastOp, mut visit: impl FnMut(FastReg)) {
        op.operands(|_, operand| match operand {
            Operand::In(reg) | Operand::InOut(reg) => visit(reg),
            Operand::Intervals(IntervalId(id)) => {
                for term in self.intervals.get(usize::from(id)).into_iter().flatten() {
                    if let Term::Register(reg) = term {
                        visit(*reg);
                    }
                }
            }
            _ => {}
        });
        if let Some((FastReg(base), count)) = op.window(self.shapes) {
            (base..=u8::MAX).take(count).map(FastReg).for_each(visit);
        }
    }
}
