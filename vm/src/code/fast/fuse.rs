//! Fusion: an instruction and the one before it become a superinstruction, where the instruction table has one that is
//! equal to both. Instructions are fused as they are appended to code.
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

use super::FastOp;
#[cfg(debug_assertions)]
use super::FastReg;
#[cfg(debug_assertions)]
use crate::code::Operand;

/// Fuses instructions that are appended to code.
#[derive(Debug)]
pub struct Fusion {
    /// The instructions before this position are not fused with those behind it.
    complete: usize,
    /// The registers that have values for one instruction each.
    temporaries: Range<u16>,
    /// The registers between parts that were not written since.
    #[cfg(debug_assertions)]
    unwritten: RegisterBits,
}

impl Fusion {
    /// Fuses instructions that use `temporaries` for values of which each is read by one instruction.
    pub const fn new(temporaries: Range<u16>) -> Self {
        Self {
            complete: 0,
            temporaries,
            #[cfg(debug_assertions)]
            unwritten: RegisterBits([0; 4]),
        }
    }

    /// Notes that something leads to the instruction that is appended next, at this position.
    pub const fn lead_to(&mut self, position: usize) {
        self.complete = position;
    }

    /// Fuses an instruction with the last ones of `ops`. Returns the number of those that remain in front of it.
    // Inlined: most instructions are fused with none.
    #[inline]
    pub fn fuse(&mut self, ops: &[FastOp], op: &mut FastOp) -> usize {
        #[cfg(debug_assertions)]
        self.check(op);
        match ops.last() {
            Some(last) if ops.len() > self.complete && last.leads(op) => self.fuse_with_last(ops, op),
            _ => ops.len(),
        }
    }

    /// [`Fusion::fuse`] where the table has a superinstruction for the last instruction and `op`.
    // Out of line: what lowering emits is appended in many places.
    #[inline(never)]
    fn fuse_with_last(&mut self, ops: &[FastOp], op: &mut FastOp) -> usize {
        let mut before = ops.len();
        while before > self.complete
            && let Some((fused, between)) = ops[before - 1].fused(op)
            && between.is_none_or(|reg| self.temporaries.contains(&u16::from(reg.0)))
        {
            #[cfg(debug_assertions)]
            if let Some(reg) = between {
                self.unwritten.set(reg, true);
            }
            *op = fused;
            before -= 1;
        }
        before
    }

    /// Checks that an instruction does not read a register between parts.
    #[cfg(debug_assertions)]
    fn check(&mut self, op: &FastOp) {
        let check =
            |reg| assert!(!self.unwritten.contains(reg), "{op:?} reads {reg:?}, which is between two parts");
        op.operands(|_, operand| {
            if let Operand::In(reg) | Operand::InOut(reg) = operand {
                check(reg);
            }
        });
        if let Some((FastReg(base), count)) = op.window(&[]) {
            (base..=u8::MAX).take(count).map(FastReg).for_each(check);
        }
        if let Some(reg) = op.written() {
            self.unwritten.set(reg, false);
        }
    }
}

/// A set of registers, a bit each. Code is in arenas, where nothing is dropped.
#[cfg(debug_assertions)]
#[derive(Debug)]
struct RegisterBits([u64; 4]);

#[cfg(debug_assertions)]
impl RegisterBits {
    fn set(&mut self, FastReg(reg): FastReg, is_in: bool) {
        let (word, bit) = (&mut self.0[usize::from(reg / 64)], 1 << (reg % 64));
        *word = if is_in { *word | bit } else { *word & !bit };
    }

    fn contains(&self, FastReg(reg): FastReg) -> bool {
        self.0[usize::from(reg / 64)] >> (reg % 64) & 1 == 1
    }
}
