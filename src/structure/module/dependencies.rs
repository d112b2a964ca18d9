//! What each result of a module depends on: variables, by the paths that expressions read, and locals.
//!
//! ```text
//! unit     rules of the file in order │ its dynamic blocks
//! slot     variable ─ attribute ─ …     the units that read the value there
//! result   of a local, of a for_each    the units that read it
//! ```
//! A unit is what an update evaluates again as a whole: a rule of the file, or a `dynamic` block with its
//! labels and all that its content reads. A unit follows those whose results it reads.

use hclvm_compiler::analysis::{self, Need};
use hclvm_compiler::tree::NodeId;
use hclvm_vm::ops::equality::identical;
use hclvm_vm::{Arena, Entry, Value, View, cast};
use smol_str::SmolStr;

use super::locals::LOCAL;
use super::names::ResultNames;
use super::path::{AttributePath, Segment};
use super::plan::{Made, ModulePlan, PlanLevel};
use super::{Module, ModuleState};
use crate::syntax::references::is_pure;

/// The dependencies of a module, found when they are first needed.
#[derive(Debug)]
pub(super) struct Dependencies {
    /// The number of rules of the file, which are the first units.
    pub(super) rules: usize,
    /// The number of locals among them, which are the first.
    locals: usize,
    /// The number of units.
    pub(super) units: usize,
    /// By slot of a scope.
    slots: Vec<PathReaders>,
    /// The units that read the result of each rule.
    results: Vec<Vec<u32>>,
    /// The units that call a function whose result depends on more than its arguments.
    pub(super) impure: Units,
    /// The units that read the object `local` as other rules than locals see it.
    pub(super) object_readers: Units,
    /// The unit of each diagnostic by its order.
    by_order: Vec<u32>,
    pub(super) names: ResultNames,
}

/// A set of units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Units(Vec<u64>);

impl Units {
    pub(super) fn insert(&mut self, unit: usize) {
        let word = unit / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (unit % 64);
    }

    pub(super) fn remove(&mut self, unit: usize) {
        if let Some(word) = self.0.get_mut(unit / 64) {
            *word &= !(1 << (unit % 64));
        }
    }

    /// Adds units in ascending order.
    pub(super) fn extend(&mut self, units: &[u32]) {
        let Some(last) = units.last() else { return };
        let words = cast::index(last / 64) + 1;
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
        for unit in units {
            if let Some(word) = self.0.get_mut(cast::index(unit / 64)) {
                *word |= 1 << (unit % 64);
            }
        }
    }

    pub(super) fn contains(&self, unit: usize) -> bool {
        self.0.get(unit / 64).is_some_and(|word| word & 1 << (unit % 64) != 0)
    }

    /// Returns the first unit from `start` on.
    pub(super) fn next(&self, start: usize) -> Option<usize> {
        let mut bits = self.0.get(start / 64)? & u64::MAX << (start % 64);
        let mut word = start / 64;
        while bits == 0 {
            word += 1;
            bits = *self.0.get(word)?;
        }
        Some(word * 64 + cast::index(bits.trailing_zeros()))
    }

    /// Iterates over the units from the first to the last.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let unit = self.next(start)?;
            start = unit + 1;
            Some(unit)
        })
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| cast::index(word.count_ones())).sum()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The units that read a value, and those that read only an attribute of it.
#[derive(Debug, Default)]
struct PathReaders {
    whole: Vec<u32>,
    /// Sorted by name. As deep as the analysis lists paths.
    attributes: Vec<(SmolStr, PathReaders)>,
}

impl PathReaders {
    fn add(&mut self, need: &Need, unit: u32) {
        if need.is_whole() {
            add(&mut self.whole, unit);
        }
        for name in need.names() {
            let Some(need) = need.attribute(name) else { continue };
            let at = match self.attributes.binary_search_by(|(known, _)| known.cmp(name)) {
                Ok(at) => at,
                Err(at) => {
                    self.attributes.insert(at, (name.clone(), Self::default()));
                    at
                }
            };
            self.attributes[at].1.add(need, unit);
        }
    }

    /// Adds the units that read one of the parts in which two values differ.
    fn changed<'a>(&self, judge: &'a Arena, old: Value<'a>, new: Value<'a>, dirty: &mut Units) {
        if old.is_word(new) || self.whole.is_empty() && self.attributes.is_empty() {
            return;
        }
        if !self.whole.is_empty() {
            if identical(judge, old, new) {
                return;
            }
            dirty.extend(&self.whole);
        }
        let Some((old_entries, new_entries)) = both_entries(judge, old, new) else {
            if !identical(judge, old, new) {
                self.all(dirty);
            }
            return;
        };
        let mut guess = 0;
        for (name, readers) in &self.attributes {
            let at = position(old_entries, name, guess);
            let found = at.and_then(|at| Some((at, position(new_entries, name, at)?)));
            match found {
                Some((at, new_at)) => {
                    readers.changed(judge, old_entries[at].value, new_entries[new_at].value, dirty);
                    guess = at + 1;
                }
                // Messages about an attribute that is missing may name others.
                _ if identical(judge, old, new) => {}
                _ => readers.all(dirty),
            }
        }
    }

    /// Adds all units that read the value or a part of it.
    fn all(&self, units: &mut Units) {
        units.extend(&self.whole);
        self.attributes.iter().for_each(|(_, readers)| readers.all(units));
    }

    /// Adds the units that read what a path leads to, a part of it, or all around it.
    fn at(&self, path: &[Segment], units: &mut Units) {
        let [name, rest @ ..] = path else { return self.all(units) };
        units.extend(&self.whole);
        let matching = self.attributes.iter().filter(|(known, _)| name.matches(known));
        matching.for_each(|(_, readers)| readers.at(rest, units));
    }
}

