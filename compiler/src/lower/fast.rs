//! Lowering to the fast tier: jumping code for conditions, one arm of a conditional, no faults.
//!
//! ```text
//! a.x == "k" || (b.y && !c.z)         Attribute  r3 = r0.x
//!                                     EqualText  r4 = r3 == "k"
//!                                     Branch     r4  when true  -> yes
//!                                     Attribute  r3 = r1.y
//!                                     Branch     r3  when false -> no
//!                                     Attribute  r3 = r2.z
//!                                     Branch     r3  when true  -> no
//!                               yes:  ReturnBool true
//!                               no:   ReturnBool false
//! ```
//!
//! The emitter [fuses](hclvm_vm::code::fast::Fusion) instructions: the seven above the returns become three.
//!
//! Laziness must not be observable: an operand is skipped only if its static type shows that the
//! reference would not reject it. A method returns `None` if a construct has no fast form; the whole
//! expression then has baseline code only, which [`baseline`](super::baseline) makes of every
//! construct.

mod access;
mod bound;
mod call;
mod clause;
mod condition;
mod conditional;
mod construct;
mod destination;
mod emit;
mod interval;
mod iterate;
mod map;
mod operators;
mod splat;
mod switch;
mod template;

use std::mem::ManuallyDrop;

use hclvm_vm::code::Switch;
use hclvm_vm::code::fast::{Fast, FastLabel, FastOp, FastReg, Fusion, Handler, Term};
use hclvm_vm::{ArenaVec, Layout, cast};

use super::Context;
use super::emit::Pool;
use crate::analysis::info::NodeInfos;
use crate::tree::{NameId, Node, NodeId, StepList, UnaryOp};

/// Lowers the expression of `context`, about whose nodes `info` is known, into `fast`, which is
/// empty except for its slots. Returns `None` if the expression has no fast code.
pub(super) fn lower<'a>(context: &Context<'a>, info: NodeInfos<'a>, fast: &mut Fast) -> Option<()> {
    // At most `MOST_SLOTS`.
    let slots = cast::register(fast.slots.len());
    fast.registers = u16::from(slots);
    // Its lists are in the arena, which is emptied as a whole, so only what is on the heap is dropped.
    let mut lowering = ManuallyDrop::new(FastLowering {
        context: *context,
        info,
        pool: Pool::new(context.arena()),
        next: slots,
        fast,
        ops: context.arena().list_with(8),
        fusion: Fusion::new(u16::from(slots)..u16::MAX),
        labels: context.arena().list_with(8),
        extras: None,
        in_clause: false,
        conditions: 0,
        attempts: 0,
        derives: context.environment.layout.is_some_and(Layout::has_any_derived),
    });
    let done = lowering.result(context.root).and_then(|()| lowering.finish());
    if done.is_none() {
        lowering.drop_extras();
    }
    done
}

/// Fast code under construction.
struct FastLowering<'l, 'a> {
    context: Context<'a>,
    info: NodeInfos<'a>,
    /// The constants and shapes that the instructions refer to.
    pool: Pool<'a>,
    /// The code so far.
    fast: &'l mut Fast,
    /// Its instructions, over register indexes.
    ops: ArenaVec<'a, FastOp>,
    /// Fuses them.
    fusion: Fusion,
    /// The position of each label; `None` until placed.
    labels: ArenaVec<'a, Option<u16>>,
    /// Created when first needed, because most expressions need none of it.
    extras: Option<Box<Extras<'a>>>,
    /// True inside an `if` clause, whose nodes have all been checked.
    in_clause: bool,
    /// The number of conditions around the current node.
    conditions: u16,
    /// The number of handlers around the current node.
    attempts: u32,
    /// True if attributes of a variable may have slots.
    derives: bool,
    /// The first free register.
    next: u8,
}

/// Lists that are empty for most expressions.
#[derive(Default)]
struct Extras<'a> {
    handlers: Vec<Handler>,
    switches: Vec<Switch>,
    intervals: Vec<Box<[Term]>>,
    /// The names bound by enclosing for expressions, innermost last.
    bound: Vec<(&'a str, FastReg)>,
    /// The elements of enclosing splats, innermost last.
    items: Vec<FastReg>,
}

