//! Incremental evaluation: the values of a module are kept, and an update evaluates only what depends on
//! what changed.
//!
//! ```text
//! scope ──differs from the last one in slot, path──▶ dirty units ──in order──▶ evaluated again
//!                                                        ▲                         │ unless the value is
//!                                                        ╰──── units that read it ─╯ identical
//! ```
//! What depends on what is in [`dependencies`](super::dependencies). Values are kept in a region: an update
//! appends those that changed, so that the old ones can also be read, and the region is copied when less than
//! half of it is in use.

use std::sync::Arc;

use hclvm_vm::exec::RunValues;
use hclvm_vm::ops::equality::identical;
use hclvm_vm::{Arena, Diagnostic, Exhausted, Limits, Region, Sharing, Stored, Value, cast};

use std::borrow::Cow;

use super::changes::Changes;
use super::dependencies::{Dependencies, Units};
use super::groups::Groups;
use super::plan::ModulePlan;
use super::rule::LinkedStage;
use super::run::{BlockInstance, Expanded, LevelContext, ModuleRun};
use super::values::{LevelValues, Values};
use super::{Module, ModuleState};
use crate::diagnostics::error::{Diagnostics, Error, LimitError};
use crate::run::scope::Scope;
use crate::run::session::Session;

/// The values of a module that follow a scope: each [update](Live::update) evaluates what depends on the
/// variables, or on the read parts of variables, that changed since the one before. The values and errors
/// are those of [`Module::evaluate`].
///
/// Functions that are not pure (the clock, random numbers, files) are called again in every update. A
/// `dynamic` block is evaluated as a whole. The limits of the engine apply to each update as to one
/// evaluation; the values that are kept may take four times the memory of one. Comparisons have a limit, too:
/// what is not compared within it counts as changed.
///
/// ```
/// let engine = hclvm::Engine::new();
/// let module = engine.parse("game.hcl", r#"
///     locals { strong = player.rating > 1500 }
///     greeting = "Hello ${player.name}"
///     queue "ranked" { open = local.strong }
/// "#)?.module()?;
/// let mut scope = module.scope();
/// let mut live = module.follow(engine.session());
///
/// scope.set_json("player", r#"{"name": "Ann", "rating": 1480}"#)?;
/// assert_eq!(live.update(&scope)?.iter().count(), 3);
///
/// scope.set_json("player", r#"{"name": "Ann", "rating": 1520}"#)?;
/// let changed: Vec<String> = live.update(&scope)?.iter().map(|change| change.path().to_string()).collect();
/// assert_eq!(changed, ["local.strong", "queue.ranked.open"]);
///
/// scope.set_json("player", r#"{"name": "Ann", "rating": 1530}"#)?;
/// assert!(live.update(&scope)?.is_empty());
/// assert_eq!(live.values().local("strong").and_then(|strong| strong.as_bool()), Some(true));
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Debug)]
pub struct Live {
    module: Module,
    session: Session,
    /// The scope of the last update. A fork, so that its values are not overwritten while it is compared;
    /// `None` if nothing is kept.
    seen: Option<Scope>,
    region: Region<KeptStates>,
    /// The bytes of the region when it was last copied.
    copied_bytes: usize,
    /// The budget of comparisons. A comparison that exceeds it means a change.
    judge: Arena,
    /// The units to evaluate.
    dirty: Units,
    /// The units that the changes of an update made dirty.
    changed: Units,
    groups: Groups,
    /// The rules with errors.
    failed: Units,
    problems: KeptProblems,
    /// True if nothing was kept before the last update.
    all_new: bool,
}

/// The states of regions of kept values.
#[derive(Debug)]
struct KeptStates;

/// Values that are kept, and those that the last update replaced.
#[derive(Debug, Default)]
pub(super) struct KeptValues<'a> {
    /// By position, from the first local on.
    pub(super) values: Vec<Value<'a>>,
    pub(super) dynamics: Vec<Expanded<'a>>,
    /// Positions, each with the value that was there.
    pub(super) replaced: Vec<(u32, Value<'a>)>,
    /// Numbers of dynamic blocks, each with the blocks that it made.
    pub(super) replaced_dynamics: Vec<(usize, Expanded<'a>)>,
}

impl Stored for KeptStates {
    type In<'a> = KeptValues<'a>;

    fn shorten<'s, 'long: 's>(state: &'s KeptValues<'long>) -> &'s KeptValues<'s> {
        state
    }
}

