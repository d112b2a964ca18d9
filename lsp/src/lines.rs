//! Positions of the protocol, lines and columns in UTF-16 or UTF-8, and bytes of a text.

use gen_lsp_types::{Position, Range};
use hclvm::diagnostics::Span;
use line_index::{LineCol, LineIndex, TextSize, WideEncoding, WideLineCol};

/// The unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Units of UTF-16, which all clients know.
    #[default]
    Utf16,
    /// Bytes.
    Utf8,
}

/// The lines of a text.
#[derive(Debug)]
pub(crate) struct Lines {
    index: LineIndex,
    encoding: Encoding,
    length: u32,
}

impl Lines {
    pub(crate) fn new(text: &str, encoding: Encoding) -> Self {
        Self { index: LineIndex::new(text), encoding, length: size(text.len()) }
    }

    /// Returns the position of a byte. Bytes behind the text are at its end.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let mut offset = offset.min(self.length);
        // A byte inside of a character is at its beginning.
        let place = loop {
            match self.index.try_line_col(TextSize::new(offset)) {
                Some(place) => break place,
                None if offset == 0 => return Position::default(),
                None => offset -= 1,
            }
        };
        match self.encoding {
            Encoding::Utf8 => Position { line: place.line, character: place.col },
            Encoding::Utf16 => match self.index.to_wide(WideEncoding::Utf16, place) {
                Some(wide) => Position { line: wide.line, character: wide.col },
                None => Position { line: place.line, character: place.col },
            },
        }
    }

    /// Returns the byte at a position. Columns behind a line are at its end, and lines behind the text at the end of it.
    pub(crate) fn offset(&self, text: &str, position: Position) -> u32 {
        let Some(line) = self.index.line(position.line) else { return self.length };
        let (start, end) = (u32::from(line.start()), u32::from(line.end()));
        let content = text.get(start as usize..end as usize).unwrap_or_default();
        let last = start + size(content.trim_end_matches(['\n', '\r']).len());
        let column = match self.encoding {
            Encoding::Utf8 => Some(position.character),
            Encoding::Utf16 => {
                let wide = WideLineCol { line: position.line, col: position.character };
                self.index.to_utf8(WideEncoding::Utf16, wide).map(|place: LineCol| place.col)
            }
        };
        let mut offset = column.map_or(last, |column| start.saturating_add(column)).min(last);
        while !text.is_char_boundary(offset as usize) {
            offset -= 1;
        }
        offset
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

    use super::{Encoding, Lines};

    #[test]
    fn positions_count_units_of_the_encoding() {
        let text = "a = \"😀é\"\r\nb = 1";
        for (encoding, column) in [(Encoding::Utf16, 7), (Encoding::Utf8, 9)] {
            let lines = Lines::new(text, encoding);
            let place = Position { line: 0, character: column };
            assert_eq!(lines.offset(text, place), 9);
            assert_eq!(lines.position(9), place);
            assert_eq!(lines.offset(text, Position { line: 0, character: 99 }), 12);
            assert_eq!(lines.offset(text, Position { line: 9, character: 0 }), 19);
            assert_eq!(lines.position(99).line, 1);
        }
        let lines = Lines::new(text, Encoding::Utf16);
        assert_eq!(lines.position(6), Position { line: 0, character: 5 }, "inside of a character");
        assert_eq!(lines.offset(text, Position { line: 0, character: 6 }) % 4, 1, "between surrogates");
    }
}
