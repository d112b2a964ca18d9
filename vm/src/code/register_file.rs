//! The register file of the fast tier: its size, what its registers hold at the start of a run, and
//! which of the executor's loops a program enters.
//!
//! ```text
//! copied     the scope's first 8, 16 or 32 values are copied; temporaries take the place of values
//!            that the program does not read
//! borrowed   the program writes no register: it reads the scope's first 8 or 16 values where they are
//! loaded     the slots are loaded one by one into the first of 64 or 256 registers
//! ```
//!
//! All of this is data about the code. The executor chooses a loop by [`Entry`]; this module contains
//! nothing of it.

use std::fmt;

/// A register of the fast tier by its index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FastReg(pub u8);

/// A register operand of an executable instruction: the register's index, scaled as the program's file
/// demands. In a file of up to 32 registers it is 8 times the index, half of the register's byte offset:
/// the machine's addressing mode doubles it, so that no instruction shifts. In larger files, where that
/// would not fit 8 bits, it is the index.
///
/// Only `Scale::operand` and `Entry::unscale` convert between operands and registers.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Scaled(u8);

impl Scaled {
    /// Returns the operand as a number, of which [`Scaled::of_operand`] makes it again.
    pub(super) const fn operand(self) -> u8 {
        self.0
    }

    /// Returns the operand that is this number.
    pub(super) const fn of_operand(operand: u8) -> Self {
        Self(operand)
    }

    /// Returns the index of the register in a file of `N`, whose operands are scaled or not.
    ///
    /// The number of registers is a power of two and every register of verified code is below it, so
    /// that the mask changes nothing and saves the bounds check. Inlined: every instruction reads its
    /// operands by it.
    #[inline(always)]
    pub(crate) fn index<const N: usize, const SCALED: bool>(self) -> usize {
        const { assert!(N.is_power_of_two()) };
        usize::from(if SCALED { self.0 >> SCALE } else { self.0 }) & (N - 1)
    }
}

/// Scaled operands are registers times 2 to the power of this.
const SCALE: u32 = 3;

/// The most registers that a file with scaled operands may have: their operands fit 8 bits.
pub(super) const MOST_SCALED: u16 = (u8::MAX >> SCALE) as u16 + 1;

macro_rules! shown {
    ($($ty:ident $prefix:literal),+) => {$(
        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )+};
}

shown!(FastReg "r", Scaled "scaled");

/// The number of registers that a run sets up. Sizes are powers of two, so that the executor masks an
/// index instead of checking it; few sizes, because the executor's loop is compiled for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileSize {
    /// 8 registers, whose operands are scaled.
    Eight,
    /// 16 registers, whose operands are scaled.
    Sixteen,
    /// 32 registers, whose operands are scaled.
    ThirtyTwo,
    /// 64 registers.
    SixtyFour,
    /// 256 registers: all that an operand can number.
    All,
}

impl FileSize {
    /// Returns the smallest file with at least `registers` registers.
    pub(super) const fn of(registers: u16) -> Self {
        match registers {
            0..=8 => Self::Eight,
            9..=16 => Self::Sixteen,
            17..=MOST_SCALED => Self::ThirtyTwo,
            33..=64 => Self::SixtyFour,
            _ => Self::All,
        }
    }

    /// Returns the number of registers.
    pub(super) const fn registers(self) -> u16 {
        match self {
            Self::Eight => 8,
            Self::Sixteen => 16,
            Self::ThirtyTwo => MOST_SCALED,
            Self::SixtyFour => 64,
            Self::All => 256,
        }
    }

    /// True if operands are scaled.
    pub(super) const fn is_scaled(self) -> bool {
        self.registers() <= MOST_SCALED
    }

    /// Returns the conversion of registers to operands of this file.
    pub(super) const fn scale(self) -> Scale {
        Scale(if self.is_scaled() { SCALE } else { 0 })
    }
}

/// The conversion of registers to operands of one file.
#[derive(Clone, Copy)]
pub(super) struct Scale(u32);

impl Scale {
    /// Returns the operand for a register.
    pub(super) const fn operand(self, FastReg(reg): FastReg) -> Scaled {
        Scaled(reg << self.0)
    }
}

/// The entry of a program: the executor's loop that a run enters.
///
/// Flat, so that the executor indexes a table with it: with the file's size as a field of `Owned`,
/// decoding it costs 15 instructions in each run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entry {
    /// There are no instructions, so that every run falls back to the baseline tier.
    #[default]
    None,
    /// The registers are the scope's first 8 values themselves; the program writes none.
    Borrowed8,
    /// The registers are the scope's first 16 values.
    Borrowed16,
    /// A file of 8 registers is set up.
    Owned8,
    /// A file of 16 registers is set up.
    Owned16,
    /// A file of 32 registers is set up.
    Owned32,
    /// A file of 64 registers is set up.
    Owned64,
    /// A file of 256 registers is set up.
    Owned256,
}

impl Entry {
    /// Returns the entry of a program that needs a file of this size, and may borrow the values if it
    /// `only_reads` registers.
    pub(super) const fn of(file: FileSize, only_reads: bool) -> Self {
        match file {
            FileSize::Eight if only_reads => Self::Borrowed8,
            FileSize::Sixteen if only_reads => Self::Borrowed16,
            FileSize::Eight => Self::Owned8,
            FileSize::Sixteen => Self::Owned16,
            FileSize::ThirtyTwo => Self::Owned32,
            FileSize::SixtyFour => Self::Owned64,
            FileSize::All => Self::Owned256,
        }
    }

    /// True if the operands of the instructions are scaled.
    pub const fn is_scaled(self) -> bool {
        !matches!(self, Self::None | Self::Owned64 | Self::Owned256)
    }

    /// Returns the register to which an operand refers.
    pub(super) const fn unscale(self, Scaled(operand): Scaled) -> FastReg {
        FastReg(if self.is_scaled() { operand >> SCALE } else { operand })
    }
}

/// The content of a register at the start of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegClass {
    /// The value of the slot at this index of the program's list.
    Slot(usize),
    /// No value: the register is the temporary or loop variable with this index.
    Temporary(usize),
}
