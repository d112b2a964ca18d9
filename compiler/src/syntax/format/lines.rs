//! Lines of tokens, their cells and their indentation.
//!
//! A line ends with a line break that is a token, or with a line comment, which includes its line break. So a
//! heredoc with its lines is part of the line that it begins on.

use hclvm_vm::cast;

use crate::syntax::token::{Token, TokenKind};
use TokenKind::*;

/// The tokens of a line, by index.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenLine {
    pub(super) start: usize,
    /// The `=` of an attribute that ends on this line: as many brackets are closed after it as opened.
    pub(super) assign: Option<usize>,
    /// A comment at the end, with other tokens before it.
    pub(super) comment: Option<usize>,
    pub(super) end: usize,
}

impl TokenLine {
    /// Returns the lines of a text; none is empty.
    pub(super) fn split(tokens: &[Token], text: &str) -> Vec<Self> {
        // The end of the text belongs to no line.
        let body = tokens.split_last().map_or(tokens, |(_, body)| body);
        let mut start = 0;
        let of_tokens = |line: &[Token]| {
            let first = start;
            start += line.len();
            Self::new(line, first)
        };
        body.split_inclusive(|token| ends_line(*token, text)).map(of_tokens).collect()
    }

    fn new(tokens: &[Token], start: usize) -> Self {
        let last = tokens.len().saturating_sub(1);
        let comment = (last > 0 && tokens[last].kind == Comment).then_some(last);
        let code = &tokens[..comment.unwrap_or(tokens.len())];
        let equal = code.iter().skip(1).position(|token| token.kind == Equal).map(|at| at + 1);
        let assign = equal.filter(|at| code[*at..].iter().map(|token| bracket(token.kind)).sum::<i64>() == 0);
        let place = |index: usize| start + index;
        Self { start, assign: assign.map(place), comment: comment.map(place), end: start + tokens.len() }
    }

    /// Returns how many more brackets the line opens than it closes. In front of an aligned `=`, or without
    /// one, what follows the start of a heredoc is not counted.
    pub(super) fn net_brackets(&self, tokens: &[Token]) -> i64 {
        let counted = &tokens[self.start..self.assign.unwrap_or(self.end)];
        let end = counted.iter().position(|token| token.kind == OHeredoc).unwrap_or(counted.len());
        counted[..end].iter().map(|token| bracket(token.kind)).sum()
    }
}

fn ends_line(token: Token, text: &str) -> bool {
    token.kind == Newline || (token.kind == Comment && token.span.slice(text).ends_with('\n'))
}

/// Returns 1 for a token that opens a bracket, -1 for one that closes a bracket, else 0.
pub(super) fn bracket(kind: TokenKind) -> i64 {
    match kind {
        OBrace | OBrack | OParen | TemplateInterp | TemplateControl => 1,
        CBrace | CBrack | CParen | TemplateSeqEnd => -1,
        _ => 0,
    }
}

/// The lines that enclose the current one: for each, the brackets that it left open. However many brackets a
/// line opens, what it encloses is indented by one level.
#[derive(Debug, Default)]
pub(super) struct Indentation(Vec<i64>);

impl Indentation {
    /// Spaces of one level.
    const LEVEL: usize = 2;

    /// Returns the blanks before a line that opens `net` more brackets than it closes.
    pub(super) fn of_line(&mut self, net: i64) -> u32 {
        let mut closing = (-net).max(0);
        while closing > 0
            && let Some(open) = self.0.last_mut()
        {
            let closed = closing.min(*open);
            closing -= closed;
            *open -= closed;
            if *open == 0 {
                self.0.pop();
            }
        }
        let blanks = cast::length(Self::LEVEL * self.0.len());
        if net > 0 {
            self.0.push(net);
        }
        blanks
    }
}
