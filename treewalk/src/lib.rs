//! A tree-walking evaluator: it walks the tree and calls the value operations of the machine, but
//! executes no bytecode.
//!
//! It is written from the description of the language, not from the machine, so that a bug in one
//! of them shows up as a difference. Every construct returns its value and a list of its faults; lists
//! are concatenated in the order in which faults are reported.
//!
//! ```
//! use hclvm_compiler::lower::{Environment, Undefined};
//! use hclvm_compiler::tree::NodeId;
//! use hclvm_compiler::{ParseLimits, parse_expression};
//! use hclvm_treewalk::Walker;
//! use hclvm_vm::{Arena, Layout, Names, Value};
//!
//! let text = "n > 10 ? n * 2 : 0";
//! let parsed = parse_expression(text, &ParseLimits::default());
//! assert!(parsed.diagnostics.is_empty());
//! let layout = Layout::new(["n"]);
//! let names = Names::default();
//! let environment = Environment {
//!     layout: Some(&layout),
//!     functions: None,
//!     undefined: Undefined::Error,
//!     short_circuit: true,
//!     names: &names,
//!     source: text,
//! };
//! let walker = Walker::new(&parsed.tree, NodeId(0), parsed.root, environment);
//! let arena = Arena::new();
//! let evaluation = walker.run(&[Value::int(21)], &arena);
//! assert!(evaluation.faults.is_empty());
//! assert_eq!(evaluation.value.to_string(), "42");
//! ```
//!
//! ```text
//! walk          one match that names every construct
//! names         variables of the scope, of `for` expressions, and the element of a splat
//! access        steps and indexes            operator   unary, binary, && and ||
//! conditional   both arms, then the choice   iteration  for expressions      splat
//! collection    tuples and objects           template   concatenation, join
//! call          functions, expansion         lazy       try, can, convert
//! file          whole files: locals, blocks, dynamic blocks
//! differential  generated expressions, compared with the machine (feature `differential`)
//! ```

mod access;
mod call;
mod collection;
mod conditional;
#[cfg(feature = "differential")]
pub mod differential;
pub mod file;
mod iteration;
mod lazy;
mod names;
mod operator;
mod splat;
mod template;
mod walk;

use std::cell::{Cell, OnceCell};

use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_vm::code::Failure;
use hclvm_vm::{Arena, Exhausted, Marks, Record, Value};

use names::Names;
use walk::Walk;

/// An expression of a tree, prepared for any number of evaluations.
#[derive(Debug)]
pub struct Walker<'t> {
    tree: &'t Tree,
    first: NodeId,
    root: NodeId,
    environment: Environment<'t>,
    /// Failures that do not depend on values, by node; faults refer to them.
    failures: Box<[OnceCell<Failure>]>,
}

/// The result of an evaluation.
#[derive(Debug)]
pub struct Evaluation<'a> {
    /// The value, partial if there are faults, meaningless if a limit was exceeded.
    pub value: Value<'a>,
    /// The faults. Their nodes are relative to the first node of the expression.
    pub faults: Vec<Record<'a>>,
    /// The limit that was exceeded, if one was.
    pub exhausted: Option<Exhausted>,
}

impl<'t> Walker<'t> {
    /// Creates a walker of the expression `root` of `tree`, whose nodes are `first..=root`.
    pub fn new(tree: &'t Tree, first: NodeId, root: NodeId, environment: Environment<'t>) -> Self {
        let nodes = (root.0 + 1).saturating_sub(first.0) as usize;
        Self { tree, first, root, environment, failures: (0..nodes).map(|_| OnceCell::new()).collect() }
    }

    /// Evaluates with the values of the environment's layout, by slot. The recursion depth is bounded by
    /// the parser's nesting limit.
    pub fn run<'a>(&'a self, values: &[Value<'a>], arena: &'a Arena) -> Evaluation<'a> {
        let read = Cell::new(Marks::NONE);
        let walk = Walk { walker: self, values, arena, secret: false, read: &read };
        let (value, faults) = walk.expr(self.root, Names::NONE);
        Evaluation { value, faults, exhausted: arena.budget().exhausted() }
    }
}
