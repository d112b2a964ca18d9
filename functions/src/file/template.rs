//! `templatefile`: renders a file as a template that sees only the given variables.

use std::sync::Arc;

use hclvm_vm::{CallError, Function, Type, Value};

use super::read_text;
use crate::arguments::{any, get, string, text_of};
use crate::capability::Capabilities;
use crate::template::{TemplateRenderer, entries};

/// `templatefile(path, vars)`: the template sees only `vars`.
pub(crate) fn templatefile(granted: &Capabilities, renderer: Arc<dyn TemplateRenderer>) -> Function {
    let granted = granted.clone();
    Function::new("templatefile", [string("path"), any("vars")], Type::Dynamic, move |arena, args, _| {
        let path = text_of(args, 0);
        let Some(variables) = entries(arena, &*renderer, get(args, 1))? else { return Ok(Value::DYNAMIC) };
        match read_text(arena, &granted, path)? {
            Some(text) => renderer.render(arena, path, &text, variables),
            None => Ok(Value::DYNAMIC),
        }
    })
    .refined(None)
    .impure()
}

/// `templatefile` as template files themselves see it: always an error.
pub(crate) fn nested_templatefile() -> Function {
    Function::new("templatefile", [string("path"), any("vars")], Type::Dynamic, |_, _, _| {
        Err(CallError::new("a template file cannot render another one"))
    })
    .refined(None)
    .impure()
}
