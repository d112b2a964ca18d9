//! The resources that `getresources` selects from, by the values of their attributes.
//!
//! ```text
//! Index of the names (bucket, region), both of which the filter gives
//!   group of known names   values      candidates
//!   bucket, region         "a", "eu"   0, 3          equal: members
//!   region                 "eu"        1             bucket is unknown: may be members
//! ```
//!
//! An index is built when a filter with these names is first used; then a selection takes a search in each group.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use hclvm::value::{Arena, Entry, View, find};
use hclvm::{Json, OwnedValue, Value};
use smol_str::SmolStr;

use super::host::Open;

/// Open candidates that a selection names.
const MOST_OPEN: usize = 5;
/// Maximum open candidates that are compared part by part. Beyond it, partly known values count as unknown.
const MOST_COMPARED: usize = 64;
/// Indexes of one type that are kept: names of filters may depend on the object.
const MOST_INDEXES: usize = 64;

/// The resources and data of a plan, or of the mocks of a test file.
#[derive(Debug, Default)]
pub(super) struct Resources {
    types: HashMap<SmolStr, CandidateResources>,
    data: HashMap<SmolStr, CandidateResources>,
    /// True if data that is not here does not exist.
    pub(super) is_data_complete: bool,
}

impl Resources {
    /// Creates the resources of a test file, whose data is all that there is.
    pub(super) fn of_mocks() -> Self {
        Self { is_data_complete: true, ..Self::default() }
    }

    /// Adds a resource, behind those of its type.
    pub(super) fn add(&mut self, kind: &str, address: &str, attrs: OwnedValue) {
        self.types.entry(kind.into()).or_default().list.push((address.into(), attrs));
    }

    /// Adds data.
    pub(super) fn add_data(&mut self, kind: &str, attrs: OwnedValue) {
        self.data.entry(kind.into()).or_default().list.push((SmolStr::default(), attrs));
    }

    pub(super) fn of_type(&self, kind: &str) -> Option<&CandidateResources> {
        self.types.get(kind)
    }

    pub(super) fn data(&self, kind: &str) -> Option<&CandidateResources> {
        self.data.get(kind)
    }
}

/// The values that attributes must have.
#[derive(Clone, Copy, Debug)]
pub(super) enum RequiredValues<'f, 'a> {
    /// These.
    Equal(&'f [Entry<'a>]),
    /// It is unknown which attributes.
    Unknown,
}

impl RequiredValues<'_, '_> {
    /// Returns the values as text; `None` if they are unknown in part.
    pub(super) fn text(self) -> Option<String> {
        let Self::Equal(entries) = self else { return None };
        let mut text = String::new();
        for entry in entries {
            text += &key(Value::text(&Arena::new(), entry.name))?;
            text += &key(entry.value)?;
        }
        Some(text)
    }
}

/// The resources that a selection has.
#[derive(Debug, Default)]
pub(super) struct ResourceSelection {
    /// Members, in the order of the candidates.
    pub(super) definite: Vec<u32>,
    /// The first of those that may be members.
    pub(super) open: Vec<u32>,
    /// The number of those that may be members.
    pub(super) open_count: usize,
    /// True if sensitive values decide.
    pub(super) is_marked: bool,
}

/// The resources or the data of one type.
#[derive(Debug, Default)]
pub(super) struct CandidateResources {
    /// Their addresses and attributes.
    list: Vec<(SmolStr, OwnedValue)>,
    indexes: RwLock<HashMap<String, Arc<CandidateIndex>>>,
}

/// Candidates that have certain attributes, by the values of these.
#[derive(Debug, Default)]
struct CandidateIndex {
    groups: Vec<CandidateGroup>,
    is_marked: bool,
}

/// Candidates of which the same attributes are compared: the others are unknown, there or in the filter.
#[derive(Debug)]
struct CandidateGroup {
    compared: Vec<bool>,
    by_values: HashMap<String, Vec<u32>>,
}

