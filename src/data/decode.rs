//! Results as types of the host, through serde, borrowing texts from where they live.
//!
//! The reverse of [`Ingest`](crate::ingest::Ingest), and as strict: nothing is converted. Sequences come
//! from tuples, lists and sets; structs and maps from objects and maps; enums from the name of a
//! variant or an object with one attribute named so; `None` and `()` from null.

mod body;
mod entry;
mod name;
mod number;
mod value;
mod variant;

pub use body::Spanned;

use crate::limits::Limits;
use hclvm_vm::Value;
use serde::Deserialize;

use crate::data::show::Allowance;
use crate::diagnostics::error::Error;
use value::ValueDeserializer;

/// A result as a type of the host. Texts are borrowed where `T` borrows them.
///
/// ```
/// #[derive(serde::Deserialize, Debug, PartialEq)]
/// struct Server<'v> { name: &'v str, port: u16, #[serde(default)] tags: Vec<&'v str> }
///
/// let engine = hclvm::Engine::standard();
/// let document = engine.parse("x.hcl", r#"
///     good = [for n in ["a", "b"]: { name = n, port = 8000 + 80 }]
///     bad  = [{ name = "a", port = 80.5 }]
/// "#)?;
/// let (mut session, scope) = (engine.session(), document.scope());
/// let good = document.attribute("good").expect("it is there").program()?;
/// let servers: Vec<Server> = hclvm::from_value(session.run(&good, &scope)?)?;
/// assert_eq!(servers[1], Server { name: "b", port: 8080, tags: vec![] });
///
/// let bad = document.attribute("bad").expect("it is there").program()?;
/// let error = hclvm::from_value::<Vec<Server>>(session.run(&bad, &scope)?).unwrap_err();
/// assert_eq!(error.to_string(), "[0].port: found the number 80.5, wanted u16");
/// # Ok::<(), hclvm::Error>(())
/// ```
///
/// Integer types take numbers that are exactly such an integer; float types take the nearest
/// float. Types that take anything get an integer of 64 bits where the number is one, else the
/// nearest float. With the feature `exact-json` those of `serde_json` get every number exactly.
///
/// # Errors
/// What was found, what was wanted and where; a value that is unknown or marked where `T` looks
/// at it; and a value deeper than 128 levels, or that would take more than 64 MiB if none of its
/// parts were shared (see [`from_value_within`]).
pub fn from_value<'v, T: Deserialize<'v>>(value: Value<'v>) -> Result<T, Error> {
    from_value_within(value, &Limits { value_depth: DEPTH, ..Limits::untrusted() })
}

/// How deep a value may be if nothing else is said. What deserializes it recurses as deep, with
/// frames whose size this crate does not know.
const DEPTH: u16 = 128;

/// Like [`from_value`], for values as deep and as large as `limits` allow. Each level takes stack:
/// in unoptimized builds 3 KiB and more.
///
/// # Errors
/// As [`from_value`].
pub fn from_value_within<'v, T: Deserialize<'v>>(value: Value<'v>, limits: &Limits) -> Result<T, Error> {
    let (depth, limit) = (value.depth(), limits.value_depth);
    if depth > usize::from(limit) {
        return Err(Error::value(format!("the value is {depth} levels deep, more than the {limit} allowed")));
    }
    let allowance = Allowance::new(limits);
    Ok(T::deserialize(ValueDeserializer::new(value, &allowance))?)
}

/// Methods that do the same as another one.
macro_rules! same_as {
    ($life:lifetime; $($method:ident => $same:ident),* $(,)?) => {$(
        fn $method<V: serde::de::Visitor<$life>>(self, visitor: V) -> Result<V::Value, crate::data::path_error::PathError> {
            self.$same(visitor)
        }
    )*};
}
use same_as;
