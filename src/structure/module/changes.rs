//! What an update changed: the paths of attributes and locals with their old and new values.

use std::borrow::Cow;
use std::collections::HashMap;

use hclvm_vm::ops::equality::identical;
use hclvm_vm::{Arena, Value, cast};

use super::dependencies::Dependencies;
use super::live::Live;
use super::path::AttributePath;
use super::plan::ModulePlan;
use super::run::{BlockInstance, Expanded};
use super::values::Values;

/// What an update changed.
#[derive(Clone, Copy, Debug)]
pub struct Changes<'s> {
    pub(super) live: &'s Live,
}

/// An attribute or a local with another value than before.
#[derive(Clone, Debug)]
pub struct Change<'s> {
    path: Cow<'s, AttributePath>,
    old: Option<Value<'s>>,
    new: Option<Value<'s>>,
}

impl<'s> Change<'s> {
    pub(super) fn new(path: AttributePath, old: Option<Value<'s>>, new: Option<Value<'s>>) -> Self {
        Self { path: Cow::Owned(path), old, new }
    }

    /// Returns its path: `rule.small.when`, `local.limit`.
    pub fn path(&self) -> &AttributePath {
        &self.path
    }

    /// Returns the value before the update; `None` if the attribute is new.
    pub fn before(&self) -> Option<Value<'s>> {
        self.old
    }

    /// Returns the value now; `None` if the block in which it was is gone.
    pub fn after(&self) -> Option<Value<'s>> {
        self.new
    }
}

impl<'s> Changes<'s> {
    /// Returns true if the values of all attributes and locals, and the blocks, are those of before. Errors
    /// may have changed.
    pub fn is_empty(&self) -> bool {
        let kept = self.live.kept();
        kept.replaced.is_empty() && kept.replaced_dynamics.is_empty()
    }

    /// Returns the values after the update.
    pub fn values(&self) -> Values<'s> {
        self.live.values()
    }

    /// Iterates over the attributes and locals that changed: locals in evaluation order, then attributes
    /// as written, then those of blocks that `dynamic` blocks make. Such a block is found again by its
    /// type and labels; of several with equal labels, the first is compared with the first.
    pub fn iter(&self) -> impl Iterator<Item = Change<'s>> + use<'s> {
        let live = self.live;
        let (kept, table) = (live.kept(), live.module().dependencies());
        let slots = live.module().0.plan.slots;
        let written = kept.replaced.iter().filter_map(move |(position, old)| {
            let path = Cow::Borrowed(table.names.of(*position)?);
            let new = kept.values.get(cast::index(*position) - slots).copied();
            Some(Change { path, old: Some(*old).filter(|_| !live.is_all_new()), new })
        });
        written.chain(self.made().changes)
    }

    /// Iterates over the paths of blocks, without labels, of which `dynamic` blocks make others than
    /// before: more or fewer, with other labels or in another order, or an unknown number.
    pub fn blocks(&self) -> impl Iterator<Item = AttributePath> + use<'s> {
        self.made().blocks.into_iter()
    }

    /// Compares what dynamic blocks made before and make now.
    fn made(&self) -> DynamicComparison<'s> {
        let (kept, module) = (self.live.kept(), self.live.module());
        let (plan, table) = (&module.0.plan, module.dependencies());
        let mut comparison = DynamicComparison { plan, table, changes: Vec::new(), blocks: Vec::new() };
        for (at, old) in &kept.replaced_dynamics {
            let [old, new] = [Some(old), kept.dynamics.get(*at)];
            comparison.dynamic((0, *at), &AttributePath::default(), [old, new]);
        }
        comparison
    }
}

/// A comparison of what dynamic blocks made and make.
struct DynamicComparison<'s> {
    plan: &'s ModulePlan,
    table: &'s Dependencies,
    changes: Vec<Change<'s>>,
    blocks: Vec<AttributePath>,
}

impl<'s> DynamicComparison<'s> {
    /// Compares what a dynamic block of a level made and makes in the block to which a path leads. The
    /// recursion is as deep as blocks are nested.
    fn dynamic(
        &mut self,
        (level, at): (usize, usize),
        prefix: &AttributePath,
        [old, new]: [Option<&'s Expanded<'s>>; 2],
    ) {
        let Ok(made) = &self.plan.levels[level].dynamics[at].made else { return };
        let prefix = prefix.join(self.table.names.blocks(level, at));
        let instances = |expanded: Option<&'s Expanded<'s>>| expanded.map_or(&[][..], |made| made.instances);
        let pending = |expanded: Option<&Expanded<'s>>| expanded.and_then(|made| made.pending);
        let (before, after) = (instances(old), instances(new));
        let same_pending = match (pending(old), pending(new)) {
            (Some(old), Some(new)) => identical(&Arena::new(), old, new),
            (None, None) => true,
            _ => false,
        };
        if !same_pending || !before.iter().map(|old| old.labels).eq(after.iter().map(|new| new.labels)) {
            self.blocks.push(prefix.clone());
        }
        let mut known: HashMap<&[&str], Vec<(usize, &'s BlockInstance<'s>)>> = HashMap::new();
        // Backwards, because the first is taken from the end.
        for (at, old) in before.iter().enumerate().rev() {
            known.entry(old.labels).or_default().push((at, old));
        }
        for new in after {
            let old = known.get_mut(new.labels).and_then(Vec::pop);
            self.instance(made.level, &prefix, [old.map(|(_, old)| old), Some(new)]);
        }
        let mut gone: Vec<_> = known.into_values().flatten().collect();
        gone.sort_by_key(|(at, _)| *at);
        for (_, old) in gone {
            self.instance(made.level, &prefix, [Some(old), None]);
        }
    }

    /// Compares a block before and now.
    fn instance(
        &mut self,
        level: usize,
        prefix: &AttributePath,
        [old, new]: [Option<&'s BlockInstance<'s>>; 2],
    ) {
        let Some(either) = new.or(old) else { return };
        let prefix = prefix.with(either.labels.iter().copied());
        let judge = Arena::new();
        let value = |instance: Option<&BlockInstance<'s>>, at: usize| instance?.values.get(at).copied();
        let content = &self.plan.levels[level];
        for (at, position) in content.positions.clone().enumerate() {
            let Some(path) = self.table.names.of(cast::length(position)) else { continue };
            let (old, new) = (value(old, at), value(new, at));
            if let (Some(old), Some(new)) = (old, new)
                && identical(&judge, old, new)
            {
                continue;
            }
            self.changes.push(Change { path: Cow::Owned(prefix.join(path)), old, new });
        }
        for at in 0..content.dynamics.len() {
            let made = |instance: Option<&'s BlockInstance<'s>>| instance?.dynamics.get(at);
            self.dynamic((level, at), &prefix, [made(old), made(new)]);
        }
    }
}
