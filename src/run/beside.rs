//! Runs beside an evaluation: they explain or observe what it did. Their memory is their own and reused by the next
//! one; together they have the limits of one evaluation, and the deadline and flag of that beside which they run.

use std::sync::Arc;

use hclvm_vm::{Arena, Exhausted};

use crate::compile::program::Program;
use crate::diagnostics::error::{Error, LimitError};

/// Memory and budget of the runs beside an evaluation.
#[derive(Debug)]
pub(crate) struct SideRuns {
    arena: Arena,
    /// Bytes of what was made of the runs.
    kept: usize,
}

impl SideRuns {
    /// Bytes of an explanation that a unit of fuel pays for.
    const BYTES_PER_UNIT: usize = 16;

    /// Creates memory for runs beside an evaluation in `arena`.
    pub(crate) fn new(arena: &Arena) -> Self {
        Self { arena: arena.beside(), kept: 0 }
    }

    /// Runs a program, or several for it, in empty memory. `size` returns the bytes of what is made of the runs.
    ///
    /// # Errors
    /// The error of the run, and a limit that all runs together exceed.
    pub(crate) fn run<T>(
        &mut self,
        program: &Program,
        run: impl FnOnce(&Arena) -> Result<T, Error>,
        size: impl FnOnce(&T) -> usize,
    ) -> Result<T, Error> {
        self.arena.clear();
        let made = run(&self.arena)?;
        let (budget, bytes) = (self.arena.budget(), size(&made));
        self.kept = self.kept.saturating_add(bytes);
        budget.charge((bytes / Self::BYTES_PER_UNIT) as u64);
        if self.kept > budget.limits().arena_bytes {
            budget.exhaust(Exhausted::Memory);
        }
        match budget.exhausted() {
            Some(exhausted) => {
                let (source, span) = (Arc::clone(program.source()), program.span());
                Err(LimitError { exhausted, source, span }.into())
            }
            None => Ok(made),
        }
    }
}
