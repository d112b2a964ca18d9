//! The fast body: jumping code for conditions, one arm of a conditional, no faults.
//!
//! ```text
//! a.x == "k" || (b.y && !c.z)         BranchAttributeText r0.x "k"  when true  -> yes
//!                                     BranchAttribute     r1.y      when false -> no
//!                                     BranchAttribute     r2.z      when true  -> no
//!                               yes:  ReturnConstant true
//!                               no:   ReturnConstant false
//! ```
//!
//! Laziness must not be observable: an operand is skipped only where its static type shows
//! that the reference would not object to it. What has no fast form gives up, and the
//! expression has a full body only.

mod call;
mod condition;
mod construct;
mod emit;
mod estimate;
mod iteration;
mod types;
mod value;

use hclvm_vm::arena::{Arena, ArenaVec};
use hclvm_vm::code::Switch;
use hclvm_vm::code::fast::{Fast, FastLabel, FastOp, FastReg, Handler, Symbol, Term};
use hclvm_vm::code::{Const, Slot};
use hclvm_vm::value::Value;
use smallvec::SmallVec;

use super::Environment;
use crate::emit::Pool;
use crate::fold::Known;
use crate::tree::{NameId, Node, NodeId, Tree};
use types::Static;

/// The most slots an expression may read to get a fast body.
const MOST_SLOTS: usize = 64;

/// Conditions in conditions up to which an expression gets a fast body: each takes stack here,
/// and a chain of `&&` may be as long as the text.
const MOST_CONDITIONS: u16 = 500;

/// The fast body of an expression, if it has one.
pub(super) fn lower<'a>(
    tree: &'a Tree,
    first: NodeId,
    root: NodeId,
    environment: &Environment<'_>,
    known: Known<'a>,
    arena: &'a Arena,
) -> Option<Fast> {
    let Slots { slots, registers: roots } = slots(tree, first, root, environment, arena)?;
    let mut lowering = Lowering {
        tree,
        first: first.0,
        environment,
        known,
        emitter: Pool::default(),
        arena,
        types: types::of_nodes(tree, first, root, environment, known, arena),
        roots,
        ops: SmallVec::new(),
        labels: arena.list_with(8),
        names: SmallVec::new(),
        handlers: Vec::new(),
        switches: Vec::new(),
        estimates: Vec::new(),
        bound: arena.list(),
        items: arena.list(),
        in_clause: false,
        conditions: 0,
        attempts: 0,
        next: slots.len() as u8,
        registers: slots.len() as u16,
        slots,
    };
    lowering.root(root)?;
    lowering.finish()
}

/// The slots that an expression reads.
struct Slots<'a> {
    /// In the order of their first use.
    slots: SmallVec<[Slot; 8]>,
    /// The register of the slot that each node reads, counted from the first node.
    registers: ArenaVec<'a, Option<FastReg>>,
}

fn slots<'a>(
    tree: &Tree,
    first: NodeId,
    root: NodeId,
    environment: &Environment<'_>,
    arena: &'a Arena,
) -> Option<Slots<'a>> {
    let mut slots: SmallVec<[Slot; 8]> = SmallVec::new();
    let mut registers = arena.list_with((root.0 - first.0) as usize + 1);
    for node in tree.nodes(first, root) {
        let slot = match *node {
            Node::Traversal { root, .. } => {
                environment.layout.and_then(|layout| layout.slot(tree.name(root)))
            }
            _ => None,
        };
        registers.push(match slot {
            Some(slot) => Some(register_of_slot(slot, &mut slots)?),
            None => None,
        });
    }
    Some(Slots { slots, registers })
}

/// The register of a slot, perhaps a new one; none when there are too many.
fn register_of_slot(slot: Slot, slots: &mut SmallVec<[Slot; 8]>) -> Option<FastReg> {
    let known = slots.iter().position(|known| *known == slot);
    let at = known.unwrap_or_else(|| {
        slots.push(slot);
        slots.len() - 1
    });
    (at < MOST_SLOTS).then_some(FastReg(at as u8))
}

