//! Defaults of optional attributes: the values that a type constraint supplies for missing attributes.
//!
//! ```text
//! list(object({a = string, b = optional(number, 3)}))     every element: { b = 3 }
//! ```
//! They are applied before the value is converted to the type. A list whose elements then have
//! different types becomes a tuple, and a map an object, until the conversion.

use std::collections::BTreeMap;

use hclvm_vm::{
    Arena, ArenaVec, Entry, Mismatch, OwnedValue, Safety, Type, Value, View, convert, copy, set_from,
    unify_all,
};
use smol_str::SmolStr;

/// Defaults for the values of one type. They own their memory and nest like the type.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// Values for attributes that are missing or null.
    values: BTreeMap<SmolStr, OwnedValue>,
    /// Defaults for the parts of the value.
    children: Children,
}

/// Defaults for the parts of a value.
#[derive(Clone, Debug)]
pub(super) enum Children {
    /// Defaults for every element of a list, set or map.
    Elements(Box<Defaults>),
    /// Defaults for the elements of a tuple, by position.
    Items(BTreeMap<usize, Defaults>),
    /// Defaults for the attributes of an object, by name.
    Attributes(BTreeMap<SmolStr, Defaults>),
}

impl Children {
    fn is_empty(&self) -> bool {
        match self {
            Self::Elements(_) => false,
            Self::Items(items) => items.is_empty(),
            Self::Attributes(attributes) => attributes.is_empty(),
        }
    }

    fn item(&self, at: usize) -> Option<&Defaults> {
        match self {
            Self::Elements(element) => Some(element),
            Self::Items(items) => items.get(&at),
            Self::Attributes(_) => None,
        }
    }

    fn attribute(&self, name: &str) -> Option<&Defaults> {
        match self {
            Self::Elements(element) => Some(element),
            Self::Items(_) => None,
            Self::Attributes(attributes) => attributes.get(name),
        }
    }
}

impl Defaults {
    /// Creates defaults, or `None` if there are none.
    pub(super) fn new(values: BTreeMap<SmolStr, OwnedValue>, children: Children) -> Option<Self> {
        (!values.is_empty() || !children.is_empty()).then_some(Self { values, children })
    }

    /// Creates defaults for every element of a collection.
    pub(super) fn of_elements(element: Self) -> Self {
        Self { values: BTreeMap::new(), children: Children::Elements(Box::new(element)) }
    }

    /// Returns `value` with defaults for missing or null attributes. Values that are null or unknown as a
    /// whole, or that do not have the shape of the type, are returned unchanged.
    pub fn apply<'a>(&self, arena: &'a Arena, value: Value<'a>) -> Value<'a> {
        let (plain, marks) = value.unmark();
        if !arena.charge(1) {
            return value;
        }
        let applied = match plain.view() {
            View::Tuple(items) => Value::tuple(arena, self.items(arena, items)),
            View::List(items, element) if !items.is_empty() => {
                let applied = self.items(arena, items);
                match unified(arena, applied.iter().copied(), element) {
                    Some((items, element)) => Value::list(arena, items, element),
                    None => Value::tuple(arena, applied),
                }
            }
            View::Set(items, element) if !items.is_empty() => {
                let applied = self.items(arena, items);
                match unified(arena, applied.iter().copied(), element) {
                    Some((items, element)) => set_from(arena, items, element),
                    None => Value::tuple(arena, applied),
                }
            }
            View::Object(entries) => Value::object(arena, self.entries(arena, entries)),
            View::Map(entries, element) => self.map(arena, entries, element),
            _ => return value,
        };
        applied.with_marks(arena, marks)
    }

    fn items<'a>(&self, arena: &'a Arena, items: &[Value<'a>]) -> &'a [Value<'a>] {
        let mut applied = arena.list();
        applied.extend(items.iter().enumerate().map(|(at, item)| match self.children.item(at) {
            Some(defaults) => defaults.apply(arena, *item),
            None => *item,
        }));
        applied.into_bump_slice()
    }

    fn map<'a>(&self, arena: &'a Arena, entries: &[Entry<'a>], element: Type<'a>) -> Value<'a> {
        let applied = self.entries(arena, entries);
        if applied.is_empty() {
            return Value::map(arena, applied, element);
        }
        let Some((values, element)) = unified(arena, applied.iter().map(|entry| entry.value), element) else {
            return Value::object(arena, applied);
        };
        let mut entries = arena.list();
        entries.extend(applied.iter().zip(values).map(|(entry, value)| Entry { value: *value, ..*entry }));
        Value::map(arena, entries.into_bump_slice(), element)
    }

    /// Returns the entries with defaults applied, and defaults for missing or null ones, sorted by name.
    fn entries<'a>(&self, arena: &'a Arena, entries: &[Entry<'a>]) -> &'a [Entry<'a>] {
        let mut applied: ArenaVec<'a, Entry<'a>> = arena.list();
        applied.extend(entries.iter().filter(|entry| !self.replaces(entry)).map(|entry| {
            match self.children.attribute(entry.name) {
                Some(defaults) => Entry { value: defaults.apply(arena, entry.value), ..*entry },
                None => *entry,
            }
        }));
        let kept = applied.len();
        for (name, default) in &self.values {
            if applied[..kept].binary_search_by(|entry| entry.name.cmp(name)).is_err() {
                let default = copy(arena, default.get());
                let value = match self.children.attribute(name) {
                    Some(defaults) => defaults.apply(arena, default),
                    None => default,
                };
                applied.push(Entry::new(arena.text(name), value));
            }
        }
        applied.sort_unstable_by_key(|entry| entry.name);
        applied.into_bump_slice()
    }

    /// Returns true if a default replaces this entry.
    fn replaces(&self, entry: &Entry<'_>) -> bool {
        entry.value.is_null() && self.values.contains_key(entry.name)
    }
}

/// Converts values to their common type; `None` if there is none.
fn unified<'a>(
    arena: &'a Arena,
    values: impl Iterator<Item = Value<'a>> + Clone,
    element: Type<'a>,
) -> Option<(&'a [Value<'a>], Type<'a>)> {
    let mut types = arena.list();
    types.extend(values.clone().map(|value| value.type_of(arena)));
    if types.iter().all(|ty| ty.same(arena, element)) {
        let mut same = arena.list();
        same.extend(values);
        return Some((same.into_bump_slice(), element));
    }
    let unified = unify_all(arena, &types, Safety::Unsafe).filter(|unified| !unified.open)?;
    let mut converted = arena.list();
    for value in values {
        converted.push(convert(arena, value, unified.ty).ok()?);
    }
    Some((converted.into_bump_slice(), unified.ty))
}

/// Applies `defaults` to `value` and converts the result to the type `ty`.
///
/// # Errors
/// The reason why the value does not fit the type.
pub fn convert_with_defaults<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    ty: Type<'a>,
    defaults: Option<&Defaults>,
) -> Result<Value<'a>, Mismatch<'a>> {
    let value = defaults.map_or(value, |defaults| defaults.apply(arena, value));
    convert(arena, value, ty)
}
