//! One evaluation of a module: the rules of the file, then the blocks of its `dynamic` blocks, each level by
//! its streams.

use hclvm_vm::exec::{self, RunValues};
use hclvm_vm::{Arena, Diagnostic, Entry, Exhausted, Marks, Value, cast};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::explanations::Explanations;
use super::plan::{DynamicPlan, Made, ModulePlan, PlanLevel};
use super::rule::{LinkedStage, PlacedProgram};
use super::values::{LevelValues, Values};
use super::{Module, ModuleState};
use crate::compile::program::Program;
use crate::diagnostics::blocks::tell_blocks;
use crate::diagnostics::error::{Diagnostics, Error, LimitError};
use crate::diagnostics::problems::ProblemCollector;
use crate::run::beside::SideRuns;
use crate::run::coverage::Coverage;
use crate::run::scope::Scope;
use crate::run::session::{Evaluation, Reporting, Session, Tier, evaluate_reporting};
use crate::structure::dynamic;

impl Module {
    /// Evaluates all attributes. The dialect decides the value of variables that are not set.
    ///
    /// # Errors
    /// A limit that was exceeded. Other errors are in the diagnostics of the result.
    pub fn evaluate<'s>(&'s self, session: &'s mut Session, scope: &'s Scope) -> Result<Values<'s>, Error> {
        let module = &*self.0;
        let mut run = ModuleRun::in_scope(module, session, scope)?;
        let dynamics = run.level(&module.plan.levels[0], LevelContext::OUTSIDE)?;
        run.end()?;
        let diagnostics = Diagnostics::new(Arc::clone(module.linked.source()), run.found.take());
        let diagnostics = Cow::Owned(scope.suggest(diagnostics));
        let fuel = Some(run.arena.budget().spent());
        let root = LevelValues { level: 0, values: run.values.into_all(), first: 0, dynamics };
        Ok(Values { module, root, diagnostics, fuel })
    }
}

/// The blocks that a dynamic block made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expanded<'a> {
    /// The collection, if it is not known.
    pub(super) pending: Option<Value<'a>>,
    pub(super) instances: &'a [BlockInstance<'a>],
}

/// A block that a dynamic block made.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockInstance<'a> {
    pub(super) labels: &'a [&'a str],
    /// The values of its level.
    pub(super) values: &'a [Value<'a>],
    pub(super) dynamics: &'a [Expanded<'a>],
}

/// The context of a level.
#[derive(Clone, Copy)]
pub(super) struct LevelContext<'a> {
    /// The marks of the collections that it was made from.
    marks: Marks<'a>,
    /// True if messages must not show values: an iterator belongs to a marked collection.
    secret: bool,
}

impl LevelContext<'_> {
    pub(super) const OUTSIDE: Self = Self { marks: Marks::NONE, secret: false };
}

/// An evaluation.
pub(super) struct ModuleRun<'a, 'r> {
    pub(super) module: &'a ModuleState,
    plan: &'a ModulePlan,
    pub(super) arena: &'a Arena,
    tier: Tier,
    /// The number of results of the baseline tier.
    runs: &'r mut u64,
    pub(super) values: RunValues<'a>,
    /// Rules with errors in their last evaluation, perhaps repeatedly.
    pub(super) failed: Vec<usize>,
    pub(super) found: RunDiagnostics,
    /// The outcomes of the conditions of rules, by rule, if they are recorded.
    pub(super) covered: Option<RuleOutcomes>,
    /// Explanations, if any are wanted.
    pub(super) explanations: Option<Explanations<'a, 'r>>,
}

/// The outcomes of the conditions of rules.
pub(super) struct RuleOutcomes {
    /// By the numbers of the rules.
    pub(super) rules: BTreeMap<usize, Coverage>,
    pub(super) beside: SideRuns,
}

