//! Listings of code: one line per instruction, with the constants, names and functions to which its
//! operands refer. A listing is for people: code cannot be read back from it.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use super::fast::{Fast, FastLabel, Scaled};
use super::{Callee, Code, Const, Label, Operand, Reg, Shape, ShapeId};
use crate::fault::Fault;
use crate::function::Function;
use crate::memory::cast::index;
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

/// Returns the listing of baseline code.
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

/// Returns the listing of fast code.
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

fn show(out: &mut String, code: &Code, name: &str, operand: Operand<Reg, Label>) {
    let _ = match operand {
        Operand::Constant(constant) => show_constant(out, &code.constants, constant),
        Operand::Slot(slot) => {
            let variable = code.slots.iter().find(|(known, _)| *known == slot);
            write!(out, "{}", variable.map_or("?", |(_, name)| name.as_str()))
        }
        Operand::Function(callee) => show_function(out, &code.functions, callee),
        Operand::Shape(shape) => show_shape(out, &code.shapes, shape),
        Operand::Failure(failure) => {
            let title = code.failures.get(index(failure.0)).map(|failure| Fault::Failure(failure).title());
            write!(out, "({})", title.as_deref().unwrap_or("?"))
        }
        operand if operand.register() == Some(Reg::NONE) => write!(out, "{name}=none"),
        operand => show_plain(out, name, operand),
    };
}

fn show_fast(out: &mut String, fast: &Fast, name: &str, operand: Operand<Scaled, FastLabel>) {
    let _ = match operand {
        Operand::Constant(constant) => show_constant(out, &fast.constants, constant),
        Operand::Function(callee) => show_function(out, &fast.functions, callee),
        Operand::Shape(shape) => show_shape(out, &fast.shapes, shape),
        Operand::Name(symbol) => {
            let name = fast.name(symbol);
            write!(out, ".{}", name.unwrap_or("?"))
        }
        operand => match operand.register() {
            Some(operand) => write!(out, "{name}={:?}", fast.register(operand)),
            None => show_plain(out, name, operand),
        },
    };
}

fn show_constant(out: &mut String, constants: &Constants, constant: Const) -> fmt::Result {
    write!(out, "{:?}", constants.get(index(constant.0)))
}

fn show_function(out: &mut String, functions: &[Arc<Function>], callee: Callee) -> fmt::Result {
    write!(out, "{}", functions.get(usize::from(callee.0)).map_or("?", |function| function.name.as_str()))
}

fn show_shape(out: &mut String, shapes: &[Shape], shape: ShapeId) -> fmt::Result {
    let names = shapes.get(index(shape.0)).map(|shape| &*shape.names).unwrap_or_default();
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    write!(out, "{{{}}}", names.join(" "))
}

/// An operand whose text depends on nothing but itself.
fn show_plain<R, L>(out: &mut String, name: &str, operand: Operand<R, L>) -> fmt::Result
where
    R: fmt::Debug,
    L: fmt::Debug,
{
    match operand {
        Operand::Out(reg) | Operand::In(reg) | Operand::InOut(reg) | Operand::Window(reg) => {
            write!(out, "{name}={reg:?}")
        }
        Operand::Jump(label) => write!(out, "{name}{label:?}"),
        Operand::Number(number) => write!(out, "{number:?}"),
        Operand::Switch(switch) => write!(out, "{switch:?}"),
        Operand::Cache(number) => write!(out, "{name}={number}"),
        Operand::Count(number) => write!(out, "{name}={number}"),
        Operand::Position(position) => write!(out, "{name}={position:?}"),
        Operand::Choice(choice) => write!(out, "{name}={choice:?}"),
        Operand::Intervals(id) => write!(out, "{name}={id:?}"),
        // The callers show these with what they refer to.
        Operand::Constant(_)
        | Operand::Function(_)
        | Operand::Shape(_)
        | Operand::Slot(_)
        | Operand::Failure(_)
        | Operand::Name(_) => Ok(()),
    }
}
