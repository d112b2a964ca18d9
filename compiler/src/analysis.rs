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

use crate::tree::{NameId, Node, NodeId, Placed, Tree};
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
    let mut roots = Roots { tree, seen: vec![false; tree.names.len()], new: Vec::new() };
    for attribute in &tree.attributes {
        if !roots.between(attribute.first_node, attribute.expr) {
            found.walk(tree, attribute.expr);
            continue;
        }
        if roots.new.is_empty() {
            continue;
        }
        // A variable with an index comes after the variables in its index.
        roots.new.sort_unstable_by_key(|(start, _)| *start);
        for (_, root) in roots.new.drain(..) {
            found.add(tree.name(root));
        }
    }
    debug_assert_eq!(found.names, names(tree, tree.expressions()));
    found.names
}

/// Roots of traversals.
struct Roots<'t> {
    tree: &'t Tree,
    /// Those that were found in expressions before, by the number of the name.
    seen: Vec<bool>,
    /// The others, with where they stand in the text.
    new: Vec<(u32, NameId)>,
}

impl Roots<'_> {
    /// Finds those among the nodes of an expression; false, and none, when it binds names.
    fn between(&mut self, first: NodeId, last: NodeId) -> bool {
        let nodes = self.tree.nodes(first, last);
        for (at, node) in nodes.iter().enumerate() {
            match node.node {
                Node::Traversal { root, steps } if !self.seen[root.0 as usize] => {
                    // A key that is a name is no variable; the key follows right behind it.
                    let behind = nodes.get(at + 1);
                    let id = NodeId(first.0 + at as u32);
                    if steps.is_empty()
                        && matches!(behind, Some(Placed { node: Node::ObjectKey { expr, .. }, .. }) if *expr == id)
                    {
                        continue;
                    }
                    self.new.push((node.span.start, root));
                }
                Node::For(_) => {
                    self.new.clear();
                    return false;
                }
                _ => {}
            }
        }
        for (_, root) in &self.new {
            self.seen[root.0 as usize] = true;
        }
        true
    }
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
