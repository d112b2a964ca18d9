//! Necessary tests: comparisons of variables with constants, of which one holds whenever a condition is true.
//!
//! ```text
//! user.role == "admin" && request.size > 100 && f(x) == 1     user.role is "admin"
//!                                                             request.size is above 100
//! a.b == 1 || startswith(c, "x")                              a.b is 1, or c begins with "x"
//! ```
//! Each line on the right is a [`Clause`]. A clause whose tests all fail makes the condition false without evaluating
//! the rest of it. For this the rest must not change the result: `&&` converts both operands, and an operand that
//! cannot be converted to a bool is an error even if the other one is false. What only the values show about the rest
//! is a [`Guard`].

mod beside;
mod literals;
mod shape;

use std::cell::Cell;

use hclvm_vm::code::Comparison;
use hclvm_vm::{FunctionTable, Number, number};

use super::Traversal;
use crate::tree::{BinaryKind, Node, NodeId, Tree, UnaryOp};

use beside::ChainRequirements;
pub use literals::Constant;
use shape::{bare, operands};

/// The most clauses of a condition that are listed, and the most tests of a clause. A condition that has more is
/// found by the first ones as well.
const MOST_CLAUSES: usize = 16;
const MOST_TESTS: usize = 256;

/// Tests of which one holds if the condition is true.
#[derive(Clone, Debug)]
pub struct Clause<'t> {
    /// The tests.
    pub tests: Vec<Test<'t>>,
    /// What must be true of other values, so that the condition is false if no test holds.
    pub guards: Vec<Guard<'t>>,
}

/// A comparison of a part of a variable with constants.
#[derive(Clone, Debug)]
pub struct Test<'t> {
    /// The part.
    pub path: Traversal<'t>,
    /// What is tested.
    pub holds: Holds<'t>,
}

/// When a test holds.
#[derive(Clone, Debug)]
pub enum Holds<'t> {
    /// The value equals a constant. Fails for primitives of other types, and is undecided for null.
    Equals(Constant<'t>),
    /// The text begins with this one. Undecided unless the value is a text.
    Begins(&'t str),
    /// The number is within bounds, which may belong to the range or not. Undecided unless the value is a number.
    Between(Option<Number>, Option<Number>),
}

/// A part of a variable that must have a known unmarked value of a kind.
#[derive(Clone, Debug)]
pub struct Guard<'t> {
    /// The part.
    pub path: Traversal<'t>,
    /// The kind.
    pub kind: GuardKind,
}

/// The values that a [`Guard`] admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GuardKind {
    /// `true` and `false`.
    Bool,
    /// Numbers.
    Number,
    /// Bools, numbers and texts.
    Primitive,
}

/// Why a condition has no necessary tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It compares no part of a variable with a constant.
    NoTest,
    /// It is an alternative of `||` that compares no part of a variable with a constant.
    Alternative(NodeId),
    /// It is an operand of `&&` that may be no bool, which is an error in every case.
    NotBool(NodeId),
    /// It is an operand of `&&` that may fail, and the dialect reports the errors of both operands.
    MayFail(NodeId),
}

/// What the meaning of a condition depends on.
#[derive(Clone, Copy, Debug)]
pub struct Meaning<'m> {
    /// The functions; `None` where none may be called.
    pub functions: Option<&'m FunctionTable>,
    /// True if one operand of `&&` and `||` may decide alone.
    pub short_circuit: bool,
}

/// Returns the clauses of a condition.
///
/// # Errors
/// The first reason why there is none.
pub fn necessary_tests<'t>(
    tree: &'t Tree,
    root: NodeId,
    meaning: Meaning<'_>,
) -> Result<Vec<Clause<'t>>, Obstacle> {
    let search = ClauseSearch { tree, meaning, obstacle: Cell::new(None) };
    let clauses = search.clauses(root);
    if clauses.is_empty() { Err(search.obstacle.get().unwrap_or(Obstacle::NoTest)) } else { Ok(clauses) }
}

/// A search for clauses. It recurses into operands, whose nesting the parser limits; chains of one operator are
/// walked with loops.
struct ClauseSearch<'t, 'm> {
    tree: &'t Tree,
    meaning: Meaning<'m>,
    /// The first reason why a part has no clauses.
    obstacle: Cell<Option<Obstacle>>,
}

