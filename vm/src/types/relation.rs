//! Relations between types and values: equal, conforming, without optional attributes.
//!
//! Types may share parts, so a small program can build a type with exponentially many paths. Each part
//! that is visited is charged; after the budget is exhausted the answers are `false` and meaningless.

use super::{AttributeType, Type};
use crate::memory::arena::Arena;
use crate::value::{Entry, Value, View};

impl<'a> Type<'a> {
    /// Returns true if both are the same type, including which attributes are optional.
    pub fn same(self, arena: &Arena, other: Type<'_>) -> bool {
        if self.is_primitive() || self.is_dynamic() {
            return self == other;
        }
        arena.charge(1 + self.members() as u64)
            && match (self, other) {
                (Self::List(a), Type::List(b))
                | (Self::Set(a), Type::Set(b))
                | (Self::Map(a), Type::Map(b)) => a.same(arena, *b),
                (Self::Tuple(a), Type::Tuple(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(arena, *b))
                }
                (Self::Object(a), Type::Object(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(arena, b))
                }
                (Self::Capsule(a), Type::Capsule(b)) => a == b,
                _ => false,
            }
    }

    /// Returns the number of direct parts of the type.
    const fn members(self) -> usize {
        match self {
            Self::Tuple(types) => types.len(),
            Self::Object(attributes) => attributes.len(),
            _ => 0,
        }
    }

    /// Returns true if values of this type meet the constraint `want`, in which `Dynamic` admits any
    /// type.
    pub fn conforms(self, arena: &Arena, want: Type<'_>) -> bool {
        if want.is_dynamic() {
            return true;
        }
        if self.is_primitive() || self.is_dynamic() {
            return self == want;
        }
        arena.charge(1)
            && match (self, want) {
                (Self::List(a), Type::List(b))
                | (Self::Set(a), Type::Set(b))
                | (Self::Map(a), Type::Map(b)) => a.conforms(arena, *b),
                (Self::Tuple(a), Type::Tuple(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.conforms(arena, *b))
                }
                (Self::Object(a), Type::Object(b)) => {
                    a.len() == b.len()
                        && a.iter()
                            .zip(b)
                            .all(|(a, b)| arena.equal_texts(a.name, b.name) && a.ty.conforms(arena, b.ty))
                }
                (Self::Capsule(a), Type::Capsule(b)) => a == b,
                _ => false,
            }
    }

    /// Returns true if an attribute anywhere in the type is optional.
    pub fn has_optional(self, arena: &Arena) -> bool {
        self.any(arena, &|ty| match ty {
            Self::Object(attributes) => attributes.iter().any(|attribute| attribute.optional),
            _ => false,
        })
    }

    /// Returns true if `Dynamic` occurs anywhere in the type, like [`Type::has_dynamic`], but charges for
    /// the visit.
    pub fn mentions_dynamic(self, arena: &Arena) -> bool {
        self.any(arena, &|ty| ty.is_dynamic())
    }

    fn any(self, arena: &Arena, test: &impl Fn(Self) -> bool) -> bool {
        if test(self) {
            return true;
        }
        match self {
            Self::List(element) | Self::Set(element) | Self::Map(element) => {
                arena.charge(1) && element.any(arena, test)
            }
            Self::Tuple(elements) => {
                arena.charge(elements.len() as u64) && elements.iter().any(|element| element.any(arena, test))
            }
            Self::Object(attributes) => {
                arena.charge(attributes.len() as u64)
                    && attributes.iter().any(|attribute| attribute.ty.any(arena, test))
            }
            _ => false,
        }
    }

    /// Returns the type of the values that meet this constraint: all attributes are required, at any
    /// depth.
    pub fn without_optional(self, arena: &'a Arena) -> Self {
        if !self.has_optional(arena) || !arena.charge(1) {
            return self;
        }
        match self {
            Self::List(element) => Self::List(arena.item(element.without_optional(arena))),
            Self::Set(element) => Self::Set(arena.item(element.without_optional(arena))),
            Self::Map(element) => Self::Map(arena.item(element.without_optional(arena))),
            Self::Tuple(elements) => {
                let mut plain = arena.list();
                plain.extend(elements.iter().map(|element| element.without_optional(arena)));
                Self::Tuple(plain.into_bump_slice())
            }
            Self::Object(attributes) => {
                let mut plain = arena.list();
                plain.extend(attributes.iter().map(|attribute| AttributeType {
                    ty: attribute.ty.without_optional(arena),
                    optional: false,
                    ..*attribute
                }));
                Self::Object(plain.into_bump_slice())
            }
            other => other,
        }
    }
}

impl AttributeType<'_> {
    fn same(&self, arena: &Arena, other: &AttributeType<'_>) -> bool {
        arena.equal_texts(self.name, other.name)
            && self.optional == other.optional
            && self.ty.same(arena, other.ty)
    }
}

