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

use smallvec::SmallVec;

use super::{FastLabel, FastOp, FastReg, Term};
use crate::code::{Operand, Shape};
use crate::memory::cast::operand;

/// The lists to which instructions refer.
#[derive(Clone, Copy)]
pub(super) struct Lists<'f> {
    pub(super) shapes: &'f [Shape],
    pub(super) intervals: &'f [Box<[Term]>],
}

impl Lists<'_> {
    /// Calls `visit` with each register that an instruction reads or, with true, writes.
    // Inlined: assembly visits the instructions of all code.
    #[inline(always)]
    pub(super) fn registers(self, op: &FastOp, mut visit: impl FnMut(FastReg, bool)) {
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

/// A set of positions of code.
pub(super) struct Positions(SmallVec<[u64; 4]>);

impl Positions {
    /// Creates an empty set of positions below `end`.
    pub(super) fn below(end: usize) -> Self {
        Self(SmallVec::from_elem(0, end / 64 + 1))
    }

    pub(super) fn insert(&mut self, FastLabel(at): FastLabel) {
        if let Some(word) = self.0.get_mut(usize::from(at) / 64) {
            *word |= 1 << (at % 64);
        }
    }

    fn contains(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}

/// Fused code.
pub(super) struct Fused {
    /// The position of its first instruction: it is the end of the list of instructions.
    start: usize,
    /// The position of each instruction of the original, and of the end, counted like `start`, the end first.
    /// Meaningless for instructions to which nothing leads.
    moved: SmallVec<[u16; 64]>,
}

impl Fused {
    /// Returns the new position of an instruction to which something leads.
    pub(super) fn moved(&self, at: u16) -> u16 {
        let moved = self.moved.len().checked_sub(usize::from(at) + 1).and_then(|at| self.moved.get(at));
        operand(moved.map_or(self.start, |moved| usize::from(*moved)) - self.start)
    }

    /// Returns the label at the new position of the instruction at a label.
    pub(super) fn label(&self, FastLabel(at): FastLabel) -> FastLabel {
        FastLabel(self.moved(at))
    }

    /// Returns the instructions.
    pub(super) fn of<'o>(&self, ops: &'o [FastOp]) -> &'o [FastOp] {
        ops.get(self.start..).unwrap_or_default()
    }
}

/// Fuses instructions in place; `None` if there is nothing to fuse. `led_to` returns the positions to which something
/// leads. The registers in `temporaries` have values for one instruction each.
pub(super) fn fuse(
    ops: &mut [FastOp],
    led_to: impl FnOnce(&[FastOp]) -> Positions,
    temporaries: Range<u16>,
    lists: Lists<'_>,
) -> Option<Fused> {
    // The last instruction that may be fused with the next one.
    let last = ops.windows(2).rposition(|pair| pair[0].leads(&pair[1]))?;
    let led_to = led_to(ops);
    let end = ops.len();
    let mut moved: SmallVec<[u16; 64]> = (last + 1..=end).rev().map(operand).collect();
    let mut start = last + 1;
    for at in (0..=last).rev() {
        // The position in the original of the instruction at `start`.
        let mut begin = at + 1;
        while start < end
            && ops[at].leads(&ops[start])
            && !led_to.contains(begin)
            && let Some((fused, between)) = ops[at].fused(&ops[start])
            && between.is_none_or(|reg| temporaries.contains(&u16::from(reg.0)))
        {
            debug_assert!(
                between.is_none_or(|reg| !is_read(&ops[start + 1..], reg, lists)),
                "the value between two parts is read later: {fused:?}"
            );
            ops[at] = fused;
            start += 1;
            let is_next = |at: &usize| usize::from(moved[end - at]) >= start;
            begin = (begin + 1..end).find(is_next).unwrap_or(end);
        }
        start -= 1;
        moved.push(operand(start));
        ops.swap(at, start);
    }
    Some(Fused { start, moved })
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
