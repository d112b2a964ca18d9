//! The tree of one file: flat vectors of nodes, `u32` ids, children before parents, a span each.
//!
//! ```text
//! a = b.c + 1      nodes:  0 Traversal b [.c]   1 Number 1   2 Binary(Add, 0, 1)
//!                  attribute a: nodes 0..3, expression 2
//! ```
//! Nesting is bounded by [`crate::ParseLimits::nesting`] in all directions but one: the left operands
//! of `Binary` nodes are as deep as a chain of operators is long, so every traversal of them is a
//! loop. No node owns another one, so a tree of any depth is dropped without recursion. The nodes of
//! an attribute are contiguous, which lets compiled code refer to them relative to the attribute's
//! first node.

mod children;
mod id;
mod node;
mod operator;
mod range;
mod saved;
mod splice;
mod structure;
mod texts;

pub(crate) use splice::relocated;
pub(crate) use texts::TextTable;

pub use id::{
    BodyId, CallId, ForId, NameId, NodeId, NodeList, NumberId, ProblemId, PropertyId, StepList, TextId,
};
pub use node::{Call, For, Node, StepKind, TraversalStep};
pub use operator::{BinaryKind, BinaryOp, UnaryOp};
pub use saved::Structure;
pub use structure::{AttributeSyntax, BlockLabel, BlockSyntax, BodyItem, BodySyntax, Property};

use hclvm_vm::{Diagnostic, Number, Span, cast};
use smol_str::SmolStr;

/// A node and its whole range.
///
/// At most 24 bytes, a size by which indexes are scaled in one instruction: the passes read each node several times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpannedNode {
    pub(crate) node: Node,
    pub(crate) span: Span,
}

const _: () = assert!(size_of::<SpannedNode>() <= 24);

/// The tree of one file, expression or template.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(crate) nodes: Vec<SpannedNode>,
    pub(crate) links: Vec<NodeId>,
    pub(crate) steps: Vec<TraversalStep>,
    pub(crate) names: Vec<SmolStr>,
    /// The variables of a file in the native syntax, in the order of their first use, possibly with
    /// repetitions. Unspecified for other texts.
    pub(crate) variables: Vec<NameId>,
    pub(crate) texts: TextTable,
    pub(crate) numbers: Vec<Number>,
    pub(crate) calls: Vec<Call>,
    pub(crate) fors: Vec<For>,
    pub(crate) attributes: Vec<AttributeSyntax>,
    pub(crate) blocks: Vec<BlockSyntax>,
    pub(crate) bodies: Vec<BodySyntax>,
    pub(crate) properties: Vec<Property>,
    pub(crate) problems: Vec<Diagnostic>,
    /// The root value of a JSON file.
    pub(crate) json: Option<NodeId>,
    /// The number of nodes to which no attribute refers, left by edits.
    pub(crate) unused: usize,
}

/// The tokens of a text below which it is probably a single expression.
const SHORT: usize = 64;

impl Tree {
    /// Creates an empty tree with the capacity that a text of `tokens` tokens usually needs: about one
    /// node for two tokens, one step for four, one name or text for eight. The tables that a single expression often
    /// does not need are allocated with their first entry if the text is as short.
    pub(crate) fn with_capacity_for(tokens: usize) -> Self {
        let (many, some, few) = (tokens / 2 + 4, tokens / 4 + 2, tokens / 8 + 2);
        let in_files = |usual: usize| if tokens < SHORT { 0 } else { usual };
        Self {
            nodes: Vec::with_capacity(many),
            steps: Vec::with_capacity(some),
            links: Vec::with_capacity(in_files(some)),
            names: Vec::with_capacity(few),
            texts: TextTable::with_capacity(few),
            numbers: Vec::with_capacity(in_files(few)),
            calls: Vec::with_capacity(in_files(few / 2)),
            ..Self::default()
        }
    }

    /// Frees the memory that its tables do not use. A small tree keeps it, because freeing takes longer than
    /// parsing the text that would fit.
    pub(crate) fn shrink(&mut self) {
        const LARGE: usize = 4096;
        if self.nodes.capacity() < LARGE {
            return;
        }
        self.nodes.shrink_to_fit();
        self.links.shrink_to_fit();
        self.steps.shrink_to_fit();
        self.names.shrink_to_fit();
        self.variables.shrink_to_fit();
        self.texts.shrink_to_fit();
        self.numbers.shrink_to_fit();
        self.calls.shrink_to_fit();
        self.attributes.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.bodies.shrink_to_fit();
        self.properties.shrink_to_fit();
    }

