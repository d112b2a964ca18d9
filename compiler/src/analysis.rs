//! What an expression refers to and which static form it has, found without evaluating it.
//!
//! ```text
//! [for r in var.rules : lower(r.name) if r.port == var.port]
//! variables            var.rules, var.port          each use, in source order
//! required_functions   lower                        each once
//! referenced_paths     var { rules, port }          what an ingest of `var` must bring
//! ```
//! Nothing here recurses: work that waits is on a list.

mod form;
mod paths;
mod traversal;
mod walk;

use hclvm_vm::hash::HashSet;
use smol_str::SmolStr;

pub use form::{absolute_traversal, call, keyword, list, map};
pub use paths::{Need, Paths, referenced_paths};
pub use traversal::{Key, Traversal};

use crate::tree::{NameId, Node, NodeId, Tree};
use walk::walk;

/// The uses of variables below `root` in source order, each of them, without names that for
/// expressions bind. Computed indexes and splats end a traversal.
pub fn variables(tree: &Tree, root: NodeId) -> Vec<Traversal<'_>> {
    let mut found = Vec::new();
    walk(tree, root, |id, bound| {
        if let Some(traversal) = Traversal::of_variable(tree, id)
            && !bound.contains(traversal.root())
        {
            found.push(traversal);
        }
    });
    found
}

/// Names of the variables that the expressions `roots` use, each once, in the order of their
/// first use.
pub fn names(tree: &Tree, roots: impl IntoIterator<Item = NodeId>) -> Vec<SmolStr> {
    let mut found = Found::default();
    for root in roots {
        found.walk(tree, root);
    }
    found.names
}

/// The same for all expressions of a tree that parsed without problems, so that every node of it is
/// in one of them. Those without for expressions, which are most, are read straight through.
pub fn names_of_sound(tree: &Tree) -> Vec<SmolStr> {
    let mut found = Found::default();
    if tree.json.is_some() {
        tree.expressions().for_each(|root| found.walk(tree, root));
        return found.names;
    }
    let mut roots = Vec::new();
    for attribute in &tree.attributes {
        roots.clear();
        if !variables_between(tree, attribute.first_node, attribute.expr, &mut roots) {
            found.walk(tree, attribute.expr);
            continue;
        }
        // A variable with an index comes after the variables in its index; names are numbered as
        // they stand in the text.
        if !roots.is_sorted() {
            roots.sort_unstable();
        }
        for root in &roots {
            found.add(tree.name(*root));
        }
    }
    debug_assert_eq!(found.names, names(tree, tree.expressions()));
    found.names
}

/// The roots of the traversals among the nodes of an expression; false when it binds names.
fn variables_between(tree: &Tree, first: NodeId, last: NodeId, found: &mut Vec<NameId>) -> bool {
    for id in first.0..=last.0 {
        match tree.node(NodeId(id)) {
            Node::Traversal { root, .. } => found.push(root),
            // A key that is a name follows right behind it.
            Node::ObjectKey { expr, .. } if is_name(tree, expr) => drop(found.pop()),
            Node::For(_) => return false,
            _ => {}
        }
    }
    true
}

fn is_name(tree: &Tree, id: NodeId) -> bool {
    matches!(tree.node(id), Node::Traversal { .. }) && form::keyword(tree, id).is_some()
}

/// Names in the order in which they were found first.
#[derive(Default)]
struct Found<'t> {
    seen: HashSet<&'t str>,
    names: Vec<SmolStr>,
}

impl<'t> Found<'t> {
    fn add(&mut self, name: &'t SmolStr) {
        if self.seen.insert(name) {
            self.names.push(name.clone());
        }
    }

    fn walk(&mut self, tree: &'t Tree, root: NodeId) {
        walk(tree, root, |id, bound| {
            if let Node::Traversal { root, .. } = tree.node(id)
                && !bound.contains(tree.name(root))
            {
                self.add(tree.name(root));
            }
        });
    }
}

/// Names of the functions that the expressions `roots` call, namespaces included, each once, in
/// the order of their first call.
pub fn required_functions(tree: &Tree, roots: impl IntoIterator<Item = NodeId>) -> Vec<SmolStr> {
    let mut seen = HashSet::default();
    let mut functions = Vec::new();
    for root in roots {
        walk(tree, root, |id, _| {
            if let Node::Call(call) = tree.node(id)
                && seen.insert(&tree.call(call).name)
            {
                functions.push(tree.call(call).name.clone());
            }
        });
    }
    functions
}
