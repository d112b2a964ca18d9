//! The plan of a module: its rules with the positions of their results, linked, and the structure by which
//! results are read.
//!
//! ```text
//! values   scope's slots │ locals │ root level │ content of dynamic block 0 │ …
//! level    attributes │ for_each of its dynamic blocks
//! ```
//! A local is a derived slot: its position is the number of the slot `local.NAME` of the layout that the
//! programs are compiled for. A level is the file or the content of a dynamic block, with all blocks that are
//! written in it. The content of a dynamic block has one range of positions, whose values are copied away
//! for each block that is made.

use std::collections::HashSet;
use std::ops::Range;

use hclvm_compiler::analysis;
use hclvm_vm::code::Slot;
use hclvm_vm::hash::HashMap;
use hclvm_vm::{Diagnostic, cast};

use super::known::{Fate, Frozen, KnownVariables, Specializer};
use super::locals::{LOCAL, LOCALS, OrderedLocal};
use super::path::RequestedAttributes;
use super::rule::{LinkedStage, PlacedProgram, RuleCode};
use super::streams::SavedStreams;
use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::diagnostics::problems::ProblemCollector;
use crate::structure::content::has_labels;
use crate::structure::dynamic;
use crate::structure::schema::{DYNAMIC, DYNAMIC_LABEL};
use crate::syntax::document::{Attribute, Block, Body, Document};

/// The plan of a module.
#[derive(Debug)]
pub(super) struct ModulePlan {
    /// The number of the scope's slots.
    pub(super) slots: usize,
    /// The slot of `local`, if a program reads the object itself.
    pub(super) object: Option<usize>,
    /// The number of values.
    pub(super) values: usize,
    /// Rules by levels. Those of a level are in the order of their positions, except that frozen locals precede
    /// all others and other frozen rules follow them.
    pub(super) rules: Vec<PlacedProgram>,
    /// Locals that are evaluated, sorted by name, as indexes.
    pub(super) locals: Vec<u32>,
    /// The level of the file, then those of the contents of dynamic blocks.
    pub(super) levels: Vec<PlanLevel>,
    pub(super) bodies: Vec<BodyPlan>,
    pub(super) attributes: Vec<AttributePlan>,
    pub(super) blocks: Vec<BlockPlan>,
    /// The results that are known.
    pub(super) frozen: Frozen,
}

impl ModulePlan {
    /// Returns a plan without rules.
    pub(super) fn empty(slots: usize) -> Self {
        Self {
            slots,
            object: None,
            values: 0,
            rules: Vec::new(),
            locals: Vec::new(),
            levels: Vec::new(),
            bodies: Vec::new(),
            attributes: Vec::new(),
            blocks: Vec::new(),
            frozen: Frozen::default(),
        }
    }

    /// Frees the memory that its lists do not use: a plan is kept and never grows.
    fn shrink(&mut self) {
        self.rules.shrink_to_fit();
        self.bodies.shrink_to_fit();
        self.attributes.shrink_to_fit();
        self.blocks.shrink_to_fit();
    }
}

/// The file, or the content of a dynamic block.
#[derive(Debug)]
pub(super) struct PlanLevel {
    /// Its rules, those of stages and frozen ones.
    pub(super) rules: Range<usize>,
    /// Stages in order. The object `local` is complete before the second one.
    pub(super) stages: Vec<LinkedStage>,
    /// The positions of its results.
    pub(super) positions: Range<usize>,
    pub(super) dynamics: Vec<DynamicPlan>,
    /// Its outermost body.
    pub(super) body: u32,
}

/// A `dynamic` block.
#[derive(Debug)]
pub(super) struct DynamicPlan {
    /// The number of the block that makes the others.
    pub(super) block: u32,
    /// Order of the diagnostics that the expression of `for_each` has. Others of the block's head follow.
    pub(super) for_each_order: u32,
    /// Order of the diagnostics of its head: the collection and the labels.
    pub(super) order: u32,
    /// Order of the diagnostics of the blocks it makes.
    pub(super) content_order: u32,
    /// The rule of `for_each`, and the problems that are found before it is evaluated.
    pub(super) for_each: Result<usize, Vec<Diagnostic>>,
    /// The rest, or the problems that are found after `for_each` was evaluated.
    pub(super) made: Result<Made, Vec<Diagnostic>>,
}

/// The blocks that a `dynamic` block makes.
#[derive(Debug)]
pub(super) struct Made {
    /// The slot of the iterator; `None` if no program reads it.
    pub(super) iterator: Option<usize>,
    pub(super) labels: Vec<Program>,
    pub(super) level: usize,
}

