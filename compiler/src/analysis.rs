//! Static analysis: the names and paths that an expression refers to, its static form, and the facts
//! that lowering needs.
//!
//! ```text
//! [for r in var.rules : lower(r.name) if r.port == var.port]
//! variables            var.rules, var.port          each use, in source order
//! required_functions   lower                        each once
//! referenced_paths     var { rules, port }          the parts of `var` that evaluation may read
//! ```
//! The public queries need no environment: hosts ask them before they compile. `info` and `fold` need
//! one; they are the first step of lowering. Nothing here recurses: pending work is on an explicit
//! stack.

mod fold;
mod folded;
mod form;
pub(crate) mod info;
mod known;
mod necessary;
mod order;
mod paths;
mod reads;
mod traversal;
mod walk;

use hclvm_vm::hash::HashSet;
use smol_str::SmolStr;

pub use folded::Folded;
pub(crate) use form::literal_key;
pub use form::{absolute_traversal, call, keyword, list, map};
pub use known::{Determined, determined};
pub use necessary::{Clause, Constant, Guard, GuardKind, Holds, Meaning, Obstacle, Test, necessary_tests};
pub use order::dependency_order;
pub use paths::{Need, Paths, attribute_read, projected_paths, referenced_paths, variable_need};
pub use reads::{Reads, reads};
pub use traversal::{Key, Traversal, keys};

use crate::tree::{NameId, Node, NodeId, Tree};
use walk::walk;

/// Returns all uses of variables in the expression `root` in source order, without the names that for
/// expressions bind. Computed indexes and splats end a traversal.
pub fn variables(tree: &Tree, root: NodeId) -> Vec<Traversal<'_>> {
    variables_named(tree, root, |_| true)
}

/// Like [`variables`], for variables with some names.
fn variables_named(tree: &Tree, root: NodeId, is_wanted: impl Fn(&str) -> bool) -> Vec<Traversal<'_>> {
    let mut found = Vec::new();
    walk(tree, root, |id, bound| {
        if let Node::Traversal { root, .. } = tree.node(id)
            && is_wanted(tree.name(root))
            && let Some(traversal) = Traversal::of_variable(tree, id)
            && !bound.contains(traversal.root())
        {
            found.push(traversal);
        }
    });
    found
}

/// Calls `visit` with each use of a variable in an expression, which is given by its first node and its root.
pub fn uses_of<'t>(
    tree: &'t Tree,
    (first, root): (NodeId, NodeId),
    variable: &str,
    visit: impl FnMut(Traversal<'t>),
) {
    let nodes = tree.nodes(first, root);
    let is_use = |node: Node| match node {
        Node::Traversal { root, .. } => tree.name(root) == variable,
        _ => false,
    };
    // Most expressions do not mention it, and looking at their nodes costs a tenth of a walk, which knows the names
    // that are bound and those that are keys.
    if !nodes.iter().any(|node| is_use(node.node)) {
        return;
    }
    if nodes.iter().any(|node| matches!(node.node, Node::For(_) | Node::ObjectKey { .. })) {
        variables_named(tree, root, |name| name == variable).into_iter().for_each(visit);
        return;
    }
    let uses = (first.0..=root.0).map(NodeId).filter(|id| is_use(tree.node(*id)));
    uses.filter_map(|id| Traversal::of_variable(tree, id)).for_each(visit);
}

/// Returns the names of the variables that the expressions `roots` use, each once, in the order of
/// their first use.
pub fn names(tree: &Tree, roots: impl IntoIterator<Item = NodeId>) -> Vec<SmolStr> {
    let mut found = NameCollector::default();
    for root in roots {
        found.walk(tree, root);
    }
    found.names
}

/// Like [`names`] for all expressions of a tree that parsed without problems. Faster, because the parser
/// lists the variables of a file in native syntax.
pub fn names_of_sound(tree: &Tree) -> Vec<SmolStr> {
    let mut found = NameCollector::default();
    if tree.json.is_some() {
        tree.expressions().for_each(|root| found.walk(tree, root));
    } else {
        tree.variables.iter().for_each(|name| found.add(tree.name(*name)));
    }
    debug_assert_eq!(found.names, names(tree, tree.expressions()));
    found.names
}

/// Returns the names of the variables that an expression uses, in source order, with repetitions.
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

/// Names in the order in which they were found, each once.
#[derive(Default)]
struct NameCollector<'t> {
    seen: HashSet<&'t str>,
    names: Vec<SmolStr>,
}

impl<'t> NameCollector<'t> {
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

/// Returns the names of the functions that the expressions `roots` call, namespaces included, each once,
/// in the order of their first call.
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
