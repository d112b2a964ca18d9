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

use std::ops::Range;
use std::{iter, mem};

use super::fuse::Fusion;
use super::{Entry, Fast, FastLabel, FastOp, FastReg, Term};
use crate::code::register_file::FileSize;
use crate::code::role::Operand;
use crate::code::{Slot, Switch};
use crate::memory::cast::operand;

/// The new numbers of registers in assembled code.
#[derive(Clone, Copy)]
struct Renumbering<'s> {
    /// The slots, in the order of their registers, if these get the numbers of their slots.
    slots: &'s [Slot],
    /// The number added to the other registers, modulo 256.
    others_by: u8,
}

impl Renumbering<'_> {
    /// Returns the register's new number.
    fn of(self, FastReg(reg): FastReg) -> FastReg {
        match self.slots.get(usize::from(reg)) {
            Some(slot) => FastReg(register(slot.0)),
            None => FastReg(reg.wrapping_add(self.others_by)),
        }
    }
}

impl Fast {
    /// [`Fast::assemble`] for linked code, whose labels are positions and whose instructions are fused here. `between` are
    /// the registers between the parts of instructions that were divided, and `entries` the positions at which the code is
    /// entered; these are moved.
    pub(in crate::code) fn assemble_stream(
        &mut self,
        ops: &mut [FastOp],
        between: Range<u16>,
        entries: [&mut [u16]; 2],
    ) {
        let mut led_to = vec![false; ops.len() + 1];
        let mut lead_to = |at: u16| {
            if let Some(led_to) = led_to.get_mut(usize::from(at)) {
                *led_to = true;
            }
        };
        for op in ops.iter().filter(|op| op.has_label()) {
            op.operands(|_, operand| {
                if let Operand::Jump(to) = operand {
                    lead_to(to.0);
                }
            });
        }
        self.switches.iter().flat_map(Switch::targets).for_each(|to| lead_to(to.0));
        for handler in &self.handlers {
            [handler.start, handler.end].into_iter().for_each(&mut lead_to);
            handler.target.into_iter().for_each(|to| lead_to(to.0));
        }
        entries.iter().flat_map(|entries| entries.iter()).for_each(|at| lead_to(*at));
        let mut fusion = Fusion::new(between);
        // The position of each instruction to which something leads, and the number of instructions so far.
        let (mut moved, mut count) = (Vec::with_capacity(led_to.len()), 0);
        for at in 0..ops.len() {
            if led_to[at] {
                fusion.lead_to(count);
            }
            moved.push(count);
            let mut op = mem::replace(&mut ops[at], FastOp::Trap {});
            count = fusion.fuse(&ops[..count], &mut op);
            ops[count] = op;
            count += 1;
        }
        moved.push(count);
        let moved = |at: u16| moved.get(usize::from(at)).map_or(at, |at| operand(*at));
        for handler in &mut self.handlers {
            (handler.start, handler.end) = (moved(handler.start), moved(handler.end));
        }
        entries.into_iter().flatten().for_each(|at| *at = moved(*at));
        self.assemble(&ops[..count], |FastLabel(to)| FastLabel(moved(to)));
    }

    /// Completes the code with its instructions. `label` returns the position of each label to which they refer. The other
    /// parts of the code are complete, refer to the same labels, and to registers by the numbers in `ops`, of which the
    /// slots are the first.
    pub fn assemble(&mut self, ops: &[FastOp], mut label: impl FnMut(FastLabel) -> FastLabel) {
        for target in self.switches.iter_mut().flat_map(Switch::targets_mut) {
            *target = label(*target);
        }
        for target in self.handlers.iter_mut().filter_map(|handler| handler.target.as_mut()) {
            *target = label(*target);
        }
        // A temporary that is read was written before.
        let written =
            |used, op: &FastOp| op.written().map_or(used, |FastReg(reg)| u16::max(used, u16::from(reg) + 1));
        let used = ops.iter().fold(0, written);
        self.registers = used.max(self.others);
        let file = FileSize::of(self.registers);
        self.slot_bits = self.slots.iter().fold(0, |bits, slot| bits | slot.bit());
        let only_reads = used <= self.others;
        let others_by = self.renumber(file);
        let slots = if self.in_place { &*self.slots } else { &[] };
        let numbers = Renumbering { slots, others_by };
        self.ops.reserve_exact(ops.len());
        self.ops.extend(iter::repeat_with(|| FastOp::Trap {}).take(ops.len()));
        let scale = file.scale();
        for (op, to) in ops.iter().zip(&mut self.ops) {
            op.map_into(to, |_, reg| scale.operand(numbers.of(reg)), &mut label);
        }
        for term in self.intervals.iter_mut().flatten() {
            if let Term::Register(reg) = term {
                *reg = numbers.of(*reg);
            }
        }
        self.count_rounds();
        self.entry = Entry::of(file, self.in_place && only_reads);
    }

    /// Enters the number of instructions of a round into each instruction that opens a loop: from the one that takes
    /// the next element up to the end.
    fn count_rounds(&mut self) {
        let mut ops = &mut *self.ops;
        let mut at = 0;
        while let [op, rest @ ..] = ops {
            at += 1;
            if let (
                FastOp::LoopBegin { round, .. }
                | FastOp::LoopEach { round, .. }
                | FastOp::LoopSplat { round, .. },
                Some(FastOp::LoopNext { to, .. }),
            ) = (op, rest.first())
            {
                round.0 = i32::from(to.0) - at;
            }
            ops = rest;
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
                    only_reads = only_reads && is_slot();
                }
            });
            only_reads &= op.written().is_none();
        }
        for term in self.intervals.iter().flatten() {
            if let Term::Register(reg) = term {
                only_reads = only_reads && self.slots.iter().any(|slot| slot.0 == u16::from(reg.0));
            }
        }
        valid.then(|| self.entry = Entry::of(file, only_reads))
    }

    /// Gives the slots the numbers that they have in the scope, if there is a gap for the temporaries. Returns the
    /// number to add to those of the temporaries, modulo 256.
    fn renumber(&mut self, file: FileSize) -> u8 {
        let rows = if file.is_scaled() { self.row_in_place(file.registers()) } else { None };
        let Some((others, registers)) = rows else { return 0 };
        // All of these are below the file's 32 registers.
        let others_by = register(others).wrapping_sub(register(self.others));
        (self.others, self.registers, self.in_place) = (others, registers, true);
        others_by
    }

    /// Returns the first temporary if slots have their numbers in the scope, and the number of registers
    /// needed then; `None` if that exceeds `most`, the number that is set up anyway.
    fn row_in_place(&self, most: u16) -> Option<(u16, u16)> {
        let count = self.registers.saturating_sub(self.others);
        let taken = self.slot_bits;
        // Slots from 63 on share the last bit, which is beyond `most` as well.
        if taken >> most != 0 {
            return None;
        }
        let row = (1_u64 << count) - 1;
        let others = (0..=most.checked_sub(count)?).find(|start| taken & (row << start) == 0)?;
        let past_slots = u64::BITS - taken.leading_zeros();
        let registers = u32::from(others + count).max(past_slots);
        Some((others, u16::try_from(registers).ok()?))
    }
}

/// Narrows the number of a register of a file with scaled operands.
fn register(number: u16) -> u8 {
    crate::memory::cast::register(usize::from(number))
}