impl<'t> ClauseSearch<'t, '_> {
    fn clauses(&self, id: NodeId) -> Vec<Clause<'t>> {
        let id = bare(self.tree, id);
        match self.tree.node(id) {
            Node::Binary { op, lhs, rhs } => match op.kind() {
                BinaryKind::Logical { deciding: false } => self.all_of(&operands(self.tree, id, op)),
                BinaryKind::Logical { deciding: true } => self.any_of(&operands(self.tree, id, op)),
                BinaryKind::Equality { when: true } => self.equality(lhs, rhs).into_iter().collect(),
                BinaryKind::Comparison(op) => self.comparison(op, lhs, rhs).into_iter().collect(),
                BinaryKind::Equality { when: false } | BinaryKind::Arithmetic(_) => Vec::new(),
            },
            Node::Call(_) => self.call(id).into_iter().collect(),
            Node::Traversal { .. } => self.truth(id, true).into_iter().collect(),
            Node::Unary { op: UnaryOp::Not, operand } => self.truth(operand, false).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the clauses of `a && b && c`, which is `(a && b) && c`: those of its operands.
    fn all_of(&self, operands: &[NodeId]) -> Vec<Clause<'t>> {
        let beside = ChainRequirements::new(self, operands);
        let mut found: Vec<Clause<'t>> = Vec::new();
        for (at, operand) in operands.iter().enumerate().take(MOST_TESTS) {
            let own = self.clauses(*operand);
            if own.is_empty() {
                continue;
            }
            let Some(guards) = beside.guards(self, at) else { continue };
            for mut clause in own {
                clause.guards.extend(guards.iter().cloned());
                match found.iter_mut().find_map(|known| known.narrowed(&clause)) {
                    Some(()) => {}
                    None if found.len() < MOST_CLAUSES => found.push(clause),
                    None => return found,
                }
            }
        }
        found
    }

    /// Returns clauses of `a || b || c`: each has the tests of one clause of every operand, if possible about the
    /// same paths.
    fn any_of(&self, operands: &[NodeId]) -> Vec<Clause<'t>> {
        let mut choices = Vec::with_capacity(operands.len());
        for operand in operands {
            let own = self.clauses(*operand);
            if own.is_empty() {
                self.note(Obstacle::Alternative(*operand));
                return Vec::new();
            }
            choices.push(own);
        }
        let Some((first, others)) = choices.split_first() else { return Vec::new() };
        let alike = first.iter().filter_map(|one| {
            let others = others.iter().map(|own| own.iter().find(|other| other.is_about_paths_of(one)));
            let others: Vec<&Clause<'t>> = others.collect::<Option<_>>()?;
            Clause::of_all(std::iter::once(one).chain(others))
        });
        let mut found: Vec<Clause<'t>> = alike.collect();
        if found.is_empty() {
            let best = choices.iter().filter_map(|own| own.iter().min_by_key(|clause| clause.rank()));
            found.extend(Clause::of_all(best));
        }
        found
    }

    /// Returns the test of a path for being `wanted`, and a bool at all.
    fn truth(&self, id: NodeId, wanted: bool) -> Option<Clause<'t>> {
        let path = self.path(id)?;
        let guards = vec![Guard { path, kind: GuardKind::Bool }];
        Some(Clause { guards, ..Clause::of(Test { path, holds: Holds::Equals(Constant::Bool(wanted)) }) })
    }

    fn equality(&self, lhs: NodeId, rhs: NodeId) -> Option<Clause<'t>> {
        let (path, constant, _) = self.path_and_constant(lhs, rhs)?;
        Some(Clause::of(Test { path, holds: Holds::Equals(constant) }))
    }

    fn comparison(&self, op: Comparison, lhs: NodeId, rhs: NodeId) -> Option<Clause<'t>> {
        let (path, Constant::Number(bound), is_mirrored) = self.path_and_constant(lhs, rhs)? else {
            return None;
        };
        let holds = match if is_mirrored { op.mirrored() } else { op } {
            Comparison::Less | Comparison::LessOrEqual => Holds::Between(None, Some(bound)),
            Comparison::Greater | Comparison::GreaterOrEqual => Holds::Between(Some(bound), None),
        };
        Some(Clause::of(Test { path, holds }))
    }

    /// Returns the operand that is a path, the other one if it is a constant, and true if the constant is the left one.
    fn path_and_constant(&self, lhs: NodeId, rhs: NodeId) -> Option<(Traversal<'t>, Constant<'t>, bool)> {
        match (self.path(lhs), self.path(rhs)) {
            (Some(path), None) => Some((path, self.constant(rhs)?, false)),
            (None, Some(path)) => Some((path, self.constant(lhs)?, true)),
            _ => None,
        }
    }

    /// Returns the test of `contains([constants], path)` or `startswith(path, "constant")`.
    fn call(&self, id: NodeId) -> Option<Clause<'t>> {
        let Node::Call(call) = self.tree.node(id) else { return None };
        let call = self.tree.call(call);
        let function = self.meaning.functions?.get(&call.name).filter(|_| !call.expand)?;
        let [first, second] = *self.tree.list(call.args) else { return None };
        if function.searches() {
            let Node::Tuple(items) = self.tree.node(bare(self.tree, first)) else { return None };
            let (items, path) = (self.tree.list(items), self.path(second)?);
            let test = |item: &NodeId| Some(Test { path, holds: Holds::Equals(self.constant(*item)?) });
            let tests: Vec<Test<'t>> = items.iter().map(test).collect::<Option<_>>()?;
            // A search in nothing has no test, but fails if there is no value.
            let count = 1..=MOST_TESTS;
            return count.contains(&tests.len()).then_some(Clause { tests, guards: Vec::new() });
        }
        let path = self.path(first).filter(|_| function.begins())?;
        match self.constant(second)? {
            Constant::Text(prefix) if !prefix.is_empty() => {
                Some(Clause::of(Test { path, holds: Holds::Begins(prefix) }))
            }
            _ => None,
        }
    }

    /// Returns the node as a path of names.
    fn path(&self, id: NodeId) -> Option<Traversal<'t>> {
        let path = Traversal::of_variable(self.tree, bare(self.tree, id))?;
        path.steps().all(|(key, _)| shape::name_of(key).is_some()).then_some(path)
    }

    fn constant(&self, id: NodeId) -> Option<Constant<'t>> {
        literals::constant(self.tree, bare(self.tree, id))
    }

    fn note(&self, obstacle: Obstacle) {
        self.obstacle.set(self.obstacle.get().or(Some(obstacle)));
    }
}

