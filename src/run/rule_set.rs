//! Rule sets: many programs linked into one instruction stream, with one entry and many results.
//! Linking and common subexpression elimination are the machine's (`hclvm_vm::code`); this file checks
//! what belongs together and collects the results.

use std::fmt;
use std::sync::{Arc, OnceLock};

use hclvm_vm::code::link::{Linked, LinkedRule, link};
use hclvm_vm::exec::RunValues;
use hclvm_vm::hash::HashSet;
use hclvm_vm::{Arena, Layout, Value, cast, exec};

use crate::compile::program::Program;
use crate::diagnostics::error::{Diagnostics, Error, LimitError};
use crate::run::columns::linked::{LinkedGroup, groups};
use crate::run::projection::Projection;
use crate::run::rule_index::Indexing;
use crate::run::rule_matches::IndexedRules;
use crate::run::scope::Scope;
use crate::run::session::{Session, Tier, evaluate_in};
use crate::syntax::document::Body;

/// Programs of one layout, linked: [`Session::run_rules`](crate::Session::run_rules) evaluates all of
/// them against a scope with one entry into the machine. Common subexpressions are evaluated once, and
/// a pure function is called once for the same arguments. Immutable and shared between threads.
///
/// ```
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("rules.hcl", r#"
///     may_read  = user.role == "admin" || user.team == "docs"
///     may_write = user.role == "admin"
///     greeting  = "Hello ${user.name}"
/// "#)?;
/// let rules = document.body().rule_set()?;
/// let mut scope = document.scope();
/// scope.set("user", &serde_json::json!({"name": "Ann", "role": "author", "team": "docs"}))?;
///
/// let mut session = engine.session();
/// let results = session.run_rules(&rules, &scope)?;
/// assert_eq!(results.get(0).and_then(|result| result.ok()?.as_bool()), Some(true));
/// assert_eq!(results.get(1).and_then(|result| result.ok()?.as_bool()), Some(false));
/// assert_eq!(results.get(2).and_then(|result| result.ok()?.as_str()), Some("Hello Ann"));
/// # Ok::<(), hclvm::Error>(())
/// ```
pub struct RuleSet {
    programs: Arc<Vec<Program>>,
    /// Made again by the first run after a change.
    streams: OnceLock<Vec<Linked>>,
    /// The columnar code, made by the first run over columns after a change.
    columns: OnceLock<Vec<LinkedGroup>>,
    layout: Arc<Layout>,
    index: OnceLock<IndexedRules>,
    /// The numbers of removed rules.
    removed: HashSet<u32>,
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RuleSet({} programs)", self.programs.len() - self.removed.len())
    }
}

impl RuleSet {
    /// Links programs. The results of a run are in the order of `programs`.
    ///
    /// # Errors
    /// Programs of different layouts or engines.
    pub fn new(programs: impl IntoIterator<Item = Program>) -> Result<Self, Error> {
        let programs: Arc<Vec<Program>> = Arc::new(programs.into_iter().collect());
        let layout = programs.first().map(|program| Arc::clone(program.layout())).unwrap_or_default();
        for program in programs.iter() {
            program.check_layout(&layout)?;
            if !programs.first().is_some_and(|first| program.is_of(first.engine())) {
                return Err(Error::layout("a program of another engine"));
            }
        }
        let (streams, columns, index) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let set = Self { programs, streams, columns, layout, index, removed: HashSet::default() };
        set.streams();
        Ok(set)
    }

    /// Returns the linked programs.
    fn streams(&self) -> &[Linked] {
        self.streams.get_or_init(|| {
            // Results follow the slots.
            let positions = cast::length(self.layout.len())..;
            let rules = self.programs.iter().zip(positions);
            link(rules.map(|(program, position)| LinkedRule { fast: program.fast(), position }))
        })
    }

    /// Returns the linked columnar code.
    pub(super) fn column_groups(&self) -> &[LinkedGroup] {
        self.columns.get_or_init(|| groups(&self.programs))
    }

