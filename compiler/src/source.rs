//! A named text, and the lines and columns of its byte offsets.
//!
//! A column counts grapheme clusters, so that a caret lands where an editor shows the
//! character. Clusters never join across a token boundary: the lexer reports the few
//! boundaries where they could, the *seams*.

use std::sync::{Arc, OnceLock};

use hclvm_vm::Span;
use hclvm_vm::text::characters;

/// The character that replaces a byte that is not UTF-8; see [`decode`]. One byte long, so that
/// offsets stay.
pub(crate) const BAD_BYTE: char = '\x1A';

/// A place in a text: line and column from 1, byte from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Grapheme cluster in the line, from 1.
    pub column: u32,
    /// Byte offset in the text, from 0.
    pub byte: u32,
}

/// A named text with its line index.
#[derive(Clone, Debug)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    /// Where each line begins, once somebody asks for one.
    lines: OnceLock<Vec<u32>>,
    seams: Vec<u32>,
    /// Whether a tab takes two columns and a carriage return none.
    wide_tabs: bool,
}

impl Source {
    /// The text `text`, called `name` in reports. `seams` come from the parse of the same text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>, seams: Vec<u32>) -> Self {
        Self { name: name.into(), text: text.into(), lines: OnceLock::new(), seams, wide_tabs: false }
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let bytes = self.text.bytes().zip(1..);
            let newlines = bytes.filter_map(|(byte, next)| (byte == b'\n').then_some(next));
            std::iter::once(first_line(&self.text)).chain(newlines).collect()
        })
    }

    /// Like [`Source::new`], for a text in JSON, in which a tab takes two columns and a carriage
    /// return none. Both can only stand between tokens there. What is missing at the end of the
    /// text is reported one column beyond it.
    pub fn of_json(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>, seams: Vec<u32>) -> Self {
        Self { wide_tabs: true, ..Self::new(name, text, seams) }
    }

    /// What the text is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Number of lines; the part after the last line break counts, even when it is empty.
    pub fn line_count(&self) -> usize {
        self.lines().len()
    }

    /// The text of a line (from 1) without its line break.
    pub fn line(&self, line: u32) -> Option<&str> {
        let index = line.checked_sub(1)? as usize;
        let start = *self.lines().get(index)? as usize;
        let end = self.lines().get(index + 1).map_or(self.text.len(), |&next| next as usize);
        self.text.get(start..end).map(|line| line.trim_end_matches(['\n', '\r']))
    }

    /// Line and column of an offset; an offset beyond the end is taken as the end.
    pub fn position(&self, offset: u32) -> Position {
        let end = self.text.len() as u32;
        let beyond = if self.wide_tabs { offset.saturating_sub(end) } else { 0 };
        let byte = offset.min(end);
        let line = self.lines().partition_point(|&start| start <= byte).max(1);
        let start = self.lines().get(line - 1).copied().unwrap_or(0);
        let column = self.clusters(start, byte) + 1 + beyond;
        Position { line: line as u32, column, byte: byte + beyond }
    }

    /// The offset of a line and column, both from 1; `None` where the text has no such line. A
    /// column beyond the end of its line is taken as the end.
    pub fn offset(&self, line: u32, column: u32) -> Option<u32> {
        let start = *self.lines().get(line.checked_sub(1)? as usize)?;
        let text = self.line(line)?;
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let places: Vec<u32> = ends.map(|at| start + at as u32).collect();
        let after = places.partition_point(|&place| self.clusters(start, place) < column);
        places.get(after.saturating_sub(1)).copied()
    }

    /// Where a range begins and ends.
    pub fn range(&self, span: Span) -> (Position, Position) {
        let (start, end) = (self.position(span.start), self.position(span.end));
        let newline = span.end.saturating_sub(1);
        if self.wide_tabs && !span.is_empty() && Span::new(newline, span.end).slice(&self.text) == "\n" {
            // In JSON a range that ends with a line break ends on that line.
            let at = self.position(newline);
            return (start, Position { column: at.column + 1, byte: at.byte + 1, ..at });
        }
        (start, end)
    }

    /// Clusters that begin in `start..end`, counted piece by piece between the seams.
    fn clusters(&self, start: u32, end: u32) -> u32 {
        let covered = Span::new(start, end).slice(&self.text);
        let tabs = if self.wide_tabs { blanks(covered, b'\t') } else { 0 };
        let returns = if self.wide_tabs { blanks(covered, b'\r') } else { 0 };
        (self.graphemes(start, end, covered) + tabs).saturating_sub(returns)
    }

    fn graphemes(&self, start: u32, end: u32, covered: &str) -> u32 {
        if covered.is_ascii() {
            return end.saturating_sub(start);
        }
        let from = self.seams.partition_point(|&seam| seam <= start);
        let mut at = start;
        let mut count = 0;
        for &seam in self.seams[from..].iter().take_while(|&&seam| seam < end).chain([&end]) {
            count += characters(Span::new(at, seam).slice(&self.text)).count();
            at = seam;
        }
        count as u32
    }
}

fn blanks(text: &str, blank: u8) -> u32 {
    text.bytes().filter(|byte| *byte == blank).count() as u32
}

/// A byte order mark takes bytes but no column.
fn first_line(text: &str) -> u32 {
    if text.starts_with('\u{FEFF}') { 3 } else { 0 }
}

/// A text for the parser: UTF-8, with the offsets of bytes that were none before decoding.
#[derive(Clone, Copy, Debug)]
pub struct Input<'t> {
    /// The text.
    pub text: &'t str,
    /// Sorted offsets of stand-ins for bytes that were not UTF-8.
    pub bad: &'t [u32],
}

impl<'t> From<&'t str> for Input<'t> {
    fn from(text: &'t str) -> Self {
        Self { text, bad: &[] }
    }
}

impl<'t> From<&'t String> for Input<'t> {
    fn from(text: &'t String) -> Self {
        Self { text, bad: &[] }
    }
}

impl<'t> From<&'t Decoded> for Input<'t> {
    fn from(decoded: &'t Decoded) -> Self {
        Self { text: &decoded.text, bad: &decoded.bad }
    }
}

/// Bytes made text of the same length, see [`decode`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// Sorted offsets of the bytes that are not UTF-8.
    pub bad: Vec<u32>,
}

/// Makes a text of exactly the length of `bytes`, so that every offset stays.
///
/// A byte that cannot belong to any character becomes a stand-in and is listed in `bad`.
/// A sequence that only looks like a character (overlong, surrogate, beyond U+10FFFF)
/// becomes a character of its length that no identifier can hold.
pub fn decode(bytes: &[u8]) -> Decoded {
    let mut text = String::with_capacity(bytes.len());
    let mut bad = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let valid = match std::str::from_utf8(rest) {
            Ok(valid) => valid,
            Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
        text.push_str(valid);
        rest = &rest[valid.len()..];
        if rest.is_empty() {
            break;
        }
        let length = sequence_length(rest);
        match length {
            2 => text.push('\u{80}'),
            3 => text.push(char::REPLACEMENT_CHARACTER),
            4 => text.push(char::MAX),
            _ => {
                bad.push(text.len() as u32);
                text.push(BAD_BYTE);
            }
        }
        rest = &rest[length..];
    }
    Decoded { text, bad }
}

/// Length of what looks like one character, or 1.
fn sequence_length(bytes: &[u8]) -> usize {
    let length = match bytes.first() {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        _ => return 1,
    };
    match bytes.get(1..length) {
        Some(tail) if tail.iter().all(|byte| byte & 0xC0 == 0x80) => length,
        _ => 1,
    }
}
