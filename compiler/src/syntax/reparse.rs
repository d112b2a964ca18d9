//! Parsing a text of which most was parsed before: only the items of the file between what is equal at its
//! beginning and what is equal at its end.
//!
//! ```text
//! old text   │ a = 1 │ b = 2      │ c = 3 │        items of the file, each up to its line break
//! new text   │ a = 1 │ b = 20 + n │ c = 3 │
//!              head    middle       tail           the middle is parsed, the tail is moved
//! ```
//! The tree is a copy of the old one, to which the nodes of the middle are appended. Its attributes, blocks and
//! bodies are those of the new text, in order. Nodes that no attribute refers to any longer are counted, and too
//! many of them make it parse everything. Whatever is not simple does, too: a problem in the middle, an argument that
//! is set twice, a block comment beside the middle.
//!
//! The result has the meaning of [`parse_config`](super::parser::parse_config), but for the order of tables, and
//! for names that the new text may not use any longer.

use std::collections::HashSet;
use std::ops::Range;

use hclvm_vm::{Span, cast};

use crate::limits::ParseLimits;
use crate::source::Input;
use crate::syntax::lexer::LexMode;
use crate::syntax::parser::{ParsedConfig, Parser};
use crate::syntax::tree::{AttributeSyntax, BodyId, BodyItem, BodySyntax, NameId, Tree, relocated};

/// A file that was parsed without problems.
#[derive(Clone, Copy, Debug)]
pub struct KnownConfig<'k> {
    /// Its text.
    pub text: &'k str,
    /// Its tree.
    pub tree: &'k Tree,
    /// Its body.
    pub body: BodyId,
    /// The seams of its text.
    pub seams: &'k [u32],
}

/// A file of which a part was parsed.
#[derive(Debug)]
pub struct EditedConfig {
    /// The file, without diagnostics.
    pub config: ParsedConfig,
    /// The names of the variables that the part uses.
    pub used: Vec<NameId>,
    /// The items of the body that are in the part: those of the known file, and those that took their place.
    pub items: [Range<usize>; 2],
    /// The attributes, in any body, that are in the part, in the same way. The others are equal but for their places.
    pub attributes: [Range<u32>; 2],
}

/// Parses a text that differs from a known one in few of its items. Returns `None` if it has to be parsed as a whole.
pub fn reparse_config(known: KnownConfig<'_>, text: &str, limits: &ParseLimits) -> Option<EditedConfig> {
    if text.len() > limits.source_bytes.min(u32::MAX as usize) || known.tree.json().is_some() {
        return None;
    }
    // A byte order mark is not a part of the first item.
    if [known.text, text].iter().any(|text| text.starts_with('\u{FEFF}')) {
        return None;
    }
    let cut = Cut::between(known, text)?;
    let mut parser = Parser::new(Input::from(&text[cut.old.start..cut.new_end]), LexMode::Config, limits);
    if cut.items.start == 0 && parser.token_count() == 1 {
        // The body begins with its first token, which is in the tail.
        return None;
    }
    let tables = Tables::of(known.tree, known.body, &cut.old);
    parser.tree = tables.head(known.tree);
    let mark = parser.tree.mark();
    let variables = parser.tree.variables.len();
    parser.file();
    if parser.report.count() > 0 || parser.limit.is_some() {
        return None;
    }
    let mut tree = std::mem::take(&mut parser.tree);
    let start = cast::length(cut.old.start);
    tree.relocate(mark, |at| at + start);
    tables.relocate_middle(&mut tree, start);
    // The body that the parser added last: that of the file.
    let BodySyntax { items: middle, span } = tree.bodies.pop()?;
    let old = known.tree.body(known.body);
    let [head, tail] = [&old.items[..cut.items.start], &old.items[cut.items.end..]];
    if sets_again(known, [head, tail], &middle, &tree, text) {
        return None;
    }
    let shift = cut.shift();
    let moved = tables.moved_items(&tree);
    let attributes = [&tables.attributes, &(tables.attributes.start..tree.attributes.len())]
        .map(|range| cast::length(range.start)..cast::length(range.end));
    let middle_end = head.len() + middle.len();
    tables.append_tail(known.tree, &mut tree, shift);
    let span = Span::new(
        if head.is_empty() { span.start } else { old.span.start },
        if tail.is_empty() { span.end } else { shift(old.span.end) },
    );
    let items = head.iter().copied().chain(middle).chain(tail.iter().map(|item| moved(*item))).collect();
    let body = BodyId::at(tree.bodies.len());
    tree.bodies.push(BodySyntax { items, span });
    tree.unused += tables.unused(known.tree);
    if 2 * tree.unused > tree.len() {
        return None;
    }
    let seams = cut.seams(known.seams, &parser.seams);
    let used = tree.variables[variables..].to_vec();
    let config = ParsedConfig { tree, body, diagnostics: Vec::new(), limit: None, seams };
    let items = [cut.items.clone(), cut.items.start..middle_end];
    Some(EditedConfig { config, used, items, attributes })
}

