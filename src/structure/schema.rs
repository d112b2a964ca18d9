//! What a body may hold: attributes and blocks by name. Says nothing about the types of values.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// The type of `dynamic` blocks, which an expansion accepts beside those of a schema.
pub(crate) const DYNAMIC: &str = "dynamic";
/// The name of their label, as messages tell it.
pub(crate) const DYNAMIC_LABEL: &str = "type";

/// The attributes and block types that a body may hold.
///
/// Read from data as `{"attributes": [{"name", "required"}], "blocks": [{"type", "labels", "schema"}]}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Schema {
    /// The attributes; missing ones are reported in this order.
    pub attributes: Vec<AttributeSchema>,
    /// The block types.
    pub blocks: Vec<BlockSchema>,
}

/// An attribute of a [`Schema`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttributeSchema {
    /// Its name.
    pub name: SmolStr,
    /// Whether a body without it is wrong.
    #[serde(default)]
    pub required: bool,
}

/// A block type of a [`Schema`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockSchema {
    /// The block type.
    #[serde(rename = "type")]
    pub kind: SmolStr,
    /// What each label means, in messages; a block has exactly as many labels.
    #[serde(default)]
    pub labels: Vec<SmolStr>,
    /// The schema of the content, for whoever walks nested bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Schema>,
}

impl Schema {
    /// The schema of an empty body.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same schema with an attribute that must be there.
    pub fn required(mut self, name: impl Into<SmolStr>) -> Self {
        self.attributes.push(AttributeSchema { name: name.into(), required: true });
        self
    }

    /// The same schema with an attribute that may be there.
    pub fn optional(mut self, name: impl Into<SmolStr>) -> Self {
        self.attributes.push(AttributeSchema { name: name.into(), required: false });
        self
    }

    /// The same schema with a block type whose blocks have these labels.
    pub fn block(self, kind: impl Into<SmolStr>, labels: &[&str]) -> Self {
        self.push_block(kind.into(), labels, None)
    }

    /// The same schema with a block type whose blocks have these labels and this content.
    pub fn block_with(self, kind: impl Into<SmolStr>, labels: &[&str], content: Schema) -> Self {
        self.push_block(kind.into(), labels, Some(content))
    }

    fn push_block(mut self, kind: SmolStr, labels: &[&str], schema: Option<Schema>) -> Self {
        let labels = labels.iter().map(SmolStr::new).collect();
        self.blocks.push(BlockSchema { kind, labels, schema });
        self
    }

    /// The attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<&AttributeSchema> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The block type `kind`.
    pub fn block_type(&self, kind: &str) -> Option<&BlockSchema> {
        self.blocks.iter().find(|block| block.kind == kind)
    }
}
