//! `count` and `for_each`: the keys of the instances that they make.

use hclvm::value::{Arena, View, convert, identical};
use hclvm::{OwnedValue, Type, Value};
use smol_str::{SmolStr, format_smolstr};

use crate::names::object;

/// The key of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InstanceKey {
    /// That of something without `count` and `for_each`.
    None,
    Index(u64),
    Text(SmolStr),
    /// That of all instances, where it is not known how many there are.
    Unknown,
}

impl InstanceKey {
    /// Returns it as addresses have it.
    pub(super) fn suffix(&self) -> SmolStr {
        match self {
            Self::None => SmolStr::default(),
            Self::Index(index) => format_smolstr!("[{index}]"),
            Self::Text(key) => format_smolstr!("[{key:?}]"),
            Self::Unknown => SmolStr::new_static("[*]"),
        }
    }

    /// Returns it as a name of a path.
    pub(super) fn name(&self) -> Option<SmolStr> {
        match self {
            Self::None => None,
            Self::Index(index) => Some(format_smolstr!("{index}")),
            Self::Text(key) => Some(key.clone()),
            Self::Unknown => Some(SmolStr::new_static("*")),
        }
    }
}

/// An instance with what `each` or `count` is for it.
#[derive(Clone, Debug)]
pub(super) struct ExpandedInstance {
    pub(super) key: InstanceKey,
    pub(super) each: Option<OwnedValue>,
    pub(super) count: Option<OwnedValue>,
}

impl ExpandedInstance {
    /// The one of something without `count` and `for_each`.
    pub(super) const ONE: Self = Self { key: InstanceKey::None, each: None, count: None };

    /// Returns true if no expression can tell the instances apart.
    pub(super) fn is_identical(&self, other: &Self) -> bool {
        let judge = Arena::new();
        let same = |one: &Option<OwnedValue>, other: &Option<OwnedValue>| match (one, other) {
            (Some(one), Some(other)) => identical(&judge, one.get(), other.get()),
            (one, other) => one.is_none() && other.is_none(),
        };
        self.key == other.key && same(&self.each, &other.each) && same(&self.count, &other.count)
    }

    fn of_each(key: InstanceKey, name: Value<'_>, value: Value<'_>) -> Self {
        Self { key, each: Some(object([("key", name), ("value", value)])), count: None }
    }

    fn of_count(key: InstanceKey, index: Value<'_>) -> Self {
        Self { key, each: None, count: Some(object([("index", index)])) }
    }
}

