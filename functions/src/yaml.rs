//! YAML: `yamldecode` and `yamlencode`.

mod decode;
mod encode;
mod scalar;

use hclvm_vm::{CallError, Function, Type, Value};

use super::arguments::{anything, get, string, text_of};
use super::text_builder::TextBuilder;

/// `yamldecode(src)`: the value of the only document.
pub(crate) fn yamldecode() -> Function {
    Function::new("yamldecode", [string("src")], Type::Dynamic, |arena, args, _| {
        let source = text_of(args, 0);
        if !arena.charge(source.len() as u64) {
            return Ok(Value::DYNAMIC);
        }
        decode::decode(arena, source).map_err(|why| CallError::new(format!("the text is not YAML: {why}")))
    })
    .refined(None)
}

/// `yamlencode(value)`: block style, texts in quotes, keys in order.
pub(crate) fn yamlencode() -> Function {
    Function::new("yamlencode", [anything("value")], Type::String, |arena, args, ty| {
        let value = get(args, 0);
        if !value.is_wholly_known() {
            return Ok(Value::unknown_of(arena, ty));
        }
        let mut out = TextBuilder::new(arena);
        encode::write(&mut out, value);
        Ok(out.value())
    })
}