impl<'a, 'r> ModuleRun<'a, 'r> {
    /// Starts an evaluation of a module in a scope.
    pub(super) fn in_scope<'s: 'a + 'r>(
        module: &'a ModuleState,
        session: &'s mut Session,
        scope: &'a Scope,
    ) -> Result<Self, Error> {
        scope.check_document(&module.document)?;
        let ModulePlan { slots, values, .. } = module.plan;
        let values = |arena| RunValues::new(arena, scope.frame(), slots, values - slots);
        Ok(Self::start(module, session, scope, values))
    }

    /// Starts an evaluation in a session, with the values that `values` makes of those of the scope.
    pub(super) fn start<'s: 'a + 'r>(
        module: &'a ModuleState,
        session: &'s mut Session,
        scope: &Scope,
        values: impl FnOnce(&'a Arena) -> RunValues<'a>,
    ) -> Self {
        let (arena, tier, runs) = session.start_shared();
        arena.set_partial(scope.is_partial());
        let (failed, found) = (Vec::new(), RunDiagnostics::new(arena));
        let (plan, mut values) = (&module.plan, values(arena));
        if let Some(known) = &module.known {
            known.set(&mut values);
            plan.frozen.set(&mut values);
        }
        Self { module, plan, arena, tier, runs, values, failed, found, covered: None, explanations: None }
    }

    /// Returns true if nothing but the results of rules is wanted, from the fast tier where possible.
    pub(super) fn is_plain(&self) -> bool {
        self.tier == Tier::Best && self.covered.is_none()
    }

    /// Returns true if the last evaluation of the rule had errors.
    pub(super) fn has_failed(&self, rule: u32) -> bool {
        self.failed.contains(&cast::index(rule))
    }

    /// Evaluates one rule of the file. Keeps its errors and warnings, but not its value.
    pub(super) fn rule(&mut self, at: usize) -> Result<Value<'a>, Error> {
        let rule = &self.plan.rules[at];
        let fast = rule.fast(&self.module.linked).filter(|_| self.tier == Tier::Best);
        let value = fast.and_then(|fast| exec::try_fast(fast, self.values.frame(), self.arena));
        if let Some(value) = value {
            return Ok(value);
        }
        *self.runs += 1;
        let reporting = Reporting { concealed: false, room: self.found.room() };
        let evaluation = fall_back(self.module, self.arena, at, &mut self.values, reporting)?;
        Ok(noted(evaluation, at, rule.order, &mut self.failed, &mut self.found))
    }

    /// Sets the object `local`, which rules other than locals read.
    pub(super) fn set_locals(&mut self) {
        if let Some(slot) = self.plan.object {
            let locals = self.plan.locals.iter().map(|at| cast::index(*at));
            set_object(self.module, self.arena, &mut self.values, slot, locals);
        }
    }

    /// Evaluates a level. Returns the blocks that its dynamic blocks make.
    pub(super) fn level(
        &mut self,
        level: &'a PlanLevel,
        context: LevelContext<'a>,
    ) -> Result<&'a [Expanded<'a>], Error> {
        let stages = level.stages.len();
        let is_file = std::ptr::eq(level, &raw const self.plan.levels[0]);
        if is_file {
            for (order, known) in &self.plan.frozen.diagnostics {
                self.found.push(*order, known.clone());
            }
        }
        for (at, stage) in level.stages.iter().enumerate() {
            if at + 1 == stages && is_file {
                self.set_locals();
            }
            self.stage(stage, context)?;
        }
        if level.dynamics.is_empty() {
            return Ok(&[]);
        }
        let mut expanded = self.arena.list_with(level.dynamics.len());
        for dynamic in &level.dynamics {
            expanded.push(self.expand(dynamic, context)?);
        }
        Ok(expanded.into_bump_slice())
    }

    /// Evaluates all locals with the stage `first`, if an expression of rules reads the object `local`.
    pub(super) fn begin(&mut self, first: Option<&'a LinkedStage>) -> Result<(), Error> {
        if let Some(first) = first {
            self.stage(first, LevelContext::OUTSIDE)?;
            self.set_locals();
        }
        Ok(())
    }

    /// Runs the rules of a stage.
    pub(super) fn stage(&mut self, stage: &'a LinkedStage, context: LevelContext<'a>) -> Result<(), Error> {
        let Self { module, plan, arena, tier, .. } = *self;
        let rule = |at: usize| &plan.rules[cast::index(stage.rules[at])];
        self.failed.retain(|rule| stage.rules.binary_search(&cast::length(*rule)).is_err());
        let mut limit = None;
        let (runs, failed, found) = (&mut *self.runs, &mut self.failed, &mut self.found);
        let mut baseline = |at: usize, values: &mut RunValues<'a>| {
            let number = cast::index(stage.rules[at]);
            *runs += 1;
            let reporting = Reporting { concealed: context.secret, room: found.room() };
            match fall_back(module, arena, number, values, reporting) {
                Ok(evaluation) => noted(evaluation, number, rule(at).order, failed, found),
                // The budget is exhausted, which ends the run.
                Err(error) => {
                    limit = Some(error);
                    Value::NULL
                }
            }
        };
        let ended = if tier == Tier::Best {
            let alone = |at: usize| rule(at).fast(&module.linked);
            exec::run_rules(&stage.streams, &mut self.values, arena, alone, baseline)
        } else {
            for (at, position) in stage.positions().enumerate() {
                let value = baseline(at, &mut self.values);
                self.values.set(position, value);
                if arena.budget().exhausted().is_some() {
                    break;
                }
            }
            Ok(())
        };
        match (limit, ended, arena.budget().exhausted()) {
            (None, Ok(()), None) if self.covered.is_some() => self.cover(stage, context.secret),
            (None, Ok(()), None) => Ok(()),
            (Some(error), ..) => Err(error),
            // The fast tier exhausted the budget.
            (None, ended, exhausted) => {
                let at = ended.err().unwrap_or(0).min(stage.rules.len().saturating_sub(1));
                let rule = stage.rules.get(at).map(|_| rule(at));
                let program = rule.and_then(|rule| rule.program(&module.linked).ok());
                Err(program.map_or_else(|| self.exhausted(), |program| limit_error(program, exhausted)))
            }
        }
    }

    /// Makes the blocks of a dynamic block.
    pub(super) fn expand(
        &mut self,
        dynamic: &'a DynamicPlan,
        outer: LevelContext<'a>,
    ) -> Result<Expanded<'a>, Error> {
        let mut expanded = Expanded::default();
        let rule = match &dynamic.for_each {
            Ok(rule) => *rule,
            Err(problems) => {
                self.found.extend(dynamic.order, problems);
                return Ok(expanded);
            }
        };
        if self.failed.contains(&rule) {
            return Ok(expanded);
        }
        let rule = &self.plan.rules[rule];
        let value = self.values.all()[cast::index(rule.position)];
        if let Some(refusal) = dynamic::refuse_collection(
            self.arena,
            value,
            self.module.linked.tree().span(rule.root(&self.module.linked)),
        ) {
            self.refuse(dynamic, refusal);
            return Ok(expanded);
        }
        let made = match &dynamic.made {
            Ok(made) => made,
            Err(problems) => {
                self.found.extend(dynamic.order, problems);
                return Ok(expanded);
            }
        };
        let (collection, marks) = value.unmark();
        let marks = outer.marks.union(self.arena, marks);
        let context = LevelContext { marks, secret: outer.secret || !marks.is_empty() };
        let before = made.iterator.and_then(|slot| self.values.all().get(slot).copied());
        let mut instances = self.arena.list_with(dynamic::element_count(collection));
        let arena = self.arena;
        let known = dynamic::each_element(arena, collection, |pair| {
            if let Some(slot) = made.iterator {
                self.values.set(slot, dynamic::element(arena, pair));
            }
            if let Some(instance) = self.instance(dynamic, made, context)? {
                instances.push(instance);
            }
            Ok::<(), Error>(())
        })?;
        if let (Some(slot), Some(before)) = (made.iterator, before) {
            self.values.set(slot, before);
        }
        if !known {
            expanded.pending = Some(value);
        }
        expanded.instances = instances.into_bump_slice();
        Ok(expanded)
    }

    /// Notes that a dynamic block cannot be expanded.
    fn refuse(&mut self, dynamic: &DynamicPlan, mut refusal: Diagnostic) {
        tell_blocks(self.module.linked.file().tree(), &mut refusal);
        self.found.push(dynamic.order, refusal);
    }

    /// Makes a block, whose iterator is set. Returns `None` after reporting that a label is unsuitable.
    fn instance(
        &mut self,
        dynamic: &'a DynamicPlan,
        made: &'a Made,
        context: LevelContext<'a>,
    ) -> Result<Option<BlockInstance<'a>>, Error> {
        let mut labels = self.arena.list_with(made.labels.len());
        for program in &made.labels {
            match self.label(dynamic, program, context)? {
                Some(label) => labels.push(label),
                None => return Ok(None),
            }
        }
        let level = &self.plan.levels[made.level];
        let first = self.found.len();
        if let Some(explanations) = &mut self.explanations {
            explanations.enter(dynamic, labels.iter().copied());
        }
        let dynamics = self.level(level, context)?;
        if let Some(explanations) = &mut self.explanations {
            explanations.leave(made.level, self.values.all(), context.secret)?;
        }
        self.found.close(first, dynamic.content_order);
        let results = &self.values.all()[level.positions.clone()];
        let mut values = self.arena.list_with(results.len());
        values.extend(results.iter().map(|value| value.with_marks(self.arena, context.marks)));
        if self.arena.budget().exhausted().is_some() {
            return Err(self.exhausted());
        }
        let (labels, values) = (labels.into_bump_slice(), values.into_bump_slice());
        Ok(Some(BlockInstance { labels, values, dynamics }))
    }

    /// Evaluates a label.
    fn label(
        &mut self,
        dynamic: &DynamicPlan,
        program: &'a Program,
        context: LevelContext<'a>,
    ) -> Result<Option<&'a str>, Error> {
        let reporting = Reporting { concealed: context.secret, room: self.found.room() };
        let evaluation = evaluate_reporting(self.arena, self.tier, program, self.values.all(), reporting)?;
        if evaluation.diagnostics.has_errors() {
            self.found.extend(dynamic.order, evaluation.diagnostics.iter());
            return Ok(None);
        }
        match dynamic::label_text(self.arena, program, evaluation.value, context.secret)? {
            Ok(label) => Ok(Some(label)),
            Err(refusal) => {
                self.refuse(dynamic, refusal);
                Ok(None)
            }
        }
    }

    /// Ends an evaluation: returns an error if it took too long, or was cancelled.
    pub(super) fn end(&self) -> Result<(), Error> {
        if self.arena.budget().poll() { Ok(()) } else { Err(self.exhausted()) }
    }

    /// Returns the error of an evaluation that exceeded a limit outside of all programs.
    pub(super) fn exhausted(&self) -> Error {
        let exhausted = self.arena.budget().exhausted().unwrap_or(Exhausted::Memory);
        let document = &self.module.linked;
        let source = Arc::clone(document.source());
        LimitError { exhausted, source, span: document.body().span().empty_at_start() }.into()
    }
}

