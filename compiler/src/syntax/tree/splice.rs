//! Parts of a tree that were parsed from a text of their own, as templates in JSON strings are:
//! removing them again, or moving their ranges to where that text is written in the file.

use hclvm_vm::Span;

use super::{Node, SpannedNode, Tree};

/// The lengths of a tree's tables at some moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    nodes: usize,
    links: usize,
    steps: usize,
    names: usize,
    texts: usize,
    numbers: usize,
    calls: usize,
    fors: usize,
}

impl Tree {
    /// Returns the current lengths of the tables.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len(),
            links: self.links.len(),
            steps: self.steps.len(),
            names: self.names.len(),
            texts: self.texts.len(),
            numbers: self.numbers.len(),
            calls: self.calls.len(),
            fors: self.fors.len(),
        }
    }

    /// Removes all entries added since `mark`.
    pub(crate) fn take_back(&mut self, mark: Mark) {
        self.nodes.truncate(mark.nodes);
        self.links.truncate(mark.links);
        self.steps.truncate(mark.steps);
        self.names.truncate(mark.names);
        self.texts.truncate(mark.texts);
        self.numbers.truncate(mark.numbers);
        self.calls.truncate(mark.calls);
        self.fors.truncate(mark.fors);
    }

    /// Moves the ranges of all entries added since `mark`: `place` returns the new place of an offset.
    pub(crate) fn relocate(&mut self, mark: Mark, place: impl Fn(u32) -> u32) {
        for SpannedNode { node, span } in &mut self.nodes[mark.nodes..] {
            *span = relocated(*span, &place);
            match node {
                Node::Index { open, .. } => *open = place(*open),
                Node::Splat { marker, .. } => *marker = relocated(*marker, &place),
                _ => {}
            }
        }
        for step in &mut self.steps[mark.steps..] {
            step.span = relocated(step.span, &place);
        }
        for call in &mut self.calls[mark.calls..] {
            call.name_span = relocated(call.name_span, &place);
            call.open_paren = relocated(call.open_paren, &place);
            call.close_paren = relocated(call.close_paren, &place);
        }
        for details in &mut self.fors[mark.fors..] {
            details.open = relocated(details.open, &place);
            details.close = relocated(details.close, &place);
        }
    }
}

/// Returns a range with both ends moved by `place`.
pub(crate) fn relocated(span: Span, place: impl Fn(u32) -> u32) -> Span {
    Span::new(place(span.start), place(span.end))
}
