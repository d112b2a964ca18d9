//! The comparison of two documents, attribute by attribute.
//!
//! An attribute is known by its name and the blocks around it; a block by its type, its labels, and how many
//! equal ones precede it. What is written in the same order is compared side by side; only what follows the
//! first difference of a body is searched by name.

mod naming;

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use hclvm_vm::cast;

use super::{MovedAttribute, NamedAttribute, Update};
use crate::syntax::document::{Attribute, Block, Body, Document, Edit};
use naming::Naming;

/// The attributes of two documents, by what became of them.
pub(super) struct AttributeDifference<'d> {
    /// Attributes of the old and the new document with equal expressions.
    pub(super) equal: Vec<[Attribute<'d>; 2]>,
    /// The numbers of further ones, outside of the part that was parsed again.
    pub(super) rest: EqualAttributes,
    /// Attributes of the new document that are added or changed.
    pub(super) new: Vec<Attribute<'d>>,
    /// The lists of the differences.
    pub(super) update: Update,
}

/// The old and the new document.
const OLD: usize = 0;
const NEW: usize = 1;

impl<'d> AttributeDifference<'d> {
    /// Compares two documents. If only a part of the new one was parsed again, only that is compared.
    pub(super) fn of(old: &'d Document, new: &'d Document) -> Self {
        let mut comparison = DocumentComparison::default();
        let bodies = [old.body(), new.body()];
        if let Some(edit) = new.edit_of(old)
            && comparison.part(bodies, edit)
        {
            let [before, after] = &edit.attributes;
            let rest = EqualAttributes::around(before, after, old.file().attribute_count());
            return comparison.finish(rest);
        }
        comparison.bodies(bodies, [Naming::ROOT; 2]);
        comparison.finish(EqualAttributes::default())
    }
}

/// The numbers of equal attributes of two documents.
#[derive(Clone, Debug, Default)]
pub(super) struct EqualAttributes {
    head: Range<u32>,
    tail: Range<u32>,
    /// The number of the first attribute of the tail of the new document.
    next: u32,
}

impl EqualAttributes {
    /// Returns those before and after a part.
    fn around(before: &Range<u32>, after: &Range<u32>, count: usize) -> Self {
        Self { head: 0..before.start, tail: before.end..cast::length(count), next: after.end }
    }
}

impl Iterator for EqualAttributes {
    type Item = [u32; 2];

    fn next(&mut self) -> Option<[u32; 2]> {
        if let Some(at) = self.head.next() {
            return Some([at; 2]);
        }
        let old = self.tail.next()?;
        self.next += 1;
        Some([old, self.next - 1])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.head.len() + self.tail.len();
        (len, Some(len))
    }
}

impl ExactSizeIterator for EqualAttributes {}

