//! A bounded collector of diagnostics: keeps as many as the limits allow and counts the others.
//!
//! The parser bounds its own diagnostics; this collector is for structure and evaluation.

use std::mem::take;

use hclvm_vm::{Diagnostic, Span};

/// Collects diagnostics up to a limit and counts the rest.
#[derive(Debug)]
pub(crate) struct ProblemCollector {
    kept: Vec<Diagnostic>,
    limit: usize,
    dropped: usize,
    /// The subject of the first diagnostic that was dropped.
    first_dropped: Option<Span>,
}

impl ProblemCollector {
    /// Creates an empty collector that keeps `limit` diagnostics.
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), limit, dropped: 0, first_dropped: None }
    }

    /// Returns the number of diagnostics so far, including the dropped ones.
    pub(crate) fn len(&self) -> usize {
        self.kept.len() + self.dropped
    }

    /// Returns the number of diagnostics that are still kept.
    pub(crate) fn room(&self) -> usize {
        self.limit.saturating_sub(self.kept.len())
    }

    /// Adds a diagnostic.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.push_with(diagnostic.subject, || diagnostic);
    }

    /// Adds a diagnostic that is only created if it is kept.
    pub(crate) fn push_with(&mut self, subject: Option<Span>, make: impl FnOnce() -> Diagnostic) {
        if self.kept.len() < self.limit {
            self.kept.push(make());
        } else {
            self.dropped += 1;
            self.first_dropped = self.first_dropped.or(subject);
        }
    }

    /// Takes all diagnostics, and a final one with the number of those that were dropped.
    pub(crate) fn take(&mut self) -> Vec<Diagnostic> {
        let mut list = take(&mut self.kept);
        let (dropped, subject) = (take(&mut self.dropped), take(&mut self.first_dropped));
        if dropped > 0 {
            let detail = format!("{dropped} more problems are not listed.");
            let mut rest = Diagnostic::error("Too many problems", detail, subject.unwrap_or_default());
            rest.subject = subject;
            let has_errors = list.iter().any(Diagnostic::is_error);
            list.push(if has_errors { rest } else { rest.warning() });
        }
        list
    }
}

impl Extend<Diagnostic> for ProblemCollector {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, problems: I) {
        for problem in problems {
            self.push(problem);
        }
    }
}
