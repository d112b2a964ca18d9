//! What an expression refers to and which static form it has, found without evaluating it.
//!
//! ```text
//! [for r in var.rules : lower(r.name) if r.port == var.port]
//! variables            var.rules, var.port          each use, in source order
//! required_functions   lower                        each once
//! referenced_paths     var { rules, port }          what an ingest of `var` must bring
//! ```
//! Nothing here recurses: work that waits is on a list.

mod fold;
mod form;
pub(crate) mod info;
mod paths;
mod traversal;
mod walk;

use hclvm_vm::hash::HashSet;
use smol_str::SmolStr;

pub(crate) use form::literal_key;
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

/// The same for all expressions of a tree that parsed without problems. Of one that is not JSON the
/// parser has noted them.
pub fn names_of_sound(tree: &Tree) -> Vec<SmolStr> {
    let mut found = Found::default();
    if tree.json.is_some() {
        tree.expressions().for_each(|root| found.walk(tree, root));
    } else {
        tree.variables.iter().for_each(|name| found.add(tree.name(*name)));
    }
    debug_assert_eq!(found.names, names(tree, tree.expressions()));
    found.names
}

/// The names of the variables that an expression uses, in source order, some of them several times.
pub(crate) fn variable_names(tree: &Tree, root: NodeId) -> Vec<NameId> {
    let mut names = Vec::new();
    walk(tree, root, |id, bound| {
        if let Node::Traversal { root, .. } = tree.node(id)
            && !bound.contains(tree.name(root))
        {
            names.push(root);
        }
    });
    names
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
        for name in variable_names(tree, root) {
            self.add(tree.name(name));
        }
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
