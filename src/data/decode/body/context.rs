//! The state of decoding one document: its expansion, what it may allocate, and the problems found so
//! far. Each deserializer borrows it.
//!
//! Serde ends at the first value that does not fit, so a document with such a value is read again, until no other
//! problem is found: with a [placeholder](super::stand_in) for each field that is wrong or missing, and with the fields
//! that failed after all others. A block of a sequence that fails ends the sequence, but not the body around it.

use std::cell::{Cell, OnceCell, RefCell};

use hclvm_vm::{Diagnostic, Span};

use super::failure::{BodyError, conceal};
use crate::data::path_error::PathError;
use crate::data::show::{Allowance, TOO_DEEP};
use crate::diagnostics::error::Error;
use crate::structure::expansion::Expansion;
use crate::syntax::document::Document;

/// The most times that a document is read. Every time but the first finds another problem, or is in vain.
const MOST_READS: usize = 100;

/// The state that all deserializers of a document share.
#[derive(Debug)]
pub(super) struct DecodeContext<'a> {
    pub(super) expansion: RefCell<Expansion<'a>>,
    pub(super) allowance: Allowance,
    /// The problems found so far.
    problems: RefCell<Vec<Diagnostic>>,
    /// The places of what could not be read, each with the number of times.
    failed: RefCell<Vec<(u32, u32)>>,
    /// The names of missing fields, each with the place of its body.
    missing: RefCell<Vec<(Span, &'static str)>>,
    /// The places of bodies in which nothing else can be found.
    exhausted: RefCell<Vec<Span>>,
    /// How often the document was read since the last failure that was not known.
    in_vain: Cell<usize>,
    /// True if a local has an error; empty until locals are evaluated.
    failed_locals: OnceCell<bool>,
}

impl<'a> DecodeContext<'a> {
    pub(super) fn new(expansion: Expansion<'a>, allowance: Allowance) -> Self {
        Self {
            expansion: RefCell::new(expansion),
            allowance,
            problems: RefCell::default(),
            failed: RefCell::default(),
            missing: RefCell::default(),
            exhausted: RefCell::default(),
            in_vain: Cell::new(0),
            failed_locals: OnceCell::new(),
        }
    }

    /// Reads what is inside of a block or label.
    pub(super) fn inside<R>(&self, read: impl FnOnce() -> Result<R, BodyError>) -> Result<R, BodyError> {
        self.allowance.inside(read).unwrap_or_else(|| Err(PathError::new(TOO_DEEP).into()))
    }

    /// Evaluates the locals of the file and reports their problems, the first time that it is called.
    pub(super) fn evaluate_locals(&self) -> Result<(), BodyError> {
        if self.failed_locals.get().is_none() {
            let problems = self.expansion.borrow_mut().evaluate_locals().map_err(BodyError::Ended)?;
            let has_failed = problems.iter().any(Diagnostic::is_error);
            for problem in problems {
                self.report(problem);
            }
            self.failed_locals.get_or_init(|| has_failed);
        }
        Ok(())
    }

    /// Fails without a message if a local has an error, which may be why a value at `place` is unknown.
    pub(super) fn check_locals(&self, place: Span) -> Result<(), BodyError> {
        if self.failed_locals.get() != Some(&true) {
            return Ok(());
        }
        self.note_failed(place.start);
        Err(BodyError::Diagnosed(Vec::new()))
    }

    /// Reports a problem after which the rest is still read.
    pub(super) fn report(&self, problem: Diagnostic) {
        let mut problems = self.problems.borrow_mut();
        // A document that is read again has some of them again.
        if self.failed.borrow().is_empty() || !problems.contains(&problem) {
            problems.push(problem);
        }
    }

    /// Fails if the expansion found problems with the body that was just read.
    pub(super) fn check(&self) -> Result<(), BodyError> {
        let found = self.expansion.borrow_mut().problems.take();
        if found.is_empty() { Ok(()) } else { Err(BodyError::Diagnosed(found)) }
    }

    /// Notes that a field is missing in the body at `place`. From then on it has a value there, so that the next
    /// missing one is found.
    pub(super) fn miss(&self, place: Span, name: &'static str) {
        self.missing.borrow_mut().push((place, name));
    }

