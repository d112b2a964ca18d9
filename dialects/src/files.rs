//! Files of a module and of its inputs: a name and the bytes.

use std::path::Path;

use hclvm::schema::Schema;
use hclvm::{Diagnostics, Document, Engine};

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl File {
    /// Creates a file. The name is shown in diagnostics, and its last suffix tells the syntax.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }

    /// Reads a file of the file system, called by its path.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        Ok(Self::new(path.to_string_lossy(), std::fs::read(path)?))
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the last part of its name.
    pub(crate) fn base(&self) -> &str {
        self.name.rsplit(['/', '\\']).next().unwrap_or(&self.name)
    }

    /// Returns what follows the last dot of its name.
    pub(crate) fn suffix(&self) -> &str {
        self.base().rsplit('.').next().unwrap_or_default()
    }

    /// Parses it in HCL's JSON syntax or in the native one.
    pub(crate) fn parse(&self, engine: &Engine, json: bool) -> (Document, Diagnostics) {
        if json {
            engine.parse_json_bytes_lenient(&self.name, &self.bytes)
        } else {
            engine.parse_bytes_lenient(&self.name, &self.bytes)
        }
    }
}

/// Returns true if a file has nothing but blocks of a schema. In JSON, blocks are properties.
pub(crate) fn has_only(document: &Document, schema: &Schema) -> bool {
    let is_block = |name: &str| schema.block_type(name).is_some();
    document.body().attributes().all(|one| document.is_json() && is_block(one.name()))
        && document.body().blocks().all(|block| is_block(block.kind()))
}
