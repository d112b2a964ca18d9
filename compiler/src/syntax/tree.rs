//! The tree of one file: flat vectors of nodes, `u32` ids, children before parents, a span each.
//!
//! Nesting is bounded by [`crate::ParseLimits::nesting`] but for one direction: the left
//! operands of `Binary` nodes go as deep as a chain of operators is long, so whoever walks
//! them loops. Nothing here owns a child by pointer, so a tree of any depth is dropped and
//! walked without recursion. All nodes of one attribute are contiguous, which
//! lets compiled code refer to them relative to the attribute's first node.
//!
//! ```text
//! a = b.c + 1      nodes:  0 Traversal b [.c]   1 Number 1   2 Binary(Add, 0, 1)
//!                  attribute a: nodes 0..3, expression 2
//! ```

mod children;
mod operator;
mod splice;
mod texts;

pub(crate) use splice::shifted;
pub(crate) use texts::Texts;

pub use operator::{BinaryOp, UnaryOp};

use hclvm_vm::{Diagnostic, Number, Span};
use smol_str::SmolStr;

/// Index of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Index of a name (identifier) of the file. Equal names of a file may have several ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// Index of a decoded literal text of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(pub u32);

/// Index of a number literal of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NumberId(pub u32);

/// Index of a call's details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub u32);

/// Index of a for expression's details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ForId(pub u32);

/// Index of a problem of a string of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProblemId(pub u32);

/// Index of a property of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PropertyId(pub u32);

/// Index of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub u32);

