//! One bottom-up pass over the nodes of an expression; its result is a [`NodeInfo`] for each.
//!
//! ```text
//! n * (1 + 2) > 4        n        slot 0 of the expression
//!                        1 + 2    a number
//!                        n * …    a number
//!                        4        the constant 4
//!                        … > 4    a bool
//! ```
//!
//! Children precede their parents in the tree, so one loop suffices. Both tiers are lowered from
//! the result and look up no variable or function themselves. Constant folding of the single
//! constructs is in [`fold`](super::fold). The queries in [`analysis`](super) are for hosts; they
//! need no environment.

use std::cell::OnceCell;
use std::sync::Arc;

use hclvm_vm::code::Slot;
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Function, Layout, Type, Value, cast};
use smallvec::SmallVec;

use super::folded::Fold;
use crate::lower::Context;
use crate::tree::{
    BinaryKind, BinaryOp, CallId, NameId, Node, NodeId, SpannedNode, StepKind, StepList, UnaryOp,
};

/// The most slots that fast code may read: the remaining registers of an 8-bit register number are
/// for temporaries.
pub(crate) const MOST_SLOTS: usize = 64;

/// The position of a slot that only parts read whose values are known. No code reads these parts.
pub(crate) const UNLISTED: u8 = u8::MAX;

/// A list of slots, which needs no allocation for most expressions.
pub(crate) type SlotList = SmallVec<[Slot; 8]>;

/// Everything known about a node before it is lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeInfo<'a> {
    /// The value, if constant folding found it.
    pub(crate) constant: Option<Value<'a>>,
    /// The function that a call names, whatever its arguments.
    pub(crate) function: Option<&'a Arc<Function>>,
    /// The slot of the variable that a traversal starts from, unless a for expression binds its name.
    pub(crate) variable: Option<SlotUse>,
    /// The type of the value if its evaluation has no fault.
    pub(crate) ty: StaticType,
}

/// A slot that an expression reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotUse {
    pub(crate) slot: Slot,
    /// Its position in the list of slots that the expression reads, or [`UNLISTED`].
    pub(crate) nth: u8,
    /// True for a derived slot, to which the first step of the traversal leads.
    pub(crate) derived: bool,
}

/// The types that decide whether an operand may be skipped and an arm chosen without evaluating the
/// other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StaticType {
    Bool,
    Number,
    String,
    /// Any other type, or one that only the value shows.
    Dynamic,
}

/// The infos of the nodes of one expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeInfos<'a> {
    first: u32,
    infos: &'a [NodeInfo<'a>],
}

impl<'a> NodeInfos<'a> {
    /// Returns the constant value of a node.
    pub(crate) fn constant(&self, id: NodeId) -> Option<Value<'a>> {
        self.get(id)?.constant
    }

    /// Returns the static type of a node.
    pub(crate) fn ty(&self, id: NodeId) -> StaticType {
        self.get(id).map_or(StaticType::Dynamic, |info| info.ty)
    }

    /// Returns the slot of the variable that a traversal starts from.
    pub(crate) fn variable(&self, id: NodeId) -> Option<SlotUse> {
        self.get(id)?.variable
    }

    /// Returns the function that a call names.
    pub(crate) fn function(&self, id: NodeId) -> Option<&'a Arc<Function>> {
        self.get(id)?.function
    }

    /// Returns the keys of the items of an object constructor if all of them are constant.
    pub(crate) fn keys(&self, items: &[NodeId]) -> Option<Vec<&'a str>> {
        items.chunks_exact(2).map(|item| self.constant(item[0])?.as_str()).collect()
    }

    fn get(&self, id: NodeId) -> Option<&'a NodeInfo<'a>> {
        self.infos.get(cast::index(id.0.wrapping_sub(self.first)))
    }
}

impl<'a> NodeInfo<'a> {
    const UNKNOWN: Self = Self { constant: None, function: None, variable: None, ty: StaticType::Dynamic };

    fn set_constant(&mut self, value: Value<'a>, ty: StaticType) {
        (self.constant, self.ty) = (Some(value), ty);
    }
}

