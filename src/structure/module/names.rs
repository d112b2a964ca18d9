//! The paths of results by their positions.

use hclvm_vm::cast;

use super::ModuleState;
use super::locals::LOCAL;
use super::path::{AttributePath, Segment};
use super::plan::{BlockPlan, ModulePlan};
use crate::syntax::document::{Attribute, Block};

/// The paths of results. Those of the content of a dynamic block begin in a block that it makes.
#[derive(Debug)]
pub(super) struct ResultNames {
    /// By position, from the first local on. A `for_each` has none.
    results: Vec<Option<AttributePath>>,
    /// The number of slots in front of the first local.
    slots: usize,
    /// By level and dynamic block: the path to the blocks it makes, with their type, without labels.
    blocks: Vec<Vec<AttributePath>>,
}

impl ResultNames {
    pub(super) fn new(module: &ModuleState) -> Self {
        let plan = &module.plan;
        let mut results = vec![None; plan.values - plan.slots];
        for at in &plan.locals {
            let at = cast::index(*at);
            results[at] = Some(AttributePath::default().with([LOCAL, &module.locals[at].name]));
        }
        let blocks = plan.levels.iter().map(|level| vec![AttributePath::default(); level.dynamics.len()]);
        let mut names = Self { results, slots: plan.slots, blocks: blocks.collect() };
        for (level, number) in plan.levels.iter().zip(0..) {
            names.body(module, number, level.body, &AttributePath::default());
        }
        names
    }

    /// Notes the paths in a body. Bodies are nested as deep as blocks, which the parser limits.
    fn body(&mut self, module: &ModuleState, level: usize, body: u32, prefix: &AttributePath) {
        let ModulePlan { attributes, blocks, bodies, levels, .. } = &module.plan;
        let body = &bodies[cast::index(body)];
        for planned in &attributes[body.attributes.clone()] {
            let name = Attribute::new(&module.linked, planned.attribute).name();
            self.results[cast::index(planned.position) - self.slots] = Some(prefix.with([name]));
        }
        for planned in &blocks[body.blocks.clone()] {
            match *planned {
                BlockPlan::Written { block, body } => {
                    let block = Block::new(&module.linked, block);
                    let prefix = prefix.with(std::iter::once(block.kind()).chain(block.labels()));
                    self.body(module, level, body, &prefix);
                }
                BlockPlan::Dynamic(at) => {
                    let at = cast::index(at);
                    let block = Block::new(&module.linked, levels[level].dynamics[at].block);
                    self.blocks[level][at] = prefix.with(block.labels().take(1));
                }
            }
        }
    }

    /// Returns the path of a result.
    pub(super) fn of(&self, position: u32) -> Option<&AttributePath> {
        self.results.get(cast::index(position).checked_sub(self.slots)?)?.as_ref()
    }

    /// Returns the path to the blocks that a dynamic block makes, with their type, without labels.
    pub(super) fn blocks(&self, level: usize, dynamic: usize) -> &AttributePath {
        &self.blocks[level][dynamic]
    }

    /// Adds the paths of all attributes in the blocks that a dynamic block makes, whatever their labels.
    pub(super) fn made(
        &self,
        plan: &ModulePlan,
        level: usize,
        dynamic: usize,
        prefix: &AttributePath,
        paths: &mut Vec<AttributePath>,
    ) {
        let Ok(made) = &plan.levels[level].dynamics[dynamic].made else { return };
        let labels = std::iter::repeat_n(Segment::Any, made.labels.len());
        let prefix = prefix.join(self.blocks(level, dynamic)).with_segments(labels);
        let content = &plan.levels[made.level];
        let positions = content.positions.clone().filter_map(|position| self.of(cast::length(position)));
        paths.extend(positions.map(|path| prefix.join(path)));
        for nested in 0..content.dynamics.len() {
            self.made(plan, made.level, nested, &prefix, paths);
        }
    }
}
