//! Values of the host as values of the language, built where they will live.
//!
//! | serde | value |
//! |---|---|
//! | unit, unit struct, `None` | null of unknown type |
//! | `Some(x)`, newtype struct | `x` |
//! | bool | bool |
//! | integer | number of 64-bit precision, or of the bits it needs |
//! | float | number of 53-bit precision; NaN is refused |
//! | number of `serde_json` | number of 512-bit precision, as its JSON text makes it |
//! | str, char | string in normal form C |
//! | sequence, tuple, tuple struct | tuple |
//! | map, struct | object; the last of equal names wins |
//! | unit variant | its name |
//! | other variant | object with the one attribute that is named as the variant |
//! | bytes | refused |
//!
//! Keys of maps may be strings, chars, integers and bools, all as their text.

mod aggregate;
pub(crate) mod json;
mod key;
mod object;
mod value_serializer;

use hclvm_vm::{Arena, Value};
use serde::Serialize;

use crate::diagnostics::error::Error;
use crate::run::projection::Read;
pub use json::JsonText;
pub use object::{Builder, HostObject, HostValue};

/// Something a host can give to a scope. Implemented for everything serde can serialize: sequences
/// become tuples, maps and structs become objects, enums are tagged by their variant's name.
///
/// ```
/// #[derive(serde::Serialize)]
/// struct Server { name: &'static str, ports: Vec<u16>, owner: Option<String> }
///
/// let engine = hclvm::Engine::standard();
/// let document = engine.parse("x.hcl", r#"x = "${server.name}:${server.ports[0]}""#)?;
/// let mut scope = document.scope();
/// scope.set("server", &Server { name: "a", ports: vec![80, 443], owner: None })?;
/// let program = document.attribute("x").expect("it is there").program()?;
/// assert_eq!(engine.session().run(&program, &scope)?.as_str(), Some("a:80"));
/// # Ok::<(), hclvm::Error>(())
/// ```
///
/// Values of the language itself are not serializable, for they may be unknown or marked; they
/// are set with [`Scope::set_value`](crate::Scope::set_value).
pub trait Ingest {
    /// Builds the value in `arena`.
    ///
    /// # Errors
    /// Bytes, NaN, keys of maps that are no texts, and nesting or memory beyond the limits of the
    /// arena. The message names the place, such as `servers[2].load`.
    fn ingest<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Error>;

    /// Builds as much of the value as is read; everything if nothing else is known.
    ///
    /// # Errors
    /// Those of [`Ingest::ingest`], but for parts that are not read.
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
