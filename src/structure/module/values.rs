//! The values of a module: views of flat results, read by the structure of the file.

use std::borrow::Cow;

use hclvm_vm::Value;

use super::ModuleState;
use super::locals::LOCAL;
use super::path::{AttributePath, Segment};
use super::plan::{AttributePlan, BlockPlan, BodyPlan, DynamicPlan};
use super::run::{BlockInstance, Expanded};
use crate::diagnostics::error::Diagnostics;
use crate::syntax::document::{Attribute, Block};

/// The values of a module in one scope. They borrow from the session until its next run.
#[derive(Debug)]
pub struct Values<'s> {
    pub(super) module: &'s ModuleState,
    pub(super) root: LevelValues<'s>,
    pub(super) diagnostics: Cow<'s, Diagnostics>,
    pub(super) fuel: Option<u64>,
}

/// The results of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelValues<'s> {
    /// The number of the level.
    pub(super) level: usize,
    pub(super) values: &'s [Value<'s>],
    /// The position of the first value.
    pub(super) first: usize,
    /// The blocks made by each dynamic block of the level.
    pub(super) dynamics: &'s [Expanded<'s>],
}

impl<'s> LevelValues<'s> {
    fn at(self, position: usize) -> Value<'s> {
        self.values.get(position.wrapping_sub(self.first)).copied().unwrap_or(Value::NULL)
    }
}

impl<'s> Values<'s> {
    /// Returns the errors and warnings. With errors, values are partial.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Returns the errors and warnings without the values.
    pub fn into_diagnostics(self) -> Diagnostics {
        self.diagnostics.into_owned()
    }

    /// Returns the units of work that the evaluation spent; see [`Limits::fuel`](crate::Limits). `None` for
    /// the values that a [`Live`](super::Live) keeps, which come from several evaluations.
    pub fn fuel(&self) -> Option<u64> {
        self.fuel
    }

    /// Returns the attributes and blocks of the file, without `locals` blocks.
    pub fn body(&self) -> BodyValues<'s> {
        let plan = self.module.plan.levels.first().map_or(0, |level| level.body as usize);
        BodyValues { module: self.module, level: self.root, plan: &self.module.plan.bodies[plan] }
    }

    /// Iterates over the locals, sorted by name.
    pub fn locals(&self) -> impl ExactSizeIterator<Item = (&'s str, Value<'s>)> + use<'s> {
        let (module, root) = (self.module, self.root);
        let plan = &module.plan;
        plan.locals.iter().map(move |at| {
            let at = *at as usize;
            (module.locals[at].name.as_str(), root.at(plan.slots + at))
        })
    }

    /// Returns the value of a local.
    pub fn local(&self, name: &str) -> Option<Value<'s>> {
        let plan = &self.module.plan;
        let known = |at: &u32| self.module.locals[*at as usize].name.as_str();
        let found = plan.locals.binary_search_by(|at| known(at).cmp(name)).ok()?;
        Some(self.root.at(plan.slots + plan.locals[found] as usize))
    }

    /// Returns the value of an attribute of the file.
    pub fn attribute(&self, name: &str) -> Option<Value<'s>> {
        self.body().attribute(name)
    }

    /// Returns the first block of the file with this type and these labels.
    pub fn block<'l>(&self, kind: &str, labels: impl AsRef<[&'l str]>) -> Option<BlockValues<'s>> {
        self.body().block(kind, labels)
    }

    /// Returns the first value to which a path leads. Blocks of a collection that is not known have unknown
    /// values.
    pub fn get(&self, path: &AttributePath) -> Option<Value<'s>> {
        if let [Segment::Name(local), Segment::Name(name)] = path.segments()
            && local == LOCAL
        {
            return self.local(name);
        }
        find(self.body(), path.segments())
    }
}

/// Looks up a path. Each level of recursion consumes at least one name of it.
fn find<'s>(body: BodyValues<'s>, path: &[Segment]) -> Option<Value<'s>> {
    match path {
        [] => None,
        [name] => body.attributes().find(|(known, _)| name.matches(known)).map(|(_, value)| value),
        [kind, rest @ ..] => body.blocks().filter(|block| kind.matches(block.kind())).find_map(|block| {
            if block.pending().is_some() {
                return Some(Value::DYNAMIC);
            }
            let count = block.labels().count();
            let (labels, rest) = rest.split_at_checked(count)?;
            let same = labels.iter().zip(block.labels()).all(|(wanted, label)| wanted.matches(label));
            if same { find(block.body(), rest) } else { None }
        }),
    }
}

/// The values of a body.
#[derive(Clone, Copy, Debug)]
pub struct BodyValues<'s> {
    module: &'s ModuleState,
    level: LevelValues<'s>,
    plan: &'s BodyPlan,
}

impl<'s> BodyValues<'s> {
    pub(super) fn new(module: &'s ModuleState, level: LevelValues<'s>, plan: &'s BodyPlan) -> Self {
        Self { module, level, plan }
    }

    /// Iterates over the attributes in source order.
    pub fn attributes(self) -> impl ExactSizeIterator<Item = (&'s str, Value<'s>)> {
        self.module.plan.attributes[self.plan.attributes.clone()].iter().map(move |planned| {
            let attribute = Attribute::new(&self.module.linked, planned.attribute);
            (attribute.name(), self.level.at(planned.position as usize))
        })
    }

    /// Returns the value of the attribute `name`.
    pub fn attribute(self, name: &str) -> Option<Value<'s>> {
        self.attributes().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the position of the attribute `name` among the results.
    pub(super) fn position(self, name: &str) -> Option<u32> {
        let planned = &self.module.plan.attributes[self.plan.attributes.clone()];
        let is_named =
            |planned: &&AttributePlan| Attribute::new(&self.module.linked, planned.attribute).name() == name;
        planned.iter().find(is_named).map(|planned| planned.position)
    }

