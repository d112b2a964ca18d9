//! Diagnostics with their source lines, for terminals and logs.
//!
//! ```text
//! error[unknown-variable]: Unknown variable
//!  --> policy.hcl:3:11, in rule "admins"
//!   |
//! 3 |   when  = usr.role == "admin"
//!   |           ^^^
//!   = There is no variable "usr" here. Did you mean "user"?
//! help: replace `usr` by `user`
//!   |
//! 3 |   when  = user.role == "admin"
//!   |           ~~~~
//! ```
//!
//! The rendering is our own because annotate-snippets prints a line of megabytes whole if two of its places
//! are far apart, and leaves bidirectional marks, C1 controls and everything in the texts of labels as they
//! are. Its columns also count code points, where positions here count grapheme clusters.

mod excerpt;
mod ink;
mod proposal;

use std::fmt;

use hclvm_compiler::source::Source;
use hclvm_vm::{Additions, Diagnostic, Label, Replacement, Severity, Span, cast};

use excerpt::{ExcerptWidth, LineExcerpt, LineMark, groups};
pub use ink::steers_terminal;
use ink::{Ink, Paint, plain};
use proposal::{changed_lines, sentence};

/// Displays diagnostics with the source lines they refer to, see
/// [`Diagnostics::report`](crate::Diagnostics::report).
///
/// Control and bidirectional formatting characters are replaced, so that a text cannot steer the
/// terminal or reorder the line. Carets are placed by the width of characters in a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Report<'r> {
    source: &'r Source,
    list: &'r [Diagnostic],
    colored: bool,
    /// The columns of the terminal, if they are known.
    columns: Option<usize>,
}

impl<'r> Report<'r> {
    /// Creates a report of diagnostics about `source`.
    pub fn new(source: &'r Source, list: &'r [Diagnostic]) -> Self {
        Self { source, list, colored: false, columns: None }
    }

    /// Adds the escape sequences of ANSI terminals for colours. Whether the output is a terminal that
    /// shows them is the caller's to know.
    pub fn colored(self) -> Self {
        Self { colored: true, ..self }
    }

    /// Cuts source lines so that they fit in a terminal with this number of columns. Sentences are not
    /// cut. Without it, 120 columns of a line are shown.
    pub fn columns(self, columns: usize) -> Self {
        Self { columns: Some(columns), ..self }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ink = Ink::new(f, self.colored);
        for (at, diagnostic) in self.list.iter().enumerate() {
            if at > 0 {
                ink.line()?;
            }
            Drawing::new(self.source, diagnostic, self.columns).draw(&mut ink)?;
        }
        Ok(())
    }
}

/// A marked line of the source.
struct MarkedLine<'d> {
    number: u32,
    mark: LineMark<'d>,
}

/// One diagnostic that is being drawn.
struct Drawing<'d> {
    source: &'d Source,
    diagnostic: &'d Diagnostic,
    additions: Option<&'d Additions>,
    /// The looks of the severity.
    paint: Paint,
    /// The width of the largest line number.
    digits: usize,
    /// The width of source lines.
    width: ExcerptWidth,
}

impl<'d> Drawing<'d> {
    fn new(source: &'d Source, diagnostic: &'d Diagnostic, columns: Option<usize>) -> Self {
        let paint = match diagnostic.severity {
            Severity::Error => Paint::Error,
            Severity::Warning => Paint::Warning,
        };
        let additions = diagnostic.additions.as_deref();
        let mut drawing =
            Self { source, diagnostic, additions, paint, digits: 1, width: ExcerptWidth::USUAL };
        let labelled = drawing.labels().iter().map(|label| label.span);
        let changed = drawing.replacements().iter().map(|change| change.span);
        let places = diagnostic.subject.into_iter().chain(labelled).chain(changed);
        let last = places.map(|span| source.position(span.start).line).max().unwrap_or(1);
        drawing.digits = last.to_string().len();
        // The line number, ` | ` and the sign of a cut.
        let margin = drawing.digits + 4;
        drawing.width = columns.map_or(ExcerptWidth::USUAL, |columns| ExcerptWidth::beside(margin, columns));
        drawing
    }

