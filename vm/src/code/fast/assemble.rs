//! Assembling: instructions over register indexes, as the compiler and the linker build them, become
//! instructions over scaled operands, as the executor reads them.
//!
//! ```text
//! built        r0 r1        slots in the order of the program's list
//!              r2           temporaries
//! assembled    r0 r5        slots with their numbers in the scope, so that its first values can be copied
//!              r1           temporaries in a gap between them
//! operands     0  40  8     scaled by 8
//! ```
//!
//! Registers are renumbered only if the file has scaled operands and there is a gap for the
//! temporaries; a larger program loads its slots one by one.

use super::{Entry, Fast, FastLabel, FastOp, FastReg, Term};
use crate::code::register_file::{FileSize, MOST_SCALED};
use crate::code::role::Operand;
use crate::code::{computation, decision};

/// The new numbers of registers in assembled code.
#[derive(Clone, Copy)]
struct Renumbering {
    /// The new number of each register that is a slot.
    slots: [u8; MOST_SCALED as usize],
    /// The number of registers that are slots to be renumbered.
    moving: u8,
    /// The number added to the other registers, modulo 256.
    others_by: u8,
}

impl Renumbering {
    /// Returns the register's new number.
    fn of(&self, FastReg(reg): FastReg) -> FastReg {
        if reg < self.moving {
            FastReg(self.slots[usize::from(reg) % self.slots.len()])
        } else {
            FastReg(reg.wrapping_add(self.others_by))
        }
    }
}

impl Fast {
    /// Completes the code with its instructions. `label` resolves each label to which they refer. The other
    /// parts of the code are complete, and refer to registers by the numbers in `ops`.
    pub fn assemble(&mut self, ops: &[FastOp], mut label: impl FnMut(FastLabel) -> FastLabel) {
        let file = FileSize::of(self.registers);
        // Most code has no temporaries, so the search is skipped.
        let only_reads = self.registers == self.others || !names_others(ops, self.others);
        let numbers = self.renumber(file);
        self.ops.reserve_exact(ops.len());
        let scale = file.scale();
        for op in ops {
            self.ops.push(op.map(|_, reg| scale.operand(numbers.of(reg)), &mut label));
        }
        for term in self.intervals.iter_mut().flatten() {
            if let Term::Register(reg) = term {
                *reg = numbers.of(*reg);
            }
        }
        self.complete(file, self.in_place && only_reads);
    }

    /// Sets how a run begins, once the code is complete.
    fn complete(&mut self, file: FileSize, only_reads: bool) {
        self.entry = Entry::of(file, only_reads);
        if let Some(entry) = self.entry.of_decision()
            && decision::may_be_one(self)
        {
            self.entry = entry;
        } else if let Some(entry) = self.entry.of_computation()
            && computation::may_be_one(self)
        {
            self.entry = entry;
        }
    }

    /// Determines how runs of loaded code begin, as [`Fast::assemble`] does; `None` if the operands are not scaled as
    /// the number of registers demands.
    pub(in crate::code) fn complete_entry(&mut self) -> Option<()> {
        if self.registers > FileSize::All.registers() {
            return None;
        }
        let file = FileSize::of(self.registers);
        // Scaled operands first, so that the code can be read.
        self.entry = Entry::of(file, false);
        let mut valid = true;
        // Nothing else needs to know that code has no temporaries.
        let mut only_reads = self.in_place;
        for op in &self.ops {
            op.operands(|_, operand| {
                if let Some(reg) = operand.register() {
                    let unscaled = self.entry.unscale(reg);
                    valid &= file.scale().operand(unscaled) == reg;
                    let is_slot = || self.slots.iter().any(|slot| slot.0 == u16::from(unscaled.0));
                    only_reads = only_reads && (matches!(operand, Operand::Free(_)) || is_slot());
                }
            });
            only_reads &= op.written().is_none();
        }
        for term in self.intervals.iter().flatten() {
            if let Term::Register(reg) = term {
                only_reads = only_reads && self.slots.iter().any(|slot| slot.0 == u16::from(reg.0));
            }
        }
        valid.then(|| self.complete(file, only_reads))
    }

    /// Gives the slots the numbers that they have in the scope, if there is a gap for the temporaries.
    // Its result is 34 bytes: returning it through memory costs `compile` 3,100 instructions.
    #[inline(always)]
    fn renumber(&mut self, file: FileSize) -> Renumbering {
        let mut numbers = Renumbering { slots: [0; MOST_SCALED as usize], moving: 0, others_by: 0 };
        if file.is_scaled()
            && let Some((others, registers)) = self.row_in_place(file.registers())
        {
            // All of these are below the file's 32 registers.
            for (number, slot) in numbers.slots.iter_mut().zip(&self.slots) {
                *number = register(slot.0);
            }
            numbers.moving = register(self.others);
            numbers.others_by = register(others).wrapping_sub(numbers.moving);
            (self.others, self.registers, self.in_place) = (others, registers, true);
        }
        numbers
    }

    /// Returns the first temporary if slots have their numbers in the scope, and the number of registers
    /// needed then; `None` if that exceeds `most`, the number that is set up anyway.
    fn row_in_place(&self, most: u16) -> Option<(u16, u16)> {
        let count = self.registers.saturating_sub(self.others);
        let taken =
            self.slots.iter().try_fold(0_u64, |taken, slot| (slot.0 < most).then(|| taken | 1 << slot.0))?;
        let row = (1_u64 << count) - 1;
        let others = (0..=most.checked_sub(count)?).find(|start| taken & (row << start) == 0)?;
        let past_slots = u64::BITS - taken.leading_zeros();
        let registers = u32::from(others + count).max(past_slots);
        Some((others, u16::try_from(registers).ok()?))
    }
}

/// Returns true if an instruction reads or writes a register from `first` on.
fn names_others(ops: &[FastOp], first: u16) -> bool {
    let mut named = false;
    for op in ops {
        op.operands(|_, operand| {
            let is_free = matches!(operand, Operand::Free(_));
            named |= !is_free && operand.register().is_some_and(|reg| u16::from(reg.0) >= first);
        });
        if named {
            break;
        }
    }
    named
}

/// Narrows the number of a register that is below [`MOST_SCALED`].
fn register(number: u16) -> u8 {
    crate::memory::cast::register(usize::from(number))
}