/// The part of two texts that is not equal.
struct Cut {
    /// The range of the old text.
    old: Range<usize>,
    /// The end of the range of the new text, which has the same start.
    new_end: usize,
    /// The items of the old text that are in it.
    items: Range<usize>,
}

impl Cut {
    /// Finds the smallest part that consists of whole lines and whole items.
    fn between(known: KnownConfig<'_>, new: &str) -> Option<Self> {
        let (old, tree) = (known.text.as_bytes(), known.tree);
        let items = &tree.body(known.body).items;
        let new = new.as_bytes();
        let shorter = old.len().min(new.len());
        let prefix = common_prefix(&old[..shorter], &new[..shorter]);
        let suffix = common_suffix(old, new, shorter - prefix);
        let start_of = |item: &BodyItem| item_span(tree, *item).start as usize;
        let end_of = |item: &BodyItem| item_span(tree, *item).end as usize;

        let mut head = items.partition_point(|item| end_of(item) < prefix);
        let mut start = 0;
        while head > 0 {
            if let Some(after) = line_after(old, end_of(&items[head - 1]), prefix) {
                start = after;
                break;
            }
            head -= 1;
        }
        let equal_from = old.len() - suffix;
        let mut tail = items.partition_point(|item| start_of(item) < equal_from).max(head);
        let mut end = old.len();
        while let Some(item) = items.get(tail) {
            if let Some(before) = line_before(old, start_of(item), equal_from.max(start)) {
                end = before;
                break;
            }
            tail += 1;
        }
        let new_end = (end + new.len()).checked_sub(old.len())?;
        (start <= end && start <= new_end).then_some(Self { old: start..end, new_end, items: head..tail })
    }

    /// Returns how an offset of the tail moves.
    fn shift(&self) -> impl Fn(u32) -> u32 + Copy + use<> {
        let (from, to) = (cast::length(self.old.end), cast::length(self.new_end));
        move |at| (at - from).wrapping_add(to)
    }

    /// Returns the seams of the new text.
    fn seams(&self, old: &[u32], middle: &[u32]) -> Vec<u32> {
        let (start, end) = (cast::length(self.old.start), cast::length(self.old.end));
        let shift = self.shift();
        let head = old.iter().copied().take_while(|seam| *seam < start);
        let tail = old.iter().copied().filter(|seam| *seam >= end).map(shift);
        head.chain(middle.iter().map(|seam| seam + start)).chain(tail).collect()
    }
}

/// Texts are compared in blocks of so many bytes, because those are compared by words.
const BLOCK: usize = 64;

/// Returns the length of what two texts of one length begin with.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK)).take_while(|(a, b)| a == b).count();
    let start = (blocks * BLOCK).min(a.len());
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

