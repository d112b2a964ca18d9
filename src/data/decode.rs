//! Values and files as host types, through serde.
//!
//! Use [`from_value`] for one result and [`Document::decode`](crate::Document::decode) for a whole
//! file, where [`Spanned`] fields also give positions. Without a Rust type for the data, read a
//! [`Value`] directly, print it with [`show`](crate::show), or describe the shape as a
//! [`Spec`](crate::spec::Spec).
//!
//! Decoding is the reverse of [`Ingest`](crate::ingest::Ingest), and as strict: it converts between
//! no types. Sequences are read from tuples, lists and sets; structs and maps from objects and maps;
//! enums from the name of a variant, or from an object with one attribute named after it; `None` and
//! `()` from null. Strings can be borrowed.

mod body;
mod entry;
mod name;
mod number;
mod same_as;
mod value;
mod values;
mod variant;

pub use body::Spanned;

use crate::limits::Limits;
use hclvm_vm::Value;
use serde::Deserialize;

use crate::data::show::Allowance;
use crate::diagnostics::error::Error;
use value::ValueDeserializer;

/// Deserializes a value. `T` may borrow strings from it.
///
/// ```
/// #[derive(serde::Deserialize, Debug, PartialEq)]
/// struct Server<'v> { name: &'v str, port: u16, #[serde(default)] tags: Vec<&'v str> }
///
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("x.hcl", r#"
///     good = [for n in ["a", "b"]: { name = n, port = 8000 + 80 }]
///     bad  = [{ name = "a", port = 80.5 }]
/// "#)?;
/// let (mut session, scope) = (engine.session(), document.scope());
/// let good = document.attribute("good").expect("good is defined").program()?;
/// let servers: Vec<Server> = hclvm::from_value(session.run(&good, &scope)?)?;
/// assert_eq!(servers[1], Server { name: "b", port: 8080, tags: vec![] });
///
/// let bad = document.attribute("bad").expect("bad is defined").program()?;
/// let error = hclvm::from_value::<Vec<Server>>(session.run(&bad, &scope)?).unwrap_err();
/// assert_eq!(error.to_string(), "[0].port: found the number 80.5, wanted a whole number from 0 to 65535");
/// # Ok::<(), hclvm::Error>(())
/// ```
///
/// An integer type accepts numbers that are exactly such an integer; a float type rounds to the nearest
/// float. A type that accepts anything gets a 64-bit integer if the number is one, else the nearest
/// float. With the feature `exact-json`, the types of `serde_json` get every number exactly.
///
/// # Errors
/// A value of another type, with its path; an unknown or marked value in a part that `T` reads; a
/// value nested deeper than 128 levels, or larger than 64 MiB if none of its parts were shared (see
/// [`from_value_within`]).
pub fn from_value<'v, T: Deserialize<'v>>(value: Value<'v>) -> Result<T, Error> {
    from_value_within(value, &Limits { value_depth: DEPTH, ..Limits::untrusted() })
}

/// The nesting allowed by default. `Deserialize` implementations recurse as deep, with stack frames
/// whose size this crate does not know.
const DEPTH: u16 = 128;

/// Like [`from_value`], for values as deep and as large as `limits` allow. Each level takes stack
/// space: 3 KiB and more in unoptimized builds.
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
