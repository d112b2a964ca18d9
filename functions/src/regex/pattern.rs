//! The only file that uses the regex crate: compiled patterns, and a cache of those used last.

use std::collections::{HashMap, VecDeque};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use hclvm_vm::{Arena, AttributeType, Entry, Type, Value};
pub(super) use regex::Captures;
use regex::{Error, Regex, RegexBuilder};

use super::syntax::{Cost, Translation, translate};
use crate::text_builder::arena_text;

/// A pattern that can be matched.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) regex: Regex,
    /// The name of each group, where it has one.
    pub(super) groups: Vec<Option<String>>,
    cost: Cost,
    looks_far: bool,
    /// The bytes that matching may need; see [`room_to_match`].
    room: usize,
}

/// Where a function has its patterns from.
#[derive(Debug)]
pub(super) enum Patterns {
    /// A cache of those used last: patterns of values that a loop repeats, and of rules beyond what is prepared.
    Cached(Arc<PatternCache>),
    /// The pattern that a program has as a constant, whatever the argument.
    Prepared(PreparedPattern),
}

/// The patterns of a function that are used by a text, and the size of those that belong to programs.
#[derive(Debug, Default)]
pub(super) struct PatternCache {
    kept: RwLock<CachedPatterns>,
    /// The sum of [`Pattern::weight`] of prepared patterns.
    prepared: AtomicUsize,
}

/// A pattern that belongs to programs.
#[derive(Debug)]
pub(super) struct PreparedPattern {
    pattern: Pattern,
    _weight: Weight,
}

/// A share of the bytes of prepared patterns, which is given back when it is dropped.
#[derive(Debug)]
struct Weight {
    weight: usize,
    cache: Arc<PatternCache>,
}

/// A pattern to match with.
pub(super) enum PatternHandle<'p> {
    Cached(Arc<Pattern>),
    Prepared(&'p Pattern),
}

#[derive(Debug, Default)]
struct CachedPatterns {
    by_source: HashMap<Arc<str>, CachedPattern>,
    /// The sources in the order in which they are considered for eviction.
    order: VecDeque<Arc<str>>,
    /// The sum of [`Pattern::weight`].
    bytes: usize,
}

#[derive(Debug)]
struct CachedPattern {
    pattern: Arc<Pattern>,
    /// True if it was used since it was last considered for eviction.
    used: AtomicBool,
}

/// The most bytes of all cached patterns of a function.
const KEPT: usize = 64 << 20;
/// The most bytes of all prepared patterns of a function, and of one: programs with more share the cache.
const PREPARED: usize = 256 << 20;
const LARGEST_PREPARED: usize = 1 << 20;
/// The least and the largest size of the cache of the lazy DFA of one direction.
const CACHE: [usize; 2] = [12 << 10, 1 << 20];
/// The size of that cache for each state of a pattern, within these limits.
const CACHE_OF_STATE: usize = 512;
/// The bytes of a state of a compiled pattern, its share of the tables for groups aside.
const STATE: usize = 128;

impl Default for Patterns {
    fn default() -> Self {
        Self::Cached(Arc::default())
    }
}

impl Patterns {
    /// Returns the pattern of a source, which costs as much if it is kept as if it is not; `None` if
    /// the budget is exhausted.
    pub(super) fn get(&self, arena: &Arena, source: &str) -> Result<Option<PatternHandle<'_>>, String> {
        match self {
            Self::Cached(cache) => Ok(cache.get(arena, source)?.map(PatternHandle::Cached)),
            Self::Prepared(PreparedPattern { pattern, .. }) => {
                Ok(pattern.is_paid(arena).then_some(PatternHandle::Prepared(pattern)))
            }
        }
    }

    /// Returns the pattern of a constant for the program that has it. `None` if it is wrong, which calls show, or if it
    /// or all of them would be large.
    pub(super) fn prepared(&self, source: &str) -> Option<Self> {
        let Self::Cached(cache) = self else { return None };
        let translation = translate(source).ok()?;
        let weight = weight(&translation.cost, translation.groups.len(), source);
        let is_small = |prepared| (prepared + weight <= PREPARED).then_some(prepared + weight);
        if weight > LARGEST_PREPARED {
            return None;
        }
        cache.prepared.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_small).ok()?;
        // Gives its weight back where it is dropped, here as well.
        let guard = Weight { weight, cache: Arc::clone(cache) };
        let pattern = compile(translation).ok()?;
        Some(Self::Prepared(PreparedPattern { pattern, _weight: guard }))
    }
}