    fn labels(&self) -> &'d [Label] {
        self.additions.map_or(&[], |additions| &additions.labels)
    }

    fn replacements(&self) -> &'d [Replacement] {
        self.additions.map_or(&[], |additions| &additions.replacements)
    }

    fn draw(&self, ink: &mut Ink<'_, '_>) -> fmt::Result {
        let severity = match self.diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        ink.write(self.paint, &format!("{severity}[{}]", self.diagnostic.code()))?;
        ink.write(Paint::Title, &format!(": {}", plain(&self.diagnostic.title)))?;
        ink.line()?;
        if let Some(subject) = self.diagnostic.subject {
            self.place(ink, subject)?;
            self.lines(ink, subject)?;
        }
        self.notes(ink)?;
        self.replacements().iter().try_for_each(|change| self.proposal(ink, change))
    }

    /// The name of the source, the position, and the blocks around it from the innermost.
    fn place(&self, ink: &mut Ink<'_, '_>, subject: Span) -> fmt::Result {
        let start = self.source.range(subject).0;
        ink.write(Paint::Margin, &format!("{:1$}-->", "", self.digits))?;
        let name = plain(self.source.name());
        let blocks = self.additions.map_or(&[][..], |additions| &additions.blocks);
        let around: Vec<&str> = blocks.iter().rev().map(String::as_str).collect();
        let around = if around.is_empty() { String::new() } else { format!(", in {}", around.join(" of ")) };
        ink.write(Paint::Text, &format!(" {name}:{}:{}{}", start.line, start.column, plain(&around)))?;
        ink.line()
    }

    /// The source lines of all places, in the order of the text.
    fn lines(&self, ink: &mut Ink<'_, '_>, subject: Span) -> fmt::Result {
        let mut marked: Vec<MarkedLine<'d>> = Vec::new();
        let own = self.labels().iter().find(|label| label.span == subject);
        marked.extend(self.mark(subject, '^', self.paint, own.map_or("", |label| &label.text)));
        for label in self.labels().iter().filter(|label| label.span != subject) {
            marked.extend(self.mark(label.span, '-', Paint::Margin, &label.text));
        }
        marked.sort_by_key(|line| line.number);
        let mut previous = None;
        while let Some(number) = marked.first().map(|line| line.number) {
            let rest = marked.split_off(marked.partition_point(|line| line.number == number));
            let marks = std::mem::replace(&mut marked, rest).into_iter().map(|line| line.mark).collect();
            match previous {
                None => self.margin(ink, "", "")?,
                Some(previous) => self.between(ink, previous, number)?,
            }
            previous = Some(number);
            self.excerpts(ink, number, self.source.line(number).unwrap_or_default(), marks)?;
        }
        Ok(())
    }

    /// The part between two marked lines: nothing, one line, or a gap.
    fn between(&self, ink: &mut Ink<'_, '_>, previous: u32, number: u32) -> fmt::Result {
        match number - previous {
            0 | 1 => Ok(()),
            // A single line takes no more room than the gap.
            2 => {
                let line = self.source.line(previous + 1).unwrap_or_default();
                self.margin(
                    ink,
                    &(previous + 1).to_string(),
                    &LineExcerpt::new(line, Vec::new(), self.width).text,
                )
            }
            _ => {
                ink.write(Paint::Margin, "...")?;
                ink.line()
            }
        }
    }

    /// Returns the first line of a place with its mark.
    fn mark(&self, span: Span, sign: char, paint: Paint, text: &'d str) -> Option<MarkedLine<'d>> {
        let (start, end) = self.source.range(span);
        let line = self.source.line(start.line)?;
        let offset = cast::index(self.source.line_start(start.line)?);
        let from = cast::index(start.byte).saturating_sub(offset).min(line.len());
        let to =
            if end.line == start.line { cast::index(end.byte).saturating_sub(offset) } else { line.len() };
        let bytes = from..to.clamp(from, line.len());
        Some(MarkedLine { number: start.line, mark: LineMark { bytes, sign, paint, text } })
    }

    /// A line of a text with marks below, in as many excerpts as the marks need.
    fn excerpts(
        &self,
        ink: &mut Ink<'_, '_>,
        number: u32,
        line: &str,
        marks: Vec<LineMark<'_>>,
    ) -> fmt::Result {
        for group in groups(line, marks, self.width) {
            let excerpt = LineExcerpt::new(line, group, self.width);
            self.margin(ink, &number.to_string(), &excerpt.text)?;
            for row in excerpt.rows() {
                ink.write(Paint::Margin, &format!("{:1$} |", "", self.digits))?;
                ink.write(Paint::Text, " ")?;
                row.write(ink)?;
                ink.line()?;
            }
        }
        Ok(())
    }

    /// A line number, or the blanks in its place, and a text.
    fn margin(&self, ink: &mut Ink<'_, '_>, number: &str, text: &str) -> fmt::Result {
        ink.write(Paint::Margin, &format!("{number:0$} |", self.digits))?;
        if !text.is_empty() {
            ink.write(Paint::Text, &format!(" {text}"))?;
        }
        ink.line()
    }

    /// The detail and the values, each behind a `=`.
    fn notes(&self, ink: &mut Ink<'_, '_>) -> fmt::Result {
        self.note(ink, &self.diagnostic.detail)?;
        let Some(additions) = self.additions else { return Ok(()) };
        for value in &additions.values {
            self.note(ink, &format!("{} is {}", value.path, value.shown))?;
        }
        if additions.further {
            self.note(ink, "Found after an earlier problem of this item, which may be its cause.")?;
        }
        Ok(())
    }

    fn note(&self, ink: &mut Ink<'_, '_>, text: &str) -> fmt::Result {
        for (at, line) in text.lines().enumerate() {
            ink.write(
                Paint::Margin,
                &format!("{:1$} {2}", "", self.digits, if at == 0 { "=" } else { " " }),
            )?;
            if !line.is_empty() {
                ink.write(Paint::Text, &format!(" {}", plain(line)))?;
            }
            ink.line()?;
        }
        Ok(())
    }

    /// A proposed change: its sentence, and the lines as they would be.
    fn proposal(&self, ink: &mut Ink<'_, '_>, change: &Replacement) -> fmt::Result {
        ink.write(Paint::Help, "help")?;
        ink.write(Paint::Text, &format!(": {}", sentence(self.source, change)))?;
        ink.line()?;
        self.margin(ink, "", "")?;
        let sign = if change.span.is_empty() { '+' } else { '~' };
        for line in changed_lines(self.source, change) {
            let mark = LineMark { bytes: line.new.clone(), sign, paint: Paint::Help, text: "" };
            if line.new.is_empty() {
                // Of a text that is removed nothing remains to be marked.
                let excerpt = LineExcerpt::new(&line.text, vec![mark], self.width);
                self.margin(ink, &line.number.to_string(), &excerpt.text)?;
            } else {
                self.excerpts(ink, line.number, &line.text, vec![mark])?;
            }
        }
        Ok(())
    }
}
