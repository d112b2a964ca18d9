//! Sharing: what several rules of a stream compute out of the variables is computed by the first
//! that always does so, and kept in a register for the others (elimination of common
//! subexpressions).
//!
//! ```text
//! rule 0    upper(service.name)          Attribute  d=r9, a=service, .name      kept
//!                                        Call       d=r10, upper, base=r9       kept
//!                                        Emit       a=r10
//! rule 1    upper(service.name) == "A"   BranchText a=r10, …
//! rule 2    service.name == "a"          BranchText a=r9, …        was BranchAttributeText
//! ```
//!
//! When a rule bails out, its successors cannot rely on registers: they go on in the stream as it
//! was, which therefore stands behind the one that shares.

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
use rewrite::{Kept, Rewritten, rewrite};
use walk::{can_walk, walk};

/// The instructions of rules with what they refer to; registers by number.
pub(super) struct Stream<'s> {
    pub(super) ops: &'s [FastOp],
    pub(super) rules: &'s [Rule],
    /// How many registers begin with the value of a slot: the first ones.
    pub(super) slots: usize,
    /// How many registers there are.
    pub(super) registers: usize,
    pub(super) switches: &'s [Switch],
    pub(super) intervals: &'s [Box<[Term]>],
    pub(super) functions: &'s [Arc<Function>],
    pub(super) shapes: &'s [Shape],
}

/// A rule of a stream.
pub(super) struct Rule {
    /// Where it begins; it ends where the next begins, the last before the end of the stream.
    pub(super) start: usize,
    /// Whether a fault in it may lead elsewhere than out.
    pub(super) handled: bool,
}

/// A stream that shares.
pub(super) struct Shared {
    pub(super) ops: Vec<FastOp>,
    /// Where each instruction of the original went.
    pub(super) moved: Vec<usize>,
    /// How many registers it needs.
    pub(super) registers: usize,
}

/// How often keeping an expression may turn out to need more registers than there are.
const MOST_ATTEMPTS: usize = 8;

/// About how many machine instructions more it takes to keep something instead of only using it.
const COST: usize = 12;

impl Stream<'_> {
    fn is_pure(&self, Callee(f): Callee) -> bool {
        self.functions.get(usize::from(f)).is_some_and(|function| function.pure && function.lazy.is_none())
    }

    /// The rules, each with whether its instructions are understood.
    fn ranges(&self) -> impl Iterator<Item = (Range<usize>, bool)> {
        let ends = self.rules.iter().skip(1).map(|rule| rule.start).chain([self.ops.len() - 1]);
        self.rules.iter().zip(ends).map(|(rule, end)| {
            let range = rule.start..end;
            let understood = !rule.handled && can_walk(self, &range);
            (range, understood)
        })
    }
}

/// Where an expression is computed.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// By an instruction that every run executes: the first such.
    first: Option<usize>,
    /// How often behind that.
    later: usize,
}

/// The same rules with shared expressions in at most `most` registers; `None` when there is nothing
/// to share.
pub(super) fn share(stream: &Stream<'_>, most: usize) -> Option<Shared> {
    let mut expressions = Expressions::default();
    let uses = uses(stream, &mut expressions);
    // The most worthy ones first; of equal ones the one that comes first.
    let mut candidates: Vec<(usize, usize, Id)> = Vec::new();
    for ((id, worth), uses) in expressions.worths().zip(uses) {
        let Uses { first: Some(first), later } = uses else { continue };
        if worth * later > COST {
            candidates.push((worth * later, first, id));
        }
    }
    candidates.sort_by_key(|(worth, first, _)| (std::cmp::Reverse(*worth), *first));
    // As many as can be named for now.
    candidates.truncate(256 - stream.registers);
    for _ in 0..MOST_ATTEMPTS {
        if candidates.is_empty() {
            return None;
        }
        let kept = Kept::new(stream.registers, candidates.iter().map(|(_, first, id)| (*id, *first)));
        let Rewritten { mut ops, moved } = rewrite(stream, &kept, &mut expressions);
        let spans = live_range::spans(stream, &ops, candidates.len());
        let places = live_range::assign(&spans, most - stream.registers);
        let mut fit = places.iter().map(Option::is_some);
        if places.iter().all(Option::is_some) {
            let registers = live_range::rename(stream, &mut ops, &places);
            return Some(Shared { ops, moved, registers });
        }
        candidates.retain(|_| fit.next().unwrap_or(false));
    }
    None
}

/// Where the expressions are computed, by their numbers.
fn uses(stream: &Stream<'_>, expressions: &mut Expressions) -> Vec<Uses> {
    let mut uses: Vec<Uses> = Vec::new();
    for (rule, understood) in stream.ranges() {
        if !understood {
            continue;
        }
        walk(stream, rule, expressions, |step| {
            for id in [step.computed.value, step.computed.tail].into_iter().flatten() {
                if uses.len() <= id.at() {
                    uses.resize(id.at() + 1, Uses::default());
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
    uses
}
