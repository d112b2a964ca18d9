//! Expressions as they are written, as values where they are literals and as texts where they are not:
//!
//! ```text
//! 80                80
//! a + 1             "${a + 1}"
//! "x-${a}"          "x-${a}"
//! "$${a}"           "$${a}"        so that it is no expression
//! [1, { b = c }]    [1, { b: "${c}" }]
//! ```

use hclvm::Document;
use hclvm::syntax::tree::{Node, NodeId, UnaryOp};
use hclvm::value::NumberRef;

/// The expressions of a document.
#[derive(Clone, Copy, Debug)]
pub struct Written<'d>(pub &'d Document);

/// An expression, whose elements are expressions in turn.
#[derive(Debug)]
pub enum Part<'d> {
    /// Null.
    Null,
    /// A bool.
    Bool(bool),
    /// A number, and whether a minus precedes it.
    Number(NumberRef<'d>, bool),
    /// A template, or the text of any other expression in `${…}`.
    Text(String),
    /// The elements of a tuple.
    List(&'d [NodeId]),
    /// The keys and values of an object.
    Object(Vec<(String, NodeId)>),
}

impl<'d> Written<'d> {
    /// Returns an expression.
    ///
    /// ```
    /// use hclvm_bindings_common::{Part, Written};
    ///
    /// let text = |text: &str| {
    ///     let document = hclvm::Engine::new().parse("a.hcl", &format!("a = {text}")).expect("the text is valid");
    ///     let (_, root) = document.attribute("a").expect("a is defined").nodes();
    ///     match Written(&document).part(root) {
    ///         Part::Text(text) => text,
    ///         other => format!("{other:?}"),
    ///     }
    /// };
    /// assert_eq!(text("b + 1"), "${b + 1}");
    /// assert_eq!(text(r#""x-${b}-$${c} %%{d}""#), "x-${b}-$${c} %%{d}");
    /// assert_eq!(text(r#""%{ if b }c%{ endif }""#), "%{ if b }c%{ endif }");
    /// assert_eq!(text("true"), "Bool(true)");
    /// ```
    pub fn part(self, node: NodeId) -> Part<'d> {
        let tree = self.0.tree();
        match tree.node(node) {
            Node::Null => Part::Null,
            Node::Bool(value) => Part::Bool(value),
            Node::Number(number) => Part::Number(tree.number(number).borrow(), false),
            Node::Unary { op: UnaryOp::Negate, operand } => match tree.node(operand) {
                Node::Number(number) => Part::Number(tree.number(number).borrow(), true),
                _ => Part::Text(self.expression(node)),
            },
            Node::Template(parts) => Part::Text(self.template(tree.list(parts))),
            Node::TemplateWrap(inner) => Part::Text(self.expression(inner)),
            Node::Tuple(items) => Part::List(tree.list(items)),
            Node::Object(pairs) => {
                let pairs = tree.list(pairs).chunks_exact(2);
                Part::Object(pairs.map(|pair| (self.key(pair[0]), pair[1])).collect())
            }
            _ => Part::Text(self.expression(node)),
        }
    }

    fn template(self, parts: &[NodeId]) -> String {
        let tree = self.0.tree();
        let mut text = String::new();
        for part in parts {
            match tree.node(*part) {
                Node::Text(literal) => {
                    text.push_str(&tree.text(literal).replace("${", "$${").replace("%{", "%%{"));
                }
                _ => text.push_str(&self.expression(*part)),
            }
        }
        text
    }

    fn key(self, node: NodeId) -> String {
        let tree = self.0.tree();
        match tree.node(node) {
            Node::ObjectKey { expr, forced: false } => match tree.node(expr) {
                Node::Template(parts) => self.template(tree.list(parts)),
                Node::TemplateWrap(inner) => self.expression(inner),
                _ => self.source(expr).to_owned(),
            },
            _ => self.expression(node),
        }
    }

    /// Returns the text of an expression in `${…}`, and that of a directive of a template as it is.
    fn expression(self, node: NodeId) -> String {
        let source = self.source(node);
        if source.starts_with("%{") { source.to_owned() } else { format!("${{{source}}}") }
    }

    fn source(self, node: NodeId) -> &'d str {
        self.0.tree().span(node).slice(self.0.source().text())
    }
}
