//! The verifier: checks that every operand of code refers to an existing entry of its tables. It runs on all
//! code that the compiler emits; it does not check what the code computes.

use super::fast::{Fast, FastLabel, FastOp, Scaled, Term};
use super::{Code, Label, Op, Operand, Reg};
use crate::memory::cast::index;

/// A defect of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// An operand refers to an entry that does not exist.
    Operand {
        /// Position of the instruction.
        at: usize,
    },
    /// Execution could run past the end.
    NoReturn,
    /// Origins and instructions are not parallel.
    Origins,
}

/// Checks that every operand refers to an existing entry and that the code ends in `Return`.
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

/// Checks that every operand of fast code refers to an existing entry and that execution cannot run past
/// its end.
pub fn verify_fast(fast: &Fast) -> Result<(), Defect> {
    if !fast.ops.last().is_some_and(FastOp::is_final) {
        return Err(Defect::NoReturn);
    }
    for (at, op) in fast.ops.iter().enumerate() {
        let mut valid = true;
        op.operands(|_, operand| valid &= exists_fast(fast, operand));
        if let Some((base, count)) = op.window(&fast.shapes) {
            valid &= usize::from(fast.register(base).0) + count <= usize::from(fast.registers).max(1);
        }
        if !valid {
            return Err(Defect::Operand { at });
        }
    }
    let inside = |label: u16| usize::from(label) < fast.ops.len();
    let handled = fast.handlers.iter().all(|handler| handler.target.is_none_or(|target| inside(target.0)));
    let switched = fast.switches.iter().all(|switch| switch.targets().all(|target| inside(target.0)));
    if handled && switched { Ok(()) } else { Err(Defect::Operand { at: fast.ops.len() }) }
}

/// Returns true if an operand refers to an existing entry of the table that its role determines.
fn exists(code: &Code, operand: Operand<Reg, Label>) -> bool {
    match operand {
        Operand::Out(reg)
        | Operand::In(reg)
        | Operand::InOut(reg)
        | Operand::Window(reg)
        | Operand::Free(reg) => reg == Reg::NONE || reg.0 < code.registers,
        Operand::Constant(constant) => index(constant.0) < code.constants.len(),
        Operand::Slot(slot) => code.slots.binary_search_by_key(&slot, |(known, _)| *known).is_ok(),
        Operand::Jump(label) => index(label.0) < code.ops.len(),
        Operand::Function(callee) => usize::from(callee.0) < code.functions.len(),
        Operand::Shape(shape) => index(shape.0) < code.shapes.len(),
        Operand::Failure(failure) => index(failure.0) < code.failures.len(),
        Operand::Name(_)
        | Operand::Cache(_)
        | Operand::Count(_)
        | Operand::Position(_)
        | Operand::Number(_)
        | Operand::Choice(_) => true,
        Operand::Switch(_) | Operand::Intervals(_) => false,
    }
}

fn exists_fast(fast: &Fast, operand: Operand<Scaled, FastLabel>) -> bool {
    match operand {
        Operand::Out(reg)
        | Operand::In(reg)
        | Operand::InOut(reg)
        | Operand::Window(reg)
        | Operand::Free(reg) => u16::from(fast.register(reg).0) < fast.registers,
        Operand::Constant(constant) => index(constant.0) < fast.constants.len(),
        Operand::Jump(label) => usize::from(label.0) < fast.ops.len(),
        Operand::Function(callee) => usize::from(callee.0) < fast.functions.len(),
        Operand::Shape(shape) => index(shape.0) < fast.shapes.len(),
        Operand::Switch(switch) => usize::from(switch.0) < fast.switches.len(),
        Operand::Intervals(id) => fast.intervals.get(usize::from(id.0)).is_some_and(|terms| {
            terms.iter().all(|term| match term {
                Term::Register(reg) => u16::from(reg.0) < fast.registers,
                Term::Constant(_, Some(constant)) => index(constant.0) < fast.constants.len(),
                _ => true,
            })
        }),
        Operand::Name(_)
        | Operand::Cache(_)
        | Operand::Count(_)
        | Operand::Position(_)
        | Operand::Number(_)
        | Operand::Choice(_) => true,
        Operand::Slot(_) | Operand::Failure(_) => false,
    }
}
