//! The parts of variables that an expression reads, so that a host ingests only these.
//!
//! The result is an upper bound: evaluation reads no part that is not listed, but may read less. For the
//! single uses with their ranges, see [`variables`].

use std::collections::BTreeMap;

use hclvm_vm::hash::HashMap;
use hclvm_vm::text::nfc_code_points;
use smol_str::SmolStr;

use super::walk::{BoundNames, walk};
use super::{Key, Traversal, keys, uses_of, variables};
use crate::tree::{ForId, Node, NodeId, Tree};

/// The most steps of a path that are listed. A longer path needs all of the value at its end. Bounds the
/// depth of [`Need`], which is dropped and compared recursively.
const LONGEST_PATH: usize = 64;

/// The most for expressions or splats inside each other whose elements are followed. Elements of an inner one are
/// needed whole. Bounds the depth of [`Need`], together with [`LONGEST_PATH`].
const MOST_LOOPS: usize = 4;

/// The needed parts of each variable by name.
pub type Paths = BTreeMap<SmolStr, Need>;

/// The parts of a value that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// All of it.
    Whole,
    /// These attributes of an object or map; all of any other value.
    Attributes(BTreeMap<SmolStr, Need>),
    /// These parts of each element of a tuple; all of any other value, such as an object. Only
    /// [`projected_paths`] shows it.
    Elements(Box<Need>),
}

impl Need {
    /// Creates the need of nothing.
    fn none() -> Self {
        Self::Attributes(BTreeMap::new())
    }

    /// Creates the need of parts of each element.
    fn elements(element: Self) -> Self {
        if element.is_whole() { element } else { Self::Elements(Box::new(element)) }
    }

    /// Returns true if nothing is needed.
    fn is_none(&self) -> bool {
        matches!(self, Self::Attributes(attributes) if attributes.is_empty())
    }

    /// Adds what another need has. The recursion is bounded by the length of paths.
    pub fn add(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Whole, _) => {}
            (Self::Attributes(known), Self::Attributes(other)) => {
                for (name, more) in other {
                    known.entry(name).or_insert_with(Self::none).add(more);
                }
            }
            (Self::Elements(known), Self::Elements(other)) => {
                known.add(*other);
                if known.is_whole() {
                    *self = Self::Whole;
                }
            }
            (_, other) if other.is_none() => {}
            (known, other) => *known = if known.is_none() { other } else { Self::Whole },
        }
    }

    /// Returns true if all of `other` is needed. The recursion is bounded by the length of paths.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Whole, _) => true,
            (Self::Attributes(known), Self::Attributes(other)) => {
                other.iter().all(|(name, need)| known.get(name).is_some_and(|known| known.covers(need)))
            }
            (Self::Elements(known), Self::Elements(other)) => known.covers(other),
            (_, other) => other.is_none(),
        }
    }

    /// Returns true if all of the value is read.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }

    /// Returns the need of an attribute; `None` if nothing of it is read.
    pub fn attribute(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Whole => Some(self),
            Self::Attributes(attributes) => attributes.get(name),
            // All of a value that is no tuple.
            Self::Elements(_) => Some(&Self::Whole),
        }
    }

    /// Returns the names of the attributes that are read, none if all of the value is.
    pub fn names(&self) -> impl Iterator<Item = &SmolStr> {
        match self {
            Self::Whole | Self::Elements(_) => None,
            Self::Attributes(attributes) => Some(attributes.keys()),
        }
        .into_iter()
        .flatten()
    }
}

/// Returns the paths of constant attribute names from the variables that the expressions `roots` use. A
/// path ends at a number, a computed index or a splat.
pub fn referenced_paths(tree: &Tree, roots: impl IntoIterator<Item = NodeId>) -> Paths {
    let mut paths = Paths::new();
    for root in roots {
        for traversal in variables(tree, root) {
            add(&mut paths, &traversal);
        }
    }
    paths
}

/// Like [`referenced_paths`], for one variable; `None` if no expression uses it. Each expression is given by its
/// first node and its root.
pub fn variable_need(
    tree: &Tree,
    expressions: impl IntoIterator<Item = (NodeId, NodeId)>,
    variable: &str,
) -> Option<Need> {
    let mut paths = Paths::new();
    for expression in expressions {
        uses_of(tree, expression, variable, |traversal| add(&mut paths, &traversal));
    }
    paths.into_values().next()
}

/// Returns the attribute that a traversal reads of its variable, in normal form; `None` if it reads all of it.
pub fn attribute_read(traversal: &Traversal<'_>) -> Option<SmolStr> {
    match traversal.steps().next()?.0 {
        Key::Attribute(name) | Key::Text(name) => Some(nfc_code_points(name).collect()),
        _ => None,
    }
}

/// Adds the path of a traversal, which ends at the first step that is no constant name.
fn add(paths: &mut Paths, traversal: &Traversal<'_>) {
    let (names, _) = leading_names(traversal.steps().map(|(key, _)| key));
    let need = paths.entry(SmolStr::new(traversal.root())).or_insert_with(Need::none);
    need.add(at(names, Need::Whole));
}

/// Returns the constant names that steps begin with, in normal form, and whether these are all steps.
fn leading_names<'t>(steps: impl ExactSizeIterator<Item = Key<'t>>) -> (Vec<SmolStr>, bool) {
    let count = steps.len();
    let name = |key| match key {
        Key::Attribute(name) | Key::Text(name) => Some(nfc_code_points(name).collect()),
        _ => None,
    };
    let names: Vec<SmolStr> = steps.take(LONGEST_PATH).map_while(name).collect();
    let all = names.len() == count;
    (names, all)
}

