//! Code of the columnar tier: steps over vectors of rows, without jumps. Each step works on the rows of a mask, which
//! takes the place of the branches of the other tiers:
//!
//! ```text
//! a == "x" || (b > 1 && !c)        m1 = within m0: a == "x"           m0: all rows of the vector
//!                                  m2 = m0 without m1
//!                                  m3 = within m2: b > 1
//!                                  m4 = within m3: c
//!                                  m5 = m3 without m4
//!                                  m6 = m1 or m5
//! ```
//! A mask of truths holds only rows of the mask it was computed within. A row for which a step has no answer is run
//! alone by the scalar tiers, and it does not matter then what the other masks have for it.

mod link;

use smol_str::SmolStr;

use super::{Arithmetic, Comparison, Slot};
use crate::function::TextOperation;
use crate::value::{Constants, Value};
pub use link::link;

/// The code of an expression, or of several that were [linked](link), for vectors of rows.
#[derive(Debug)]
pub struct ColumnCode {
    /// The constants that operands refer to.
    pub constants: Constants,
    /// The variables and attributes that operands refer to, each once.
    pub paths: Box<[ColumnPath]>,
    /// The operands of steps that have any number of them.
    pub lists: Box<[ColumnOperand]>,
    /// The steps in order.
    pub steps: Box<[ColumnStep]>,
    /// The number of masks, the first of which are all rows.
    pub masks: u16,
    /// The number of registers.
    pub registers: u16,
    /// The results, of which an expression has one.
    pub rules: Box<[ColumnRule]>,
}

/// A result.
#[derive(Clone, Debug)]
pub struct ColumnRule {
    /// What it is.
    pub result: ColumnResult,
    /// The steps whose rows without an answer have to be run alone, ascending; `None` for all steps.
    pub noted: Option<Box<[u16]>>,
}

/// A variable, or an attribute of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnPath {
    /// The variable.
    pub slot: Slot,
    /// The names that lead from it to the attribute, in normal form C.
    pub names: Box<[SmolStr]>,
}

/// A set of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaskReg(pub u16);

impl MaskReg {
    /// All rows of the vector.
    pub const ALL: Self = Self(0);
}

/// Values of the rows of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColumnOperand {
    /// Those of a column, or a value that all rows have.
    Path(u16),
    /// A constant.
    Constant(u16),
    /// What a step computed.
    Register(u16),
}

/// The result of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnResult {
    /// True for the rows of a mask, else false.
    Truth(MaskReg),
    /// Values.
    Values(ColumnOperand),
}

/// A step of columnar code. The rows of `within` for which it has no answer are run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the text of a step shows what its operands are")]
pub enum ColumnStep {
    /// `d` = the rows for which an order comparison of numbers holds.
    Compare { d: MaskReg, op: Comparison, a: ColumnOperand, b: ColumnOperand, within: MaskReg },
    /// `d` = the rows for which `a == b` is `when`.
    Equal { d: MaskReg, a: ColumnOperand, b: ColumnOperand, when: bool, within: MaskReg },
    /// `d` = the rows whose text is one of `count` constants.
    Member { d: MaskReg, a: ColumnOperand, first: u16, count: u16, within: MaskReg },
    /// `d` = the rows for whose text a test for a constant part holds.
    Part { d: MaskReg, op: TextOperation, a: ColumnOperand, part: u16, within: MaskReg },
    /// `d` = the rows for which `a`, a bool, is true.
    Truth { d: MaskReg, a: ColumnOperand, within: MaskReg },
    /// `d` = the rows of `a` that are not in `b`.
    Without { d: MaskReg, a: MaskReg, b: MaskReg },
    /// `d` = the rows of `a` that are in `b`.
    And { d: MaskReg, a: MaskReg, b: MaskReg },
    /// `d` = the rows of `a` and those of `b`.
    Or { d: MaskReg, a: MaskReg, b: MaskReg },
    /// `d` = the rows of `within` if `truth`, else none.
    Decided { d: MaskReg, truth: bool, within: MaskReg },
    /// `d` = the rows of `of` that are in `within`. Those of `within` for which the step `noted` has no answer have none
    /// here.
    Within { d: MaskReg, of: MaskReg, noted: u16, within: MaskReg },
    /// The rows of `within` are run alone.
    Alone { within: MaskReg },
    /// `d = a op b`, numbers.
    Arithmetic { d: u16, op: Arithmetic, a: ColumnOperand, b: ColumnOperand, within: MaskReg },
    /// `d = -a`.
    Negate { d: u16, a: ColumnOperand, within: MaskReg },
    /// `d` = the lower or upper case of a text, or its length.
    Text { d: u16, op: TextOperation, a: ColumnOperand, within: MaskReg },
    /// `d` = the texts of `count` operands of [`ColumnCode::lists`]: strings, integers and bools.
    Join { d: u16, first: u16, count: u16, within: MaskReg },
    /// `d` = `yes` in the rows of `condition`, `no` in the others of `within`. If it is `lazy`, both arms are of one
    /// primitive type, and each has values in the rows that take it; else the values of both decide about the type.
    Choose { d: u16, condition: MaskReg, yes: ColumnOperand, no: ColumnOperand, lazy: bool, within: MaskReg },
    /// `d` = true in the rows of `a`, else false.
    Bools { d: u16, a: MaskReg },
}