/// Bytes of a region that is not worth copying: copying 460 values after each 64 KiB made the updates of the
/// bench `live` about a tenth slower.
const SMALL: usize = 256 << 10;

/// The most memory of a region, as a multiple of that of an evaluation: the results of several updates are kept,
/// and allocated memory is up to twice as large as what is in use.
const MOST: usize = 4;

/// The least fuel of the comparisons of one update: enough for a million values.
const COMPARISONS: u64 = 1_000_000;

impl Module {
    /// Starts to follow scopes: evaluates repeatedly, and each time only what depends on what changed. The
    /// session decides how long an update may take, and whether it can be cancelled.
    pub fn follow(&self, session: Session) -> Live {
        let limits = self.document().engine().settings().limits.of_runs();
        let judge = Arena::with_limits(Limits { fuel: limits.fuel.max(COMPARISONS), ..limits });
        Live {
            region: region(self),
            copied_bytes: 0,
            module: self.clone(),
            session,
            seen: None,
            judge,
            dirty: Units::default(),
            changed: Units::default(),
            groups: Groups::default(),
            failed: Units::default(),
            problems: KeptProblems::new(self),
            all_new: true,
        }
    }
}

fn region(module: &Module) -> Region<KeptStates> {
    let settings = module.document().engine().settings();
    Region::new(settings.limits.of_runs(), settings.names.snapshot())
}

impl Live {
    /// Evaluates what depends on the differences between this scope and that of the last update, which may
    /// be the same one. Returns what changed; the first time, everything.
    ///
    /// # Errors
    /// A limit that was exceeded: nothing is kept then, and the next update evaluates everything. A scope of
    /// another layout. Other errors are among the [values](Live::values).
    pub fn update(&mut self, scope: &Scope) -> Result<Changes<'_>, Error> {
        scope.check_document(self.module.document())?;
        // Nothing is kept until the update is complete: a host function may panic.
        let seen = self.seen.take();
        if seen.is_none() && !self.kept().values.is_empty() {
            self.forget();
        }
        self.all_new = seen.is_none();
        if let Err(error) = self.refresh(scope, seen.as_ref()) {
            self.forget();
            return Err(error);
        }
        self.seen = Some(match seen {
            Some(mut seen) => {
                seen.clone_from(scope);
                seen
            }
            None => scope.fork(),
        });
        Ok(Changes { live: self })
    }

    /// Returns the values of the last update, with its errors and warnings. Without an update all values
    /// are null.
    pub fn values(&self) -> Values<'_> {
        let (module, kept) = (&*self.module.0, self.kept());
        let (values, dynamics) = (&*kept.values, &*kept.dynamics);
        let root = LevelValues { level: 0, values, first: module.plan.slots, dynamics };
        Values { module, root, diagnostics: Cow::Borrowed(&self.problems.all), fuel: None }
    }

    /// Returns the errors and warnings of the last update.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.problems.all
    }

    /// Returns the module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    pub(super) fn kept(&self) -> &KeptValues<'_> {
        self.region.state()
    }

    pub(super) fn is_all_new(&self) -> bool {
        self.all_new
    }

    fn forget(&mut self) {
        self.region = region(&self.module);
        self.failed.clear();
        self.problems = KeptProblems::new(&self.module);
    }

    /// Evaluates what differs from the values in the scope that was seen last.
    fn refresh(&mut self, scope: &Scope, seen: Option<&Scope>) -> Result<(), Error> {
        self.free()?;
        self.judge.reset();
        let Self { module, session, region, judge, dirty, changed, groups, failed, problems, .. } = self;
        let table = module.dependencies();
        dirty.clear();
        if let Some(seen) = seen {
            for (slot, (old, new)) in seen.values().iter().zip(scope.values()).enumerate() {
                if !old.is_word(*new) {
                    table.changed(judge, slot, [*old, *new], dirty);
                }
            }
            dirty.add_all(&table.impure);
        }
        region.change(|memory, kept| {
            let mut update =
                LiveUpdate { module: &module.0, table, memory, kept, judge, dirty, failed, problems };
            update.kept.replaced.clear();
            update.kept.replaced_dynamics.clear();
            // A quarter evaluated rule by rule takes about as long as all of them linked.
            if seen.is_none() || update.problems.too_many || update.dirty.len() * 4 > table.units {
                return update.everything(session, scope);
            }
            if update.dirty.next(0).is_none() {
                return Ok(());
            }
            let has_problems = update.failed.next(0).is_some() || !update.problems.kept.is_empty();
            if let Some(stage) = groups.stage(update.dirty).filter(|_| !has_problems) {
                return update.group(session, scope, stage);
            }
            changed.clone_from(update.dirty);
            update.dirty_units(session, scope)?;
            if !has_problems {
                groups.note(changed, update.dirty, table, update.module);
            }
            Ok(())
        })
    }

    /// Copies what is kept to a new region if that takes less than half of the memory.
    fn free(&mut self) -> Result<(), Error> {
        if self.region.bytes() <= SMALL.max(2 * self.copied_bytes) {
            return Ok(());
        }
        let mut copy = region(&self.module);
        copy.change(|memory, copy| {
            let (mut sharing, kept) = (Sharing::new(memory), self.region.state());
            copy.values = kept.values.iter().map(|value| sharing.value(*value)).collect();
            let dynamics = kept.dynamics.iter().map(|expanded| copy_expanded(memory, &mut sharing, expanded));
            copy.dynamics = dynamics.collect();
        });
        self.region = copy;
        self.copied_bytes = self.region.bytes();
        let settings = self.module.document().engine().settings();
        if self.copied_bytes / MOST > settings.limits.of_runs().arena_bytes {
            let document = self.module.document();
            let (source, span) = (Arc::clone(document.source()), document.body().span().empty_at_start());
            return Err(LimitError { exhausted: Exhausted::Memory, source, span }.into());
        }
        Ok(())
    }
}

