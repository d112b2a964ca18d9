//! What a policy reaches beyond the object that it judges: other resources, data, the time. Functions find it in
//! the thread that evaluates, since one compiled policy serves many plans at once.
//!
//! ```text
//! Reach::with(reach, || session.run(…))   ──▶  core::getresources(…) asks Reach::current
//!       undecided: what unknown values left open   ◀──╯
//! ```

use std::cell::RefCell;
use std::sync::Arc;

use hclvm::functions::CallError;
use hclvm::value::{Arena, Entry, Marks, Refinement, Unknown, View, convert, copy, find, marks_from};
use hclvm::{OwnedValue, Type, Value};

use super::resources::{RequiredValues, ResourceSelection, Resources};

/// The mark of sensitive values.
pub(super) const SENSITIVE: &str = "sensitive";

/// The most candidates whose membership is assumed both ways: the number of evaluations doubles with each.
pub(super) const MOST_ASSUMED: usize = 4;

/// Unknown calls and candidates that are kept for explanations.
const MOST_NAMED: usize = 8;

/// A candidate of a call of `getresources` of which it is unknown whether it belongs to the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Open {
    /// The call: its arguments, and its number if these are unknown themselves.
    call: String,
    candidate: u32,
    /// The address of the candidate.
    pub(super) address: String,
}

impl Open {
    pub(super) fn new(call: &str, candidate: u32, address: &str) -> Self {
        Self { call: call.to_owned(), candidate, address: address.to_owned() }
    }
}

/// What the evaluations of one policy for one object reach, and what they left open.
#[derive(Debug)]
pub(super) struct Reach {
    pub(super) resources: Arc<Resources>,
    /// The present time, as `timestamp` returns it.
    pub(super) now: Option<Arc<str>>,
    /// Candidates whose membership is assumed.
    pub(super) assumed: Option<Vec<(Open, bool)>>,
    /// Candidates that were left open.
    pub(super) open: Vec<Open>,
    /// True if more were left open than are kept, or than were assumed.
    pub(super) is_more_open: bool,
    /// True if results depend on something outside of the plan that is not given.
    pub(super) lacks: Vec<String>,
    /// The number of calls whose arguments were unknown.
    calls: usize,
}

thread_local! {
    static CURRENT: RefCell<Option<Reach>> = const { RefCell::new(None) };
}

impl Reach {
    pub(super) fn new(resources: &Arc<Resources>, now: Option<&Arc<str>>) -> Self {
        Self {
            resources: Arc::clone(resources),
            now: now.cloned(),
            assumed: None,
            open: Vec::new(),
            is_more_open: false,
            lacks: Vec::new(),
            calls: 0,
        }
    }

