//! The fast body: jumping code for conditions, one arm of a conditional, no faults.
//!
//! ```text
//! a.x == "k" || (b.y && !c.z)         BranchAttributeText r0.x "k"  when true  -> yes
//!                                     BranchAttribute     r1.y      when false -> no
//!                                     BranchAttribute     r2.z      when true  -> no
//!                               yes:  ReturnBool true
//!                               no:   ReturnBool false
//! ```
//!
//! Laziness must not be observable: an operand is skipped only where its static type shows
//! that the reference would not object to it. What has no fast form gives up, and the
//! expression has a full body only.

mod call;
mod condition;
mod construct;
mod emit;
mod interval;
mod iterate;
mod template;
mod value;

use hclvm_vm::code::Switch;
use hclvm_vm::code::fast::{Fast, FastLabel, FastOp, FastReg, Handler, Symbol, Term};
use hclvm_vm::{ArenaVec, cast};

use super::Context;
use super::emit::Pool;
use crate::analysis::info::NodeInfos;
use crate::tree::{NameId, Node, NodeId};

/// Conditions in conditions up to which an expression gets a fast body: each takes stack here,
/// and a chain of `&&` may be as long as the text.
const MOST_CONDITIONS: u16 = 500;

/// Lowers the expression of `context`, about whose nodes `info` is known, into `fast`, which is
/// empty except for its slots. Returns `None` if the expression has no fast code.
pub(super) fn lower<'a>(context: &Context<'a>, info: NodeInfos<'a>, fast: &mut Fast) -> Option<()> {
    // At most `MOST_SLOTS`.
    let slots = cast::register(fast.slots.len());
    fast.registers = u16::from(slots);
    let mut lowering = FastLowering {
        context: *context,
        info,
        emitter: Pool::new(context.arena()),
        next: slots,
        fast,
        labels: context.arena().list_with(8),
        extras: None,
        in_clause: false,
        conditions: 0,
        attempts: 0,
    };
    lowering.root(context.root)?;
    lowering.finish()
}

/// Fast code under construction. The methods return `None` if a construct has no fast form.
struct FastLowering<'l, 'a> {
    context: Context<'a>,
    info: NodeInfos<'a>,
    /// What the instructions refer to.
    emitter: Pool<'a>,
    /// The body as far as it is made.
    fast: &'l mut Fast,
    /// Where each label points; `None` until placed.
    labels: ArenaVec<'a, Option<u16>>,
    /// What most bodies have none of.
    extras: Option<Box<Extras<'a>>>,
    /// Whether an `if` clause is being lowered, of which everything was looked at.
    in_clause: bool,
    /// How many conditions around each other are being lowered.
    conditions: u16,
    /// How many handlers around each other are being lowered.
    attempts: u32,
    next: u8,
}

/// Lists that are mostly empty.
#[derive(Default)]
struct Extras<'a> {
    handlers: Vec<Handler>,
    switches: Vec<Switch>,
    intervals: Vec<Box<[Term]>>,
    /// Names bound by for expressions around, innermost last.
    bound: Vec<(&'a str, FastReg)>,
    /// Elements of splats around, innermost last.
    items: Vec<FastReg>,
}

impl<'a> FastLowering<'_, 'a> {
    /// The whole expression: a condition returns constants, anything else a register.
    fn root(&mut self, root: NodeId) -> Option<()> {
        if let Some(value) = self.info.constant(root) {
            let op = match value.as_bool() {
                Some(truth) => FastOp::ReturnBool { truth },
                None => FastOp::ReturnConstant { k: self.emitter.constant(value) },
            };
            self.push(op);
            return Some(());
        }
        if self.is_condition(root) {
            let no = self.label();
            self.branch(root, false, no)?;
            self.push(FastOp::ReturnBool { truth: true });
            self.place(no)?;
            self.push(FastOp::ReturnBool { truth: false });
            return Some(());
        }
        self.with_operand(root, |lowering, a| {
            lowering.push_return(a);
            Some(())
        })
    }

    /// The register of the name that the traversal `id` starts from.
    fn register_of_root(&self, id: NodeId, root: NameId) -> Option<FastReg> {
        if let Some(Extras { bound, .. }) = self.extras.as_deref() {
            let name = self.context.tree.name(root);
            if let Some((_, reg)) = bound.iter().rev().find(|(bound, _)| *bound == name) {
                return Some(*reg);
            }
        }
        Some(FastReg(self.info.variable(id)?.nth))
    }

    /// The register that already holds the value of a node.
    fn register_of(&self, id: NodeId) -> Option<FastReg> {
        match self.context.tree.node(id) {
            Node::Traversal { root, steps } if steps.is_empty() => self.register_of_root(id, root),
            Node::SplatItem => self.item(),
            _ => None,
        }
    }

    /// The element of the innermost splat around.
    fn item(&self) -> Option<FastReg> {
        self.extras.as_ref()?.items.last().copied()
    }

    /// What most bodies have none of.
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

    /// The register that holds the value of a node: its own, or a new one. Apart from
    /// [`FastLowering::with_operand`], of which there is a copy for each use.
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

    /// The attribute that a node selects from a register: `a.name` with nothing after it.
    fn attribute_of(&mut self, id: NodeId) -> Option<(FastReg, Symbol)> {
        let tree = self.context.tree;
        let id = self.context.bare(id);
        match tree.node(id) {
            Node::Traversal { root, steps } if steps.len() == 1 => {
                let reg = self.register_of_root(id, root)?;
                Some((reg, self.step_symbol(tree.steps(steps).first()?)?))
            }
            Node::RelativeTraversal { source, steps } if steps.len() == 1 => {
                let reg = self.register_of(self.context.bare(source))?;
                Some((reg, self.step_symbol(tree.steps(steps).first()?)?))
            }
            _ => None,
        }
    }

    /// Marks the instructions that `body` makes: faults in them bail out, because something
    /// around them may still drop the fault.
    fn guarded<R>(&mut self, body: impl FnOnce(&mut Self) -> Option<R>) -> Option<R> {
        self.handled(None, body)
    }

    fn handled<R>(
        &mut self,
        target: Option<FastLabel>,
        body: impl FnOnce(&mut Self) -> Option<R>,
    ) -> Option<R> {
        if target.is_none() && self.attempts == 0 {
            // Nothing around it takes faults: they bail out anyway.
            return body(self);
        }
        let start = self.here()?;
        self.attempts += 1;
        let result = body(self);
        self.attempts -= 1;
        let (result, end) = (result?, self.here()?);
        // Inner ranges are complete, and so listed, before the ranges around them.
        self.extras().handlers.push(Handler { start, end, target });
        Some(result)
    }
}