/// One update.
struct LiveUpdate<'l, 'a> {
    module: &'l ModuleState,
    table: &'l Dependencies,
    memory: &'a Arena,
    kept: &'l mut KeptValues<'a>,
    judge: &'l Arena,
    dirty: &'l mut Units,
    failed: &'l mut Units,
    problems: &'l mut KeptProblems,
}

impl<'a> LiveUpdate<'_, 'a> {
    /// Evaluates the whole module.
    fn everything(&mut self, session: &mut Session, scope: &Scope) -> Result<(), Error> {
        let ModulePlan { slots, values: end, ref levels, ref rules, .. } = self.module.plan;
        let mut run = ModuleRun::in_scope(self.module, session, scope)?;
        let dynamics = run.level(&levels[0], LevelContext::OUTSIDE)?;
        run.end()?;
        let mut sharing = Sharing::new(self.memory);
        self.kept.values.resize(end - slots, Value::UNSET);
        for rule in &rules[..self.table.rules] {
            let position = cast::index(rule.position);
            self.keep(&mut sharing, position, run.values.all()[position]);
        }
        self.kept.dynamics.resize(dynamics.len(), Expanded::default());
        for (at, expanded) in dynamics.iter().enumerate() {
            self.keep_expanded(&mut sharing, at, expanded);
        }
        self.failed.clear();
        run.failed.iter().filter(|rule| **rule < self.table.rules).for_each(|rule| self.failed.insert(*rule));
        if run.found.others.len() > 0 {
            self.problems.set_too_many(run.found.take());
        } else {
            let found = std::mem::take(&mut run.found.kept);
            self.problems.set(found.into_iter().map(|(order, found)| KeptProblem {
                unit: self.table.unit_of(order),
                order,
                found,
            }));
        }
        Ok(())
    }

    /// Evaluates the dirty units, and those that read what changes.
    fn dirty_units(&mut self, session: &mut Session, scope: &Scope) -> Result<(), Error> {
        let plan = &self.module.plan;
        let mut run = ModuleRun::start(self.module, session, scope, |arena| {
            RunValues::resume(arena, scope.frame(), plan.slots, &self.kept.values, 0)
        });
        let dynamics = plan.levels[0].dynamics.iter();
        let collections = dynamics.filter_map(|dynamic| dynamic.for_each.as_ref().ok());
        run.failed = collections.copied().filter(|rule| self.failed.contains(*rule)).collect();
        let mut sharing = Sharing::new(self.memory);
        let mut has_object = false;
        let mut start = 0;
        while let Some(unit) = self.dirty.next(start) {
            start = unit + 1;
            // All locals are up to date: no local is among these units.
            if !has_object && self.table.object_readers.contains(unit) {
                run.set_locals();
                has_object = true;
            }
            match unit.checked_sub(self.table.rules) {
                None => self.rule(&mut run, &mut sharing, unit)?,
                Some(at) => {
                    let expanded = run.expand(&plan.levels[0].dynamics[at], LevelContext::OUTSIDE)?;
                    self.keep_expanded(&mut sharing, at, &expanded);
                }
            }
            if run.arena.budget().exhausted().is_some() {
                return Err(run.exhausted());
            }
            if run.found.others.len() > 0 {
                self.problems.too_many = true;
                break;
            }
            self.problems.replace(unit, &mut run.found.kept);
        }
        run.end()?;
        drop(run);
        self.finish(session, scope)
    }

    /// Evaluates the rules of a group, which had no errors.
    fn group(&mut self, session: &mut Session, scope: &Scope, stage: &LinkedStage) -> Result<(), Error> {
        let plan = &self.module.plan;
        // The group reads locals only.
        let locals = self.kept.values.get(..self.module.locals.len()).unwrap_or_default();
        let mut run = ModuleRun::start(self.module, session, scope, |arena| {
            RunValues::resume(arena, scope.frame(), plan.slots, locals, stage.rules.len())
        });
        run.stage(stage, LevelContext::OUTSIDE)?;
        run.end()?;
        let mut sharing = Sharing::new(self.memory);
        for (rule, from) in stage.rules.iter().zip(stage.positions()) {
            let position = cast::index(plan.rules[cast::index(*rule)].position);
            self.keep(&mut sharing, position, run.values.all()[from]);
        }
        run.failed.iter().for_each(|rule| self.failed.insert(*rule));
        let found = std::mem::take(&mut run.found.kept);
        self.problems.too_many |= run.found.others.len() > 0;
        drop(run);
        for (order, found) in found {
            self.problems.add(KeptProblem { unit: self.table.unit_of(order), order, found });
        }
        self.finish(session, scope)
    }

    /// Lists the problems after units were evaluated.
    fn finish(&mut self, session: &mut Session, scope: &Scope) -> Result<(), Error> {
        if self.problems.is_beyond_limit() {
            self.everything(session, scope)?;
            // What an impure function changed twice is reported once, with the first value.
            let KeptValues { replaced, replaced_dynamics, .. } = &mut *self.kept;
            replaced.sort_by_key(|(position, _)| *position);
            replaced.dedup_by_key(|(position, _)| *position);
            replaced_dynamics.sort_by_key(|(at, _)| *at);
            replaced_dynamics.dedup_by_key(|(at, _)| *at);
            return Ok(());
        }
        self.problems.list();
        Ok(())
    }

    /// Evaluates a rule.
    fn rule<'r>(
        &mut self,
        run: &mut ModuleRun<'r, '_>,
        sharing: &mut Sharing<'a>,
        unit: usize,
    ) -> Result<(), Error>
    where
        'a: 'r,
    {
        run.failed.retain(|rule| *rule != unit);
        let value = run.rule(unit)?;
        let position = cast::index(self.module.plan.rules[unit].position);
        let mut changed = false;
        if let Some(new) = self.keep(sharing, position, value) {
            run.values.set(position, new);
            changed = true;
        }
        let fails = run.failed.contains(&unit);
        if fails != self.failed.contains(unit) {
            if fails {
                self.failed.insert(unit);
            } else {
                self.failed.remove(unit);
            }
            // A dynamic block makes nothing of a collection with errors.
            changed = true;
        }
        if changed {
            self.table.add_readers(unit, self.dirty);
        }
        Ok(())
    }

    /// Keeps a value. Returns the copy that is kept if it differs from the one before.
    fn keep(&mut self, sharing: &mut Sharing<'a>, position: usize, value: Value<'_>) -> Option<Value<'a>> {
        let at = position - self.module.plan.slots;
        let old = self.kept.values[at];
        // Integers and bools are compared and copied as words.
        let inline = value.as_inline();
        if old.is_word(value) || (inline.and(old.as_inline()).is_none() && identical(self.judge, old, value))
        {
            return None;
        }
        let position = cast::length(position);
        if self.table.names.of(position).is_some() {
            self.kept.replaced.push((position, old));
        }
        let new = inline.unwrap_or_else(|| sharing.value(value));
        self.kept.values[at] = new;
        Some(new)
    }

    /// Keeps the blocks that a dynamic block makes.
    fn keep_expanded(&mut self, sharing: &mut Sharing<'a>, at: usize, expanded: &Expanded<'_>) {
        let old = self.kept.dynamics[at];
        if identical_expanded(self.judge, &old, expanded) {
            return;
        }
        self.kept.replaced_dynamics.push((at, old));
        self.kept.dynamics[at] = copy_expanded(self.memory, sharing, expanded);
    }
}