    /// Iterates over the blocks in source order; those that a `dynamic` block makes take its place.
    pub fn blocks(self) -> impl Iterator<Item = BlockValues<'s>> {
        self.module.plan.blocks[self.plan.blocks.clone()]
            .iter()
            .flat_map(move |planned| self.block_at(*planned))
    }

    /// Iterates over the blocks of one type in source order.
    pub fn blocks_of(self, kind: &str) -> impl Iterator<Item = BlockValues<'s>> {
        self.blocks().filter(move |block| block.kind() == kind)
    }

    /// Returns the first block with this type and these labels.
    pub fn block<'l>(self, kind: &str, labels: impl AsRef<[&'l str]>) -> Option<BlockValues<'s>> {
        let labels = labels.as_ref();
        self.blocks_of(kind).find(|block| block.labels().eq(labels.iter().copied()))
    }

    /// Returns the block that is written at a place of the plan, or those that a dynamic block makes.
    fn block_at(self, planned: BlockPlan) -> impl Iterator<Item = BlockValues<'s>> {
        let Self { module, level, .. } = self;
        let (written, made) = match planned {
            BlockPlan::Written { block, body } => {
                let body = BodyValues { plan: &module.plan.bodies[body as usize], ..self };
                let block = Block::new(&module.linked, block);
                (Some(BlockValues::written(block, body)), None)
            }
            BlockPlan::Dynamic(at) => {
                let dynamic = &module.plan.levels[level.level].dynamics[at as usize];
                (None, level.dynamics.get(at as usize).map(|expanded| (dynamic, expanded)))
            }
        };
        let made = made.into_iter().flat_map(move |(dynamic, expanded)| expanded.blocks(module, dynamic));
        written.into_iter().chain(made)
    }
}

/// A block of the values of a module.
#[derive(Clone, Copy, Debug)]
pub struct BlockValues<'s> {
    block: Block<'s>,
    content: BlockContent<'s>,
}

/// The content of a block.
#[derive(Clone, Copy, Debug)]
enum BlockContent<'s> {
    Written(BodyValues<'s>),
    Made {
        labels: &'s [&'s str],
        body: BodyValues<'s>,
    },
    /// All blocks of a dynamic block whose collection is not known.
    Pending {
        for_each: Value<'s>,
        body: BodyValues<'s>,
    },
}

impl<'s> BlockValues<'s> {
    /// Returns a block that is written in the file.
    pub(super) fn written(block: Block<'s>, body: BodyValues<'s>) -> Self {
        Self { block, content: BlockContent::Written(body) }
    }

    /// Returns the number of the block that is written in the file.
    pub(in crate::structure) fn number(self) -> Option<u32> {
        self.block.index()
    }

    /// Returns its type.
    pub fn kind(self) -> &'s str {
        match self.content {
            BlockContent::Written(_) => self.block.kind(),
            BlockContent::Made { .. } | BlockContent::Pending { .. } => {
                self.block.labels().next().unwrap_or("")
            }
        }
    }

    /// Iterates over its labels. There are none for pending blocks.
    pub fn labels(self) -> impl Iterator<Item = &'s str> {
        let written = matches!(self.content, BlockContent::Written(_)).then(|| self.block.labels());
        let made = match self.content {
            BlockContent::Made { labels, .. } => labels,
            _ => &[],
        };
        written.into_iter().flatten().chain(made.iter().copied())
    }

    /// Returns its attributes and blocks. There are none for pending blocks.
    pub fn body(self) -> BodyValues<'s> {
        match self.content {
            BlockContent::Written(body)
            | BlockContent::Made { body, .. }
            | BlockContent::Pending { body, .. } => body,
        }
    }

    /// Returns the value of the attribute `name`.
    pub fn attribute(self, name: &str) -> Option<Value<'s>> {
        self.body().attribute(name)
    }

    /// Returns the collection if this represents all blocks that a `dynamic` block will make when its
    /// collection is known.
    pub fn pending(self) -> Option<Value<'s>> {
        match self.content {
            BlockContent::Pending { for_each, .. } => Some(for_each),
            _ => None,
        }
    }
}

impl<'s> Expanded<'s> {
    /// Iterates over the blocks that were made.
    fn blocks(
        &'s self,
        module: &'s ModuleState,
        dynamic: &'s DynamicPlan,
    ) -> impl Iterator<Item = BlockValues<'s>> {
        let Self { pending, instances } = self;
        let block = Block::new(&module.linked, dynamic.block);
        let number = dynamic.made.as_ref().map_or(0, |made| made.level);
        let plan = dynamic.made.is_ok().then(|| &module.plan.levels[number]);
        let body = plan.map(|level| &module.plan.bodies[level.body as usize]);
        let first = plan.map_or(0, |level| level.positions.start);
        let made = body.into_iter().flat_map(move |plan| {
            instances.iter().map(move |instance| {
                let BlockInstance { values, dynamics, .. } = *instance;
                let level = LevelValues { level: number, values, first, dynamics };
                let body = BodyValues { module, level, plan };
                BlockValues { block, content: BlockContent::Made { labels: instance.labels, body } }
            })
        });
        let pending = pending.map(|for_each| {
            let level = LevelValues { level: number, values: &[], first, dynamics: &[] };
            let body = BodyValues { module, level, plan: &EMPTY };
            BlockValues { block, content: BlockContent::Pending { for_each, body } }
        });
        pending.into_iter().chain(made)
    }
}

/// The body of pending blocks.
static EMPTY: BodyPlan = BodyPlan { attributes: 0..0, blocks: 0..0 };
