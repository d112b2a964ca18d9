//! The types of operands: each number in an instruction says by its type what it counts or refers to.
//!
//! Registers of the fast tier are in [`register_file`](super::register_file). What an instruction does
//! with an operand is the operand's [`Role`](super::Role), not its type.

use std::fmt;
use std::sync::atomic::{AtomicU16, Ordering};

pub use crate::memory::slot::Slot;
pub use crate::number::Rounding;
pub use crate::ops::arithmetic::Arithmetic;
pub use crate::ops::compare::Comparison;

/// A register of the baseline tier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u16);

impl Reg {
    /// No register; used for the key of a for expression without key variable.
    pub const NONE: Self = Self(u16::MAX);
}

/// A constant of the code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Const(pub u32);

/// The target of a jump in baseline code: a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// The target of a jump in fast code: a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FastLabel(pub u16);

/// A function of the code's function list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Callee(pub u16);

/// A shape of the code's shape list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

/// A failure of the code's failure list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FailureId(pub u32);

/// A switch of the code's switch list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SwitchId(pub u16);

/// A pair of computations of the code's interval list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IntervalId(pub u16);

/// The position of something among its siblings: a step, a part, an argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position(pub u16);

/// A number of values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Count(pub u32);

/// A small integer that takes part in a computation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Immediate(pub i32);

/// The symbol of an attribute name; see `crate::memory::name`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(pub u32);

macro_rules! shown {
    ($($ty:ident $prefix:literal),+ $(,)?) => {$(
        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )+};
}

shown!(
    Reg "r", Const "k", Label "->", FastLabel "->", Callee "f", ShapeId "shape", FailureId "failure",
    SwitchId "switch", IntervalId "interval", Position "#", Count "", Immediate "", Symbol "@",
);

/// An inline cache: the position at which an instruction found its attribute the last time. Threads
/// share it without synchronization, because it is only a guess: the executor compares the symbol at
/// that position, so a wrong position costs a search and nothing else.
#[derive(Default)]
pub struct InlineCache(AtomicU16);

/// Equal if both guess the same position.
impl PartialEq for InlineCache {
    fn eq(&self, other: &Self) -> bool {
        self.position() == other.position()
    }
}

impl Clone for InlineCache {
    fn clone(&self) -> Self {
        Self(AtomicU16::new(self.position()))
    }
}

impl InlineCache {
    /// Returns the position.
    pub(crate) fn position(&self) -> u16 {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the position as an index.
    ///
    /// Inlined: it is part of every access to an attribute.
    #[inline(always)]
    pub(crate) fn get(&self) -> usize {
        usize::from(self.0.load(Ordering::Relaxed))
    }

    /// Stores a position. Positions beyond 16 bits are not cached.
    pub(crate) fn set(&self, at: usize) {
        if let Ok(at) = u16::try_from(at) {
            self.0.store(at, Ordering::Relaxed);
        }
    }
}

impl fmt::Debug for InlineCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "~{}", self.get())
    }
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
    /// Returns the operand value that alone determines the result, if there is one.
    pub const fn deciding(self) -> Option<bool> {
        match self {
            Self::And => Some(false),
            Self::Or => Some(true),
            Self::StrictAnd | Self::StrictOr => None,
        }
    }
}

/// The kind of value that a for expression builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Build {
    /// `[for …]`
    Tuple,
    /// `{for …}`
    Object,
    /// `{for … => …...}`
    Groups,
}