/// Copies what a dynamic block makes. The recursion is as deep as blocks are nested.
fn copy_expanded<'a>(memory: &'a Arena, sharing: &mut Sharing<'a>, made: &Expanded<'_>) -> Expanded<'a> {
    let mut instances = memory.list_with(made.instances.len());
    for instance in made.instances {
        let mut labels = memory.list_with(instance.labels.len());
        labels.extend(instance.labels.iter().map(|label| memory.text(label)));
        let mut values = memory.list_with(instance.values.len());
        values.extend(instance.values.iter().map(|value| sharing.value(*value)));
        let mut dynamics = memory.list_with(instance.dynamics.len());
        dynamics.extend(instance.dynamics.iter().map(|made| copy_expanded(memory, sharing, made)));
        instances.push(BlockInstance {
            labels: labels.into_bump_slice(),
            values: values.into_bump_slice(),
            dynamics: dynamics.into_bump_slice(),
        });
    }
    Expanded {
        pending: made.pending.map(|value| sharing.value(value)),
        instances: instances.into_bump_slice(),
    }
}

fn identical_expanded(judge: &Arena, old: &Expanded<'_>, new: &Expanded<'_>) -> bool {
    let same_instance = |(old, new): (&BlockInstance<'_>, &BlockInstance<'_>)| {
        old.labels == new.labels
            && old.values.len() == new.values.len()
            && old.values.iter().zip(new.values).all(|(old, new)| identical(judge, *old, *new))
            && old.dynamics.len() == new.dynamics.len()
            && old.dynamics.iter().zip(new.dynamics).all(|(old, new)| identical_expanded(judge, old, new))
    };
    let same_pending = match (old.pending, new.pending) {
        (Some(old), Some(new)) => identical(judge, old, new),
        (None, None) => true,
        _ => false,
    };
    same_pending
        && old.instances.len() == new.instances.len()
        && old.instances.iter().zip(new.instances).all(same_instance)
}

