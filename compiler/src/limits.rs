//! How large and how deep a source text may be.

/// Limits of one parse. A text beyond a limit gets a diagnostic, never a crash or a stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLimits {
    /// Size of the text in bytes.
    pub source_bytes: usize,
    /// Levels of nesting: brackets, conditionals, operands of unary operators, computed
    /// indexes and splats in a row, template directives, blocks. Chains of binary operators,
    /// of attributes and of constant indexes are no nesting.
    pub nesting: u32,
    /// Length of one identifier in bytes.
    pub identifier_bytes: usize,
    /// Diagnostics that are kept; the others are counted.
    pub diagnostics: usize,
}

impl Default for ParseLimits {
    fn default() -> Self {
        Self { source_bytes: 4 << 20, nesting: 1000, identifier_bytes: 4 << 10, diagnostics: 100 }
    }
}

/// Which limit a text went beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitReached {
    /// [`ParseLimits::source_bytes`]
    SourceBytes,
    /// [`ParseLimits::nesting`]
    Nesting,
    /// [`ParseLimits::identifier_bytes`]
    IdentifierBytes,
}
