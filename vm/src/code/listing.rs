//! Code as text: one line an instruction, with what its operands stand for.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use super::baseline::Operand;
use super::fast::Fast;
use super::{Callee, Code, Const, Reg, Shape, ShapeId};
use crate::fault::Fault;
use crate::function::Function;
use crate::value::Constants;

/// One instruction of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Position of the instruction.
    pub at: usize,
    /// Its name.
    pub name: &'static str,
    /// Its operands.
    pub operands: String,
    /// The node it came from, counted from the first node of the expression.
    pub node: u32,
}

/// The lines of a listing.
pub fn lines(code: &Code) -> impl Iterator<Item = Line> + '_ {
    code.ops.iter().zip(&code.origins).enumerate().map(|(at, (op, origin))| {
        let mut operands = String::new();
        op.operands(|name, operand| {
            separate(&mut operands);
            show(&mut operands, code, name, operand);
        });
        Line { at, name: op.name(), operands, node: origin.node }
    })
}

/// The lines of a fast body's listing.
pub fn fast_lines(fast: &Fast) -> impl Iterator<Item = Line> + '_ {
    fast.ops.iter().enumerate().map(|(at, op)| {
        let mut operands = String::new();
        op.operands(|name, operand| {
            separate(&mut operands);
            show_fast(&mut operands, fast, name, operand);
        });
        Line { at, name: op.name(), operands, node: 0 }
    })
}

fn separate(operands: &mut String) {
    if !operands.is_empty() {
        operands.push_str(", ");
    }
}

// Writing to a string cannot fail.

fn show(out: &mut String, code: &Code, name: &str, operand: Operand) {
    let _ = match operand {
        Operand::Const(constant) => show_constant(out, &code.constants, constant),
        Operand::Slot(slot) => {
            let variable = code.slots.iter().find(|(known, _)| *known == slot);
            write!(out, "{}", variable.map_or("?", |(_, name)| name.as_str()))
        }
        Operand::Callee(callee) => show_function(out, &code.functions, callee),
        Operand::Shape(shape) => show_shape(out, &code.shapes, shape),
        Operand::Failure(failure) => {
            let title = code.failures.get(failure.0 as usize).map(|failure| Fault::Failure(failure).title());
            write!(out, "({})", title.as_deref().unwrap_or("?"))
        }
        operand => show_plain(out, name, operand),
    };
}

fn show_fast(out: &mut String, fast: &Fast, name: &str, operand: Operand) {
    let _ = match operand {
        Operand::Const(constant) => show_constant(out, &fast.constants, constant),
        Operand::Callee(callee) => show_function(out, &fast.functions, callee),
        Operand::Shape(shape) => show_shape(out, &fast.shapes, shape),
        Operand::FastReg(reg) => show_plain(out, name, Operand::FastReg(fast.number(reg))),
        Operand::Symbol(symbol) => {
            let name = fast.name(symbol);
            write!(out, ".{}", name.unwrap_or("?"))
        }
        operand => show_plain(out, name, operand),
    };
}

fn show_constant(out: &mut String, constants: &Constants, constant: Const) -> fmt::Result {
    write!(out, "{:?}", constants.get(constant.0 as usize))
}

fn show_function(out: &mut String, functions: &[Arc<Function>], callee: Callee) -> fmt::Result {
    write!(out, "{}", functions.get(callee.0 as usize).map_or("?", |function| function.name.as_str()))
}

fn show_shape(out: &mut String, shapes: &[Shape], shape: ShapeId) -> fmt::Result {
    let names = shapes.get(shape.0 as usize).map(|shape| &*shape.names).unwrap_or_default();
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    write!(out, "{{{}}}", names.join(" "))
}

/// An operand that says everything itself.
fn show_plain(out: &mut String, name: &str, operand: Operand) -> fmt::Result {
    match operand {
        Operand::Reg(Reg::NONE) => write!(out, "{name}=none"),
        Operand::Reg(reg) => write!(out, "{name}={reg:?}"),
        Operand::Label(label) => write!(out, "{name}{label:?}"),
        Operand::FastReg(reg) => write!(out, "{name}={reg:?}"),
        Operand::FastLabel(label) => write!(out, "{name}{label:?}"),
        Operand::Immediate(number) => write!(out, "{number:?}"),
        Operand::Switch(switch) => write!(out, "{switch:?}"),
        Operand::Plain(plain) => write!(out, "{name}={plain:?}"),
        other => write!(out, "{name}={other:?}"),
    }
}
