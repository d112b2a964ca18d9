//! The conditions of baseline code: what can be true or false in it, and the instructions that show.
//!
//! ```text
//! a && f(b) < 2        a            tested by `Logic`, its operand
//!                      f(b) < 2     the result of `Compare`
//!                      a && …       the result of `Logic`
//! ```
//! An instruction with a bool as its result shows what it was. Anything else that is tested, such as a variable,
//! is reported by the instruction that tests it. Found by one pass over the code, when they are needed; a run that is
//! not observed does not depend on them. [`exec::observe`](crate::exec::observe) records what they were.

use std::ops::Range;

use super::baseline::{Code, Op};
use super::operand::{Connective, Reg};
use crate::fault::Place;
use crate::function::Returns;
use crate::memory::cast;
use crate::types::Type;

/// A kind of condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConditionKind {
    /// `a && b`
    And,
    /// `a || b`
    Or,
    /// `!a`
    Not,
    /// A comparison: `==`, `!=`, `<`, `<=`, `>`, `>=`.
    Comparison,
    /// `c ? a : b`, where a bool is needed.
    Conditional,
    /// A value that is the same in every evaluation.
    Constant,
    /// Any other value: a variable, a call.
    Value,
}

/// How a condition is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConditionUse {
    /// It is the whole expression.
    Result,
    /// An operand of `&&`, `||` or `!`.
    Operand,
    /// What `?:` chooses by.
    Predicate,
    /// One of the values that `?:` chooses between, where a bool is needed.
    Arm,
    /// The `if` clause of a for expression.
    Clause,
    /// A part of a value that is no condition itself, such as an attribute of an object.
    Part,
}

/// A condition of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// A node of the tree, counted from the first node of the expression.
    pub node: u32,
    /// The part of the node that is the condition.
    pub place: Place,
    /// Its kind.
    pub kind: ConditionKind,
    /// How it is used.
    pub usage: ConditionUse,
}

/// The conditions of the code of an expression, in the order in which a run shows them. The order depends on the
/// text and the dialect alone.
#[derive(Debug)]
pub struct Conditions {
    list: Vec<Condition>,
    /// The instruction that shows each condition; ascending.
    told_at: Vec<u32>,
    /// The conditions that each instruction shows.
    told_by: Vec<ShownConditions>,
}

/// The conditions that an instruction shows, by number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ShownConditions {
    /// Its operands: left and right; arms and predicate of a conditional; else the only one.
    pub(crate) operands: [Option<u32>; 3],
    /// Its result.
    pub(crate) result: Option<u32>,
}

/// An operand that is tested: the register, the part of the node, the use, and the instruction that computed it.
#[derive(Clone, Copy)]
struct TestedOperand {
    place: Place,
    usage: ConditionUse,
    made_by: Option<usize>,
}

impl Conditions {
    /// Finds the conditions of code.
    pub fn of(code: &Code) -> Self {
        let tested = tested(code);
        let usage = usages(code, &tested);
        let mut found = Self { list: Vec::new(), told_at: Vec::new(), told_by: Vec::new() };
        // The clauses of the loops, by node.
        let mut clauses: Vec<(u32, Option<u32>)> = Vec::new();
        for (at, op) in code.ops.iter().enumerate() {
            let node = code.origins[at].node;
            let mut told = ShownConditions::default();
            for (number, tested) in tested[at].iter().enumerate() {
                let Some(tested) = tested else { continue };
                let own = tested.made_by.filter(|made_by| result_kind(code, *made_by).is_some());
                let id = match own {
                    Some(made_by) => found.told_by[made_by].result,
                    None => value_kind(code, *tested).map(|kind| {
                        let TestedOperand { place, usage, .. } = *tested;
                        found.add(at, Condition { node, place, kind, usage })
                    }),
                };
                if own.is_none() {
                    told.operands[number] = id;
                }
                if let Op::ForTested { .. } = op {
                    clauses.push((node, id));
                }
            }
            match (op, result_kind(code, at), usage[at]) {
                (Op::ForSame { .. }, ..) => {
                    let of_loop = clauses.iter().rfind(|(known, _)| *known == node);
                    told.operands[0] = of_loop.and_then(|(_, clause)| *clause);
                }
                (_, Some(kind), Some(usage)) => {
                    let condition = Condition { node, place: Place::Node, kind, usage };
                    told.result = Some(found.add(at, condition));
                }
                _ => {}
            }
            found.told_by.push(told);
        }
        found
    }

