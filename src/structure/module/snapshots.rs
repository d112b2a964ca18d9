//! What an evaluation saw in the blocks that `dynamic` blocks made: the values of each, before the next one has others in
//! their places.

use hclvm_vm::Value;

use super::names::ResultNames;
use super::path::AttributePath;
use super::plan::{DynamicPlan, Plan};

/// The blocks that dynamic blocks made.
#[derive(Default)]
pub(super) struct Snapshots<'a> {
    /// The blocks around the one that is evaluated, with their labels.
    around: Vec<(&'a DynamicPlan, Vec<&'a str>)>,
    pub(super) found: Vec<Snapshot<'a>>,
}

/// A block that a dynamic block made.
pub(super) struct Snapshot<'a> {
    around: Vec<(&'a DynamicPlan, Vec<&'a str>)>,
    /// The number of its level.
    pub(super) level: usize,
    /// All values when it was evaluated.
    pub(super) values: Vec<Value<'a>>,
}

impl<'a> Snapshots<'a> {
    /// Begins with a block.
    pub(super) fn enter(&mut self, dynamic: &'a DynamicPlan, labels: impl Iterator<Item = &'a str>) {
        self.around.push((dynamic, labels.collect()));
    }

    /// Keeps the values of the block that was entered last, unless these are `secret`.
    pub(super) fn leave(&mut self, level: usize, values: &[Value<'a>], secret: bool) {
        if !secret {
            self.found.push(Snapshot { around: self.around.clone(), level, values: values.to_vec() });
        }
        self.around.pop();
    }
}

impl Snapshot<'_> {
    /// Returns its path. Blocks of one type with equal labels have the same.
    pub(super) fn path(&self, plan: &Plan, names: &ResultNames) -> AttributePath {
        let mut path = AttributePath::default();
        for (dynamic, labels) in &self.around {
            let place = plan.levels.iter().enumerate().find_map(|(level, planned)| {
                let at = planned.dynamics.iter().position(|known| std::ptr::eq(known, *dynamic))?;
                Some((level, at))
            });
            if let Some((level, at)) = place {
                path = path.join(names.blocks(level, at)).with(labels.iter().copied());
            }
        }
        path
    }
}
