//! A plain evaluator: it walks the tree and calls the same value operations as the machine, but
//! knows nothing of its code.
//!
//! Written from the description of the language, not from the machine, so that an error in one
//! of the two shows as a difference. Every construct returns its value and a list of its faults;
//! the order of faults is the order in which the lists are joined.
//!
//! ```text
//! walk          one screen that names every construct
//! names         variables of the scope, of for expressions, and the element of a splat
//! access        steps and indexes            operator   unary, binary, && and ||
//! conditional   both arms, then the choice   iteration  for expressions      splat
//! collection    tuples and objects           template   concatenation, join
//! call          functions, expansion         lazy       try, can, convert
//! differential  grown expressions, compared with the machine
//! ```

mod access;
mod call;
mod collection;
mod conditional;
pub mod differential;
mod iteration;
mod lazy;
mod names;
mod operator;
mod splat;
mod template;
mod walk;

use std::cell::OnceCell;

use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_vm::code::Failure;
use hclvm_vm::{Arena, Exhausted, Record, Value};

use names::Names;
use walk::Walk;

/// One expression of a tree, ready to be evaluated any number of times.
#[derive(Debug)]
pub struct Walker<'t> {
    tree: &'t Tree,
    first: NodeId,
    root: NodeId,
    environment: Environment<'t>,
    /// Problems that do not depend on values, by node; faults refer to them.
    failures: Box<[OnceCell<Failure>]>,
}

/// What an evaluation gave.
#[derive(Debug)]
pub struct Evaluation<'a> {
    /// The value; a partial one when there are faults. Meaningless when a limit was exceeded.
    pub value: Value<'a>,
    /// What went wrong, nodes counted from the first node of the expression.
    pub faults: Vec<Record<'a>>,
    /// The limit that was exceeded, if one was.
    pub exhausted: Option<Exhausted>,
}

impl<'t> Walker<'t> {
    /// The expression `root` of `tree`, whose nodes are `first..=root`.
    pub fn new(tree: &'t Tree, first: NodeId, root: NodeId, environment: Environment<'t>) -> Self {
        let nodes = (root.0 + 1).saturating_sub(first.0) as usize;
        Self { tree, first, root, environment, failures: (0..nodes).map(|_| OnceCell::new()).collect() }
    }

    /// Evaluates with the values of the environment's layout, by slot. Recursion is as deep as
    /// the nesting that the parser allows.
    pub fn run<'a>(&'a self, values: &[Value<'a>], arena: &'a Arena) -> Evaluation<'a> {
        let walk = Walk { walker: self, values, arena, secret: false };
        let (value, faults) = walk.expr(self.root, Names::NONE);
        Evaluation { value, faults, exhausted: arena.budget().exhausted() }
    }
}