    fn add(&mut self, at: usize, condition: Condition) -> u32 {
        self.list.push(condition);
        self.told_at.push(cast::length(at));
        cast::length(self.list.len() - 1)
    }

    /// Iterates over the conditions.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Condition> + '_ {
        self.list.iter().copied()
    }

    /// Returns the number of conditions.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the conditions that an instruction shows.
    pub(crate) fn told_by(&self, at: usize) -> ShownConditions {
        self.told_by.get(at).copied().unwrap_or_default()
    }

    /// Returns the numbers of the conditions that instructions show.
    pub(crate) fn told_in(&self, instructions: Range<usize>) -> Range<usize> {
        let before = |limit: usize| self.told_at.partition_point(|at| cast::index(*at) < limit);
        let start = before(instructions.start);
        start..before(instructions.end).max(start)
    }
}

/// Returns the operands that each instruction tests.
fn tested(code: &Code) -> Vec<[Option<TestedOperand>; 3]> {
    // The last `Log` into each register: an operand ends where the faults of the next one begin.
    let mut logs = vec![0; usize::from(code.registers)];
    let mut all = Vec::with_capacity(code.ops.len());
    for (at, op) in code.ops.iter().enumerate() {
        let before_log = |reg: Reg| logs.get(usize::from(reg.0)).copied().unwrap_or(0);
        let one = |reg: Reg, before: usize, place: Place, usage: ConditionUse| {
            let made_by = before.checked_sub(1).filter(|made_by| writes(code.ops[*made_by], reg));
            Some(TestedOperand { place, usage, made_by })
        };
        all.push(match *op {
            Op::Log { d } => {
                if let Some(log) = logs.get_mut(usize::from(d.0)) {
                    *log = at;
                }
                [None; 3]
            }
            Op::Logic { a, b, right, .. } => {
                let operand = ConditionUse::Operand;
                let right = before_log(right);
                [one(a, right, Place::Left, operand), one(b, at, Place::Right, operand), None]
            }
            Op::Not { a, .. } => [one(a, at, Place::Operand, ConditionUse::Operand), None, None],
            Op::Conditional { c, a, b, no, test, .. } => [
                one(a, before_log(no), Place::Yes, ConditionUse::Arm),
                one(b, before_log(test), Place::No, ConditionUse::Arm),
                one(c, at, Place::Condition, ConditionUse::Predicate),
            ],
            Op::ForTested { a, .. } => [one(a, at, Place::Condition, ConditionUse::Clause), None, None],
            Op::Return { a } => [one(a, at, Place::Node, ConditionUse::Result), None, None],
            _ => [None; 3],
        });
    }
    drop_other_arms(code, &mut all);
    all
}

/// Drops the arms of conditionals that are neither tested nor a result that may be a bool.
fn drop_other_arms(code: &Code, all: &mut [[Option<TestedOperand>; 3]]) {
    let mut tested_by: Vec<Option<usize>> = vec![None; code.ops.len()];
    for (at, tested) in all.iter().enumerate() {
        for made_by in tested.iter().flatten().filter_map(|tested| tested.made_by) {
            tested_by[made_by] = Some(at);
        }
    }
    // Backwards: what tests a conditional comes after it.
    for at in (0..code.ops.len()).rev() {
        if !matches!(code.ops[at], Op::Conditional { .. }) {
            continue;
        }
        let is_bool = tested_by[at].is_some_and(|by| match code.ops[by] {
            Op::Return { .. } => may_be_bool(code, all, at),
            _ => true,
        });
        if !is_bool {
            for arm in &mut all[at][..2] {
                if let Some(made_by) = arm.take().and_then(|arm| arm.made_by) {
                    tested_by[made_by] = None;
                }
            }
        }
    }
}

