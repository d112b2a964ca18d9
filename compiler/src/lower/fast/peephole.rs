//! The peephole optimizer: a jump to a return becomes that return, which [fusion](hclvm_vm::code::fast) may make part of
//! the instruction before it.
//!
//! ```text
//! Constant r1 = 1              Constant r1 = 1
//! Jump ─▶ end                  Return r1
//! Constant r1 = 2         ▷    Constant r1 = 2
//! end: Return r1               Return r1
//! ```

use hclvm_vm::code::fast::FastOp;

use super::FastLowering;

impl FastLowering<'_, '_> {
    /// Replaces jumps to a return, or to the addition of a truth to the result of a loop, by that instruction.
    pub(super) fn return_early(&mut self) {
        let labels = &self.labels;
        let ops = self.ops.as_mut_slice();
        for at in 0..ops.len() {
            let FastOp::Jump { to } = ops[at] else { continue };
            let behind = labels.get(usize::from(to.0)).copied().flatten();
            match behind.and_then(|behind| ops.get(usize::from(behind))) {
                Some(FastOp::Return { a }) => ops[at] = FastOp::Return { a: *a },
                Some(FastOp::ReturnBool { truth }) => ops[at] = FastOp::ReturnBool { truth: *truth },
                Some(FastOp::LoopPushBool { truth, to }) => {
                    ops[at] = FastOp::LoopPushBool { truth: *truth, to: *to };
                }
                _ => {}
            }
        }
    }
}