/// The errors and warnings of all units.
#[derive(Debug)]
struct KeptProblems {
    /// Sorted by order.
    kept: Vec<KeptProblem>,
    /// More than the limit, so that not all are kept. Everything is evaluated then.
    too_many: bool,
    /// The diagnostics of the last update, in the order of an evaluation.
    all: Diagnostics,
    /// True if `all` is to be made again.
    changed: bool,
    limit: usize,
}

#[derive(Debug)]
struct KeptProblem {
    order: u32,
    unit: u32,
    found: Diagnostic,
}

impl KeptProblems {
    fn new(module: &Module) -> Self {
        let all = Diagnostics::new(Arc::clone(module.0.linked.source()), Vec::new());
        let limit = module.document().engine().settings().limits.of_runs().faults;
        Self { kept: Vec::new(), too_many: false, all, changed: false, limit }
    }

    /// Replaces those of a unit by those that were found, which are taken.
    fn replace(&mut self, unit: usize, found: &mut Vec<(u32, Diagnostic)>) {
        if self.kept.is_empty() && found.is_empty() {
            return;
        }
        let unit = cast::length(unit);
        let before = self.kept.len();
        self.kept.retain(|kept| kept.unit != unit);
        self.changed |= before != self.kept.len() || !found.is_empty();
        self.kept.extend(found.drain(..).map(|(order, found)| KeptProblem { order, unit, found }));
    }

    fn add(&mut self, problem: KeptProblem) {
        self.changed = true;
        self.kept.push(problem);
    }

    fn is_beyond_limit(&self) -> bool {
        self.too_many || self.kept.len() > self.limit
    }

    /// Makes the list of all.
    fn list(&mut self) {
        if std::mem::take(&mut self.changed) {
            // Stable: a unit has its problems in order.
            self.kept.sort_by_key(|kept| kept.order);
            let list = self.kept.iter().map(|kept| kept.found.clone()).collect();
            self.all = Diagnostics::new(Arc::clone(self.all.source()), list);
        }
    }

    fn set(&mut self, problems: impl Iterator<Item = KeptProblem>) {
        self.too_many = false;
        self.changed = !self.kept.is_empty();
        self.kept.clear();
        self.kept.extend(problems);
        self.changed |= !self.kept.is_empty() || !self.all.is_empty();
        self.list();
    }

    fn set_too_many(&mut self, all: Vec<Diagnostic>) {
        self.too_many = true;
        self.kept.clear();
        self.all = Diagnostics::new(Arc::clone(self.all.source()), all);
    }
}
