//! A check that code stays inside its own tables: run on everything the compiler emits.

use super::baseline::Operand;
use super::fast::{Fast, FastOp, Term};
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

/// The same of a fast body.
pub fn verify_fast(fast: &Fast) -> Result<(), Defect> {
    if !fast.ops.last().is_some_and(FastOp::is_final) {
        return Err(Defect::NoReturn);
    }
    for (at, op) in fast.ops.iter().enumerate() {
        let mut valid = true;
        op.operands(|_, operand| valid &= exists_fast(fast, operand));
        if !valid {
            return Err(Defect::Operand { at });
        }
    }
    let inside = |label: u16| usize::from(label) < fast.ops.len();
    let handled = fast.handlers.iter().all(|handler| handler.target.is_none_or(|target| inside(target.0)));
    let switched = fast.switches.iter().all(|switch| switch.targets().all(|target| inside(target.0)));
    if handled && switched { Ok(()) } else { Err(Defect::Operand { at: fast.ops.len() }) }
}

fn exists(code: &Code, operand: Operand) -> bool {
    match operand {
        Operand::Reg(reg) => reg == Reg::NONE || reg.0 < code.registers,
        Operand::Const(constant) => (constant.0 as usize) < code.constants.len(),
        Operand::Slot(slot) => code.slots.binary_search_by_key(&slot, |(known, _)| *known).is_ok(),
        Operand::Label(label) => (label.0 as usize) < code.ops.len(),
        Operand::Callee(callee) => (callee.0 as usize) < code.functions.len(),
        Operand::Shape(shape) => (shape.0 as usize) < code.shapes.len(),
        Operand::Failure(failure) => (failure.0 as usize) < code.failures.len(),
        Operand::Plain(_) | Operand::Immediate(_) | Operand::Symbol(_) => true,
        Operand::FastReg(_) | Operand::FastLabel(_) | Operand::Switch(_) | Operand::Interval(_) => false,
    }
}

fn exists_fast(fast: &Fast, operand: Operand) -> bool {
    match operand {
        Operand::FastReg(reg) => u16::from(fast.number(reg).0) < fast.registers,
        Operand::Const(constant) => (constant.0 as usize) < fast.constants.len(),
        Operand::FastLabel(label) => usize::from(label.0) < fast.ops.len(),
        Operand::Callee(callee) => (callee.0 as usize) < fast.functions.len(),
        Operand::Shape(shape) => (shape.0 as usize) < fast.shapes.len(),
        Operand::Switch(switch) => usize::from(switch.0) < fast.switches.len(),
        Operand::Interval(id) => fast.intervals.get(usize::from(id.0)).is_some_and(|terms| {
            terms.iter().all(|term| match term {
                Term::Register(reg) => u16::from(reg.0) < fast.registers,
                _ => true,
            })
        }),
        Operand::Plain(_) | Operand::Immediate(_) | Operand::Symbol(_) => true,
        Operand::Reg(_) | Operand::Slot(_) | Operand::Label(_) | Operand::Failure(_) => false,
    }
}
