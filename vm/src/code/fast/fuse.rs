//! Fusion: an instruction and the next one become a superinstruction, where the instruction table has one that is equal
//! to both. It is the last change of code: everything before reads instructions that are no superinstructions.
//!
//! ```text
//! Attribute  r3 = r0.name            BranchAttributeText  r0.name == "a" -> …
//! EqualText  r3 = r3 == "a"    ▷     ReturnBool false
//! Branch     r3 -> …
//! ReturnBool false
//! ```
//!
//! A superinstruction does not write the register between its parts, which is a temporary that nothing reads afterwards:
//! lowering and linking compute the operand of an instruction right before it for that instruction alone. Nothing may
//! lead to the second part.

use std::ops::Range;

use super::{FastOp, FastReg, Term};
use crate::code::{Operand, Shape};
use crate::memory::cast::{index, operand};

/// The lists to which instructions refer.
#[derive(Clone, Copy)]
pub(super) struct Lists<'f> {
    pub(super) shapes: &'f [Shape],
    pub(super) intervals: &'f [Box<[Term]>],
}

impl Lists<'_> {
    /// Calls `visit` with each register that an instruction reads or, with true, writes.
    fn registers(self, op: &FastOp, mut visit: impl FnMut(FastReg, bool)) {
        op.operands(|_, operand| match operand {
            Operand::In(reg) => visit(reg, false),
            Operand::Out(reg) => visit(reg, true),
            Operand::InOut(reg) => {
                visit(reg, false);
                visit(reg, true);
            }
            Operand::Intervals(id) => {
                for term in self.intervals.get(usize::from(id.0)).into_iter().flatten() {
                    if let Term::Register(reg) = term {
                        visit(*reg, false);
                    }
                }
            }
            _ => {}
        });
        if op.has_window()
            && let Some((FastReg(base), count)) = op.window(self.shapes)
        {
            (base..=u8::MAX).take(count).for_each(|reg| visit(FastReg(reg), false));
        }
    }
}

/// A set of positions of code. Most code has fewer than 64 instructions, for which it needs no memory of its own.
#[derive(Default)]
pub(super) struct Positions {
    /// A bit for each of the first 64 that is in the set.
    first: u64,
    /// Bits for 64 of the others each.
    others: Vec<Word>,
}

struct Word {
    bits: u64,
    /// The number of positions before these that are in the set, once they are counted.
    before: u16,
}

impl Positions {
    /// Creates an empty set of positions up to `end`.
    pub(super) fn up_to(end: usize) -> Self {
        let mut positions = Self::default();
        if end >= 64 {
            positions.others.resize_with(end / 64, || Word { bits: 0, before: 0 });
        }
        positions
    }

    pub(super) fn insert(&mut self, at: usize) {
        let bits = match (at / 64).checked_sub(1) {
            None => &mut self.first,
            Some(word) => match self.others.get_mut(word) {
                Some(word) => &mut word.bits,
                None => return,
            },
        };
        *bits |= 1 << (at % 64);
    }

    fn contains(&self, at: usize) -> bool {
        let bits = match (at / 64).checked_sub(1) {
            None => self.first,
            Some(word) => self.others.get(word).map_or(0, |word| word.bits),
        };
        bits >> (at % 64) & 1 == 1
    }

    /// Counts the positions, for [`Positions::before`].
    fn count(&mut self) {
        let mut before = ones(self.first);
        for word in &mut self.others {
            word.before = before;
            before += ones(word.bits);
        }
    }

    /// Returns the number of positions before one.
    fn before(&self, at: u16) -> u16 {
        let (bits, before) = match (usize::from(at) / 64).checked_sub(1) {
            None => (self.first, 0),
            Some(word) => self.others.get(word).map_or((0, 0), |word| (word.bits, word.before)),
        };
        before + ones(bits & ((1 << (at % 64)) - 1))
    }
}

fn ones(bits: u64) -> u16 {
    operand(index(bits.count_ones()))
}

/// Fused code.
pub(super) struct Fused {
    /// The number of instructions that others took in. The rest is at the end of the list of instructions.
    taken: usize,
    /// The positions of those that were taken in.
    second: Positions,
}

impl Fused {
    /// Returns the new position of an instruction to which something leads, or of the end.
    pub(super) fn moved(&self, at: u16) -> u16 {
        if self.taken == 0 { at } else { at - self.second.before(at) }
    }

    /// Returns the instructions.
    pub(super) fn of<'o>(&self, ops: &'o [FastOp]) -> &'o [FastOp] {
        ops.get(self.taken..).unwrap_or_default()
    }
}

/// Fuses instructions in place. `led_to` has the positions to which something leads. The registers in `temporaries` have
/// values for one instruction each.
pub(super) fn fuse(
    ops: &mut [FastOp],
    led_to: &Positions,
    temporaries: &Range<u16>,
    lists: Lists<'_>,
) -> Fused {
    let end = ops.len();
    let mut second = Positions::up_to(end);
    // The first instruction of the fused code so far.
    let mut start = end;
    for at in (0..end).rev() {
        // The position that the instruction at `start` had.
        let mut next = at + 1;
        while start < end
            && let Some((fused, between)) = ops[at].fused(&ops[start])
            && between.is_none_or(|reg| temporaries.contains(&u16::from(reg.0)))
            && !led_to.contains(next)
        {
            debug_assert!(
                between.is_none_or(|reg| !is_read(&ops[start + 1..], reg, lists)),
                "the value between two parts is read later: {fused:?}"
            );
            ops[at] = fused;
            second.insert(next);
            start += 1;
            while second.contains(next) {
                next += 1;
            }
        }
        start -= 1;
        if start != at {
            ops.swap(at, start);
        }
    }
    second.count();
    Fused { taken: start, second }
}

/// Returns true if instructions read a register before they write it, in their order, which is that in which code has a
/// register for one value after the other.
fn is_read(ops: &[FastOp], reg: FastReg, lists: Lists<'_>) -> bool {
    let (mut reads, mut written) = (false, false);
    for op in ops {
        lists.registers(op, |other, writes| {
            reads |= !writes && other == reg && !written;
            written |= writes && other == reg;
        });
        if reads || written {
            break;
        }
    }
    reads
}
