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
//! A superinstruction does not write the register between its parts, which nothing may read afterwards. Code has the
//! register for one value after the other, in the order of its instructions, so that this is the case if the next
//! instruction in this order that names it writes it. Nothing may lead to the second part.

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
                visit(reg, true);
                visit(reg, false);
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

/// The registers that are read before they are written, in the order of the instructions.
#[derive(Clone, Copy, Default)]
struct NextReads(u64);

impl NextReads {
    /// The last bit is shared by the registers from here on.
    const SHARED: u8 = 63;

    fn bit(FastReg(reg): FastReg) -> u64 {
        1 << reg.min(Self::SHARED)
    }

    fn contains(self, reg: FastReg) -> bool {
        self.0 & Self::bit(reg) != 0
    }

    /// Returns the set before an instruction.
    fn before(self, op: &FastOp, lists: Lists<'_>) -> Self {
        let (mut read, mut written) = (0, 0);
        lists.registers(
            op,
            |reg, writes| if writes { written |= Self::bit(reg) } else { read |= Self::bit(reg) },
        );
        Self(self.0 & !(written & !(1 << Self::SHARED)) | read)
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

/// Returns true if some instructions may be fused.
pub(super) fn has_candidates(ops: &[FastOp]) -> bool {
    ops.windows(2).any(|pair| pair[0].leads(&pair[1]))
}

/// Fuses instructions in place. Something leads to the positions `led_to`. Registers from `others` on are temporaries.
pub(super) fn fuse(ops: &mut [FastOp], led_to: &Positions, others: u16, lists: Lists<'_>) -> Fused {
    let end = ops.len();
    let mut moved = SmallVec::with_capacity(end + 1);
    moved.push(operand(end));
    // The set behind each instruction of the fused code, the last one first.
    let mut behind: SmallVec<[NextReads; 64]> = SmallVec::with_capacity(end);
    let mut start = end;
    let mut reads = NextReads::default();
    for at in (0..end).rev() {
        let mut after = reads;
        // The position in the original of the instruction at `start`.
        let mut begin = at + 1;
        while start < end
            && !led_to.contains(begin)
            && let Some((fused, between)) = ops[at].fused(&ops[start])
            && let Some(behind_next) = behind.last().copied()
            && between.is_none_or(|reg| u16::from(reg.0) >= others && !behind_next.contains(reg))
        {
            ops[at] = fused;
            after = behind_next;
            behind.pop();
            start += 1;
            let is_next = |at: &usize| usize::from(moved[end - at]) >= start;
            begin = (begin + 1..end).find(is_next).unwrap_or(end);
        }
        start -= 1;
        moved.push(operand(start));
        behind.push(after);
        reads = after.before(&ops[at], lists);
        ops.swap(at, start);
    }
    Fused { start, moved }
}