/// Returns the entries of two objects or of two maps of one type.
fn both_entries<'a>(
    judge: &'a Arena,
    old: Value<'a>,
    new: Value<'a>,
) -> Option<(&'a [Entry<'a>], &'a [Entry<'a>])> {
    match (old.view(), new.view()) {
        (View::Object(old), View::Object(new)) => Some((old, new)),
        (View::Map(old, old_type), View::Map(new, new_type)) => {
            old_type.same(judge, new_type).then_some((old, new))
        }
        _ => None,
    }
}

/// Returns the position of the entry called `name`, which is often `guess`: names are looked up in order, and
/// those of both values are mostly equal.
fn position(entries: &[Entry<'_>], name: &str, guess: usize) -> Option<usize> {
    if entries.get(guess).is_some_and(|entry| entry.name == name) {
        return Some(guess);
    }
    entries.binary_search_by(|entry| entry.name.cmp(name)).ok()
}

/// Adds a unit to a list that is sorted because units are visited in order.
fn add(list: &mut Vec<u32>, unit: u32) {
    if list.last() != Some(&unit) {
        list.push(unit);
    }
}

impl Dependencies {
    /// Finds the dependencies of a module.
    pub(super) fn new(module: &ModuleState) -> Self {
        let plan = &module.plan;
        let root = &plan.levels[0];
        let rules = root.rules.end;
        let mut orders: Vec<(u32, usize)> = (0..rules).map(|at| (plan.rules[at].order, at)).collect();
        for (dynamic, unit) in root.dynamics.iter().zip(rules..) {
            orders.extend([(dynamic.order, unit), (dynamic.content_order, unit)]);
        }
        let orders_end = orders.iter().map(|(order, _)| order + 1).max().unwrap_or(0);
        let mut by_order = vec![0; cast::index(orders_end)];
        for (order, unit) in orders {
            by_order[cast::index(order)] = cast::length(unit);
        }
        let table = Self {
            rules,
            locals: plan.locals.len(),
            units: rules + root.dynamics.len(),
            slots: std::iter::repeat_with(PathReaders::default).take(plan.slots).collect(),
            results: vec![Vec::new(); rules],
            impure: Units::default(),
            object_readers: Units::default(),
            by_order,
            names: ResultNames::new(module),
        };
        let mut finder = Finder { module, table, local_rules: vec![None; module.locals.len()] };
        for (rule, at) in plan.rules[..rules].iter().zip(0_u32..) {
            if let Some(local) = local_at(plan, cast::index(rule.position), module.locals.len()) {
                finder.local_rules[local] = Some(at);
            }
        }
        // What is frozen depends on nothing.
        (0..rules).filter(|at| !plan.rules[*at].frozen).for_each(|at| finder.rule(at));
        for (dynamic, unit) in root.dynamics.iter().zip(rules..) {
            if let Ok(rule) = dynamic.for_each {
                add(&mut finder.table.results[rule], cast::length(unit));
            }
            if let Ok(made) = &dynamic.made {
                finder.made(made, unit);
            }
        }
        finder.table
    }

    /// Adds the units that read one of the parts in which two values of a slot differ.
    pub(super) fn changed<'a>(
        &self,
        judge: &'a Arena,
        slot: usize,
        [old, new]: [Value<'a>; 2],
        dirty: &mut Units,
    ) {
        if let Some(readers) = self.slots.get(slot) {
            readers.changed(judge, old, new, dirty);
        }
    }

    /// Adds the units that read the result of a rule.
    pub(super) fn add_readers(&self, rule: usize, units: &mut Units) {
        units.extend(&self.results[rule]);
        if rule < self.locals {
            units.add_all(&self.object_readers);
        }
    }

    /// Returns the unit of diagnostics of an order.
    pub(super) fn unit_of(&self, order: u32) -> u32 {
        self.by_order.get(cast::index(order)).copied().unwrap_or(0)
    }
}

/// Returns the index of the local whose value has a position.
fn local_at(plan: &ModulePlan, position: usize, locals: usize) -> Option<usize> {
    position.checked_sub(plan.slots).filter(|at| *at < locals)
}

/// Finds what each unit reads.
struct Finder<'m> {
    module: &'m ModuleState,
    table: Dependencies,
    /// The rule of each local that is evaluated.
    local_rules: Vec<Option<u32>>,
}

