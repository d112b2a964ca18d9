//! The index of a set of conditions: which of them may be true in a scope, without evaluating the others.
//!
//! ```text
//! root ── resource.owner ──┬─ "ann" ── user.role ──┬─ "admin"    rules 3, 17
//!                          │                       └─ "guest"    rule 4
//!                          └─ "bob"                              rules 5, 6
//!      └─ request.path ────── begins "/api/"                     rule 9
//! always                                                         rules 8, 12: no necessary tests
//! guards  resource.locked is a bool                              rules 3, 5
//! ```
//! A condition that has [necessary tests](hclvm_compiler::analysis::necessary_tests) is listed where one of them holds,
//! and is a candidate only in scopes that lead there. Invariant: a condition that is no candidate is false, has no
//! errors and is not unknown. A value of which that is not certain, because it is missing, unknown, marked or of
//! another type, leads everywhere below its path; and a condition whose guards are not met is a candidate.

mod explain;
mod key;
mod lookup;
mod path;
mod ranges;
mod tree;

use hclvm_vm::hash::HashMap;
use hclvm_vm::{Diagnostic, Layout, Span, cast};

use crate::compile::unit::NecessaryTests;
use key::Keys;
use path::PathTable;
use tree::IndexTree;

pub use explain::Indexing;
pub(crate) use key::KeyChoice;
pub(crate) use lookup::CandidateConditions;

/// The index of conditions, which have numbers.
#[derive(Debug)]
pub(crate) struct RuleIndex {
    paths: PathTable,
    keys: Keys,
    tree: IndexTree,
    /// Conditions without necessary tests, ascending.
    always: Vec<u32>,
    guards: Vec<GuardedRules>,
}

/// The conditions that are skipped only if a value is of some kind.
#[derive(Debug)]
struct GuardedRules {
    guard: key::Guarded,
    /// Ascending.
    rules: Vec<u32>,
}

impl RuleIndex {
    /// Creates the index of `conditions` in scopes of `layout`. One without tests is always evaluated. `readable` shows
    /// which slots have their values when candidates are looked up.
    pub(crate) fn new<'p>(
        layout: &Layout,
        conditions: impl IntoIterator<Item = (u32, Option<NecessaryTests<'p>>)>,
        readable: impl Fn(usize) -> bool,
    ) -> Self {
        let mut index = Self {
            paths: PathTable::new(layout, readable),
            keys: Keys::default(),
            tree: IndexTree::default(),
            always: Vec::new(),
            guards: Vec::new(),
        };
        let mut listed = Vec::new();
        let mut choices: HashMap<u32, Vec<KeyChoice>> = HashMap::default();
        let mut guards: HashMap<key::Guarded, Vec<u32>> = HashMap::default();
        for (rule, tests) in conditions {
            let own = tests.map(|tests| index.choices(tests)).unwrap_or_default();
            if own.is_empty() {
                index.always.push(rule);
                continue;
            }
            for guard in own.iter().flat_map(|choice| &choice.guards) {
                let rules = guards.entry(*guard).or_default();
                if rules.last() != Some(&rule) {
                    rules.push(rule);
                }
            }
            listed.push(rule);
            choices.insert(rule, own);
        }
        index.guards = guards.into_iter().map(|(guard, rules)| GuardedRules { guard, rules }).collect();
        // In an order that does not depend on hashes.
        index.guards.sort_by_key(|guarded| (guarded.guard.path, guarded.rules.first().copied()));
        index.tree = IndexTree::of(listed, |rule| choices.get(&rule).map(Vec::as_slice).unwrap_or_default());
        index
    }

    /// Adds a condition, which has a number of its own. `tests` returns those of any condition.
    pub(crate) fn insert<'p>(&mut self, rule: u32, tests: impl Fn(u32) -> NecessaryTests<'p>) {
        let choices = self.choices(tests(rule));
        if choices.is_empty() {
            if let Err(at) = self.always.binary_search(&rule) {
                self.always.insert(at, rule);
            }
            return;
        }
        for guard in choices.iter().flat_map(|choice| &choice.guards) {
            let known = self.guards.iter().position(|guarded| guarded.guard == *guard);
            let known = known.unwrap_or_else(|| {
                self.guards.push(GuardedRules { guard: *guard, rules: Vec::new() });
                self.guards.len() - 1
            });
            let rules = &mut self.guards[known].rules;
            if let Err(at) = rules.binary_search(&rule) {
                rules.insert(at, rule);
            }
        }
        for full in self.tree.insert(rule, &choices) {
            let rules = self.tree.node(full).rules.clone();
            let known: HashMap<u32, Vec<KeyChoice>> =
                rules.into_iter().map(|rule| (rule, self.choices(tests(rule)))).collect();
            self.tree.refine(full, &|rule| known.get(&rule).map(Vec::as_slice).unwrap_or_default());
        }
    }

    /// Removes a condition.
    pub(crate) fn remove(&mut self, rule: u32) {
        if let Ok(at) = self.always.binary_search(&rule) {
            self.always.remove(at);
            return;
        }
        for guarded in &mut self.guards {
            if let Ok(at) = guarded.rules.binary_search(&rule) {
                guarded.rules.remove(at);
            }
        }
        self.guards.retain(|guarded| !guarded.rules.is_empty());
        self.tree.remove(rule);
    }

    /// Returns true if a condition is a candidate in every scope.
    pub(crate) fn is_always(&self, rule: u32) -> bool {
        self.always.binary_search(&rule).is_ok()
    }

    /// Returns the conditions that are candidates in every scope, ascending.
    pub(crate) fn always(&self) -> &[u32] {
        &self.always
    }

    /// Returns the ways to list a condition; none if it has no necessary tests of values that can be looked up.
    fn choices(&mut self, (clauses, layout): NecessaryTests<'_>) -> Vec<KeyChoice> {
        let clauses = clauses.unwrap_or_default();
        let Self { keys, paths, .. } = self;
        let choice = |clause| keys.choice(clause, |path| paths.number(layout, path));
        clauses.iter().filter_map(choice).collect()
    }

    /// Iterates over candidates and the conditions that always are, ascending.
    pub(crate) fn with_always<'i>(&'i self, candidates: &'i [u32]) -> impl Iterator<Item = u32> + 'i {
        merged(&self.always, candidates)
    }

    /// Returns the number of paths that tests and guards read.
    fn path_count(&self) -> usize {
        cast::index(self.paths.count())
    }
}

/// Iterates over the numbers of two ascending lists, ascending.
pub(crate) fn merged<'i>(one: &'i [u32], other: &'i [u32]) -> impl Iterator<Item = u32> + 'i {
    let (mut one, mut other) = (one.iter().copied().peekable(), other.iter().copied().peekable());
    std::iter::from_fn(move || match (one.peek(), other.peek()) {
        (Some(first), Some(second)) if first < second => one.next(),
        (Some(_), None) => one.next(),
        _ => other.next(),
    })
}

/// Returns the diagnostic of a condition that is neither true nor false nor unknown.
pub(crate) fn unsuitable(span: Span) -> Diagnostic {
    Diagnostic::error("Unsuitable rule condition", "The condition of a rule must be true or false.", span)
}
