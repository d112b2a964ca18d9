//! What `serde_json` passes through serde that serde's data model does not hold: numbers as text,
//! and JSON embedded in other data.
//!
//! With its feature `arbitrary_precision`, which the feature `exact-json` of this crate turns on,
//! `serde_json` passes a number as a struct with one field, both called [`NUMBER`]. Without the
//! feature its numbers are 64-bit integers and floats, indistinguishable from the host's own, so its
//! types are recognized by their [`TypeId`]. `typeid` provides the id of types that borrow; this is
//! the only file that names it.

use std::any::TypeId;
use std::rc::Rc;
use std::sync::Arc;

use ::serde_json::{Error, Map, Number, Value};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::data::path_error::PathError;

/// The name of the struct, and of its field, that holds a number as text.
pub(crate) const NUMBER: &str = "$serde_json::private::Number";
/// The name of the struct, and of its field, that holds JSON text.
pub(crate) const RAW: &str = "$serde_json::private::RawValue";

/// The form in which a serializer takes numbers that are not 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberForm {
    /// Text in a struct called [`NUMBER`], exactly.
    Text,
    /// The nearest float: the number that a `serde_json` without `arbitrary_precision` makes of the
    /// exact text.
    NearestFloat,
    /// A float if it is equal to the number, else a string.
    EqualOrString,
}

impl NumberForm {
    /// Returns the form for serializers with the error type `E`. Serializers are generic over their
    /// writer; their error type is not, so it identifies the crate they belong to.
    pub(crate) fn of_error<E>() -> Self {
        let id = typeid::of::<E>();
        if id == TypeId::of::<PathError>() {
            Self::Text
        } else if id == TypeId::of::<Error>() {
            if cfg!(feature = "exact-json") { Self::Text } else { Self::NearestFloat }
        } else {
            Self::EqualOrString
        }
    }
}

/// Returns true if `T` is deserialized from numbers as text: [`Value`] and [`Number`] of a
/// `serde_json` with `arbitrary_precision`.
pub(crate) fn takes_number_text<T>() -> bool {
    let id = typeid::of::<T>();
    cfg!(feature = "exact-json") && (id == TypeId::of::<Value>() || id == TypeId::of::<Number>())
}

/// Returns true if `T` is a JSON tree of `serde_json`, or a pointer to one. The numbers of such a
/// tree were read from text. At most two pointers are recognized: a `Serialize` implementation of a
/// pointer serializes its target without calling back here.
// All of it is inlined, so that it folds to a constant: without that, 108 comparisons for each value of the host.
// Not in debug builds, in which it does not fold and would enlarge the frames of a recursion.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_tree<T: ?Sized>() -> bool {
    let id = typeid::of::<T>();
    is_behind_pointers::<Value>(id)
        || is_behind_pointers::<Map<String, Value>>(id)
        || is_behind_pointers::<Number>(id)
}

/// Returns true if `id` is `J` behind at most two pointers.
// Inlined, as `is_tree`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_behind_pointers<J: 'static>(id: TypeId) -> bool {
    is_or_points_to::<J>(id)
        || is_or_points_to::<&'static J>(id)
        || is_or_points_to::<&'static mut J>(id)
        || is_or_points_to::<Box<J>>(id)
        || is_or_points_to::<Arc<J>>(id)
        || is_or_points_to::<Rc<J>>(id)
}

// Inlined, as `is_tree`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_or_points_to<J: 'static>(id: TypeId) -> bool {
    id == TypeId::of::<J>()
        || id == TypeId::of::<&'static J>()
        || id == TypeId::of::<&'static mut J>()
        || id == TypeId::of::<Box<J>>()
        || id == TypeId::of::<Arc<J>>()
        || id == TypeId::of::<Rc<J>>()
}

/// A number for `serde_json`, as its exact text. Other formats would show it as a struct.
pub(crate) struct NumberText<'t>(pub(crate) &'t str);

impl Serialize for NumberText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut number = serializer.serialize_struct(NUMBER, 1)?;
        number.serialize_field(NUMBER, self.0)?;
        number.end()
    }
}
