//! Forward data flow: the expression that each register holds at each instruction of a rule. Where paths
//! join, a register keeps an expression only if all paths agree.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Stream;
use super::expression::{Computed, Expressions, Id};
use crate::code::Operand;
use crate::code::fast::{FastLabel, FastOp, FastReg, IntervalId, SwitchId, Term};
use crate::memory::cast;

/// The expressions that registers hold; `None` for anything else.
type Held = Vec<Option<Id>>;

/// An instruction that is reached, and what is known before it is executed.
pub(super) struct Step<'w> {
    /// Its position.
    pub(super) at: usize,
    pub(super) op: &'w FastOp,
    /// The values it computes.
    pub(super) computed: Computed,
    /// The expressions in registers before it.
    pub(super) held: &'w [Option<Id>],
    /// True if every run of the rule that does not fall back executes it.
    pub(super) always: bool,
}

/// True if [`walk`] can analyse a rule: all its jumps are forward, so that one pass sees each path.
pub(super) fn can_walk(stream: &Stream<'_>, rule: &Range<usize>) -> bool {
    let mut forward = true;
    for at in rule.clone() {
        let op = &stream.ops[at];
        forward &= !matches!(op, FastOp::LoopNext { .. });
        stream.targets(op, |to| forward &= to > at && to < rule.end);
    }
    forward
}

/// Visits the instructions of a rule in order.
pub(super) fn walk(
    stream: &Stream<'_>,
    rule: Range<usize>,
    expressions: &mut Expressions,
    mut visit: impl FnMut(&Step<'_>),
) {
    let mut held: Held = vec![None; stream.registers];
    for (slot, held) in held.iter_mut().take(stream.slots).enumerate() {
        *held = Some(Id::of_slot(cast::register(slot)));
    }
    let mut current = Some(held);
    // The expressions in registers at each jump target, and the last target.
    let mut arriving: BTreeMap<usize, Held> = BTreeMap::new();
    let mut furthest = rule.start;
    let mut ended = false;
    for at in rule {
        if let Some(other) = arriving.remove(&at) {
            current = Some(current.map_or_else(|| other.clone(), |held| common(held, &other)));
        }
        let (Some(held), Some(op)) = (&mut current, stream.ops.get(at)) else { continue };
        let of = |reg: FastReg| held.get(usize::from(reg.0)).copied().flatten();
        let computed = expressions.computed(op, of, |f| stream.is_pure(f));
        visit(&Step { at, op, computed, held, always: furthest <= at && !ended });
        if let Some(written) = op.written() {
            let value = if let FastOp::Copy { a, .. } = op { of(*a) } else { computed.value };
            if let Some(held) = held.get_mut(usize::from(written.0)) {
                *held = value;
            }
        }
        stream.targets(op, |to| {
            furthest = furthest.max(to);
            let known = arriving.remove(&to);
            arriving.insert(to, known.map_or_else(|| held.clone(), |known| common(known, held)));
        });
        ended |= ends_rule(op);
        if op.is_final() {
            current = None;
        }
    }
}

/// Returns the expressions on which two paths agree.
fn common(mut held: Held, other: &Held) -> Held {
    for (held, other) in held.iter_mut().zip(other) {
        if *held != *other {
            *held = None;
        }
    }
    held
}

/// Returns true if an instruction produces the result of its rule.
const fn ends_rule(op: &FastOp) -> bool {
    matches!(
        op,
        FastOp::Emit { .. } | FastOp::EmitConstant { .. } | FastOp::EmitBool { .. } | FastOp::EmitArm { .. }
    )
}

impl Stream<'_> {
    /// Calls `visit` with each target of an instruction within its rule.
    pub(super) fn targets(&self, op: &FastOp, mut visit: impl FnMut(usize)) {
        if ends_rule(op) {
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