/// The items of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyPlan {
    pub(super) attributes: Range<usize>,
    pub(super) blocks: Range<usize>,
}

/// An attribute with the position of its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttributePlan {
    pub(super) attribute: u32,
    pub(super) position: u32,
}

/// A block of a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum BlockPlan {
    /// A block that is written in the file.
    Written {
        /// Its number.
        block: u32,
        /// The number of its body in the plan.
        body: u32,
    },
    /// The blocks of a dynamic block of the level, by its number there.
    Dynamic(u32),
}

/// Plans a module. Its programs belong to `document`, whose layout begins with the `slots` of scopes,
/// specialized for what is known. Streams that were `saved` are those of the whole module, for which nothing is known.
///
/// # Errors
/// An expression that is too large to compile.
pub(super) fn plan(
    document: &Document,
    slots: usize,
    locals: &[OrderedLocal],
    wanted: &RequestedAttributes<'_>,
    known: Option<&KnownVariables>,
    saved: Option<SavedStreams<'_>>,
) -> Result<ModulePlan, Error> {
    let mut planner = ModulePlanner::new(document, slots, locals);
    planner.plan.object =
        planner.local.filter(|_| saved.as_ref().is_some_and(SavedStreams::reads_object)).map(position);
    planner.saved = saved;
    let mut levels = vec![planner.level(document.body(), wanted, true)?];
    // The contents of dynamic blocks, the outermost first. They also decide which locals are needed.
    let mut at = 0;
    while at < levels.len() {
        for (dynamic, body, wanted) in std::mem::take(&mut levels[at].contents) {
            let number = levels.len();
            if let Ok(made) = &mut levels[at].dynamics[dynamic].made {
                made.level = number;
            }
            levels.push(planner.level(body, &wanted, false)?);
        }
        at += 1;
    }
    planner.add_locals(&mut levels[0], wanted)?;
    if let Some(known) = known {
        planner.plan.frozen = specialize(document, known, &mut levels)?;
    }
    for level in levels {
        planner.link(level)?;
    }
    planner.plan.values = planner.next_position;
    planner.plan.shrink();
    Ok(planner.plan)
}

/// Specializes the programs of levels, of which the first one is that of the file.
fn specialize(
    document: &Document,
    known: &KnownVariables,
    levels: &mut [LevelPlan<'_, '_>],
) -> Result<Frozen, Error> {
    let mut session = document.engine().session();
    let (arena, ..) = session.start_shared();
    let mut specializer = Specializer::new(arena, document, known);
    let (mut rules, mut labels) = (Vec::new(), Vec::new());
    for (number, level) in levels.iter().enumerate() {
        let collections: HashSet<usize> =
            level.dynamics.iter().filter_map(|dynamic| dynamic.for_each.as_ref().ok().copied()).collect();
        for (at, rule) in level.rules.iter().enumerate() {
            let PlacedProgram { position, order, object_for, .. } = *rule;
            let told_once = number == 0 && !collections.contains(&at);
            rules.push(match object_for {
                Some(_) => Fate::Same,
                None => specializer.rule(rule.program(document)?, (position, order), told_once)?,
            });
        }
        for made in level.dynamics.iter().filter_map(|dynamic| dynamic.made.as_ref().ok()) {
            for label in &made.labels {
                labels.push(specializer.fold(label)?);
            }
        }
    }
    let frozen = specializer.freeze();
    let (mut rules, mut labels) = (rules.into_iter(), labels.into_iter());
    for level in levels {
        for (rule, fate) in level.rules.iter_mut().zip(&mut rules) {
            match fate {
                Fate::Same => {}
                Fate::Frozen => rule.frozen = true,
                Fate::Folded(program) => rule.code = RuleCode::Folded(Box::new(program)),
            }
        }
        let made = level.dynamics.iter_mut().filter_map(|dynamic| dynamic.made.as_mut().ok());
        for (label, fate) in made.flat_map(|made| &mut made.labels).zip(&mut labels) {
            if let Fate::Folded(program) = fate {
                *label = program;
            }
        }
    }
    Ok(frozen)
}

/// A plan under construction.
struct ModulePlanner<'d> {
    document: &'d Document,
    locals: &'d [OrderedLocal],
    by_name: HashMap<&'d str, u32>,
    /// The slot of `local`.
    local: Option<Slot>,
    /// The locals that are needed.
    needed: Vec<bool>,
    next_position: usize,
    next_order: u32,
    /// Streams that were linked before.
    saved: Option<SavedStreams<'d>>,
    plan: ModulePlan,
}

