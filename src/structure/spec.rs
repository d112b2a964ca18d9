//! Specs: bodies as one value, in the shape that a description says.
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
//! For callers without a Rust type; those with one use [`Document::decode`]. A [`Spec`] is data;
//! [`Engine::plan`](crate::Engine::plan) compiles it once, and the [`Plan`] reads any number of documents.

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

/// What value a body makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spec {
    /// The value of an attribute, converted to a type; null when it is missing.
    Attribute(AttributeSpec),
    /// Always the same value. Its numbers have 64 bits, with the feature `exact-json` any number.
    Literal(serde_json::Value),
    /// An object with these attributes.
    Object(BTreeMap<SmolStr, Spec>),
    /// A tuple with these elements.
    Tuple(Vec<Spec>),
    /// The one block of a type; null when it is missing.
    Block(BlockSpec),
    /// A list with an element for each block, all of one type.
    BlockList(BlocksSpec),
    /// A tuple with an element for each block.
    BlockTuple(BlocksSpec),
    /// A set of what the blocks make.
    BlockSet(BlocksSpec),
    /// A map by label, in a map for each further label.
    BlockMap(KeyedSpec),
    /// An object by label, in an object for each further label.
    BlockObject(KeyedSpec),
    /// A map of the attributes of the one block of a type, whatever their names.
    BlockAttributes(BlockAttributesSpec),
    /// A label of the block around; those that key a map are not counted.
    Label(LabelSpec),
    /// The primary value, or the fallback where that is null.
    Default(DefaultSpec),
    /// What an expression makes of a value.
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
    /// Whether it has to be there.
    #[serde(default)]
    pub required: bool,
}

/// See [`Spec::Block`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockSpec {
    /// The block type.
    #[serde(rename = "type")]
    pub kind: SmolStr,
    /// What its body makes.
    pub content: Box<Spec>,
    /// Whether it has to be there.
    #[serde(default)]
    pub required: bool,
}

/// See [`Spec::BlockList`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlocksSpec {
    /// The block type.
    #[serde(rename = "type")]
    pub kind: SmolStr,
    /// What each body makes.
    pub content: Box<Spec>,
    /// How many blocks there are at least.
    #[serde(default)]
    pub min: usize,
    /// How many there are at most; 0 for any number.
    #[serde(default)]
    pub max: usize,
}

/// See [`Spec::BlockMap`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyedSpec {
    /// The block type.
    #[serde(rename = "type")]
    pub kind: SmolStr,
    /// What the labels that are keys mean; at least one.
    pub labels: Vec<SmolStr>,
    /// What each body makes.
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
    /// Whether the block has to be there.
    #[serde(default)]
    pub required: bool,
}

/// See [`Spec::Label`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelSpec {
    /// Which label, from 0.
    pub index: usize,
    /// What it means, in messages.
    pub name: SmolStr,
}

/// See [`Spec::Default`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DefaultSpec {
    /// What is wanted.
    pub primary: Box<Spec>,
    /// What is taken when that is null.
    pub fallback: Box<Spec>,
}

/// See [`Spec::Transform`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransformSpec {
    /// What is transformed.
    pub of: Box<Spec>,
    /// The variable that holds it; the expression has no other.
    pub variable: SmolStr,
    /// The expression.
    pub expression: String,
}

fn any() -> String {
    "any".to_owned()
}

impl Engine {
    /// Compiles a spec, to read documents by it.
    ///
    /// # Errors
    /// Types and expressions in it that are none, and values that the limits do not allow.
    pub fn plan(&self, spec: &Spec) -> Result<Plan, Error> {
        Plan::new(self, spec)
    }
}

impl Session {
    /// The value that a document makes by a plan, and what is wrong with the document. Where
    /// something is wrong, the value is partial: unknown, of the type that it would have.
    ///
    /// # Errors
    /// A limit that was exceeded, or a scope of another layout.
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
        Ok(Evaluation { value, diagnostics: expansion.take_diagnostics() })
    }
}
