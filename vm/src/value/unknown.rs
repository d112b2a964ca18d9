//! Unknown values: the type, and a refinement that restricts which values they may turn out to be.

use crate::memory::arena::Arena;
use crate::number::{NumberRef, Width};
use crate::types::Type;
use crate::value::{Value, View};

/// An unknown value.
#[derive(Clone, Copy, Debug)]
pub struct Unknown<'a> {
    /// Its type; `Dynamic` if that is unknown too.
    pub ty: Type<'a>,
    /// What else is known about it.
    pub refinement: Refinement<'a>,
}

/// A bound of an unknown number.
#[derive(Clone, Copy, Debug)]
pub struct NumberBound<'a> {
    /// The number that bounds.
    pub value: NumberRef<'a>,
    /// True if the unknown number may equal the bound.
    pub inclusive: bool,
}

/// What is known about an unknown value besides its type. The default is no restriction.
#[derive(Clone, Copy, Debug)]
pub struct Refinement<'a> {
    /// The value is not null.
    pub not_null: bool,
    /// The prefix of a string; empty if not known.
    pub prefix: &'a str,
    /// The lower bound of a number.
    pub min: Option<NumberBound<'a>>,
    /// The upper bound of a number.
    pub max: Option<NumberBound<'a>>,
    /// The least number of elements of a collection.
    pub min_len: usize,
    /// The greatest number of elements of a collection; `usize::MAX` if not known.
    pub max_len: usize,
    /// The place where the value will be known, such as `aws_vpc.main.id`; empty if it has none. Two unknown values of
    /// one origin are equal. It restricts nothing, and only copies of the value keep it.
    pub origin: &'a str,
}

impl Default for Refinement<'_> {
    fn default() -> Self {
        Self::NONE
    }
}

impl Refinement<'_> {
    /// No restriction.
    const NONE: Self = Self {
        not_null: false,
        prefix: "",
        min: None,
        max: None,
        min_len: 0,
        max_len: usize::MAX,
        origin: "",
    };

    /// Returns the refinement that excludes null and nothing else.
    pub const fn not_null() -> Self {
        Self { not_null: true, ..Self::NONE }
    }

    /// Returns true if the refinement restricts nothing.
    pub fn is_empty(&self) -> bool {
        !self.not_null
            && self.prefix.is_empty()
            && self.min.is_none()
            && self.max.is_none()
            && self.min_len == 0
            && self.max_len == usize::MAX
    }
}

impl Unknown<'static> {
    /// Returns the unknown value of a primitive type, which operators on unknown operands return. Not in an arena,
    /// so that these take no memory.
    pub(super) const fn of_primitive<const NOT_NULL: bool>(ty: Type<'_>) -> Option<&'static Self> {
        const fn one(ty: Type<'static>, not_null: bool) -> Unknown<'static> {
            Unknown { ty, refinement: if not_null { Refinement::not_null() } else { Refinement::NONE } }
        }
        Some(match ty {
            Type::Bool => const { &one(Type::Bool, NOT_NULL) },
            Type::Number => const { &one(Type::Number, NOT_NULL) },
            Type::String => const { &one(Type::String, NOT_NULL) },
            _ => return None,
        })
    }
}

impl<'a> Unknown<'a> {
    /// Returns true if both are one value, by their origin.
    pub fn is_one_with(self, other: Unknown<'_>) -> bool {
        let origin = self.refinement.origin;
        !origin.is_empty() && origin == other.refinement.origin
    }

    /// Returns the unknown value, or a known one if the refinement leaves exactly one: a number between
    /// equal inclusive bounds, an empty collection, a list of known length or a set of one element (with
    /// unknown elements). Strings stay unknown, and so do maps and larger sets.
    pub fn settle(self, arena: &'a Arena) -> Value<'a> {
        let known = &self.refinement;
        if !known.not_null {
            return Value::unknown(arena, self);
        }
        if let (Type::Number, Some(min), Some(max)) = (self.ty, known.min, known.max)
            && min.inclusive
            && max.inclusive
            && crate::number::equal(min.value, max.value)
        {
            return Value::number_ref(min.value);
        }
        if known.min_len == known.max_len && self.ty.is_collection() {
            match (self.ty, known.min_len) {
                (Type::List(element), 0) => return Value::list(arena, &[], *element),
                (Type::Set(element), 0) => return Value::set_of_ordered(arena, &[], *element),
                (Type::Map(element), 0) => return Value::map(arena, &[], *element),
                // A single element cannot be equal to another one.
                (Type::Set(element), 1) => {
                    return Value::set_of_ordered(
                        arena,
                        arena.slice(&[Value::unknown_of(arena, *element)]),
                        *element,
                    );
                }
                (Type::List(element), len) if arena.charge(len as u64) => {
                    let mut items = arena.list();
                    items.resize(len, Value::unknown_of(arena, *element));
                    return Value::list(arena, items.into_bump_slice(), *element);
                }
                _ => {}
            }
        }
        Value::unknown(arena, self)
    }
}

impl<'a> Value<'a> {
    /// Returns the value, refined to be not null. Known values and unknown values of unknown type are
    /// returned unchanged.
    pub fn refine_not_null(self, arena: &'a Arena) -> Self {
        let (inner, marks) = self.unmark();
        match inner.view() {
            View::Unknown(mut unknown) if !unknown.refinement.not_null => {
                unknown.refinement.not_null = true;
                unknown.settle(arena).with_marks(arena, marks)
            }
            _ => self,
        }
    }

    /// Returns the least and the greatest length this collection may have, which are equal if the length
    /// is known.
    pub fn length_range(self) -> (usize, usize) {
        match self.unmark().0.view() {
            View::Tuple(items) | View::List(items, _) => (items.len(), items.len()),
            View::Set(items, _) if self.is_wholly_known() => (items.len(), items.len()),
            View::Set(items, _) => (usize::from(!items.is_empty()), items.len()),
            View::Object(entries) | View::Map(entries, _) => (entries.len(), entries.len()),
            View::Unknown(unknown) => match unknown.ty {
                Type::Tuple(items) => (items.len(), items.len()),
                Type::Object(attributes) => (attributes.len(), attributes.len()),
                _ => (unknown.refinement.min_len, unknown.refinement.max_len),
            },
            _ => (0, usize::MAX),
        }
    }

    /// Returns an unknown number within a range of lengths; a known one if the range has a single length.
    /// There always is an upper bound, `i64::MAX` at most.
    pub fn unknown_length(arena: &'a Arena, (min, max): (usize, usize)) -> Self {
        let bound = |len: usize| NumberBound {
            value: NumberRef::Int(i64::try_from(len).unwrap_or(i64::MAX), Width::Short),
            inclusive: true,
        };
        Unknown {
            ty: Type::Number,
            refinement: Refinement {
                not_null: true,
                min: Some(bound(min)),
                max: Some(bound(max)),
                ..Refinement::default()
            },
        }
        .settle(arena)
    }
}
