//! A check that code stays inside its own tables: run on everything the compiler emits.

use super::table::Operand;
use super::{Code, Op, Reg};

/// What is wrong with code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// An operand refers to nothing that exists.
    Operand {
        /// Position of the instruction.
        at: usize,
    },
    /// Execution could run past the end.
    NoReturn,
    /// Origins and instructions are not parallel.
    Origins,
}

/// Checks that every operand refers to something that exists and that the code ends in `Return`.
pub fn verify(code: &Code) -> Result<(), Defect> {
    if code.origins.len() != code.ops.len() {
        return Err(Defect::Origins);
    }
    if !matches!(code.ops.last(), Some(Op::Return { .. })) {
        return Err(Defect::NoReturn);
    }
    for (at, op) in code.ops.iter().enumerate() {
        let mut valid = true;
        op.operands(|_, operand| valid &= exists(code, operand));
        if !valid {
            return Err(Defect::Operand { at });
        }
    }
    Ok(())
}

fn exists(code: &Code, operand: Operand) -> bool {
    match operand {
        Operand::Reg(reg) => reg == Reg::NONE || reg.0 < code.registers,
        Operand::Const(constant) => (constant.0 as usize) < code.constants.len(),
        Operand::Slot(slot) => code.slots.iter().any(|(known, _)| *known == slot),
        Operand::Label(label) => (label.0 as usize) < code.ops.len(),
        Operand::Callee(callee) => (callee.0 as usize) < code.functions.len(),
        Operand::Shape(shape) => (shape.0 as usize) < code.shapes.len(),
        Operand::Failure(failure) => (failure.0 as usize) < code.failures.len(),
        Operand::Plain(_) => true,
    }
}
