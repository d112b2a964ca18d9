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

use super::{FastOp, FastReg, Term};
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

/// The positions to which something leads, and where these are in fused code.
#[derive(Default)]
pub(super) struct Targets {
    /// The positions in the original; ascending.
    from: SmallVec<[u16; 16]>,
    /// The positions in fused code of as many of them as are known.
    to: SmallVec<[u16; 16]>,
}

impl Targets {
    pub(super) fn of(positions: impl IntoIterator<Item = u16>) -> Self {
        let mut from: SmallVec<[u16; 16]> = positions.into_iter().collect();
        from.sort_unstable();
        from.dedup();
        Self { from, to: SmallVec::new() }
    }

    /// Returns the next position whose place in fused code is not known.
    fn next(&self) -> usize {
        self.from.get(self.to.len()).map_or(usize::MAX, |at| usize::from(*at))
    }

    /// Returns the place in fused code of one of the positions.
    pub(super) fn moved(&self, at: u16) -> u16 {
        self.from.binary_search(&at).ok().and_then(|number| self.to.get(number)).copied().unwrap_or(at)
    }
}

/// Fuses instructions in place, and returns those of the fused code. `targets` are the positions to which something leads.
/// The registers in `temporaries` have values for one instruction each.
///
/// Each instruction is fused with the one before it as often as there is a superinstruction for both.
pub(super) fn fuse<'o>(
    ops: &'o mut [FastOp],
    targets: &mut Targets,
    temporaries: &Range<u16>,
    lists: Lists<'_>,
) -> &'o [FastOp] {
    // The number of instructions of the fused code so far, of which those below `last` are complete.
    let (mut count, mut last) = (0, 0);
    let mut target = targets.next();
    for at in 0..ops.len() {
        if at == target {
            last = count;
            targets.to.push(operand(count));
            target = targets.next();
        }
        while count > last
            && let Some((fused, between)) = ops[count - 1].fused(&ops[at])
            && between.is_none_or(|reg| temporaries.contains(&u16::from(reg.0)))
        {
            debug_assert!(
                between.is_none_or(|reg| !is_read(&ops[at + 1..], reg, lists)),
                "the value between two parts is read later: {fused:?}"
            );
            ops[at] = fused;
            count -= 1;
        }
        if count != at {
            ops.swap(count, at);
        }
        count += 1;
    }
    // The end.
    while targets.to.len() < targets.from.len() {
        targets.to.push(operand(count));
    }
    &ops[..count]
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
