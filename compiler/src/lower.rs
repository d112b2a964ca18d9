//! Tree to code: one construct, one function, and the same promise for each: the result is
//! in the register it was asked for, and all registers it borrowed are back.
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
//! Chains of operators are lowered along their left spine in a loop; the recursion that
//! remains is bounded by the nesting the parser allows.

mod call;
mod collection;
mod fast;
mod iteration;
mod json;
mod operator;
mod resolve;
mod template;
mod variable;

use std::cell::Cell;

use hclvm_vm::code::fast::Fast;
use hclvm_vm::code::{Code, Op, Reg};
use hclvm_vm::{Arena, FunctionTable, Layout, Limits, Names, Place, Value};
use smol_str::SmolStr;

use crate::emit::Emitter;
pub use crate::emit::TooLarge;
use crate::fold::{Known, fold};
use crate::tree::{Node, NodeId, Tree};
pub(crate) use fast::{Fact, Facts};
pub use resolve::Resolution;

/// What a name means that is neither in the layout nor bound by the expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// A fault when evaluated.
    #[default]
    Error,
    /// An unknown value.
    Unknown,
    /// Its own source text as a template, `${name.attribute}`, for somebody else to resolve.
    Text,
}

/// What an expression is compiled against.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'e> {
    /// The names of the scope; `None` where no variables may be used.
    pub layout: Option<&'e Layout>,
    /// The functions; `None` where none may be called.
    pub functions: Option<&'e FunctionTable>,
    /// What other names mean.
    pub undefined: Undefined,
    /// Whether one operand of `&&` and `||` may decide alone.
    pub short_circuit: bool,
    /// The names that the engine's programs mention.
    pub names: &'e Names,
    /// The source text that the spans of the tree refer to.
    pub source: &'e str,
}

/// The most registers that the full body of a node borrows besides those of the nodes in it.
const MOST_REGISTERS: usize = 8;

/// Expressions of that many nodes or less certainly have a full body.
const SURELY_FITS: usize = u16::MAX as usize / MOST_REGISTERS - 1;

/// Compiles the expression `root`, whose nodes are `first..=root`, as far as most runs need it: the
/// fast body comes into `fast`, which is empty and stays so where the expression has none. It is
/// large and so made where it stays. Gives the full body unless it can wait until somebody asks for it,
/// because there is a fast one and [`lower_baseline`] cannot fail.
/// `resolution` are those of the tree's names in the environment, if somebody has looked them up.
pub fn lower(
    tree: &Tree,
    first: NodeId,
    root: NodeId,
    environment: &Environment<'_>,
    resolution: Option<&Resolution>,
    scratch: &Scratch,
    fast: &mut Fast,
) -> Result<Option<Box<Code>>, TooLarge> {
    let arena = &scratch.0;
    let given = fast::Given { tree, first, root, environment, resolution, arena };
    let mut facts = Facts::new(&given, &mut fast.slots);
    let known = fold(tree, environment.functions, first, root, arena, Some(&mut facts));
    let made = if facts.are_few() { fast::lower(&given, known, fast) } else { None };
    if made.is_none() {
        fast.clear();
    } else if (root.0 - first.0) as usize <= SURELY_FITS {
        return Ok(None);
    }
    full(tree, first, root, environment, known, arena).map(|full| Some(Box::new(full)))
}

/// The full body of the expression `root`, whose nodes are `first..=root`.
pub fn lower_baseline(
    tree: &Tree,
    first: NodeId,
    root: NodeId,
    environment: &Environment<'_>,
) -> Result<Code, TooLarge> {
    let Scratch(arena) = &Scratch::default();
    let known = fold(tree, environment.functions, first, root, arena, None);
    full(tree, first, root, environment, known, arena)
}

/// Memory to compile in: what is known of an expression, and constants until they are frozen.
#[derive(Debug)]
pub struct Scratch(Arena);

/// What is worth keeping of it for the next expression.
const MOST_KEPT: usize = 256 << 10;

impl Default for Scratch {
    fn default() -> Self {
        let limits = Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..Limits::UNTRUSTED };
        Self(Arena::with_limits(limits))
    }
}

impl Scratch {
    /// Empty again, as far as that is worth the time.
    pub fn reset(&mut self) {
        if self.0.allocated_bytes() > MOST_KEPT {
            *self = Self::default();
        } else {
            self.0.forget();
        }
    }
}

