//! Diagnostics with their source lines, for terminals and logs.
//!
//! ```text
//! error: Unknown variable
//!   --> policy.hcl:3:11
//!    |
//!  3 |   when  = usr.role == "admin"
//!    |           ^^^
//!    = There is no variable "usr" here. Did you mean "user"?
//! ```

use std::fmt;

use hclvm_vm::{Diagnostic, Severity};

use hclvm_compiler::source::Source;

/// Grapheme clusters shown of a source line; a longer one would wrap and tear the carets from the
/// text above them.
const WIDTH: usize = 120;

/// Displays diagnostics with the source lines they refer to, see
/// [`Diagnostics::report`](crate::Diagnostics::report).
///
/// Control and bidirectional formatting characters are replaced, so that a text cannot steer the
/// terminal or reorder the line.
#[derive(Clone, Copy, Debug)]
pub struct Report<'r> {
    source: &'r Source,
    list: &'r [Diagnostic],
}

impl<'r> Report<'r> {
    /// Creates a report of diagnostics about `source`.
    pub fn new(source: &'r Source, list: &'r [Diagnostic]) -> Self {
        Self { source, list }
    }

    fn one(&self, f: &mut fmt::Formatter<'_>, diagnostic: &Diagnostic) -> fmt::Result {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(f, "{severity}: {}", plain(&diagnostic.title))?;
        let Some(subject) = diagnostic.subject else {
            return writeln!(f, "  = {}", plain(&diagnostic.detail));
        };
        let (start, end) = self.source.range(subject);
        let digits = start.line.to_string().len();
        writeln!(f, "{:digits$}--> {}:{}:{}", " ", plain(self.source.name()), start.line, start.column)?;
        if let Some(line) = self.source.line(start.line) {
            let last = if end.line == start.line { end.column } else { u32::MAX };
            let (text, caret) = excerpt(line, start.column as usize - 1, last as usize - 1);
            writeln!(f, "{:digits$} |", " ")?;
            writeln!(f, "{} | {text}", start.line)?;
            writeln!(f, "{:digits$} | {caret}", " ")?;
        }
        for (at, line) in diagnostic.detail.lines().enumerate() {
            writeln!(f, "{:digits$} {} {}", " ", if at == 0 { "=" } else { " " }, plain(line))?;
        }
        Ok(())
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.list.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            self.one(f, diagnostic)?;
        }
        Ok(())
    }
}

/// Returns the part of a line around `start..end` (in grapheme clusters) and the carets below it.
fn excerpt(line: &str, start: usize, end: usize) -> (String, String) {
    let skipped = start.saturating_sub(WIDTH * 2 / 3);
    let (mut text, mut caret) = (String::new(), String::new());
    if skipped > 0 {
        text.push('…');
        caret.push(' ');
    }
    let mut at = skipped;
    for cluster in hclvm_vm::text::characters(line).skip(skipped).take(WIDTH) {
        text.push_str(&plain(cluster));
        // A tab is repeated below itself, so that both lines are equally wide.
        let marked = at >= start && at < end.max(start + 1);
        caret.push(if marked {
            '^'
        } else if cluster == "\t" {
            '\t'
        } else {
            ' '
        });
        at += 1;
    }
    if at <= start {
        caret.extend(std::iter::repeat_n(' ', start - at));
        caret.push('^');
    }
    (text, caret.trim_end().to_owned())
}

/// Replaces characters that could steer a terminal or reorder a line.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => '\t',
            c if c.is_control() => '\u{FFFD}',
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' => '\u{FFFD}',
            c => c,
        })
        .collect()
}
