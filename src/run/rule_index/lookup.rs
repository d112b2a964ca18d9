//! Looking up candidates: the conditions that may be true, unknown or faulty in a scope.

use hclvm_compiler::analysis::GuardKind;
use hclvm_vm::{Arena, ArenaVec, Value, cast};

use super::RuleIndex;
use super::path::Reading;
use super::tree::{IndexNode, Split};

/// The conditions to evaluate in a scope, beside those that are [always](RuleIndex::always) evaluated.
#[derive(Debug)]
pub(crate) enum CandidateConditions<'a> {
    /// These, ascending.
    Some(&'a [u32]),
    /// More than were asked for.
    TooMany,
}

struct Lookup<'i, 'v, 'a> {
    index: &'i RuleIndex,
    values: &'v [Value<'a>],
    /// The values of paths that were read.
    readings: ArenaVec<'a, Option<Reading<'a>>>,
    found: ArenaVec<'a, u32>,
    most: usize,
}

/// More candidates than were asked for.
struct TooMany;

impl RuleIndex {
    /// Returns the candidates for the values of slots, unless there are more than `most`.
    pub(crate) fn candidates<'a>(
        &self,
        arena: &'a Arena,
        values: &[Value<'a>],
        most: usize,
    ) -> CandidateConditions<'a> {
        let mut readings = arena.list_with(self.path_count());
        readings.resize(self.path_count(), None);
        let mut lookup = Lookup { index: self, values, readings, found: arena.list(), most };
        if lookup.guards().and_then(|()| lookup.node(self.tree.root())).is_err() {
            return CandidateConditions::TooMany;
        }
        let found = lookup.found.into_bump_slice_mut();
        found.sort_unstable();
        // A condition may be listed for several reasons.
        let mut count = 0;
        for at in 0..found.len() {
            if count == 0 || found[at] != found[count - 1] {
                found[count] = found[at];
                count += 1;
            }
        }
        CandidateConditions::Some(&found[..count])
    }
}

impl<'a> Lookup<'_, '_, 'a> {
    /// Adds the conditions whose guards are not met.
    fn guards(&mut self) -> Result<(), TooMany> {
        for guarded in &self.index.guards {
            let is_met = match self.read(guarded.guard.path) {
                Reading::Bool(_) => guarded.guard.kind != GuardKind::Number,
                Reading::Int(_) | Reading::Number(_) => guarded.guard.kind != GuardKind::Bool,
                Reading::Text(_) => guarded.guard.kind == GuardKind::Primitive,
                Reading::Other => false,
            };
            if !is_met {
                self.add(&guarded.rules)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, rules: &[u32]) -> Result<(), TooMany> {
        if self.found.len() + rules.len() > self.most {
            return Err(TooMany);
        }
        self.found.extend_from_slice_copy(rules);
        Ok(())
    }

    /// Adds the conditions to which the values lead from a node.
    fn node(&mut self, node: &IndexNode) -> Result<(), TooMany> {
        self.add(&node.rules)?;
        node.splits.iter().try_for_each(|split| self.split(split))
    }

    fn split(&mut self, split: &Split) -> Result<(), TooMany> {
        let (tree, keys) = (&self.index.tree, &self.index.keys);
        let reading = self.read(split.path);
        // Comparisons of what is no number, and beginnings of what is no text, may be errors or conversions.
        let (is_text, is_number) =
            (matches!(reading, Reading::Text(_)), matches!(reading, Reading::Int(_) | Reading::Number(_)));
        let equal = match reading {
            Reading::Other => {
                split.equal.values().try_for_each(|node| self.all(tree.node(*node)))?;
                None
            }
            Reading::Number(_) => None,
            Reading::Bool(bool) => split.equal.get(&keys.bool(bool)),
            Reading::Int(int) => split.equal.get(&keys.int(int)),
            Reading::Text(_) if split.equal.is_empty() => None,
            Reading::Text(text) => split.equal.get(&keys.text(text)),
        };
        if let Some(node) = equal {
            self.node(tree.node(*node))?;
        }
        match reading {
            Reading::Text(text) => {
                for (length, _) in &split.lengths {
                    let beginning = text.as_bytes().get(..*length);
                    let node = beginning.and_then(|bytes| split.begin.get(&(*length, keys.beginning(bytes))));
                    if let Some(node) = node {
                        self.node(tree.node(*node))?;
                    }
                }
            }
            Reading::Int(_) | Reading::Number(_) => {
                let number = reading.float();
                split.ranges.containing(number).try_for_each(|node| self.node(tree.node(node)))?;
            }
            _ => {}
        }
        if !is_text {
            split.begin.values().try_for_each(|node| self.all(tree.node(*node)))?;
        }
        if !is_number {
            split.ranges.nodes().try_for_each(|node| self.all(tree.node(node)))?;
        }
        Ok(())
    }

    /// Adds all conditions in a node and below it.
    fn all(&mut self, node: &IndexNode) -> Result<(), TooMany> {
        self.add(&node.rules)?;
        for split in &node.splits {
            let below = split.equal.values().chain(split.begin.values()).copied().chain(split.ranges.nodes());
            for node in below {
                self.all(self.index.tree.node(node))?;
            }
        }
        Ok(())
    }

    fn read(&mut self, path: u32) -> Reading<'a> {
        let known = self.readings.get(cast::index(path)).copied().flatten();
        known.unwrap_or_else(|| {
            let reading = self.index.paths.read(path, self.values);
            if let Some(cell) = self.readings.get_mut(cast::index(path)) {
                *cell = Some(reading);
            }
            reading
        })
    }
}

impl Reading<'_> {
    /// Returns the float nearest to a number.
    #[expect(clippy::cast_precision_loss, reason = "a float represents such integers exactly")]
    const fn float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Number(number) => number,
            _ => f64::NAN,
        }
    }
}
