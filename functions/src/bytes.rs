//! Functions of byte buffers. No value of the language is one, so that calls end at the
//! conversion of their arguments unless these are unknown.

use hclvm_vm::{CallError, Function, Parameter, Type};

use super::arguments::{number, of_unknown_type};

const BYTES: Type<'static> = Type::Capsule("bytes");

fn no_bytes() -> CallError {
    CallError::argument(0, "a buffer of bytes is required")
}

/// `byteslen(buf)`
pub(crate) fn byteslen() -> Function {
    let buffer = of_unknown_type(Parameter::new("buf", BYTES));
    Function::new("byteslen", [buffer], Type::Number, |_, _, _| Err(no_bytes()))
}

/// `bytesslice(buf, offset, length)`
pub(crate) fn bytesslice() -> Function {
    let parameters = [Parameter::new("buf", BYTES), number("offset"), number("length")];
    Function::new("bytesslice", parameters.map(of_unknown_type), BYTES, |_, _, _| Err(no_bytes()))
}