    /// Evaluates within reach, and returns what was left open.
    pub(super) fn with<T>(self, evaluate: impl FnOnce() -> T) -> (T, Self) {
        /// Restores the outer reach, also if the evaluation panics.
        struct Restore(Option<Reach>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let resources = Arc::clone(&self.resources);
        let restore = Restore(CURRENT.replace(Some(self)));
        let result = evaluate();
        let reach = CURRENT.take().unwrap_or_else(|| Self::new(&resources, None));
        drop(restore);
        (result, reach)
    }

    /// Calls `ask` with the reach of this thread, or returns `None` if a policy is only checked.
    pub(super) fn current<T>(ask: impl FnOnce(&mut Self) -> T) -> Option<T> {
        CURRENT.with_borrow_mut(|current| current.as_mut().map(ask))
    }

    /// Adds what was left open where a shared value was computed.
    pub(super) fn add_open(&mut self, open: &[Open], is_more_open: bool, lacks: &[String]) {
        self.is_more_open |= is_more_open;
        for one in open {
            self.leave_open(one.clone());
        }
        for one in lacks {
            self.lack(one.clone());
        }
    }

    fn leave_open(&mut self, one: Open) {
        if self.open.contains(&one) {
            return;
        }
        if self.open.len() < MOST_NAMED {
            self.open.push(one);
        } else {
            self.is_more_open = true;
        }
    }

    fn lack(&mut self, what: String) {
        if self.lacks.len() < MOST_NAMED && !self.lacks.contains(&what) {
            self.lacks.push(what);
        }
    }
}

/// `getresources(type, filter)`: the resources of a type whose attributes equal those of the filter.
pub(super) fn get_resources<'a>(arena: &'a Arena, args: &[Value<'a>]) -> Result<Value<'a>, CallError> {
    let [kind, filter @ ..] = args else { return Err(CallError::new("a type of resources is required")) };
    if filter.len() > 1 {
        return Err(CallError::new("a type and at most one filter are required"));
    }
    let (kind, mut marks) = kind.unmark();
    let filter = filter.first().copied().unwrap_or(Value::NULL);
    let (filter, more) = filter.unmark_deep(arena);
    marks = marks.union(arena, more);
    let filter = match filter.view() {
        View::Null(_) => Some(&[][..]),
        View::Object(entries) | View::Map(entries, _) => Some(entries),
        View::Unknown(_) => None,
        _ => return Err(CallError::argument(1, "an object of attributes and their values is required")),
    };
    let Some(kind) = kind.as_str() else { return Ok(Value::DYNAMIC.with_marks(arena, marks)) };
    let wanted = filter.map_or(RequiredValues::Unknown, RequiredValues::Equal);
    let found = Reach::current(|reach| reach.select(arena, kind, wanted));
    let Some((value, is_marked)) = found else { return Ok(Value::DYNAMIC) };
    Ok(value.with_marks(arena, marks.union(arena, marks_of(arena, is_marked))))
}

/// Returns the marks of a result that sensitive values decide.
fn marks_of(arena: &Arena, is_marked: bool) -> Marks<'_> {
    if is_marked { sensitive(arena) } else { Marks::NONE }
}

fn sensitive(arena: &Arena) -> Marks<'_> {
    marks_from(arena, &[SENSITIVE])
}

impl Reach {
    /// Returns the resources of a type, and whether sensitive values decide which ones.
    fn select<'a>(
        &mut self,
        arena: &'a Arena,
        kind: &str,
        wanted: RequiredValues<'_, 'a>,
    ) -> (Value<'a>, bool) {
        let resources = Arc::clone(&self.resources);
        let Some(candidates) = resources.of_type(kind) else { return (Value::EMPTY_TUPLE, false) };
        let selection = candidates.select(wanted);
        let object = |at: u32| candidates.attributes(at).map_or(Value::NULL, |attrs| copy(arena, attrs));
        if !arena.spend(selection.definite.len() as u64) {
            return (Value::DYNAMIC, false);
        }
        if selection.open_count == 0 {
            let mut items = arena.list_with(selection.definite.len());
            items.extend(selection.definite.iter().map(|at| object(*at)));
            return (Value::tuple(arena, items.into_bump_slice()), selection.is_marked);
        }
        let call = self.call(kind, wanted);
        let opened: Vec<Open> = selection.open.iter().map(|at| candidates.open(&call, *at)).collect();
        if let Some(members) = self.members(&selection, &opened) {
            let mut items = arena.list_with(members.len());
            items.extend(members.into_iter().map(|(at, is_open)| {
                if is_open { with_filter(arena, object(at), wanted) } else { object(at) }
            }));
            return (Value::tuple(arena, items.into_bump_slice()), selection.is_marked);
        }
        for one in opened {
            self.leave_open(one);
        }
        self.is_more_open |= selection.open_count > selection.open.len();
        let refinement = Refinement {
            not_null: true,
            min_len: selection.definite.len(),
            max_len: selection.definite.len() + selection.open_count,
            ..Refinement::default()
        };
        let unknown = Unknown { ty: Type::List(arena.item(Type::Dynamic)), refinement };
        (Value::unknown(arena, unknown), selection.is_marked)
    }

    /// Returns the name of a call, which is equal for two calls only if these have equal results.
    fn call(&mut self, kind: &str, wanted: RequiredValues<'_, '_>) -> String {
        if let Some(text) = wanted.text() {
            return format!("{kind} {text}");
        }
        self.calls += 1;
        format!("{kind} #{}", self.calls)
    }

    /// Returns the members of a result in the order of the candidates, and which of them were open, if the membership of
    /// all of them is assumed.
    fn members(&self, selection: &ResourceSelection, opened: &[Open]) -> Option<Vec<(u32, bool)>> {
        let assumed = self.assumed.as_ref()?;
        if selection.open_count > selection.open.len() {
            return None;
        }
        let mut members: Vec<(u32, bool)> = selection.definite.iter().map(|at| (*at, false)).collect();
        for (at, one) in selection.open.iter().zip(opened) {
            let (_, is_in) = assumed.iter().find(|(known, _)| known == one)?;
            if *is_in {
                members.push((*at, true));
            }
        }
        members.sort_unstable();
        Some(members)
    }
}

