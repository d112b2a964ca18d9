//! Value numbering: the expression that an instruction computes from the scope, as a number. Equal
//! expressions have equal numbers. A superinstruction is numbered as its parts, which the instruction
//! table describes.

use smallvec::SmallVec;

use super::Stream;
use crate::code::fast::{FastOp, FastReg, Term};
use crate::code::{Arithmetic, Callee, Rounding};
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

/// An operation on values that have numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Expression {
    Constant(u32),
    Attribute(Id, u32),
    IndexText(Id, u32),
    IndexInt(Id, i32),
    Index(Id, Id),
    Arithmetic(Arithmetic, Id, Id),
    ArithmeticInt(Arithmetic, Id, i32),
    Negate(Id),
    Splat(Id, u32),
    Call(Callee, SmallVec<[Id; 4]>),
    Text(Id),
    EqualText(Id, u32),
    Round(Rounding, Box<[Part]>),
}

/// A term of a computation in postfix order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Value(Id),
    Constant(u32),
    Apply(Arithmetic),
}

impl Part {
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
    /// none, or one that depends on more than its operands. [`Expressions::computed`] handles
    /// superinstructions.
    fn of(op: &FastOp, held: impl Fn(FastReg) -> Option<Id>, stream: &Stream<'_>) -> Option<Self> {
        let binary =
            |operator, a: &FastReg, b: &FastReg| Some(Self::Arithmetic(operator, held(*a)?, held(*b)?));
        let immediate = |operator, a: &FastReg, i: i32| Some(Self::ArithmeticInt(operator, held(*a)?, i));
        match op {
            FastOp::Constant { k, .. } => Some(Self::Constant(k.0)),
            FastOp::Attribute { a, symbol, .. } => Some(Self::Attribute(held(*a)?, symbol.0)),
            FastOp::IndexText { a, k, .. } => Some(Self::IndexText(held(*a)?, k.0)),
            FastOp::IndexInt { a, i, .. } => Some(Self::IndexInt(held(*a)?, i.0)),
            FastOp::Index { a, b, .. } => Some(Self::Index(held(*a)?, held(*b)?)),
            FastOp::Add { a, b, .. } => binary(Arithmetic::Add, a, b),
            FastOp::Subtract { a, b, .. } => binary(Arithmetic::Subtract, a, b),
            FastOp::Multiply { a, b, .. } => binary(Arithmetic::Multiply, a, b),
            FastOp::Divide { a, b, .. } => binary(Arithmetic::Divide, a, b),
            FastOp::Modulo { a, b, .. } => binary(Arithmetic::Modulo, a, b),
            FastOp::AddInt { a, i, .. } => immediate(Arithmetic::Add, a, i.0),
            FastOp::MultiplyInt { a, i, .. } => immediate(Arithmetic::Multiply, a, i.0),
            FastOp::DivideInt { a, i, .. } => immediate(Arithmetic::Divide, a, i.0),
            FastOp::Shift { a, bits, .. } => immediate(Arithmetic::Divide, a, 1 << (bits & 31)),
            FastOp::ModuloInt { a, i, .. } => immediate(Arithmetic::Modulo, a, i.0),
            FastOp::Negate { a, .. } => Some(Self::Negate(held(*a)?)),
            FastOp::Splat { a, symbol, .. } => Some(Self::Splat(held(*a)?, symbol.0)),
            FastOp::Call { f, base, count, .. } if stream.is_pure(*f) => {
                let args = (base.0..).take(usize::from(*count)).map(|arg| held(FastReg(arg)));
                Some(Self::Call(*f, args.collect::<Option<_>>()?))
            }
            FastOp::Text { a, .. } => Some(Self::Text(held(*a)?)),
            FastOp::EqualText { a, k, .. } => Some(Self::EqualText(held(*a)?, k.0)),
            FastOp::Round { rounding, intervals, .. } => {
                let terms = stream.intervals.get(usize::from(intervals.0))?;
                let parts = terms.iter().map(|term| Part::of(term, &held)).collect::<Option<_>>()?;
                Some(Self::Round(*rounding, parts))
            }
            _ => None,
        }
    }

    /// Returns the approximate number of machine instructions that reading it saves over computing it again;
    /// 0 if reading saves nothing.
    pub(super) const fn worth(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::Arithmetic(..) | Self::ArithmeticInt(..) | Self::Negate(_) => 15,
            Self::EqualText(..) | Self::Text(_) => 15,
            Self::Attribute(..) => 20,
            Self::IndexText(..) | Self::IndexInt(..) | Self::Index(..) => 30,
            Self::Splat(..) | Self::Call(..) | Self::Round(..) => 150,
        }
    }
}

/// Splits a superinstruction into two parts: the one that computes `value`, and the one that uses it.
pub(super) fn split(op: &FastOp, value: FastReg) -> Option<[FastOp; 2]> {
    if !op.has_parts() {
        return None;
    }
    let mut parts = op.parts([value; 2]).into_iter();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(first), Some(rest), None) => Some([first, rest]),
        _ => None,
    }
}

/// Returns a register that an instruction does not name.
fn unnamed(op: &FastOp) -> FastReg {
    let is_named = |reg: &FastReg| {
        let mut named = false;
        op.operands(|_, operand| named |= operand.register() == Some(*reg));
        named
    };
    (0..=u8::MAX).map(FastReg).find(|reg| !is_named(reg)).unwrap_or(FastReg(0))
}

/// The values that an instruction computes.
#[derive(Clone, Copy, Default)]
pub(super) struct Computed {
    /// Its result. For a superinstruction, the result of its first part, unless that part only converts a
    /// value.
    pub(super) value: Option<Id>,
    /// The converted form in which a superinstruction uses that value or a register: the text that it
    /// appends to a template, or the truth of an equation.
    pub(super) tail: Option<Id>,
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

    /// Returns the number of an expression.
    pub(super) fn number(&mut self, expression: Expression) -> Id {
        let next = Id(length(self.worths.len()));
        let worth = expression.worth();
        let id = *self.known.entry(expression).or_insert(next);
        if id == next {
            self.worths.push(worth);
        }
        id
    }

    /// Numbers the values that `op` computes from the expressions in registers.
    pub(super) fn computed(
        &mut self,
        op: &FastOp,
        held: impl Fn(FastReg) -> Option<Id>,
        stream: &Stream<'_>,
    ) -> Computed {
        if let Some(result) = Expression::of(op, &held, stream) {
            return Computed { value: Some(self.number(result)), tail: None };
        }
        if !op.has_parts() {
            return Computed::default();
        }
        let between = unnamed(op);
        let Some([first, rest]) = split(op, between) else { return Computed::default() };
        let value = Expression::of(&first, &held, stream).map(|value| self.number(value));
        if matches!(first, FastOp::Text { .. } | FastOp::EqualText { .. }) {
            return Computed { value: None, tail: value };
        }
        let held = |reg| if reg == between { value } else { held(reg) };
        let tail = split(&rest, unnamed(&rest)).and_then(|[first, _]| Expression::of(&first, held, stream));
        Computed { value, tail: tail.map(|tail| self.number(tail)) }
    }

    /// Returns all numbers, each with the [saving](Expression::worth) of keeping its value.
    pub(super) fn worths(&self) -> impl Iterator<Item = (Id, usize)> {
        (0..).map(Id).zip(self.worths.iter().copied())
    }
}
