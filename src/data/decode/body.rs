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
mod failure;
mod fields;
mod group;
mod spanned;

use std::cell::RefCell;

use crate::limits::Limits;
use hclvm_vm::Diagnostic;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use spanned::Spanned;

use crate::data::show::Allowance;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::structure::expansion::Expansion;
use crate::syntax::document::Document;
use block::DocumentDeserializer;
use failure::BodyError;

/// The state that all deserializers of a document share.
#[derive(Debug)]
struct DecodeContext<'a> {
    expansion: RefCell<Expansion<'a>>,
    allowance: Allowance,
    /// Problems after which the rest is still read.
    problems: RefCell<Vec<Diagnostic>>,
}

impl DecodeContext<'_> {
    fn report(&self, problem: Diagnostic) {
        self.problems.borrow_mut().push(problem);
    }

    /// Fails if the expansion found problems with the body that was just read.
    fn check(&self) -> Result<(), BodyError> {
        let found = self.expansion.borrow_mut().problems.take();
        if found.is_empty() { Ok(()) } else { Err(BodyError::Diagnosed(found)) }
    }

    fn finish<T>(self, result: Result<T, BodyError>, document: &Document) -> Result<T, Error> {
        let mut problems = self.problems.into_inner();
        let value = match result {
            Ok(value) => Some(value),
            Err(BodyError::Ended(error)) => return Err(error),
            Err(error) => {
                problems.extend(error.into_diagnostics(document.body().span().empty_at_start()));
                None
            }
        };
        let diagnostics = Diagnostics::new(document.source().clone(), problems);
        match value {
            Some(value) if !diagnostics.has_errors() => Ok(value),
            _ => Err(diagnostics.into()),
        }
    }
}

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
        let allowance = Allowance::new(limits);
        let expansion = RefCell::new(self.expand(document, scope)?);
        let context = DecodeContext { expansion, allowance, problems: RefCell::default() };
        let result = T::deserialize(DocumentDeserializer::new(&context));
        context.finish(result, document)
    }
}

impl Document {
    /// Deserializes the document, with its expressions evaluated and its `dynamic` blocks expanded.
    ///
    /// A field is the attribute of its name, or the blocks of its type: one block for a struct, any
    /// number for a `Vec`, at most one for an `Option`, by label for a map. The field `$label` is the
    /// label of a block, `$label2` the second, `$labels` all of them. For an enum, the label names the
    /// variant. `Vec`s and maps that may be missing need `#[serde(default)]`, as always with serde.
    /// [`Spanned`] adds the position.
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
    /// let engine = hclvm::Engine::standard();
    /// let document = engine.parse("app.hcl", r#"
    ///     region = "${continent}-1"
    ///     service "web" { port = 8000 + 80 }
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
