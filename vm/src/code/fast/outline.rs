//! What is known about code as a whole, from the facts of its instructions, for values that contain marks. It is found in
//! the first run with such values.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use smol_str::SmolStr;

use super::{Fast, FastOp, FastReg, RegClass, Symbol};
use crate::code::facts::{Flow, Reads};
use crate::code::{Callee, Operand};
use crate::memory::cast::index;
use crate::types::Type;

/// What is known about some code, once a run has asked.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    whole: OnceLock<CodeFacts>,
    /// The symbols of many names in ascending order, each with its position in the list of names.
    by_symbol: OnceLock<Box<[(u32, u32)]>>,
    /// A guess, like an inline cache; see [`Fast::reads_marks`].
    reads_marks: AtomicBool,
}

/// The most names that are searched in order.
const FEW_NAMES: usize = 16;

impl Outline {
    /// Returns the position of a symbol in the list of names of the code. Linked code may have thousands of names, and
    /// looks one up whenever it reads a value that is older than its symbols.
    pub(super) fn position_of(&self, names: &[(Symbol, SmolStr)], symbol: Symbol) -> Option<usize> {
        if names.len() <= FEW_NAMES {
            return names.iter().position(|(known, _)| *known == symbol);
        }
        let by_symbol = self.by_symbol.get_or_init(|| {
            let mut all: Box<[(u32, u32)]> = names.iter().map(|(symbol, _)| symbol.0).zip(0..).collect();
            all.sort_unstable();
            all
        });
        let found = by_symbol.binary_search_by_key(&symbol.0, |(known, _)| *known).ok()?;
        by_symbol.get(found).map(|(_, at)| index(*at))
    }
}

/// The facts about some code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeFacts {
    /// True if every part of the expression is evaluated, those of loops for each element, and each does with an unknown
    /// or a marked primitive what the baseline tier does, or falls back. Then no operand is skipped whose marks the result
    /// would have, and no function is called, whose shortcuts do not look for marks.
    pub(crate) is_straight: bool,
    /// True if every part of the expression has code, and no fault in it is handled.
    pub(crate) is_whole: bool,
    /// True if an instruction iterates over a collection.
    pub(crate) iterates: bool,
    /// True if no instruction looks at parts of values but by their names.
    pub(crate) passes: bool,
    /// True if every instruction reads parts by their names, or computes with values in registers.
    names_parts: bool,
    /// The instructions to which others jump, of the first 64.
    pub(crate) targets: u64,
    /// The slots that instructions compute with as a whole, by their positions in the code's list, of the first 64.
    computed: u64,
}

impl CodeFacts {
    /// Returns true if the code reads only parts that it names of the slots that are `marked`, by their positions in the
    /// code's list.
    pub(crate) const fn names_parts_of(self, marked: u64) -> bool {
        self.names_parts && self.computed & marked == 0
    }
}

impl Fast {
    /// Returns the facts about the code.
    pub(crate) fn facts(&self) -> CodeFacts {
        *self.outline.whole.get_or_init(|| self.find_facts())
    }

    /// Returns true if the last run whose variables contained marks read one of them: the next one probably will.
    pub(crate) fn reads_marks(&self) -> bool {
        self.outline.reads_marks.load(Ordering::Relaxed)
    }

    /// Notes if a run read a mark.
    pub(crate) fn note_marks(&self, read: bool) {
        if read != self.reads_marks() {
            self.outline.reads_marks.store(read, Ordering::Relaxed);
        }
    }

    // Cold: once for some code.
    #[cold]
    fn find_facts(&self) -> CodeFacts {
        let mut targets = 0_u64;
        self.each_target(|to| targets |= 1_u64.checked_shl(u32::from(to.0)).unwrap_or_default());
        let all = |test: fn(&FastOp<_>) -> bool| self.ops.iter().all(test);
        let is_complete = !self.omits && self.handlers.is_empty();
        let mut computed = ComputedParts::of(self);
        CodeFacts {
            is_straight: is_complete && all(|op| op.facts().straight),
            is_whole: is_complete && !self.may_trap(),
            iterates: !all(|op| !op.facts().iterates),
            passes: all(|op| op.facts().passes()),
            names_parts: self.all_parts(|op| computed.visit(op)),
            targets,
            computed: computed.slots,
        }
    }

