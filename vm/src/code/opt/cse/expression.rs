//! Value numbering: the expression that an instruction computes from the scope, as a number. Equal
//! expressions have equal numbers.

use smallvec::SmallVec;

use super::Stream;
use crate::code::facts::Effect;
use crate::code::fast::{FastOp, FastReg, Term};
use crate::code::{Arithmetic, Choice, Operand};
use crate::memory::cast::length;
use crate::memory::hash::HashMap;

/// The number of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(u32);

impl Id {
    /// Returns the number of the initial value of a register that is a slot.
    pub(super) const fn of_slot(register: u8) -> Self {
        Self(register as u32)
    }

    /// Returns its index in a list of all expressions.
    pub(super) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// The row of a pure instruction with its operands, except for the register of the result and inline caches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Expression {
    row: u8,
    operands: SmallVec<[OperandKey; 4]>,
}

/// An operand of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum OperandKey {
    /// The expression in a register.
    Value(Id),
    /// A number of any role. The row and the position determine its meaning.
    Number(u32),
    Choice(Choice),
    Terms(Box<[TermKey]>),
}

/// A term of a computation in postfix order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum TermKey {
    Value(Id),
    Constant(u32),
    Apply(Arithmetic),
}

impl TermKey {
    /// Returns a term with the expression in its register.
    fn of(term: &Term, held: impl Fn(FastReg) -> Option<Id>) -> Option<Self> {
        match term {
            Term::Register(reg) => held(*reg).map(Self::Value),
            Term::Constant(_, k) => k.map(|k| Self::Constant(k.0)),
            Term::Apply(operator) => Some(Self::Apply(*operator)),
        }
    }
}

impl Expression {
    /// Returns the expression that `op` computes from the expressions in registers; `None` if it computes
    /// none, or one that depends on more than its operands.
    fn of(op: &FastOp, held: impl Fn(FastReg) -> Option<Id>, stream: &Stream<'_>) -> Option<Self> {
        let mut operands = SmallVec::new();
        let mut is_known = true;
        let mut add = |key: Option<OperandKey>| match key {
            Some(key) => operands.push(key),
            None => is_known = false,
        };
        op.operands(|_, operand| match operand {
            Operand::In(reg) => add(held(reg).map(OperandKey::Value)),
            Operand::Constant(k) => add(Some(OperandKey::Number(k.0))),
            Operand::Name(symbol) => add(Some(OperandKey::Number(symbol.0))),
            Operand::Number(number) => add(Some(OperandKey::Number(number.0.cast_unsigned()))),
            Operand::Count(count) => add(Some(OperandKey::Number(count))),
            Operand::Choice(choice) => add(Some(OperandKey::Choice(choice))),
            Operand::Function(f) => add(stream.is_pure(f).then_some(OperandKey::Number(f.0.into()))),
            Operand::Intervals(id) => add(stream.intervals.get(usize::from(id.0)).and_then(|terms| {
                terms
                    .iter()
                    .map(|term| TermKey::of(term, &held))
                    .collect::<Option<_>>()
                    .map(OperandKey::Terms)
            })),
            Operand::Out(_) | Operand::Cache(_) | Operand::Window(_) => {}
            _ => add(None),
        });
        if let Some((FastReg(base), count)) = op.window(stream.shapes) {
            (base..=u8::MAX).take(count).for_each(|reg| add(held(FastReg(reg)).map(OperandKey::Value)));
        }
        is_known.then_some(Self { row: op.row(), operands })
    }
}

/// Expressions by number. The first numbers are those of slots.
pub(super) struct Expressions {
    known: HashMap<Expression, Id>,
    worths: Vec<usize>,
}

impl Expressions {
    /// Numbers the initial values of `slots` registers. Reading them saves nothing.
    pub(super) fn of_slots(slots: usize) -> Self {
        Self { known: HashMap::default(), worths: vec![0; slots] }
    }

    /// Numbers the value that `op` computes from the expressions in registers; `None` if it is not pure.
    pub(super) fn computed(
        &mut self,
        op: &FastOp,
        held: impl Fn(FastReg) -> Option<Id>,
        stream: &Stream<'_>,
    ) -> Option<Id> {
        let Effect::Pure(worth) = op.facts().effect else { return None };
        let expression = Expression::of(op, held, stream)?;
        let next = Id(length(self.worths.len()));
        let id = *self.known.entry(expression).or_insert(next);
        if id == next {
            self.worths.push(worth.into());
        }
        Some(id)
    }

    /// Returns all numbers, each with the approximate number of machine instructions that reading its value saves over
    /// computing it again.
    pub(super) fn worths(&self) -> impl Iterator<Item = (Id, usize)> {
        (0..).map(Id).zip(self.worths.iter().copied())
    }
}
