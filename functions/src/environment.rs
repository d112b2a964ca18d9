//! Functions of the process: `env`.

use hclvm_vm::{Function, Type, Value};

use super::arguments::{may_read, string, text_of};
use super::capability::Capabilities;
use super::text_builder::text_value;

/// `env(key)`: a variable of the environment, empty when it is not set.
pub(crate) fn env(granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new("env", [string("key")], Type::String, move |arena, args, _| {
        if !may_read(arena, text_of(args, 0)) {
            return Ok(Value::DYNAMIC);
        }
        let value = granted.granted_environment()?.variable(text_of(args, 0)).unwrap_or_default();
        arena.charge(value.len() as u64);
        Ok(text_value(arena, &value))
    })
    .impure()
}
