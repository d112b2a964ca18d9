//! An object that policies judge: a resource in one operation, a provider, the call of a module.

use hclvm::value::{Arena, Entry, find};
use hclvm::{OwnedValue, Value};

use super::{Operation, PolicyKind};

/// An object that policies judge.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) kind: PolicyKind,
    /// Its address: `module.site.aws_s3_bucket.logs[0]`.
    pub(super) address: String,
    /// The name that labels of policies select by: the type of a resource or provider, the source of a module.
    pub(super) name: String,
    /// `None` if it is no resource.
    pub(super) operation: Option<Operation>,
    pub(super) attrs: OwnedValue,
    pub(super) prior_attrs: OwnedValue,
    pub(super) meta: OwnedValue,
    /// True if no policy judges it although it is there.
    pub(super) skip: bool,
}

/// Returns a member of an object.
pub(super) fn member<'a>(value: Value<'a>, name: &str) -> Option<Value<'a>> {
    Some(find(value.as_entries()?, name)?.value)
}

/// Returns an object of names and values. Of two with one name the later one is kept.
pub(super) fn object_of<'a>(
    arena: &'a Arena,
    members: impl IntoIterator<Item = (&'a str, Value<'a>)>,
) -> Value<'a> {
    let members: std::collections::BTreeMap<&'a str, Value<'a>> = members.into_iter().collect();
    let mut entries = arena.list_with(members.len());
    entries.extend(members.into_iter().map(|(name, value)| Entry::new(name, value)));
    Value::object(arena, entries.into_bump_slice())
}

/// Returns an object with the attributes of another one, all of them null.
pub(super) fn nulls_of(object: Value<'_>) -> OwnedValue {
    let arena = Arena::new();
    let entries = object.unmark().0.as_entries().unwrap_or_default();
    OwnedValue::new(object_of(&arena, entries.iter().map(|entry| (arena.text(entry.name), Value::NULL))))
}
