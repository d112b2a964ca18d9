//! The register file of the fast tier: its size, what its registers hold at the start of a run, and
//! which of the executor's loops a program enters.
//!
//! ```text
//! copied     the scope's first 8, 16 or 32 values are copied; temporaries take the place of values
//!            that the program does not read
//! borrowed   the program writes no register: it reads the scope's values where they are
//! loaded     the slots are loaded one by one into the first of 64 or 256 registers
//! ```
//!
//! All of this is data about the code. The executor chooses a loop by [`Entry`]; this module knows
//! nothing of it.

/// A register of the fast tier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FastReg(pub u8);

/// The most registers that a file with scaled operands may have: scaled by 8, their numbers fit the
/// 8 bits of an operand.
pub(super) const MOST_SCALED: u16 = 32;

/// Number of registers that a run sets up. Sizes are powers of two, so that the executor masks an
/// index instead of checking it; few sizes, because the executor's loop is compiled for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSize {
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
    /// The smallest file with so many registers.
    pub(super) const fn of(registers: u16) -> Self {
        match registers {
            0..=8 => Self::Eight,
            9..=16 => Self::Sixteen,
            17..=MOST_SCALED => Self::ThirtyTwo,
            33..=64 => Self::SixtyFour,
            _ => Self::All,
        }
    }

    /// Its number of registers.
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
    pub const fn is_scaled(self) -> bool {
        self.registers() <= MOST_SCALED
    }
}

/// How a run of a program begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entry {
    /// There are no instructions, so that every run falls back to the baseline tier.
    #[default]
    None,
    /// The registers are the scope's first values themselves; the program writes none.
    Borrowed,
    /// The registers are set up in a file of this size, and written.
    Owned(FileSize),
}

impl Entry {
    /// The entry of a program that needs a file of this size, and may borrow the values if it
    /// `only_reads` registers.
    pub(super) const fn of(file: FileSize, only_reads: bool) -> Self {
        match file {
            FileSize::Eight | FileSize::Sixteen if only_reads => Self::Borrowed,
            file => Self::Owned(file),
        }
    }

    /// True if the operands of the instructions are scaled.
    pub const fn is_scaled(self) -> bool {
        match self {
            Self::None => false,
            Self::Borrowed => true,
            Self::Owned(file) => file.is_scaled(),
        }
    }
}

/// What a register holds at the start of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegClass {
    /// The slot at this index of the program's list.
    Slot(usize),
    /// Nothing: it is the temporary or loop variable with this index.
    Temporary(usize),
}
