//! The canonical style: the spaces between the tokens of a configuration file.
//!
//! ```text
//! a=1 # one            a   = 1    # one      a line has up to three cells: | a | = 1 | # one |
//! bbb = f( 2 )#two →   bbb = f(2) # two      consecutive lines align their cells
//! ```
//! Formatting chooses only the blanks before each token: the tokens, their order and the line breaks are those
//! of the text, so the meaning and the comments are, too. `gaps` holds the rules for neighbours on a line,
//! `lines` the cells of lines, their indentation and alignment. Every step is linear in the number of tokens.
//! Not to be confused with the tree, which is not needed here.

mod gaps;
mod lines;

use hclvm_vm::{cast, text};

use super::lexer::{LexMode, scan};
use super::token::{Token, TokenKind};
use crate::source::Input;
use lines::TokenLine;

/// The bytes that a formatted text would have, which is more than was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormattedTooLong(pub u64);

/// Returns a configuration file without syntax errors in the canonical style. Text with syntax errors should not be
/// formatted: its tokens may say little about what was meant.
///
/// # Errors
/// A formatted text longer than `longest` bytes is not built. Indentation and alignment repeat the width of
/// one line in others, so that it could be the square of the length of the text.
pub fn format(text: &str, longest: usize) -> Result<String, FormattedTooLong> {
    let tokens = scan(Input::from(text), LexMode::Config).tokens;
    let lines = TokenLine::split(&tokens, text);
    let mut layout = SpacedTokens { text, tokens: &tokens, gaps: vec![0; tokens.len()] };
    layout.space(&lines);
    layout.indent(&lines);
    layout.align(&lines, |line| line.assign);
    layout.align(&lines, |line| line.comment);
    layout.keep_end();
    layout.write(longest)
}

/// The tokens of a text with the number of blanks before each.
struct SpacedTokens<'t> {
    text: &'t str,
    tokens: &'t [Token],
    gaps: Vec<u32>,
}

impl SpacedTokens<'_> {
    /// Sets the gaps between neighbours on a line.
    fn space(&mut self, lines: &[TokenLine]) {
        for line in lines {
            for right in line.start + 1..line.end {
                self.gaps[right] = u32::from(gaps::is_spaced(self.text, &self.tokens[line.start..=right]));
            }
        }
    }

    /// Sets the gaps at the start of lines.
    fn indent(&mut self, lines: &[TokenLine]) {
        let mut indentation = lines::Indentation::default();
        for line in lines {
            if self.tokens[line.start].kind != TokenKind::Newline {
                self.gaps[line.start] = indentation.of_line(line.net_brackets(self.tokens));
            }
        }
    }

    /// Aligns a cell in each run of consecutive lines that have it, one column after the widest text before it.
    fn align(&mut self, lines: &[TokenLine], cell: impl Fn(&TokenLine) -> Option<usize>) {
        for run in lines.chunk_by(|one, next| cell(one).is_some() && cell(next).is_some()) {
            let before = |line: &TokenLine| cell(line).map(|at| (at, self.columns(line.start, at)));
            let cells: Vec<(usize, u32)> = run.iter().filter_map(before).collect();
            let widest = cells.iter().map(|(_, columns)| *columns).max().unwrap_or(0);
            for (at, columns) in cells {
                self.gaps[at] = widest - columns + 1;
            }
        }
    }

    /// Returns the width of the tokens `start..end` in grapheme clusters. Line breaks in heredocs and comments
    /// count as characters.
    fn columns(&self, start: usize, end: usize) -> u32 {
        let width = |token: &Token| {
            let text = token.span.slice(self.text);
            if text.is_ascii() { token.span.len() } else { text::characters(text).count() }
        };
        let tokens: usize = self.tokens[start..end].iter().map(width).sum();
        let gaps = self.gaps[start..end].iter().fold(0, |sum: u32, gap| sum.saturating_add(*gap));
        cast::length(tokens).saturating_add(gaps)
    }

    /// Keeps the blanks after the last line break, which belong to no line.
    fn keep_end(&mut self) {
        let end = self.tokens.len().saturating_sub(1);
        if let Some([last, eof]) = self.tokens.last_chunk() {
            self.gaps[end] = eof.span.start - last.span.end;
        }
    }

    /// Returns the text of the tokens with their gaps. A byte order mark is left out, as by the reference.
    fn write(&self, longest: usize) -> Result<String, FormattedTooLong> {
        let blanks: u64 = self.gaps.iter().map(|gap| u64::from(*gap)).sum();
        let length = blanks + self.tokens.iter().map(|token| token.span.len() as u64).sum::<u64>();
        let capacity = usize::try_from(length).ok().filter(|length| *length <= longest);
        let mut formatted = String::with_capacity(capacity.ok_or(FormattedTooLong(length))?);
        for (token, gap) in self.tokens.iter().zip(&self.gaps) {
            formatted.extend(std::iter::repeat_n(' ', cast::index(*gap)));
            formatted.push_str(token.span.slice(self.text));
        }
        Ok(formatted)
    }
}