/// A run of child ids, see [`Tree::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl NodeList {
    /// Number of children.
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A run of traversal steps, see [`Tree::steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl StepList {
    /// No steps.
    pub(crate) const EMPTY: Self = Self { start: 0, len: 0 };

    /// The steps from number `start` of the tree to before number `end`.
    pub(crate) const fn between(start: usize, end: usize) -> Self {
        Self { start: start as u32, len: (end - start) as u32 }
    }

    /// Number of steps.
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// One expression node. Its range is [`Tree::span`]; the range that argument
/// errors point at is [`Tree::start_span`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// The word `null` as a term.
    Null,
    /// The word `true` or `false` as a term.
    Bool(bool),
    /// A number literal.
    Number(NumberId),
    /// A piece of literal text inside a template (escapes decoded, not yet NFC-normalised).
    /// Also the key of a step folded from a literal string index.
    Text(TextId),
    /// Concatenation of parts: a quoted string, heredoc, bare template, or the body of a
    /// directive. A plain string `"abc"` is a template of one `Text`, `""` of one empty `Text`.
    Template(NodeList),
    /// A quoted template that is exactly one interpolation: the value passes unchanged.
    TemplateWrap(NodeId),
    /// The concatenated results of a `%{ for }` directive; the operand is a `For` node that makes a tuple.
    TemplateJoin(NodeId),
    /// A variable with attribute and constant-index steps: `a`, `a.b[0]["c"]`.
    Traversal {
        /// Name of the root variable.
        root: NameId,
        /// The steps after it, perhaps none.
        steps: StepList,
    },
    /// Steps applied to an expression that is not a variable: `f(x).y`, `(a)[0]`.
    RelativeTraversal {
        /// What the steps start from.
        source: NodeId,
        /// At least one step.
        steps: StepList,
    },
    /// A function call.
    Call(CallId),
    /// `condition ? yes : no`, also the `%{ if }` directive (arms are `Template`s).
    Conditional {
        /// The predicate.
        condition: NodeId,
        /// The arm for true.
        yes: NodeId,
        /// The arm for false.
        no: NodeId,
    },
    /// `collection[key]` with a key that is not a literal.
    Index {
        /// What is indexed.
        collection: NodeId,
        /// The key expression.
        key: NodeId,
        /// Offset of `[`; the bracket range is from there to the end of the node.
        open: u32,
    },
    /// `[a, b]`
    Tuple(NodeList),
    /// `{k = v}`: keys and values alternate in the list; every key is an `ObjectKey`.
    Object(NodeList),
    /// A key of an object constructor.
    ObjectKey {
        /// The expression written as the key.
        expr: NodeId,
        /// Whether it stood in parentheses, so that even a single name is a reference.
        forced: bool,
    },
    /// A for expression or `%{ for }` directive.
    For(ForId),
    /// `source.*each` or `source[*]each`.
    Splat {
        /// What is iterated.
        source: NodeId,
        /// What is evaluated for each element; reaches the element through a `SplatItem`.
        each: NodeId,
        /// Range of the marker: `.*` or `[*]`.
        marker: Span,
    },
    /// The current element inside the `each` of the innermost enclosing `Splat`.
    SplatItem,
    /// A binary operation.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        lhs: NodeId,
        /// Right operand.
        rhs: NodeId,
    },
    /// A unary operation; the symbol is the first byte of the node's range.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: NodeId,
    },
    /// An expression in parentheses.
    Parens(NodeId),
    /// Where an expression could not be parsed; a diagnostic tells why. Evaluates to an
    /// unknown value of unknown type.
    Invalid,
    /// `{"k": v}` of JSON: as an expression an object whose keys are templates. Keys and values
    /// alternate in the list; every key is a `JsonKey`. Equal keys are all there.
    JsonObject(NodeList),
    /// The name of a property of JSON. Its range has the quotes.
    JsonKey {
        /// The property, so that a body can take it as an attribute.
        property: PropertyId,
        /// The name as an expression, a `JsonString`.
        name: NodeId,
    },
    /// A string of JSON: as an expression a template. Its range has the quotes.
    JsonString {
        /// What the string says, escapes decoded.
        text: TextId,
        /// The template: the `Text` of a plain string, a `Template`, `TemplateWrap` or `Broken`.
        template: NodeId,
    },
    /// A string of JSON that is no template; evaluated, each of its `Problem`s is a fault.
    Broken(NodeList),
    /// One problem of a `Broken` string; its range is the problem's.
    Problem(ProblemId),
}

/// One step of a traversal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// What the step selects.
    pub kind: StepKind,
    /// Range of the step, with its dot or brackets.
    pub span: Span,
}

/// What a step of a traversal selects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepKind {
    /// `.name`
    Attribute(NameId),
    /// `[literal]` or the legacy `.0`: the node is `Null`, `Bool`, `Number` or `Text`.
    Index(NodeId),
}

/// Details of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function's name, namespaces included: `a::b`.
    pub name: SmolStr,
    /// Range of the name.
    pub name_span: Span,
    /// The arguments.
    pub args: NodeList,
    /// Whether the last argument is expanded with `...`.
    pub expand: bool,
    /// Range of `(`.
    pub open_paren: Span,
    /// Range of `)`.
    pub close_paren: Span,
}

impl Call {
    /// From `(` to `)`.
    pub fn arguments_span(&self) -> Span {
        self.open_paren.to(self.close_paren)
    }
}

/// Details of a for expression.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The name bound to the key or index, if any.
    pub key_name: Option<NameId>,
    /// The name bound to the element.
    pub value_name: NameId,
    /// What is iterated.
    pub collection: NodeId,
    /// The key expression: present exactly when an object is built.
    pub key: Option<NodeId>,
    /// The value expression (of a directive: a `Template`).
    pub value: NodeId,
    /// The `if` clause.
    pub condition: Option<NodeId>,
    /// Whether values with equal keys are grouped (`...`).
    pub group: bool,
    /// Range of the opening bracket (of a directive: of its `%{ for … }` opening).
    pub open: Span,
    /// Range of the closing bracket (of a directive: of its `%{ endfor }`).
    pub close: Span,
}

/// An attribute definition `name = expression`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name in JSON; else it is what the text says at `name_span`. See [`Tree::attribute_name`].
    pub(crate) name: Option<NameId>,
    /// Range of the name.
    pub name_span: Span,
    /// Range of `=`.
    pub equals: Span,
    /// The expression.
    pub expr: NodeId,
    /// First node of the expression; its nodes are `first_node..=expr`.
    pub first_node: NodeId,
    /// From the name to the end of the expression.
    pub span: Span,
}

/// A property `"name": value` of JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property {
    /// The property as an attribute, by the number of [`Tree::attribute`].
    pub attribute: u32,
    /// The property whose value this one is in, at whatever depth of arrays.
    pub parent: Option<PropertyId>,
}

/// A label of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Its text, escapes decoded.
    pub text: SmolStr,
    /// Its range, quotes included.
    pub span: Span,
}

/// A block `type "label" { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The block type.
    pub kind: NameId,
    /// Range of the block type.
    pub kind_span: Span,
    /// Its labels in order.
    pub labels: Vec<Label>,
    /// Range of `{` (of a block without one: the range of the type).
    pub open_brace: Span,
    /// Range of `}` (of a block without one: the range of the type).
    pub close_brace: Span,
    /// Its content.
    pub body: BodyId,
}

impl Block {
    /// From the type to the last label.
    pub fn header_span(&self) -> Span {
        self.labels.last().map_or(self.kind_span, |label| self.kind_span.to(label.span))
    }

    /// From the type to the closing brace.
    pub fn span(&self) -> Span {
        self.kind_span.to(self.close_brace)
    }
}

/// An item of a body; the number indexes the tree's attributes or blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// An attribute definition.
    Attribute(u32),
    /// A block.
    Block(u32),
}

/// Attributes and blocks in source order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The items in source order. An attribute defined twice is listed once, the first time.
    pub items: Vec<Item>,
    /// Range of the body: of a file everything, of a block from `{` to `}`, of a one-line
    /// block its attribute.
    pub span: Span,
}

