//! Functions that cut at the ends of a text.

use hclvm_vm::function::Function;
use hclvm_vm::types::Type;
use hclvm_vm::value::Value;

use super::part;
use crate::functions::arguments::{string, text_of};

/// `chomp(str)`: without the line ends at its end.
pub(crate) fn chomp() -> Function {
    Function::new("chomp", [string("str")], Type::String, |arena, args, _| {
        Ok(part(arena, text_of(args, 0).trim_end_matches(['\r', '\n'])))
    })
}

/// `trimspace(str)`
pub(crate) fn trimspace() -> Function {
    Function::new("trimspace", [string("str")], Type::String, |arena, args, _| {
        Ok(part(arena, text_of(args, 0).trim()))
    })
}

/// `trim(str, cutset)`: without any characters of the cutset at either end.
pub(crate) fn trim() -> Function {
    Function::new("trim", [string("str"), string("cutset")], Type::String, |arena, args, _| {
        let (text, cutset) = (text_of(args, 0), text_of(args, 1));
        if !arena.charge((text.len() + cutset.len()) as u64) {
            return Ok(Value::DYNAMIC);
        }
        // Sorted, so that a long cutset on a long text stays cheap.
        let mut cut: Vec<char> = cutset.chars().collect();
        cut.sort_unstable();
        Ok(part(arena, text.trim_matches(|c| cut.binary_search(&c).is_ok())))
    })
}

/// `trimprefix(str, prefix)`: once.
pub(crate) fn trimprefix() -> Function {
    Function::new("trimprefix", [string("str"), string("prefix")], Type::String, |arena, args, _| {
        let text = text_of(args, 0);
        Ok(part(arena, text.strip_prefix(text_of(args, 1)).unwrap_or(text)))
    })
}

/// `trimsuffix(str, suffix)`: once.
pub(crate) fn trimsuffix() -> Function {
    Function::new("trimsuffix", [string("str"), string("suffix")], Type::String, |arena, args, _| {
        let text = text_of(args, 0);
        Ok(part(arena, text.strip_suffix(text_of(args, 1)).unwrap_or(text)))
    })
}
