//! Ranges of bytes in one source text.

/// The half-open byte range `start..end` in one source text. Lines and columns are computed from the text
/// when a diagnostic is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the range `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Returns the range from the start of `self` to the end of `last`.
    pub const fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end }
    }

    /// Returns the empty range at the start of `self`.
    pub const fn empty_at_start(self) -> Self {
        Self { start: self.start, end: self.start }
    }

    /// Returns the number of bytes covered.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Returns true if no byte is covered.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns the covered part of `text`; empty if the range is out of bounds.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }

    /// Returns the covered bytes of `text`, without a check of character boundaries.
    pub fn bytes(self, text: &str) -> &[u8] {
        text.as_bytes().get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}