impl Finder<'_> {
    /// Notes what a rule of the file reads.
    fn rule(&mut self, at: usize) {
        let module = self.module;
        let rule = &module.plan.rules[at];
        let Some(local) = local_at(&module.plan, cast::index(rule.position), module.locals.len()) else {
            return self.expression(rule.root(&module.linked), at, true);
        };
        for used in &module.locals[local].uses {
            self.local(*used, at);
        }
        self.expression(rule.root(&module.linked), at, false);
    }

    /// Notes what labels and content of a dynamic block read, those in it included. Nesting is as deep as
    /// that of blocks, which the parser limits.
    fn made(&mut self, made: &Made, unit: usize) {
        made.labels.iter().for_each(|label| self.expression(label.expression().1, unit, true));
        let PlanLevel { stages, dynamics, .. } = &self.module.plan.levels[made.level];
        for at in stages.iter().flat_map(|stage| &stage.rules) {
            let rule = &self.module.plan.rules[cast::index(*at)];
            self.expression(rule.root(&self.module.linked), unit, true);
        }
        for made in dynamics.iter().filter_map(|dynamic| dynamic.made.as_ref().ok()) {
            self.made(made, unit);
        }
    }

    fn expression(&mut self, root: NodeId, unit: usize, reads_locals: bool) {
        let document = &self.module.linked;
        let tree = document.tree();
        if !is_pure(document, root) {
            self.table.impure.insert(unit);
        }
        let layout = self.module.document.layout();
        for (name, need) in analysis::referenced_paths(tree, [root]) {
            if name == LOCAL {
                if reads_locals {
                    self.locals(&need, unit);
                }
            } else if let Some(slot) = layout.slot(&name)
                && !self.module.known.as_ref().is_some_and(|known| known.has(usize::from(slot.0)))
            {
                self.table.slots[usize::from(slot.0)].add(&need, cast::length(unit));
            }
        }
    }

    /// Notes which locals a unit reads that is no local itself.
    fn locals(&mut self, need: &Need, unit: usize) {
        let layout = self.module.linked.layout();
        let mut object = need.is_whole();
        for name in need.names() {
            // The slots of locals follow those of scopes.
            match layout.derived(LOCAL, name) {
                Some(slot) => self.local(usize::from(slot.0) - self.module.plan.slots, unit),
                None => object = true,
            }
        }
        if object {
            self.table.object_readers.insert(unit);
        }
    }

    fn local(&mut self, local: usize, unit: usize) {
        if let Some(rule) = self.local_rules[local] {
            add(&mut self.table.results[cast::index(rule)], cast::length(unit));
        }
    }
}

impl Module {
    pub(super) fn dependencies(&self) -> &Dependencies {
        self.0.dependencies.get_or_init(|| Dependencies::new(&self.0))
    }

    /// Returns the paths of all attributes and locals whose values depend on a variable, on a part of it, or
    /// on a local, also through other locals: what an evaluation may change if that changes. Blocks that a
    /// `dynamic` block makes have `*` for their labels, and depend as a whole on all that one of them reads.
    ///
    /// A path of names leads from the variable to its part. An expression that reads all of a value, or
    /// selects from it by a number or a computed key, depends on each part.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("game.hcl", r#"
    ///     locals { strong = player.rating > 1500 }
    ///     greeting = "Hello ${player.name}"
    ///     queue "ranked" { open = local.strong && season.open }
    /// "#)?.module()?;
    /// let touched = |path: &str| -> Vec<String> {
    ///     let path = path.parse().expect("a path");
    ///     module.dependents(&path).iter().map(ToString::to_string).collect()
    /// };
    /// assert_eq!(touched("player.rating"), ["local.strong", "queue.ranked.open"]);
    /// assert_eq!(touched("player"), ["local.strong", "greeting", "queue.ranked.open"]);
    /// assert_eq!(touched("local.strong"), ["queue.ranked.open"]);
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn dependents(&self, path: &AttributePath) -> Vec<AttributePath> {
        let table = self.dependencies();
        let mut units = Units::default();
        let Some((first, rest)) = path.segments().split_first() else { return Vec::new() };
        for (name, readers) in self.document().layout().names().iter().zip(&table.slots) {
            if first.matches(name) {
                readers.at(rest, &mut units);
            }
        }
        if first.matches(LOCAL) {
            let ModuleState { plan, locals, .. } = &*self.0;
            for (at, rule) in plan.rules[..table.locals].iter().enumerate() {
                let local = local_at(plan, cast::index(rule.position), locals.len());
                let matches = |at: usize| rest.first().is_none_or(|name| name.matches(&locals[at].name));
                if local.is_some_and(matches) {
                    table.add_readers(at, &mut units);
                }
            }
        }
        let mut start = 0;
        while let Some(unit) = units.next(start) {
            if unit < table.rules {
                table.add_readers(unit, &mut units);
            }
            start = unit + 1;
        }
        let mut paths = Vec::new();
        for unit in units.iter() {
            match unit.checked_sub(table.rules) {
                None => paths.extend(table.names.of(self.0.plan.rules[unit].position).cloned()),
                Some(dynamic) => {
                    table.names.made(&self.0.plan, 0, dynamic, &AttributePath::default(), &mut paths);
                }
            }
        }
        paths
    }
}