impl Drop for Weight {
    fn drop(&mut self) {
        self.cache.prepared.fetch_sub(self.weight, Ordering::Relaxed);
    }
}

impl Deref for PatternHandle<'_> {
    type Target = Pattern;

    fn deref(&self) -> &Pattern {
        match self {
            Self::Cached(pattern) => pattern,
            Self::Prepared(pattern) => pattern,
        }
    }
}

impl PatternCache {
    fn get(&self, arena: &Arena, source: &str) -> Result<Option<Arc<Pattern>>, String> {
        if let Some(pattern) = self.kept(source) {
            return Ok(Some(pattern).filter(|pattern| pattern.is_paid(arena)));
        }
        let translation = translate(source).map_err(|why| format!("{source:?} is not a pattern: {why}"))?;
        if !is_paid(arena, &translation.cost, room_to_match(&translation)) {
            return Ok(None);
        }
        let pattern = Arc::new(compile(translation).map_err(|why| format!("{source:?} {why}"))?);
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        kept.keep(source, &pattern);
        Ok(Some(pattern))
    }

    fn kept(&self, source: &str) -> Option<Arc<Pattern>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let found = kept.by_source.get(source)?;
        found.used.store(true, Ordering::Relaxed);
        Some(Arc::clone(&found.pattern))
    }
}

/// Charges for a pattern, whether it is compiled or not.
fn is_paid(arena: &Arena, cost: &Cost, room: usize) -> bool {
    arena.charge(cost.compiling) && arena.has_room(room)
}

/// Returns the most bytes that a pattern takes with its source: compiled, and for the caches of two directions.
fn weight(cost: &Cost, groups: usize, source: &str) -> usize {
    let states = states_of(cost).saturating_mul(STATE).saturating_mul(groups / 4 + 1);
    states.saturating_add(2 * cache_of(cost) + 2 * source.len())
}

impl CachedPatterns {
    /// Keeps a pattern, and drops others one by one until there is room: those that were not used since they were last
    /// considered.
    fn keep(&mut self, source: &str, pattern: &Arc<Pattern>) {
        let weight = pattern.weight(source);
        if weight > KEPT || self.by_source.contains_key(source) {
            return;
        }
        while self.bytes + weight > KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            match self.by_source.get(&oldest) {
                Some(cached) if cached.used.swap(false, Ordering::Relaxed) => self.order.push_back(oldest),
                _ => {
                    let dropped = self.by_source.remove(&oldest);
                    self.bytes -= dropped.map_or(0, |dropped| dropped.pattern.weight(&oldest));
                }
            }
        }
        let source: Arc<str> = source.into();
        let cached = CachedPattern { pattern: Arc::clone(pattern), used: AtomicBool::new(false) };
        self.by_source.insert(Arc::clone(&source), cached);
        self.order.push_back(source);
        self.bytes += weight;
    }
}

/// Bytes that matching may need: where each group begins and ends, for each state twice.
fn room_to_match(translation: &Translation) -> usize {
    states_of(&translation.cost).saturating_mul((translation.groups.len() + 1) * 4 * size_of::<usize>())
}

fn compile(translation: Translation) -> Result<Pattern, String> {
    let regex = RegexBuilder::new(&translation.pattern).dfa_size_limit(cache_of(&translation.cost)).build();
    let regex = regex.map_err(|error| match error {
        Error::CompiledTooBig(_) => "is too large a pattern".to_owned(),
        other => {
            // The last line of the text says what is wrong; the others draw where.
            let text = other.to_string();
            let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            format!("is not a pattern: {why}")
        }
    })?;
    let room = room_to_match(&translation);
    let Translation { groups, cost, looks_far, .. } = translation;
    Ok(Pattern { regex, groups, cost, looks_far, room })
}

