//! Common subexpression elimination over the rules of a stream: an expression that several rules compute
//! from the variables is computed by the first rule that always does so, and kept in a register for the
//! others. [`link`](super::link) builds the stream.
//!
//! ```text
//! rule 0    upper(service.name)          Attribute  d=r9, a=service, .name      kept
//!                                        Call       d=r10, upper, base=r9       kept
//!                                        Emit       a=r10
//! rule 1    upper(service.name) == "A"   EqualText  d=r5, a=r10 …               was Attribute, Call, EqualText
//! rule 2    service.name == "a"          EqualText  d=r5, a=r9 …                was Attribute, EqualText
//! ```
//!
//! The instructions are no superinstructions: [fusion](crate::code::fast) comes later.
//!
//! A rule that runs after one that fell back cannot rely on registers. It runs in the original stream, which
//! therefore follows the optimized one.
//!
//! Only register operands with the role `in` or `window` are redirected, and only values that an
//! instruction with the role `out` computes are kept.

mod expression;
mod live_range;
mod rewrite;
mod walk;

use std::ops::Range;
use std::sync::Arc;

use crate::code::fast::{FastOp, Term};
use crate::code::{Callee, Shape, Switch};
use crate::function::Function;
use expression::{Expressions, Id};
use rewrite::{KeptExpressions, Rewritten, rewrite};
use walk::{HeldExpressions, RuleWalk, can_walk};

/// The instructions of rules with the lists to which they refer.
pub(super) struct Stream<'s> {
    pub(super) ops: &'s [FastOp],
    pub(super) rules: &'s [StreamRule],
    /// The number of registers that begin with the value of a slot. They are the first ones.
    pub(super) slots: usize,
    /// The number of registers.
    pub(super) registers: usize,
    pub(super) switches: &'s [Switch],
    pub(super) intervals: &'s [Box<[Term]>],
    pub(super) functions: &'s [Arc<Function>],
    pub(super) shapes: &'s [Shape],
}

/// A rule of a stream.
pub(super) struct StreamRule {
    /// Its first instruction. It ends at the first instruction of the next rule, the last rule before the
    /// `End` of the stream.
    pub(super) start: usize,
    /// True if a fault in it may lead to another instruction instead of ending the run.
    pub(super) handled: bool,
}

/// A stream without common subexpressions.
pub(super) struct SharedStream {
    pub(super) ops: Vec<FastOp>,
    /// The new position of each instruction of the original.
    pub(super) moved: Vec<usize>,
    /// The number of registers it needs.
    pub(super) registers: usize,
}

/// The number of times that candidates are dropped for lack of registers before the pass gives up: each
/// time costs a pass over the stream and may drop as few as one candidate.
const MOST_ATTEMPTS: usize = 8;

/// The approximate cost of keeping a value, in machine instructions: a store, and longer code.
const COST: usize = 12;

impl Stream<'_> {
    fn is_pure(&self, Callee(f): Callee) -> bool {
        self.functions.get(usize::from(f)).is_some_and(|function| function.pure && !function.is_lazy())
    }

    /// The rules, each with whether it can be analysed.
    fn ranges(&self) -> impl Iterator<Item = (Range<usize>, bool)> {
        let ends = self.rules.iter().skip(1).map(|rule| rule.start).chain([self.ops.len() - 1]);
        self.rules.iter().zip(ends).map(|(rule, end)| {
            let range = rule.start..end;
            let understood = !rule.handled && can_walk(self, &range);
            (range, understood)
        })
    }
}

/// The places at which an expression is computed.
#[derive(Clone, Copy, Default)]
struct ExpressionUses {
    /// The first instruction that computes it in every run.
    first: Option<usize>,
    /// The number of later computations.
    later: usize,
}

/// The expressions that the instructions of a stream compute.
struct Numbered {
    /// The instructions of each rule, with whether the rule can be analysed.
    rules: Vec<(Range<usize>, bool)>,
    /// The expression that each instruction computes; `None` for those that are not reached.
    computed: Vec<Option<Id>>,
    /// By expression.
    uses: Vec<ExpressionUses>,
}

impl Numbered {
    /// Returns true if an earlier instruction has computed an expression in every run.
    fn is_repeated(&self, id: Option<Id>, at: usize) -> bool {
        let first = id.and_then(|id| self.uses.get(id.at())?.first);
        first.is_some_and(|first| first < at)
    }
}

/// Eliminates common subexpressions, using at most `most` registers; `None` if there are none that pay.
pub(super) fn eliminate(stream: &Stream<'_>, most: usize) -> Option<SharedStream> {
    let mut walk = RuleWalk::default();
    let mut expressions = Expressions::of_slots(stream.slots);
    let numbered = number(stream, &mut walk, &mut expressions);
    // The greatest savings first; among equal savings the earliest computation.
    let mut candidates: Vec<(usize, usize, Id)> = Vec::new();
    for ((id, worth), uses) in expressions.worths().zip(&numbered.uses) {
        let ExpressionUses { first: Some(first), later } = *uses else { continue };
        if worth * later > COST {
            candidates.push((worth * later, first, id));
        }
    }
    candidates.sort_by_key(|(worth, first, _)| (std::cmp::Reverse(*worth), *first));
    // At most as many as there are unused register numbers.
    candidates.truncate(256 - stream.registers);
    for _ in 0..MOST_ATTEMPTS {
        if candidates.is_empty() {
            return None;
        }
        let kept =
            KeptExpressions::new(stream.registers, candidates.iter().map(|(_, first, id)| (*id, *first)));
        let Rewritten { mut ops, moved, .. } = rewrite(stream, &numbered, &mut walk, &kept);
        let spans = live_range::spans(stream, &ops, candidates.len());
        let places = live_range::assign(&spans, most.saturating_sub(stream.registers));
        let mut fit = places.iter().map(Option::is_some);
        if places.iter().all(Option::is_some) {
            let registers = live_range::rename(stream, &mut ops, &places);
            return Some(SharedStream { ops, moved, registers });
        }
        candidates.retain(|_| fit.next().unwrap_or(false));
    }
    None
}

/// Numbers the expressions that instructions compute.
fn number(stream: &Stream<'_>, walk: &mut RuleWalk, expressions: &mut Expressions) -> Numbered {
    let mut uses: Vec<ExpressionUses> = Vec::new();
    let mut computed = vec![None; stream.ops.len()];
    let rules: Vec<_> = stream.ranges().collect();
    for (rule, understood) in &rules {
        if !understood {
            continue;
        }
        let compute = |_: usize, op: &FastOp, held: &HeldExpressions| {
            expressions.computed(op, |reg| held.get(reg), stream)
        };
        walk.rule(stream, rule.clone(), compute, |step| {
            computed[step.at] = step.computed;
            if let Some(id) = step.computed {
                if uses.len() <= id.at() {
                    uses.resize(id.at() + 1, ExpressionUses::default());
                }
                let uses = &mut uses[id.at()];
                match uses.first {
                    Some(_) => uses.later += 1,
                    None if step.always => uses.first = Some(step.at),
                    None => {}
                }
            }
        });
    }
    Numbered { rules, computed, uses }
}