impl ColumnCode {
    /// Returns the operands of a step.
    pub fn list(&self, first: u16, count: u16) -> &[ColumnOperand] {
        let first = usize::from(first);
        self.lists.get(first..first + usize::from(count)).unwrap_or_default()
    }

    /// Returns a constant, or null if there is none.
    pub fn constant(&self, at: u16) -> Value<'_> {
        self.constants.get(usize::from(at))
    }
}

/// Where a step writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dest {
    /// Rows.
    Mask(MaskReg),
    /// Values.
    Register(u16),
    /// Nowhere: it lists rows that are run alone.
    None,
}

/// A destination that may be changed.
enum DestMut<'s> {
    Mask(&'s mut MaskReg),
    Register(&'s mut u16),
    None,
}

impl ColumnStep {
    /// Returns where it writes.
    pub const fn dest(mut self) -> Dest {
        match self.dest_mut() {
            DestMut::Mask(d) => Dest::Mask(*d),
            DestMut::Register(d) => Dest::Register(*d),
            DestMut::None => Dest::None,
        }
    }

    /// Returns the step with another destination of the kind that it has.
    pub const fn with_dest(mut self, to: u16) -> Self {
        match self.dest_mut() {
            DestMut::Mask(d) => *d = MaskReg(to),
            DestMut::Register(d) => *d = to,
            DestMut::None => {}
        }
        self
    }

    const fn dest_mut(&mut self) -> DestMut<'_> {
        match self {
            Self::Compare { d, .. }
            | Self::Equal { d, .. }
            | Self::Member { d, .. }
            | Self::Part { d, .. }
            | Self::Truth { d, .. }
            | Self::Without { d, .. }
            | Self::And { d, .. }
            | Self::Or { d, .. }
            | Self::Decided { d, .. }
            | Self::Within { d, .. } => DestMut::Mask(d),
            Self::Arithmetic { d, .. }
            | Self::Negate { d, .. }
            | Self::Text { d, .. }
            | Self::Join { d, .. }
            | Self::Choose { d, .. }
            | Self::Bools { d, .. } => DestMut::Register(d),
            Self::Alone { .. } => DestMut::None,
        }
    }

    /// Returns the step with other masks and operands to read, but for the list of a [`ColumnStep::Join`].
    pub fn map(
        mut self,
        mut mask: impl FnMut(MaskReg) -> MaskReg,
        mut operand: impl FnMut(ColumnOperand) -> ColumnOperand,
    ) -> Self {
        match &mut self {
            Self::Compare { a, b, within, .. }
            | Self::Equal { a, b, within, .. }
            | Self::Arithmetic { a, b, within, .. } => {
                (*a, *b, *within) = (operand(*a), operand(*b), mask(*within));
            }
            Self::Member { a, within, .. }
            | Self::Part { a, within, .. }
            | Self::Truth { a, within, .. }
            | Self::Negate { a, within, .. }
            | Self::Text { a, within, .. } => (*a, *within) = (operand(*a), mask(*within)),
            Self::Without { a, b, .. } | Self::And { a, b, .. } | Self::Or { a, b, .. } => {
                (*a, *b) = (mask(*a), mask(*b));
            }
            Self::Decided { within, .. } | Self::Alone { within } | Self::Join { within, .. } => {
                *within = mask(*within);
            }
            Self::Within { of, within, .. } => (*of, *within) = (mask(*of), mask(*within)),
            Self::Choose { condition, yes, no, within, .. } => {
                (*condition, *within) = (mask(*condition), mask(*within));
                (*yes, *no) = (operand(*yes), operand(*no));
            }
            Self::Bools { a, .. } => *a = mask(*a),
        }
        self
    }
}