/// Returns the size of the cache of the lazy DFA of one direction: a small pattern has few states to cache.
fn cache_of(cost: &Cost) -> usize {
    let [least, most] = CACHE;
    states_of(cost).saturating_mul(CACHE_OF_STATE).clamp(least, most)
}

fn states_of(cost: &Cost) -> usize {
    usize::try_from(cost.states).unwrap_or(usize::MAX)
}

impl Pattern {
    fn weight(&self, source: &str) -> usize {
        weight(&self.cost, self.groups.len(), source)
    }

    fn is_paid(&self, arena: &Arena) -> bool {
        is_paid(arena, &self.cost, self.room)
    }

    /// Charges for the search for the first match in a text. Returns false if the budget is exhausted.
    pub(super) fn pay_search(&self, arena: &Arena, text: &str) -> bool {
        arena.charge((text.len() as u64).saturating_mul(self.units_a_byte()))
    }

    /// Charges for the search behind a match. A pattern that may look at the whole rest of the text to
    /// find a match near its start costs more than the text is long if there are many matches.
    pub(super) fn pay_next(&self, arena: &Arena, left: usize) -> bool {
        let looked_at = left as u64 / if self.looks_far { 32 } else { 128 };
        arena.charge(looked_at.saturating_mul(self.units_a_byte()).saturating_add(1))
    }

    /// Most patterns are looked for a byte at a time; large ones may need many states a byte, and
    /// each of these its own copy of where the groups are.
    fn units_a_byte(&self) -> u64 {
        1 + self.cost.states.saturating_mul(1 + self.groups.len() as u64 / 4) / 48
    }

    fn has_names(&self) -> bool {
        self.groups.iter().any(Option::is_some)
    }

    /// Names in order, each with its last group.
    fn names(&self) -> Vec<(&str, usize)> {
        let mut names: Vec<(&str, usize)> = self
            .groups
            .iter()
            .enumerate()
            .filter_map(|(index, name)| name.as_deref().map(|name| (name, index + 1)))
            .collect();
        names.sort_unstable_by(|a, b| a.0.cmp(b.0).then(b.1.cmp(&a.1)));
        names.dedup_by_key(|(name, _)| *name);
        names
    }

