//! The parts of an expression that known variables alone determine, and the constants that take their place.
//!
//! ```text
//! env.limit * 2 > length([for r in rules : r if r.zone == env.zone])        env is known
//! ─────────────                                          ────────
//! a constant                                             a constant
//! ```
//! A part is determined if it reads known slots, calls pure functions, and uses no name that a for expression
//! or splat around it binds. The host evaluates the outermost determined parts; those whose evaluation has no
//! fault become constants of the fast tier. The baseline tier reads the slots, which hold the known values.

use hclvm_vm::code::Slot;
use hclvm_vm::{Lazy, Value, cast};

use super::folded::Folded;
use super::form::literal_key;
use super::info::{self, NodeInfos, SlotList};
use crate::lower::Context;
use crate::tree::{ForId, Node, NodeId, Tree};

/// The nodes of an expression that known slots determine.
#[derive(Clone, Debug)]
pub struct Determined {
    first: NodeId,
    root: NodeId,
    nodes: Vec<KnownOutcome>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownOutcome {
    Open,
    Determined,
    /// Constant without any slot.
    Constant,
}

/// The nodes that the evaluations of parts may visit, in multiples of those of the expression: parts that
/// have faults are inside each other, and each of them is evaluated.
const MOST_VISITS: usize = 16;

/// Finds the nodes of the expression of `context` that the slots `is_known` determine.
pub fn determined(context: &Context<'_>, is_known: impl Fn(Slot) -> bool) -> Determined {
    let Context { tree, first, root, .. } = *context;
    let info = info::analyze(context, &mut SlotList::new());
    let count = cast::index(root.0 - first.0) + 1;
    let mut pass = KnownPass { tree, info, first, binders: Vec::new(), around: vec![None; count] };
    pass.binders(root);
    // The lowest depth of a binder that the node needs, `FREE` if none, `OPEN` if it is not determined.
    let mut needs = vec![OPEN; count];
    let mut nodes = vec![KnownOutcome::Open; count];
    let mut children = Vec::new();
    for at in 0..count {
        let Some(binder) = pass.around[at] else { continue };
        let id = NodeId(first.0 + cast::length(at));
        pass.operands(id, &mut children);
        let below = children.drain(..).map(|child| needs[pass.index(child)]).min().unwrap_or(FREE);
        needs[at] = below.min(pass.own_need(id, binder, &is_known));
        let depth = pass.depth(binder);
        nodes[at] = match pass.info.constant(id) {
            Some(_) => KnownOutcome::Constant,
            None if needs[at] > depth => KnownOutcome::Determined,
            None => KnownOutcome::Open,
        };
    }
    Determined { first, root, nodes }
}

const FREE: u32 = u32::MAX;
const OPEN: u32 = 0;

/// A for expression or splat around a node.
#[derive(Clone, Copy)]
struct Binder {
    /// The number of the binder around it, [`NO_BINDER`] for none.
    outer: u32,
    /// 1 for the outermost.
    depth: u32,
    /// `None` for a splat.
    names: Option<ForId>,
}

const NO_BINDER: u32 = u32::MAX;

struct KnownPass<'t, 'a> {
    tree: &'t Tree,
    info: NodeInfos<'a>,
    first: NodeId,
    binders: Vec<Binder>,
    /// The innermost binder around each node; `None` for nodes that no evaluation reaches.
    around: Vec<Option<u32>>,
}

impl KnownPass<'_, '_> {
    fn index(&self, id: NodeId) -> usize {
        cast::index(id.0 - self.first.0)
    }

    fn depth(&self, binder: u32) -> u32 {
        self.binders.get(cast::index(binder)).map_or(0, |binder| binder.depth)
    }

    /// Finds the binders around each node. Parents follow their children in the tree.
    fn binders(&mut self, root: NodeId) {
        let mut children = Vec::new();
        let last = self.index(root);
        self.around[last] = Some(NO_BINDER);
        for at in (0..=last).rev() {
            let Some(outer) = self.around[at] else { continue };
            let id = NodeId(self.first.0 + cast::length(at));
            let (outside, names) = match self.tree.node(id) {
                Node::For(details) => (self.tree.for_expr(details).collection, Some(details)),
                Node::Splat { source, .. } => (source, None),
                _ => {
                    self.operands(id, &mut children);
                    for child in children.drain(..) {
                        let child = self.index(child);
                        self.around[child] = Some(outer);
                    }
                    continue;
                }
            };
            let binder = cast::length(self.binders.len());
            self.binders.push(Binder { outer, depth: self.depth(outer) + 1, names });
            self.tree.children(id, &mut children);
            for child in children.drain(..) {
                let inside = child != outside;
                let child = self.index(child);
                self.around[child] = Some(if inside { binder } else { outer });
            }
        }
    }

