//! Positions of the protocol, which are lines and columns in UTF-16 or UTF-8, and bytes of a text.
//!
//! ```text
//! a = "😀é"    starts: 0, the first byte of each line
//!              wide:   😀 5..9 excess 2, é 9..11 excess 3: bytes minus units of UTF-16 up to the end of the character
//! ```
//! Both directions are binary searches: a text with all of its characters on one line may have as many positions.

use gen_lsp_types::{Position, Range};
use hclvm::diagnostics::Span;

/// The unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Units of UTF-16, which every client supports.
    #[default]
    Utf16,
    /// Bytes.
    Utf8,
}

/// The lines of a text.
#[derive(Debug)]
pub(crate) struct LineTable {
    starts: Vec<u32>,
    wide: Vec<WideCharacter>,
    encoding: Encoding,
    length: u32,
}

/// A character of several bytes.
#[derive(Clone, Copy, Debug)]
struct WideCharacter {
    start: u32,
    end: u32,
    /// The bytes of the text up to the end of the character, minus the units.
    excess: u32,
}

impl LineTable {
    pub(crate) fn new(text: &str, encoding: Encoding) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| size(at + 1))).collect();
        let mut lines = Self { starts, wide: Vec::new(), encoding, length: size(text.len()) };
        let mut excess = 0;
        for (at, wide) in text.char_indices().filter(|(_, char)| !char.is_ascii()) {
            let bytes = size(wide.len_utf8());
            excess += bytes - lines.units(wide.encode_utf8(&mut [0; 4]));
            lines.wide.push(WideCharacter { start: size(at), end: size(at) + bytes, excess });
        }
        lines
    }

    /// Returns the bytes minus the units before a byte.
    fn excess(&self, offset: u32) -> u32 {
        let before = self.wide.partition_point(|wide| wide.end <= offset);
        self.wide[..before].last().map_or(0, |wide| wide.excess)
    }

    /// Returns the beginning of the character that a byte is in.
    fn boundary(&self, offset: u32) -> u32 {
        let around = self.wide.get(self.wide.partition_point(|wide| wide.end <= offset));
        around.map_or(offset, |wide| offset.min(wide.start))
    }

    /// Returns the position of a byte. Bytes behind the text are at its end, and those inside of a character at its
    /// beginning.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let offset = self.boundary(offset.min(self.length));
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts[line];
        let units = offset - start - (self.excess(offset) - self.excess(start));
        Position { line: size(line), character: units }
    }

    /// Returns the byte at a position. Columns behind a line are at its end, and lines behind the text at the end of it.
    pub(crate) fn offset(&self, text: &str, position: Position) -> u32 {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.length };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.length);
        let content = Span::new(start, end).slice(text).trim_end_matches(['\n', '\r']);
        let base = self.excess(start);
        let first = self.wide.partition_point(|wide| wide.end <= start);
        let units = |wide: &WideCharacter| wide.end - start - (wide.excess - base);
        let before =
            self.wide[first..].partition_point(|wide| wide.end <= end && units(wide) <= position.character);
        let known = self.wide[first..first + before].last();
        let (byte, column) = known.map_or((start, 0), |wide| (wide.end, units(wide)));
        let offset = byte.saturating_add(position.character - column);
        self.boundary(offset.min(start + size(content.len())))
    }

    /// Returns the range of a span.
    pub(crate) fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start), end: self.position(span.end) }
    }

    /// Returns the span of a range, whose ends may be in any order.
    pub(crate) fn span(&self, text: &str, range: Range) -> Span {
        let (start, end) = (self.offset(text, range.start), self.offset(text, range.end));
        Span::new(start.min(end), start.max(end))
    }

    /// Returns the units of a text that is within a line.
    pub(crate) fn units(&self, text: &str) -> u32 {
        match self.encoding {
            Encoding::Utf8 => size(text.len()),
            Encoding::Utf16 if text.is_ascii() => size(text.len()),
            Encoding::Utf16 => size(text.encode_utf16().count()),
        }
    }
}

/// Returns a number of bytes, which the limits of the parser keep below 4 GiB.
pub(crate) fn size(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use gen_lsp_types::Position;

    use super::{Encoding, LineTable};

    #[test]
    fn positions_and_bytes_are_converted_both_ways() {
        let text = "é\n😀 a€\r\n\n𝄞𝄞";
        for encoding in [Encoding::Utf16, Encoding::Utf8] {
            let lines = LineTable::new(text, encoding);
            for (at, _) in text.char_indices().filter(|(_, char)| !matches!(char, '\r' | '\n')) {
                let before = &text[..at];
                let line = before.rfind('\n').map_or(0, |newline| newline + 1);
                let position = Position {
                    line: super::size(before.matches('\n').count()),
                    character: lines.units(&before[line..]),
                };
                assert_eq!(lines.position(super::size(at)), position, "{at}");
                assert_eq!(lines.offset(text, position), super::size(at), "{at}");
            }
        }
    }

    #[test]
    fn positions_count_units_of_the_encoding() {
        let text = "a = \"😀é\"\r\nb = 1";
        for (encoding, column) in [(Encoding::Utf16, 7), (Encoding::Utf8, 9)] {
            let lines = LineTable::new(text, encoding);
            let place = Position { line: 0, character: column };
            assert_eq!(lines.offset(text, place), 9);
            assert_eq!(lines.position(9), place);
            assert_eq!(lines.offset(text, Position { line: 0, character: 99 }), 12);
            assert_eq!(lines.offset(text, Position { line: 9, character: 0 }), 19);
            assert_eq!(lines.position(99).line, 1);
        }
        let lines = LineTable::new(text, Encoding::Utf16);
        assert_eq!(lines.position(6), Position { line: 0, character: 5 }, "inside of a character");
        assert_eq!(lines.offset(text, Position { line: 0, character: 6 }) % 4, 1, "between surrogates");
    }
}
