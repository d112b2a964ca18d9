//! Chains of comparisons of one subject with texts, as one lookup in a table.
//!
//! ```text
//! x == "a" ? 1 : x == "b" ? 2 : …  : n        Switch r0 "a" -> A, "b" -> B, …, else -> E
//! x == "a" || x == "b" || …                   Switch r0 "a" -> T, "b" -> T, …, else -> F
//! contains(["a", "b", …], x)                  Switch r0 "a" -> T, "b" -> T, …, else -> F
//! ```
//!
//! The subject is a path, or a call of a pure function of such: `lower(x) == "a" ? …` calls the function once.

use std::sync::Arc;

use hclvm_vm::code::Switch;
use hclvm_vm::code::fast::{FastLabel, FastOp, SwitchId};
use hclvm_vm::ops::conditional::hull;
use hclvm_vm::{Arena, Type, Value, convert_unified, exec};
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::FastLowering;
use super::destination::Destination;
use crate::analysis::info::StaticType;
use crate::tree::{BinaryOp, CallId, Node, NodeId, StepKind, TraversalStep};

/// The shortest chain that becomes a switch. A shorter one ends after a few comparisons, each of which
/// looks at length and prefix first, while a table costs memory and a hash of the text.
const SWITCH_FROM: usize = 4;

/// A chain of comparisons of one subject with texts.
pub(super) struct Chain<'a> {
    subject: NodeId,
    /// Texts with the arms for them.
    arms: Vec<(SmolStr, ChainArm<'a>)>,
    /// The arm for all other texts.
    otherwise: ChainArm<'a>,
    /// The result for an unknown text, if all arms are constants.
    unknown: Option<Value<'a>>,
}

/// The result of a chain for some texts.
enum ChainArm<'a> {
    Node(NodeId),
    /// A constant, converted to the type of the chain.
    Constant(Value<'a>),
}

