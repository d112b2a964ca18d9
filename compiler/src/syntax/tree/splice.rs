//! Parts of a tree that were parsed from a text of their own, as templates in JSON strings and edited items
//! are: removing them again, or moving their ranges to where that text is written in the file.

use std::ops::RangeInclusive;

use hclvm_vm::Span;

use super::{AttributeSyntax, BlockSyntax, Call, For, Node, NodeId, SpannedNode, Tree};

/// The lengths of a tree's tables at some moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableLengths {
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
    pub(crate) fn mark(&self) -> TableLengths {
        TableLengths {
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
    pub(crate) fn take_back(&mut self, mark: TableLengths) {
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
    pub(crate) fn relocate(&mut self, mark: TableLengths, place: impl Fn(u32) -> u32) {
        self.nodes[mark.nodes..].iter_mut().for_each(|node| node.relocate(&place));
        for step in &mut self.steps[mark.steps..] {
            step.span = relocated(step.span, &place);
        }
        self.calls[mark.calls..].iter_mut().for_each(|call| call.relocate(&place));
        self.fors[mark.fors..].iter_mut().for_each(|details| details.relocate(&place));
    }

    /// Moves the ranges of the nodes of an attribute, with their steps and details.
    pub(crate) fn relocate_nodes(&mut self, nodes: RangeInclusive<NodeId>, place: impl Fn(u32) -> u32) {
        let Self { nodes: all, steps, calls, fors, .. } = self;
        for node in &mut all[nodes.start().index()..=nodes.end().index()] {
            node.relocate(&place);
            match node.node {
                Node::Traversal { steps: list, .. } | Node::RelativeTraversal { steps: list, .. } => {
                    steps[list.range()].iter_mut().for_each(|step| step.span = relocated(step.span, &place));
                }
                Node::Call(call) => calls[call.index()].relocate(&place),
                Node::For(details) => fors[details.index()].relocate(&place),
                _ => {}
            }
        }
    }
}

impl SpannedNode {
    fn relocate(&mut self, place: impl Fn(u32) -> u32) {
        self.span = relocated(self.span, &place);
        if let Node::Index { open, .. } = &mut self.node {
            *open = place(*open);
        }
    }
}

impl Call {
    fn relocate(&mut self, place: impl Fn(u32) -> u32) {
        for span in [&mut self.name_span, &mut self.open_paren, &mut self.close_paren] {
            *span = relocated(*span, &place);
        }
    }
}

impl For {
    fn relocate(&mut self, place: impl Fn(u32) -> u32) {
        self.open = relocated(self.open, &place);
        self.close = relocated(self.close, &place);
    }
}

impl AttributeSyntax {
    /// Moves its ranges, but not those of its nodes.
    pub(crate) fn relocate(&mut self, place: impl Fn(u32) -> u32) {
        for span in [&mut self.name_span, &mut self.equals, &mut self.span] {
            *span = relocated(*span, &place);
        }
    }
}

impl BlockSyntax {
    /// Moves its ranges, but not those of its content.
    pub(crate) fn relocate(&mut self, place: impl Fn(u32) -> u32) {
        let labels = self.labels.iter_mut().map(|label| &mut label.span);
        for span in
            [&mut self.kind_span, &mut self.open_brace, &mut self.close_brace].into_iter().chain(labels)
        {
            *span = relocated(*span, &place);
        }
    }
}

/// Returns a range with both ends moved by `place`.
pub(crate) fn relocated(span: Span, place: impl Fn(u32) -> u32) -> Span {
    Span::new(place(span.start), place(span.end))
}
