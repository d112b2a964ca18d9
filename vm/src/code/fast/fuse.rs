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
    /// Calls `visit` with each register that an instruction reads.
    pub(super) fn reads(self, op: &FastOp, mut visit: impl FnMut(FastReg)) {
        op.operands(|_, operand| match operand {
            Operand::In(reg) | Operand::InOut(reg) => visit(reg),
            Operand::Intervals(id) => {
                for term in self.intervals.get(usize::from(id.0)).into_iter().flatten() {
                    if let Term::Register(reg) = term {
                        visit(*reg);
                    }
                }
            }
            _ => {}
        });
        if let Some((FastReg(base), count)) = op.window(self.shapes) {
            (base..=u8::MAX).take(count).map(FastReg).for_each(visit);
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
    fn before(mut self, op: &FastOp, lists: Lists<'_>) -> Self {
        if let Some(written) = op.written()
            && written.0 < Self::SHARED
        {
            self.0 &= !Self::bit(written);
        }
        lists.reads(op, |reg| self.0 |= Self::bit(reg));
        self
    }
}

/// Fused code.
pub(super) struct Fused {
    /// The position of its first instruction: it is the end of the list of instructions.
    start: usize,
    /// The position of each instruction of the original, and of the end, counted like `start`. Meaningless for
    /// instructions to which nothing leads.
    moved: SmallVec<[u16; 64]>,
}

impl Fused {
    /// Returns the new position of an instruction to which something leads.
    pub(super) fn moved(&self, at: u16) -> u16 {
        let moved = self.moved.get(usize::from(at)).map_or(self.start, |moved| usize::from(*moved));
        operand(moved - self.start)
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

/// Fuses instructions in place. `led_to` says of each position, and of the end, if something leads there. Registers from
/// `others` on are temporaries.
pub(super) fn fuse(ops: &mut [FastOp], led_to: &[bool], others: u16, lists: Lists<'_>) -> Fused {
    let mut moved = SmallVec::from_elem(operand(ops.len()), ops.len() + 1);
    // The set behind each instruction of the fused code.
    let mut behind: SmallVec<[NextReads; 64]> = SmallVec::from_elem(NextReads::default(), ops.len());
    // The first instruction of the fused code, and the position of the original from which on it is fused.
    let mut start = ops.len();
    let mut reads = NextReads::default();
    for at in (0..ops.len()).rev() {
        let mut op = std::mem::replace(&mut ops[at], FastOp::Trap {});
        let mut after = reads;
        // The position in the original of the instruction at `start`.
        let mut begin = at + 1;
        while op.leads()
            && let Some(next) = ops.get(start)
            && !led_to[begin]
            && let Some((fused, between)) = op.fused(next)
            && between.is_none_or(|reg| u16::from(reg.0) >= others && !behind[start].contains(reg))
        {
            (op, after) = (fused, behind[start]);
            start += 1;
            begin = (begin + 1..moved.len()).find(|at| usize::from(moved[*at]) >= start).unwrap_or(begin);
        }
        start -= 1;
        moved[at] = operand(start);
        behind[start] = after;
        reads = after.before(&op, lists);
        ops[start] = op;
    }
    Fused { start, moved }
}