    /// Returns the type of a match; patterns must name all groups or none.
    pub(super) fn match_type<'a>(&self, arena: &'a Arena) -> Result<Type<'a>, String> {
        if self.groups.is_empty() {
            return Ok(Type::String);
        }
        if !self.has_names() {
            let mut types = arena.list();
            types.resize(self.groups.len(), Type::String);
            return Ok(Type::Tuple(types.into_bump_slice()));
        }
        if self.groups.iter().any(Option::is_none) {
            return Err("the pattern must name all of its capture groups or none".to_owned());
        }
        let mut attributes = arena.list();
        attributes.extend(self.names().iter().map(|(name, _)| AttributeType {
            name: arena_text(arena, name),
            ty: Type::String,
            optional: false,
        }));
        Ok(Type::Object(attributes.into_bump_slice()))
    }

    /// Returns the first match in a text as a value; `None` if there is none.
    pub(super) fn first_match<'a>(&self, arena: &'a Arena, text: &'a str) -> Option<Value<'a>> {
        if self.groups.is_empty() {
            // Faster than with groups.
            return self
                .regex
                .find(text)
                .and_then(|found| text.get(found.range()))
                .map(|part| Value::str(arena, part));
        }
        self.regex.captures(text).map(|groups| self.match_value(arena, text, &groups))
    }

    /// Returns a match as a value. Its texts are parts of the text that was searched.
    pub(super) fn match_value<'a>(
        &self,
        arena: &'a Arena,
        text: &'a str,
        groups: &Captures<'_>,
    ) -> Value<'a> {
        let group = |index: usize| match groups.get(index).and_then(|found| text.get(found.range())) {
            Some(part) => Value::str(arena, part),
            None => Value::null(arena, Type::String),
        };
        if self.groups.is_empty() {
            return group(0);
        }
        if !self.has_names() {
            let mut items = arena.list();
            items.extend((1..=self.groups.len()).map(group));
            return Value::tuple(arena, items.into_bump_slice());
        }
        let mut entries = arena.list();
        entries.extend(
            self.names().iter().map(|(name, index)| Entry::new(arena_text(arena, name), group(*index))),
        );
        Value::object(arena, entries.into_bump_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(patterns: &PatternCache, source: &str) -> Arc<Pattern> {
        patterns.get(&Arena::new(), source).expect("it is a pattern").expect("the budget suffices")
    }

    fn is_kept(patterns: &PatternCache, source: &str) -> bool {
        patterns.kept.read().expect("no panic").by_source.contains_key(source)
    }

    #[test]
    fn the_patterns_of_a_large_file_are_compiled_once() {
        let patterns = PatternCache::default();
        let sources: Vec<String> = (0..1_000).map(|at| format!("^user-{at}-[a-z]+$")).collect();
        let first: Vec<_> = sources.iter().map(|source| get(&patterns, source)).collect();
        for (source, first) in sources.iter().zip(&first) {
            assert!(Arc::ptr_eq(&get(&patterns, source), first), "{source}");
        }
    }

    #[test]
    fn patterns_that_are_not_used_make_room() {
        let patterns = PatternCache::default();
        for at in 0..5_000 {
            get(&patterns, &format!("x{at}"));
            get(&patterns, "used");
            assert!(patterns.kept.read().expect("no panic").bytes <= KEPT);
        }
        assert!(is_kept(&patterns, "used") && is_kept(&patterns, "x4999"));
        assert!(!is_kept(&patterns, "x0"));
        let kept = patterns.kept.read().expect("no panic");
        assert!(kept.by_source.len() > 1_000 && kept.by_source.len() == kept.order.len());
        let weights = kept.by_source.iter().map(|(source, cached)| cached.pattern.weight(source));
        assert_eq!(weights.sum::<usize>(), kept.bytes);
    }

    #[test]
    fn a_cached_pattern_costs_as_much_as_another_one() {
        let patterns = PatternCache::default();
        let spent = |source| {
            let arena = Arena::new();
            let before = arena.budget().fuel();
            patterns.get(&arena, source).expect("it is a pattern").expect("the budget suffices");
            before - arena.budget().fuel()
        };
        let first = spent("^[a-z]{1,20}$");
        assert_eq!(spent("^[a-z]{1,20}$"), first);
        assert!(first > 0);
    }

    #[test]
    fn prepared_patterns_are_bounded_and_give_back_their_share() {
        let cache = Arc::new(PatternCache::default());
        let patterns = Patterns::Cached(Arc::clone(&cache));
        let share = || cache.prepared.load(Ordering::Relaxed);
        assert!(patterns.prepared("a(").is_none() && patterns.prepared("[a-z]{1000}").is_none());
        assert_eq!(share(), 0);
        let mut kept = Vec::new();
        while let Some(prepared) = patterns.prepared(&format!("^user-{}-[a-z]+$", kept.len())) {
            kept.push(prepared);
            assert!(share() <= PREPARED);
        }
        assert!(kept.len() > 2_000, "{}", kept.len());
        drop(kept);
        assert_eq!(share(), 0);
    }

    #[test]
    fn a_prepared_pattern_costs_as_much_as_another_one() {
        let patterns = Patterns::default();
        let prepared = patterns.prepared("^[a-z]{1,20}$").expect("it is small");
        let spent = |patterns: &Patterns| {
            let arena = Arena::new();
            let before = arena.budget().fuel();
            assert!(patterns.get(&arena, "^[a-z]{1,20}$").is_ok_and(|found| found.is_some()));
            before - arena.budget().fuel()
        };
        assert_eq!(spent(&patterns), spent(&prepared));
    }
}
