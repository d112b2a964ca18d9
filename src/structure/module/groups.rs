//! Groups of rules that updates evaluate again and again: the readers of one variable, linked like the stage
//! of a level.
//!
//! An update that evaluates its dirty units one by one stops where a result is identical. A group runs all
//! rules that may be reached, so it is only linked if an update reached most of them anyway. Values and
//! diagnostics do not depend on which of both is done.

use hclvm_vm::cast;

use super::ModuleState;
use super::dependencies::{Dependencies, Units};
use super::rule::{LinkedStage, PlacedProgram};

/// The most groups: hosts change few different sets of variables. A group takes as much memory as the rules
/// that it links.
const MOST: usize = 32;

/// The number of updates after which a group is linked. Linking takes about as long as twenty updates of the
/// bench `live` save.
const LINKED_AFTER: u32 = 20;

/// A group may have this many times the rules that an update evaluated one by one.
const MOST_ADDED: usize = 2;

/// The groups of a module.
#[derive(Debug, Default)]
pub(super) struct Groups {
    list: Vec<BlockGroup>,
    /// The group that the next new one replaces.
    next: usize,
}

#[derive(Debug)]
struct BlockGroup {
    /// The units that changes of variables made dirty.
    dirty: Units,
    updates: u32,
    /// `None` until it is linked, and if it cannot be.
    stage: Option<LinkedStage>,
}

impl Groups {
    /// Returns the linked rules for these dirty units.
    pub(super) fn stage(&self, dirty: &Units) -> Option<&LinkedStage> {
        self.list.iter().find(|group| group.dirty == *dirty)?.stage.as_ref()
    }

    /// Notes that an update of `dirty` units evaluated the `reached` ones.
    pub(super) fn note(
        &mut self,
        dirty: &Units,
        reached: &Units,
        table: &Dependencies,
        module: &ModuleState,
    ) {
        let Some(group) = self.list.iter_mut().find(|group| group.dirty == *dirty) else {
            let group = BlockGroup { dirty: dirty.clone(), updates: 1, stage: None };
            if self.list.len() < MOST {
                self.list.push(group);
            } else {
                self.list[self.next] = group;
                self.next = (self.next + 1) % MOST;
            }
            return;
        };
        group.updates = group.updates.saturating_add(1);
        if group.updates == LINKED_AFTER {
            group.stage = link(dirty, reached.len() * MOST_ADDED, table, module);
        }
    }
}

/// Links the dirty units and all that read their results. `None` if these are more than `most`, or if one of
/// them is no rule or needs the object `local`.
fn link(dirty: &Units, most: usize, table: &Dependencies, module: &ModuleState) -> Option<LinkedStage> {
    let ModuleState { plan, linked, .. } = module;
    let mut all = dirty.clone();
    let mut start = 0;
    while let Some(unit) = all.next(start) {
        if unit >= table.rules || table.object_readers.contains(unit) || plan.rules[unit].object_for.is_some()
        {
            return None;
        }
        table.add_readers(unit, &mut all);
        start = unit + 1;
    }
    if all.len() > most {
        return None;
    }
    // Results of attributes, which no rule reads, follow those of locals without gaps.
    let mut next = plan.slots + module.locals.len();
    let position = |_: usize, rule: &PlacedProgram| {
        if cast::index(rule.position) < plan.slots + module.locals.len() {
            return rule.position;
        }
        next += 1;
        cast::length(next - 1)
    };
    LinkedStage::placed(linked, &plan.rules, all.iter().map(cast::length), position).ok()
}