/// Analyzes the expression of `context`. Lists the slots that it reads in `slots`, which is empty, in
/// the order of their first use; once there are more than [`MOST_SLOTS`], no more are listed.
pub(crate) fn analyze<'a>(context: &'a Context<'a>, slots: &mut SlotList) -> NodeInfos<'a> {
    let Context { tree, first, root, .. } = *context;
    let count = cast::index(root.0 - first.0) + 1;
    let mut infos = context.arena().list_with(count);
    infos.resize(count, NodeInfo::UNKNOWN);
    let derives = context.environment.layout.is_some_and(Layout::has_any_derived);
    let mut pass =
        InfoPass { context, calls: OnceCell::new(), infos: infos.into_bump_slice_mut(), slots, derives };
    let nodes = tree.nodes(first, root).iter().map(|SpannedNode { node, .. }| node).enumerate();
    match context.folded {
        None => nodes.for_each(|(at, node)| pass.node(at, node, true)),
        Some(folded) => nodes.for_each(|(at, node)| pass.node_or_constant(at, node, folded.get(at))),
    }
    NodeInfos { first: first.0, infos: pass.infos }
}

/// The pass. The infos of the nodes that it has not visited yet are [`NodeInfo::UNKNOWN`].
pub(super) struct InfoPass<'s, 'a> {
    pub(super) context: &'a Context<'a>,
    /// The memory of functions that are called while folding; results are copied from there.
    pub(super) calls: OnceCell<Arena>,
    infos: &'a mut [NodeInfo<'a>],
    slots: &'s mut SlotList,
    /// True if attributes of a variable may have slots.
    derives: bool,
}

