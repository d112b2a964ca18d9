//! A pre-order walk over an expression in source order that tracks the names bound by for expressions.
//!
//! It serves the queries of hosts. [`info`](super::info) visits nodes in the order of the tree, which is
//! faster but not the order of the source.

use hclvm_vm::hash::HashMap;

use super::form::keyword;
use crate::tree::{ForId, Node, NodeId, Tree};

/// The for expressions around a node and the names that they bind.
#[derive(Debug, Default)]
pub(super) struct BoundNames<'t> {
    /// The names, each with the number of its binders.
    names: HashMap<&'t str, u32>,
    /// The for expressions, from the outermost.
    loops: Vec<ForId>,
}

impl<'t> BoundNames<'t> {
    /// Iterates over the for expressions around the node, from the outermost.
    pub(super) fn loops(&self) -> impl Iterator<Item = ForId> {
        self.loops.iter().copied()
    }

    /// Returns true if a for expression around the node binds this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        !self.names.is_empty() && self.names.contains_key(name)
    }

    fn bind(&mut self, tree: &'t Tree, id: ForId) {
        self.loops.push(id);
        for name in bound_names(tree, id) {
            *self.names.entry(name).or_default() += 1;
        }
    }

    fn unbind(&mut self, tree: &'t Tree, id: ForId) {
        self.loops.pop();
        for name in bound_names(tree, id) {
            if let Some(count) = self.names.get_mut(name) {
                *count -= 1;
                if *count == 0 {
                    self.names.remove(name);
                }
            }
        }
    }
}

/// A pending step of the walk.
enum WalkStep {
    Visit(NodeId),
    Bind(ForId),
    Unbind(ForId),
}

/// Calls `visit` with every expression from `root` down, except the keys of objects that are names rather
/// than variables.
pub(super) fn walk<'t>(tree: &'t Tree, root: NodeId, mut visit: impl FnMut(NodeId, &BoundNames<'t>)) {
    let mut bound = BoundNames::default();
    let mut tasks = vec![WalkStep::Visit(root)];
    let mut children = Vec::new();
    while let Some(task) = tasks.pop() {
        match task {
            WalkStep::Bind(details) => bound.bind(tree, details),
            WalkStep::Unbind(details) => bound.unbind(tree, details),
            WalkStep::Visit(id) => {
                visit(id, &bound);
                match tree.node(id) {
                    Node::ObjectKey { expr, .. } if keyword(tree, expr).is_some() => {}
                    Node::For(details) => visit_for(tree, details, &mut tasks),
                    _ => {
                        tree.children(id, &mut children);
                        tasks.extend(children.drain(..).rev().map(WalkStep::Visit));
                    }
                }
            }
        }
    }
}

/// Schedules a for expression: its names are bound everywhere but in the collection.
fn visit_for(tree: &Tree, id: ForId, tasks: &mut Vec<WalkStep>) {
    let details = tree.for_expr(id);
    tasks.push(WalkStep::Unbind(id));
    tasks.extend(details.condition.map(WalkStep::Visit));
    tasks.push(WalkStep::Visit(details.value));
    tasks.extend(details.key.map(WalkStep::Visit));
    tasks.push(WalkStep::Bind(id));
    tasks.push(WalkStep::Visit(details.collection));
}

fn bound_names(tree: &Tree, id: ForId) -> impl Iterator<Item = &str> {
    let details = tree.for_expr(id);
    details.key_name.into_iter().chain([details.value_name]).map(|name| tree.name(name).as_str())
}