/// Returns the need of `inner` at the end of a path.
fn at(names: Vec<SmolStr>, inner: Need) -> Need {
    names.into_iter().rev().fold(inner, |need, name| Need::Attributes(BTreeMap::from([(name, need)])))
}

/// Like [`referenced_paths`], and follows paths into elements: those of collections that for expressions iterate
/// over, if they read their elements by constant names only, those of splats, and those behind computed indexes.
///
/// ```text
/// [for s in servers : upper(s.name) if s.load < 1]      servers: elements { load, name }
/// hosts[*].address.ip                                   hosts: elements { address { ip } }
/// hosts[i].name                                         hosts: elements { name }
/// ```
pub fn projected_paths(tree: &Tree, roots: impl IntoIterator<Item = NodeId>) -> Paths {
    let mut paths = Paths::new();
    for root in roots {
        let mut uses = VariableUses { tree, collections: HashMap::default(), found: Vec::new() };
        walk(tree, root, |id, bound| uses.visit(id, bound));
        for (name, need) in uses.needs() {
            paths.entry(name).or_insert_with(Need::none).add(need);
        }
    }
    paths
}

/// The uses of variables and of the elements of for expressions in an expression.
struct VariableUses<'t> {
    tree: &'t Tree,
    /// The parts of its elements that are read of a collection.
    collections: HashMap<NodeId, ElementParts>,
    found: Vec<Use<'t>>,
}

/// The parts of elements that are read.
enum ElementParts {
    /// Those that a for expression reads.
    For(ForId),
    /// Those that a splat or the steps behind an index read.
    Read(Need),
}

/// A use of a variable, or of the element of a for expression.
struct Use<'t> {
    element_of: Option<ForId>,
    id: NodeId,
    traversal: Traversal<'t>,
}

impl<'t> VariableUses<'t> {
    fn visit(&mut self, id: NodeId, bound: &BoundNames<'t>) {
        match self.tree.node(id) {
            Node::For(details) if bound.loops().count() < MOST_LOOPS => {
                let collection = self.tree.for_expr(details).collection;
                self.collections.insert(collection, ElementParts::For(details));
            }
            Node::Splat { source, each, .. } => {
                self.collections.insert(source, ElementParts::Read(splat_need(self.tree, each, MOST_LOOPS)));
            }
            Node::RelativeTraversal { source, steps } => {
                if let Node::Index { collection, .. } = self.tree.node(source) {
                    let steps: Vec<Key<'_>> = keys(self.tree, steps).collect();
                    let (names, _) = leading_names(steps.into_iter());
                    self.collections.insert(collection, ElementParts::Read(at(names, Need::Whole)));
                }
            }
            Node::Traversal { .. } => {
                let Some(traversal) = Traversal::of_variable(self.tree, id) else { return };
                let name = traversal.root();
                let is_bound = bound.contains(name);
                let element_of = bound.loops().filter(|id| is_bound && self.binds(*id, name)).last();
                // The key or index is no part of an element.
                if element_of.is_some_and(|id| self.tree.name(self.tree.for_expr(id).value_name) != name) {
                    return;
                }
                self.found.push(Use { element_of, id, traversal });
            }
            _ => {}
        }
    }

    /// Returns true if a for expression binds a name.
    fn binds(&self, id: ForId, name: &str) -> bool {
        let details = self.tree.for_expr(id);
        details.key_name.into_iter().chain([details.value_name]).any(|bound| self.tree.name(bound) == name)
    }

    /// Returns the needs of the variables.
    fn needs(mut self) -> Vec<(SmolStr, Need)> {
        let mut elements: HashMap<ForId, Need> = HashMap::default();
        let mut needs = Vec::new();
        // Uses inside a for expression come after the use that is its collection.
        for Use { element_of, id, traversal } in self.found.into_iter().rev() {
            let (names, all) = leading_names(traversal.steps().map(|(key, _)| key));
            let inner = match self.collections.remove(&id).filter(|_| all) {
                None => Need::Whole,
                Some(ElementParts::Read(need)) => Need::elements(need),
                Some(ElementParts::For(id)) => {
                    Need::elements(elements.remove(&id).unwrap_or_else(Need::none))
                }
            };
            let need = at(names, inner);
            match element_of {
                None => needs.push((SmolStr::new(traversal.root()), need)),
                Some(id) => elements.entry(id).or_insert_with(Need::none).add(need),
            }
        }
        needs
    }
}

/// Returns the need of each element of which a splat evaluates `each`, with at most `loops` splats in it. The recursion
/// is bounded by their number.
fn splat_need(tree: &Tree, each: NodeId, loops: usize) -> Need {
    let (path, inner) = match tree.node(each) {
        Node::Splat { source, each, .. } if loops > 1 => {
            (source, Need::elements(splat_need(tree, each, loops - 1)))
        }
        _ => (each, Need::Whole),
    };
    let Node::RelativeTraversal { source, steps } = tree.node(path) else { return Need::Whole };
    if tree.node(source) != Node::SplatItem {
        return Need::Whole;
    }
    let steps: Vec<Key<'_>> = keys(tree, steps).collect();
    let (names, all) = leading_names(steps.into_iter());
    at(names, if all { inner } else { Need::Whole })
}
