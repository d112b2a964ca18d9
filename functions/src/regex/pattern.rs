//! The only file that uses the regex crate: compiled patterns, and a cache of those used last.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
}

/// A cache of compiled patterns, so that a loop compiles its pattern once.
#[derive(Debug, Default)]
pub(super) struct Patterns(Mutex<CachedPatterns>);

#[derive(Debug, Default)]
struct CachedPatterns {
    by_source: HashMap<String, Arc<Pattern>>,
    states: u64,
}

/// The maximum number of states of all cached patterns, which bounds their memory.
const KEPT_STATES: u64 = 100_000;
/// The maximum number of cached patterns: each may hold caches of [`CACHE`] bytes for two directions.
const KEPT: usize = 32;
/// The size of the cache of the lazy DFA of one direction.
const CACHE: usize = 1 << 20;

impl Patterns {
    /// Returns the pattern of a source, which costs as much if it is cached as if it is not; `None` if
    /// the budget is exhausted.
    pub(super) fn get(&self, arena: &Arena, source: &str) -> Result<Option<Arc<Pattern>>, String> {
        let translation = translate(source).map_err(|why| format!("{source:?} is not a pattern: {why}"))?;
        if !arena.charge(translation.cost.compiling) || !arena.has_room(room_to_match(&translation)) {
            return Ok(None);
        }
        if let Some(pattern) = self.kept().by_source.get(source) {
            return Ok(Some(Arc::clone(pattern)));
        }
        let pattern = Arc::new(compile(translation).map_err(|why| format!("{source:?} {why}"))?);
        self.keep(source, &pattern);
        Ok(Some(pattern))
    }

    fn keep(&self, source: &str, pattern: &Arc<Pattern>) {
        let mut kept = self.kept();
        let states = pattern.cost.states.saturating_mul(pattern.groups.len() as u64 / 4 + 1);
        if kept.states.saturating_add(states) > KEPT_STATES || kept.by_source.len() >= KEPT {
            *kept = CachedPatterns::default();
        }
        if states <= KEPT_STATES {
            kept.states += states;
            kept.by_source.insert(source.to_owned(), Arc::clone(pattern));
        }
    }

    fn kept(&self) -> MutexGuard<'_, CachedPatterns> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that matching may need: where each group begins and ends, for each state twice.
fn room_to_match(translation: &Translation) -> usize {
    let states = usize::try_from(translation.cost.states).unwrap_or(usize::MAX);
    states.saturating_mul((translation.groups.len() + 1) * 4 * size_of::<usize>())
}

fn compile(translation: Translation) -> Result<Pattern, String> {
    let regex = RegexBuilder::new(&translation.pattern).dfa_size_limit(CACHE).build();
    let regex = regex.map_err(|error| match error {
        Error::CompiledTooBig(_) => "is too large a pattern".to_owned(),
        other => {
            // The last line of the text says what is wrong; the others draw where.
            let text = other.to_string();
            let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            format!("is not a pattern: {why}")
        }
    })?;
    let Translation { groups, cost, looks_far, .. } = translation;
    Ok(Pattern { regex, groups, cost, looks_far })
}

impl Pattern {
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
