//! What happens when the text does not fit the grammar: reporting, and skipping to firm ground.
//!
//! Once tokens were skipped the parser is in recovery for good: a surprising token is then
//! no news, while a complete construct that is wrong still is. All of this is marked as cold: sound
//! texts are read the quicker for it.

use hclvm_vm::Span;

use super::Parser;
use crate::diagnostic::{Diagnostic, Make, MakeWithin};
use crate::syntax::token::TokenKind;

impl Parser<'_> {
    /// Reports a problem, unless the parse has stopped.
    #[cold]
    pub(crate) fn problem(&mut self, make: Make, subject: Span) {
        if !self.stopped() {
            self.report.push(make(subject));
        }
    }

    /// Reports a problem that took words of its own.
    #[cold]
    pub(crate) fn complain(&mut self, problem: Diagnostic) {
        if !self.stopped() {
            self.report.push(problem);
        }
    }

    /// Reports a problem before those found since `mark`.
    #[cold]
    pub(crate) fn complain_before(&mut self, mark: usize, problem: Diagnostic) {
        if !self.stopped() {
            self.report.insert(mark, problem);
        }
    }

    /// Reports a problem with its context.
    #[cold]
    pub(crate) fn problem_within(&mut self, make: MakeWithin, subject: Span, context: Span) {
        if !self.stopped() {
            self.report.push(make(subject, context));
        }
    }

    /// Reports a surprising token; after skipped tokens nothing is surprising.
    #[cold]
    pub(crate) fn surprise(&mut self, make: Make, subject: Span) {
        if !self.recovery {
            self.problem(make, subject);
        }
    }

    /// Reports a surprising token with its context.
    #[cold]
    pub(crate) fn surprise_within(&mut self, make: MakeWithin, subject: Span, context: Span) {
        if !self.recovery {
            self.problem_within(make, subject, context);
        }
    }

    /// Skips to `wanted` and reports that it came so late, unless the place is lost anyway.
    #[cold]
    pub(crate) fn lost(&mut self, make: Make, wanted: TokenKind) {
        if !self.recovery {
            let found = self.recover(wanted);
            self.problem(make, found);
        }
    }

    /// Where the report stands, for [`Parser::failed_since`].
    pub(crate) fn mark(&self) -> usize {
        self.report.count()
    }

    /// Whether a problem was found since `mark` that made the cursor lose its place.
    #[inline(always)]
    pub(crate) fn failed_since(&self, mark: usize) -> bool {
        self.recovery && self.problem_since(mark)
    }

    #[cold]
    #[inline(never)]
    fn problem_since(&self, mark: usize) -> bool {
        self.report.count() > mark
    }

    /// Skips to the end of the bracket, quote or sequence that `end` closes and takes it.
    #[cold]
    pub(crate) fn recover(&mut self, end: TokenKind) -> Span {
        self.recovery = true;
        let opener = opener_of(end);
        let mut inside = 0u32;
        loop {
            let token = self.read();
            let kind = match token.kind {
                TokenKind::TemplateControl if end == TokenKind::TemplateSeqEnd => TokenKind::TemplateInterp,
                kind => kind,
            };
            if kind == TokenKind::Eof || (kind == end && inside == 0) {
                return token.span;
            }
            if kind == end {
                inside -= 1;
            } else if Some(kind) == opener {
                inside += 1;
            }
        }
    }

    /// Skips to the next `opener` and over everything up to what closes it.
    #[cold]
    pub(crate) fn recover_over(&mut self, opener: TokenKind, end: TokenKind) {
        self.recovery = true;
        while !self.next_is(opener) && !self.next_is(TokenKind::Eof) {
            self.read();
        }
        self.recover(end);
    }

    /// Skips the rest of a body item: to the line break that is in no bracket or string.
    #[cold]
    pub(crate) fn recover_item(&mut self) {
        self.recovery = true;
        let mut open: Vec<TokenKind> = Vec::new();
        loop {
            match self.read().kind {
                TokenKind::Newline if open.is_empty() => return,
                TokenKind::Eof => return,
                kind if opens(kind) => open.push(kind),
                kind => close_innermost(&mut open, kind),
            }
        }
    }
}

fn opens(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, OBrace | OBrack | OParen | OQuote | OHeredoc | TemplateInterp | TemplateControl)
}

/// What a closing token closes.
fn opener_of(kind: TokenKind) -> Option<TokenKind> {
    Some(match kind {
        TokenKind::CBrace => TokenKind::OBrace,
        TokenKind::CBrack => TokenKind::OBrack,
        TokenKind::CParen => TokenKind::OParen,
        TokenKind::CQuote => TokenKind::OQuote,
        TokenKind::CHeredoc => TokenKind::OHeredoc,
        TokenKind::TemplateSeqEnd => TokenKind::TemplateInterp,
        _ => return None,
    })
}

/// Closes the innermost of `open` that `kind` can close, and everything inside it.
fn close_innermost(open: &mut Vec<TokenKind>, kind: TokenKind) {
    let Some(opener) = opener_of(kind) else { return };
    while let Some(innermost) = open.pop() {
        let innermost = match innermost {
            TokenKind::TemplateControl => TokenKind::TemplateInterp,
            innermost => innermost,
        };
        if innermost == opener {
            return;
        }
    }
}