    /// Returns the node `id`.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()].node
    }

    /// Returns the nodes `first..=last`.
    pub(crate) fn nodes(&self, first: NodeId, last: NodeId) -> &[SpannedNode] {
        self.nodes.get(first.index()..=last.index()).unwrap_or_default()
    }

    /// Returns the whole range of a node.
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id.index()].span
    }

    /// Appends a node.
    #[inline] // Once per node.
    pub(crate) fn add(&mut self, node: Node, span: Span) -> NodeId {
        let id = NodeId::at(self.nodes.len());
        self.nodes.push(SpannedNode { node, span });
        id
    }

    /// Returns the children of a list.
    pub fn list(&self, list: NodeList) -> &[NodeId] {
        &self.links[list.range()]
    }

    /// Returns the steps of a traversal.
    pub fn steps(&self, list: StepList) -> &[TraversalStep] {
        &self.steps[list.range()]
    }

    /// Returns the text of a name.
    pub fn name(&self, id: NameId) -> &SmolStr {
        &self.names[id.index()]
    }

    /// Returns a literal text, escapes decoded.
    pub fn text(&self, id: TextId) -> &str {
        self.texts.get(id)
    }

    /// Returns the text of a template that is literal text only; `None` for other nodes and empty templates.
    pub fn literal_text(&self, template: NodeId) -> Option<&str> {
        let Node::Template(parts) = self.node(template) else { return None };
        match self.list(parts) {
            [part] => match self.node(*part) {
                Node::Text(text) => Some(self.text(text)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns a number literal.
    pub fn number(&self, id: NumberId) -> &Number {
        &self.numbers[id.index()]
    }

    /// Returns the details of a call.
    pub fn call(&self, id: CallId) -> &Call {
        &self.calls[id.index()]
    }

    /// Returns the details of a for expression.
    pub fn for_expr(&self, id: ForId) -> &For {
        &self.fors[id.index()]
    }

    /// Returns the attribute that a [`BodyItem::Attribute`] refers to.
    pub fn attribute(&self, index: u32) -> &AttributeSyntax {
        &self.attributes[cast::index(index)]
    }

    /// Returns the name of an attribute of this tree, which was parsed from `text`.
    pub fn attribute_name<'t>(&'t self, attribute: &AttributeSyntax, text: &'t str) -> &'t str {
        attribute.name.map_or_else(|| attribute.name_span.slice(text), |name| self.name(name))
    }

    /// Returns the name of an attribute of a JSON tree.
    pub fn property_name(&self, attribute: &AttributeSyntax) -> &str {
        attribute.name.map_or("", |name| self.name(name))
    }

    /// Returns the number of attributes in all bodies.
    pub fn attribute_count(&self) -> usize {
        self.attributes.len()
    }

    /// Returns the outermost expressions: those of all attributes, or the root value of a JSON file,
    /// which contains all others.
    pub fn expressions(&self) -> impl Iterator<Item = NodeId> {
        let attributes = if self.json.is_some() { &[][..] } else { &self.attributes };
        self.json.into_iter().chain(attributes.iter().map(|attribute| attribute.expr))
    }

    /// Returns the root value of a JSON file: a `JsonObject` or a `Tuple`.
    pub fn json(&self) -> Option<NodeId> {
        self.json
    }

    /// Returns a JSON property.
    pub fn property(&self, id: PropertyId) -> Property {
        self.properties[id.index()]
    }

    /// Returns a reason why a JSON string is not a valid template.
    pub fn problem(&self, id: ProblemId) -> &Diagnostic {
        &self.problems[id.index()]
    }

    /// Returns the block that a [`BodyItem::Block`] refers to.
    pub fn block(&self, index: u32) -> &BlockSyntax {
        &self.blocks[cast::index(index)]
    }

    /// Returns all blocks of a file in the native syntax, in any order.
    pub fn blocks(&self) -> &[BlockSyntax] {
        &self.blocks
    }

    /// Returns a body.
    pub fn body(&self, id: BodyId) -> &BodySyntax {
        &self.bodies[id.index()]
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
