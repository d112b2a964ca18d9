//! Compiled code: instructions, constants, functions, and where each instruction came from.

mod baseline;
pub mod fast;
mod listing;
mod opt;
mod register_file;
mod switch;
mod verify;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

pub use baseline::{INSTRUCTIONS, Instruction, Op, OperandMut};
pub use listing::{Line, fast_lines, lines};
pub use opt::link;
pub use switch::Switch;
pub use verify::{Defect, verify, verify_fast};

use crate::fault::Place;
use crate::function::Function;
pub use crate::ops::compare::Comparison;
use crate::value::Constants;

/// A register of the frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u16);

/// A constant of the code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Const(pub u32);

/// A slot of the scope's layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u16);

/// A position in the code that jumps go to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// A function of the code's function list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Callee(pub u16);

/// A shape of the code's shape list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

/// A failure of the code's failure list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FailureId(pub u32);

/// The position of something among its siblings: a step, a part, an argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position(pub u16);

/// How many.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Count(pub u32);

macro_rules! shown {
    ($($ty:ident $prefix:literal),+ $(,)?) => {$(
        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )+};
}

shown!(Reg "r", Const "k", Slot "s", Label "->", Callee "f", ShapeId "shape", FailureId "failure", Position "#", Count "");

impl Slot {
    /// The bit that stands for this slot in a word; slots from 63 on share the last one.
    /// A frame keeps such a word of the slots that the fast tier cannot take.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << if self.0 < 63 { self.0 } else { 63 }
    }
}

impl Reg {
    /// No register: a for expression without key variable has none for it.
    pub const NONE: Self = Self(u16::MAX);
}

/// Arithmetic operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

/// `&&` and `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connective {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `&&` of a dialect in which no operand decides alone.
    StrictAnd,
    /// `||` of a dialect in which no operand decides alone.
    StrictOr,
}

impl Connective {
    /// The operand value that decides the result alone, if one does.
    pub const fn deciding(self) -> Option<bool> {
        match self {
            Self::And => Some(false),
            Self::Or => Some(true),
            Self::StrictAnd | Self::StrictOr => None,
        }
    }
}

/// What a for expression builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Build {
    /// `[for …]`
    Tuple,
    /// `{for …}`
    Object,
    /// `{for … => …...}`
    Groups,
}

/// The keys of an object constructor whose keys are all constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Names sorted and distinct, each with the position of its value among the pushed ones
    /// (of a name given twice: the last).
    pub names: Box<[(SmolStr, u32)]>,
    /// Symbols of the names, in the same order.
    pub symbols: Box<[u32]>,
    /// How many values are pushed.
    pub pushed: u32,
}

impl Shape {
    /// Name, symbol and position among the pushed values, sorted by name.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, u32, usize)> {
        let symbols = self.symbols.iter().copied().chain(std::iter::repeat(0));
        self.names.iter().zip(symbols).map(|((name, at), symbol)| (name.as_str(), symbol, *at as usize))
    }
}

/// A problem known when compiling that is only one if evaluation reaches it, because `&&`,
/// `||`, `?:` and `try` may drop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A variable that the layout does not have.
    UnknownVariable {
        /// The name.
        name: SmolStr,
        /// A name that exists and looks like it.
        suggestion: Option<SmolStr>,
    },
    /// A variable where none may be used.
    VariablesNotAllowed,
    /// A function where none may be called.
    FunctionsNotAllowed,
    /// A function that the table does not have.
    UnknownFunction {
        /// The name, namespaces included.
        name: SmolStr,
        /// A name that exists and looks like it.
        suggestion: Option<SmolStr>,
    },
    /// A multi-step traversal as an object key.
    AmbiguousKey,
    /// A problem that the compiler puts into words, such as an argument that should describe a
    /// type and does not.
    Described {
        /// The established title.
        title: Cow<'static, str>,
        /// The sentence.
        detail: Cow<'static, str>,
    },
}

/// Where an instruction came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The node of the tree, counted from the first node of the expression.
    pub node: u32,
    /// The part of the node that the instruction's faults point at, unless they say it.
    pub place: Place,
}

/// The full body of one expression: its code for every value. Immutable, shared between threads.
/// [`fast::Fast`] is the body for plain values; neither refers to the other.
#[derive(Debug, Default)]
pub struct Code {
    /// The instructions; the last is a `Return` and every path ends in one.
    pub ops: Box<[Op]>,
    /// Where each instruction came from.
    pub origins: Box<[Origin]>,
    /// Constants.
    pub constants: Constants,
    /// Functions called.
    pub functions: Box<[Arc<Function>]>,
    /// Keys of object constructors.
    pub shapes: Box<[Shape]>,
    /// Problems that are faults when reached.
    pub failures: Box<[Failure]>,
    /// Names of the layout's slots that are read, by slot.
    pub slots: Box<[(Slot, SmolStr)]>,
    /// Number of registers needed.
    pub registers: u16,
}
