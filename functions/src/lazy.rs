//! The functions that the instruction set evaluates itself, because they do not evaluate their
//! arguments like others: `try`, `can`, `convert`. Their semantics are in the virtual machine;
//! conversions to a fixed type are in `conversion`.

use hclvm_vm::{Function, Lazy};

/// `try(expressions...)`: the first argument that evaluates without an error.
pub(crate) fn try_first() -> Function {
    Function::lazy("try", Lazy::Try)
}

/// `can(expression)`: true if the argument evaluates without an error.
pub(crate) fn can() -> Function {
    Function::lazy("can", Lazy::Can)
}

/// `convert(value, type)`: the value converted to a type expression.
pub(crate) fn convert() -> Function {
    Function::lazy("convert", Lazy::Convert)
}
