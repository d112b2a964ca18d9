//! Renders the templates of `templatefile` and `templatestring` with an engine of their own.

use std::sync::Arc;

use hclvm_compiler::is_identifier;
use hclvm_functions::TemplateRenderer;
use hclvm_vm::{Arena, CallError, Diagnostic, Entry, FunctionTable, Layout, Limits, Value, copy};

use crate::compile::settings::Engine;
use crate::diagnostics::error::{Diagnostics, Error, ErrorKind};
use crate::run::session::{Tier, evaluate_in};

/// An engine with the functions that templates can call.
#[derive(Debug)]
pub(crate) struct EngineRenderer(Engine);

impl EngineRenderer {
    /// Creates a renderer whose templates call the functions of `table`.
    pub(crate) fn with_functions(table: FunctionTable) -> Arc<dyn TemplateRenderer> {
        Arc::new(Self(Engine::builder().functions(table).build()))
    }
}

impl TemplateRenderer for EngineRenderer {
    fn is_variable_name(&self, name: &str) -> bool {
        is_identifier(name)
    }

    fn render<'a>(
        &self,
        arena: &'a Arena,
        name: &str,
        text: &str,
        variables: &[Entry<'a>],
    ) -> Result<Value<'a>, CallError> {
        let layout = Arc::new(Layout::new(variables.iter().map(|entry| entry.name)));
        let program = match self.0.compile_template(text, &layout) {
            Ok(program) => program,
            Err(error) => return failure(arena, name, &error),
        };
        let slots: Vec<Value<'_>> = variables.iter().map(|entry| entry.value).collect();
        let mut own = Arena::with_limits(remaining_limits(arena));
        own.set_interrupt(arena.budget().interrupt().cloned());
        // The variables' attributes have the symbols of the caller's engine, which the inline caches of
        // the fast tier would misread; the baseline tier looks attributes up by name.
        let evaluation = evaluate_in(&own, Tier::Baseline, &program, &slots);
        arena.charge(arena.budget().fuel().saturating_sub(own.budget().fuel()));
        match evaluation {
            Err(error) => failure(arena, name, &error),
            Ok(evaluation) if evaluation.diagnostics.has_errors() => {
                Err(first_error(name, &evaluation.diagnostics))
            }
            Ok(evaluation) if arena.has_room(own.allocated_bytes()) => Ok(copy(arena, evaluation.value)),
            Ok(_) => Ok(Value::DYNAMIC),
        }
    }
}

/// Returns the limits of the rendering: what the calling evaluation has left.
fn remaining_limits(arena: &Arena) -> Limits {
    let limits = *arena.budget().limits();
    Limits {
        fuel: arena.budget().fuel(),
        arena_bytes: limits.arena_bytes.saturating_sub(arena.allocated_bytes()),
        ..limits
    }
}

/// Converts an error of compiling or running the template. An exceeded limit exhausts the budget of
/// the caller.
fn failure<'a>(arena: &'a Arena, name: &str, error: &Error) -> Result<Value<'a>, CallError> {
    match error.kind() {
        ErrorKind::Limit(limit) => {
            arena.budget().exhaust(limit.exhausted);
            Ok(Value::DYNAMIC)
        }
        ErrorKind::Diagnostics(diagnostics) => Err(first_error(name, diagnostics)),
        _ => Err(CallError::argument(0, format!("{name:?} cannot be rendered: {error}"))),
    }
}

fn first_error(name: &str, diagnostics: &Diagnostics) -> CallError {
    let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let place = first.and_then(|first| first.subject).map(|span| diagnostics.source().position(span.start));
    let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
    let what = first.map(Diagnostic::to_string).unwrap_or_default();
    CallError::argument(0, format!("{name}:{line}:{column}: {}", what.trim_end_matches('.')))
}
