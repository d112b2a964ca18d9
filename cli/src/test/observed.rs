//! What an evaluation covers: the attributes that it evaluates, and what the conditions in them were.

use std::collections::{BTreeMap, HashSet};

use hclvm::diagnostics::Source;
use hclvm::why::{ConditionKind, ConditionUse, Outcomes};
use hclvm::{Error, Module, Program, Scope, Session};
use hclvm_dialects::Observed;

/// What a case covers: for each attribute that it evaluates, its place and what its conditions were.
pub(super) type Covered = Vec<(Place, Vec<(Spot, Outcomes)>)>;

/// The name of a file and an offset in it.
pub(super) type Place = (String, u32);

/// The range of a condition in its file.
pub(super) type Spot = (u32, u32);

/// Returns the place of an offset of a text, which may consist of several files.
pub(super) fn place(source: &Source, offset: u32) -> Place {
    match source.file_at(offset) {
        Some(at) => (source.files()[at].name.to_string(), offset - source.file_span(at).start),
        None => (source.name().to_owned(), offset),
    }
}

/// Returns the conditions of an attribute, each once and without those that are always equal, which no case can cover.
pub(super) fn conditions(program: &Program) -> Result<Vec<(usize, Spot, Branch)>, Error> {
    let source = program.source();
    let mut found: Vec<(usize, Spot, Branch)> = Vec::new();
    let mut known = HashSet::new();
    for (at, condition) in program.conditions()?.into_iter().enumerate() {
        let start = place(source, condition.span.start).1;
        let spot = (start, start + (condition.span.end - condition.span.start));
        if condition.kind == ConditionKind::Constant || !known.insert(spot) {
            continue;
        }
        let text = condition.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = source.position(condition.span.start).line;
        let is_result = condition.usage == ConditionUse::Result;
        let is_tested = !matches!(condition.usage, ConditionUse::Result | ConditionUse::Part);
        let is_value = condition.kind == ConditionKind::Value && !is_tested;
        found.push((at, spot, Branch { line, text, spot, is_result, is_value, seen: [0; 2] }));
    }
    Ok(found)
}

/// Observes a module in a scope.
///
/// # Errors
/// A limit that is exceeded.
pub(super) fn observe(module: &Module, session: &mut Session, scope: &Scope) -> Result<Covered, Error> {
    let mut covered = Covered::new();
    for (attribute, coverage) in module.observe(session, scope)? {
        let outcomes: Vec<Outcomes> = coverage.outcomes().collect();
        let conditions = conditions(&attribute.program()?)?.into_iter();
        let seen = conditions.filter_map(|(at, spot, _)| Some((spot, *outcomes.get(at)?)));
        covered.push((place(attribute.document().source(), attribute.span().start), seen.collect()));
    }
    Ok(covered)
}

/// Returns what an evaluation of a module covers. An attribute that is evaluated several times counts once.
pub(super) fn covered(observed: Vec<Observed>) -> Covered {
    let mut found: BTreeMap<Place, BTreeMap<Spot, Outcomes>> = BTreeMap::new();
    for Observed { span, program, coverage, .. } in observed {
        let outcomes: Vec<Outcomes> = coverage.outcomes().collect();
        let seen = found.entry(place(program.source(), span.start)).or_default();
        for (at, spot, _) in conditions(&program).unwrap_or_default() {
            if let Some(outcomes) = outcomes.get(at) {
                let known = seen.entry(spot).or_default();
                *known = known.union(*outcomes);
            }
        }
    }
    found.into_iter().map(|(place, seen)| (place, seen.into_iter().collect())).collect()
}

/// A condition, with the numbers of cases in which it was true and false and that mattered.
pub(super) struct Branch {
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) spot: Spot,
    pub(super) is_result: bool,
    /// True for a value that is not known to be a bool, and is tested by nothing: it counts as a condition
    /// if a case makes it one.
    pub(super) is_value: bool,
    pub(super) seen: [u32; 2],
}