/// A comparison in progress.
#[derive(Default)]
struct DocumentComparison<'d> {
    equal: Vec<[Attribute<'d>; 2]>,
    changed: Vec<(Attribute<'d>, NamedAttribute)>,
    added: Vec<(Attribute<'d>, NamedAttribute)>,
    removed: Vec<(Attribute<'d>, NamedAttribute)>,
    /// Bodies of both documents that are compared with each other, with the numbers of their blocks.
    pairs: Vec<([Body<'d>; 2], [usize; 2])>,
    naming: [Naming<'d>; 2],
}

impl<'d> DocumentComparison<'d> {
    /// Compares the parts of two bodies of files that an edit changed. Returns false without comparing them if one
    /// has other blocks than the other: then blocks behind them may be others of those with equal names.
    fn part(&mut self, [old, new]: [Body<'d>; 2], edit: &Edit) -> bool {
        let [before, after] = edit.items.clone();
        let ((old_attributes, old_blocks), (new_attributes, new_blocks)) =
            (old.part(before), new.part(after));
        if !old_blocks
            .iter()
            .map(|block| BlockKey(*block))
            .eq(new_blocks.iter().map(|block| BlockKey(*block)))
        {
            return false;
        }
        self.attributes(old_attributes.into_iter(), new_attributes.into_iter(), [Naming::ROOT; 2]);
        for (old, new) in old_blocks.into_iter().zip(new_blocks) {
            self.block([old, new], [Naming::ROOT; 2]);
        }
        true
    }

    /// Compares two bodies, and has those of their blocks compared.
    fn bodies(&mut self, [old, new]: [Body<'d>; 2], parents: [usize; 2]) {
        self.attributes(old.attributes(), new.attributes(), parents);
        self.blocks([old, new], parents);
    }

    /// Compares the bodies that are left, and lists what was found.
    fn finish(mut self, rest: EqualAttributes) -> AttributeDifference<'d> {
        while let Some((bodies, parents)) = self.pairs.pop() {
            self.bodies(bodies, parents);
        }
        let unchanged = self.equal.len() + rest.len();
        let moved = self.moved();
        let mut update = Update { moved, unchanged, ..Update::default() };
        let mut fresh = Vec::with_capacity(self.added.len() + self.changed.len());
        for (list, found) in [(&mut update.added, self.added), (&mut update.changed, self.changed)] {
            let (attributes, names): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            fresh.extend(attributes);
            *list = names;
        }
        update.removed = self.removed.into_iter().map(|(_, name)| name).collect();
        for list in [&mut update.added, &mut update.removed, &mut update.changed] {
            list.sort();
        }
        AttributeDifference { equal: self.equal, rest, new: fresh, update }
    }

    /// Compares the attributes of two bodies.
    fn attributes(
        &mut self,
        old: impl Iterator<Item = Attribute<'d>>,
        new: impl Iterator<Item = Attribute<'d>>,
        parents: [usize; 2],
    ) {
        let pairs = matched(old, new, |attribute| attribute.name());
        for pair in pairs {
            match pair {
                [Some(old), Some(new)] if expression(old) == expression(new) => self.equal.push([old, new]),
                [Some(_), Some(new)] => {
                    let name = self.naming[NEW].attribute(parents[NEW], new);
                    self.changed.push((new, name));
                }
                [Some(old), None] => self.alone(OLD, parents[OLD], old),
                [None, Some(new)] => self.alone(NEW, parents[NEW], new),
                [None, None] => {}
            }
        }
    }

    /// Compares the blocks of two bodies.
    fn blocks(&mut self, [old, new]: [Body<'d>; 2], parents: [usize; 2]) {
        for pair in matched_blocks(old, new) {
            match pair {
                [Some(old), Some(new)] => self.block([old, new], parents),
                [Some(old), None] => self.all_alone(OLD, parents[OLD], old),
                [None, Some(new)] => self.all_alone(NEW, parents[NEW], new),
                [None, None] => {}
            }
        }
    }

    /// Has two blocks compared with each other.
    fn block(&mut self, [old, new]: [Block<'d>; 2], parents: [usize; 2]) {
        let numbers = [self.naming[OLD].enter(parents[OLD], old), self.naming[NEW].enter(parents[NEW], new)];
        self.pairs.push(([old.body(), new.body()], numbers));
    }

    /// Notes all attributes of a block that one document has.
    fn all_alone(&mut self, which: usize, parent: usize, block: Block<'d>) {
        let mut open = vec![(parent, block)];
        while let Some((parent, block)) = open.pop() {
            let number = self.naming[which].enter(parent, block);
            for attribute in block.body().attributes() {
                self.alone(which, number, attribute);
            }
            open.extend(block.body().blocks().map(|block| (number, block)));
        }
    }

    /// Notes an attribute that one document has.
    fn alone(&mut self, which: usize, parent: usize, attribute: Attribute<'d>) {
        let name = self.naming[which].attribute(parent, attribute);
        let list = if which == OLD { &mut self.removed } else { &mut self.added };
        list.push((attribute, name));
    }

    /// Takes attributes that were removed and added with equal names and expressions as moved ones.
    fn moved(&mut self) -> Vec<MovedAttribute> {
        if self.added.is_empty() || self.removed.is_empty() {
            return Vec::new();
        }
        for list in [&mut self.added, &mut self.removed] {
            list.sort_by_key(|(attribute, _)| attribute.name_span().start);
        }
        let mut gone: HashMap<_, Vec<_>> = HashMap::new();
        // Backwards, because the first is taken from the end.
        for (old, name) in std::mem::take(&mut self.removed).into_iter().rev() {
            gone.entry((old.name(), expression(old))).or_default().push((old, name));
        }
        let mut moved = Vec::new();
        for (new, to) in std::mem::take(&mut self.added) {
            match gone.get_mut(&(new.name(), expression(new))).and_then(Vec::pop) {
                Some((old, from)) => {
                    self.equal.push([old, new]);
                    moved.push(MovedAttribute { from, to });
                }
                None => self.added.push((new, to)),
            }
        }
        // In any order: the lists are sorted by path.
        self.removed = gone.into_values().flatten().collect();
        moved.sort_by(|a, b| a.to.cmp(&b.to));
        moved
    }
}

/// Returns the text of an expression.
fn expression(attribute: Attribute<'_>) -> &[u8] {
    attribute.expression_span().bytes(attribute.document().source().text())
}

/// Pairs the items of two lists with equal keys, in order. What is in one list has no partner.
fn matched<T: Copy, K: Eq + Hash>(
    old: impl Iterator<Item = T>,
    new: impl Iterator<Item = T>,
    key: impl Fn(T) -> K,
) -> Vec<[Option<T>; 2]> {
    let (mut old, mut new) = (old.peekable(), new.peekable());
    let mut pairs = Vec::new();
    while let (Some(a), Some(b)) = (old.peek(), new.peek())
        && key(*a) == key(*b)
    {
        pairs.push([old.next(), new.next()]);
    }
    if old.peek().is_none() {
        pairs.extend(new.map(|new| [None, Some(new)]));
        return pairs;
    }
    let mut known: HashMap<K, Vec<T>> = HashMap::new();
    let rest: Vec<T> = old.collect();
    // Backwards, because the first is taken from the end.
    for item in rest.into_iter().rev() {
        known.entry(key(item)).or_default().push(item);
    }
    pairs.extend(new.map(|new| [known.get_mut(&key(new)).and_then(Vec::pop), Some(new)]));
    pairs.extend(known.into_values().flatten().map(|old| [Some(old), None]));
    pairs
}

/// Pairs the blocks of two bodies with equal types and labels.
fn matched_blocks<'d>(old: Body<'d>, new: Body<'d>) -> Vec<[Option<Block<'d>>; 2]> {
    matched(old.blocks(), new.blocks(), BlockKey)
}

/// The type and labels of a block.
struct BlockKey<'d>(Block<'d>);

impl PartialEq for BlockKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.kind() == other.0.kind() && self.0.labels().eq(other.0.labels())
    }
}

impl Eq for BlockKey<'_> {}

impl Hash for BlockKey<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.kind().hash(state);
        self.0.labels().for_each(|label| label.hash(state));
    }
}