impl Value<'_> {
    /// Returns true if [`Value::type_of`] would be `ty`, without building that type.
    pub fn is_of_type(self, arena: &Arena, ty: Type<'_>) -> bool {
        match (self.view(), ty) {
            (View::Bool(_), Type::Bool)
            | (View::Number(_), Type::Number)
            | (View::String(_), Type::String)
            | (View::Unset, Type::Dynamic) => true,
            (View::Null(own), _) => own.same(arena, ty),
            (View::Unknown(unknown), _) => unknown.ty.same(arena, ty),
            (View::Marked(inner, _), _) => inner.is_of_type(arena, ty),
            (View::List(_, own), Type::List(want))
            | (View::Set(_, own), Type::Set(want))
            | (View::Map(_, own), Type::Map(want)) => own.same(arena, *want),
            (View::Tuple(items), Type::Tuple(want)) => {
                items.len() == want.len()
                    && arena.charge(items.len() as u64)
                    && items.iter().zip(want).all(|(item, ty)| item.is_of_type(arena, *ty))
            }
            (View::Object(entries), Type::Object(want)) => {
                entries.len() == want.len()
                    && arena.charge(entries.len() as u64)
                    && entries.iter().zip(want).all(|(entry, ty)| entry.is_of_type(arena, ty))
            }
            _ => false,
        }
    }

    /// Returns true if every collection in the value holds elements of its element type only.
    pub(super) fn holds_its_types(self, arena: &Arena) -> bool {
        arena.charge(1)
            && match self.unmark().0.view() {
                View::Tuple(items) => items.iter().all(|item| item.holds_its_types(arena)),
                View::Object(entries) => entries.iter().all(|entry| entry.value.holds_its_types(arena)),
                View::List(items, element) | View::Set(items, element) => {
                    items.iter().all(|item| item.is_of_type(arena, element) && item.holds_its_types(arena))
                }
                View::Map(entries, element) => entries
                    .iter()
                    .map(|entry| entry.value)
                    .all(|value| value.is_of_type(arena, element) && value.holds_its_types(arena)),
                _ => true,
            }
    }

    /// Returns true if both values have the same type, without building it.
    pub fn has_type_of(self, arena: &Arena, other: Value<'_>) -> bool {
        let (one, other) = (self.unmark().0, other.unmark().0);
        if let Some((a, b)) = tuples(one, other) {
            return a.len() == b.len()
                && arena.charge(a.len() as u64)
                && a.iter().zip(b).all(|(a, b)| a.same_primitive_type(*b) || a.has_type_of(arena, *b));
        }
        if let Some((a, b)) = objects(one, other) {
            return a.len() == b.len()
                && arena.charge(a.len() as u64)
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| arena.equal_texts(a.name, b.name) && a.value.has_type_of(arena, b.value));
        }
        one.has_simple_type_of(arena, other)
    }

    /// Separate from the functions that recurse over values, so that their frames stay small.
    fn has_simple_type_of(self, arena: &Arena, other: Value<'_>) -> bool {
        match (self.view(), other.view()) {
            (View::Null(ty), _) => other.is_of_type(arena, ty),
            (View::Unknown(unknown), _) => other.is_of_type(arena, unknown.ty),
            (_, View::Null(ty)) => self.is_of_type(arena, ty),
            (_, View::Unknown(unknown)) => self.is_of_type(arena, unknown.ty),
            (View::Bool(_), View::Bool(_))
            | (View::Number(_), View::Number(_))
            | (View::String(_), View::String(_))
            | (View::Unset, View::Unset) => true,
            (View::List(_, a), View::List(_, b))
            | (View::Set(_, a), View::Set(_, b))
            | (View::Map(_, a), View::Map(_, b)) => a.same(arena, b),
            _ => false,
        }
    }
}

/// Returns the elements of both values if both are tuples.
fn tuples<'a, 'b>(a: Value<'a>, b: Value<'b>) -> Option<(&'a [Value<'a>], &'b [Value<'b>])> {
    match (a.view(), b.view()) {
        (View::Tuple(a), View::Tuple(b)) => Some((a, b)),
        _ => None,
    }
}

/// Returns the entries of both values if both are objects.
fn objects<'a, 'b>(a: Value<'a>, b: Value<'b>) -> Option<(&'a [Entry<'a>], &'b [Entry<'b>])> {
    match (a.view(), b.view()) {
        (View::Object(a), View::Object(b)) => Some((a, b)),
        _ => None,
    }
}

impl Entry<'_> {
    fn is_of_type(&self, arena: &Arena, attribute: &AttributeType<'_>) -> bool {
        arena.equal_texts(self.name, attribute.name)
            && !attribute.optional
            && self.value.is_of_type(arena, attribute.ty)
    }
}
