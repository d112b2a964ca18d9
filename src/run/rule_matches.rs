//! The rules of a set that are true in a scope. Those that the [index](crate::run::rule_index) shows to be false are not
//! evaluated.

use std::sync::Arc;

use hclvm_vm::code::link::{Linked, LinkedRule, link};
use hclvm_vm::{ArenaVec, Value, cast};

use crate::diagnostics::error::{Diagnostics, Error};
use crate::run::rule_index::{Candidates, RuleIndex, unsuitable};
use crate::run::rule_set::{Linkage, RuleRun, RuleSet};
use crate::run::scope::Scope;
use crate::run::session::{Session, Tier};

/// Rules without necessary tests that are linked instead of being run one by one.
const MANY: usize = 8;

/// A rule that is run by itself costs about as much as this many rules of a stream, and a candidate has to be looked
/// up and sorted: above one candidate for so many rules, all rules are run.
const CANDIDATE: usize = 2;

/// The index of a set, with the rules that have no necessary tests, linked.
#[derive(Debug)]
pub(super) struct IndexedRules {
    index: RuleIndex,
    streams: Vec<Linked>,
}

impl IndexedRules {
    pub(super) fn new(set: &RuleSet) -> Self {
        let programs = set.programs();
        let conditions =
            programs.iter().zip(0..).map(|(program, rule)| (rule, Some(program.necessary_tests())));
        let index = RuleIndex::new(set.layout(), conditions, |_| true);
        let first = cast::length(set.layout().len());
        let always = index.always().iter().zip(first..);
        let streams =
            if index.always().len() < MANY {
                Vec::new()
            } else {
                link(always.map(|(rule, position)| LinkedRule {
                    fast: programs[cast::index(*rule)].fast(),
                    position,
                }))
            };
        Self { index, streams }
    }

    pub(super) fn index(&self) -> &RuleIndex {
        &self.index
    }
}

/// The rules of a set that are true in one scope. See [`Session::matches`].
#[derive(Debug)]
pub struct RuleMatches<'s> {
    matching: &'s [u32],
    undecided: &'s [u32],
    failures: Vec<(usize, Diagnostics)>,
    fuel: u64,
}

impl<'s> RuleMatches<'s> {
    /// Iterates over the numbers of the rules that are true, ascending: at most one after [`Session::first_match`].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = usize> + use<'s> {
        self.matching.iter().map(|rule| cast::index(*rule))
    }

    /// Returns the number of the first rule that is true.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// Returns the number of rules that are true.
    pub fn len(&self) -> usize {
        self.matching.len()
    }

    /// Returns true if no rule is true.
    pub fn is_empty(&self) -> bool {
        self.matching.is_empty()
    }

    /// Iterates over the rules that are unknown, ascending: after [`Session::first_match`], those before the match. They
    /// might be true instead of it.
    pub fn undecided(&self) -> impl ExactSizeIterator<Item = usize> + use<'s> {
        self.undecided.iter().map(|rule| cast::index(*rule))
    }

    /// Returns the rules that have errors, with these, ascending: after [`Session::first_match`], those before the
    /// match. A rule that is neither true nor false nor unknown has an error as well.
    pub fn failures(&self) -> impl ExactSizeIterator<Item = (usize, &Diagnostics)> {
        self.failures.iter().map(|(rule, diagnostics)| (*rule, diagnostics))
    }

    /// Returns the units of work that were spent; see [`Limits::fuel`](crate::Limits). Rules that were not evaluated
    /// spend none.
    pub fn fuel(&self) -> u64 {
        self.fuel
    }
}

impl Session {
    /// Finds the rules of a set that are true. The result is that of [`Session::run_rules`] for each rule, but rules that
    /// comparisons with constants show to be false are not evaluated: `user.role == "admin" && …` is
    /// looked up by the value of `user.role`. So are `||` of such comparisons, `contains` with a list of constants,
    /// `startswith` and ranges of numbers.
    ///
    /// A value that is missing, unknown, marked or of an unexpected type decides nothing: rules that test it are
    /// evaluated. The first search of a set makes the index.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let document = engine.parse("rules.hcl", r#"
    ///     small = request.action == "read" && request.size < 100
    ///     own   = request.user == resource.owner
    ///     write = contains(["create", "delete"], request.action) && request.role == "admin"
    /// "#)?;
    /// let rules = document.body().rule_set()?;
    /// let mut scope = document.scope();
    /// scope.set_all_json(r#"{
    ///     "request": {"action": "read", "size": 7, "user": "ann", "role": "guest"},
    ///     "resource": {"owner": "ann"}
    /// }"#)?;
    /// let mut session = engine.session();
    /// assert_eq!(session.matches(&rules, &scope)?.iter().collect::<Vec<_>>(), [0, 1]);
    /// assert_eq!(session.first_match(&rules, &scope)?.first(), Some(0));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// The limit that the evaluation exceeded: the rules share one budget.
    pub fn matches<'s>(&'s mut self, rules: &'s RuleSet, scope: &'s Scope) -> Result<RuleMatches<'s>, Error> {
        Search::new(rules, self, scope)?.run(false)
    }

    /// Finds the first rule of a set that is true, as [`Session::matches`]. Problems of later rules are not found.
    ///
    /// # Errors
    /// As [`Session::matches`].
    pub fn first_match<'s>(
        &'s mut self,
        rules: &'s RuleSet,
        scope: &'s Scope,
    ) -> Result<RuleMatches<'s>, Error> {
        Search::new(rules, self, scope)?.run(true)
    }
}

