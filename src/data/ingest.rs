//! Host types as values: what [`Scope::set`](crate::Scope::set) and
//! [`Scope::set_object`](crate::Scope::set_object) accept.
//!
//! A type that implements `Serialize` needs nothing from this module. Implement [`HostObject`], or
//! [`record!`](crate::record) for structs, if a type has attributes that are expensive to compute and
//! rarely read: programs then get only the attributes they may read. Use [`JsonText`] for input
//! that is JSON already, and [`Marked`] for fields that are secret. To call Rust from a program instead of passing data, see
//! [`host`](crate::host).
//!
//! # Types
//!
//! | serde | value |
//! |---|---|
//! | unit, unit struct, `None` | null of unknown type |
//! | `Some(x)`, newtype struct | `x` |
//! | bool | bool |
//! | integer | number of 64-bit precision, or of the bits it needs |
//! | float | number of 53-bit precision; NaN is an error |
//! | number of `serde_json` | number of 512-bit precision, as parsed from its JSON text |
//! | str, char | string in normal form C |
//! | sequence, tuple, tuple struct | tuple |
//! | map, struct | object; the last of equal names wins |
//! | unit variant | string: its name |
//! | other variant | object with one attribute, named after the variant |
//! | bytes | an error |
//!
//! Map keys may be strings, chars, integers and bools; they become strings.

mod aggregate;
pub(crate) mod json;
mod key;
mod marked;
mod object;
mod serialize;
mod struct_shape;
mod value_serializer;

use hclvm_vm::{Arena, Value};
use serde::Serialize;

use crate::diagnostics::error::Error;
use crate::run::projection::Read;
pub use json::JsonText;
pub use marked::Marked;
pub use object::{Builder, HostObject, HostValue};

/// A type that can be set as a variable. Implemented for every type that implements `Serialize`:
/// sequences become tuples, maps and structs become objects, and enums are tagged with the name of
/// their variant.
///
/// ```
/// #[derive(serde::Serialize)]
/// struct Server { name: &'static str, ports: Vec<u16>, owner: Option<String> }
///
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("x.hcl", r#"x = "${server.name}:${server.ports[0]}""#)?;
/// let mut scope = document.scope();
/// scope.set("server", &Server { name: "a", ports: vec![80, 443], owner: None })?;
/// let program = document.attribute("x").expect("x is defined").program()?;
/// assert_eq!(engine.session().run(&program, &scope)?.as_str(), Some("a:80"));
/// # Ok::<(), hclvm::Error>(())
/// ```
///
/// [`Value`] itself does not implement `Serialize`, because it may be unknown or marked; set it with
/// [`Scope::set_value`](crate::Scope::set_value).
pub trait Ingest {
    /// Builds the value in `arena`.
    ///
    /// # Errors
    /// Bytes, NaN, map keys other than strings, chars, integers and bools, and nesting or memory beyond
    /// the limits of the arena. The message starts with the path, such as `servers[2].load`.
    fn ingest<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Error>;

    /// Builds the parts of the value that programs read. The default builds all of it.
    ///
    /// # Errors
    /// The errors of [`Ingest::ingest`], except for parts that are not read.
    fn ingest_read<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        self.ingest(to.arena())
    }
}

impl<T: Serialize + ?Sized> Ingest for T {
    fn ingest<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Error> {
        Ok(value_serializer::ValueSerializer::new(arena, &Read::Whole).take(self)?)
    }

    fn ingest_read<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        to.serde(self)
    }
}