/// A level under construction.
struct LevelPlan<'d, 'w> {
    rules: Vec<PlacedProgram>,
    positions: Range<usize>,
    dynamics: Vec<DynamicPlan>,
    /// The collections of its dynamic blocks, each with the number of the block.
    for_each: Vec<(usize, Attribute<'d>)>,
    /// The contents of its dynamic blocks, each with the number of the block.
    contents: Vec<(usize, Body<'d>, RequestedAttributes<'w>)>,
    body: BodyPlan,
}

/// A body whose blocks are being planned.
struct UnfinishedBody<'d, 'w> {
    wanted: RequestedAttributes<'w>,
    /// The blocks that follow.
    rest: std::vec::IntoIter<Block<'d>>,
    /// The numbers of the `dynamic` blocks that follow; `None` for one that is not wanted.
    dynamics: std::vec::IntoIter<Option<usize>>,
    attributes: Range<usize>,
    planned: Vec<BlockPlan>,
}

impl<'d> ModulePlanner<'d> {
    fn new(document: &'d Document, slots: usize, locals: &'d [OrderedLocal]) -> Self {
        let by_name = locals.iter().zip(0..).map(|(local, at)| (local.name.as_str(), at)).collect();
        let plan = ModulePlan::empty(slots);
        Self {
            document,
            locals,
            by_name,
            local: document.layout().slot(LOCAL),
            needed: vec![false; locals.len()],
            next_position: slots + locals.len(),
            next_order: cast::length(locals.len()),
            saved: None,
            plan,
        }
    }

    /// Plans a body with the blocks written in it.
    fn level<'w>(
        &mut self,
        body: Body<'d>,
        wanted: &RequestedAttributes<'w>,
        root: bool,
    ) -> Result<LevelPlan<'d, 'w>, Error> {
        let start = self.next_position;
        let mut level = LevelPlan {
            rules: Vec::new(),
            positions: start..start,
            dynamics: Vec::new(),
            for_each: Vec::new(),
            contents: Vec::new(),
            body: BodyPlan::default(),
        };
        level.body = self.body(&mut level, body, wanted, root)?;
        for (dynamic, attribute) in std::mem::take(&mut level.for_each) {
            let rule = level.rules.len();
            let dynamic = &mut level.dynamics[dynamic];
            dynamic.for_each = Ok(rule);
            let order = dynamic.for_each_order;
            self.rule(&mut level, attribute, order);
        }
        level.positions.end = self.next_position;
        Ok(level)
    }

