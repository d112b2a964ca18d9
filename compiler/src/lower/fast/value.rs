//! Values: names, steps, operators, conditionals, templates.

use hclvm_vm::code::Switch;
use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, Immediate, InlineCache, SwitchId};
use hclvm_vm::{Arena, NumberRef, Value, View, Width};
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::FastLowering;
use super::condition::immediate;
use crate::analysis::info::StaticType;
use crate::lower::Undefined;
use crate::tree::{BinaryOp, Node, NodeId, StepKind, StepList, UnaryOp};

/// A chain of at least this many comparisons of one subject becomes a switch.
const SWITCH_FROM: usize = 4;

/// A chain of comparisons of one subject with texts.
struct Chain {
    subject: NodeId,
    /// Texts with the arms for them.
    arms: Vec<(SmolStr, NodeId)>,
    /// The arm for everything else.
    otherwise: NodeId,
}

impl<'a> FastLowering<'_, 'a> {
    /// The value of a node into `d`.
    pub(super) fn value(&mut self, id: NodeId, d: FastReg) -> Option<()> {
        let id = self.context.bare(id);
        if let Some(value) = self.info.constant(id) {
            let k = self.emitter.constant(value);
            self.push(FastOp::Constant { d, k });
            return Some(());
        }
        if self.is_condition(id) {
            return self.truth(id, d);
        }
        let tree = self.context.tree;
        match tree.node(id) {
            Node::Template(_) | Node::TemplateJoin(_) => self.template(id, d),
            Node::Traversal { root, steps } => match self.register_of_root(id, root) {
                Some(a) => self.steps(steps, a, d),
                None => self.undefined(),
            },
            Node::RelativeTraversal { source, steps } => {
                self.with_operand(source, |lowering, a| lowering.steps(steps, a, d))
            }
            Node::Call(call) => self.call(id, call, d),
            Node::Conditional { condition, yes, no } => {
                self.guarded(|lowering| lowering.conditional([condition, yes, no], d))
            }
            Node::Index { collection, key, .. } => self.with_operand(collection, |lowering, a| {
                lowering.with_operand(key, |lowering, b| {
                    lowering.push(FastOp::Index { d, a, b });
                    Some(())
                })
            }),
            Node::Tuple(items) => self.tuple(items, d),
            Node::Object(items) => self.object(items, d),
            Node::For(details) => self.for_expr(details, d),
            Node::Splat { source, each, .. } => self.splat(source, each, d),
            Node::JsonString { template, .. } if self.context.environment.layout.is_some() => {
                self.value(template, d)
            }
            Node::SplatItem => {
                let a = self.item()?;
                self.push(FastOp::Copy { d, a });
                Some(())
            }
            Node::Binary { op, .. } => self.arithmetic(id, op, d),
            Node::Unary { op: UnaryOp::Negate, operand } => self.with_operand(operand, |lowering, a| {
                lowering.push(FastOp::Negate { d, a });
                Some(())
            }),
            _ => None,
        }
    }

    /// A name without register: a fault when reached, or nothing the fast body knows.
    fn undefined(&mut self) -> Option<()> {
        if self.context.environment.undefined != Undefined::Error {
            return None;
        }
        self.push(FastOp::Trap {});
        Some(())
    }

    /// The truth of a condition as a value.
    fn truth(&mut self, id: NodeId, d: FastReg) -> Option<()> {
        let (no, end) = (self.label(), self.label());
        self.branch(id, false, no)?;
        let k = self.emitter.constant(Value::TRUE);
        self.push(FastOp::Constant { d, k });
        self.push(FastOp::Jump { to: end });
        self.place(no)?;
        let k = self.emitter.constant(Value::FALSE);
        self.push(FastOp::Constant { d, k });
        self.place(end)
    }

    /// Steps from `a` into `d`.
    fn steps(&mut self, steps: StepList, a: FastReg, d: FastReg) -> Option<()> {
        let tree = self.context.tree;
        if steps.is_empty() {
            self.push(FastOp::Copy { d, a });
        }
        let mut from = a;
        for step in tree.steps(steps) {
            let op = match step.kind {
                StepKind::Attribute(_) => {
                    let symbol = self.step_symbol(step)?;
                    FastOp::Attribute { d, a: from, cache: InlineCache::default(), symbol }
                }
                StepKind::Index(key) => self.index_constant(self.info.constant(key)?, from, d)?,
            };
            self.push(op);
            from = d;
        }
        Some(())
    }

    fn index_constant(&mut self, key: Value<'a>, a: FastReg, d: FastReg) -> Option<FastOp> {
        match key.view() {
            View::Number(NumberRef::Int(number, Width::Full)) => {
                Some(FastOp::IndexInt { d, a, i: Immediate(i32::try_from(number).ok()?) })
            }
            View::String(_) => Some(FastOp::IndexText { d, a, k: self.emitter.constant(key) }),
            _ => None,
        }
    }

    /// A chain of `+ - * / %` along its left spine.
    fn arithmetic(&mut self, id: NodeId, _: BinaryOp, d: FastReg) -> Option<()> {
        let mut spine: SmallVec<[(BinaryOp, NodeId); 4]> = SmallVec::new();
        let mut leftmost = self.context.bare(id);
        while let Node::Binary { op, lhs, rhs } = self.context.tree.node(leftmost) {
            if self.info.constant(leftmost).is_some() || self.info.ty(leftmost) != StaticType::Number {
                break;
            }
            spine.push((op, rhs));
            leftmost = self.context.bare(lhs);
        }
        let mut chain = spine.into_iter().rev();
        let (op, rhs) = chain.next()?;
        self.with_operand(leftmost, |lowering, a| lowering.operation(op, a, rhs, d))?;
        for (op, rhs) in chain {
            self.operation(op, d, rhs, d)?;
        }
        Some(())
    }

    fn operation(&mut self, op: BinaryOp, a: FastReg, rhs: NodeId, d: FastReg) -> Option<()> {
        if let Some(op) =
            self.info.constant(rhs).and_then(immediate).and_then(|i| immediate_operation(op, d, a, i))
        {
            self.push(op);
            return Some(());
        }
        self.with_operand(rhs, |lowering, b| {
            lowering.push(match op {
                BinaryOp::Add => FastOp::Add { d, a, b },
                BinaryOp::Subtract => FastOp::Subtract { d, a, b },
                BinaryOp::Multiply => FastOp::Multiply { d, a, b },
                BinaryOp::Divide => FastOp::Divide { d, a, b },
                BinaryOp::Modulo => FastOp::Modulo { d, a, b },
                _ => return None,
            });
            Some(())
        })
    }

    /// One arm where both have one static type, else both and a choice.
    fn conditional(&mut self, [condition, yes, no]: [NodeId; 3], d: FastReg) -> Option<()> {
        if let Some(chain) = self.switch_chain([condition, yes, no]) {
            return self.switch(&chain, d);
        }
        let (other, end) = (self.label(), self.label());
        if let (Some(yes), Some(no)) = (self.info.constant(yes), self.info.constant(no)) {
            let [yes, no] = unified_constants(self.context.arena(), [yes, no])?;
            self.branch(condition, false, other)?;
            let k = self.emitter.constant(yes);
            self.push(FastOp::Constant { d, k });
            self.push(FastOp::Jump { to: end });
            self.place(other)?;
            let k = self.emitter.constant(no);
            self.push(FastOp::Constant { d, k });
            return self.place(end);
        }
        let ty = self.info.ty(yes);
        if ty != StaticType::Dynamic && ty == self.info.ty(no) {
            self.branch(condition, false, other)?;
            self.value(yes, d)?;
            self.push(FastOp::Jump { to: end });
            self.place(other)?;
            self.value(no, d)?;
            return self.place(end);
        }
        self.with_operand(yes, |lowering, a| {
            lowering.with_operand(no, |lowering, b| {
                lowering.branch(condition, false, other)?;
                lowering.push(FastOp::Arm { d, a, b, yes: true });
                lowering.push(FastOp::Jump { to: end });
                lowering.place(other)?;
                lowering.push(FastOp::Arm { d, a: b, b: a, yes: false });
                lowering.place(end)
            })
        })
    }

    /// `x == "a" ? 1 : x == "b" ? 2 : … : n` with one subject and arms of one static type.
    fn switch_chain(&self, chain: [NodeId; 3]) -> Option<Chain> {
        let [mut condition, mut yes, mut no] = chain;
        let ty = self.info.ty(yes);
        if ty == StaticType::Dynamic {
            return None;
        }
        let mut subject = None;
        let mut arms: Vec<(SmolStr, NodeId)> = Vec::new();
        while let Node::Binary { op: BinaryOp::Equal, lhs, rhs } =
            self.context.tree.node(self.context.bare(condition))
        {
            let Some(text) = self.info.constant(rhs).and_then(|text| text.as_str()) else { break };
            let lhs = self.context.bare(lhs);
            if !subject.is_none_or(|subject| self.same_path(subject, lhs)) || self.info.ty(yes) != ty {
                break;
            }
            subject = Some(lhs);
            arms.push((SmolStr::new(text), yes));
            let rest = self.context.bare(no);
            match self.context.tree.node(rest) {
                Node::Conditional { condition: next, yes: next_yes, no: next_no }
                    if self.info.constant(rest).is_none() =>
                {
                    (condition, yes, no) = (next, next_yes, next_no);
                }
                _ => {
                    let complete = arms.len() >= SWITCH_FROM && self.info.ty(no) == ty;
                    return if complete {
                        Some(Chain { subject: subject?, arms, otherwise: no })
                    } else {
                        None
                    };
                }
            }
        }
        None
    }

    /// Whether both are the same variable with the same attribute steps.
    fn same_path(&self, a: NodeId, b: NodeId) -> bool {
        let tree = self.context.tree;
        let (Node::Traversal { root: a, steps: a_steps }, Node::Traversal { root: b, steps: b_steps }) =
            (tree.node(a), tree.node(b))
        else {
            return false;
        };
        let name = |step: &crate::tree::TraversalStep| match step.kind {
            StepKind::Attribute(name) => Some(tree.name(name).clone()),
            StepKind::Index(_) => None,
        };
        let (a_steps, b_steps) = (tree.steps(a_steps), tree.steps(b_steps));
        tree.name(a) == tree.name(b)
            && a_steps.len() == b_steps.len()
            && a_steps.iter().zip(b_steps).all(|(a, b)| name(a).is_some() && name(a) == name(b))
    }

    fn switch(&mut self, chain: &Chain, d: FastReg) -> Option<()> {
        let Chain { subject, arms, otherwise } = chain;
        let (last, end) = (self.label(), self.label());
        let labels: Vec<FastLabel> = arms.iter().map(|_| self.label()).collect();
        let table =
            Switch::new(arms.iter().zip(&labels).map(|((text, _), label)| (text.clone(), *label)), last);
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

    /// A copy of a constant for the pool: it may come from a shorter lifetime.
    pub(super) fn constant_copy(&self, value: Value<'_>) -> Value<'a> {
        hclvm_vm::copy(self.context.arena(), value)
    }
}

pub(super) fn immediate_operation(op: BinaryOp, d: FastReg, a: FastReg, i: Immediate) -> Option<FastOp> {
    Some(match op {
        BinaryOp::Add => FastOp::AddInt { d, a, i },
        // Not zero: negative zero keeps its sign only when zero is subtracted.
        BinaryOp::Subtract if i.0 != 0 => FastOp::AddInt { d, a, i: Immediate(i.0.checked_neg()?) },
        BinaryOp::Multiply => FastOp::MultiplyInt { d, a, i },
        BinaryOp::Divide if i.0 > 0 && i.0 & (i.0 - 1) == 0 => {
            FastOp::Shift { d, a, bits: i.0.trailing_zeros() as u8 }
        }
        BinaryOp::Divide => FastOp::DivideInt { d, a, i },
        BinaryOp::Modulo => FastOp::ModuloInt { d, a, i },
        _ => return None,
    })
}

/// Both constant arms brought to their common type; `None` when they have none.
fn unified_constants<'a>(arena: &'a Arena, arms: [Value<'a>; 2]) -> Option<[Value<'a>; 2]> {
    let ty = hclvm_vm::exec::arms_type(arena, arms)?;
    if ty.is_dynamic() {
        return Some(arms);
    }
    let [yes, no] = arms;
    Some([hclvm_vm::convert(arena, yes, ty).ok()?, hclvm_vm::convert(arena, no, ty).ok()?])
}