    /// Appends the children that are evaluated: not a key that is a name, nor a type expression.
    fn operands(&self, id: NodeId, found: &mut Vec<NodeId>) {
        match self.tree.node(id) {
            Node::ObjectKey { expr, forced } if literal_key(self.tree, expr, forced).is_some() => {}
            Node::Call(call) if is_conversion(self.info, id) && !self.tree.call(call).expand => {
                found.extend(self.tree.list(self.tree.call(call).args).first());
            }
            _ => self.tree.children(id, found),
        }
    }

    /// Returns what a node needs besides its operands.
    fn own_need(&self, id: NodeId, binder: u32, is_known: impl Fn(Slot) -> bool) -> u32 {
        let found = |names: &dyn Fn(&Binder) -> bool| {
            let mut at = binder;
            while let Some(binder) = self.binders.get(cast::index(at)) {
                if names(binder) {
                    return Some(binder.depth);
                }
                at = binder.outer;
            }
            None
        };
        match self.tree.node(id) {
            Node::Traversal { root, .. } => {
                let name = self.tree.name(root);
                let binds = |binder: &Binder| {
                    binder.names.is_some_and(|details| {
                        let details = self.tree.for_expr(details);
                        let mut names = details.key_name.into_iter().chain([details.value_name]);
                        names.any(|bound| self.tree.name(bound) == name)
                    })
                };
                let free = match self.info.variable(id) {
                    Some(variable) if !is_known(variable.slot) => OPEN,
                    // The dialect alone says what a name without a slot means.
                    _ => FREE,
                };
                found(&binds).unwrap_or(free)
            }
            Node::SplatItem => found(&|binder| binder.names.is_none()).unwrap_or(OPEN),
            Node::Call(_) if self.info.function(id).is_some_and(|function| !function.pure) => OPEN,
            Node::Invalid => OPEN,
            _ => FREE,
        }
    }
}

fn is_conversion(info: NodeInfos<'_>, id: NodeId) -> bool {
    info.function(id).is_some_and(|function| matches!(function.lazy_kind(), Some(Lazy::Convert)))
}

impl Determined {
    /// Returns true if the whole expression is determined.
    pub fn is_whole(&self) -> bool {
        self.outcome(self.root) != KnownOutcome::Open
    }

    fn outcome(&self, id: NodeId) -> KnownOutcome {
        self.nodes.get(cast::index(id.0.wrapping_sub(self.first.0))).copied().unwrap_or(KnownOutcome::Open)
    }

    /// Replaces the outermost determined parts for which `evaluate` returns a value. It gets the first and
    /// the last node of a part, and returns `None` for one whose evaluation has a fault.
    pub fn fold<'a>(
        &self,
        tree: &Tree,
        mut evaluate: impl FnMut(NodeId, NodeId) -> Option<Value<'a>>,
    ) -> Folded<'a> {
        let mut folded = Folded::none(self.first, self.nodes.len());
        let mut visits = self.nodes.len() * MOST_VISITS;
        let mut open = vec![self.root];
        while let Some(id) = open.pop() {
            match tree.node(id) {
                // The literals of names, keys and types.
                _ if self.outcome(id) == KnownOutcome::Constant => continue,
                // The constant of the node inside is that of these.
                Node::Parens(inner) | Node::TemplateWrap(inner) => {
                    open.push(inner);
                    continue;
                }
                // A single name is a text; a longer traversal without parentheses is a fault.
                Node::ObjectKey { expr, forced } => {
                    if forced || !matches!(tree.node(expr), Node::Traversal { .. }) {
                        open.push(expr);
                    }
                    continue;
                }
                _ => {}
            }
            if self.outcome(id) == KnownOutcome::Determined {
                let first = tree.first_node(id);
                let size = cast::index(id.0 - first.0) + 1;
                let Some(left) = visits.checked_sub(size) else { break };
                visits = left;
                if let Some(value) = evaluate(first, id) {
                    folded.set(tree, id, value);
                    continue;
                }
            }
            // Type expressions are not determined, because no evaluation reaches them.
            tree.children(id, &mut open);
        }
        folded
    }
}