impl<'a> FastLowering<'_, 'a> {
    /// Returns a conditional as a chain if it is a long enough one. All arms must have one static
    /// type, so that only the chosen one is evaluated, or be constants, which are converted here.
    pub(super) fn switch_chain(&self, chain: [NodeId; 3]) -> Option<Chain<'a>> {
        let [mut condition, mut yes, mut no] = chain;
        let ty = self.info.ty(yes);
        let mut of_one_type = ty != StaticType::Dynamic;
        let bare = |id| self.context.bare(id);
        let mut subject = None;
        let mut arms: Vec<(SmolStr, NodeId)> = Vec::new();
        loop {
            let (compared, text) = self.text_comparison(bare(condition))?;
            if !subject.is_none_or(|subject| self.is_same_subject(subject, compared)) {
                return None;
            }
            of_one_type &= self.info.ty(yes) == ty;
            if !of_one_type {
                self.info.constant(bare(yes))?;
            }
            subject = Some(compared);
            arms.push((SmolStr::new(text), yes));
            let rest = bare(no);
            match self.context.tree.node(rest) {
                Node::Conditional { condition: next, yes: next_yes, no: next_no }
                    if self.info.constant(rest).is_none() =>
                {
                    (condition, yes, no) = (next, next_yes, next_no);
                }
                _ => break,
            }
        }
        if arms.len() < SWITCH_FROM {
            return None;
        }
        let subject = subject?;
        let values = arms.iter().map(|(_, arm)| *arm).chain([no]).map(|arm| self.info.constant(bare(arm)));
        let Some(values) = values.collect::<Option<Vec<_>>>() else {
            if !of_one_type || self.info.ty(no) != ty {
                return None;
            }
            let arms = arms.into_iter().map(|(text, arm)| (text, ChainArm::Node(arm))).collect();
            return Some(Chain { subject, arms, otherwise: ChainArm::Node(no), unknown: None });
        };
        let arena = self.context.arena();
        let values = unified(arena, values)?;
        let common = values.iter().map(|value| value.type_of(arena)).find(|ty| !ty.is_dynamic());
        let either = |rest, arm| hull(arena, arm, rest, common.unwrap_or(Type::Dynamic));
        let unknown = values.iter().rev().copied().reduce(either);
        let mut values = values.into_iter();
        let arms =
            arms.into_iter().zip(values.by_ref()).map(|((text, _), value)| (text, ChainArm::Constant(value)));
        Some(Chain { subject, arms: arms.collect(), otherwise: ChainArm::Constant(values.next()?), unknown })
    }

    /// Returns the subject and the texts of `x == "a" || x == "b" || …`, if it is long enough.
    pub(super) fn switch_members(&self, id: NodeId) -> Option<(NodeId, Vec<SmolStr>)> {
        let (mut subject, mut texts) = (None, SmallVec::<[&str; 8]>::new());
        let mut open = SmallVec::<[NodeId; 8]>::from_slice(&[id]);
        while let Some(id) = open.pop() {
            let id = self.context.bare(id);
            match self.context.tree.node(id) {
                // The right operand comes first: the left one may be a long chain.
                Node::Binary { op: BinaryOp::Or, lhs, rhs } if self.info.constant(id).is_none() => {
                    open.extend([lhs, rhs]);
                }
                _ => {
                    let (compared, text) = self.text_comparison(id)?;
                    if !subject.is_none_or(|subject| self.is_same_subject(subject, compared)) {
                        return None;
                    }
                    subject = Some(compared);
                    texts.push(text);
                }
            }
        }
        let enough = texts.len() >= SWITCH_FROM;
        enough.then_some((subject?, texts.into_iter().map(SmolStr::new).collect()))
    }

    /// Returns the subject and the text of `x == "a"`, whose value is not known.
    fn text_comparison(&self, id: NodeId) -> Option<(NodeId, &'a str)> {
        let Node::Binary { op: BinaryOp::Equal, lhs, rhs } = self.context.tree.node(id) else { return None };
        if self.info.constant(id).is_some() {
            return None;
        }
        let (subject, constant) = match self.info.constant(rhs) {
            Some(constant) => (lhs, constant),
            None => (rhs, self.info.constant(lhs)?),
        };
        Some((self.context.bare(subject), constant.as_str()?))
    }

    /// Returns the subject and the texts of a search for something in constant texts.
    pub(super) fn search_in_texts(&self, id: NodeId, call: CallId) -> Option<(NodeId, &'a [Value<'a>])> {
        self.plain_function(id, call).filter(|function| function.searches())?;
        let [list, subject] = self.context.tree.list(self.context.tree.call(call).args) else { return None };
        let texts = self.info.constant(self.context.bare(*list))?.as_items()?;
        let known = self.info.constant(id).is_some() || self.info.constant(*subject).is_some();
        let usable = !texts.is_empty() && !known && texts.iter().all(|text| text.as_str().is_some());
        usable.then_some((self.context.bare(*subject), texts))
    }

    /// Lowers membership in a list of texts: jumps to `to` if its truth is `when`.
    pub(super) fn is_member(
        &mut self,
        subject: NodeId,
        texts: Vec<SmolStr>,
        when: bool,
        to: FastLabel,
    ) -> Option<()> {
        let next = self.label();
        let (member, other) = if when { (to, next) } else { (next, to) };
        let table = Switch::new(texts.into_iter().map(|text| (text, member)), other);
        self.look_up(subject, table)?;
        self.place(next)
    }

    /// Returns true if both nodes are the same path, or calls of the same pure function with such arguments.
    /// Recurses into calls only, whose nesting the parser limits.
    fn is_same_subject(&self, a: NodeId, b: NodeId) -> bool {
        let tree = self.context.tree;
        match (tree.node(a), tree.node(b)) {
            (Node::Traversal { .. }, Node::Traversal { .. }) => self.is_same_path(a, b),
            (Node::Call(a_call), Node::Call(b_call)) => {
                let function = self.plain_function(a, a_call).filter(|function| function.pure);
                let [a_args, b_args] = [a_call, b_call].map(|call| tree.list(tree.call(call).args));
                function.is_some_and(|function| {
                    let other = self.plain_function(b, b_call);
                    other.is_some_and(|other| Arc::ptr_eq(function, other))
                }) && a_args.len() == b_args.len()
                    && a_args.iter().zip(b_args).all(|(a, b)| {
                        let (a, b) = (self.context.bare(*a), self.context.bare(*b));
                        match (self.info.constant(a), self.info.constant(b)) {
                            (Some(a), Some(b)) => {
                                a.is_same_text(b) || a.as_inline().is_some() && a.is_word(b)
                            }
                            (None, None) => self.is_same_subject(a, b),
                            _ => false,
                        }
                    })
            }
            _ => false,
        }
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
    pub(super) fn switch(&mut self, chain: Chain<'a>, to: Destination) -> Option<()> {
        let Chain { subject, arms, otherwise, unknown } = chain;
        let last = self.label();
        let labels: Vec<FastLabel> = arms.iter().map(|_| self.label()).collect();
        let cases = arms.iter().zip(&labels).map(|((text, _), label)| (text.clone(), *label));
        let table = Switch::new(cases, last);
        let undecided = unknown.map(|value| (ChainArm::Constant(value), self.label()));
        let table = if let Some((_, label)) = undecided { table.with_unknown(label) } else { table };
        self.look_up(subject, table)?;
        let arms = arms.into_iter().map(|(_, arm)| arm).zip(labels);
        let end = self.label();
        for (arm, label) in undecided.into_iter().chain(arms).chain([(otherwise, last)]) {
            self.place(label)?;
            self.arm(arm, to)?;
            if let Destination::Register(_) = to
                && label != last
            {
                self.push(FastOp::Jump { to: end });
            }
        }
        if let Destination::Register(_) = to { self.place(end) } else { Some(()) }
    }

    fn arm(&mut self, arm: ChainArm<'a>, to: Destination) -> Option<()> {
        match arm {
            ChainArm::Node(node) => self.deliver(node, to),
            ChainArm::Constant(value) => self.deliver_constant(value, to),
        }
    }

    /// Lowers the jump to the target of a subject.
    fn look_up(&mut self, subject: NodeId, table: Switch) -> Option<()> {
        let switches = &mut self.extras().switches;
        let id = SwitchId(u16::try_from(switches.len()).ok()?);
        switches.push(table);
        self.with_operand(subject, |lowering, a| {
            lowering.push(FastOp::Switch { a, table: id });
            Some(())
        })
    }
}

/// Converts constants as nested conditionals do whose results they are, the innermost last: each to the common
/// type of its own and those after it. Returns `None` if there is none, or if it is not primitive.
fn unified<'a>(arena: &'a Arena, mut values: Vec<Value<'a>>) -> Option<Vec<Value<'a>>> {
    for at in (0..values.len().checked_sub(1)?).rev() {
        let (first, rest) = values[at..].split_first_mut()?;
        // Those after it have one type already.
        let [own, others] = [first.type_of(arena), rest.first()?.type_of(arena)];
        let ty = exec::arms_type(arena, [*first, *rest.first()?])?;
        if ty.is_dynamic() && own.is_dynamic() && others.is_dynamic() {
            // All are nulls of unknown type.
            continue;
        }
        if !ty.is_primitive() {
            return None;
        }
        *first = convert_unified(arena, *first, others, ty).ok()?;
        if others != ty {
            for value in rest {
                *value = convert_unified(arena, *value, own, ty).ok()?;
            }
        }
    }
    Some(values)
}