/// The title and the sentence of a problem.
type Problem = (&'static str, String);

/// Maximum instances of one block. A plan with more would be unreadable.
const MOST: u64 = 10_000;

/// Returns the instances that a `count` makes.
///
/// # Errors
/// What is wrong with it.
pub(super) fn of_count(value: Value<'_>) -> Result<Vec<ExpandedInstance>, Problem> {
    const TITLE: &str = "Invalid count argument";
    let arena = Arena::new();
    let value = value.unmark().0;
    let number = convert(&arena, value, Type::Number)
        .map_err(|why| ("Incorrect value type", format!("`count` is a whole number: {why}.")))?;
    let shown = hclvm::show::line(value);
    match number.view() {
        View::Unknown(_) => {
            let index = Value::unknown_not_null(&arena, Type::Number);
            Ok(vec![ExpandedInstance::of_count(InstanceKey::Unknown, index)])
        }
        View::Number(_) => match number.as_i64().map(u64::try_from) {
            Some(Ok(count)) if count <= MOST => {
                let index = |index: u64| Value::int(i64::try_from(index).unwrap_or_default());
                Ok((0..count)
                    .map(|one| ExpandedInstance::of_count(InstanceKey::Index(one), index(one)))
                    .collect())
            }
            Some(Ok(count)) => {
                Err((TITLE, format!("`count` is {count}, where {MOST} instances are the most.")))
            }
            _ => Err((TITLE, format!("`count` is a whole number that is not negative, not {shown}."))),
        },
        _ => Err((TITLE, format!("`count` is a whole number, not {shown}."))),
    }
}

/// Returns the instances that a `for_each` makes.
///
/// # Errors
/// What is wrong with it.
pub(super) fn of_each(value: Value<'_>) -> Result<Vec<ExpandedInstance>, Problem> {
    const TITLE: &str = "Invalid for_each argument";
    const TITLE_OF_SETS: &str = "Invalid for_each set argument";
    let arena = Arena::new();
    if value.is_marked() {
        let detail =
            "The keys are shown in addresses, so that `for_each` cannot be a sensitive or ephemeral value.";
        return Err((TITLE, detail.to_owned()));
    }
    let unknown = || {
        let name = Value::unknown_not_null(&arena, Type::String);
        vec![ExpandedInstance::of_each(InstanceKey::Unknown, name, Value::DYNAMIC)]
    };
    let is_too_many = |count: usize| count as u64 > MOST;
    match value.view() {
        View::Unknown(unknown_value) => match unknown_value.ty {
            Type::Dynamic | Type::Map(_) | Type::Object(_) | Type::Set(Type::String | Type::Dynamic) => {
                Ok(unknown())
            }
            Type::Set(_) => Err((TITLE_OF_SETS, "The elements of the set are texts.".to_owned())),
            _ => Err((TITLE, "`for_each` is a map, an object or a set of texts.".to_owned())),
        },
        View::Map(entries, _) | View::Object(entries) => {
            if is_too_many(entries.len()) {
                return Err((TITLE, format!("There are more than {MOST} elements.")));
            }
            let of = |name: &str, value| {
                ExpandedInstance::of_each(InstanceKey::Text(name.into()), Value::text(&arena, name), value)
            };
            Ok(entries.iter().map(|entry| of(entry.name, entry.value)).collect())
        }
        View::Set(items, element) => {
            if is_too_many(items.len()) {
                return Err((TITLE, format!("There are more than {MOST} elements.")));
            }
            if !items.is_empty() && !matches!(element, Type::String | Type::Dynamic) {
                let detail = "The elements of the set are texts: convert it with `toset([for one in … : tostring(one)])`.";
                return Err((TITLE_OF_SETS, detail.to_owned()));
            }
            if items.iter().any(|item| !item.is_wholly_known()) {
                return Ok(unknown());
            }
            if items.iter().any(|item| item.is_null()) {
                return Err((TITLE_OF_SETS, "An element of the set is null, which is no key.".to_owned()));
            }
            let of = |item: &Value<'_>| {
                ExpandedInstance::of_each(
                    InstanceKey::Text(item.as_str().unwrap_or_default().into()),
                    *item,
                    *item,
                )
            };
            Ok(items.iter().map(of).collect())
        }
        _ => {
            let detail = format!(
                "`for_each` is a map, an object or a set of texts, not {}.",
                hclvm::show::line(value)
            );
            Err((TITLE, detail))
        }
    }
}

/// Puts the values of instances together: one, a tuple, or an object by key.
pub(super) fn combined(values: &[(InstanceKey, OwnedValue)], is_each: bool, is_counted: bool) -> OwnedValue {
    let arena = Arena::new();
    if values.iter().any(|(key, _)| *key == InstanceKey::Unknown) {
        return OwnedValue::new(Value::DYNAMIC);
    }
    if is_each {
        let named = values.iter().map(|(key, value)| match key {
            InstanceKey::Text(key) => (key.as_str(), value.get()),
            _ => ("", value.get()),
        });
        return object(named);
    }
    if is_counted {
        let items: Vec<Value<'_>> = values.iter().map(|(_, value)| value.get()).collect();
        return OwnedValue::new(Value::tuple(&arena, arena.slice(&items)));
    }
    values.first().map_or_else(|| OwnedValue::new(Value::DYNAMIC), |(_, value)| value.clone())
}
