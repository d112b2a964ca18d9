//! Source texts: decoding of bytes, and the lines and columns of byte offsets.
//!
//! A column counts grapheme clusters, so that a caret is displayed below its character. Clusters never
//! join across a token boundary: the lexer reports the few boundaries where they could, the *seams*.
//! Everything else refers to a text by offsets ([`Span`]), which are 32 bits wide: the parser rejects
//! longer texts.

use std::sync::{Arc, OnceLock};

use hclvm_vm::text::characters;
use hclvm_vm::{Span, cast};

/// The character that replaces a byte that is not UTF-8; see [`decode`]. One byte long, so that
/// offsets stay.
pub(crate) const BAD_BYTE: char = '\x1A';

/// The characters that replace what is not UTF-8, by their length in bytes. They cannot be part of an
/// identifier; see [`decode`].
pub(crate) const STAND_INS: [char; 4] = [BAD_BYTE, '\u{80}', char::REPLACEMENT_CHARACTER, char::MAX];

/// A position in a text: line and column from 1, byte from 0.
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
    /// The offset of each line, computed on first use: most sources are never shown.
    lines: OnceLock<Vec<u32>>,
    seams: Vec<u32>,
    /// True if a tab counts two columns and a carriage return none.
    wide_tabs: bool,
    /// The files of which the text consists; empty if it is one.
    files: Arc<[FilePart]>,
}

/// A file in a text that consists of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// The offset at which it begins.
    pub start: u32,
    /// Its name.
    pub name: Arc<str>,
}

