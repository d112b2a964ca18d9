//! Problems as they are found: as many as the limits keep, and the number of the others.

use std::mem::take;

use hclvm_vm::{Diagnostic, Span};

/// Collects diagnostics up to a limit and counts the rest.
#[derive(Debug)]
pub(crate) struct Problems {
    kept: Vec<Diagnostic>,
    limit: usize,
    dropped: usize,
    /// What the first one that was dropped is about.
    first_dropped: Option<Span>,
}

impl Problems {
    /// No problems yet, of which `limit` will be kept.
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), limit, dropped: 0, first_dropped: None }
    }

    /// Number of problems so far, dropped ones included.
    pub(crate) fn len(&self) -> usize {
        self.kept.len() + self.dropped
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.push_with(diagnostic.subject, || diagnostic);
    }

    /// A problem whose message is only made when it is kept.
    pub(crate) fn push_with(&mut self, subject: Option<Span>, make: impl FnOnce() -> Diagnostic) {
        if self.kept.len() < self.limit {
            self.kept.push(make());
        } else {
            self.dropped += 1;
            self.first_dropped = self.first_dropped.or(subject);
        }
    }

    /// The problems, with a last one for those that were dropped; afterwards there are none.
    pub(crate) fn take(&mut self) -> Vec<Diagnostic> {
        let mut list = take(&mut self.kept);
        let (dropped, subject) = (take(&mut self.dropped), take(&mut self.first_dropped));
        if dropped > 0 {
            let detail = format!("From here on {dropped} more problems were found that are not listed.");
            let mut rest = Diagnostic::error("Too many problems", detail, subject.unwrap_or_default());
            rest.subject = subject;
            list.push(rest);
        }
        list
    }
}

impl Extend<Diagnostic> for Problems {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, problems: I) {
        for problem in problems {
            self.push(problem);
        }
    }
}