/// A node and its whole range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) node: Node,
    pub(crate) span: Span,
}

/// The tree of one file, expression or template.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(crate) nodes: Vec<Placed>,
    pub(crate) links: Vec<NodeId>,
    pub(crate) steps: Vec<Step>,
    pub(crate) names: Vec<SmolStr>,
    /// The variables of a file that is not JSON, in the order of their first use, each at least once. Of
    /// other texts it means nothing.
    pub(crate) variables: Vec<NameId>,
    pub(crate) texts: Texts,
    pub(crate) numbers: Vec<Number>,
    pub(crate) calls: Vec<Call>,
    pub(crate) fors: Vec<For>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) properties: Vec<Property>,
    pub(crate) problems: Vec<Diagnostic>,
    /// The root value of a JSON file.
    pub(crate) json: Option<NodeId>,
}

impl Tree {
    /// An empty tree with the room that a text of so many tokens usually takes.
    pub(crate) fn with_room_for(tokens: usize) -> Self {
        let (many, some, few) = (tokens / 2 + 4, tokens / 4 + 2, tokens / 8 + 2);
        Self {
            nodes: Vec::with_capacity(many),
            steps: Vec::with_capacity(some),
            links: Vec::with_capacity(some),
            names: Vec::with_capacity(few),
            texts: Texts::with_capacity(few),
            numbers: Vec::with_capacity(few),
            calls: Vec::with_capacity(few / 2),
            attributes: Vec::with_capacity(few),
            ..Self::default()
        }
    }

