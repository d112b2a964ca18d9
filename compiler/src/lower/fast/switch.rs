//! Chains of comparisons of one subject with texts, as one lookup in a table.
//!
//! ```text
//! x == "a" ? 1 : x == "b" ? 2 : …  : n        Switch r0 "a" -> A, "b" -> B, …, else -> E
//! ```

use hclvm_vm::code::Switch;
use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, SwitchId};
use smol_str::SmolStr;

use super::FastLowering;
use crate::analysis::info::StaticType;
use crate::tree::{BinaryOp, Node, NodeId, StepKind, TraversalStep};

/// The shortest chain that becomes a switch. A shorter one ends after a few comparisons, each of which
/// looks at length and prefix first, while a table costs memory and a hash of the text.
const SWITCH_FROM: usize = 4;

/// A chain of comparisons of one subject with texts.
pub(super) struct Chain {
    subject: NodeId,
    /// Texts with the arms for them.
    arms: Vec<(SmolStr, NodeId)>,
    /// The arm for all other texts.
    otherwise: NodeId,
}

impl FastLowering<'_, '_> {
    /// Returns a conditional as a chain if it is a long enough one. All arms must have one static
    /// type, so that only the chosen one is evaluated.
    pub(super) fn switch_chain(&self, chain: [NodeId; 3]) -> Option<Chain> {
        let [mut condition, mut yes, mut no] = chain;
        let ty = self.info.ty(yes);
        if ty == StaticType::Dynamic {
            return None;
        }
        let bare = |id| self.context.bare(id);
        let mut subject = None;
        let mut arms: Vec<(SmolStr, NodeId)> = Vec::new();
        while let Node::Binary { op: BinaryOp::Equal, lhs, rhs } = self.context.tree.node(bare(condition)) {
            let text = self.info.constant(rhs)?.as_str()?;
            let lhs = bare(lhs);
            // A known condition decides without a lookup.
            if self.info.constant(bare(condition)).is_some() {
                return None;
            }
            if !subject.is_none_or(|subject| self.is_same_path(subject, lhs)) || self.info.ty(yes) != ty {
                return None;
            }
            subject = Some(lhs);
            arms.push((SmolStr::new(text), yes));
            let rest = bare(no);
            match self.context.tree.node(rest) {
                Node::Conditional { condition: next, yes: next_yes, no: next_no }
                    if self.info.constant(rest).is_none() =>
                {
                    (condition, yes, no) = (next, next_yes, next_no);
                }
                _ if arms.len() >= SWITCH_FROM && self.info.ty(no) == ty => {
                    return Some(Chain { subject: subject?, arms, otherwise: no });
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns true if both nodes are the same variable with the same attribute steps.
    fn is_same_path(&self, a: NodeId, b: NodeId) -> bool {
        let tree = self.context.tree;
        let (Node::Traversal { root: a, steps: a_steps }, Node::Traversal { root: b, steps: b_steps }) =
            (tree.node(a), tree.node(b))
        else {
            return false;
        };
        let name = |step: &TraversalStep| match step.kind {
            StepKind::Attribute(name) => Some(tree.name(name)),
            StepKind::Index(_) => None,
        };
        let (a_steps, b_steps) = (tree.steps(a_steps), tree.steps(b_steps));
        tree.name(a) == tree.name(b)
            && a_steps.len() == b_steps.len()
            && a_steps.iter().zip(b_steps).all(|(a, b)| name(a).is_some() && name(a) == name(b))
    }

    /// Lowers a chain.
    pub(super) fn switch(&mut self, chain: &Chain, d: FastReg) -> Option<()> {
        let Chain { subject, arms, otherwise } = chain;
        let (last, end) = (self.label(), self.label());
        let labels: Vec<FastLabel> = arms.iter().map(|_| self.label()).collect();
        let cases = arms.iter().zip(&labels).map(|((text, _), label)| (text.clone(), *label));
        let table = Switch::new(cases, last);
        let switches = &mut self.extras().switches;
        let id = SwitchId(u16::try_from(switches.len()).ok()?);
        switches.push(table);
        self.with_operand(*subject, |lowering, a| {
            lowering.push(FastOp::Switch { a, table: id });
            Some(())
        })?;
        for ((_, arm), label) in arms.iter().zip(labels) {
            self.place(label)?;
            self.value(*arm, d)?;
            self.push(FastOp::Jump { to: end });
        }
        self.place(last)?;
        self.value(*otherwise, d)?;
        self.place(end)
    }
}