/// A search for rules that are true.
struct Search<'s, 'r> {
    run: RuleRun<'s, 'r>,
    matching: ArenaVec<'s, u32>,
    undecided: ArenaVec<'s, u32>,
}

impl<'s, 'r> Search<'s, 'r> {
    fn new(set: &'s RuleSet, session: &'s mut Session, scope: &'s Scope) -> Result<Self, Error>
    where
        's: 'r,
    {
        let run = RuleRun::new(set, session, scope)?;
        let (matching, undecided) = (run.arena.list(), run.arena.list());
        Ok(Self { run, matching, undecided })
    }

    fn run(mut self, only_first: bool) -> Result<RuleMatches<'s>, Error> {
        let RuleRun { set, scope, arena, tier, .. } = self.run;
        if tier == Tier::Best {
            let indexed = set.index();
            let most = (set.len() - indexed.index.always().len()) / CANDIDATE;
            match indexed.index.candidates(arena, scope.values(), most) {
                Candidates::Some(rules) => self.some(indexed, rules, only_first)?,
                Candidates::TooMany => self.every(only_first)?,
            }
        } else {
            self.every(only_first)?;
        }
        Ok(self.finish(only_first))
    }

    /// Runs candidates, and the rules that have no necessary tests.
    fn some(&mut self, indexed: &'s IndexedRules, candidates: &[u32], only_first: bool) -> Result<(), Error> {
        let always = indexed.index.always();
        if !indexed.streams.is_empty() {
            let linkage = Linkage { streams: &indexed.streams, rules: Some(always), len: always.len() };
            let from = self.run.failures.len();
            let values = self.run.together(linkage)?;
            self.note_all(always.iter().copied(), values, from);
            // They are not in order with the others.
            let first = self.matching.first().copied().filter(|_| only_first);
            for rule in candidates.iter().take_while(|rule| first.is_none_or(|first| **rule < first)) {
                if self.one(*rule)? && only_first {
                    break;
                }
            }
            return Ok(());
        }
        for rule in indexed.index.with_always(candidates) {
            if self.one(rule)? && only_first {
                break;
            }
        }
        Ok(())
    }

    /// Runs one rule. Returns true if it is true.
    fn one(&mut self, rule: u32) -> Result<bool, Error> {
        let from = self.run.failures.len();
        let value = self.run.one(cast::index(rule))?;
        let has_failed = self.run.failures.len() > from;
        Ok(!has_failed && self.note(rule, value))
    }

    /// Runs all rules.
    fn every(&mut self, only_first: bool) -> Result<(), Error> {
        let set = self.run.set;
        if only_first && self.run.tier != Tier::Best {
            for rule in 0..cast::length(set.len()) {
                if self.one(rule)? {
                    return Ok(());
                }
            }
            return Ok(());
        }
        let values = self.run.all()?;
        self.note_all(0.., values, 0);
        Ok(())
    }

    /// Notes the results of rules, whose errors are the failures from number `from` on.
    fn note_all(&mut self, rules: impl Iterator<Item = u32>, values: &[Value<'s>], from: usize) {
        let failed: Vec<usize> = self.run.failures[from..].iter().map(|(rule, _)| *rule).collect();
        let mut failed = failed.into_iter().peekable();
        for (rule, value) in rules.zip(values) {
            if failed.next_if_eq(&cast::index(rule)).is_none() {
                self.note(rule, *value);
            }
        }
    }

    /// Notes the result of a rule without errors. Returns true if it is true.
    fn note(&mut self, rule: u32, value: Value<'s>) -> bool {
        let value = value.unmark().0;
        match value.as_bool() {
            Some(false) => return false,
            Some(true) => self.matching.push(rule),
            None if !value.is_known() => self.undecided.push(rule),
            None => {
                let program = &self.run.set.programs()[cast::index(rule)];
                let problems = vec![unsuitable(program.span())];
                let diagnostics = Diagnostics::new(Arc::clone(program.source()), problems);
                self.run.failures.push((cast::index(rule), diagnostics));
            }
        }
        value.as_bool() == Some(true)
    }

    fn finish(self, only_first: bool) -> RuleMatches<'s> {
        let Self { run, matching, undecided } = self;
        let (matching, undecided) = (matching.into_bump_slice_mut(), undecided.into_bump_slice_mut());
        let mut failures = run.failures;
        matching.sort_unstable();
        undecided.sort_unstable();
        failures.sort_by_key(|(rule, _)| *rule);
        let (mut matching, mut undecided): (&[u32], &[u32]) = (matching, undecided);
        if only_first && let Some(first) = matching.first().copied() {
            matching = &matching[..1];
            undecided = &undecided[..undecided.partition_point(|rule| *rule < first)];
            failures.retain(|(rule, _)| *rule < cast::index(first));
        }
        RuleMatches { matching, undecided, failures, fuel: run.arena.budget().spent() }
    }
}