impl Source {
    /// Creates a source from `text`, called `name` in reports. `seams` come from the parse of that text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>, seams: Vec<u32>) -> Self {
        let (lines, files) = (OnceLock::new(), Arc::default());
        Self { name: name.into(), text: text.into(), lines, seams, wide_tabs: false, files }
    }

    /// Returns the source of a text that consists of files, in the order of their starts. Positions are those
    /// in the file.
    pub fn of_files(self, files: impl Into<Arc<[FilePart]>>) -> Self {
        Self { files: files.into(), ..self }
    }

    /// Returns the token boundaries that no cluster of characters crosses.
    pub fn seams(&self) -> &[u32] {
        &self.seams
    }

    /// Returns the files of which the text consists; none if it is one.
    pub fn files(&self) -> &[FilePart] {
        &self.files
    }

    /// Returns the number of the file that an offset is in, if the text consists of files.
    pub fn file_at(&self, offset: u32) -> Option<usize> {
        self.files.partition_point(|file| file.start <= offset).checked_sub(1)
    }

    /// Returns the range of a file of which the text consists.
    pub fn file_span(&self, file: usize) -> Span {
        let end = self.files.get(file + 1).map_or(cast::length(self.text.len()), |next| next.start);
        Span::new(self.files.get(file).map_or(end, |file| file.start), end)
    }

    /// Returns the offset of each line.
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let bytes = self.text.bytes().zip(1..);
            let newlines = bytes.filter_map(|(byte, next)| (byte == b'\n').then_some(next));
            let first = cast::length(first_line(&self.text));
            std::iter::once(first).chain(newlines).collect()
        })
    }

    /// Like [`Source::new`], for a text in JSON. As in the reference, a tab counts two columns and a
    /// carriage return none, both of which occur only between tokens, and a problem at the end of the
    /// text is reported one column after it.
    pub fn of_json(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>, seams: Vec<u32>) -> Self {
        Self { wide_tabs: true, ..Self::new(name, text, seams) }
    }

    /// Returns the source of another text in the place of this one, of the same name and syntax. `moved` returns the
    /// offset in the new text for one in this text.
    pub fn replaced(&self, text: impl Into<Arc<str>>, moved: impl Fn(u32) -> u32) -> Self {
        let seams = self.seams.iter().map(|seam| moved(*seam)).collect();
        let files = self.files.iter().map(|file| FilePart { start: moved(file.start), ..file.clone() });
        let (lines, files) = (OnceLock::new(), files.collect());
        Self {
            name: Arc::clone(&self.name),
            text: text.into(),
            lines,
            seams,
            wide_tabs: self.wide_tabs,
            files,
        }
    }

    /// Returns the name of the text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the number of lines. The part after the last line break counts, even if it is empty.
    pub fn line_count(&self) -> usize {
        self.lines().len()
    }

    /// Returns the text of a line (from 1) without its line break.
    pub fn line(&self, line: u32) -> Option<&str> {
        let (start, index) = (self.line_start(line)?, cast::index(line));
        let end = self.lines().get(index).map_or(self.text.len(), |&next| cast::index(next));
        self.text.get(cast::index(start)..end).map(|line| line.trim_end_matches(['\n', '\r']))
    }

    /// Returns the offset at which a line (from 1) begins.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.lines().get(cast::index(line.checked_sub(1)?)).copied()
    }

    /// Returns the line and column of an offset. An offset beyond the end is clamped to the end.
    pub fn position(&self, offset: u32) -> Position {
        let end = cast::length(self.text.len());
        let beyond = if self.wide_tabs { offset.saturating_sub(end) } else { 0 };
        let byte = offset.min(end);
        let line = self.lines().partition_point(|&start| start <= byte).max(1);
        let start = self.lines().get(line - 1).copied().unwrap_or(0);
        let column = self.clusters(start, byte) + 1 + beyond;
        if let Some(file) = self.file_at(byte) {
            let file = self.files[file].start;
            let before = self.lines().partition_point(|&start| start < file);
            return Position { line: cast::length(line - before), column, byte: byte - file };
        }
        Position { line: cast::length(line), column, byte: byte + beyond }
    }

    /// Returns the offset of a line and column, both from 1, or `None` if the text has no such line. A
    /// column beyond the end of its line is clamped to the end.
    pub fn offset(&self, line: u32, column: u32) -> Option<u32> {
        let start = self.line_start(line)?;
        let text = self.line(line)?;
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let places: Vec<u32> = ends.map(|at| start + cast::length(at)).collect();
        let after = places.partition_point(|&place| self.clusters(start, place) < column);
        places.get(after.saturating_sub(1)).copied()
    }

    /// Returns the positions of the start and end of a range.
    pub fn range(&self, span: Span) -> (Position, Position) {
        let (start, end) = (self.position(span.start), self.position(span.end));
        let last = span.end.saturating_sub(1);
        let blank = || matches!(Span::new(last, span.end).slice(&self.text), "\n" | "\r" | "\t");
        if self.wide_tabs && !span.is_empty() && blank() {
            // As in the reference, a range of JSON that ends with a line break ends on that line, and a tab
            // or carriage return that is an error is one column wide.
            let at = self.position(last);
            return (start, Position { column: at.column + 1, byte: at.byte + 1, ..at });
        }
        (start, end)
    }

    /// Returns the number of clusters that begin in `start..end`. Clusters do not cross seams. In JSON
    /// an invalid character is a token of one byte, which counts as a cluster.
    fn clusters(&self, start: u32, end: u32) -> u32 {
        let is_boundary = |at: &u32| self.text.is_char_boundary(cast::index(*at));
        let whole = (start..=end).rev().find(is_boundary).unwrap_or(start);
        if whole < end {
            return self.clusters(start, whole) + 1;
        }
        let covered = Span::new(start, end).slice(&self.text);
        let tabs = if self.wide_tabs { blanks(covered, b'\t') } else { 0 };
        let returns = if self.wide_tabs { blanks(covered, b'\r') } else { 0 };
        (self.graphemes(start, end, covered) + tabs).saturating_sub(returns)
    }

    /// Returns the number of grapheme clusters; of ASCII text, its length.
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
        cast::length(count)
    }
}

/// Returns the number of occurrences of `blank`.
fn blanks(text: &str, blank: u8) -> u32 {
    cast::length(text.bytes().filter(|byte| *byte == blank).count())
}

/// Returns the offset of the first line: a byte order mark takes bytes but no column.
pub(crate) fn first_line(text: &str) -> usize {
    if text.starts_with('\u{FEFF}') { 3 } else { 0 }
}

/// A text for the parser, with the offsets of bytes that were not UTF-8 before decoding.
#[derive(Clone, Copy, Debug)]
pub struct Input<'t> {
    /// The text.
    pub text: &'t str,
    /// Sorted offsets of the replacements of what was not UTF-8.
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

/// A text decoded from bytes of the same length, see [`decode`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// Sorted offsets of the bytes and sequences that are not UTF-8.
    pub bad: Vec<u32>,
}

/// Decodes bytes into a text of exactly the same length, so that offsets are preserved.
///
/// What is not UTF-8 is replaced and listed in `bad`: a byte that cannot be part of a character by
/// a byte, and a sequence with the shape of a character (overlong, surrogate, beyond U+10FFFF) by one of the
/// `STAND_INS`.
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
        bad.push(cast::length(text.len()));
        text.push(STAND_INS[length - 1]);
        rest = &rest[length..];
    }
    Decoded { text, bad }
}

/// Returns the length of a sequence with the shape of a character, or 1.
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
