//! A session: memory that one thread reuses to run programs.

use hclvm_vm::arena::Arena;
use hclvm_vm::diagnostic::Diagnostic;
use hclvm_vm::exec;
use hclvm_vm::limits::Limits;
use hclvm_vm::value::Value;
use std::sync::Arc;

use crate::error::{Diagnostics, Error, LimitError};
use crate::program::Program;
use crate::scope::Scope;

/// Memory to run programs in. One for each thread; a result lives until the next run.
#[derive(Debug)]
pub struct Session {
    arena: Arena,
}

/// The result of an evaluation with everything that was found on the way.
#[derive(Debug)]
pub struct Evaluation<'s> {
    /// The value; a partial one when there are errors.
    pub value: Value<'s>,
    /// What went wrong.
    pub diagnostics: Diagnostics,
}

impl Session {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { arena: Arena::with_limits(limits) }
    }

    /// The session's memory, empty.
    pub(crate) fn fresh_arena(&mut self) -> &Arena {
        self.arena.reset();
        &self.arena
    }

    /// Runs a program. The result borrows from the session, the program and the scope.
    ///
    /// # Errors
    /// All diagnostics of the evaluation, or the limit it exceeded.
    pub fn run<'s>(&'s mut self, program: &'s Program, scope: &'s Scope) -> Result<Value<'s>, Error> {
        let evaluation = self.evaluate(program, scope)?;
        if evaluation.diagnostics.is_empty() {
            Ok(evaluation.value)
        } else {
            Err(evaluation.diagnostics.into())
        }
    }

    /// Runs a program and gives the partial value beside the diagnostics.
    ///
    /// # Errors
    /// The limit that the evaluation exceeded.
    pub fn evaluate<'s>(
        &'s mut self,
        program: &'s Program,
        scope: &'s Scope,
    ) -> Result<Evaluation<'s>, Error> {
        if !Arc::ptr_eq(program.layout(), scope.layout()) && program.layout() != scope.layout() {
            return Err(Error::layout("the program was compiled for scopes of another layout"));
        }
        self.arena.reset();
        evaluate_in(&self.arena, program, scope.values())
    }
}

/// Runs a program with the values of its layout's slots, without forgetting what is in `arena`.
pub(crate) fn evaluate_in<'s>(
    arena: &'s Arena,
    program: &'s Program,
    values: &[Value<'s>],
) -> Result<Evaluation<'s>, Error> {
    let outcome = exec::run(program.code(), values, arena);
    if let Some(exhausted) = outcome.exhausted {
        let source = Arc::clone(program.source());
        return Err(LimitError { exhausted, source, span: program.node_span(outcome.stopped_at) }.into());
    }
    let list: Vec<Diagnostic> = outcome.faults.iter().map(|record| program.diagnostic(record)).collect();
    let diagnostics = Diagnostics::new(Arc::clone(program.source()), list);
    Ok(Evaluation { value: outcome.value, diagnostics })
}
