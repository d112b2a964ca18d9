//! Specs: a body as one value, whose shape is described by data.
//!
//! ```json
//! {"object": {
//!   "name":  {"attribute": {"name": "name", "type": "string", "required": true}},
//!   "ports": {"block_list": {"type": "port", "content": {"object": {
//!     "id":     {"label": {"index": 0, "name": "id"}},
//!     "number": {"attribute": {"name": "number", "type": "number"}}}}}},
//!   "size":  {"default": {"primary":  {"attribute": {"name": "size", "type": "number"}},
//!                         "fallback": {"literal": 10}}}}}
//! ```
//!
//! Use it if the shape of a configuration is not known when the host is compiled: plugins that declare
//! their configuration, or tools that read a schema from a file. With a Rust type, use
//! [`Document::decode`]; to get every value of a file without describing it, use
//! [`module`](crate::module).
//!
//! [`Engine::plan`](crate::Engine::plan) compiles a [`Spec`] once; [`Session::read`] applies the [`Plan`]
//! to any number of documents.

mod gather;
mod plan;
mod problem;
mod read;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use plan::Plan;

use crate::compile::settings::Engine;
use crate::diagnostics::error::Error;
use crate::run::scope::Scope;
use crate::run::session::{Evaluation, Session};
use crate::syntax::document::Document;

/// A description of the value that a body makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spec {
    /// The value of an attribute, converted to a type; null if it is missing.
    Attribute(AttributeSpec),
    /// A constant. Its numbers are 64-bit integers and floats; with the feature `exact-json` they are
    /// exact.
    Literal(serde_json::Value),
    /// An object with these attributes.
    Object(BTreeMap<SmolStr, Spec>),
    /// A tuple with these elements.
    Tuple(Vec<Spec>),
    /// The only block of a type; null if it is missing.
    Block(BlockSpec),
    /// A list with an element for each block, converted to one type.
    BlockList(BlocksSpec),
    /// A tuple with an element for each block.
    BlockTuple(BlocksSpec),
    /// A set of the values of the blocks.
    BlockSet(BlocksSpec),
    /// A map by the first label, of maps by each further label.
    BlockMap(KeyedSpec),
    /// An object by the first label, of objects by each further label.
    BlockObject(KeyedSpec),
    /// A map of all attributes of the only block of a type.
    BlockAttributes(BlockAttributesSpec),
    /// A label of the enclosing block. Labels that are keys of a map do not count.
    Label(LabelSpec),
    /// The primary value, or the fallback if the primary is null.
    Default(DefaultSpec),
    /// The result of an expression applied to a value.
    Transform(TransformSpec),
}

/// See [`Spec::Attribute`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributeSpec {
    /// Its name.
    pub name: SmolStr,
    /// Its type as an expression, such as `list(string)`, with `optional(type, default)` in objects.
    #[serde(rename = "type", default = "any")]
    pub ty: String,
    /// True if it is an error for it to be missing.
    #[serde(default)]
    pub required: bool,
}

/// See [`Spec::Block`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockSpec {
    /// The block type.
    #[serde(rename = "type")]
    pub kind: SmolStr,
    /// The value of its body.
    pub content: Box<Spec>,
    /// True if it is an error for it to be missing.
    #[serde(default)]
    pub required: bool,
}

/// See [`Spec::BlockList`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlocksSpec {
    /// The block type.
    #[serde(rename = "type")]
    pub kind: SmolStr,
    /// The value of each body.
    pub content: Box<Spec>,
    /// The least number of blocks.
    #[serde(default)]
    pub min: usize,
    /// The greatest number of blocks; 0 for any number.
    #[serde(default)]
    pub max: usize,
}

/// See [`Spec::BlockMap`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyedSpec {
    /// The block type.
    #[serde(rename = "type")]
    pub kind: SmolStr,
    /// The names of the labels that are keys, in messages; at least one.
    pub labels: Vec<SmolStr>,
    /// The value of each body.
    pub content: Box<Spec>,
}

/// See [`Spec::BlockAttributes`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockAttributesSpec {
    /// The block type.
    #[serde(rename = "type")]
    pub kind: SmolStr,
    /// The type of all values as an expression.
    #[serde(default = "any")]
    pub element: String,
    /// True if it is an error for the block to be missing.
    #[serde(default)]
    pub required: bool,
}

/// See [`Spec::Label`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelSpec {
    /// The index of the label, from 0.
    pub index: usize,
    /// The name of the label in messages.
    pub name: SmolStr,
}

/// See [`Spec::Default`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DefaultSpec {
    /// The preferred value.
    pub primary: Box<Spec>,
    /// The value to use if the primary is null.
    pub fallback: Box<Spec>,
}

/// See [`Spec::Transform`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransformSpec {
    /// The value to transform.
    pub of: Box<Spec>,
    /// The variable that holds it, the only one of the expression.
    pub variable: SmolStr,
    /// The expression.
    pub expression: String,
}

fn any() -> String {
    "any".to_owned()
}

impl Engine {
    /// Compiles a spec for [`Session::read`].
    ///
    /// # Errors
    /// Invalid types and expressions in the spec, and literals beyond the limits.
    pub fn plan(&self, spec: &Spec) -> Result<Plan, Error> {
        Plan::new(self, spec)
    }
}

impl Session {
    /// Reads a document by a plan. Returns the value with the diagnostics; with errors, the value is
    /// partial: the invalid parts are unknown values of their types.
    ///
    /// # Errors
    /// A limit that was exceeded, or a scope of another layout than the document's.
    pub fn read<'s>(
        &'s mut self,
        plan: &'s Plan,
        document: &'s Document,
        scope: &'s Scope,
    ) -> Result<Evaluation<'s>, Error> {
        let mut expansion = self.expand(document, scope)?;
        let value = read::read_root(&mut expansion, plan)?;
        if let Some(exhausted) = expansion.arena.budget().exhausted() {
            let (source, span) = (Arc::clone(document.source()), document.body().span());
            return Err(crate::diagnostics::error::LimitError { exhausted, source, span }.into());
        }
        let fuel = expansion.arena.budget().spent();
        let diagnostics = expansion.take_diagnostics();
        Ok(Evaluation { value, diagnostics, fuel, marked: value })
    }
}