/// One fast body under construction. Its methods give `None` where there is no fast form.
struct Lowering<'l, 't, 'a> {
    tree: &'a Tree,
    first: u32,
    environment: &'l Environment<'t>,
    known: Known<'a>,
    /// What the instructions refer to.
    emitter: Pool<'a>,
    arena: &'a Arena,
    /// Static types of nodes, counted from `first`.
    types: ArenaVec<'a, Static>,
    /// Registers of the slots that nodes read, counted from `first`.
    roots: ArenaVec<'a, Option<FastReg>>,
    ops: SmallVec<[FastOp; 8]>,
    /// Where each label points; `None` until placed.
    labels: ArenaVec<'a, Option<u16>>,
    names: SmallVec<[(Symbol, Const); 2]>,
    handlers: Vec<Handler>,
    switches: Vec<Switch>,
    estimates: Vec<Box<[Term]>>,
    bound: ArenaVec<'a, (&'a str, FastReg)>,
    items: ArenaVec<'a, FastReg>,
    /// Whether an `if` clause is being lowered, of which everything was looked at.
    in_clause: bool,
    /// How many conditions around each other are being lowered.
    conditions: u16,
    /// How many handlers around each other are being lowered.
    attempts: u32,
    /// Slots in registers 0, 1, …
    slots: SmallVec<[Slot; 8]>,
    next: u8,
    registers: u16,
}

impl<'a> Lowering<'_, '_, 'a> {
    /// The whole expression: a condition returns constants, anything else a register.
    fn root(&mut self, root: NodeId) -> Option<()> {
        if let Some(value) = self.constant_of(root) {
            let k = self.emitter.constant(value);
            self.push(FastOp::ReturnConstant { k });
            return Some(());
        }
        if self.is_condition(root) {
            let no = self.label();
            self.branch(root, false, no)?;
            let k = self.emitter.constant(Value::TRUE);
            self.push(FastOp::ReturnConstant { k });
            self.place(no)?;
            let k = self.emitter.constant(Value::FALSE);
            self.push(FastOp::ReturnConstant { k });
            return Some(());
        }
        self.with_operand(root, |lowering, a| {
            lowering.push(FastOp::Return { a });
            Some(())
        })
    }

    fn constant_of(&self, id: NodeId) -> Option<Value<'a>> {
        self.known.get(id.0.checked_sub(self.first)? as usize).copied().flatten()
    }

    fn static_type(&self, id: NodeId) -> Static {
        let at = id.0.wrapping_sub(self.first) as usize;
        self.types.get(at).copied().unwrap_or(Static::Dynamic)
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
        if !self.bound.is_empty() {
            let name = self.tree.name(root);
            if let Some((_, reg)) = self.bound.iter().rev().find(|(bound, _)| *bound == name) {
                return Some(*reg);
            }
        }
        self.roots.get(id.0.checked_sub(self.first)? as usize).copied().flatten()
    }

    /// The register that already holds the value of a node.
    fn register_of(&self, id: NodeId) -> Option<FastReg> {
        match self.tree.node(id) {
            Node::Traversal { root, steps } if steps.is_empty() => self.register_of_root(id, root),
            Node::SplatItem => self.items.last().copied(),
            _ => None,
        }
    }

    /// Lends a register that holds the value of a node.
    fn with_operand<R>(
        &mut self,
        id: NodeId,
        body: impl FnOnce(&mut Self, FastReg) -> Option<R>,
    ) -> Option<R> {
        let id = self.bare(id);
        if let Some(reg) = self.register_of(id) {
            return body(self, reg);
        }
        self.with_register(|lowering, reg| {
            lowering.value(id, reg)?;
            body(lowering, reg)
        })
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
        self.handlers.push(Handler { start, end, target });
        Some(result)
    }
}
