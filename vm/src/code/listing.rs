//! Code as text: one line an instruction, with what its operands stand for.

use std::fmt::Write as _;

use super::table::Operand;
use super::{Code, Reg};

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
            let separator = if operands.is_empty() { "" } else { ", " };
            operands.push_str(separator);
            show(&mut operands, code, name, operand);
        });
        Line { at, name: op.name(), operands, node: origin.node }
    })
}

/// The lines of the fast body's listing; none when there is no fast body.
pub fn fast_lines(code: &Code) -> impl Iterator<Item = Line> + '_ {
    let ops = code.fast.as_ref().map(|fast| &*fast.ops).unwrap_or_default();
    ops.iter().enumerate().map(|(at, op)| {
        let mut operands = String::new();
        op.operands(|name, operand| {
            let separator = if operands.is_empty() { "" } else { ", " };
            operands.push_str(separator);
            show(&mut operands, code, name, operand);
        });
        Line { at, name: op.name(), operands, node: 0 }
    })
}

fn show(out: &mut String, code: &Code, name: &str, operand: Operand) {
    // Writing to a string cannot fail.
    let _ = match operand {
        Operand::Reg(Reg::NONE) => write!(out, "{name}=none"),
        Operand::Reg(reg) => write!(out, "{name}={reg:?}"),
        Operand::Const(constant) => write!(out, "{:?}", code.constants.get(constant.0 as usize)),
        Operand::Slot(slot) => {
            let variable = code.slots.iter().find(|(known, _)| *known == slot);
            write!(out, "{}", variable.map_or("?", |(_, name)| name.as_str()))
        }
        Operand::Label(label) => write!(out, "{name}{label:?}"),
        Operand::Callee(callee) => {
            write!(
                out,
                "{}",
                code.functions.get(callee.0 as usize).map_or("?", |function| function.name.as_str())
            )
        }
        Operand::Shape(shape) => {
            let names = code.shapes.get(shape.0 as usize).map(|shape| &*shape.names).unwrap_or_default();
            let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
            write!(out, "{{{}}}", names.join(" "))
        }
        Operand::Failure(failure) => {
            write!(out, "{:?}", code.failures.get(failure.0 as usize))
        }
        Operand::FastReg(reg) => write!(out, "{name}={reg:?}"),
        Operand::FastLabel(label) => write!(out, "{name}{label:?}"),
        Operand::Symbol(symbol) => {
            let name = code.fast.as_ref().and_then(|fast| fast.name(symbol));
            write!(
                out,
                ".{}",
                name.and_then(|name| code.constants.get(name.0 as usize).as_str()).unwrap_or("?")
            )
        }
        Operand::Immediate(number) => write!(out, "{number:?}"),
        Operand::Switch(switch) => write!(out, "{switch:?}"),
        Operand::Plain(plain) => write!(out, "{name}={plain:?}"),
    };
}