fn full<'a>(
    tree: &Tree,
    first: NodeId,
    root: NodeId,
    environment: &Environment<'_>,
    known: &'a [Known<'a>],
    arena: &'a Arena,
) -> Result<Code, TooLarge> {
    let mut lowering = Lowering {
        tree,
        first: first.0,
        environment,
        arena,
        known,
        emitter: Emitter::new(arena),
        bound: Vec::new(),
        impure_calls: 0,
        items: Vec::new(),
    };
    lowering.with_register(|lowering, result| {
        lowering.expr(root, result);
        lowering.emit(Op::Return { a: result }, root, Place::Node);
    });
    lowering.emitter.finish()
}

/// One expression being compiled.
struct Lowering<'t, 'a> {
    tree: &'t Tree,
    first: u32,
    environment: &'t Environment<'t>,
    arena: &'a Arena,
    /// What is known of nodes, counted from `first`.
    known: &'a [Known<'a>],
    emitter: Emitter<'a>,
    /// Names bound by enclosing for expressions, innermost last.
    bound: Vec<Bound>,
    /// How many calls of functions that are not pure have been lowered.
    impure_calls: usize,
    /// Elements of enclosing splats, innermost last.
    items: Vec<Reg>,
}

/// A register to be given back, unless it is a name's own.
#[must_use]
struct Lent {
    reg: Reg,
    borrowed: bool,
}

/// A name bound by a for expression.
struct Bound {
    name: SmolStr,
    reg: Reg,
    /// Whether anything reads it.
    read: Cell<bool>,
}

impl Bound {
    fn new(name: &SmolStr, reg: Reg) -> Self {
        Self { name: name.clone(), reg, read: Cell::new(false) }
    }
}

impl<'a> Lowering<'_, 'a> {
    /// The value of a node into `d`.
    fn expr(&mut self, id: NodeId, d: Reg) {
        if let Some(value) = self.constant_of(id) {
            return self.constant(id, value, d);
        }
        match self.tree.node(id) {
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

    /// The value of a node in some register: its own for a bound name, else a borrowed one.
    fn with_value<R>(&mut self, id: NodeId, body: impl FnOnce(&mut Self, Reg) -> R) -> R {
        let value = self.take_value(id);
        let result = body(self, value.reg);
        self.give_back(value);
        result
    }

    /// Like [`Lowering::with_value`] where what follows nests deeply: without optimisation each
    /// closure is another frame of the machine's stack. To be given back.
    fn take_value(&mut self, id: NodeId) -> Lent {
        if let Some(reg) = self.register_of(id) {
            return Lent { reg, borrowed: false };
        }
        let reg = self.emitter.borrow();
        self.expr(id, reg);
        Lent { reg, borrowed: true }
    }

    /// Like [`Lowering::with_log`], to be given back.
    fn take_log(&mut self, id: NodeId) -> Lent {
        let reg = self.emitter.borrow();
        self.emit(Op::Log { d: reg }, id, Place::Node);
        Lent { reg, borrowed: true }
    }

    fn give_back(&mut self, lent: Lent) {
        if lent.borrowed {
            self.emitter.give_back(lent.reg);
        }
    }

    /// The register that already holds the value of a node.
    fn register_of(&self, id: NodeId) -> Option<Reg> {
        match self.tree.node(id) {
            Node::Traversal { root, steps } if steps.is_empty() => self.bound_register(self.tree.name(root)),
            Node::SplatItem => self.items.last().copied(),
            _ => None,
        }
    }

    fn constant_of(&self, id: NodeId) -> Option<Value<'a>> {
        self.known.get(id.0.checked_sub(self.first)? as usize)?.value
    }

    fn constant(&mut self, id: NodeId, value: Value<'a>, d: Reg) {
        let k = self.emitter.constant(value);
        self.emit(Op::Constant { d, k }, id, Place::Node);
    }

    fn emit(&mut self, op: Op, id: NodeId, place: Place) {
        self.emitter.emit(op, id.0 - self.first, place);
    }

    /// A register for as long as `body` runs.
    fn with_register<R>(&mut self, body: impl FnOnce(&mut Self, Reg) -> R) -> R {
        let reg = self.emitter.borrow();
        let result = body(self, reg);
        self.emitter.give_back(reg);
        result
    }

    /// A register that holds the number of faults at this point.
    fn with_log<R>(&mut self, id: NodeId, body: impl FnOnce(&mut Self, Reg) -> R) -> R {
        let log = self.take_log(id);
        let result = body(self, log.reg);
        self.give_back(log);
        result
    }
}
