//! `templatefile`: renders a file as a template that sees only the given variables.
//!
//! This crate has no language engine, so the caller supplies a [`TemplateRenderer`].

use std::fmt::Debug;
use std::sync::Arc;

use hclvm_vm::{Arena, CallError, Entry, Function, Type, Value};

use super::read_text;
use crate::arguments::{any, get, string, text_of};
use crate::capability::Capabilities;

/// Renders the templates of `templatefile`.
pub trait TemplateRenderer: Debug + Send + Sync {
    /// True if a template can have a variable of this name.
    fn is_variable_name(&self, name: &str) -> bool;

    /// Renders `text`, the content of the file at `path`, with `variables` and no others. The work and
    /// the memory of it count against the limits of `arena`; the result is [`Value::DYNAMIC`] once one
    /// of these is exceeded.
    ///
    /// # Errors
    ///
    /// Fails with the first error in the template and its place.
    fn render<'a>(
        &self,
        arena: &'a Arena,
        path: &str,
        text: &str,
        variables: &[Entry<'a>],
    ) -> Result<Value<'a>, CallError>;
}

/// `templatefile(path, vars)`: the template sees only `vars`.
pub(crate) fn templatefile(granted: &Capabilities, renderer: Arc<dyn TemplateRenderer>) -> Function {
    let granted = granted.clone();
    Function::new("templatefile", [string("path"), any("vars")], Type::Dynamic, move |arena, args, _| {
        let (path, variables) = (text_of(args, 0), entries(&*renderer, get(args, 1))?);
        // Looking up and sorting the names is proportional to their length.
        let names = variables.iter().map(|entry| entry.name.len() as u64 + 4).sum();
        if !arena.charge(names) {
            return Ok(Value::DYNAMIC);
        }
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

fn entries<'a>(renderer: &dyn TemplateRenderer, variables: Value<'a>) -> Result<&'a [Entry<'a>], CallError> {
    let entries = variables
        .as_entries()
        .ok_or_else(|| CallError::argument(1, "the variables of the template must be an object or a map"))?;
    match entries.iter().find(|entry| !renderer.is_variable_name(entry.name)) {
        None => Ok(entries),
        Some(entry) => {
            let message = format!("{:?} cannot be the name of a variable in a template", entry.name);
            Err(CallError::argument(1, message))
        }
    }
}
