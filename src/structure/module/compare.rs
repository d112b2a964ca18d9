//! The differences between the values of two modules, such as those of a file before and after an edit.
//!
//! [`changes`](super::changes) shows those of one module between two scopes.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use hclvm_vm::ops::equality::identical;
use hclvm_vm::{Arena, Value};

use super::changes::Change;
use super::locals::LOCAL;
use super::path::AttributePath;
use super::values::{BlockValues, BodyValues, Values};

impl<'s> Values<'s> {
    /// Returns the attributes and locals whose values differ from those of `before`, which may be the values of
    /// another module: those that are new or have another value in source order, then those that are gone.
    /// Locals are first, sorted by name. Blocks are known by type and labels; of several with equal ones, the
    /// first is compared with the first.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let before = engine.parse("game.hcl", "speed = base * 2\nold = 1\n")?.module()?;
    /// let after = engine.parse("game.hcl", "speed = base * 3\nnew = 1\n")?.module()?;
    /// let (mut first, mut second) = (engine.session(), engine.session());
    /// let scope = |module: &hclvm::Module| {
    ///     let mut scope = module.scope();
    ///     scope.set("base", &10).map(|()| scope)
    /// };
    /// let (old_scope, new_scope) = (scope(&before)?, scope(&after)?);
    /// let old = before.evaluate(&mut first, &old_scope)?;
    /// let new = after.evaluate(&mut second, &new_scope)?;
    /// let paths: Vec<String> = new.changes_from(&old).iter().map(|change| change.path().to_string()).collect();
    /// assert_eq!(paths, ["speed", "new", "old"]);
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn changes_from(&self, before: &Values<'s>) -> Vec<Change<'s>> {
        let mut found = ChangeCollector { changes: Vec::new(), gone: Vec::new(), judge: Arena::new() };
        let local = AttributePath::default().with([LOCAL]);
        found.values(&local, before.locals(), self.locals());
        found.bodies(before.body(), self.body());
        found.changes.append(&mut found.gone);
        found.changes
    }
}

/// The differences found so far.
struct ChangeCollector<'s> {
    changes: Vec<Change<'s>>,
    /// What the later module does not have.
    gone: Vec<Change<'s>>,
    judge: Arena,
}

impl<'s> ChangeCollector<'s> {
    /// Compares two bodies, and the blocks in them.
    fn bodies(&mut self, old: BodyValues<'s>, new: BodyValues<'s>) {
        let mut open = vec![(AttributePath::default(), Some(old), Some(new))];
        while let Some((path, old, new)) = open.pop() {
            let attributes = |body: Option<BodyValues<'s>>| body.into_iter().flat_map(BodyValues::attributes);
            self.values(&path, attributes(old), attributes(new));
            let blocks = |body: Option<BodyValues<'s>>| body.into_iter().flat_map(BodyValues::blocks);
            let pairs = paired(blocks(old).map(BlockHeader), blocks(new).map(BlockHeader));
            // Backwards, because the first is taken from the end.
            open.extend(pairs.into_iter().rev().filter_map(|[old, new]| {
                let BlockHeader(either) = new.or(old)?;
                let path = path.with(std::iter::once(either.kind()).chain(either.labels()));
                let body = |block: Option<BlockHeader<'s>>| block.map(|BlockHeader(block)| block.body());
                Some((path, body(old), body(new)))
            }));
        }
    }

    /// Compares named values.
    fn values(
        &mut self,
        prefix: &AttributePath,
        old: impl Iterator<Item = (&'s str, Value<'s>)>,
        new: impl Iterator<Item = (&'s str, Value<'s>)>,
    ) {
        for [old, new] in paired(old.map(NamedEntry), new.map(NamedEntry)) {
            let value = |named: Option<NamedEntry<'s>>| named.map(|NamedEntry((_, value))| value);
            let Some(NamedEntry((name, _))) = new.or(old) else { continue };
            let (before, after) = (value(old), value(new));
            if let (Some(old), Some(new)) = (before, after)
                && identical(&self.judge, old, new)
            {
                continue;
            }
            let change = Change::new(prefix.with([name]), before, after);
            let list = if new.is_some() { &mut self.changes } else { &mut self.gone };
            list.push(change);
        }
    }
}

/// A named value, known by its name.
#[derive(Clone, Copy)]
struct NamedEntry<'s>((&'s str, Value<'s>));

impl PartialEq for NamedEntry<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.0 == other.0.0
    }
}

impl Eq for NamedEntry<'_> {}

impl Hash for NamedEntry<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.0.hash(state);
    }
}

/// A block, known by its type and labels.
#[derive(Clone, Copy)]
struct BlockHeader<'s>(BlockValues<'s>);

impl PartialEq for BlockHeader<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.kind() == other.0.kind() && self.0.labels().eq(other.0.labels())
    }
}

impl Eq for BlockHeader<'_> {}

impl Hash for BlockHeader<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.kind().hash(state);
        self.0.labels().for_each(|label| label.hash(state));
    }
}

/// Pairs equal items of two lists: those of the second list in order, with the first free partner if there is
/// one, then those of the first list without a partner.
fn paired<T: Copy + Eq + Hash>(
    old: impl Iterator<Item = T>,
    new: impl Iterator<Item = T>,
) -> Vec<[Option<T>; 2]> {
    let (mut old, mut new) = (old.peekable(), new.peekable());
    let mut pairs = Vec::new();
    while let (Some(a), Some(b)) = (old.peek(), new.peek())
        && a == b
    {
        pairs.push([old.next(), new.next()]);
    }
    let rest: Vec<T> = old.collect();
    let mut free: HashMap<T, Vec<usize>> = HashMap::new();
    // Backwards, because the first is taken from the end.
    for (at, item) in rest.iter().enumerate().rev() {
        free.entry(*item).or_default().push(at);
    }
    let mut taken = HashSet::new();
    for item in new {
        let partner = free.get_mut(&item).and_then(Vec::pop);
        taken.extend(partner);
        pairs.push([partner.map(|at| rest[at]), Some(item)]);
    }
    let left = rest.iter().enumerate().filter(|(at, _)| !taken.contains(at));
    pairs.extend(left.map(|(_, item)| [Some(*item), None]));
    pairs
}