/// Returns a member of a result with the values of the filter, which it has if it is a member.
fn with_filter<'a>(arena: &'a Arena, object: Value<'a>, wanted: RequiredValues<'_, 'a>) -> Value<'a> {
    let (Some(entries), RequiredValues::Equal(filter)) = (object.as_entries(), wanted) else { return object };
    let mut all = arena.list_with(entries.len());
    all.extend(entries.iter().map(|entry| {
        let value = find(filter, entry.name).map(|one| one.value);
        let value = value.filter(|value| value.is_wholly_known() && !entry.value.contains_marks());
        // With a schema, the attribute has a type that the filter may lack.
        let value = match (value, entry.value.view()) {
            (Some(value), View::Unknown(unknown)) => convert(arena, value, unknown.ty).ok(),
            _ => None,
        };
        Entry { value: value.unwrap_or(entry.value), ..*entry }
    }));
    Value::object(arena, all.into_bump_slice())
}

/// `getdatasource(type, config)`: the data whose attributes contain the configuration.
pub(super) fn get_data<'a>(arena: &'a Arena, args: &[Value<'a>]) -> Result<Value<'a>, CallError> {
    let [kind, config] = args else { return Err(CallError::new("a type and a configuration are required")) };
    let (kind, marks) = kind.unmark();
    let (config, more) = config.unmark_deep(arena);
    let marks = marks.union(arena, more);
    let unknown = |marks| Ok(Value::DYNAMIC.with_marks(arena, marks));
    let Some(kind) = kind.as_str() else { return unknown(marks) };
    let config = match config.view() {
        View::Unknown(_) | View::Null(_) => return unknown(marks),
        View::Object(entries) | View::Map(entries, _) => entries,
        _ => return Err(CallError::argument(1, "an object of attributes and their values is required")),
    };
    let found = Reach::current(|reach| {
        let candidates = reach.resources.data(kind);
        let selection = candidates.map(|all| all.select(RequiredValues::Equal(config))).unwrap_or_default();
        let marks = marks.union(arena, marks_of(arena, selection.is_marked));
        if let Some(attrs) =
            candidates.zip(selection.definite.first()).and_then(|(all, at)| all.attributes(*at))
        {
            return Ok(copy(arena, attrs).with_marks(arena, marks));
        }
        if selection.open_count == 0 && reach.resources.is_data_complete {
            let kind = if marks.is_empty() { format!(" of type {kind:?}") } else { String::new() };
            return Err(CallError::new(format!("there is no data{kind} with this configuration")));
        }
        if selection.open_count == 0 {
            reach.lack(if marks.is_empty() { format!("data of type {kind:?}") } else { "data".to_owned() });
        }
        unknown(marks)
    });
    found.unwrap_or_else(|| unknown(marks))
}

/// `gethttprequest(url, settings)`: nothing is requested, so the answer is unknown.
pub(super) fn get_http<'a>(arena: &'a Arena, url: Value<'a>) -> Value<'a> {
    let (url, marks) = url.unmark();
    let url = url.as_str().filter(|_| marks.is_empty()).unwrap_or("an address");
    // The address may have a password.
    let host = url.split("://").nth(1).unwrap_or(url);
    let host = host.split(['/', '?', '#']).next().unwrap_or(host);
    let host = host.rsplit('@').next().unwrap_or(host).to_owned();
    Reach::current(|reach| reach.lack(format!("the answer of {host}")));
    Value::DYNAMIC.with_marks(arena, marks)
}

/// Returns a value with the mark of sensitive values.
pub(super) fn marked(value: &OwnedValue) -> OwnedValue {
    let arena = Arena::new();
    OwnedValue::new(value.get().with_marks(&arena, sensitive(&arena)))
}