    /// Adds a rule behind the others and returns its number.
    ///
    /// A search by [`Session::matches`](crate::Session::matches) includes the rule at once, in a time that does not depend
    /// on the number of rules; the next [`Session::run_rules`](crate::Session::run_rules) links all rules again. A
    /// [projection](RuleSet::projection) that was made before has to be made again.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let document = engine.parse("rules.hcl", "a = n == 1\nb = n == 2")?;
    /// let mut rules = document.body().rule_set()?;
    /// let added = rules.insert(engine.compile("n < 2", document.layout())?)?;
    /// rules.remove(0)?;
    ///
    /// let mut scope = document.scope();
    /// scope.set("n", &1)?;
    /// assert_eq!(engine.session().matches(&rules, &scope)?.first(), Some(added));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A program of another layout or engine.
    pub fn insert(&mut self, program: Program) -> Result<usize, Error> {
        self.check(&program)?;
        if self.programs.is_empty() {
            // An index that was made already is one of another layout.
            self.layout = Arc::clone(program.layout());
            self.index.take();
        }
        Arc::make_mut(&mut self.programs).push(program);
        let rule = self.programs.len() - 1;
        self.changed(|indexed, set| indexed.insert(set, cast::length(rule)));
        Ok(rule)
    }

    /// Replaces a rule, as [`RuleSet::insert`] adds one. Returns false if there is no such rule.
    ///
    /// # Errors
    /// A program of another layout or engine.
    pub fn replace(&mut self, rule: usize, program: Program) -> Result<bool, Error> {
        self.check(&program)?;
        if rule >= self.programs.len() {
            return Ok(false);
        }
        let number = cast::length(rule);
        let was_removed = self.removed.remove(&number);
        Arc::make_mut(&mut self.programs)[rule] = program;
        self.changed(|indexed, set| {
            if !was_removed {
                indexed.remove(number);
            }
            indexed.insert(set, number);
        });
        Ok(true)
    }

    /// Removes a rule. The numbers of the others stay: from now on the rule is `false`. Returns false if there is no
    /// such rule.
    ///
    /// # Errors
    /// Limits of the engine that exclude even the constant `false`.
    pub fn remove(&mut self, rule: usize) -> Result<bool, Error> {
        let number = cast::length(rule);
        let Some(program) = self.programs.get(rule).filter(|_| !self.removed.contains(&number)) else {
            return Ok(false);
        };
        let never = program.engine().compile("false", &self.layout)?;
        Arc::make_mut(&mut self.programs)[rule] = never;
        self.removed.insert(number);
        self.changed(|indexed, _| indexed.remove(number));
        Ok(true)
    }

    /// Returns true if a rule was removed.
    pub(super) fn is_removed(&self, rule: u32) -> bool {
        self.removed.contains(&rule)
    }

    /// Changes the index, if there is one.
    fn changed(&mut self, change: impl FnOnce(&mut IndexedRules, &Self)) {
        self.streams.take();
        self.columns.take();
        if let Some(mut index) = self.index.take() {
            change(&mut index, self);
            self.index = OnceLock::from(index);
        }
    }

    /// Returns an error if a program does not belong to the set.
    fn check(&self, program: &Program) -> Result<(), Error> {
        let Some(first) = self.programs.first() else { return Ok(()) };
        program.check_layout(&self.layout)?;
        if program.is_of(first.engine()) { Ok(()) } else { Err(Error::layout("a program of another engine")) }
    }

    /// Returns the programs in order.
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// Returns what its rules read together.
    ///
    /// # Errors
    /// A set without rules.
    pub fn projection(&self) -> Result<Projection, Error> {
        Projection::of_rules(&self.programs)
    }

    /// Returns the number of rules.
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// Returns the layout of the scopes it runs with.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Returns how a search finds a rule; `None` if there is no such rule or it was removed.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let rule = |at| format!("rule_{at} = user.role == \"role {at}\" && user.mfa\n");
    /// let text: String = (0..10).map(rule).collect();
    /// let rules = engine.parse("rules.hcl", &text)?.body().rule_set()?;
    /// let indexing = rules.indexing(7).expect("there are ten rules");
    /// assert_eq!(
    ///     indexing.to_string(),
    ///     r#"evaluated if user.role == "role 7", or if user.mfa is neither true nor false"#
    /// );
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn indexing(&self, rule: usize) -> Option<Indexing> {
        let program = self.programs.get(rule)?;
        if self.is_removed(cast::length(rule)) {
            return None;
        }
        let text = |node| program.expression().0.span(node).slice(program.source().text());
        Some(self.index().index().indexing(cast::length(rule), program.necessary_tests(), text))
    }

