//! Rule sets: many programs linked into one instruction stream, with one entry and many results.
//! Linking and common subexpression elimination are the machine's (`hclvm_vm::code`); this file checks
//! what belongs together and collects the results.

use std::sync::Arc;

use hclvm_vm::code::link::{Linked, LinkedRule, link};
use hclvm_vm::exec::RunValues;
use hclvm_vm::{Arena, Exhausted, Layout, Value, cast, exec};

use crate::compile::program::Program;
use crate::diagnostics::error::{Diagnostics, Error, LimitError};
use crate::run::projection::Projection;
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
#[derive(Debug)]
pub struct RuleSet {
    programs: Arc<[Program]>,
    streams: Vec<Linked>,
    layout: Arc<Layout>,
}

impl RuleSet {
    /// Links programs. The results of a run are in the order of `programs`.
    ///
    /// # Errors
    /// Programs of different layouts or engines.
    pub fn new(programs: impl IntoIterator<Item = Program>) -> Result<Self, Error> {
        let programs: Arc<[Program]> = programs.into_iter().collect();
        let layout = programs.first().map(|program| Arc::clone(program.layout())).unwrap_or_default();
        for program in &*programs {
            program.check_layout(&layout)?;
            if !programs.first().is_some_and(|first| program.is_of(first.engine())) {
                return Err(Error::layout("a program of another engine"));
            }
        }
        // Results follow the slots.
        let positions = cast::length(layout.len())..;
        let rules = programs.iter().zip(positions);
        let streams = link(rules.map(|(program, position)| LinkedRule { fast: program.fast(), position }));
        Ok(Self { programs, streams, layout })
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

    /// Runs all rules, which share the budget of `arena`. Adds the runs of the baseline tier to `runs`.
    fn run<'s>(
        &'s self,
        arena: &'s Arena,
        tier: Tier,
        runs: &mut u64,
        scope: &'s Scope,
    ) -> Result<RuleResults<'s>, Error> {
        arena.set_partial(scope.is_partial());
        let mut failures = Vec::new();
        let mut limit = None;
        let mut baseline = |rule: usize| {
            let program = &self.programs[rule];
            *runs += 1;
            match evaluate_in(arena, Tier::Baseline, program, scope.values()) {
                Ok(evaluation) => {
                    if !evaluation.diagnostics.is_empty() {
                        failures.push((rule, scope.suggest(evaluation.diagnostics)));
                    }
                    evaluation.value
                }
                // The budget is exhausted, which ends the run.
                Err(error) => {
                    limit = Some(error);
                    Value::NULL
                }
            }
        };
        let values = match tier {
            Tier::Best => {
                let alone = |rule: usize| self.programs[rule].fast();
                let slots = self.layout.len();
                let mut values = RunValues::new(arena, scope.frame(), slots, self.len());
                exec::run_rules(&self.streams, &mut values, arena, alone, |rule, _| baseline(rule))
                    .map(|()| values.into_all().get(slots..).unwrap_or_default())
            }
            Tier::Baseline | Tier::Exploring => {
                let values: Vec<Value<'s>> = (0..self.len()).map(baseline).collect();
                Ok(arena.slice(&values))
            }
        };
        match (values, limit, arena.budget().exhausted()) {
            (Ok(values), None, None) => Ok(RuleResults { values, failures, fuel: arena.budget().spent() }),
            (_, Some(error), _) => Err(error),
            // The fast tier exhausted the budget.
            (values, None, exhausted) => {
                let rule = values.err().unwrap_or_else(|| self.len().saturating_sub(1));
                let Some(program) = self.programs.get(rule) else {
                    return Ok(RuleResults { values: &[], failures, fuel: 0 });
                };
                let exhausted = exhausted.unwrap_or(Exhausted::Memory);
                Err(LimitError { exhausted, source: Arc::clone(program.source()), span: program.span() }
                    .into())
            }
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
        scope.check_rules(&rules.programs)?;
        let (arena, tier, runs) = self.start_shared();
        rules.run(arena, tier, runs, scope)
    }
}

impl Body<'_> {
    /// Links the attributes of the body as rules, in the order of [`Body::attributes`].
    ///
    /// # Errors
    /// An attribute that does not compile.
    pub fn rule_set(self) -> Result<RuleSet, Error> {
        let programs: Result<Vec<_>, Error> =
            self.attributes().map(|attribute| attribute.program()).collect();
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
