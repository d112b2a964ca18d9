//! Schemas: the attributes and blocks that a body may hold, by name. A schema does not constrain the
//! types of values; specs and host types do.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// The type of `dynamic` blocks, which an expansion accepts beside those of a schema.
pub(crate) const DYNAMIC: &str = "dynamic";
/// The name of their label, as messages show it.
pub(crate) const DYNAMIC_LABEL: &str = "type";

/// The attributes and block types that a body may hold.
///
/// Its serde form is `{"attributes": [{"name", "required"}], "blocks": [{"type", "labels", "schema"}]}`.
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
    /// True if a body without it is an error.
    #[serde(default)]
    pub required: bool,
}

/// A block type of a [`Schema`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockSchema {
    /// The block type.
    #[serde(rename = "type")]
    pub kind: SmolStr,
    /// The name of each label in messages. A block has exactly this many labels.
    #[serde(default)]
    pub labels: Vec<SmolStr>,
    /// The schema of the block's body. Not checked here, because blocks are returned unread; kept for
    /// callers that descend into them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Schema>,
}

impl Schema {
    /// Creates the schema of an empty body.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a required attribute.
    pub fn required(mut self, name: impl Into<SmolStr>) -> Self {
        self.attributes.push(AttributeSchema { name: name.into(), required: true });
        self
    }

    /// Adds an optional attribute.
    pub fn optional(mut self, name: impl Into<SmolStr>) -> Self {
        self.attributes.push(AttributeSchema { name: name.into(), required: false });
        self
    }

    /// Adds a block type with these labels.
    pub fn block(self, kind: impl Into<SmolStr>, labels: &[&str]) -> Self {
        self.push_block(kind.into(), labels, None)
    }

    /// Adds a block type with these labels and this schema for its bodies.
    pub fn block_with(self, kind: impl Into<SmolStr>, labels: &[&str], content: Schema) -> Self {
        self.push_block(kind.into(), labels, Some(content))
    }

    fn push_block(mut self, kind: SmolStr, labels: &[&str], schema: Option<Schema>) -> Self {
        let labels = labels.iter().map(SmolStr::new).collect();
        self.blocks.push(BlockSchema { kind, labels, schema });
        self
    }

    /// Returns the attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<&AttributeSchema> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Returns the block type `kind`.
    pub fn block_type(&self, kind: &str) -> Option<&BlockSchema> {
        self.blocks.iter().find(|block| block.kind == kind)
    }
}