    /// Returns the index of its rules, which the first search makes.
    pub(super) fn index(&self) -> &IndexedRules {
        self.index.get_or_init(|| IndexedRules::new(self))
    }
}

/// Some rules of a set that are run together.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleLinkage<'s> {
    pub(super) streams: &'s [Linked],
    /// The numbers of the rules; `None` for all rules.
    pub(super) rules: Option<&'s [u32]>,
    pub(super) len: usize,
}

impl RuleLinkage<'_> {
    /// Returns the number in the set of rule `at` of these.
    fn number(&self, at: usize) -> usize {
        self.rules.map_or(at, |rules| rules.get(at).map_or(at, |rule| cast::index(*rule)))
    }
}

/// A run of rules, which share the budget of `arena`.
pub(super) struct RuleRun<'s, 'r> {
    pub(super) set: &'s RuleSet,
    pub(super) scope: &'s Scope,
    pub(super) arena: &'s Arena,
    pub(super) tier: Tier,
    /// The number of runs of the baseline tier.
    pub(super) runs: &'r mut u64,
    /// Rules with errors, in the order in which they were run.
    pub(super) failures: Vec<(usize, Diagnostics)>,
    limit: Option<Error>,
}

impl<'s, 'r> RuleRun<'s, 'r> {
    pub(super) fn new(set: &'s RuleSet, session: &'s mut Session, scope: &'s Scope) -> Result<Self, Error>
    where
        's: 'r,
    {
        scope.check_rules(&set.programs)?;
        let (arena, tier, runs) = session.start_shared();
        arena.set_partial(scope.is_partial());
        Ok(Self { set, scope, arena, tier, runs, failures: Vec::new(), limit: None })
    }

    /// Runs all rules.
    ///
    /// # Errors
    /// The limit that the rules exceeded.
    pub(super) fn all(&mut self) -> Result<&'s [Value<'s>], Error> {
        let set = self.set;
        self.together(RuleLinkage { streams: set.streams(), rules: None, len: set.len() })
    }

    /// Runs rules that are linked.
    ///
    /// # Errors
    /// The limit that the rules exceeded.
    pub(super) fn together(&mut self, linkage: RuleLinkage<'s>) -> Result<&'s [Value<'s>], Error> {
        let Self { set, scope, arena, .. } = *self;
        let values = match self.tier {
            Tier::Best => {
                let alone = |at: usize| set.programs[linkage.number(at)].fast();
                let slots = set.layout.len();
                let mut values = RunValues::new(arena, scope.frame(), slots, linkage.len);
                let baseline = |at: usize, _: &mut RunValues<'s>| self.baseline(linkage.number(at));
                exec::run_rules(linkage.streams, &mut values, arena, alone, baseline)
                    .map(|()| values.into_all().get(slots..).unwrap_or_default())
            }
            Tier::Baseline | Tier::Exploring => {
                let values: Vec<Value<'s>> =
                    (0..linkage.len).map(|at| self.baseline(linkage.number(at))).collect();
                Ok(arena.slice(&values))
            }
        };
        let last = values.err().unwrap_or_else(|| linkage.len.saturating_sub(1));
        self.check(linkage.number(last))?;
        Ok(values.unwrap_or_default())
    }

    /// Runs one rule.
    ///
    /// # Errors
    /// The limit that it exceeded.
    pub(super) fn one(&mut self, rule: usize) -> Result<Value<'s>, Error> {
        let Self { set, scope, arena, .. } = *self;
        let fast = set.programs[rule].fast().filter(|_| self.tier == Tier::Best);
        if let Some(value) = fast.and_then(|fast| exec::try_fast(fast, scope.frame(), arena)) {
            return Ok(value);
        }
        let value = self.baseline(rule);
        self.check(rule)?;
        Ok(value)
    }

