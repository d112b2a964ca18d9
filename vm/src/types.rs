//! Types of values: primitives, collections of one element type, structures of several types.
//!
//! A type is `Copy` and borrows its parts from an arena or from static memory, so determining the type of
//! a value never allocates on the heap. How types relate is in `relation`, how values change theirs in
//! [`convert`], and the common type of several values in [`unify`].

pub(crate) mod convert;
pub(crate) mod equality;
mod relation;
pub(crate) mod set;
pub(crate) mod unify;

use std::fmt;

/// The type of a value, or a constraint on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type<'a> {
    /// Unknown; as a constraint, any type.
    Dynamic,
    /// `true` and `false`.
    Bool,
    /// Numbers.
    Number,
    /// Strings of Unicode text in normal form C.
    String,
    /// Sequences of elements of one type.
    List(&'a Type<'a>),
    /// Distinct elements of one type, in an order of the language's choice.
    Set(&'a Type<'a>),
    /// Values of one type by string key.
    Map(&'a Type<'a>),
    /// Sequences with a type for each element.
    Tuple(&'a [Type<'a>]),
    /// Named attributes, each with a type, sorted by name.
    Object(&'a [AttributeType<'a>]),
    /// A type of the host, identified by its name.
    Capsule(&'a str),
}

/// An attribute of an object type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeType<'a> {
    /// The attribute's name.
    pub name: &'a str,
    /// Its type.
    pub ty: Type<'a>,
    /// True if a conversion may omit the attribute. Only constraints have optional attributes.
    pub optional: bool,
}

impl<'a> Type<'a> {
    /// Returns true for bool, number and string.
    pub const fn is_primitive(self) -> bool {
        matches!(self, Self::Bool | Self::Number | Self::String)
    }

    /// Returns true for lists, sets and maps.
    pub const fn is_collection(self) -> bool {
        matches!(self, Self::List(_) | Self::Set(_) | Self::Map(_))
    }

    /// Returns true for lists, sets and tuples.
    pub const fn is_sequence(self) -> bool {
        matches!(self, Self::List(_) | Self::Set(_) | Self::Tuple(_))
    }

    /// Returns true if values of this type can be iterated over.
    pub const fn is_iterable(self) -> bool {
        !matches!(self, Self::Dynamic | Self::Bool | Self::Number | Self::String | Self::Capsule(_))
    }

    /// Returns true for `Dynamic`.
    pub const fn is_dynamic(self) -> bool {
        matches!(self, Self::Dynamic)
    }

    /// Returns true if `Dynamic` occurs anywhere in the type.
    pub fn has_dynamic(self) -> bool {
        match self {
            Self::Dynamic => true,
            Self::Bool | Self::Number | Self::String | Self::Capsule(_) => false,
            Self::List(element) | Self::Set(element) | Self::Map(element) => element.has_dynamic(),
            Self::Tuple(elements) => elements.iter().any(|element| element.has_dynamic()),
            Self::Object(attributes) => attributes.iter().any(|attribute| attribute.ty.has_dynamic()),
        }
    }

    /// Returns the element type of a list, set or map.
    pub const fn element(self) -> Option<Type<'a>> {
        match self {
            Self::List(element) | Self::Set(element) | Self::Map(element) => Some(*element),
            _ => None,
        }
    }

    /// Returns the attribute called `name` of an object type.
    pub fn attribute(self, name: &str) -> Option<&'a AttributeType<'a>> {
        match self {
            Self::Object(attributes) => {
                attributes.binary_search_by(|a| a.name.cmp(name)).ok().and_then(|at| attributes.get(at))
            }
            _ => None,
        }
    }

    /// Returns a short name for messages, for example `list of string` or `object`.
    pub fn friendly_name(self) -> FriendlyName<'a> {
        FriendlyName { ty: self, constraint: false }
    }

    /// Returns a short name like [`Type::friendly_name`], in which an element of any type reads `any
    /// single type`.
    pub fn constraint_name(self) -> FriendlyName<'a> {
        FriendlyName { ty: self, constraint: true }
    }
}

/// Displays a type by its short name.
#[derive(Clone, Copy, Debug)]
pub struct FriendlyName<'a> {
    ty: Type<'a>,
    constraint: bool,
}

impl fmt::Display for FriendlyName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ty = self.ty;
        loop {
            let (prefix, element) = match ty {
                Type::Dynamic if self.constraint => return f.write_str("any single type"),
                Type::Dynamic => return f.write_str("dynamic"),
                Type::Bool => return f.write_str("bool"),
                Type::Number => return f.write_str("number"),
                Type::String => return f.write_str("string"),
                Type::Tuple(_) => return f.write_str("tuple"),
                Type::Object(_) => return f.write_str("object"),
                Type::Capsule(name) => return f.write_str(name),
                Type::List(element) => ("list of ", element),
                Type::Set(element) => ("set of ", element),
                Type::Map(element) => ("map of ", element),
            };
            f.write_str(prefix)?;
            ty = *element;
        }
    }
}
