//! Lowering to the baseline tier: every construct, with all faults of the language in order.
//!
//! ```text
//! a.b + 1        Log       r1            faults so far
//!                Variable  r0 = a
//!                Attribute r0 = r0.b
//!                Constant  r2 = 1
//!                Arithmetic r0 = r0 + r2  (faults since r1 are the operands')
//!                Return    r0
//! ```
//!
//! Chains of operators are lowered along their left spine in a loop; the remaining recursion is
//! bounded by the nesting that the parser allows. The counterpart for the fast tier is
//! [`fast`](super::fast), which evaluates fewer operands and may decline an expression.

mod access;
mod call;
mod conditional;
mod construct;
mod emit;
mod iterate;
mod json;
mod operators;
mod splat;
mod template;

use std::cell::Cell;

use hclvm_vm::code::{Code, Op, Reg};
use hclvm_vm::{Place, Value};
use smol_str::SmolStr;

use super::emit::TooLarge;
use super::{Context, Undefined};
use crate::analysis::info::NodeInfos;
use crate::tree::{Node, NodeId};
use emit::Emitter;

/// Lowers the expression of `context`, about whose nodes `info` is known.
pub(super) fn lower<'a>(context: &Context<'a>, info: NodeInfos<'a>) -> Result<Code, TooLarge> {
    let mut lowering = BaselineLowering {
        context: *context,
        info,
        emitter: Emitter::new(context.arena()),
        bound: Vec::new(),
        impure_calls: 0,
        items: Vec::new(),
    };
    lowering.with_register(|lowering, result| {
        lowering.expr(context.root, result);
        lowering.emit(Op::Return { a: result }, context.root, Place::Node);
    });
    lowering.emitter.finish()
}

/// Baseline code under construction.
struct BaselineLowering<'a> {
    context: Context<'a>,
    info: NodeInfos<'a>,
    emitter: Emitter<'a>,
    /// The names bound by enclosing for expressions, innermost last.
    bound: Vec<BoundName>,
    /// The number of calls of impure functions lowered so far.
    impure_calls: usize,
    /// The elements of enclosing splats, innermost last.
    items: Vec<Reg>,
}

/// A register that is given back after use, unless it belongs to a name.
#[must_use]
struct ScratchReg {
    reg: Reg,
    borrowed: bool,
}

/// A name bound by a for expression.
struct BoundName {
    name: SmolStr,
    reg: Reg,
    /// True once an instruction reads it.
    read: Cell<bool>,
}

impl BoundName {
    fn new(name: &SmolStr, reg: Reg) -> Self {
        Self { name: name.clone(), reg, read: Cell::new(false) }
    }
}

impl<'a> BaselineLowering<'a> {
    /// Lowers the value of a node into `d`.
    fn expr(&mut self, id: NodeId, d: Reg) {
        if let Some(value) = self.info.constant(id) {
            return self.constant(id, value, d);
        }
        match self.context.tree.node(id) {
            Node::Null
            | Node::Bool(_)
            | Node::Number(_)
            | Node::Text(_)
            | Node::Invalid
            | Node::Problem(_) => {
                self.constant(id, Value::DYNAMIC, d);
            }
            Node::Template(parts) => self.template(id, parts, d),
            Node::TemplateWrap(inner) | Node::Parens(inner) => self.expr(inner, d),
            Node::TemplateJoin(inner) => self.join(id, inner, d),
            Node::Traversal { root, steps } => self.traversal(id, root, steps, d),
            Node::RelativeTraversal { source, steps } => {
                self.expr(source, d);
                self.steps(id, steps, d);
            }
            Node::Call(call) => self.call(id, call, d),
            Node::Conditional { condition, yes, no } => self.conditional(id, [condition, yes, no], d),
            Node::Index { collection, key, .. } => self.index(id, collection, key, d),
            Node::Tuple(items) => self.tuple(id, items, d),
            Node::Object(items) => self.object(id, items, d),
            Node::ObjectKey { expr, forced } => self.object_key(id, expr, forced, d),
            Node::For(details) => self.for_expr(id, details, d),
            Node::Splat { source, each, .. } => self.splat(id, source, each, d),
            Node::SplatItem => self.splat_item(id, d),
            Node::Binary { .. } => self.binary(id, d),
            Node::JsonObject(items) => self.json_object(id, items, d),
            Node::JsonKey { name, .. } => self.expr(name, d),
            Node::JsonString { text, template } => self.json_string(id, text, template, d),
            Node::Broken(problems) => self.broken(problems, d),
            Node::Unary { op, operand } => self.unary(id, op, operand, d),
        }
    }

    /// Lends a register with the value of a node: its own for a bound name, else a borrowed one.
    fn with_value<R>(&mut self, id: NodeId, body: impl FnOnce(&mut Self, Reg) -> R) -> R {
        let value = self.take_value(id);
        let result = body(self, value.reg);
        self.give_back(value);
        result
    }

    /// Like [`BaselineLowering::with_value`], for constructs that nest deeply: in unoptimized builds each
    /// closure adds a stack frame. The register must be given back.
    fn take_value(&mut self, id: NodeId) -> ScratchReg {
        if let Some(reg) = self.register_of(id) {
            return ScratchReg { reg, borrowed: false };
        }
        let reg = self.emitter.borrow();
        self.expr(id, reg);
        ScratchReg { reg, borrowed: true }
    }

    /// Like [`BaselineLowering::with_log`]; the register must be given back.
    fn take_log(&mut self, id: NodeId) -> ScratchReg {
        let reg = self.emitter.borrow();
        self.emit(Op::Log { d: reg }, id, Place::Node);
        ScratchReg { reg, borrowed: true }
    }

    fn give_back(&mut self, scratch: ScratchReg) {
        if scratch.borrowed {
            self.emitter.give_back(scratch.reg);
        }
    }

    /// Returns the register with the value of a node: its own, or `d`, into which it is lowered.
    fn value_in(&mut self, id: NodeId, d: Reg) -> Reg {
        self.register_of(id).unwrap_or_else(|| {
            self.expr(id, d);
            d
        })
    }

    /// Returns the register that already holds the value of a node.
    fn register_of(&self, id: NodeId) -> Option<Reg> {
        match self.context.tree.node(id) {
            Node::Traversal { root, steps } if steps.is_empty() => {
                self.bound_register(self.context.tree.name(root))
            }
            Node::SplatItem => self.items.last().copied(),
            _ => None,
        }
    }

    /// Loads a constant into `d`.
    fn constant(&mut self, id: NodeId, value: Value<'a>, d: Reg) {
        let k = self.emitter.constant(value);
        self.emit(Op::Constant { d, k }, id, Place::Node);
    }

    /// Appends an instruction with its origin, which counts from the first node of the expression, so that
    /// the code remains valid if the attribute moves in its file.
    fn emit(&mut self, op: Op, id: NodeId, place: Place) {
        self.emitter.emit(op, id.0 - self.context.first.0, place);
    }

    /// Lends a register.
    fn with_register<R>(&mut self, body: impl FnOnce(&mut Self, Reg) -> R) -> R {
        let reg = self.emitter.borrow();
        let result = body(self, reg);
        self.emitter.give_back(reg);
        result
    }

    /// Lends a register that holds the number of faults so far.
    fn with_log<R>(&mut self, id: NodeId, body: impl FnOnce(&mut Self, Reg) -> R) -> R {
        let log = self.take_log(id);
        let result = body(self, log.reg);
        self.give_back(log);
        result
    }
}
