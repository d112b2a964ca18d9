//! Constants known before running, found by calling the machine's own operators.
//!
//! One pass over the nodes of an expression, children first. An operation that would
//! record a fault is no constant: whether its fault counts is known only when running.
//! Calls of pure functions are constants as long as all of them together stay cheap and small:
//! a text may call more than whoever compiles it wants to wait for.

use std::cell::OnceCell;

use hclvm_vm::ops::{arithmetic, logic};
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, ArenaVec, Entry, Function, FunctionTable, Limits, Type, Value, convert, copy};

use crate::lower::{Fact, Facts};
use crate::tree::{CallId, Node, NodeId, NodeList, NumberId, Spanned, Tree, UnaryOp};

/// What the calls of one expression may spend together before running.
const CALLS: Limits = Limits {
    fuel: 100_000,
    arena_bytes: 256 << 10,
    value_depth: 100,
    digits: 1_000,
    text_bytes: 16 << 10,
    ..Limits::UNTRUSTED
};

/// What is known of each node from `first` to `last`: its constant value, if it has one, and the
/// `facts` about it, if somebody gathers them.
#[inline(always)]
pub(crate) fn fold<'a>(
    tree: &'a Tree,
    functions: Option<&FunctionTable>,
    first: NodeId,
    last: NodeId,
    arena: &'a Arena,
    mut facts: Option<&mut Facts<'_, '_, 'a>>,
) -> &'a [Known<'a>] {
    let calls = OnceCell::new();
    let known = arena.list_with((last.0 - first.0) as usize + 1);
    let mut folding = Folding { tree, functions, first: first.0, arena, calls: &calls, known };
    for Spanned { node, .. } in tree.nodes(first, last) {
        // Most nodes are of a sort that is never constant, or always.
        let known = match *node {
            Node::Traversal { root, .. } => {
                let fact = facts.as_mut().map_or(Fact::NONE, |facts| facts.of_variable(root));
                Known { value: None, fact }
            }
            Node::Binary { op, .. } => Known { value: None, fact: Fact::of_operation(op) },
            Node::Number(number) => Known { value: Some(folding.number(number)), fact: Fact::NUMBER },
            Node::Text(text) => Known { value: Some(folding.text(tree.text(text))), fact: Fact::TEXT },
            _ => {
                let value = folding.node(node).filter(|_| arena.budget().exhausted().is_none());
                let fact = match (value, &facts) {
                    (Some(value), _) => Fact::of_constant(value),
                    (None, Some(facts)) => facts.of(node, &folding.known),
                    (None, None) => Fact::NONE,
                };
                Known { value, fact }
            }
        };
        folding.known.push(known);
    }
    folding.known.into_bump_slice()
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// Its constant value.
    pub(crate) value: Option<Value<'a>>,
    pub(crate) fact: Fact,
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
    tree: &'a Tree,
    functions: Option<&'t FunctionTable>,
    first: u32,
    arena: &'a Arena,
    /// Where functions work, within [`CALLS`]; what they answer is copied from there.
    calls: &'t OnceCell<Arena>,
    known: ArenaVec<'a, Known<'a>>,
}

impl<'t, 'a> Folding<'t, 'a> {
    fn known(&self, id: NodeId) -> Option<Value<'a>> {
        self.known.get(id.0.checked_sub(self.first)? as usize)?.value
    }

    /// The value of a node, if that is constant and of a sort that need not be.
    fn node(&self, node: &Node) -> Option<Value<'a>> {
        match *node {
            Node::Null => Some(Value::NULL),
            Node::Bool(value) => Some(Value::bool(value)),
            Node::Template(parts) => self.template(parts),
            Node::TemplateWrap(inner) | Node::Parens(inner) => self.known(inner),
            Node::Tuple(items) => self.tuple(items),
            Node::Object(items) => self.object(items),
            Node::ObjectKey { expr, forced } => self.key(expr, forced),
            Node::JsonObject(items) => self.json_object(items),
            Node::JsonKey { name, .. } => self.known(name),
            Node::JsonString { template, .. } => self.json_string(template),
            Node::Unary { op, operand } => self.unary(op, self.known(operand)?),
            Node::Call(call) => self.call(call),
            _ => None,
        }
    }

    fn number(&self, number: NumberId) -> Value<'a> {
        Value::number(self.arena, self.tree.number(number).clone())
    }

    fn text(&self, text: &'a str) -> Value<'a> {
        Value::str(self.arena, nfc(self.arena, text))
    }

    /// A template of literal text only.
    fn template(&self, parts: NodeList) -> Option<Value<'a>> {
        let parts = self.tree.list(parts);
        if let [part] = parts
            && let Node::Text(_) = self.tree.node(*part)
        {
            return self.known(*part);
        }
        let text = |part: &NodeId| match self.tree.node(*part) {
            Node::Text(text) => Some(self.tree.text(text)),
            _ => None,
        };
        if !parts.iter().all(|part| text(part).is_some()) {
            return None;
        }
        let mut whole = self.arena.string();
        parts.iter().filter_map(text).for_each(|text| whole.push_str(text));
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

    /// A call whose function only looks at its arguments, and whose arguments are constants.
    fn call(&self, call: CallId) -> Option<Value<'a>> {
        let call = self.tree.call(call);
        if !self.tree.list(call.args).iter().all(|arg| self.known(*arg).is_some()) {
            return None;
        }
        let function = self.functions?.get(&call.name)?;
        if !function.pure || function.lazy.is_some() || call.expand || !function.takes(call.args.len()) {
            return None;
        }
        let calls = self.calls.get_or_init(|| Arena::with_limits(CALLS));
        if calls.budget().exhausted().is_some() {
            return None;
        }
        let args = self.arguments(calls, function, call.args)?;
        let result = function.call(calls, args).ok()?;
        let plain = result.is_wholly_known() && !result.contains_marks();
        (plain && is_affordable(calls, result)).then(|| copy(self.arena, result))
    }

    /// The arguments, converted to the types of the parameters.
    fn arguments(&self, calls: &'t Arena, function: &Function, args: NodeList) -> Option<&'t [Value<'t>]>
    where
        'a: 't,
    {
        let args = self.tree.list(args);
        let mut converted = calls.list_with(args.len());
        for (index, arg) in args.iter().enumerate() {
            let value: Value<'t> = self.known(*arg)?;
            converted.push(convert(calls, value, function.parameter(index)?.ty).ok()?);
        }
        Some(converted.into_bump_slice())
    }
}

/// Whether a result may become a constant: copying it counts shared parts each time they are
/// reached, and a short text can make exponentially many paths to them.
fn is_affordable(calls: &Arena, value: Value<'_>) -> bool {
    let text = value.as_str().map_or(0, |text| text.len() as u64 / 16);
    if !calls.charge(1 + text) {
        return false;
    }
    let items = value.as_items().unwrap_or_default().iter();
    let members = value.as_entries().unwrap_or_default().iter().map(|entry| &entry.value);
    items.chain(members).all(|part| is_affordable(calls, *part))
}