    fn baseline(&mut self, rule: usize) -> Value<'s> {
        let Self { set, scope, arena, .. } = *self;
        *self.runs += 1;
        match evaluate_in(arena, Tier::Baseline, &set.programs[rule], scope.values()) {
            Ok(evaluation) => {
                if !evaluation.diagnostics.is_empty() {
                    self.failures.push((rule, scope.suggest(evaluation.diagnostics)));
                }
                evaluation.value
            }
            // The budget is exhausted, which ends the run.
            Err(error) => {
                self.limit = Some(error);
                Value::NULL
            }
        }
    }

    /// Returns an error if the budget was exhausted or the evaluation has to end, by `rule` unless it is known where.
    pub(super) fn check(&mut self, rule: usize) -> Result<(), Error> {
        if let Some(error) = self.limit.take() {
            return Err(error);
        }
        if self.arena.budget().poll() { Ok(()) } else { self.end_at(rule) }
    }

    /// Returns the error of the limit that was exceeded at `rule`. A set without rules exceeds none.
    // Cold: few evaluations exceed a limit.
    #[cold]
    fn end_at(&self, rule: usize) -> Result<(), Error> {
        match (self.arena.budget().exhausted(), self.set.programs.get(rule)) {
            (Some(exhausted), Some(program)) => {
                let (source, span) = (Arc::clone(program.source()), program.span());
                Err(LimitError { exhausted, source, span }.into())
            }
            _ => Ok(()),
        }
    }
}

impl Session {
    /// Runs all rules of a set. The results borrow from the session, the rules and the scope.
    ///
    /// # Errors
    /// The limit that the evaluation exceeded: the rules share one budget. Errors of single rules
    /// are among the results.
    pub fn run_rules<'s>(
        &'s mut self,
        rules: &'s RuleSet,
        scope: &'s Scope,
    ) -> Result<RuleResults<'s>, Error> {
        let mut run = RuleRun::new(rules, self, scope)?;
        let values = run.all()?;
        Ok(RuleResults { values, failures: run.failures, fuel: run.arena.budget().spent() })
    }
}

impl Body<'_> {
    /// Links the attributes of the body as rules, in the order of [`Body::attributes`].
    ///
    /// # Errors
    /// An attribute that does not compile. In JSON, a body that is no object, and an attribute that is set twice.
    pub fn rule_set(self) -> Result<RuleSet, Error> {
        let attributes =
            if self.json().is_some() { self.just_attributes()? } else { self.attributes().collect() };
        let programs: Result<Vec<_>, Error> =
            attributes.into_iter().map(|attribute| attribute.program()).collect();
        RuleSet::new(programs?)
    }
}

/// The results of a rule set, in the order of its rules.
#[derive(Debug)]
pub struct RuleResults<'s> {
    values: &'s [Value<'s>],
    /// Rules with errors, ascending.
    failures: Vec<(usize, Diagnostics)>,
    fuel: u64,
}

impl<'s> RuleResults<'s> {
    /// Returns the result of a rule; `None` if there is no such rule.
    pub fn get(&self, rule: usize) -> Option<Result<Value<'s>, &Diagnostics>> {
        let value = *self.values.get(rule)?;
        Some(match self.failures.binary_search_by_key(&rule, |(failed, _)| *failed) {
            Ok(at) => Err(&self.failures[at].1),
            Err(_) => Ok(value),
        })
    }

    /// Returns the results in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<Value<'s>, &Diagnostics>> {
        let mut failures = self.failures.iter().peekable();
        self.values.iter().enumerate().map(move |(rule, value)| {
            match failures.next_if(|(failed, _)| *failed == rule) {
                Some((_, diagnostics)) => Err(diagnostics),
                None => Ok(*value),
            }
        })
    }

    /// Returns all values, which are partial where a rule has errors.
    pub fn values(&self) -> &'s [Value<'s>] {
        self.values
    }

    /// Returns the units of work that all rules spent; see [`Limits::fuel`](crate::Limits).
    pub fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Returns the rules that have errors, with these.
    pub fn failures(&self) -> impl ExactSizeIterator<Item = (usize, &Diagnostics)> {
        self.failures.iter().map(|(rule, diagnostics)| (*rule, diagnostics))
    }

    /// Returns the number of rules.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
