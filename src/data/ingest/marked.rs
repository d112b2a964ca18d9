//! [`Marked`]: a field of a host type whose value is marked when it is set.
//!
//! Every serializer would write the content of a wrapper, so only the one of this crate gets it: it opens the
//! wrapper before it asks for the content. Both happen on one thread, within one call.

use std::cell::Cell;
use std::fmt;

use hclvm_vm::{Value, marks_from};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::object::{Builder, HostValue};
use super::value_serializer::ValueSerializer;
use crate::data::path_error::PathError;
use crate::diagnostics::error::Error;

/// The name by which serializers of this crate know the wrapper.
pub(super) const NAME: &str = "$hclvm::ingest::Marked";

/// A value that is marked when it is set as a variable or as a part of one, so that neither it nor what is computed from
/// it is in any report.
///
/// ```
/// use hclvm::ingest::Marked;
///
/// #[derive(serde::Serialize)]
/// struct User { name: String, token: Marked<String> }
///
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("x.hcl", "header = \"Bearer ${user.token}\"\nwrong = user.token + user.nam")?;
/// let mut scope = document.scope();
/// let user = User { name: "ann".into(), token: Marked::sensitive("t-17".into()) };
/// scope.set("user", &user)?;
/// let mut session = engine.session();
/// let header = document.attribute("header").expect("it is there").program()?;
/// assert!(session.run(&header, &scope)?.is_marked());
/// let wrong = document.attribute("wrong").expect("it is there").program()?;
/// let error = session.run(&wrong, &scope).unwrap_err();
/// assert!(!format!("{error:?}").contains("t-17"));
///
/// // Nor do others get it.
/// assert_eq!(format!("{:?}", user.token), r#"Marked { marks: ["sensitive"], .. }"#);
/// let json = serde_json::to_string(&user).expect("it has JSON");
/// assert_eq!(json, r#"{"name":"ann","token":{"$marked":["sensitive"]}}"#);
/// # Ok::<(), hclvm::Error>(())
/// ```
///
/// Serializers of other crates and `Debug` write the marks instead of the value. A type that is deserialized gets the mark
/// `sensitive`.
#[derive(Clone)]
pub struct Marked<T> {
    value: T,
    marks: &'static [&'static str],
}

impl<T> Marked<T> {
    /// Marks a value as `sensitive`.
    pub const fn sensitive(value: T) -> Self {
        Self { value, marks: &["sensitive"] }
    }

    /// Marks a value with these marks.
    pub const fn new(value: T, marks: &'static [&'static str]) -> Self {
        Self { value, marks }
    }

    /// Returns the value, which is to be kept secret.
    pub const fn expose(&self) -> &T {
        &self.value
    }

    /// Returns the value, which is to be kept secret.
    pub fn into_exposed(self) -> T {
        self.value
    }

    /// Returns its marks.
    pub const fn marks(&self) -> &'static [&'static str] {
        self.marks
    }
}

impl<T> fmt::Debug for Marked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marked").field("marks", &self.marks).finish_non_exhaustive()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Marked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::sensitive)
    }
}

impl<T: Serialize> Serialize for Marked<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, &WrapperContent(self))
    }
}

impl<T: HostValue> HostValue for Marked<T> {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        Ok(self.value.build(to)?.with_marks(to.arena(), marks_from(to.arena(), self.marks)))
    }
}

/// The content of a wrapper: its value if the wrapper was opened, else its marks.
struct WrapperContent<'m, T>(&'m Marked<T>);

impl<T: Serialize> Serialize for WrapperContent<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Marked { value, marks } = self.0;
        if matches!(STATE.replace(WrapperState::Closed), WrapperState::Open) {
            let written = value.serialize(serializer);
            STATE.set(WrapperState::Written(marks));
            return written;
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("$marked", marks)?;
        map.end()
    }
}

/// The state of the wrapper that the thread serializes.
#[derive(Clone, Copy, Debug)]
enum WrapperState {
    Closed,
    /// The serializer of this crate asks for the content.
    Open,
    /// The content was written; its marks follow.
    Written(&'static [&'static str]),
}

thread_local! {
    static STATE: Cell<WrapperState> = const { Cell::new(WrapperState::Closed) };
}

/// Closes the wrapper, also if the content panics.
struct Opened;

impl Drop for Opened {
    fn drop(&mut self) {
        STATE.set(WrapperState::Closed);
    }
}

/// Builds the value of a wrapper, given its content.
pub(super) fn build<'a, T: Serialize + ?Sized>(
    to: ValueSerializer<'a, '_>,
    content: &T,
) -> Result<Value<'a>, PathError> {
    let _closes = Opened;
    STATE.set(WrapperState::Open);
    let value = to.take(content)?;
    Ok(match STATE.get() {
        WrapperState::Written(marks) => value.with_marks(to.arena(), marks_from(to.arena(), marks)),
        // A type of another crate with the same name.
        WrapperState::Open | WrapperState::Closed => value,
    })
}