    /// Returns true if a part of the code may have a fault that was known when it was compiled, and is left out: a trap
    /// that is not behind a return, where nothing reaches it.
    fn may_trap(&self) -> bool {
        let is_target = |at: usize| {
            let mut targeted = false;
            self.each_target(|to| targeted |= usize::from(to.0) == at);
            targeted
        };
        self.ops.iter().enumerate().any(|(at, op)| {
            let returned =
                || at.checked_sub(1).is_some_and(|before| self.ops[before].facts().flow == Flow::Returns);
            matches!(op, FastOp::Trap {}) && (!returned() || is_target(at))
        })
    }
}

/// A visit of instructions that finds what they compute with. What is passed on or read by its name is not computed with.
struct ComputedParts<'f> {
    fast: &'f Fast,
    /// The slots that are computed with as a whole.
    slots: u64,
    /// Registers with elements of collections.
    elements: OutlineRegisters,
    /// Registers with collections that the code makes.
    made: OutlineRegisters,
}

impl<'f> ComputedParts<'f> {
    fn of(fast: &'f Fast) -> Self {
        Self { fast, slots: 0, elements: OutlineRegisters::default(), made: OutlineRegisters::default() }
    }

    /// Returns false if an instruction may read parts that have no name: elements at a position, all parts of an element,
    /// or parts of a value that the code itself makes.
    fn visit(&mut self, op: &FastOp) -> bool {
        let reads = op.facts().reads;
        let mut named = match reads {
            Reads::Moves | Reads::Makes | Reads::Selects | Reads::Computes => true,
            Reads::Calls => is_known_call(self.fast, op),
            Reads::Opaque => false,
        };
        op.operands(|_, operand| {
            if let Operand::In(reg) | Operand::InOut(reg) = operand {
                named &= self.may_read(reg, reads);
            }
        });
        if let Some((FastReg(base), count)) = op.window(&self.fast.shapes) {
            named &= (base..=u8::MAX).take(count).all(|reg| self.may_read(FastReg(reg), reads));
        }
        if let Some(written) = op.written() {
            if matches!(op, FastOp::LoopNext { .. }) {
                self.elements.insert(written);
            } else if reads == Reads::Makes || matches!(op, FastOp::Map { .. }) {
                self.made.insert(written);
            }
        }
        named
    }

    fn may_read(&mut self, reg: FastReg, reads: Reads) -> bool {
        match reads {
            Reads::Moves | Reads::Makes => true,
            Reads::Selects => !self.made.contains(reg),
            Reads::Computes | Reads::Calls | Reads::Opaque => {
                if let RegClass::Slot(at) = self.fast.class(reg) {
                    match 1_u64.checked_shl(u32::try_from(at).unwrap_or(u32::MAX)) {
                        Some(bit) => self.slots |= bit,
                        None => return false,
                    }
                }
                !self.made.contains(reg) && !self.elements.contains(reg)
            }
        }
    }
}

/// A set of registers.
#[derive(Default)]
struct OutlineRegisters([u64; 4]);

impl OutlineRegisters {
    fn insert(&mut self, FastReg(reg): FastReg) {
        self.0[usize::from(reg / 64)] |= 1 << (reg % 64);
    }

    fn contains(&self, FastReg(reg): FastReg) -> bool {
        self.0[usize::from(reg / 64)] >> (reg % 64) & 1 == 1
    }
}

/// Returns true for calls of functions of one primitive, and for searches, which fall back if their second argument is
/// not a primitive.
fn is_known_call(fast: &Fast, op: &FastOp) -> bool {
    match op {
        FastOp::Call { f, count: 1, .. } => has_primitive_parameters(fast, *f),
        FastOp::Call { f, count: 2, .. } => {
            fast.functions.get(usize::from(f.0)).is_some_and(|function| function.searches())
        }
        _ => false,
    }
}

/// Returns true if all parameters of a function are primitives.
fn has_primitive_parameters(fast: &Fast, f: Callee) -> bool {
    fast.functions.get(usize::from(f.0)).is_some_and(|function| {
        let mut parameters = function.parameters.iter().chain(&function.variadic);
        parameters.all(|each| matches!(each.ty, Type::Bool | Type::Number | Type::String))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_among_few_and_many() {
        for count in [0, 1, 16, 17, 5_000] {
            // In another order than that of the symbols.
            let names: Vec<(Symbol, SmolStr)> =
                (0..count).map(|at| (Symbol(at * 7_919 % 10_007), SmolStr::new(format!("n{at}")))).collect();
            let outline = Outline::default();
            for (at, (symbol, _)) in names.iter().enumerate() {
                assert_eq!(outline.position_of(&names, *symbol), Some(at));
            }
            assert_eq!(outline.position_of(&names, Symbol(20_000)), None);
        }
    }
}