impl<'a> FastLowering<'_, 'a> {
    /// Lowers the value of a node into `d`.
    fn value(&mut self, id: NodeId, d: FastReg) -> Option<()> {
        let id = self.context.bare(id);
        if let Some(value) = self.info.constant(id) {
            self.constant(value, d);
            return Some(());
        }
        let node = self.context.tree.node(id);
        if self.is_condition_node(id, node) {
            return self.truth_into(id, d);
        }
        match node {
            Node::Template(_) | Node::TemplateJoin(_) => self.template(id, d),
            Node::Traversal { root, steps } => self.traversal(id, root, steps, d),
            Node::RelativeTraversal { source, steps } => self.relative_traversal(source, steps, d),
            Node::Call(call) => self.call(id, call, d),
            Node::Conditional { condition, yes, no } => {
                self.guarded(|lowering| lowering.conditional_into([condition, yes, no], d))
            }
            Node::Index { collection, key, .. } => self.index(collection, key, d),
            Node::Tuple(items) => self.tuple(items, d),
            Node::Object(items) => self.object(items, d),
            Node::ObjectKey { expr, forced } => self.object_key(expr, forced, d),
            Node::For(details) => self.for_expr(details, d),
            Node::Splat { source, each, .. } => self.splat(source, each, d),
            Node::JsonString { template, .. } if self.context.environment.layout.is_some() => {
                self.value(template, d)
            }
            Node::SplatItem => self.splat_item(d),
            Node::Binary { .. } => self.arithmetic(id, d),
            Node::Unary { op: UnaryOp::Negate, operand } => self.negate(operand, d),
            _ => None,
        }
    }

    /// Returns the register that already holds the value of a node.
    #[inline(always)] // Half of the nodes are no variables, which a comparison tells.
    fn register_of(&self, id: NodeId) -> Option<FastReg> {
        match self.context.tree.node(id) {
            Node::Traversal { root, steps } if steps.is_empty() && !self.derives => self.variable(id, root),
            Node::Traversal { root, steps } if self.derives => self.derived_register(id, root, steps),
            Node::SplatItem => self.item(),
            _ => None,
        }
    }

    /// [`FastLowering::register_of`] for a traversal, where attributes of variables may have slots.
    // Out of line: only modules have such slots.
    #[inline(never)]
    fn derived_register(&self, id: NodeId, root: NameId, steps: StepList) -> Option<FastReg> {
        let may_be_one = steps.is_empty() || self.is_derived(id, steps, 1);
        self.variable(id, root).filter(|_| may_be_one && self.rest(id, root, steps).is_empty())
    }

    /// Drops what is on the heap. Complete code has taken it over.
    // Few expressions have no fast code.
    #[cold]
    fn drop_extras(&mut self) {
        self.extras = None;
        self.pool.drop_extras();
    }

    /// Returns the extras, which are created here. Cold, because most expressions have none.
    #[cold]
    fn extras(&mut self) -> &mut Extras<'a> {
        self.extras.get_or_insert_default()
    }

    /// Lends a register that holds the value of a node.
    fn with_operand<R>(
        &mut self,
        id: NodeId,
        body: impl FnOnce(&mut Self, FastReg) -> Option<R>,
    ) -> Option<R> {
        let next = self.next;
        let reg = self.operand(id)?;
        let result = body(self, reg);
        self.next = next;
        result
    }

    /// Returns a register that holds the value of a node: its own or a new one. Not inlined, because
    /// [`FastLowering::with_operand`] is instantiated for each of its many closures.
    #[inline(never)]
    fn operand(&mut self, id: NodeId) -> Option<FastReg> {
        let id = self.context.bare(id);
        if let Some(reg) = self.register_of(id) {
            return Some(reg);
        }
        let reg = self.borrow(1)?;
        self.value(id, reg)?;
        Some(reg)
    }

    /// Marks the instructions that `body` emits: a fault in them ends the run, because an enclosing
    /// construct may still drop it.
    fn guarded<R>(&mut self, body: impl FnOnce(&mut Self) -> Option<R>) -> Option<R> {
        self.handled(None, body)
    }

    /// Sends the faults in the instructions that `body` emits to `target`; without a target they end
    /// the run, and the baseline tier starts over.
    fn handled<R>(
        &mut self,
        target: Option<FastLabel>,
        body: impl FnOnce(&mut Self) -> Option<R>,
    ) -> Option<R> {
        if target.is_none() && self.attempts == 0 {
            // Without a handler around them, faults end the run anyway.
            return body(self);
        }
        let start = self.here()?;
        self.attempts += 1;
        let result = body(self);
        self.attempts -= 1;
        let (result, end) = (result?, self.here()?);
        // Inner ranges are complete, and therefore listed, before the ranges around them.
        self.extras().handlers.push(Handler { start, end, target });
        Some(result)
    }
}
