//! Types of values: primitives, collections of one element type, structures of many.
//!
//! A type is `Copy` and borrows its parts from an arena or from static memory, so
//! that asking for the type of a value never touches the heap.

pub(crate) mod convert;
mod relation;
pub(crate) mod set;
pub(crate) mod unify;

use std::fmt;

/// The type of a value, or a constraint on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type<'a> {
    /// Not known yet; as a constraint: any type.
    Dynamic,
    /// `true` and `false`.
    Bool,
    /// Numbers.
    Number,
    /// Unicode texts in normal form C.
    String,
    /// A sequence with elements of one type.
    List(&'a Type<'a>),
    /// Distinct elements of one type, without order of their own.
    Set(&'a Type<'a>),
    /// Values of one type by string key.
    Map(&'a Type<'a>),
    /// A sequence with a type for each element.
    Tuple(&'a [Type<'a>]),
    /// Named attributes with a type each, sorted by name.
    Object(&'a [AttributeType<'a>]),
    /// A host's own type, known by its name only.
    Capsule(&'a str),
}

/// An attribute of an object type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeType<'a> {
    /// The attribute's name.
    pub name: &'a str,
    /// Its type.
    pub ty: Type<'a>,
    /// Whether a conversion may leave it out. Only constraints have optional attributes.
    pub optional: bool,
}

impl<'a> Type<'a> {
    /// Bool, number or string.
    pub const fn is_primitive(self) -> bool {
        matches!(self, Self::Bool | Self::Number | Self::String)
    }

    /// List, set or map.
    pub const fn is_collection(self) -> bool {
        matches!(self, Self::List(_) | Self::Set(_) | Self::Map(_))
    }

    /// List, set or tuple.
    pub const fn is_sequence(self) -> bool {
        matches!(self, Self::List(_) | Self::Set(_) | Self::Tuple(_))
    }

    /// Whether values of this type can be iterated over.
    pub const fn is_iterable(self) -> bool {
        !matches!(self, Self::Dynamic | Self::Bool | Self::Number | Self::String | Self::Capsule(_))
    }

    /// Whether the type is `Dynamic`.
    pub const fn is_dynamic(self) -> bool {
        matches!(self, Self::Dynamic)
    }

    /// Whether `Dynamic` occurs anywhere inside.
    pub fn has_dynamic(self) -> bool {
        match self {
            Self::Dynamic => true,
            Self::Bool | Self::Number | Self::String | Self::Capsule(_) => false,
            Self::List(element) | Self::Set(element) | Self::Map(element) => element.has_dynamic(),
            Self::Tuple(elements) => elements.iter().any(|element| element.has_dynamic()),
            Self::Object(attributes) => attributes.iter().any(|attribute| attribute.ty.has_dynamic()),
        }
    }

    /// The element type of a list, set or map.
    pub const fn element(self) -> Option<Type<'a>> {
        match self {
            Self::List(element) | Self::Set(element) | Self::Map(element) => Some(*element),
            _ => None,
        }
    }

    /// The attribute called `name` of an object type.
    pub fn attribute(self, name: &str) -> Option<&'a AttributeType<'a>> {
        match self {
            Self::Object(attributes) => {
                attributes.binary_search_by(|a| a.name.cmp(name)).ok().and_then(|at| attributes.get(at))
            }
            _ => None,
        }
    }

    /// A short name for messages, for example `list of string` or `object`.
    pub fn friendly_name(self) -> FriendlyName<'a> {
        FriendlyName { ty: self, constraint: false }
    }

    /// Like [`Type::friendly_name`], but an element of any type reads `any single type`.
    pub fn constraint_name(self) -> FriendlyName<'a> {
        FriendlyName { ty: self, constraint: true }
    }
}

/// Shows a type by its short name.
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
