//! Facts: what an instruction does, as its row of the instruction table states it. Passes that read code without
//! executing it ask for facts instead of listing instructions.
//!
//! ```text
//! Add { out d: Reg, in a: Reg, in b: Reg } : [next computes total(Number, Number) pure(15) straight once]
//!                                            flow │        │                      │        │        iterates?
//!                       what it reads of parts ───┘        │                      │        └── straight?
//!                       for which operands it has no fault ┘                      └── effect, or the cost if pure
//! ```
//!
//! Each row states all six, so that there is no default that a new instruction gets silently. A superinstruction has
//! the facts of its parts in sequence.

/// What is known about an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Where execution continues.
    pub flow: Flow,
    /// What it reads of the parts of values.
    pub reads: Reads,
    /// The operands for which it has no fault.
    pub faults: Faults,
    /// What others may rely on if its operands are equal.
    pub effect: Effect,
    /// True if it does with an unknown or a marked primitive what the baseline tier does, or falls back, and skips no
    /// part of the expression whose marks the result has.
    pub straight: bool,
    /// True if it spends fuel for each element of a collection.
    pub iterates: bool,
}

/// Where execution continues after an instruction, unless it jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// At the next instruction.
    Next,
    /// Elsewhere: it always jumps, or has a fault.
    Final,
    /// It ends a program with its result.
    Returns,
    /// It ends a rule of a stream with its result.
    Emits,
    /// At the next instruction. It begins a rule of a stream.
    Begins,
    /// It ends a stream.
    Ends,
}

/// What an instruction reads of the parts of values, which may have marks of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// It passes whole values on.
    Moves,
    /// It makes a collection of whole values.
    Makes,
    /// It reads parts by their names, or visits elements.
    Selects,
    /// It may read all parts of the values in the registers that it names.
    Computes,
    /// It reads what the function that it calls reads.
    Calls,
    /// It may also read parts of other values.
    Opaque,
}

/// A kind of plain values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` and `false`.
    Bool,
    /// Finite numbers.
    Number,
    /// Bools, numbers and texts.
    Primitive,
}

/// The operands for which an instruction has no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faults {
    /// It has none if all registers that it reads hold values of the first kind. A result is of the second kind.
    Total(Kind, Kind),
    /// It may have one for any operands, or its result depends on more than their kinds.
    Partial,
}

/// What others may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Equal operands always give an equal result, and nothing else changes. Reading the result instead saves about
    /// this many machine instructions.
    Pure(u8),
    /// It depends on more than its operands, or changes more than its result.
    Stateful,
}

impl Facts {
    /// Returns the facts of two instructions in sequence, for a superinstruction.
    pub(super) const fn then(self, next: Self) -> Self {
        let reads = match (self.reads, next.reads) {
            (Reads::Moves | Reads::Makes | Reads::Selects, Reads::Moves | Reads::Makes | Reads::Selects) => {
                Reads::Selects
            }
            _ => Reads::Opaque,
        };
        Self {
            flow: next.flow,
            reads,
            faults: Faults::Partial,
            effect: Effect::Stateful,
            straight: self.straight && next.straight,
            iterates: self.iterates || next.iterates,
        }
    }

    /// Returns true if the instruction passes values on without looking at their parts, or reads these by name.
    pub(crate) const fn passes(self) -> bool {
        matches!(self.reads, Reads::Moves | Reads::Makes | Reads::Selects)
    }

    /// Returns true if execution never continues at the next instruction of the same program or rule.
    pub const fn is_final(self) -> bool {
        matches!(self.flow, Flow::Final | Flow::Returns | Flow::Emits | Flow::Ends)
    }

    /// Returns true for instructions that only linked code has.
    pub(crate) const fn is_of_stream(self) -> bool {
        matches!(self.flow, Flow::Emits | Flow::Begins | Flow::Ends)
    }
}
