//! What is wrong with a module and its inputs, in the order in which the application finds it.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use hclvm::diagnostics::{Severity, Source, Span};
use hclvm::{Attribute, Block, Diagnostic, Diagnostics, Document};

/// The diagnostics of a module in one order: neighbours about the same text are one [`Diagnostics`].
///
/// `Display` writes a line for each, and `Debug` the report with the source lines.
#[derive(Clone, Default)]
pub struct Problems(Vec<Diagnostics>);

impl Problems {
    /// No problems.
    pub(crate) const NONE: Self = Self(Vec::new());

    /// Iterates over the groups, each with its text.
    pub fn groups(&self) -> std::slice::Iter<'_, Diagnostics> {
        self.0.iter()
    }

    /// Iterates over the diagnostics.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter().flatten()
    }

    pub(crate) fn groups_mut(&mut self) -> std::slice::IterMut<'_, Diagnostics> {
        self.0.iter_mut()
    }

    /// Returns the number of diagnostics.
    pub fn len(&self) -> usize {
        self.0.iter().map(Diagnostics::len).sum()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if there is an error, not only warnings.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(Diagnostics::has_errors)
    }

    /// Returns the number of errors.
    pub(crate) fn errors(&self) -> usize {
        self.iter().filter(|one| one.severity == Severity::Error).count()
    }

    /// Returns the titles of the diagnostics of one severity, in order.
    pub fn titles(&self, severity: Severity) -> Vec<&str> {
        self.iter().filter(|one| one.severity == severity).map(|one| &*one.title).collect()
    }

    /// Adds diagnostics behind the others.
    pub fn add(&mut self, found: Diagnostics) {
        if found.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if Arc::ptr_eq(last.source(), found.source()) => {
                last.extend(found.iter().cloned());
            }
            _ => self.0.push(found),
        }
    }

    /// Removes diagnostics whose title and place are those of an earlier one, as of blocks that a dynamic block makes.
    pub(crate) fn remove_repeated(&mut self) {
        let mut seen = HashSet::new();
        for group in &mut self.0 {
            let is_new = |one: &&Diagnostic| {
                let place = one.subject.map(|span| (span.start, span.end));
                seen.insert((Arc::as_ptr(group.source()), place, one.title.clone()))
            };
            let kept: Vec<Diagnostic> = group.iter().filter(is_new).cloned().collect();
            if kept.len() < group.len() {
                *group = Diagnostics::new(Arc::clone(group.source()), kept);
            }
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        other.0.into_iter().for_each(|found| self.add(found));
    }

    /// Adds problems that are no reason to stop.
    pub(crate) fn add_as_warnings(&mut self, found: Self) {
        for group in found.0 {
            let warnings = group.iter().cloned().map(|one| match one.severity {
                Severity::Error => one.warning(),
                Severity::Warning => one,
            });
            self.add(Diagnostics::new(Arc::clone(group.source()), warnings.collect()));
        }
    }

    /// Adds an error about a place.
    pub(crate) fn error(&mut self, place: &TextRange, title: impl Into<String>, detail: impl Into<String>) {
        self.push(place, Diagnostic::error(title.into(), detail.into(), place.span));
    }

    /// Adds a warning about a place.
    pub(crate) fn warning(&mut self, place: &TextRange, title: impl Into<String>, detail: impl Into<String>) {
        self.push(place, Diagnostic::error(title.into(), detail.into(), place.span).warning());
    }

    fn push(&mut self, place: &TextRange, mut one: Diagnostic) {
        if place.source.text().is_empty() {
            one.subject = None;
        }
        self.add(Diagnostics::new(Arc::clone(&place.source), vec![one]));
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, found) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            fmt::Display::fmt(found, f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, found) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("\n\n")?;
            }
            fmt::Debug::fmt(found, f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// A range of a text.
#[derive(Clone, Debug)]
pub(crate) struct TextRange {
    pub(crate) source: Arc<Source>,
    pub(crate) span: Span,
}

impl PartialEq for TextRange {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source) && self.span == other.span
    }
}

impl TextRange {
    pub(crate) fn new(document: &Document, span: Span) -> Self {
        Self { source: Arc::clone(document.source()), span }
    }

    /// Returns the place of an expression.
    pub(crate) fn of_value(attribute: Attribute<'_>) -> Self {
        Self::new(attribute.document(), attribute.expression_span())
    }

    /// Returns the place where the first part of an expression begins, at which applications report values of a wrong
    /// type: behind the quote that opens a text.
    pub(crate) fn of_first_part(attribute: Attribute<'_>) -> Self {
        Self::new(attribute.document(), attribute.start_span())
    }

    /// Returns the place of an attribute's name.
    pub(crate) fn of_name(attribute: Attribute<'_>) -> Self {
        Self::new(attribute.document(), attribute.name_span())
    }

    /// Returns the place of the header of a block.
    pub(crate) fn of_block(document: &Document, block: Block<'_>) -> Self {
        Self::new(document, block.header_span())
    }

    /// Returns the place of a text that is in no file.
    pub(crate) fn of_text(name: &str, text: &str) -> Self {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Self { source: Arc::new(Source::new(name, text, Vec::new())), span: Span::new(0, end) }
    }

    /// Returns a place without text, for problems about a name alone.
    pub(crate) fn nowhere(name: &str) -> Self {
        Self { source: Arc::new(Source::new(name, "", Vec::new())), span: Span::new(0, 0) }
    }

    /// Returns where it is, for the message of another place.
    pub(crate) fn line(&self) -> String {
        format!("{}:{}", self.source.name(), self.source.position(self.span.start).line)
    }
}
