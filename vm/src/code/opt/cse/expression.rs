//! Which expression of the scope an instruction computes, as a number: equal ones have the same.

use smallvec::SmallVec;

use crate::code::fast::{FastOp, FastReg, InlineCache, Symbol};
use crate::code::{Arithmetic, Callee};
use crate::memory::hash::HashMap;

/// The number of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(u32);

impl Id {
    /// Its place in a list of all.
    pub(super) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// What an instruction computes out of what others computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Expression {
    /// The value that a register begins with.
    Slot(u8),
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
}

impl Expression {
    /// What `op` computes, given what registers hold; `None` when it computes nothing, or something
    /// that only it knows. An instruction fused with an attribute computes that.
    pub(super) fn of(
        op: &FastOp,
        held: impl Fn(FastReg) -> Option<Id>,
        is_pure: impl Fn(Callee) -> bool,
    ) -> Option<Self> {
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
            FastOp::Call { f, base, count, .. } if is_pure(*f) => {
                let args = (base.0..).take(usize::from(*count)).map(|arg| held(FastReg(arg)));
                Some(Self::Call(*f, args.collect::<Option<_>>()?))
            }
            op => {
                let (a, _, symbol) = fused_attribute(op)?;
                Some(Self::Attribute(held(a)?, symbol.0))
            }
        }
    }

    /// What `op` goes on to compute out of `value` for its own use: the text of what it appends to a
    /// template, the truth of an equation.
    pub(super) const fn of_tail(op: &FastOp, value: Id) -> Option<Self> {
        match op {
            FastOp::TemplateValue { .. }
            | FastOp::TemplateValueText { .. }
            | FastOp::TemplateAttribute { .. }
            | FastOp::TemplateAttributeText { .. } => Some(Self::Text(value)),
            FastOp::BranchText { k, .. } | FastOp::BranchAttributeText { k, .. } => {
                Some(Self::EqualText(value, k.0))
            }
            _ => None,
        }
    }

    /// About how many machine instructions it saves to read it instead of computing it again: 0 when
    /// it is at hand anyway.
    pub(super) const fn worth(&self) -> usize {
        match self {
            Self::Slot(_) | Self::Constant(_) => 0,
            Self::Arithmetic(..) | Self::ArithmeticInt(..) | Self::Negate(_) => 15,
            Self::EqualText(..) | Self::Text(_) => 15,
            Self::Attribute(..) => 20,
            Self::IndexText(..) | Self::IndexInt(..) | Self::Index(..) => 30,
            Self::Splat(..) | Self::Call(..) => 150,
        }
    }
}

/// What a fused instruction reads an attribute from, and its name.
fn fused_attribute(op: &FastOp) -> Option<(FastReg, &InlineCache, Symbol)> {
    match op {
        FastOp::BranchAttribute { a, cache, symbol, .. }
        | FastOp::BranchAttributeText { a, cache, symbol, .. }
        | FastOp::BranchAttributeInt { a, cache, symbol, .. }
        | FastOp::BranchAttributeNumber { a, cache, symbol, .. }
        | FastOp::TemplateAttribute { a, cache, symbol, .. }
        | FastOp::TemplateAttributeText { a, cache, symbol, .. } => Some((*a, cache, *symbol)),
        _ => None,
    }
}

/// A fused instruction as two: one that reads the attribute into `a`, and one that goes on with
/// that. `None` when it is not fused.
pub(super) fn unfused(op: &FastOp, a: FastReg) -> Option<[FastOp; 2]> {
    let (object, cache, symbol) = fused_attribute(op)?;
    let read = FastOp::Attribute { d: a, a: object, cache: cache.clone(), symbol };
    let rest = match *op {
        FastOp::BranchAttribute { when, to, .. } => FastOp::Branch { a, when, to },
        FastOp::BranchAttributeText { when, to, k, .. } => FastOp::BranchText { a, when, to, k },
        FastOp::BranchAttributeInt { op, to, i, .. } => FastOp::BranchInt { op, a, to, i },
        FastOp::BranchAttributeNumber { op, to, k, .. } => FastOp::BranchNumber { op, a, to, k },
        FastOp::TemplateAttribute { .. } => FastOp::TemplateValue { a },
        FastOp::TemplateAttributeText { k, .. } => FastOp::TemplateValueText { a, k },
        _ => return None,
    };
    Some([read, rest])
}

/// The register that an instruction goes on with in [`Expression::of_tail`], when it is not fused.
pub(super) const fn tail_of(op: &FastOp) -> Option<FastReg> {
    match op {
        FastOp::TemplateValue { a } | FastOp::TemplateValueText { a, .. } | FastOp::BranchText { a, .. } => {
            Some(*a)
        }
        _ => None,
    }
}

/// An instruction, fused or not, as two behind the one that reads the value into `a`: one that
/// computes what [`Expression::of_tail`] says into `d`, and one that goes on with that.
pub(super) fn without_tail(op: &FastOp, d: FastReg, a: FastReg) -> Option<[FastOp; 2]> {
    Some(match *op {
        FastOp::TemplateValue { .. } | FastOp::TemplateAttribute { .. } => {
            [FastOp::Text { d, a }, FastOp::TemplateValue { a: d }]
        }
        FastOp::TemplateValueText { k, .. } | FastOp::TemplateAttributeText { k, .. } => {
            [FastOp::Text { d, a }, FastOp::TemplateValueText { a: d, k }]
        }
        FastOp::BranchText { when, to, k, .. } | FastOp::BranchAttributeText { when, to, k, .. } => {
            [FastOp::EqualText { d, a, k }, FastOp::Branch { a: d, when, to }]
        }
        _ => return None,
    })
}

/// Expressions by number.
#[derive(Default)]
pub(super) struct Expressions {
    known: HashMap<Expression, Id>,
    worths: Vec<usize>,
}

impl Expressions {
    /// The number of an expression.
    pub(super) fn number(&mut self, expression: Expression) -> Id {
        let next = Id(self.worths.len() as u32);
        let worth = expression.worth();
        let id = *self.known.entry(expression).or_insert(next);
        if id == next {
            self.worths.push(worth);
        }
        id
    }

    /// All numbers, each with what it [is worth](Expression::worth) to keep it.
    pub(super) fn worths(&self) -> impl Iterator<Item = (Id, usize)> {
        (0..).map(Id).zip(self.worths.iter().copied())
    }
}
