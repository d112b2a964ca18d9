//! Constants known before running, found by calling the machine's own operators.
//!
//! One pass over the nodes of an expression, children first. An operation that would
//! record a fault is no constant: whether its fault counts is known only when running.

use hclvm_vm::arena::Arena;
use hclvm_vm::convert::convert;
use hclvm_vm::ops::{arithmetic, logic};
use hclvm_vm::text::nfc;
use hclvm_vm::types::Type;
use hclvm_vm::value::{Entry, Value};

use crate::tree::{Node, NodeId, NodeList, Tree, UnaryOp};

/// The constant value of each node from `first` to `last`, if it has one.
pub(crate) fn fold<'a>(tree: &Tree, first: NodeId, last: NodeId, arena: &'a Arena) -> Vec<Option<Value<'a>>> {
    let mut folding = Folding { tree, first: first.0, arena, known: Vec::new() };
    for id in first.0..=last.0 {
        let value = folding.node(NodeId(id));
        let value = value.filter(|_| arena.budget().exhausted().is_none());
        folding.known.push(value);
    }
    folding.known
}

/// The text that a key of an object constructor stands for without being evaluated.
pub(crate) fn literal_key(tree: &Tree, expr: NodeId, forced: bool) -> Option<&str> {
    match tree.node(expr) {
        _ if forced => None,
        Node::Traversal { root, steps } if steps.is_empty() => Some(tree.name(root)),
        Node::Null => Some("null"),
        Node::Bool(true) => Some("true"),
        Node::Bool(false) => Some("false"),
        _ => None,
    }
}

struct Folding<'t, 'a> {
    tree: &'t Tree,
    first: u32,
    arena: &'a Arena,
    known: Vec<Option<Value<'a>>>,
}

impl<'a> Folding<'_, 'a> {
    fn known(&self, id: NodeId) -> Option<Value<'a>> {
        self.known.get(id.0.checked_sub(self.first)? as usize).copied().flatten()
    }

    fn node(&self, id: NodeId) -> Option<Value<'a>> {
        match self.tree.node(id) {
            Node::Null => Some(Value::NULL),
            Node::Bool(value) => Some(Value::bool(value)),
            Node::Number(number) => Some(Value::number(self.arena, self.tree.number(number).clone())),
            Node::Text(text) => Some(self.text(self.tree.text(text))),
            Node::Template(parts) => self.template(parts),
            Node::TemplateWrap(inner) | Node::Parens(inner) => self.known(inner),
            Node::Tuple(items) => self.tuple(items),
            Node::Object(items) => self.object(items),
            Node::ObjectKey { expr, forced } => self.key(expr, forced),
            Node::JsonObject(items) => self.json_object(items),
            Node::JsonKey { name, .. } => self.known(name),
            Node::JsonString { template, .. } => self.json_string(template),
            Node::Unary { op, operand } => self.unary(op, self.known(operand)?),
            _ => None,
        }
    }

    fn text(&self, text: &str) -> Value<'a> {
        Value::str(self.arena, nfc(self.arena, self.arena.text(text)))
    }

    /// A template of literal text only.
    fn template(&self, parts: NodeList) -> Option<Value<'a>> {
        let mut whole = self.arena.string();
        for part in self.tree.list(parts) {
            let Node::Text(text) = self.tree.node(*part) else { return None };
            whole.push_str(self.tree.text(text));
        }
        Some(Value::str(self.arena, nfc(self.arena, whole.into_bump_str())))
    }

    fn tuple(&self, items: NodeList) -> Option<Value<'a>> {
        let mut values = self.arena.list();
        for item in self.tree.list(items) {
            values.push(self.known(*item)?);
        }
        Some(Value::tuple(self.arena, values.into_bump_slice()))
    }

    fn key(&self, expr: NodeId, forced: bool) -> Option<Value<'a>> {
        let value = match literal_key(self.tree, expr, forced) {
            Some(name) => self.text(name),
            None => convert(self.arena, self.known(expr)?, Type::String).ok()?,
        };
        value.as_str().map(|_| value)
    }

    fn object(&self, items: NodeList) -> Option<Value<'a>> {
        let mut entries: Vec<Entry<'a>> = Vec::with_capacity(items.len() / 2);
        for pair in self.tree.list(items).chunks_exact(2) {
            entries.push(Entry::new(self.known(pair[0])?.as_str()?, self.known(pair[1])?));
        }
        // Of equal keys the last one counts: sorted stably, it is the last of its run.
        entries.sort_by(|a, b| a.name.cmp(b.name));
        let distinct: Vec<Entry<'a>> =
            entries.chunk_by(|a, b| a.name == b.name).filter_map(|run| run.last().copied()).collect();
        Some(Value::object(self.arena, self.arena.slice(&distinct)))
    }

    /// A string without markers says the same whether it is read as a template or not.
    fn json_string(&self, template: NodeId) -> Option<Value<'a>> {
        match self.tree.node(template) {
            Node::Text(_) => self.known(template),
            _ => None,
        }
    }

    /// Equal names are a fault, so that such an object is no constant.
    fn json_object(&self, items: NodeList) -> Option<Value<'a>> {
        let object = self.object(items)?;
        (object.as_entries()?.len() == items.len() / 2).then_some(object)
    }

    fn unary(&self, op: UnaryOp, operand: Value<'a>) -> Option<Value<'a>> {
        match op {
            UnaryOp::Negate => {
                let number = convert(self.arena, operand, Type::Number).ok()?;
                arithmetic::negate(self.arena, number).ok()
            }
            UnaryOp::Not => {
                let bool = convert(self.arena, operand, Type::Bool).ok()?;
                logic::not(self.arena, bool).ok()
            }
        }
    }
}
