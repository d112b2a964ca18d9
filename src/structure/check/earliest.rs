//! The first problems of a text by their places, found in any order. Problems that cannot be among them are counted, not
//! made.

use std::borrow::Cow;
use std::mem::take;

use hclvm_vm::{Diagnostic, Span};

use crate::diagnostics::problems::ProblemCollector;

/// Collects problems of a text, of which the first `limit` are reported.
#[derive(Debug)]
pub(super) struct Earliest {
    limit: usize,
    /// The number of problems that were added.
    pushed: usize,
    made: Vec<RankedProblem>,
    /// The length of `made` at which those behind the first `limit` are dropped from it.
    most: usize,
    /// The problems after `end`.
    counted: Vec<RankedProblem>,
    /// The place from which on problems are only counted.
    end: Option<Place>,
}

/// A problem, in the order of [`Earliest::push`].
#[derive(Debug)]
struct RankedProblem {
    number: usize,
    subject: Option<Span>,
    title: Cow<'static, str>,
    diagnostic: Option<Diagnostic>,
}

/// The start of a problem; problems without one come last.
type Place = (bool, u32);

impl RankedProblem {
    fn place(&self) -> Place {
        place(self.subject)
    }
}

fn place(subject: Option<Span>) -> Place {
    subject.map_or((true, 0), |subject| (false, subject.start))
}

impl Earliest {
    pub(super) fn new(limit: usize) -> Self {
        let end = (limit == 0).then_some((false, 0));
        Self { limit, pushed: 0, most: limit, made: Vec::new(), counted: Vec::new(), end }
    }

    /// Adds a problem.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.push_with(diagnostic.subject, diagnostic.title.clone(), || diagnostic);
    }

    /// Adds a problem that is only made if it may be reported.
    pub(super) fn push_with(
        &mut self,
        subject: Option<Span>,
        title: Cow<'static, str>,
        make: impl FnOnce() -> Diagnostic,
    ) {
        let number = self.pushed;
        self.pushed += 1;
        if self.end.is_some_and(|end| place(subject) >= end) {
            self.counted.push(RankedProblem { number, subject, title, diagnostic: None });
            return;
        }
        self.made.push(RankedProblem { number, subject, title, diagnostic: Some(make()) });
        if self.made.len() >= self.most {
            self.made = in_order(take(&mut self.made));
            let rest = self.made.split_off(self.limit.min(self.made.len()));
            self.counted.extend(rest.into_iter().map(|found| RankedProblem { diagnostic: None, ..found }));
            self.most = self.limit.max(2 * self.made.len());
            // A later one at the same place comes after it.
            let last = self.limit.checked_sub(1).and_then(|last| self.made.get(last));
            self.end = last.map(RankedProblem::place).or(self.end);
        }
    }

    /// Returns the first problems in the order of the text, and a final one with the number of the others.
    pub(super) fn take(self) -> Vec<Diagnostic> {
        let Self { limit, mut made, counted, .. } = self;
        made.extend(counted);
        let mut problems = ProblemCollector::new(limit);
        for RankedProblem { subject, title, diagnostic, .. } in in_order(made) {
            let counted = || Diagnostic::error(title, "", subject.unwrap_or_default());
            problems.push_with(subject, || diagnostic.unwrap_or_else(counted));
        }
        problems.take()
    }
}

/// Sorts problems by their places, without those that an element of a loop repeats.
fn in_order(mut found: Vec<RankedProblem>) -> Vec<RankedProblem> {
    found.sort_by_key(|one| (one.place(), one.number));
    let mut kept: Vec<RankedProblem> = Vec::with_capacity(found.len());
    for one in found {
        // Repeated ones have one place, so they are among the last.
        let mut last = kept.iter().rev().take_while(|kept| kept.subject == one.subject);
        if !last.any(|kept| kept.title == one.title) {
            kept.push(one);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds problems with these starts, and returns the starts of the reported ones and the number of the problems that were
    /// made.
    fn reported(limit: usize, starts: impl Iterator<Item = u32>) -> (Vec<u32>, usize) {
        let (mut problems, mut made) = (Earliest::new(limit), 0);
        for start in starts {
            let subject = Span { start, end: start + 1 };
            problems.push_with(Some(subject), "Invalid index".into(), || {
                made += 1;
                Diagnostic::error("Invalid index", format!("{start}"), subject)
            });
        }
        let list = problems.take();
        assert!(list.iter().all(|one| one.title != "Invalid index" || !one.detail.is_empty()));
        (list.iter().filter_map(|one| one.subject).map(|subject| subject.start).collect(), made)
    }

    #[test]
    fn the_first_ones_are_reported_in_any_order() {
        let expected: Vec<u32> = (0..11).collect();
        for step in [1, 7, 999] {
            let (starts, made) = reported(10, (0..1_000).map(|at| at * step % 1_000));
            assert_eq!(starts, expected, "the last one counts the others");
            assert!(step > 1 || made == 10, "{made}");
        }
        assert_eq!(reported(10, [5, 3, 5, 3, 9].into_iter()).0, [3, 5, 9]);
        assert_eq!(
            reported(10, (0..200).map(|at| at % 5)).0,
            [0, 1, 2, 3, 4],
            "repeated ones are reported once"
        );
        assert_eq!(reported(0, 0..3).0, [0], "only the number is reported");
    }
}