    /// Returns the names of the fields that are known to be missing in a body.
    pub(super) fn missing_in(&self, place: Span) -> Vec<&'static str> {
        self.missing.borrow().iter().filter(|(at, _)| *at == place).map(|(_, name)| *name).collect()
    }

    /// Notes that nothing else can be found in the body at `place`, because there is no placeholder for one that is
    /// wrong or missing.
    pub(super) fn exhaust(&self, place: Span) {
        self.exhausted.borrow_mut().push(place);
    }

    /// Returns true if the problem of a value in this range was reported.
    pub(super) fn has_failed(&self, span: Span) -> bool {
        self.failed.borrow().iter().any(|(place, _)| (span.start..span.end).contains(place))
    }

    /// Orders items so that what may hold another failure is read first: a value that failed is behind those
    /// that did not, and blocks in which nothing else was found, or can be, are last. `spans` returns the ranges of an item,
    /// and true for blocks.
    pub(super) fn failed_last<T>(&self, items: &mut [T], spans: impl Fn(&T) -> (Vec<Span>, bool)) {
        let failed = self.failed.borrow();
        if failed.is_empty() {
            return;
        }
        let in_vain = self.in_vain.get() % 2 == 1;
        let exhausted = self.exhausted.borrow();
        items.sort_by_cached_key(|item| {
            let (spans, has_blocks) = spans(item);
            let rank = |span: &Span| {
                let holds = |place: u32| (span.start..span.end).contains(&place);
                let times = failed.iter().filter(|(place, _)| holds(*place)).map(|(_, times)| *times).max();
                if has_blocks && exhausted.iter().any(|place| holds(place.start)) {
                    return 3;
                }
                match (has_blocks, times) {
                    (_, None) | (true, Some(1)) => 0,
                    (false, Some(_)) => 1,
                    (true, Some(_)) => 2,
                }
            };
            // Several blocks hold another failure if one of them does, but the ones in which nothing else was
            // found may hide it: the next time they are behind the others.
            let ranks = spans.iter().map(rank);
            if in_vain { ranks.max() } else { ranks.min() }
        });
    }

    /// Notes why a part could not be read; errors without a position get `start`.
    pub(super) fn note(&self, error: BodyError, start: Span) {
        for problem in error.into_diagnostics(start) {
            self.note_failed(problem.subject.map_or(0, |subject| subject.start));
            self.report(problem);
        }
    }

    fn note_failed(&self, place: u32) {
        let mut failed = self.failed.borrow_mut();
        match failed.iter_mut().find(|(known, _)| *known == place) {
            Some((_, times)) => *times += 1,
            None => failed.push((place, 1)),
        }
    }

    /// Reads the document with `read`, again after failures, to find the others.
    pub(super) fn read<T>(
        self,
        document: &Document,
        mut read: impl FnMut(&Self) -> Result<T, BodyError>,
    ) -> Result<T, Error> {
        let start = document.body().span().empty_at_start();
        let mut value = None;
        for _ in 0..MOST_READS {
            let told = self.problems.borrow().len();
            let before = self.failed.borrow().len();
            match read(&self) {
                Ok(read) => value = Some(read),
                // What was found before the limit was exceeded is reported.
                Err(BodyError::Ended(error)) if before == 0 => return Err(error),
                Err(BodyError::Ended(_)) => break,
                Err(error) => self.note(error, start),
            }
            let found = self.failed.borrow().len();
            let is_new = self.problems.borrow().len() > told;
            self.in_vain.set(if is_new { 0 } else { self.in_vain.get() + 1 });
            if found == 0 || self.in_vain.get() > found {
                break;
            }
            self.allowance.restore();
        }
        let mut problems = self.problems.into_inner();
        if document.engine().hides_values() {
            problems.iter_mut().for_each(conceal);
        }
        problems.sort_by_key(|problem| problem.subject.map(|subject| subject.start));
        let diagnostics = document.file().diagnostics(problems);
        match value {
            Some(value) if !diagnostics.has_errors() => Ok(value),
            _ => Err(diagnostics.into()),
        }
    }
}
