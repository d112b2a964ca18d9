//! Bodies as host types: attributes and blocks become fields. Deserializers of values are in the other
//! files of `decode`.
//!
//! ```text
//! field            from an attribute          from blocks of that type
//! T                its value                  the only block
//! Option<T>        None if missing or null    None if missing
//! Vec<T>           a sequence                 each block, in order
//! BTreeMap<_, T>   an object or map           by first label, nested maps by the next labels;
//!                                             without labels, the attributes of the only block
//! enum             as in values               the label names the variant: backend "s3" { … }
//! Spanned<T>       range of the expression    range of the header
//! ```
//!
//! In the struct of a block, the field `$label` is the label (`$label2` the second, and so on) and
//! `$labels` all of them. A label that is the key of a map is not repeated.
//!
//! All deserializers of a document share one context. Recursion is bounded by the nesting of the file
//! and of the type.

mod attribute;
mod block;
mod context;
mod failure;
mod fields;
mod group;
mod location;
mod spanned;
mod stand_in;

use crate::limits::Limits;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use spanned::Spanned;

use crate::data::show::Allowance;
use crate::diagnostics::error::Error;
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::syntax::document::Document;
use block::DocumentDeserializer;
use context::DecodeContext;

impl Session {
    /// Like [`Document::decode`], but reuses this session's memory; `T` may borrow strings from it.
    ///
    /// # Errors
    /// See [`Document::decode`].
    pub fn decode<'s, T: Deserialize<'s>>(
        &'s mut self,
        document: &'s Document,
        scope: &'s Scope,
    ) -> Result<T, Error> {
        let limits: &Limits = &document.engine().settings().limits;
        let context = DecodeContext::new(self.expand(document, scope)?, Allowance::new(limits));
        context.read(document, |context| T::deserialize(DocumentDeserializer::new(context)))
    }
}

impl Document {
    /// Deserializes the document, with its `locals` and expressions evaluated and its `dynamic` blocks expanded.
    ///
    /// A field is the attribute of its name, or the blocks of its type: one block for a struct, any
    /// number for a `Vec`, at most one for an `Option`, by label for a map. The field `$label` is the
    /// label of a block, `$label2` the second, `$labels` all of them. For an enum, the label names the
    /// variant. `Vec`s and maps that may be missing need `#[serde(default)]`, as always with serde.
    /// [`Spanned`] adds the position.
    ///
    /// The attributes of `locals` blocks are values of the variable `local`, as in a [`Module`](crate::Module), and no
    /// field is read from these blocks. A struct with a field `locals` takes them over: they are blocks like others
    /// then, and `local` is a variable of the scope. A struct with flattened fields is a map for serde, whose fields
    /// are not known, and cannot. A document for [another layout](Document::for_layout) needs the name `local` in it.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Config { region: String, #[serde(default)] service: Vec<Service>, user: BTreeMap<String, User> }
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Service { #[serde(rename = "$label")] name: String, port: Option<u16> }
    ///
    /// #[derive(serde::Deserialize)]
    /// struct User { admin: bool }
    ///
    /// let engine = hclvm::Engine::new();
    /// let document = engine.parse("app.hcl", r#"
    ///     locals { base = 8000 }
    ///     region = "${continent}-1"
    ///     service "web" { port = local.base + 80 }
    ///     service "db" {}
    ///     user "ann" { admin = true }
    /// "#)?;
    /// let mut scope = document.scope();
    /// scope.set("continent", "eu")?;
    /// let config: Config = document.decode(&scope)?;
    /// assert_eq!((config.region.as_str(), config.service[0].port), ("eu-1", Some(8080)));
    /// assert_eq!((config.service[1].name.as_str(), config.user["ann"].admin), ("db", true));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Arguments and blocks without a field, with the nearest name; missing fields; too many or too
    /// few labels; several blocks for a struct; expressions that fail, and values that do not fit their
    /// field, at the attribute.
    pub fn decode<T: DeserializeOwned>(&self, scope: &Scope) -> Result<T, Error> {
        self.engine().session().decode(self, scope)
    }
}
