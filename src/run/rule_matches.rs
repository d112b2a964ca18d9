//! The rules of a set that are true in a scope. Those that the [index](crate::run::rule_index) shows to be false are not
//! evaluated.

use std::sync::Arc;

use hclvm_vm::code::link::{Linked, LinkedRule, link};
use hclvm_vm::hash::HashSet;
use hclvm_vm::{ArenaVec, Value, cast};

use crate::diagnostics::error::{Diagnostics, Error};
use crate::run::rule_index::{CandidateConditions, RuleIndex, merged, unsuitable};
use crate::run::rule_set::{RuleLinkage, RuleRun, RuleSet};
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
    linked: Vec<LinkedRules>,
    /// Rules without necessary tests that were added since, ascending. They are linked when there are as many as a
    /// change can link in a part of a millisecond.
    loose: Vec<u32>,
    /// Rules that are linked, but were replaced or removed.
    stale: HashSet<u32>,
}

/// Added rules that are linked together.
const LOOSE: usize = 128;

/// Rules that were linked together.
#[derive(Debug)]
struct LinkedRules {
    rules: Box<[u32]>,
    streams: Vec<Linked>,
}

impl IndexedRules {
    pub(super) fn new(set: &RuleSet) -> Self {
        let programs = set.programs();
        let kept = programs.iter().zip(0..).filter(|(_, rule)| !set.is_removed(*rule));
        let conditions = kept.map(|(program, rule)| (rule, Some(program.necessary_tests())));
        let index = RuleIndex::new(set.layout(), conditions, |_| true);
        let mut indexed = Self { index, linked: Vec::new(), loose: Vec::new(), stale: HashSet::default() };
        if indexed.index.always().len() < MANY {
            indexed.loose = indexed.index.always().to_vec();
        } else {
            indexed.linked.push(LinkedRules::new(set, indexed.index.always()));
        }
        indexed
    }

    pub(super) fn index(&self) -> &RuleIndex {
        &self.index
    }

    /// Adds a rule to which the set has a program now.
    pub(super) fn insert(&mut self, set: &RuleSet, rule: u32) {
        self.index.insert(rule, |rule| set.programs()[cast::index(rule)].necessary_tests());
        if !self.index.is_always(rule) {
            return;
        }
        if let Err(at) = self.loose.binary_search(&rule) {
            self.loose.insert(at, rule);
        }
        if self.loose.len() >= LOOSE {
            // A rule that is stale is linked with its old program already.
            let (stale, fresh): (Vec<u32>, Vec<u32>) =
                self.loose.iter().partition(|rule| self.stale.contains(*rule));
            if fresh.len() >= LOOSE {
                self.linked.push(LinkedRules::new(set, &fresh));
                self.loose = stale;
            }
        }
    }

    pub(super) fn remove(&mut self, rule: u32) {
        if self.index.is_always(rule) {
            match self.loose.binary_search(&rule) {
                Ok(at) => drop(self.loose.remove(at)),
                Err(_) => drop(self.stale.insert(rule)),
            }
        }
        self.index.remove(rule);
    }
}

impl LinkedRules {
    fn new(set: &RuleSet, rules: &[u32]) -> Self {
        let first = cast::length(set.layout().len());
        let linked = rules
            .iter()
            .zip(first..)
            .map(|(rule, position)| LinkedRule { fast: set.programs()[cast::index(*rule)].fast(), position });
        Self { rules: rules.into(), streams: link(linked) }
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
    /// Finds the rules of a set that are true. The result equals that of [`Session::run_rules`] for each rule, but rules that
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
        MatchSearch::new(rules, self, scope)?.run(false)
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
        MatchSearch::new(rules, self, scope)?.run(true)
    }
}

/// A search for rules that are true.
struct MatchSearch<'s, 'r> {
    run: RuleRun<'s, 'r>,
    matching: ArenaVec<'s, u32>,
    undecided: ArenaVec<'s, u32>,
}

impl<'s, 'r> MatchSearch<'s, 'r> {
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
                CandidateConditions::Some(rules) => self.some(indexed, rules, only_first)?,
                CandidateConditions::TooMany => self.every(only_first)?,
            }
        } else {
            self.every(only_first)?;
        }
        self.run.check(set.len().saturating_sub(1))?;
        Ok(self.finish(only_first))
    }

    /// Runs candidates, and the rules that have no necessary tests.
    fn some(&mut self, indexed: &'s IndexedRules, candidates: &[u32], only_first: bool) -> Result<(), Error> {
        for LinkedRules { rules, streams } in &indexed.linked {
            let from = self.run.failures.len();
            let values = self.run.together(RuleLinkage { streams, rules: Some(rules), len: rules.len() })?;
            self.note_all(rules.iter().copied(), values, from, &indexed.stale);
        }
        // They are not in order with the others.
        let first = self.matching.iter().copied().min().filter(|_| only_first);
        let rest = merged(&indexed.loose, candidates);
        for rule in rest.take_while(|rule| first.is_none_or(|first| *rule < first)) {
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
        self.note_all(0.., values, 0, &HashSet::default());
        Ok(())
    }

    /// Notes the results of rules that are not stale. Their errors are the failures from number `from` on.
    fn note_all(
        &mut self,
        rules: impl Iterator<Item = u32>,
        values: &[Value<'s>],
        from: usize,
        stale: &HashSet<u32>,
    ) {
        if !stale.is_empty() {
            let mut at = 0;
            self.run.failures.retain(|(rule, _)| {
                at += 1;
                at <= from || !stale.contains(&cast::length(*rule))
            });
        }
        let failed: Vec<usize> = self.run.failures[from..].iter().map(|(rule, _)| *rule).collect();
        let mut failed = failed.into_iter().peekable();
        for (rule, value) in rules.zip(values) {
            if failed.next_if_eq(&cast::index(rule)).is_none() && value.as_bool() != Some(false) {
                let is_stale = !stale.is_empty() && stale.contains(&rule);
                if !is_stale {
                    self.note(rule, *value);
                }
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