/// Returns the length of what two texts end with, at most `most`.
fn common_suffix(a: &[u8], b: &[u8], most: usize) -> usize {
    let (a, b) = (&a[a.len() - most..], &b[b.len() - most..]);
    let blocks = a.rchunks(BLOCK).zip(b.rchunks(BLOCK)).take_while(|(a, b)| a == b).count();
    let end = most - (blocks * BLOCK).min(most);
    let rest = a[..end].iter().rev().zip(b[..end].iter().rev()).take_while(|(a, b)| a == b).count();
    most - end + rest
}

/// Returns the range of an item of a body.
fn item_span(tree: &Tree, item: BodyItem) -> Span {
    match item {
        BodyItem::Attribute(index) => tree.attribute(index).span,
        BodyItem::Block(index) => tree.block(index).span(),
    }
}

/// Returns the start of the line after an item, if its line break is before `limit` and no block comment is between.
fn line_after(text: &[u8], end: usize, limit: usize) -> Option<usize> {
    // The end of a heredoc is that of its line.
    if end > 0 && text[end - 1] == b'\n' {
        return Some(end);
    }
    let rest = text.get(end..limit)?;
    let line = &rest[..rest.iter().position(|byte| *byte == b'\n')?];
    (!line.windows(2).any(|two| two == b"/*")).then_some(end + line.len() + 1)
}

/// Returns the start of the line of an item that begins it, if the line break before it is at `limit` or later.
fn line_before(text: &[u8], start: usize, limit: usize) -> Option<usize> {
    let before = text.get(limit..start)?;
    let at = before.iter().rposition(|byte| *byte == b'\n')? + 1;
    before[at..].iter().all(|byte| matches!(byte, b' ' | b'\t')).then_some(limit + at)
}

/// Returns true if the middle sets an argument that the head or the tail sets.
fn sets_again(
    known: KnownConfig<'_>,
    others: [&[BodyItem]; 2],
    middle: &[BodyItem],
    tree: &Tree,
    text: &str,
) -> bool {
    let name = |tree: &Tree, item: &BodyItem| match item {
        BodyItem::Attribute(index) => Some(tree.attribute(*index).name_span),
        BodyItem::Block(_) => None,
    };
    let set: HashSet<&[u8]> = middle.iter().filter_map(|item| Some(name(tree, item)?.bytes(text))).collect();
    let mut before = others.into_iter().flatten().filter_map(|item| name(known.tree, item));
    !set.is_empty() && before.any(|span| set.contains(span.bytes(known.text)))
}

/// Where the middle is in the tables of the old tree that have the order of the text.
struct Tables {
    attributes: Range<usize>,
    blocks: Range<usize>,
    bodies: Range<usize>,
    /// The lengths of these tables without the body of the file.
    ends: [usize; 3],
}

impl Tables {
    fn of(tree: &Tree, body: BodyId, cut: &Range<usize>) -> Self {
        debug_assert_eq!(body.index() + 1, tree.bodies.len(), "the body of a file is its last");
        // An item is in the tables before those that follow it, whatever the order in it.
        let range = |starts: &dyn Fn(usize) -> usize| starts(cut.start)..starts(cut.end);
        let attributes =
            |at: usize| tree.attributes.partition_point(|one| (one.name_span.start as usize) < at);
        let blocks = |at: usize| tree.blocks.partition_point(|one| (one.kind_span.start as usize) < at);
        let inner = &tree.bodies[..body.index()];
        let bodies = |at: usize| inner.partition_point(|one| (one.span.start as usize) < at);
        Self {
            attributes: range(&attributes),
            blocks: range(&blocks),
            bodies: range(&bodies),
            ends: [tree.attributes.len(), tree.blocks.len(), inner.len()],
        }
    }