    /// Plans a body with the blocks written in it. The body of the file leaves out `locals` blocks.
    fn body<'w>(
        &mut self,
        level: &mut LevelPlan<'d, 'w>,
        body: Body<'d>,
        wanted: &RequestedAttributes<'w>,
        root: bool,
    ) -> Result<BodyPlan, Error> {
        // An explicit stack, because a thousand calls of unoptimized builds do not fit the native one.
        let mut around: Vec<(u32, UnfinishedBody<'d, 'w>)> = Vec::new();
        let mut innermost = self.open_body(level, body, wanted.clone())?;
        loop {
            let is_file = root && around.is_empty();
            if let Some((number, block, wanted)) = self.next_block(level, &mut innermost, is_file) {
                let inner = self.open_body(level, block.body(), wanted)?;
                around.push((number, std::mem::replace(&mut innermost, inner)));
                continue;
            }
            let first = self.plan.blocks.len();
            self.plan.blocks.extend(innermost.planned);
            let plan = BodyPlan { attributes: innermost.attributes, blocks: first..self.plan.blocks.len() };
            let Some((block, outer)) = around.pop() else { return Ok(plan) };
            innermost = outer;
            let body = cast::length(self.plan.bodies.len());
            self.plan.bodies.push(plan);
            innermost.planned.push(BlockPlan::Written { block, body });
        }
    }

    /// Plans the `dynamic` blocks of a body, then its attributes.
    fn open_body<'w>(
        &mut self,
        level: &mut LevelPlan<'d, 'w>,
        body: Body<'d>,
        wanted: RequestedAttributes<'w>,
    ) -> Result<UnfinishedBody<'d, 'w>, Error> {
        let blocks: Vec<Block<'d>> = body.blocks().collect();
        let mut dynamics = Vec::new();
        for block in blocks.iter().filter(|block| block.kind() == DYNAMIC) {
            dynamics.push(self.dynamic(level, *block, &wanted)?);
        }
        let first = self.plan.attributes.len();
        // In JSON, the blocks of locals are also listed.
        let is_locals = |name: &str| body.json().is_some() && name == LOCALS;
        let is_wanted = |name: &str| wanted.attribute(name) && !is_locals(name);
        for attribute in body.attributes().filter(|attribute| is_wanted(attribute.name())) {
            let order = self.order();
            let position = self.rule(level, attribute, order);
            self.plan.attributes.push(AttributePlan { attribute: attribute.index(), position });
        }
        let attributes = first..self.plan.attributes.len();
        let (rest, dynamics) = (blocks.into_iter(), dynamics.into_iter());
        Ok(UnfinishedBody { wanted, rest, dynamics, attributes, planned: Vec::new() })
    }

    /// Plans the blocks of a body up to the next one that is written and wanted. Returns that, with its
    /// number and what is wanted in it.
    fn next_block<'w>(
        &mut self,
        level: &mut LevelPlan<'d, 'w>,
        body: &mut UnfinishedBody<'d, 'w>,
        is_file: bool,
    ) -> Option<(u32, Block<'d>, RequestedAttributes<'w>)> {
        for block in body.rest.by_ref() {
            if block.kind() == DYNAMIC {
                if let Some(Some(dynamic)) = body.dynamics.next() {
                    level.dynamics[dynamic].content_order = self.order();
                    body.planned.push(BlockPlan::Dynamic(cast::length(dynamic)));
                }
            } else if !(is_file && block.kind() == LOCALS)
                && let Some(wanted) = body.wanted.block(block.kind(), block.labels())
                && let Some(number) = block.index()
            {
                return Some((number, block, wanted));
            }
        }
        None
    }

    /// Plans a dynamic block. Returns its number in the level; `None` if it is not wanted.
    fn dynamic<'w>(
        &mut self,
        level: &mut LevelPlan<'d, 'w>,
        block: Block<'d>,
        wanted: &RequestedAttributes<'w>,
    ) -> Result<Option<usize>, Error> {
        let kind = block.labels().next().unwrap_or("");
        let labels = block.attribute("labels").and_then(Attribute::element_count).unwrap_or(0);
        let Some(wanted) = wanted.made_block(kind, labels) else { return Ok(None) };
        let mut problems = ProblemCollector::new(self.document.engine().settings().limits.diagnostics);
        let labelled = has_labels(block, &[DYNAMIC_LABEL.into()], &mut problems);
        let head = if labelled { dynamic::head(block, None, &mut problems) } else { None };
        let mut plan = DynamicPlan {
            block: block.index().unwrap_or(0),
            for_each_order: self.order(),
            order: self.order(),
            content_order: 0,
            for_each: Err(Vec::new()),
            made: Err(Vec::new()),
        };
        let Some(head) = head else {
            plan.for_each = Err(problems.take());
            level.dynamics.push(plan);
            return Ok(Some(level.dynamics.len() - 1));
        };
        match head.tail(None, &mut problems) {
            None => plan.made = Err(problems.take()),
            Some(tail) => {
                let count = tail.labels.and_then(Attribute::element_count).unwrap_or(0);
                let labels: Result<Vec<_>, _> = (0..count)
                    .filter_map(|at| Some(tail.labels?.element_ref(at).cloned().map_err(Clone::clone)))
                    .collect();
                let labels = labels?;
                self.need_locals(tail.labels);
                let iterator = self.document.layout().slot(head.iterator).map(|slot| usize::from(slot.0));
                // The number of its level is known when that is planned.
                plan.made = Ok(Made { iterator, labels, level: 0 });
                level.contents.push((level.dynamics.len(), tail.content, wanted));
            }
        }
        // Its rule follows those of the attributes of the level.
        level.for_each.push((level.dynamics.len(), head.for_each));
        level.dynamics.push(plan);
        Ok(Some(level.dynamics.len() - 1))
    }

    fn order(&mut self) -> u32 {
        self.next_order += 1;
        self.next_order - 1
    }

    /// Adds the rule of an attribute. Returns the position of its result.
    fn rule(&mut self, level: &mut LevelPlan<'d, '_>, attribute: Attribute<'d>, order: u32) -> u32 {
        let position = cast::length(self.next_position);
        self.next_position += 1;
        self.need_locals(Some(attribute));
        let code = RuleCode::Attribute(attribute.index());
        level.rules.push(PlacedProgram { code, position, order, object_for: None, frozen: false });
        position
    }

    /// Notes the locals that an expression reads.
    fn need_locals(&mut self, attribute: Option<Attribute<'d>>) {
        if self.saved.is_some() {
            // A whole module needs all locals.
            return;
        }
        let Some(local) = self.local else { return };
        let Some(attribute) = attribute else { return };
        let document = self.document;
        let layout = document.layout();
        // Locals have slots in their order, until there are no more slots.
        let slots = if layout.has_derived(LOCAL) { layout.len() - self.plan.slots } else { 0 };
        analysis::uses_of(document.tree(), attribute.nodes(), LOCAL, |traversal| {
            let name = analysis::attribute_read(&traversal);
            let at =
                name.as_ref().and_then(|name| self.by_name.get(name.as_str())).map(|at| cast::index(*at));
            match at {
                Some(at) => self.needed[at] = true,
                None if name.is_none() => self.needed.fill(true),
                None => {}
            }
            if at.is_none_or(|at| at >= slots) {
                self.plan.object = Some(position(local));
            }
        });
    }

    /// Adds the rules of the locals that are wanted or needed, in front of the others.
    fn add_locals(
        &mut self,
        root: &mut LevelPlan<'d, '_>,
        wanted: &RequestedAttributes<'_>,
    ) -> Result<(), Error> {
        for (local, needed) in self.locals.iter().zip(&mut self.needed) {
            *needed |= wanted.local(&local.name);
        }
        // Each local follows those it uses.
        for at in (0..self.locals.len()).rev() {
            if self.needed[at] {
                self.locals[at].uses.iter().for_each(|used| self.needed[*used] = true);
            }
        }
        let mut rules = Vec::new();
        for at in (0..self.locals.len()).filter(|at| self.needed[*at]) {
            rules.push(PlacedProgram::of_local(self.document, self.locals, at, self.plan.slots));
        }
        let shift = rules.len();
        rules.append(&mut root.rules);
        root.rules = rules;
        for dynamic in &mut root.dynamics {
            if let Ok(rule) = &mut dynamic.for_each {
                *rule += shift;
            }
        }
        let mut order: Vec<u32> = (0..).take(self.locals.len()).collect();
        order.retain(|at| self.needed[cast::index(*at)]);
        order.sort_by_key(|at| &self.locals[cast::index(*at)].name);
        self.plan.locals = order;
        Ok(())
    }

    /// Links the rules of a level.
    fn link(&mut self, level: LevelPlan<'d, '_>) -> Result<(), Error> {
        let LevelPlan { rules, positions, mut dynamics, body, .. } = level;
        let locals_end = self.plan.slots + self.locals.len();
        let is_local = |rule: &PlacedProgram| cast::index(rule.position) < locals_end;
        // Those that are frozen are outside of the stages, and locals remain the first rules of the file.
        let group = |rule: &PlacedProgram| match (is_local(rule), rule.frozen) {
            (true, true) => 0,
            (true, false) => 1,
            (false, false) => 2,
            (false, true) => 3,
        };
        let first = self.plan.rules.len();
        let mut order: Vec<usize> = (0..rules.len()).collect();
        order.sort_by_key(|at| group(&rules[*at]));
        let mut numbers = vec![0; rules.len()];
        order.iter().zip(first..).for_each(|(at, number)| numbers[*at] = number);
        for dynamic in &mut dynamics {
            if let Ok(rule) = &mut dynamic.for_each {
                *rule = numbers[*rule];
            }
        }
        let [mut start, mut split, mut end] = [first; 3];
        for group in rules.iter().map(group) {
            start += usize::from(group < 1);
            split += usize::from(group < 2);
            end += usize::from(group < 3);
        }
        if self.plan.object.is_none() {
            split = start;
        }
        let all = first..first + rules.len();
        let mut rules: Vec<Option<PlacedProgram>> = rules.into_iter().map(Some).collect();
        self.plan.rules.reserve_exact(order.len());
        self.plan.rules.extend(order.into_iter().filter_map(|at| rules[at].take()));
        // The object is made before the last stage, even if that is empty.
        let has_object = self.plan.object.is_some();
        let is_needed = |rules: &Range<usize>| !rules.is_empty() || has_object;
        let stages = [start..split, split..end].into_iter().filter(is_needed);
        let stages =
            stages.map(|rules| self.stage(rules.map(cast::length).collect())).collect::<Result<_, _>>()?;
        let number_of_body = cast::length(self.plan.bodies.len());
        self.plan.bodies.push(body);
        self.plan.levels.push(PlanLevel { rules: all, stages, positions, dynamics, body: number_of_body });
        Ok(())
    }

    /// Returns the stage of some of the rules: its saved streams, or those that are linked now.
    fn stage(&mut self, rules: Box<[u32]>) -> Result<LinkedStage, Error> {
        let saved = self.saved.as_mut().and_then(|saved| saved.stage(&self.plan.rules, &rules));
        match saved {
            Some(streams) => Ok(LinkedStage { rules, streams }),
            None => LinkedStage::of(self.document, &self.plan.rules, rules),
        }
    }
}

fn position(slot: Slot) -> usize {
    usize::from(slot.0)
}