    /// The node of `id`.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize].node
    }

    /// The nodes `first..=last`.
    pub(crate) fn nodes(&self, first: NodeId, last: NodeId) -> &[Placed] {
        self.nodes.get(first.0 as usize..=last.0 as usize).unwrap_or_default()
    }

    /// The whole range of a node.
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id.0 as usize].span
    }

    /// A new node.
    #[inline]
    pub(crate) fn add(&mut self, node: Node, span: Span) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Placed { node, span });
        id
    }

    /// The children of a list.
    pub fn list(&self, list: NodeList) -> &[NodeId] {
        &self.links[list.start as usize..(list.start + list.len) as usize]
    }

    /// The steps of a traversal.
    pub fn steps(&self, list: StepList) -> &[Step] {
        &self.steps[list.start as usize..(list.start + list.len) as usize]
    }

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &SmolStr {
        &self.names[id.0 as usize]
    }

    /// A decoded literal text.
    pub fn text(&self, id: TextId) -> &str {
        self.texts.get(id)
    }

    /// A number literal.
    pub fn number(&self, id: NumberId) -> &Number {
        &self.numbers[id.0 as usize]
    }

    /// Details of a call.
    pub fn call(&self, id: CallId) -> &Call {
        &self.calls[id.0 as usize]
    }

    /// Details of a for expression.
    pub fn for_expr(&self, id: ForId) -> &For {
        &self.fors[id.0 as usize]
    }

    /// An attribute by the number of an [`Item::Attribute`].
    pub fn attribute(&self, index: u32) -> &Attribute {
        &self.attributes[index as usize]
    }

    /// The name of an attribute of this tree, which was parsed from `text`.
    pub fn attribute_name<'t>(&'t self, attribute: &Attribute, text: &'t str) -> &'t str {
        attribute.name.map_or_else(|| attribute.name_span.slice(text), |name| self.name(name))
    }

    /// The name of an attribute of a tree in JSON.
    pub fn property_name(&self, attribute: &Attribute) -> &str {
        attribute.name.map_or("", |name| self.name(name))
    }

    /// Number of attributes in all bodies.
    pub fn attribute_count(&self) -> usize {
        self.attributes.len()
    }

    /// The outermost expressions: those of all attributes, or the root value of a JSON file,
    /// whose properties are inside each other.
    pub fn expressions(&self) -> impl Iterator<Item = NodeId> {
        let attributes = if self.json.is_some() { &[][..] } else { &self.attributes };
        self.json.into_iter().chain(attributes.iter().map(|attribute| attribute.expr))
    }

    /// The root value of a JSON file: a `JsonObject` or a `Tuple`.
    pub fn json(&self) -> Option<NodeId> {
        self.json
    }

    /// A property of JSON.
    pub fn property(&self, id: PropertyId) -> Property {
        self.properties[id.0 as usize]
    }

    /// Why a string of JSON is no template.
    pub fn problem(&self, id: ProblemId) -> &Diagnostic {
        &self.problems[id.0 as usize]
    }

    /// A block by the number of an [`Item::Block`].
    pub fn block(&self, index: u32) -> &Block {
        &self.blocks[index as usize]
    }

    /// A body.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.0 as usize]
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The range of the root variable's name of a `Traversal`; of any other node, its range.
    pub fn root_span(&self, id: NodeId) -> Span {
        let span = self.span(id);
        match self.node(id) {
            Node::Traversal { root, .. } => Span::new(span.start, span.start + self.name(root).len() as u32),
            _ => span,
        }
    }

    /// The range that stands for a node where only its beginning matters: the left operand's
    /// beginning of a binary operation, the opening bracket of a constructor, the name and
    /// `(` of a call, the first part of a template.
    pub fn start_span(&self, id: NodeId) -> Span {
        let mut at = id;
        loop {
            let span = self.span(at);
            match self.node(at) {
                Node::Binary { lhs, .. } => at = lhs,
                Node::Conditional { condition, .. } => at = condition,
                Node::Parens(inner) | Node::TemplateJoin(inner) => at = inner,
                Node::ObjectKey { expr, .. } => at = expr,
                Node::Template(parts) if !parts.is_empty() => at = self.list(parts)[0],
                Node::Call(call) => {
                    let call = self.call(call);
                    return call.name_span.to(call.open_paren);
                }
                Node::Index { open, .. } => return Span::new(open, open + 1),
                Node::Splat { marker, .. } => return marker,
                Node::For(details) => return self.for_expr(details).open,
                Node::Tuple(_) | Node::Object(_) | Node::JsonObject(_) | Node::Unary { .. } => {
                    return Span::new(span.start, span.start + 1);
                }
                _ => return span,
            }
        }
    }
}
