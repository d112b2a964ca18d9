//! `templatefile`: a file as a template with variables of its own.

use std::sync::Arc;

use hclvm_compiler::token::is_identifier;
use hclvm_vm::{
    Arena, CallError, Diagnostic, Entry, Function, FunctionTable, Layout, Limits, Type, Value, copy,
};

use super::read_text;
use crate::functions::arguments::{Outcome, any, get, string, text_of};
use crate::functions::capability::Capabilities;
use crate::session::{Tier, evaluate_in};
use crate::{Diagnostics, Engine, Error, ErrorKind};

/// `templatefile(path, vars)`: the template sees only `vars`, and calls only the functions of
/// `table`.
pub(crate) fn templatefile(granted: &Capabilities, table: FunctionTable) -> Function {
    let granted = granted.clone();
    let engine = Engine::builder().functions(table).build();
    Function::new("templatefile", [string("path"), any("vars")], Type::Dynamic, move |arena, args, _| {
        let (path, variables) = (text_of(args, 0), entries(get(args, 1))?);
        // The names are looked at and put in order.
        let names = variables.iter().map(|entry| entry.name.len() as u64 + 4).sum();
        if !arena.charge(names) {
            return Ok(Value::DYNAMIC);
        }
        match read_text(arena, &granted, path)? {
            Some(text) => rendered(&engine, arena, path, &text, variables),
            None => Ok(Value::DYNAMIC),
        }
    })
    .refined(None)
    .impure()
}

/// What `templatefile` is inside of a template file.
pub(crate) fn nested_templatefile() -> Function {
    Function::new("templatefile", [string("path"), any("vars")], Type::Dynamic, |_, _, _| {
        Err(CallError::new("a template file cannot render another one"))
    })
    .refined(None)
    .impure()
}

fn entries(variables: Value<'_>) -> Result<&[Entry<'_>], CallError> {
    let entries = variables
        .as_entries()
        .ok_or_else(|| CallError::argument(1, "the variables of the template must be an object or a map"))?;
    match entries.iter().find(|entry| !is_identifier(entry.name)) {
        None => Ok(entries),
        Some(entry) => {
            let message = format!("{:?} cannot be the name of a variable in a template", entry.name);
            Err(CallError::argument(1, message))
        }
    }
}

fn rendered<'a>(
    engine: &Engine,
    arena: &'a Arena,
    path: &str,
    text: &str,
    variables: &[Entry<'a>],
) -> Outcome<'a> {
    let layout = Arc::new(Layout::new(variables.iter().map(|entry| entry.name)));
    let refused = |error: Error| failure(arena, path, &error);
    let program = match engine.compile_template(text, &layout) {
        Ok(program) => program,
        Err(error) => return refused(error),
    };
    let slots: Vec<Value<'_>> = variables.iter().map(|entry| entry.value).collect();
    let mut own = Arena::with_limits(what_is_left(arena));
    own.set_interrupt(arena.budget().interrupt().cloned());
    // The full body finds attributes by name: those of the variables have the caller's symbols.
    let evaluation = evaluate_in(&own, Tier::Baseline, &program, &slots);
    arena.charge(arena.budget().fuel().saturating_sub(own.budget().fuel()));
    match evaluation {
        Err(error) => refused(error),
        Ok(evaluation) if evaluation.diagnostics.has_errors() => Err(blamed(path, &evaluation.diagnostics)),
        Ok(evaluation) if arena.has_room(own.allocated_bytes()) => Ok(copy(arena, evaluation.value)),
        Ok(_) => Ok(Value::DYNAMIC),
    }
}

/// The limits of the template: what the calling evaluation has not spent.
fn what_is_left(arena: &Arena) -> Limits {
    let limits = *arena.budget().limits();
    Limits {
        fuel: arena.budget().fuel(),
        arena_bytes: limits.arena_bytes.saturating_sub(arena.allocated_bytes()),
        ..limits
    }
}

/// A template that could not be compiled or run; a limit is the limit of the caller.
fn failure<'a>(arena: &'a Arena, path: &str, error: &Error) -> Outcome<'a> {
    match error.kind() {
        ErrorKind::Limit(limit) => {
            arena.budget().exhaust(limit.exhausted);
            Ok(Value::DYNAMIC)
        }
        ErrorKind::Diagnostics(diagnostics) => Err(blamed(path, diagnostics)),
        _ => Err(CallError::argument(0, format!("{path:?} cannot be rendered: {error}"))),
    }
}

fn blamed(path: &str, diagnostics: &Diagnostics) -> CallError {
    let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let place = first.and_then(|first| first.subject).map(|span| diagnostics.source().position(span.start));
    let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
    let what = first.map(Diagnostic::to_string).unwrap_or_default();
    CallError::argument(0, format!("{path}:{line}:{column}: {}", what.trim_end_matches('.')))
}
