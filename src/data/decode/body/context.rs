//! The state of decoding one document: its expansion, what it may allocate, and the problems found so
//! far. Each deserializer borrows it.

use std::cell::RefCell;

use hclvm_vm::Diagnostic;

use super::failure::BodyError;
use crate::data::show::Allowance;
use crate::diagnostics::error::Error;
use crate::structure::expansion::Expansion;
use crate::syntax::document::Document;

/// The state that all deserializers of a document share.
#[derive(Debug)]
pub(super) struct DecodeContext<'a> {
    pub(super) expansion: RefCell<Expansion<'a>>,
    pub(super) allowance: Allowance,
    /// Problems after which the rest is still read.
    pub(super) problems: RefCell<Vec<Diagnostic>>,
}

impl<'a> DecodeContext<'a> {
    pub(super) fn new(expansion: Expansion<'a>, allowance: Allowance) -> Self {
        Self { expansion: RefCell::new(expansion), allowance, problems: RefCell::default() }
    }

    pub(super) fn report(&self, problem: Diagnostic) {
        self.problems.borrow_mut().push(problem);
    }

    /// Fails if the expansion found problems with the body that was just read.
    pub(super) fn check(&self) -> Result<(), BodyError> {
        let found = self.expansion.borrow_mut().problems.take();
        if found.is_empty() { Ok(()) } else { Err(BodyError::Diagnosed(found)) }
    }

    pub(super) fn finish<T>(self, result: Result<T, BodyError>, document: &Document) -> Result<T, Error> {
        let mut problems = self.problems.into_inner();
        let value = match result {
            Ok(value) => Some(value),
            Err(BodyError::Ended(error)) => return Err(error),
            Err(error) => {
                problems.extend(error.into_diagnostics(document.body().span().empty_at_start()));
                None
            }
        };
        let diagnostics = document.file().diagnostics(problems);
        match value {
            Some(value) if !diagnostics.has_errors() => Ok(value),
            _ => Err(diagnostics.into()),
        }
    }
}
