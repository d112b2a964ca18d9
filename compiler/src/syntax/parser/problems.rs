//! Error reporting, and recovery: skipping tokens up to a place where parsing can resume.
//!
//! Once tokens have been skipped, the parser is in recovery until the end of the text: an unexpected
//! token is then a consequence of the first error and is not reported, while a complete construct
//! that is wrong still is. The functions here are cold, so that their calls are laid out behind the
//! code for valid texts.

use hclvm_vm::Span;

use super::Parser;
use crate::diagnostic::{Diagnostic, Make, MakeFound, MakeFoundWithin, MakeWithin};
use crate::syntax::advice::{self, Advice, TokenView, opens};
use crate::syntax::token::{FoundToken, Token, TokenKind};

impl<'t> Parser<'t> {
    /// Reports a problem, unless the parse has stopped.
    // Only invalid texts get here.
    #[cold]
    pub(crate) fn problem(&mut self, make: Make, subject: Span) {
        if !self.stopped() {
            self.report.push(make(subject));
        }
    }

    /// Reports a problem whose sentence was built by the caller.
    // Only invalid texts get here.
    #[cold]
    pub(crate) fn complain(&mut self, problem: Diagnostic) {
        if !self.stopped() {
            self.report.push(problem);
        }
    }

    /// Reports a problem that the token `found` revealed, even in recovery.
    // Only invalid texts get here.
    #[cold]
    // Inlined, the diagnostic under construction enlarges the stack frame of every expression.
    #[inline(never)]
    pub(crate) fn problem_at(&mut self, make: Make, subject: Span, found: Token) {
        self.complain_at(make(subject), found);
    }

    /// Like [`Parser::complain`], with advice about the token that revealed the problem.
    // Only invalid texts get here.
    #[cold]
    // Like `problem_at`.
    #[inline(never)]
    pub(crate) fn complain_at(&mut self, problem: Diagnostic, found: Token) {
        if self.is_told() {
            self.complain(advice::advised(self.view(), problem, found));
        } else {
            self.complain(problem);
        }
    }

    /// Returns true if the next problem will be kept, so that advice for it is not computed in vain.
    fn is_told(&self) -> bool {
        !self.stopped() && self.report.keeps_next()
    }

    /// Returns the tokens as advice sees them.
    pub(crate) fn view(&self) -> TokenView<'_> {
        TokenView { text: self.text, tokens: &self.tokens }
    }

    /// Reports a problem with advice that its place determines.
    // Only invalid texts get here.
    #[cold]
    pub(crate) fn complain_with(&mut self, problem: Diagnostic, advice: Advice) {
        self.complain(advice.add_to(problem));
    }

    /// Reports a problem before those that were found since `mark`.
    // Only invalid texts get here.
    #[cold]
    pub(crate) fn complain_before(&mut self, mark: usize, problem: Diagnostic, found: Token) {
        let problem = if self.is_told() { advice::advised(self.view(), problem, found) } else { problem };
        if !self.stopped() {
            self.report.insert(mark, problem);
        }
    }

    /// Reports a problem with its context.
    // Only invalid texts get here.
    #[cold]
    pub(crate) fn problem_within(&mut self, make: MakeWithin, subject: Span, context: Span) {
        if !self.stopped() {
            self.report.push(make(subject, context));
        }
    }

    /// Returns a token as messages show it.
    pub(crate) fn found(&self, token: Token) -> FoundToken<'t> {
        FoundToken::new(token, self.text)
    }

    /// Reports an unexpected token, unless the parser is in recovery.
    // Only invalid texts get here.
    #[cold]
    // Like `problem_at`.
    #[inline(never)]
    pub(crate) fn unexpected(&mut self, make: MakeFound, token: Token) {
        if !self.recovery {
            self.problem_found(make, token, token.span);
        }
    }

    /// Reports an unexpected token with its context, unless the parser is in recovery.
    // Only invalid texts get here.
    #[cold]
    // Like `problem_at`.
    #[inline(never)]
    pub(crate) fn unexpected_within(&mut self, make: MakeFoundWithin, token: Token, context: Span) {
        if !self.recovery {
            self.problem_found_within(make, token, context);
        }
    }

    /// Reports a problem that `token` revealed, even in recovery.
    // Only invalid texts get here.
    #[cold]
    // Like `problem_at`.
    #[inline(never)]
    pub(crate) fn problem_found(&mut self, make: MakeFound, token: Token, subject: Span) {
        self.complain_at(make(self.found(token), subject), token);
    }

    /// Reports an unexpected token with its context, even in recovery.
    // Only invalid texts get here.
    #[cold]
    // Like `problem_at`.
    #[inline(never)]
    pub(crate) fn problem_found_within(&mut self, make: MakeFoundWithin, token: Token, context: Span) {
        self.complain_at(make(self.found(token), token.span, context), token);
    }

    /// Reports a problem that the token `found` revealed, unless the parser is in recovery.
    // Only invalid texts get here.
    #[cold]
    // Like `problem_at`.
    #[inline(never)]
    pub(crate) fn surprise(&mut self, make: Make, subject: Span, found: Token) {
        if !self.recovery {
            self.complain_at(make(subject), found);
        }
    }

    /// Like [`Parser::surprise`], with the token as the subject, in a context.
    // Only invalid texts get here.
    #[cold]
    // Like `problem_at`.
    #[inline(never)]
    pub(crate) fn surprise_within(&mut self, make: MakeWithin, found: Token, context: Span) {
        if !self.recovery {
            self.complain_at(make(found.span, context), found);
        }
    }

    /// Skips to `wanted`, in place of which there is `found`, and reports that it is late, unless the
    /// parser is in recovery.
    // Only invalid texts get here.
    #[cold]
    // Like `problem_at`.
    #[inline(never)]
    pub(crate) fn lost(&mut self, make: Make, wanted: TokenKind, found: Token) {
        if !self.recovery {
            let subject = self.recover(wanted);
            self.complain_at(make(subject), found);
        }
    }

    /// Returns the number of problems so far, for [`Parser::failed_since`].
    pub(crate) fn mark(&self) -> usize {
        self.report.count()
    }

    /// Returns true if a problem was found since `mark` and tokens were skipped for it.
    // One test of a flag in valid texts; the rest is kept out of line below.
    #[inline(always)]
    pub(crate) fn failed_since(&self, mark: usize) -> bool {
        self.recovery && self.problem_since(mark)
    }

    // Only invalid texts get here.
    #[cold]
    // Keeps `failed_since`, which is inlined everywhere, to one test.
    #[inline(never)]
    fn problem_since(&self, mark: usize) -> bool {
        self.report.count() > mark
    }

    /// Skips to the end of the bracket, quote or sequence that `end` closes, and past it.
    // Only invalid texts get here.
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

    /// Skips to the next `opener`, and past the token `end` that closes it.
    // Only invalid texts get here.
    #[cold]
    pub(crate) fn recover_over(&mut self, opener: TokenKind, end: TokenKind) {
        self.recovery = true;
        while !self.next_is(opener) && !self.next_is(TokenKind::Eof) {
            self.read();
        }
        self.read();
        self.recover(end);
    }

    /// Skips the rest of a body item: past the next line break outside brackets and strings.
    // Only invalid texts get here.
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

/// Returns the opening token that a closing token matches.
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

/// Closes the innermost of `open` that `kind` matches, and everything inside it.
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
