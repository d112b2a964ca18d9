//! Constant folding: the value of a node from the constants of its children, computed by the
//! operators and functions of the machine.
//!
//! An operation that would record a fault is not constant: whether the fault counts is only known
//! at run time. Calls of pure functions are folded as long as all of them together are cheap and
//! small, because a short text can request any amount of work. The loop over the nodes is in
//! [`info`](super::info).

use hclvm_vm::ops::{arithmetic, logic};
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Entry, Function, Limits, Number, Type, Value, cast, convert, copy};

use super::form::literal_key;
use super::info::InfoPass;
use crate::tree::{Call, Node, NodeId, NodeList, NumberId, UnaryOp};

/// The budget of all function calls that are folded in one expression. It is far below the budget
/// of an evaluation, because parsing a file should not cost as much as evaluating it.
const CALLS: Limits = Limits {
    fuel: 100_000,
    arena_bytes: 256 << 10,
    value_depth: 100,
    digits: 1_000,
    text_bytes: 16 << 10,
    ..Limits::UNTRUSTED
};

impl<'a> InfoPass<'_, 'a> {
    /// Folds a node that is not a call.
    pub(super) fn fold(&self, node: &Node) -> Option<Value<'a>> {
        match *node {
            Node::Null => Some(Value::NULL),
            Node::Bool(value) => Some(Value::bool(value)),
            Node::Template(parts) => self.template(parts),
            Node::TemplateWrap(inner) | Node::Parens(inner) => self.constant(inner),
            Node::Tuple(items) => self.tuple(items),
            Node::Object(items) => self.object(items),
            Node::ObjectKey { expr, forced } => self.key(expr, forced),
            Node::JsonObject(items) => self.json_object(items),
            Node::JsonKey { name, .. } => self.constant(name),
            Node::JsonString { template, .. } => self.json_string(template),
            Node::Unary { op, operand } => self.unary(op, self.constant(operand)?),
            _ => None,
        }
    }

    /// Drops a constant that was computed after the budget of the arena was exhausted: it may be
    /// incomplete.
    pub(super) fn within_budget(&self, value: Option<Value<'a>>) -> Option<Value<'a>> {
        value.filter(|_| self.arena().budget().exhausted().is_none())
    }

    /// Returns the value of a number literal.
    // Part of the loop in `info::analyze`, as its caller.
    #[inline(always)]
    pub(super) fn number(&self, number: NumberId) -> Value<'a> {
        match self.context.tree.number(number) {
            // Without a copy of the whole number, which has room for the largest form.
            Number::Int(integer, width) => Value::number(self.arena(), Number::Int(*integer, *width)),
            number => Value::number(self.arena(), number.clone()),
        }
    }

    /// Returns the value of a literal text.
    pub(super) fn text(&self, text: &'a str) -> Value<'a> {
        Value::str(self.arena(), nfc(self.arena(), text))
    }

    /// Folds a template of literal texts.
    fn template(&self, parts: NodeList) -> Option<Value<'a>> {
        let parts = self.context.tree.list(parts);
        if let [part] = parts
            && let Node::Text(_) = self.context.tree.node(*part)
        {
            return self.constant(*part);
        }
        let text = |part: &NodeId| match self.context.tree.node(*part) {
            Node::Text(text) => Some(self.context.tree.text(text)),
            _ => None,
        };
        if !parts.iter().all(|part| text(part).is_some()) {
            return None;
        }
        let mut whole = self.arena().string();
        parts.iter().filter_map(text).for_each(|text| whole.push_str(text));
        Some(Value::str(self.arena(), nfc(self.arena(), whole.into_bump_str())))
    }

    /// Folds `[a, b]`.
    fn tuple(&self, items: NodeList) -> Option<Value<'a>> {
        let mut values = self.arena().list();
        for item in self.context.tree.list(items) {
            values.push(self.constant(*item)?);
        }
        Some(Value::tuple(self.arena(), values.into_bump_slice()))
    }

    /// Folds a key of an object constructor.
    fn key(&self, expr: NodeId, forced: bool) -> Option<Value<'a>> {
        let value = match literal_key(self.context.tree, expr, forced) {
            Some(name) => self.text(name),
            None => convert(self.arena(), self.constant(expr)?, Type::String).ok()?,
        };
        value.as_str().map(|_| value)
    }

    /// Folds `{k = v}`.
    fn object(&self, items: NodeList) -> Option<Value<'a>> {
        let mut entries: Vec<Entry<'a>> = Vec::with_capacity(items.len() / 2);
        for pair in self.context.tree.list(items).chunks_exact(2) {
            entries.push(Entry::new(self.constant(pair[0])?.as_str()?, self.constant(pair[1])?));
        }
        // Of equal keys the last one counts: the sort is stable, so it is the last of its run.
        entries.sort_by(|a, b| a.name.cmp(b.name));
        let distinct: Vec<Entry<'a>> =
            entries.chunk_by(|a, b| a.name == b.name).filter_map(|run| run.last().copied()).collect();
        Some(Value::object(self.arena(), self.arena().slice(&distinct)))
    }

    /// Folds a string of JSON without template markers: it is the same text as a literal and as a template.
    fn json_string(&self, template: NodeId) -> Option<Value<'a>> {
        match self.context.tree.node(template) {
            Node::Text(_) => self.constant(template),
            _ => None,
        }
    }

    /// Folds an object of JSON, unless two names are equal, which is a fault.
    fn json_object(&self, items: NodeList) -> Option<Value<'a>> {
        let object = self.object(items)?;
        (object.as_entries()?.len() == items.len() / 2).then_some(object)
    }

    /// Folds `-a` and `!a`.
    fn unary(&self, op: UnaryOp, operand: Value<'a>) -> Option<Value<'a>> {
        match op {
            UnaryOp::Negate => {
                let number = convert(self.arena(), operand, Type::Number).ok()?;
                arithmetic::negate(self.arena(), number).ok()
            }
            UnaryOp::Not => {
                let bool = convert(self.arena(), operand, Type::Bool).ok()?;
                logic::not(self.arena(), bool).ok()
            }
        }
    }

    /// Folds a call of a pure function with constant arguments.
    pub(super) fn call(&self, call: &Call, function: &Function) -> Option<Value<'a>> {
        let args = self.context.tree.list(call.args);
        if !args.iter().all(|arg| self.constant(*arg).is_some())
            || !function.pure
            || function.is_lazy()
            || call.expand
            || !function.takes(args.len())
        {
            return None;
        }
        let calls = self.calls.get_or_init(|| Arena::with_limits(CALLS));
        if calls.budget().exhausted().is_some() {
            return None;
        }
        let args = self.arguments(calls, function, args)?;
        let result = function.call(calls, args).ok()?;
        let plain = result.is_wholly_known() && !result.contains_marks();
        (plain && is_affordable(calls, result)).then(|| copy(self.arena(), result))
    }

    /// Converts the arguments to the types of the parameters.
    fn arguments<'c>(&self, calls: &'c Arena, function: &Function, args: &[NodeId]) -> Option<&'c [Value<'c>]>
    where
        'a: 'c,
    {
        let mut converted = calls.list_with(args.len());
        for (index, arg) in args.iter().enumerate() {
            let value: Value<'c> = self.constant(*arg)?;
            converted.push(convert(calls, value, function.parameter(index)?.ty).ok()?);
        }
        Some(converted.into_bump_slice())
    }

    fn arena(&self) -> &'a Arena {
        self.context.arena()
    }
}

/// Charges the copy of a result, and returns whether it may become a constant. A copy visits shared
/// parts each time they are reached, and a short text can build exponentially many paths to them.
fn is_affordable(calls: &Arena, value: Value<'_>) -> bool {
    // A unit of work for each 16 bytes, the length of a value.
    let text = value.as_str().map_or(0, |text| cast::wide(text.len()) / 16);
    if !calls.charge(1 + text) {
        return false;
    }
    let items = value.as_items().unwrap_or_default().iter();
    let members = value.as_entries().unwrap_or_default().iter().map(|entry| &entry.value);
    items.chain(members).all(|part| is_affordable(calls, *part))
}
