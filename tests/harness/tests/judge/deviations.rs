//! Lists of cases whose results differ from the recorded ones.

use std::collections::BTreeMap;

/// Ids of cases, each with the evaluators that differ, comma-separated; none if all do.
#[derive(Debug)]
pub(crate) struct Deviations {
    entries: BTreeMap<&'static str, Option<&'static str>>,
}

impl Deviations {
    /// Reads a list: in each line an id, or `id@evaluator,evaluator`, and a reason; `#` begins a comment.
    ///
    /// # Panics
    /// An entry without a reason, or an id that is listed twice.
    pub(crate) fn read(list: &'static str) -> Self {
        let mut entries = BTreeMap::new();
        for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (entry, reason) = line.split_once(' ').unwrap_or((line, ""));
            assert!(!reason.trim().is_empty(), "{entry} has no reason");
            let (id, evaluators) =
                entry.split_once('@').map_or((entry, None), |(id, names)| (id, Some(names)));
            assert!(entries.insert(id, evaluators).is_none(), "{id} is listed twice");
        }
        Self { entries }
    }

    /// Returns true if a case is listed for an evaluator; `None` for cases that run nothing.
    pub(crate) fn contains(&self, id: &str, evaluator: Option<&str>) -> bool {
        self.entries.get(id).is_some_and(|listed| {
            listed.is_none_or(|names| names.split(',').any(|name| Some(name) == evaluator))
        })
    }

    /// Returns the listed ids.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.entries.keys().copied()
    }
}