fn writes(op: Op, reg: Reg) -> bool {
    let mut written = false;
    op.operands(|_, operand| written |= operand == super::role::Operand::Out(reg));
    written
}

/// Returns true if the result of an instruction may be a bool: nothing in its kind excludes that. Conditionals are
/// followed along their arms.
fn may_be_bool(code: &Code, tested: &[[Option<TestedOperand>; 3]], at: usize) -> bool {
    let mut open = vec![at];
    while let Some(at) = open.pop() {
        match code.ops[at] {
            Op::Conditional { .. } => {
                open.extend(tested[at][..2].iter().flatten().filter_map(|arm| arm.made_by));
            }
            op if is_no_bool(code, op) => return false,
            _ => {}
        }
    }
    true
}

/// Returns true if the result of an instruction is never a bool.
fn is_no_bool(code: &Code, op: Op) -> bool {
    match op {
        Op::Constant { k, .. } => {
            let constant = code.constants.get(k.0 as usize);
            constant.as_bool().is_none() && !constant.is_null()
        }
        Op::Arithmetic { .. }
        | Op::Negate { .. }
        | Op::Tuple { .. }
        | Op::Object { .. }
        | Op::ObjectEnd { .. }
        | Op::TemplateEnd { .. }
        | Op::Join { .. }
        | Op::ForEnd { .. }
        | Op::SplatEnd { .. }
        | Op::Fail { .. }
        | Op::Arity { .. } => true,
        Op::Call { f, .. } | Op::CallExpanded { f, .. } => {
            returns(code, f).is_some_and(|ty| !matches!(ty, Type::Bool | Type::Dynamic))
        }
        _ => false,
    }
}

fn returns(code: &Code, f: super::operand::Callee) -> Option<Type<'static>> {
    match code.functions.get(usize::from(f.0))?.returns {
        Returns::Always(ty) => Some(ty),
        Returns::Computed(_) => None,
    }
}

/// Returns the use of the result of each instruction that has a bool as its result; of conditionals only if they are
/// conditions.
fn usages(code: &Code, tested: &[[Option<TestedOperand>; 3]]) -> Vec<Option<ConditionUse>> {
    let mut usages: Vec<Option<ConditionUse>> = code
        .ops
        .iter()
        .map(|op| match op {
            Op::Compare { .. } | Op::Equal { .. } | Op::Logic { .. } | Op::Not { .. } => {
                Some(ConditionUse::Part)
            }
            _ => None,
        })
        .collect();
    for (at, of_op) in tested.iter().enumerate() {
        for one in of_op.iter().flatten() {
            if let Some(made_by) = one.made_by {
                let is_plain_result = matches!(code.ops[at], Op::Return { .. })
                    && matches!(code.ops[made_by], Op::Conditional { .. })
                    && tested[made_by][0].is_none();
                usages[made_by] = (!is_plain_result).then_some(one.usage);
            }
        }
    }
    usages
}

/// Returns the kind of the condition that the result of an instruction is, if it shows that itself.
fn result_kind(code: &Code, at: usize) -> Option<ConditionKind> {
    match code.ops[at] {
        Op::Compare { .. } | Op::Equal { .. } => Some(ConditionKind::Comparison),
        Op::Logic { op: Connective::And | Connective::StrictAnd, .. } => Some(ConditionKind::And),
        Op::Logic { op: Connective::Or | Connective::StrictOr, .. } => Some(ConditionKind::Or),
        Op::Not { .. } => Some(ConditionKind::Not),
        Op::Conditional { .. } => Some(ConditionKind::Conditional),
        _ => None,
    }
}

/// Returns the kind of a condition that the instruction which tests it shows; `None` for the result of an expression
/// that cannot be a bool.
fn value_kind(code: &Code, tested: TestedOperand) -> Option<ConditionKind> {
    let Some(made_by) = tested.made_by else { return Some(ConditionKind::Value) };
    let op = code.ops[made_by];
    if tested.usage == ConditionUse::Result && is_no_bool(code, op) {
        return None;
    }
    let is_constant = matches!(op, Op::Constant { .. });
    Some(if is_constant { ConditionKind::Constant } else { ConditionKind::Value })
}
