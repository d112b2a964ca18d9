//! Parts of a tree that were parsed from a text of their own, as templates in JSON strings are:
//! removing them again, or moving their ranges to the place of that text in the file.

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

    /// Moves the ranges of all entries added since `mark` by `by` bytes.
    pub(crate) fn shift(&mut self, mark: Mark, by: u32) {
        for SpannedNode { node, span } in &mut self.nodes[mark.nodes..] {
            *span = shifted(*span, by);
            match node {
                Node::Index { open, .. } => *open += by,
                Node::Splat { marker, .. } => *marker = shifted(*marker, by),
                _ => {}
            }
        }
        for step in &mut self.steps[mark.steps..] {
            step.span = shifted(step.span, by);
        }
        for call in &mut self.calls[mark.calls..] {
            call.name_span = shifted(call.name_span, by);
            call.open_paren = shifted(call.open_paren, by);
            call.close_paren = shifted(call.close_paren, by);
        }
        for details in &mut self.fors[mark.fors..] {
            details.open = shifted(details.open, by);
            details.close = shifted(details.close, by);
        }
    }
}

/// Returns a range moved by `by` bytes.
pub(crate) fn shifted(span: Span, by: u32) -> Span {
    Span::new(span.start + by, span.end + by)
}
