//! Lowering: from the tree of an expression to code.
//!
//! ```text
//!                                 ┌─▶ fast       fast code, unless a construct has no fast form
//! tree ─▶ analysis::info ─▶ NodeInfo
//!                                 ├─▶ baseline   baseline code, unless it exceeds the format
//!                                 └─▶ columns    steps over vectors of rows, for a host with columns
//! ```
//!
//! This file holds the entry points and their input. `baseline` and `fast` have one file for each
//! construct; `emit` and `operator` hold what they share. `resolve` looks up the names of a whole file. Registers are lent by closure or given back in reverse order: after a node is
//! lowered, its result is in the requested register and every borrowed register is free again.

mod baseline;
mod columns;
mod emit;
mod fast;
mod operator;
mod resolve;

use hclvm_vm::code::Code;
use hclvm_vm::code::columns::ColumnCode;
use hclvm_vm::code::fast::Fast;
use hclvm_vm::{Arena, FunctionTable, Layout, Limits, Names, Type, cast};

use crate::analysis::Folded;
use crate::analysis::info::{self, MOST_SLOTS, SlotList, StaticType};
use crate::tree::{Node, NodeId, Tree};
pub use emit::TooLarge;
pub use resolve::Resolution;

/// The meaning of a name that is neither in the layout nor bound by the expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// A fault when evaluated.
    #[default]
    Error,
    /// An unknown value.
    Unknown,
    /// Its own source text as a template, `${name.attribute}`, for another program to resolve.
    Text,
}

/// The scope, functions and dialect that an expression is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'e> {
    /// The names of the scope; `None` where no variables may be used.
    pub layout: Option<&'e Layout>,
    /// The functions; `None` where none may be called.
    pub functions: Option<&'e FunctionTable>,
    /// The meaning of other names.
    pub undefined: Undefined,
    /// True if one operand of `&&` and `||` may decide alone.
    pub short_circuit: bool,
    /// The symbols of the attribute names that the engine's programs mention.
    pub names: &'e Names,
    /// The source text that the spans of the tree refer to.
    pub source: &'e str,
}

/// The input of lowering: an expression and everything that its code depends on.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The tree that holds the expression.
    pub tree: &'a Tree,
    /// The first node of the expression, whose nodes are `first..=root`.
    pub first: NodeId,
    /// The node of the whole expression.
    pub root: NodeId,
    /// The environment to compile for.
    pub environment: &'a Environment<'a>,
    /// The slots and symbols of the tree's names in the environment, if they were looked up before.
    pub resolution: Option<&'a Resolution>,
    /// The constants that take the place of parts that known variables determine.
    pub folded: Option<&'a Folded<'a>>,
    /// The memory to compile in.
    pub scratch: &'a Scratch,
}

impl<'a> Context<'a> {
    pub(crate) fn arena(&self) -> &'a Arena {
        &self.scratch.0
    }

    /// Returns the node inside parentheses and single interpolations.
    fn bare(&self, mut id: NodeId) -> NodeId {
        while let Node::Parens(inner) | Node::TemplateWrap(inner) = self.tree.node(id) {
            id = inner;
        }
        id
    }
}

/// The most registers that the baseline code of a node borrows besides those of its children.
const MOST_REGISTERS: usize = 8;

/// The largest node count for which baseline code cannot exceed the registers that an operand of 16
/// bits can name.
const SURELY_FITS: usize = u16::MAX as usize / MOST_REGISTERS - 1;

/// Compiles an expression for the fast tier into `fast`, which is empty and remains empty if the
/// expression has no fast code. `fast` is an argument because it is too large to be moved.
///
/// Returns baseline code if it cannot be deferred to the first fallback: there is no fast code, or
/// [`lower_baseline`] might fail later.
pub fn lower(context: &Context<'_>, fast: &mut Fast) -> Result<Option<Box<Code>>, TooLarge> {
    let info = info::analyze(context, &mut fast.slots);
    if fast.slots.len() > MOST_SLOTS || fast::lower(context, info, fast).is_none() {
        fast.clear();
    } else if cast::index(context.root.0 - context.first.0) <= SURELY_FITS {
        return Ok(None);
    }
    baseline::lower(context, info).map(|code| Some(Box::new(code)))
}

/// Compiles an expression for the baseline tier.
pub fn lower_baseline(context: &Context<'_>) -> Result<Code, TooLarge> {
    baseline::lower(context, info::analyze(context, &mut SlotList::new()))
}

/// Compiles an expression for vectors of rows. Returns `None` if each row has to be run alone.
pub fn lower_columns(context: &Context<'_>) -> Option<ColumnCode> {
    columns::lower(context, info::analyze(context, &mut SlotList::new()))
}

/// Returns the type that the value of an expression has if its evaluation has no fault: `Bool`, `Number`, `String`, or
/// `Dynamic` if it is another one or depends on values.
pub fn static_type(context: &Context<'_>) -> Type<'static> {
    let info = info::analyze(context, &mut SlotList::new());
    match info.ty(context.bare(context.root)) {
        StaticType::Bool => Type::Bool,
        StaticType::Number => Type::Number,
        StaticType::String => Type::String,
        StaticType::Dynamic => Type::Dynamic,
    }
}

/// The memory to compile in: node infos, and constants until they are frozen into the code.
#[derive(Debug)]
pub struct Scratch(Arena);

/// The most memory that is kept for the next expression: enough for almost every expression, so
/// that compiling a file allocates once, and small enough for each engine to hold on to.
const MOST_KEPT: usize = 256 << 10;

impl Default for Scratch {
    fn default() -> Self {
        let limits = Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..Limits::UNTRUSTED };
        Self(Arena::with_limits(limits))
    }
}

impl Scratch {
    /// Empties the scratch memory. Frees it if it is larger than what is worth keeping.
    pub fn reset(&mut self) {
        if self.0.allocated_bytes() > MOST_KEPT {
            *self = Self::default();
        } else {
            self.0.forget();
        }
    }
}
