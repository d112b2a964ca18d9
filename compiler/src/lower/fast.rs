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
mod facts;
mod interval;
mod iteration;
mod template;
mod value;

use hclvm_vm::code::Switch;
use hclvm_vm::code::fast::{Fast, FastLabel, FastOp, FastReg, Handler, Symbol, Term};
use hclvm_vm::{Arena, ArenaVec, Value};

use super::{Environment, Resolution};
use crate::emit::Pool;
use crate::fold::Known;
use crate::tree::{NameId, Node, NodeId, Tree};
use facts::Static;
pub(crate) use facts::{Fact, Facts};

/// Conditions in conditions up to which an expression gets a fast body: each takes stack here,
/// and a chain of `&&` may be as long as the text.
const MOST_CONDITIONS: u16 = 500;

/// What a fast body is made from.
pub(crate) struct Given<'g, 't, 'a> {
    pub(super) tree: &'a Tree,
    /// First node of the expression.
    pub(super) first: NodeId,
    /// The expression.
    pub(super) root: NodeId,
    pub(super) environment: &'g Environment<'t>,
    pub(super) resolution: Option<&'g Resolution>,
    pub(super) arena: &'a Arena,
}

/// Makes the fast body of an expression in `fast`, which is empty but for the slots that came with the
/// facts; `None` when the expression has no fast body. It is made where it stays, because it is large.
pub(super) fn lower<'a>(given: &Given<'_, '_, 'a>, known: &'a [Known<'a>], fast: &mut Fast) -> Option<()> {
    let Given { tree, first, root, environment, resolution, arena } = *given;
    fast.registers = fast.slots.len() as u16;
    let mut lowering = Lowering {
        tree,
        first: first.0,
        environment,
        resolution,
        known,
        emitter: Pool::new(arena),
        arena,
        next: fast.slots.len() as u8,
        fast,
        labels: arena.list_with(8),
        rare: None,
        in_clause: false,
        conditions: 0,
        attempts: 0,
    };
    lowering.root(root)?;
    lowering.finish()
}

/// One fast body under construction. Its methods give `None` where there is no fast form.
struct Lowering<'l, 't, 'a> {
    tree: &'a Tree,
    first: u32,
    environment: &'l Environment<'t>,
    resolution: Option<&'l Resolution>,
    /// What is known of nodes, counted from `first`.
    known: &'a [Known<'a>],
    /// What the instructions refer to.
    emitter: Pool<'a>,
    arena: &'a Arena,
    /// The body as far as it is made.
    fast: &'l mut Fast,
    /// Where each label points; `None` until placed.
    labels: ArenaVec<'a, Option<u16>>,
    /// What most bodies have none of.
    rare: Option<Box<Rare<'a>>>,
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
struct Rare<'a> {
    handlers: Vec<Handler>,
    switches: Vec<Switch>,
    intervals: Vec<Box<[Term]>>,
    /// Names bound by for expressions around, innermost last.
    bound: Vec<(&'a str, FastReg)>,
    /// Elements of splats around, innermost last.
    items: Vec<FastReg>,
}

impl<'a> Lowering<'_, '_, 'a> {
    /// The whole expression: a condition returns constants, anything else a register.
    fn root(&mut self, root: NodeId) -> Option<()> {
        if let Some(value) = self.constant_of(root) {
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

    fn constant_of(&self, id: NodeId) -> Option<Value<'a>> {
        self.known.get(id.0.checked_sub(self.first)? as usize)?.value
    }

    fn static_type(&self, id: NodeId) -> Static {
        let at = id.0.wrapping_sub(self.first) as usize;
        self.known.get(at).map_or(Static::Dynamic, |known| known.fact.ty)
    }

    /// The node inside parentheses and single interpolations.
    fn bare(&self, mut id: NodeId) -> NodeId {
        while let Node::Parens(inner) | Node::TemplateWrap(inner) = self.tree.node(id) {
            id = inner;
        }
        id
    }

    /// The register of the name that the traversal `id` starts from.
    fn register_of_root(&self, id: NodeId, root: NameId) -> Option<FastReg> {
        if let Some(Rare { bound, .. }) = self.rare.as_deref() {
            let name = self.tree.name(root);
            if let Some((_, reg)) = bound.iter().rev().find(|(bound, _)| *bound == name) {
                return Some(*reg);
            }
        }
        self.known.get(id.0.checked_sub(self.first)? as usize)?.fact.root()
    }

    /// The register that already holds the value of a node.
    fn register_of(&self, id: NodeId) -> Option<FastReg> {
        match self.tree.node(id) {
            Node::Traversal { root, steps } if steps.is_empty() => self.register_of_root(id, root),
            Node::SplatItem => self.item(),
            _ => None,
        }
    }

    /// The element of the innermost splat around.
    fn item(&self) -> Option<FastReg> {
        self.rare.as_ref()?.items.last().copied()
    }

    /// What most bodies have none of.
    #[cold]
    fn rare(&mut self) -> &mut Rare<'a> {
        self.rare.get_or_insert_default()
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
    /// [`Lowering::with_operand`], of which there is a copy for each use.
    #[inline(never)]
    fn operand(&mut self, id: NodeId) -> Option<FastReg> {
        let id = self.bare(id);
        if let Some(reg) = self.register_of(id) {
            return Some(reg);
        }
        let reg = self.borrow(1)?;
        self.value(id, reg)?;
        Some(reg)
    }

    /// The attribute that a node selects from a register: `a.name` with nothing after it.
    fn attribute_of(&mut self, id: NodeId) -> Option<(FastReg, Symbol)> {
        let tree = self.tree;
        let id = self.bare(id);
        match tree.node(id) {
            Node::Traversal { root, steps } if steps.len() == 1 => {
                let reg = self.register_of_root(id, root)?;
                Some((reg, self.step_symbol(tree.steps(steps).first()?)?))
            }
            Node::RelativeTraversal { source, steps } if steps.len() == 1 => {
                let reg = self.register_of(self.bare(source))?;
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
        self.rare().handlers.push(Handler { start, end, target });
        Some(result)
    }
}