impl<'t> Clause<'t> {
    fn of(test: Test<'t>) -> Self {
        Self { tests: vec![test], guards: Vec::new() }
    }

    /// Returns the clause of alternatives; `None` if it would have too many tests.
    fn of_all<'c>(clauses: impl Iterator<Item = &'c Self>) -> Option<Self>
    where
        't: 'c,
    {
        let mut all = Self { tests: Vec::new(), guards: Vec::new() };
        for clause in clauses {
            all.tests.extend(clause.tests.iter().cloned());
            all.guards.extend(clause.guards.iter().cloned());
            if all.tests.len() > MOST_TESTS {
                return None;
            }
        }
        Some(all)
    }

    /// Returns true if both clauses test the same paths.
    fn is_about_paths_of(&self, other: &Self) -> bool {
        let covers = |one: &Self, other: &Self| {
            one.tests.iter().all(|test| other.tests.iter().any(|other| shape::is_same(test.path, other.path)))
        };
        covers(self, other) && covers(other, self)
    }

    /// Orders clauses by how few values probably pass.
    fn rank(&self) -> u8 {
        let rank = |test: &Test<'_>| match test.holds {
            Holds::Equals(Constant::Text(_) | Constant::Number(_)) => 0,
            Holds::Begins(_) | Holds::Between(Some(_), Some(_)) => 1,
            Holds::Between(..) | Holds::Equals(Constant::Bool(_)) => 2,
        };
        self.tests.iter().map(rank).max().unwrap_or_default()
    }

    /// Narrows this clause to what `other` admits as well, if both are ranges of one path.
    fn narrowed(&mut self, other: &Self) -> Option<()> {
        let ([own], [test]) = (&mut *self.tests, &*other.tests) else { return None };
        let (Holds::Between(low, high), Holds::Between(other_low, other_high)) =
            (&mut own.holds, &test.holds)
        else {
            return None;
        };
        if !shape::is_same(own.path, test.path) {
            return None;
        }
        tighten(low, other_low.as_ref(), std::cmp::Ordering::Less);
        tighten(high, other_high.as_ref(), std::cmp::Ordering::Greater);
        self.guards.extend(other.guards.iter().cloned());
        Some(())
    }
}

/// Replaces a bound by another one that excludes more: one from which `bound` differs in the direction `looser`.
fn tighten(bound: &mut Option<Number>, other: Option<&Number>, looser: std::cmp::Ordering) {
    let Some(other) = other else { return };
    let keeps = bound.as_ref().is_some_and(|bound| number::compare(bound.borrow(), other.borrow()) != looser);
    if !keeps {
        *bound = Some(other.clone());
    }
}