impl CandidateResources {
    pub(super) fn attributes(&self, at: u32) -> Option<Value<'_>> {
        self.list.get(at as usize).map(|(_, attrs)| attrs.get())
    }

    pub(super) fn open(&self, call: &str, at: u32) -> Open {
        let address = self.list.get(at as usize).map_or("", |(address, _)| address);
        Open::new(call, at, address)
    }

    fn all(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    /// Selects the candidates that have the wanted values.
    pub(super) fn select(&self, wanted: RequiredValues<'_, '_>) -> ResourceSelection {
        let filter = match wanted {
            RequiredValues::Unknown => {
                let open = self.all().take(MOST_OPEN).collect();
                return ResourceSelection {
                    open,
                    open_count: self.list.len(),
                    ..ResourceSelection::default()
                };
            }
            RequiredValues::Equal([]) => {
                return ResourceSelection { definite: self.all().collect(), ..ResourceSelection::default() };
            }
            RequiredValues::Equal(filter) => filter,
        };
        let keys: Vec<Option<String>> = filter.iter().map(|entry| key(entry.value)).collect();
        let index = self.index(filter, &keys);
        let mut selection = ResourceSelection { is_marked: index.is_marked, ..ResourceSelection::default() };
        let mut open: Vec<&[u32]> = Vec::new();
        for group in &index.groups {
            let Some(found) = group.by_values.get(&values(&keys, &group.compared)) else { continue };
            if group.compared.iter().all(|compared| *compared) {
                selection.definite.clone_from(found);
            } else {
                open.push(found);
            }
        }
        selection.open_count = open.iter().map(|found| found.len()).sum();
        let open = open.into_iter().flatten().copied();
        if selection.open_count > MOST_COMPARED {
            selection.open = open.take(MOST_OPEN).collect();
            return selection;
        }
        for at in open {
            match self.attributes(at).map_or(Some(false), |attrs| contains(attrs, filter)) {
                Some(true) => selection.definite.push(at),
                Some(false) => {}
                None => selection.open.push(at),
            }
        }
        selection.definite.sort_unstable();
        selection.open.sort_unstable();
        selection.open_count = selection.open.len();
        selection.open.truncate(MOST_OPEN);
        selection
    }

    /// Returns the index of the names of a filter and of those of its values that are known.
    fn index(&self, filter: &[Entry<'_>], keys: &[Option<String>]) -> Arc<CandidateIndex> {
        let mut name = String::new();
        for (entry, key) in filter.iter().zip(keys) {
            name.push(if key.is_some() { '=' } else { '?' });
            name += entry.name;
            name.push('\0');
        }
        if let Some(index) = self.indexes.read().unwrap_or_else(PoisonError::into_inner).get(&name) {
            return Arc::clone(index);
        }
        let index = Arc::new(self.new_index(filter, keys));
        let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
        if indexes.len() >= MOST_INDEXES {
            return index;
        }
        Arc::clone(indexes.entry(name).or_insert(index))
    }

    fn new_index(&self, filter: &[Entry<'_>], keys: &[Option<String>]) -> CandidateIndex {
        let mut groups: HashMap<Vec<bool>, HashMap<String, Vec<u32>>> = HashMap::new();
        let mut is_marked = false;
        for (at, (_, attrs)) in self.all().zip(&self.list) {
            let arena = Arena::new();
            let (attrs, marks) = attrs.get().unmark();
            let Some(entries) = attrs.as_entries() else { continue };
            let found: Option<Vec<&Entry<'_>>> =
                filter.iter().map(|wanted| find(entries, wanted.name)).collect();
            let Some(found) = found else { continue };
            is_marked |= !marks.is_empty() || found.iter().any(|entry| entry.value.contains_marks());
            let own = found.iter().zip(keys);
            let own: Vec<Option<String>> = own
                .map(|(entry, wanted)| wanted.as_ref().and_then(|_| key(entry.value.unmark_deep(&arena).0)))
                .collect();
            let compared: Vec<bool> = own.iter().map(Option::is_some).collect();
            let values = values(&own, &compared);
            groups.entry(compared).or_default().entry(values).or_default().push(at);
        }
        let group = |(compared, by_values)| CandidateGroup { compared, by_values };
        let mut groups: Vec<CandidateGroup> = groups.into_iter().map(group).collect();
        groups.sort_by(|a, b| a.compared.cmp(&b.compared));
        CandidateIndex { groups, is_marked }
    }
}

/// Returns the texts of the compared values as one.
fn values(keys: &[Option<String>], compared: &[bool]) -> String {
    let keys = keys.iter().zip(compared).filter(|(_, compared)| **compared);
    keys.filter_map(|(key, _)| key.as_deref()).fold(String::new(), |all, key| all + key + "\u{0}")
}

/// Returns a text that is equal for equal values, whatever their types; `None` of a value that is unknown in part.
fn key(value: Value<'_>) -> Option<String> {
    if value.is_wholly_known() { Json(value).to_text().ok() } else { None }
}

/// Returns whether an object has all entries of a filter; `None` if that is unknown.
fn contains(object: Value<'_>, filter: &[Entry<'_>]) -> Option<bool> {
    let arena = Arena::new();
    let (object, _) = object.unmark_deep(&arena);
    let Some(entries) = object.as_entries() else { return Some(false) };
    let each = filter.iter().map(|wanted| match find(entries, wanted.name) {
        Some(entry) => equal(entry.value, wanted.value),
        None => Some(false),
    });
    all(each)
}

/// Returns whether all of these are true; one that is false decides.
fn all(each: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for one in each {
        match one {
            Some(true) => {}
            Some(false) => return Some(false),
            None => result = None,
        }
    }
    result
}

/// Returns whether two values are equal, whatever the types of their collections; `None` if that is unknown. The
/// recursion is bounded by the depth of values.
fn equal(a: Value<'_>, b: Value<'_>) -> Option<bool> {
    if let (Some(a), Some(b)) = (a.as_items(), b.as_items()) {
        return if a.len() == b.len() {
            all(a.iter().zip(b).map(|(a, b)| equal(*a, *b)))
        } else {
            Some(false)
        };
    }
    if let (Some(a), Some(b)) = (a.as_entries(), b.as_entries()) {
        let is_same = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name);
        return if is_same {
            all(a.iter().zip(b).map(|(a, b)| equal(a.value, b.value)))
        } else {
            Some(false)
        };
    }
    match (a.view(), b.view()) {
        (View::Unknown(a), View::Unknown(b)) => a.is_one_with(b).then_some(true),
        (View::Unknown(unknown), other) | (other, View::Unknown(unknown)) => {
            if unknown.refinement.not_null && matches!(other, View::Null(_)) { Some(false) } else { None }
        }
        _ => Some(key(a)? == key(b)?),
    }
}
