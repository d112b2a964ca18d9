//! Templates that a program renders: `templatestring` here, `templatefile` in `file`.
//!
//! This crate has no language engine, so the caller supplies a [`TemplateRenderer`].

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use hclvm_vm::{Accepts, Arena, CallError, Entry, Function, FunctionTable, Marks, Type, Value};

use super::arguments::{CallResult, any_marked, get, string, take_marks};

/// Renders the templates of `templatefile` and `templatestring`.
pub trait TemplateRenderer: Debug + Send + Sync {
    /// True if a template can have a variable of this name.
    fn is_variable_name(&self, name: &str) -> bool;

    /// Renders `text`, which messages call `name`, with `variables` and no others. The work and
    /// the memory of it count against the limits of `arena`; the result is [`Value::DYNAMIC`] once one
    /// of these is exceeded.
    ///
    /// # Errors
    ///
    /// Fails with the first error in the template and its place.
    fn render<'a>(
        &self,
        arena: &'a Arena,
        name: &str,
        text: &str,
        variables: &[Entry<'a>],
    ) -> Result<Value<'a>, CallError>;
}

/// Makes the renderer of templates that can call the functions of a table.
pub type MakeRenderer = fn(FunctionTable) -> Arc<dyn TemplateRenderer>;

/// How deep templates can render further templates: each takes native stack.
const DEEPEST: u8 = 8;

/// The units of work to compile a byte of a template.
const WORK_TO_COMPILE: u64 = 4;

/// Replaces `templatestring` in a table by the function whose templates can call the functions of the table, itself
/// included.
pub(crate) fn add_templatestring(table: &mut FunctionTable, make: MakeRenderer) {
    let function = templatestring(table, make, DEEPEST);
    replace(table, &function);
}

/// Replaces the function under all of its names.
fn replace(table: &mut FunctionTable, function: &Function) {
    for name in ["templatestring", "core::templatestring"] {
        if table.get(name).is_some() {
            table.insert(name, function.clone());
        }
    }
}

/// `templatestring(template, vars)`: the template sees only `vars`. `table` has the functions that it can call.
fn templatestring(table: &FunctionTable, make: MakeRenderer, depth: u8) -> Function {
    let table = table.clone();
    let renderer = OnceLock::new();
    // Made by the first call: most programs have none.
    let renderer = move || {
        let made: &Arc<dyn TemplateRenderer> = renderer.get_or_init(|| {
            let mut inner = table.clone();
            let function = match depth {
                1 => nested_templatestring(),
                _ => templatestring(&table, make, depth - 1),
            };
            replace(&mut inner, &function);
            make(inner)
        });
        Arc::clone(made)
    };
    of_template(move |arena, text, variables| {
        let renderer = renderer();
        let variables = entries(arena, &*renderer, variables)?;
        let Some(variables) = variables else { return Ok(Value::DYNAMIC) };
        if !arena.charge(text.len() as u64 * WORK_TO_COMPILE) {
            return Ok(Value::DYNAMIC);
        }
        renderer.render(arena, "template", text, variables)
    })
}

/// `templatestring` in the innermost template: always an error.
pub(crate) fn nested_templatestring() -> Function {
    of_template(|_, _, _| {
        Err(CallError::new(format!("a template can render others up to {DEEPEST} deep, not deeper")))
    })
}

/// Creates the function around the rendering: the result has the marks of both arguments. Marked variables mark
/// it where the template uses them.
fn of_template(
    render: impl for<'a> Fn(&'a Arena, &str, Value<'a>) -> CallResult<'a> + Send + Sync + 'static,
) -> Function {
    let parameters = [string("template").accepting(Accepts::PLAIN.marked()), any_marked("vars")];
    Function::new("templatestring", parameters, Type::Dynamic, move |arena, args, _| {
        let mut marks = Marks::NONE;
        let [template, variables] = [0, 1].map(|index| take_marks(arena, get(args, index), &mut marks));
        let rendered = render(arena, template.as_str().unwrap_or_default(), variables)?;
        Ok(rendered.with_marks(arena, marks))
    })
    .refined(None)
}

/// Returns the variables of a template; `None` if the budget is exhausted.
pub(crate) fn entries<'a>(
    arena: &Arena,
    renderer: &dyn TemplateRenderer,
    variables: Value<'a>,
) -> Result<Option<&'a [Entry<'a>]>, CallError> {
    let entries = variables
        .as_entries()
        .ok_or_else(|| CallError::argument(1, "the variables of the template must be an object or a map"))?;
    if let Some(entry) = entries.iter().find(|entry| !renderer.is_variable_name(entry.name)) {
        let message = format!("{:?} cannot be the name of a variable in a template", entry.name);
        return Err(CallError::argument(1, message));
    }
    // Looking up and sorting the names is proportional to their length.
    let names = entries.iter().map(|entry| entry.name.len() as u64 + 4).sum();
    Ok(arena.charge(names).then_some(entries))
}
