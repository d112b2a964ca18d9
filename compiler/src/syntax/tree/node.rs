//! Expression nodes and the details that are too large for a node.
//!
//! Bodies, attributes and blocks are not expressions: they are in [`super::structure`].

use hclvm_vm::Span;
use smol_str::SmolStr;

use super::{
    BinaryOp, CallId, ForId, NameId, NodeId, NodeList, NumberId, ProblemId, PropertyId, StepList, TextId,
    UnaryOp,
};

/// An expression node. Its range is [`Tree::span`](super::Tree::span); the range that errors about an
/// argument point at is [`Tree::start_span`](super::Tree::start_span).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// The keyword `null` as a term.
    Null,
    /// The keyword `true` or `false` as a term.
    Bool(bool),
    /// A number literal.
    Number(NumberId),
    /// Literal text inside a template, escapes decoded, not yet in normal form C. Also the key of a
    /// step that was written as a literal string index.
    Text(TextId),
    /// Concatenation of parts: a quoted string, heredoc, bare template, or the body of a
    /// directive. A plain string `"abc"` is a template of one `Text`, `""` of one empty `Text`.
    Template(NodeList),
    /// A quoted template that is exactly one interpolation: its result is the value, unconverted.
    TemplateWrap(NodeId),
    /// The concatenated results of a `%{ for }` directive; the operand is a `For` node that builds a
    /// tuple.
    TemplateJoin(NodeId),
    /// A variable with attribute and constant-index steps: `a`, `a.b[0]["c"]`.
    Traversal {
        /// Name of the root variable.
        root: NameId,
        /// The steps after it, possibly none.
        steps: StepList,
    },
    /// Steps applied to an expression that is not a variable: `f(x).y`, `(a)[0]`.
    RelativeTraversal {
        /// The expression that the steps are applied to.
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
    /// `collection[key]`, where the key is not a literal.
    Index {
        /// The indexed expression.
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
        /// True if the key is in parentheses, so that even a single name is a reference.
        forced: bool,
    },
    /// A for expression or `%{ for }` directive.
    For(ForId),
    /// `source.*each` or `source[*]each`.
    Splat {
        /// The iterated expression.
        source: NodeId,
        /// The expression evaluated for each element.
        each: NodeId,
        /// The `SplatItem` through which `each` reads the element. Its range is the range of the marker: `.*` or `[*]`.
        item: NodeId,
    },
    /// The current element inside the `each` of the innermost enclosing `Splat`.
    SplatItem,
    /// A binary operation.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        lhs: NodeId,
        /// The right operand.
        rhs: NodeId,
    },
    /// A unary operation; the operator is the first byte of the node's range.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: NodeId,
    },
    /// An expression in parentheses.
    Parens(NodeId),
    /// An expression that could not be parsed; a diagnostic says why. Evaluates to an unknown value of
    /// unknown type.
    Invalid,
    /// A JSON object `{"k": v}`: as an expression, an object whose keys are templates. Keys and values
    /// alternate in the list; every key is a `JsonKey`. Duplicate keys are kept.
    JsonObject(NodeList),
    /// The name of a JSON property. Its range includes the quotes.
    JsonKey {
        /// The property, so that a body can take it as an attribute.
        property: PropertyId,
        /// The name as an expression, a `JsonString`.
        name: NodeId,
    },
    /// A JSON string: as an expression, a template. Its range includes the quotes.
    JsonString {
        /// The content of the string, escapes decoded.
        text: TextId,
        /// The template: the `Text` of a plain string, a `Template`, `TemplateWrap` or `Broken`.
        template: NodeId,
    },
    /// A JSON string that is not a valid template; when it is evaluated, each of its `Problem`s is a
    /// fault.
    Broken(NodeList),
    /// A problem of a `Broken` string; its range is the problem's.
    Problem(ProblemId),
}

/// A step of a traversal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraversalStep {
    /// The part that the step selects.
    pub kind: StepKind,
    /// The range of the step, including its dot or brackets.
    pub span: Span,
}

/// The part of a value that a step of a traversal selects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepKind {
    /// `.name`
    Attribute(NameId),
    /// `[literal]` or the legacy form `.0`: the node is `Null`, `Bool`, `Number` or `Text`.
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
    /// True if the last argument is expanded with `...`.
    pub expand: bool,
    /// Range of `(`.
    pub open_paren: Span,
    /// Range of `)`.
    pub close_paren: Span,
}

impl Call {
    /// Returns the range from `(` to `)`.
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
    /// The iterated expression.
    pub collection: NodeId,
    /// The key expression: present if and only if the result is an object.
    pub key: Option<NodeId>,
    /// The value expression (of a directive: a `Template`).
    pub value: NodeId,
    /// The `if` clause.
    pub condition: Option<NodeId>,
    /// True if values with equal keys are grouped (`...`).
    pub group: bool,
    /// Range of the opening bracket (of a directive: of its `%{ for … }` opening).
    pub open: Span,
    /// Range of the closing bracket (of a directive: of its `%{ endfor }`).
    pub close: Span,
}
