//! The parts of texts that hold sensitive values, which no report shows: values in files of variables, defaults, and
//! literals in the expressions of sensitive local values.

use std::sync::Arc;

use hclvm::diagnostics::{Source, Span};
use hclvm::{Diagnostic, Diagnostics};

use crate::marks::SENSITIVE;
use crate::problems::Problems;

/// The detail of a problem whose own detail might contain a part of the text.
pub(crate) const WITHHELD: &str = "The reason is not shown, because it may contain a sensitive value.";

/// The parts of a text that are not shown.
#[derive(Clone, Debug)]
pub(crate) struct Hidden {
    source: Arc<Source>,
    parts: Vec<Span>,
}

impl Hidden {
    pub(crate) fn new(source: &Arc<Source>, parts: Vec<Span>) -> Self {
        Self { source: Arc::clone(source), parts }
    }

    /// Returns the lines of a range of a text that has errors, so that it is not known where values are: what follows
    /// the first `=` of a line, or all of it.
    pub(crate) fn lines(source: &Arc<Source>, ranges: &[Span]) -> Self {
        let mut parts = Vec::new();
        for range in ranges {
            let mut start = range.start;
            for line in range.slice(source.text()).split_inclusive('\n') {
                let end = start + length(line);
                let before = line.find('=').map_or(0, |at| at + 1);
                let blanks = line[before..].len() - line[before..].trim_start().len();
                let from = start + length(&line[..before + blanks]);
                if !matches!(line.trim(), "{" | "}") {
                    parts.push(Span::new(from, from.max(start + length(line.trim_end()))));
                }
                start = end;
            }
        }
        Self::new(source, parts)
    }

    pub(crate) fn into_parts(self) -> Vec<Span> {
        self.parts
    }

    /// Returns true if a place reaches into a part.
    fn contains(&self, place: Span) -> bool {
        self.parts.iter().any(|part| place.start < part.end.max(part.start + 1) && part.start <= place.end)
    }

    /// Returns diagnostics without the parts. Those about a part that were found in the text alone, such as errors of the
    /// syntax, may repeat it: their details are withheld.
    pub(crate) fn of_syntax(&self, found: &Diagnostics) -> Diagnostics {
        let withheld = |one: &Diagnostic| {
            let mut one = one.clone();
            if one.subject.is_some_and(|place| self.contains(place)) {
                (one.detail, one.additions) = (WITHHELD.into(), None);
            }
            one
        };
        let source = Arc::clone(found.source());
        self.of_values(&Diagnostics::new(source, found.iter().map(withheld).collect()))
    }

    /// Returns diagnostics without the parts, of which they say nothing but where they are.
    fn of_values(&self, found: &Diagnostics) -> Diagnostics {
        found.redacted(&self.parts, SENSITIVE)
    }
}

impl Problems {
    /// Removes parts of texts.
    pub(crate) fn hide(&mut self, hidden: &[Hidden]) {
        for found in self.groups_mut() {
            if let Some(hidden) = of(hidden, found) {
                *found = hidden.of_values(found);
            }
        }
    }

    /// Calls marked values sensitive, as templates do.
    pub(crate) fn name_marks(&mut self) {
        let renamed = |one: &Diagnostic| {
            let mut one = one.clone();
            for value in one.additions.iter_mut().flat_map(|additions| &mut additions.values) {
                value.shown = value.shown.replace("(marked)", "(sensitive)");
            }
            one
        };
        for found in self.groups_mut() {
            *found = Diagnostics::new(Arc::clone(found.source()), found.iter().map(renamed).collect());
        }
    }

    /// Removes parts of texts from problems that were found in the texts alone.
    pub(crate) fn hide_syntax(&mut self, hidden: &[Hidden]) {
        for found in self.groups_mut() {
            *found = without(hidden, found);
        }
    }
}

/// Returns problems that were found in a text alone without its hidden parts.
pub(crate) fn without(hidden: &[Hidden], found: &Diagnostics) -> Diagnostics {
    of(hidden, found).map_or_else(|| found.clone(), |hidden| hidden.of_syntax(found))
}

fn of<'h>(hidden: &'h [Hidden], found: &Diagnostics) -> Option<&'h Hidden> {
    let mut hidden = hidden.iter().filter(|one| !one.parts.is_empty());
    hidden.find(|one| Arc::ptr_eq(&one.source, found.source()))
}

fn length(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}
