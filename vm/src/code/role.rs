//! Operand roles: what an instruction does with each of its operands.
//!
//! The instruction tables state the role of every operand, and everything that reads code without
//! executing it (linking, common subexpression elimination, the verifier, the listing) asks for roles.
//! An operand's name serves readers only. The types of operands are in [`operand`](super::operand).

use std::fmt;

use super::operand::{
    Arithmetic, Build, Callee, Comparison, Connective, Const, Count, FailureId, Immediate, InlineCache,
    IntervalId, Position, Rounding, ShapeId, Slot, SwitchId, Symbol,
};

/// Declares the roles: the word that the tables use, and what it means.
macro_rules! roles {
    ($( $(#[doc = $text:literal])+ $word:ident => $role:ident )+) => {
        /// What an instruction does with an operand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role {
            $( $(#[doc = $text])+ $role, )+
        }

        impl Role {
            /// The word for it in the instruction tables.
            pub const fn word(self) -> &'static str {
                match self { $( Self::$role => stringify!($word), )+ }
            }
        }
    };
}

roles! {
    /// A register that receives the result.
    out => Out
    /// A register that is read.
    in => In
    /// A register that is read and then receives the result.
    inout => InOut
    /// The first of several consecutive registers that are read. Their number is the instruction's count, or
    /// that of the values in its shape.
    window => Window
    /// A label to which execution may jump.
    jump => Jump
    /// A constant.
    constant => Constant
    /// A function.
    function => Function
    /// The keys of an object.
    shape => Shape
    /// A switch.
    switch => Switch
    /// Computations of intervals.
    intervals => Intervals
    /// A slot of the scope.
    slot => Slot
    /// A failure that is recorded.
    failure => Failure
    /// The name of an attribute.
    name => Name
    /// An inline cache.
    cache => Cache
    /// A number of registers, values or bits.
    count => Count
    /// A position among siblings.
    position => Position
    /// A number that takes part in the computation.
    number => Number
    /// A flag or an operator.
    choice => Choice
}

/// An operand as the tables declare it. Displayed as `out d`, or as the role alone if the name says no
/// more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The role: the instruction's use of the operand.
    pub role: Role,
    /// The name in the table.
    pub name: &'static str,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.role.word();
        if word == self.name { f.write_str(word) } else { write!(f, "{word} {}", self.name) }
    }
}

/// An operand with its role. `R` is the type of registers, `L` that of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are those of `Role`")]
pub enum Operand<R, L> {
    Out(R),
    In(R),
    InOut(R),
    Window(R),
    Jump(L),
    Constant(Const),
    Function(Callee),
    Shape(ShapeId),
    Switch(SwitchId),
    Intervals(IntervalId),
    Slot(Slot),
    Failure(FailureId),
    Name(Symbol),
    Cache(u16),
    Count(u32),
    Position(Position),
    Number(Immediate),
    Choice(Choice),
}

impl<R, L> Operand<R, L> {
    /// Returns the register, if the operand is one.
    pub fn register(self) -> Option<R> {
        match self {
            Self::Out(reg) | Self::In(reg) | Self::InOut(reg) | Self::Window(reg) => Some(reg),
            _ => None,
        }
    }
}

/// An operand that may be changed, with its role: registers, labels, and what refers to an entry of the
/// code's lists.
#[derive(Debug)]
#[expect(missing_docs, reason = "the variants are those of `Role`")]
pub enum OperandMut<'o, R, L> {
    Out(&'o mut R),
    In(&'o mut R),
    InOut(&'o mut R),
    Window(&'o mut R),
    Jump(&'o mut L),
    Constant(&'o mut Const),
    Function(&'o mut Callee),
    Shape(&'o mut ShapeId),
    Switch(&'o mut SwitchId),
    Intervals(&'o mut IntervalId),
    /// Refers to nothing that moves.
    Fixed,
}

impl<'o, R, L> OperandMut<'o, R, L> {
    /// Returns the register, if the operand is one.
    pub fn register(self) -> Option<&'o mut R> {
        match self {
            Self::Out(reg) | Self::In(reg) | Self::InOut(reg) | Self::Window(reg) => Some(reg),
            _ => None,
        }
    }
}

/// A flag or an operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are the types of choices")]
pub enum Choice {
    Flag(bool),
    Arithmetic(Arithmetic),
    Comparison(Comparison),
    Connective(Connective),
    Build(Build),
    Rounding(Rounding),
}

macro_rules! choices {
    ($($ty:ident => $choice:ident),+) => {
        $(impl From<$ty> for Choice {
            fn from(choice: $ty) -> Self {
                Self::$choice(choice)
            }
        })+

        impl fmt::Debug for Choice {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $( Self::$choice(choice) => choice.fmt(f), )+ }
            }
        }
    };
}

choices!(bool => Flag, Arithmetic => Arithmetic, Comparison => Comparison, Connective => Connective, Build => Build,
    Rounding => Rounding);

impl From<Count> for u32 {
    fn from(count: Count) -> Self {
        count.0
    }
}

impl From<&InlineCache> for u16 {
    fn from(cache: &InlineCache) -> Self {
        cache.position()
    }
}
