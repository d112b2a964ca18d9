//! Bodies as types of the host: attributes and blocks become fields.
//!
//! ```text
//! field            from an attribute          from blocks of that type
//! T                its value                  the one block
//! Option<T>        none, or null, is None     none is None
//! Vec<T>           a sequence                 each block, in order
//! BTreeMap<_, T>   an object or map           by first label, then by the next for a map in a map;
//!                                             of a block without labels, its attributes
//! enum             as in values               the label names the variant: backend "s3" { … }
//! Spanned<T>       with the expression        with the header
//! ```
//!
//! Inside of a block's struct, the field `$label` takes the label (`$label2` the second, and so
//! on) and `$labels` all of them. A label that a map took is not given again.
//!
//! One context serves the whole tree of deserializers; recursion is bounded by the nesting of the
//! file and of the type.

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

/// What all deserializers of one document share.
#[derive(Debug)]
struct DecodeContext<'a> {
    expansion: RefCell<Expansion<'a>>,
    allowance: Allowance,
    /// What is wrong but does not keep the rest from being read.
    problems: RefCell<Vec<Diagnostic>>,
}

impl DecodeContext<'_> {
    fn report(&self, problem: Diagnostic) {
        self.problems.borrow_mut().push(problem);
    }

    /// The problem with what was read before, when there is one among those kept by the expansion.
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
    /// A document as a type of the host: see [`Document::decode`]. Texts are borrowed from the
    /// session where `T` borrows them.
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
    /// The document as a type of the host, with its expressions evaluated and its `dynamic` blocks
    /// expanded.
    ///
    /// A field is filled from the attribute of its name or from the blocks of its type: one block
    /// for a struct, any number for a `Vec`, none or one for an `Option`, and by their labels for
    /// a map. The label of a block goes to the field `$label` of its struct, the second to
    /// `$label2`; `$labels` takes all. An enum is chosen by the label. `Vec`s and maps that may be
    /// absent need `#[serde(default)]`, as always with serde. [`Spanned`] also gives the place.
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
    /// Arguments and blocks that the struct has no field for, with the nearest name; what is
    /// missing, labels too many or too few, two blocks where one is wanted; expressions that
    /// cannot be evaluated, and values that do not fit their field, at the attribute.
    pub fn decode<T: DeserializeOwned>(&self, scope: &Scope) -> Result<T, Error> {
        self.engine().session().decode(self, scope)
    }
}