/// Evaluates a rule with the baseline tier.
fn fall_back<'a>(
    module: &'a ModuleState,
    arena: &'a Arena,
    rule: usize,
    values: &mut RunValues<'a>,
    reporting: Reporting,
) -> Result<Evaluation<'a>, Error> {
    let rule = &module.plan.rules[rule];
    set_object_for(module, arena, rule, values);
    evaluate_reporting(arena, Tier::Baseline, rule.program(&module.linked)?, values.all(), reporting)
}

/// Sets the slot of `local` to the object that a rule reads, if it reads one.
pub(super) fn set_object_for<'a>(
    module: &'a ModuleState,
    arena: &'a Arena,
    rule: &PlacedProgram,
    values: &mut RunValues<'a>,
) {
    if let Some(local) = rule.object_for
        && let Some(slot) = module.object_slot
    {
        let uses = module.locals[cast::index(local)].uses.iter().copied();
        set_object(module, arena, values, slot, uses);
    }
}

/// Returns the value of an evaluation of a rule. Notes whether it had errors, and what it found.
fn noted<'a>(
    evaluation: Evaluation<'a>,
    rule: usize,
    order: u32,
    failed: &mut Vec<usize>,
    found: &mut RunDiagnostics,
) -> Value<'a> {
    if evaluation.diagnostics.has_errors() {
        failed.push(rule);
    }
    found.extend(order, evaluation.diagnostics.iter());
    evaluation.marked_value()
}

