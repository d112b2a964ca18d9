//! Limits of a parse: how large and how deeply nested a source text may be.
//!
//! Limits of evaluation are `hclvm_vm::Limits`.

/// Limits of one parse. A text beyond a limit gets a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLimits {
    /// Size of the text in bytes.
    pub source_bytes: usize,
    /// Levels of nesting: brackets, conditionals, operands of unary operators, consecutive computed
    /// indexes and splats, template directives, blocks. Chains of binary operators, attributes and
    /// constant indexes do not nest.
    pub nesting: u32,
    /// Length of one identifier in bytes.
    pub identifier_bytes: usize,
    /// Number of diagnostics that are kept; further ones are counted.
    pub diagnostics: usize,
}

impl Default for ParseLimits {
    /// Limits that configurations written by people do not reach: 4 MiB of text, 1,000 levels, whose
    /// recursion fits a stack of 2 MiB, names of 4 KiB and 100 diagnostics.
    fn default() -> Self {
        Self { source_bytes: 4 << 20, nesting: 1000, identifier_bytes: 4 << 10, diagnostics: 100 }
    }
}

/// The limit that a text exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitReached {
    /// [`ParseLimits::source_bytes`]
    SourceBytes,
    /// [`ParseLimits::nesting`]
    Nesting,
    /// [`ParseLimits::identifier_bytes`]
    IdentifierBytes,
}
