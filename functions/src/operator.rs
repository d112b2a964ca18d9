//! The operators of the language under names.

use hclvm_vm::ops::compare::{Comparison, compare};
use hclvm_vm::ops::equality::{differs, equals};
use hclvm_vm::ops::{OperationFault, arithmetic, logic};
use hclvm_vm::{Accepts, Arena, CallError, Function, Parameter, Type, Value};

use super::arguments::{anything, get, number, of_unknown_type};

/// What an operator of two operands is.
type Binary = for<'a> fn(&'a Arena, Value<'a>, Value<'a>) -> Result<Value<'a>, OperationFault>;

fn failure(fault: OperationFault) -> CallError {
    CallError::new(fault.to_string())
}

fn binary(name: &'static str, parameters: [Parameter; 2], ty: Type<'static>, operator: Binary) -> Function {
    Function::new(name, parameters, ty, move |arena, args, _| {
        operator(arena, get(args, 0), get(args, 1)).map_err(failure)
    })
}

fn calculation(name: &'static str, operator: Binary) -> Function {
    binary(name, ["a", "b"].map(number).map(of_unknown_type), Type::Number, operator)
}

/// `a + b`
pub(crate) fn add() -> Function {
    calculation("add", arithmetic::add)
}

/// `a - b`
pub(crate) fn subtract() -> Function {
    calculation("subtract", arithmetic::subtract)
}

/// `a * b`
pub(crate) fn multiply() -> Function {
    calculation("multiply", arithmetic::multiply)
}

/// `a / b`
pub(crate) fn divide() -> Function {
    calculation("divide", arithmetic::divide)
}

/// `a % b`
pub(crate) fn modulo() -> Function {
    calculation("modulo", arithmetic::modulo)
}

/// Operands whose marks the operator deals with.
const OPERAND: Accepts = Accepts::PLAIN.dynamic().marked();

/// `-num`
pub(crate) fn negate() -> Function {
    Function::new("negate", [number("num").accepting(OPERAND)], Type::Number, |arena, args, _| {
        arithmetic::negate(arena, get(args, 0)).map_err(failure)
    })
}

fn bool(name: &str) -> Parameter {
    Parameter::new(name, Type::Bool).accepting(OPERAND)
}

/// `!val`
pub(crate) fn not() -> Function {
    Function::new("not", [bool("val")], Type::Bool, |arena, args, _| {
        logic::not(arena, get(args, 0)).map_err(failure)
    })
}

/// `a && b`, both evaluated.
pub(crate) fn and() -> Function {
    binary("and", ["a", "b"].map(bool), Type::Bool, logic::and)
}

/// `a || b`, both evaluated.
pub(crate) fn or() -> Function {
    binary("or", ["a", "b"].map(bool), Type::Bool, logic::or)
}

fn comparison(name: &'static str, operator: Binary) -> Function {
    let operand = |name| number(name).accepting(OPERAND.unknown());
    binary(name, ["a", "b"].map(operand), Type::Bool, operator)
}

/// `a < b`
pub(crate) fn lessthan() -> Function {
    comparison("lessthan", |arena, a, b| compare(arena, Comparison::Less, a, b))
}

/// `a <= b`
pub(crate) fn lessthanorequalto() -> Function {
    comparison("lessthanorequalto", |arena, a, b| compare(arena, Comparison::LessOrEqual, a, b))
}

/// `a > b`
pub(crate) fn greaterthan() -> Function {
    comparison("greaterthan", |arena, a, b| compare(arena, Comparison::Greater, a, b))
}

/// `a >= b`
pub(crate) fn greaterthanorequalto() -> Function {
    comparison("greaterthanorequalto", |arena, a, b| compare(arena, Comparison::GreaterOrEqual, a, b))
}

/// `a == b`
pub(crate) fn equal() -> Function {
    binary("equal", ["a", "b"].map(anything), Type::Bool, |arena, a, b| Ok(equals(arena, a, b)))
}

/// `a != b`
pub(crate) fn notequal() -> Function {
    binary("notequal", ["a", "b"].map(anything), Type::Bool, |arena, a, b| Ok(differs(arena, a, b)))
}