/// Sets the slot of `local` to the object of the locals at these indexes, which are sorted by name.
fn set_object<'a>(
    module: &'a ModuleState,
    arena: &'a Arena,
    values: &mut RunValues<'a>,
    slot: usize,
    locals: impl ExactSizeIterator<Item = usize>,
) {
    let mut entries = arena.list_with(locals.len());
    for at in locals {
        let local = &module.locals[at];
        let value = values.all()[module.plan.slots + at];
        entries.push(Entry { name: local.name.as_str(), symbol: local.symbol, value });
    }
    values.set(slot, Value::object(arena, entries.into_bump_slice()));
}

fn limit_error(program: &Program, exhausted: Option<Exhausted>) -> Error {
    let exhausted = exhausted.unwrap_or(Exhausted::Memory);
    LimitError { exhausted, source: Arc::clone(program.source()), span: program.span() }.into()
}

/// Diagnostics, which are sorted by the order of what they are about.
pub(super) struct RunDiagnostics {
    pub(super) kept: Vec<(u32, Diagnostic)>,
    limit: usize,
    /// Counts those beyond the limit.
    pub(super) others: ProblemCollector,
}

impl RunDiagnostics {
    fn new(arena: &Arena) -> Self {
        Self { kept: Vec::new(), limit: arena.budget().limits().faults, others: ProblemCollector::new(0) }
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns the number of diagnostics that are still kept.
    fn room(&self) -> usize {
        self.limit.saturating_sub(self.kept.len())
    }

    pub(super) fn push(&mut self, order: u32, diagnostic: Diagnostic) {
        if self.kept.len() < self.limit {
            self.kept.push((order, diagnostic));
        } else {
            self.others.push(diagnostic);
        }
    }

    fn extend<'d>(&mut self, order: u32, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
        for diagnostic in diagnostics {
            self.push(order, diagnostic.clone());
        }
    }

    /// Sorts the diagnostics of a level, which begin at `first`, and gives them one order in the level around
    /// it.
    fn close(&mut self, first: usize, order: u32) {
        let level = self.kept.get_mut(first..).unwrap_or_default();
        level.sort_by_key(|(order, _)| *order);
        for (known, _) in level {
            *known = order;
        }
    }

    /// Drops those, from `first` on, of an order below `end` that are `told` already: a repeated evaluation
    /// found them again.
    pub(super) fn drop_repeated(&mut self, first: usize, end: u32, told: &mut BTreeSet<u32>) {
        let mut new = self.kept.split_off(first);
        new.retain(|(order, _)| *order >= end || !told.contains(order));
        told.extend(new.iter().map(|(order, _)| *order).filter(|order| *order < end));
        self.kept.append(&mut new);
    }

    /// Takes all diagnostics in order.
    pub(super) fn take(&mut self) -> Vec<Diagnostic> {
        if self.kept.is_empty() {
            return Vec::new();
        }
        self.close(0, 0);
        let mut list: Vec<Diagnostic> = self.kept.drain(..).map(|(_, diagnostic)| diagnostic).collect();
        list.extend(self.others.take());
        list
    }
}