impl<'a> InfoPass<'_, 'a> {
    /// Visits a node, in the place of which there may be a constant.
    // Few expressions are specialized, and the code of `node` is large.
    #[inline(never)]
    fn node_or_constant(&mut self, at: usize, node: &Node, fold: Fold<'a>) {
        match fold {
            Fold::Keep => self.node(at, node, true),
            Fold::Covered => self.node(at, node, false),
            Fold::Constant(value) => self.infos[at].set_constant(value, StaticType::of_value(value)),
        }
    }

    /// Visits the node at index `at`, whose slots are listed unless it is below a constant. Most nodes are of the
    /// first four kinds, which are never constant or always. Each kind sets only its part of the info:
    /// appending whole infos costs the workload `compile` 16,100 instructions more, 1.5 %.
    // Part of the loop in `analyze`; the other caller is rare.
    #[inline(always)]
    fn node(&mut self, at: usize, node: &Node, listed: bool) {
        match *node {
            Node::Traversal { root, steps } => self.infos[at].variable = self.variable(root, steps, listed),
            Node::Binary { op, .. } => self.infos[at].ty = StaticType::of_operation(op),
            Node::Number(number) => {
                let value = self.number(number);
                self.infos[at].set_constant(value, StaticType::Number);
            }
            Node::Text(text) => {
                let value = self.text(self.context.tree.text(text));
                self.infos[at].set_constant(value, StaticType::String);
            }
            Node::Call(call) => self.infos[at] = self.call_info(call),
            _ => match self.within_budget(self.fold(node)) {
                Some(value) => self.infos[at].set_constant(value, StaticType::of_value(value)),
                None => self.infos[at].ty = self.ty_of(node),
            },
        }
    }

    /// Looks up the function of a call.
    fn call_info(&self, call: CallId) -> NodeInfo<'a> {
        let Context { tree, environment, .. } = *self.context;
        let call = tree.call(call);
        let Some(function) = environment.functions.and_then(|table| table.get(&call.name)) else {
            return NodeInfo::UNKNOWN;
        };
        let constant = self.within_budget(self.call(call, function));
        let ty = constant.map_or_else(|| StaticType::of_result(function), StaticType::of_value);
        NodeInfo { constant, function: Some(function), variable: None, ty }
    }

    /// Looks up the slot of a variable or of an attribute of it, and lists it.
    // Part of the loop in `analyze`, as `node`.
    #[inline(always)]
    fn variable(&mut self, name: NameId, steps: StepList, listed: bool) -> Option<SlotUse> {
        let Context { tree, environment, resolution, .. } = *self.context;
        let derived = if self.derives { self.derived(environment.layout?, name, steps) } else { None };
        let slot = match (derived, resolution) {
            (Some(slot), _) => slot,
            (None, Some(resolution)) => resolution.slot(name)?,
            (None, None) => environment.layout?.slot(tree.name(name))?,
        };
        let derived = derived.is_some();
        if !listed {
            return Some(SlotUse { slot, nth: UNLISTED, derived });
        }
        let slots = self.slots.as_slice();
        let count = slots.len();
        let nth = slots.iter().position(|known| *known == slot).unwrap_or(count);
        if nth == count && count <= MOST_SLOTS {
            self.slots.push(slot);
        }
        Some(SlotUse { slot, nth: cast::register(nth.min(MOST_SLOTS)), derived })
    }

    /// Looks up the slot of the attribute that the first step selects.
    // Out of line: only modules have such slots.
    #[cold]
    #[inline(never)]
    fn derived(&self, layout: &Layout, name: NameId, steps: StepList) -> Option<Slot> {
        let Context { tree, resolution, .. } = *self.context;
        let name = tree.name(name);
        let step = tree.steps(steps).first().filter(|_| layout.has_derived(name))?;
        match (step.kind, resolution) {
            (StepKind::Index(key), _) => layout.derived(name, self.constant(key)?.as_str()?),
            (StepKind::Attribute(id), Some(resolution)) => layout.derived(name, &resolution.attribute(id)?.1),
            (StepKind::Attribute(id), None) => layout.derived(name, nfc(self.context.arena(), tree.name(id))),
        }
    }

    /// Returns the static type of a node that is not constant and not of a kind above.
    fn ty_of(&self, node: &Node) -> StaticType {
        match *node {
            Node::Template(_) | Node::TemplateJoin(_) => StaticType::String,
            Node::TemplateWrap(inner) | Node::Parens(inner) => self.ty(inner),
            Node::Unary { op: UnaryOp::Not, .. } => StaticType::Bool,
            Node::Unary { op: UnaryOp::Negate, .. } => StaticType::Number,
            Node::Conditional { yes, no, .. } if self.ty(yes) == self.ty(no) => self.ty(yes),
            _ => StaticType::Dynamic,
        }
    }

    /// Returns the constant value of a visited node.
    pub(super) fn constant(&self, id: NodeId) -> Option<Value<'a>> {
        self.visited(id)?.constant
    }

    /// Returns the static type of a visited node.
    fn ty(&self, id: NodeId) -> StaticType {
        self.visited(id).map_or(StaticType::Dynamic, |info| info.ty)
    }

    fn visited(&self, id: NodeId) -> Option<&NodeInfo<'a>> {
        self.infos.get(cast::index(id.0.wrapping_sub(self.context.first.0)))
    }
}

impl StaticType {
    /// Returns the type of a binary operation.
    const fn of_operation(op: BinaryOp) -> Self {
        match op.kind() {
            BinaryKind::Arithmetic(_) => Self::Number,
            BinaryKind::Logical { .. } | BinaryKind::Equality { .. } | BinaryKind::Comparison(_) => {
                Self::Bool
            }
        }
    }

    /// Returns the type of a call whose arguments are not constant. The result of `can` may be unknown,
    /// and the result of `try` may be anything.
    fn of_result(function: &Function) -> Self {
        match function.static_return() {
            _ if function.is_lazy() => Self::Dynamic,
            Some(Type::Bool) => Self::Bool,
            Some(Type::Number) => Self::Number,
            Some(Type::String) => Self::String,
            _ => Self::Dynamic,
        }
    }

    /// Returns the type of a constant.
    fn of_value(value: Value<'_>) -> Self {
        if value.as_bool().is_some() {
            Self::Bool
        } else if value.as_str().is_some() {
            Self::String
        } else if value.as_number().is_some() {
            Self::Number
        } else {
            Self::Dynamic
        }
    }
}
