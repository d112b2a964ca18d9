//! How `serde_json` hands over what JSON holds and serde's data model does not: numbers as their
//! text, and JSON inside of other data.
//!
//! With its feature `arbitrary_precision`, which our feature `exact-json` turns on, a number travels
//! as a struct of one field, struct and field both called [`NUMBER`]. Only `serde_json` and this
//! crate give these names a meaning; to anybody else such a struct would look like data. Without
//! the feature `serde_json` has numbers of 64 bits: integers and floats.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The name under which `serde_json` hands over a number as text.
pub(crate) const NUMBER: &str = "$serde_json::private::Number";
/// The name under which `serde_json` hands over a text that is JSON itself.
pub(crate) const RAW: &str = "$serde_json::private::RawValue";

/// Whose serializer or visitor somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Party {
    /// Takes numbers as their text: the one of [`Ingest`](crate::ingest::Ingest), or of a `serde_json` with
    /// numbers of any size.
    Exact,
    /// Of a `serde_json` with numbers of 64 bits: takes the nearest float, as it would read it.
    Nearest,
    /// Knows nothing of JSON.
    Other,
}

impl Party {
    /// Whose `T` is, or what it wraps. There is no other sign of it than the name of the type.
    pub(crate) fn of<T>() -> Self {
        let name = std::any::type_name::<T>();
        match name.contains("serde_json::") {
            _ if name.contains("hclvm::ingest::") => Self::Exact,
            true if cfg!(feature = "exact-json") => Self::Exact,
            true => Self::Nearest,
            false => Self::Other,
        }
    }
}

/// Whether values of the type `T`, or behind that pointer, come from `serde_json`, whose numbers
/// are those of a text.
#[inline]
pub(crate) fn is_json<T: ?Sized>() -> bool {
    const POINTERS: [&str; 5] = ["&", "mut ", "alloc::boxed::Box<", "alloc::sync::Arc<", "alloc::rc::Rc<"];
    let mut name = std::any::type_name::<T>();
    while let Some(inner) = POINTERS.iter().find_map(|pointer| name.strip_prefix(pointer)) {
        name = inner;
    }
    name.starts_with("serde_json::")
}

/// A number for `serde_json`, exactly as its text. Not for other formats.
pub(crate) struct NumberText<'t>(pub(crate) &'t str);

impl Serialize for NumberText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut number = serializer.serialize_struct(NUMBER, 1)?;
        number.serialize_field(NUMBER, self.0)?;
        number.end()
    }
}
