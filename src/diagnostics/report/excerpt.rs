//! One source line with marks below parts of it.
//!
//! ```text
//! text │ a = foo(1, bar)
//! row  │     ---    ^^^ labels the last mark
//! row  │     |
//! row  │     labels another mark
//! ```
//!
//! Columns here are those of a terminal: a character is as wide as it is displayed. The columns of
//! positions are counted by [`Source`](hclvm_compiler::source::Source), in characters.

use std::ops::Range;

use hclvm_vm::text::{characters, width};

use crate::diagnostics::report::ink::{Ink, Paint, plain};

/// The columns shown of a source line; a longer one would wrap and tear the marks from the text above them.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExcerptWidth(usize);

impl ExcerptWidth {
    /// The default, which fits most logs.
    pub(super) const USUAL: Self = Self(120);

    /// The fewest columns, below which nothing could be recognised.
    const LEAST: usize = 20;

    /// Returns the width that leaves room for a margin in a terminal of `columns`.
    pub(super) fn beside(margin: usize, columns: usize) -> Self {
        Self(columns.saturating_sub(margin).max(Self::LEAST))
    }

    /// Columns shown before the last mark of a line that is longer.
    const fn before(self) -> usize {
        self.0 * 2 / 3
    }

    /// Bytes of a line that are looked at on each side of a mark. More than fill the columns, also if
    /// letters carry combining marks; a line of megabytes is not measured.
    const fn reach(self) -> usize {
        self.0.saturating_mul(16)
    }
}

/// A marked part of a line.
#[derive(Clone, Debug)]
pub(super) struct LineMark<'m> {
    /// The bytes of the line. An empty range, or one behind the line, is marked with one sign.
    pub(super) bytes: Range<usize>,
    /// The sign that is repeated below the part.
    pub(super) sign: char,
    /// The looks of the sign and the text.
    pub(super) paint: Paint,
    /// The label of the part; may be empty.
    pub(super) text: &'m str,
}

/// Divides the marks of a line into groups, each of which fits in one excerpt, and sorts them.
pub(super) fn groups<'m>(
    line: &str,
    mut marks: Vec<LineMark<'m>>,
    shown: ExcerptWidth,
) -> Vec<Vec<LineMark<'m>>> {
    marks.sort_by_key(|mark| (mark.bytes.start, mark.bytes.end));
    let mut groups: Vec<Vec<LineMark<'m>>> = Vec::new();
    for mark in marks {
        let fits = |group: &&mut Vec<LineMark<'m>>| {
            let first = group.first().map_or(0, |first| first.bytes.start);
            first >= cut(line, mark.bytes.start, shown)
        };
        match groups.last_mut().filter(fits) {
            Some(group) => group.push(mark),
            None => groups.push(vec![mark]),
        }
    }
    groups
}

/// Returns the byte from which a line is shown so that what is at `byte` can be seen.
fn cut(line: &str, byte: usize, shown: ExcerptWidth) -> usize {
    let end = floor(line, byte);
    let reached = floor(line, end.saturating_sub(shown.reach()));
    let mut start = end;
    let mut columns = 0;
    for cluster in characters(&line[reached..end]).rev() {
        columns += width(&plain(cluster));
        if columns > shown.before() {
            return start;
        }
        start -= cluster.len();
    }
    reached
}

/// Returns the start of the character at `byte`, or the end of the text.
fn floor(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// A line, cut to the columns that are shown.
pub(super) struct LineExcerpt<'m> {
    /// The text.
    pub(super) text: String,
    /// The first byte of each character shown, with its column; the last entry is the end.
    clusters: Vec<(usize, usize)>,
    marks: Vec<LineMark<'m>>,
}

/// A character of a row, with its looks.
type Cell = (char, Paint);

impl<'m> LineExcerpt<'m> {
    /// Creates the excerpt of a line for one of its [`groups`] of marks.
    pub(super) fn new(line: &str, marks: Vec<LineMark<'m>>, shown: ExcerptWidth) -> Self {
        let begin = cut(line, marks.last().map_or(0, |mark| mark.bytes.start), shown);
        let mut text = String::from(if begin > 0 { "…" } else { "" });
        let (mut column, mut byte) = (width(&text), begin);
        let mut clusters = Vec::new();
        let end = floor(line, begin.saturating_add(shown.reach().saturating_mul(2)));
        let limit = column + shown.0;
        for cluster in characters(&line[begin..end]) {
            let safe = plain(cluster);
            if column + width(&safe) > limit {
                break;
            }
            clusters.push((byte, column));
            text.push_str(&safe);
            column += width(&safe);
            byte += cluster.len();
        }
        clusters.push((byte, column));
        Self { text, clusters, marks }
    }

    /// Returns the columns below which a mark is drawn, at least one.
    fn columns(&self, mark: &LineMark<'_>) -> Range<usize> {
        let at = |index: usize| self.clusters.get(index).or(self.clusters.last()).map_or(0, |found| found.1);
        let start = at(self.clusters.partition_point(|found| found.0 <= mark.bytes.start).saturating_sub(1));
        let end = at(self.clusters.partition_point(|found| found.0 < mark.bytes.end));
        start..end.max(start + 1)
    }

    /// Returns the rows below the text.
    pub(super) fn rows(&self) -> Vec<MarkRow> {
        let mut signs = MarkRow::default();
        for mark in &self.marks {
            for column in self.columns(mark) {
                signs.put(column, (mark.sign, mark.paint));
            }
        }
        // The mark that begins last has its text beside it, the others below.
        let (last, others) = match self.marks.split_last() {
            Some((last, others)) if !last.text.is_empty() => (Some(last), others),
            _ => (None, &self.marks[..]),
        };
        if let Some(last) = last {
            let after = signs.cells.len();
            signs.say(after + 1, last);
        }
        let mut rows = vec![signs];
        let labelled: Vec<&LineMark<'_>> = others.iter().filter(|mark| !mark.text.is_empty()).collect();
        if !labelled.is_empty() {
            rows.push(self.stems(&labelled));
        }
        for at in (0..labelled.len()).rev() {
            let mut row = self.stems(&labelled[..at]);
            row.say(self.columns(labelled[at]).start, labelled[at]);
            rows.push(row);
        }
        rows
    }

    /// Returns the lines from marks down to their texts.
    fn stems(&self, marks: &[&LineMark<'_>]) -> MarkRow {
        let mut row = MarkRow::default();
        for mark in marks {
            row.put(self.columns(mark).start, ('|', mark.paint));
        }
        row
    }
}

/// A row of marks or of their texts.
#[derive(Default)]
pub(super) struct MarkRow {
    cells: Vec<Cell>,
}

impl MarkRow {
    /// Sets the character of a column. A primary mark stays where another one is below the same column.
    fn put(&mut self, column: usize, cell: Cell) {
        if self.cells.len() <= column {
            self.cells.resize(column + 1, (' ', Paint::Text));
        }
        if self.cells[column].0 != '^' {
            self.cells[column] = cell;
        }
    }

    /// Writes the text of a mark from a column on, in place of what is there.
    fn say(&mut self, column: usize, mark: &LineMark<'_>) {
        self.cells.resize(column, (' ', Paint::Text));
        self.cells.extend(plain(mark.text).chars().map(|c| (c, mark.paint)));
    }

    /// Writes the row without blanks at its end.
    pub(super) fn write(&self, ink: &mut Ink<'_, '_>) -> std::fmt::Result {
        for run in self.cells.chunk_by(|a, b| a.1 == b.1) {
            let text: String = run.iter().map(|cell| cell.0).collect();
            ink.write(run[0].1, &text)?;
        }
        Ok(())
    }
}