    /// Returns the number of nodes of the middle of the old tree.
    fn unused(&self, tree: &Tree) -> usize {
        let nodes = |index| {
            let attribute: &AttributeSyntax = &tree.attributes[index];
            attribute.expr.index() + 1 - attribute.first_node.index()
        };
        self.attributes.clone().map(nodes).sum()
    }

    /// Returns a copy of the old tree without the attributes, blocks and bodies of middle and tail.
    fn head(&self, old: &Tree) -> Tree {
        Tree {
            nodes: with_room(&old.nodes),
            links: with_room(&old.links),
            steps: with_room(&old.steps),
            names: with_room(&old.names),
            variables: with_room(&old.variables),
            texts: old.texts.clone(),
            numbers: old.numbers.clone(),
            calls: old.calls.clone(),
            fors: old.fors.clone(),
            attributes: part(&old.attributes, self.attributes.start),
            blocks: part(&old.blocks, self.blocks.start),
            bodies: part(&old.bodies, self.bodies.start),
            properties: Vec::new(),
            problems: Vec::new(),
            json: None,
            unused: old.unused,
        }
    }

    /// Moves the attributes, blocks and bodies that were parsed to where the middle is.
    fn relocate_middle(&self, tree: &mut Tree, start: u32) {
        let shift = |at| at + start;
        tree.attributes[self.attributes.start..].iter_mut().for_each(|one| one.relocate(shift));
        tree.blocks[self.blocks.start..].iter_mut().for_each(|one| one.relocate(shift));
        tree.bodies[self.bodies.start..].iter_mut().for_each(|one| one.span = relocated(one.span, shift));
    }

    /// Appends the attributes, blocks and bodies of the tail, and moves their nodes.
    fn append_tail(&self, old: &Tree, tree: &mut Tree, shift: impl Fn(u32) -> u32 + Copy) {
        let moved = self.moved_items(tree);
        let bodies = tree.bodies.len();
        let [attributes_end, blocks_end, bodies_end] = self.ends;
        let moves = shift(u32::MAX) != u32::MAX;
        for attribute in &old.attributes[self.attributes.end..attributes_end] {
            if moves {
                tree.relocate_nodes(attribute.first_node..=attribute.expr, shift);
            }
            tree.attributes.push(attribute.clone());
            tree.attributes.last_mut().into_iter().for_each(|one| one.relocate(shift));
        }
        for block in &old.blocks[self.blocks.end..blocks_end] {
            let mut block = block.clone();
            block.relocate(shift);
            block.body = BodyId::at(block.body.index() - self.bodies.end + bodies);
            tree.blocks.push(block);
        }
        for body in &old.bodies[self.bodies.end..bodies_end] {
            let items = body.items.iter().map(|item| moved(*item)).collect();
            tree.bodies.push(BodySyntax { items, span: relocated(body.span, shift) });
        }
    }

    /// Returns how the items of the tail are numbered in a tree with the attributes and blocks of head and middle.
    fn moved_items(&self, tree: &Tree) -> impl Fn(BodyItem) -> BodyItem + use<> {
        let from = [cast::length(self.attributes.end), cast::length(self.blocks.end)];
        let to = [cast::length(tree.attributes.len()), cast::length(tree.blocks.len())];
        move |item| match item {
            BodyItem::Attribute(at) => BodyItem::Attribute(at - from[0] + to[0]),
            BodyItem::Block(at) => BodyItem::Block(at - from[1] + to[1]),
        }
    }
}

/// Returns a copy with room for an edit, so that appending does not copy it again.
fn with_room<T: Clone>(list: &[T]) -> Vec<T> {
    part(list, list.len())
}

/// Returns a copy of the first entries of a table, with room for the others and for an edit.
fn part<T: Clone>(list: &[T], len: usize) -> Vec<T> {
    // The entries of a few lines; more make the copy grow.
    const ROOM: usize = 64;
    let mut copy = Vec::with_capacity(list.len() + ROOM);
    copy.extend_from_slice(&list[..len]);
    copy
}
