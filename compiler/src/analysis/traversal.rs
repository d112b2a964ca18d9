//! A traversal inside a tree: a root name and constant steps.
//!
//! It borrows the tree. [`ParsedTraversal`](crate::ParsedTraversal) is the owned counterpart, parsed from
//! a text of its own.

use std::fmt;

use hclvm_vm::{Number, Span};

use crate::tree::{Node, NodeId, StepKind, StepList, TraversalStep, Tree};

/// A root name and the constant steps after it, as written: `a.b[0]["c"]`.
#[derive(Clone, Copy)]
pub struct Traversal<'t> {
    tree: &'t Tree,
    root: &'t str,
    root_span: Span,
    steps: &'t [TraversalStep],
    span: Span,
}

/// The part of a value that a step of a traversal selects.
#[derive(Clone, Copy, Debug)]
pub enum Key<'t> {
    /// `.name`
    Attribute(&'t str),
    /// `[0]` or `.0`
    Number(&'t Number),
    /// `["key"]`, escapes decoded, not normalised.
    Text(&'t str),
    /// `[true]` or `[false]`, which exist in no value.
    Bool(bool),
    /// `[null]`, which exists in no value.
    Null,
}

impl<'t> Traversal<'t> {
    /// Returns the node as a traversal if it is a variable, with or without steps.
    pub(crate) fn of_variable(tree: &'t Tree, id: NodeId) -> Option<Self> {
        let Node::Traversal { root, steps } = tree.node(id) else { return None };
        Some(Self {
            tree,
            root: tree.name(root),
            root_span: tree.root_span(id),
            steps: tree.steps(steps),
            span: tree.span(id),
        })
    }

    /// Creates a traversal of a word that is no variable, such as `true`, with the steps after it.
    pub(super) fn of_word(
        tree: &'t Tree,
        (root, root_span): (&'t str, Span),
        steps: &'t [TraversalStep],
        span: Span,
    ) -> Self {
        Self { tree, root, root_span, steps, span }
    }

    /// Returns the name it starts from.
    pub fn root(&self) -> &'t str {
        self.root
    }

    /// Returns the range of that name.
    pub fn root_span(&self) -> Span {
        self.root_span
    }

    /// Returns the selections of the steps, with their ranges.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = (Key<'t>, Span)> + use<'t> {
        let tree = self.tree;
        self.steps.iter().map(move |step| (key(tree, step.kind), step.span))
    }

    /// Returns the range of the whole traversal.
    pub fn span(&self) -> Span {
        self.span
    }
}

/// Returns what the steps of a traversal select.
pub fn keys(tree: &Tree, steps: StepList) -> impl Iterator<Item = Key<'_>> {
    tree.steps(steps).iter().map(|step| key(tree, step.kind))
}

fn key(tree: &Tree, kind: StepKind) -> Key<'_> {
    match kind {
        StepKind::Attribute(name) => Key::Attribute(tree.name(name)),
        StepKind::Index(key) => match tree.node(key) {
            Node::Number(number) => Key::Number(tree.number(number)),
            Node::Text(text) => Key::Text(tree.text(text)),
            Node::Bool(value) => Key::Bool(value),
            _ => Key::Null,
        },
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(name) => write!(f, ".{name}"),
            Self::Number(number) => write!(f, "[{}]", number.borrow()),
            Self::Text(text) => {
                f.write_str("[\"")?;
                text.chars().try_for_each(|c| write_escaped(f, c))?;
                f.write_str("\"]")
            }
            Self::Bool(value) => write!(f, "[{value}]"),
            Self::Null => f.write_str("[null]"),
        }
    }
}

fn write_escaped(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '"' | '\\' => write!(f, "\\{c}"),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        c => write!(f, "{c}"),
    }
}

impl fmt::Display for Traversal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.root)?;
        self.steps().try_for_each(|(key, _)| key.fmt(f))
    }
}

impl fmt::Debug for Traversal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Traversal({self})")
    }
}
