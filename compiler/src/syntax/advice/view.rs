//! The tokens around a mistake: neighbours, enclosing brackets, operands.
//!
//! The grammar has given up where these functions look, so they know brackets, operands and lines, but
//! no productions. Every search ends after [`REACH`] tokens.

use hclvm_vm::Span;

use crate::syntax::token::{Token, TokenKind};

/// Tokens that a search passes. What is further away does not explain a mistake, and a text with many
/// mistakes stays cheap.
const REACH: usize = 4_000;

/// The tokens of a text without its comments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenView<'v> {
    pub(crate) text: &'v str,
    pub(crate) tokens: &'v [Token],
}

/// The innermost construct around a token, with the index of its opening token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Enclosing {
    File,
    Block(usize),
    Object(usize),
    Tuple(usize),
    Index(usize),
    Call(usize),
    Parens(usize),
    /// A `for` expression in square brackets or braces.
    For(usize),
    /// `${ }`
    Interpolation(usize),
    /// `%{ }`
    Directive(usize),
    /// Text of a quoted template or heredoc.
    Literal(usize),
}

impl Enclosing {
    /// Returns the index of the opening token.
    pub(super) fn open(self) -> Option<usize> {
        match self {
            Self::File => None,
            Self::Block(open)
            | Self::Object(open)
            | Self::Tuple(open)
            | Self::Index(open)
            | Self::Call(open)
            | Self::Parens(open)
            | Self::For(open)
            | Self::Interpolation(open)
            | Self::Directive(open)
            | Self::Literal(open) => Some(open),
        }
    }

    /// Returns true if a line break ends an item here.
    pub(super) fn minds_newlines(self) -> bool {
        matches!(self, Self::File | Self::Block(_) | Self::Object(_))
    }

    /// Returns true if the items are arguments and blocks.
    pub(super) fn is_body(self) -> bool {
        matches!(self, Self::File | Self::Block(_))
    }
}

impl<'v> TokenView<'v> {
    /// Returns the index of a token of the text.
    pub(super) fn index_of(&self, token: Token) -> Option<usize> {
        let from = self.tokens.partition_point(|other| other.span.start < token.span.start);
        (from..self.tokens.len()).take(3).find(|&at| self.tokens[at] == token)
    }

    pub(super) fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::Eof, |token| token.kind)
    }

    pub(super) fn span(&self, at: usize) -> Span {
        self.tokens.get(at).or(self.tokens.last()).map_or(Span::default(), |token| token.span)
    }

    pub(super) fn slice(&self, at: usize) -> &'v str {
        self.span(at).slice(self.text)
    }

    /// Returns the text between two offsets.
    pub(super) fn between(&self, start: u32, end: u32) -> &'v str {
        if start < end { Span::new(start, end).slice(self.text) } else { "" }
    }

    /// Returns the text of a range of tokens.
    pub(super) fn text_of(&self, (from, to): (usize, usize)) -> &'v str {
        self.between(self.span(from).start, self.span(to).end)
    }

    /// Returns the name at `at`, or an empty text if there is another token.
    pub(crate) fn word(&self, at: usize) -> &'v str {
        if self.kind(at) == TokenKind::Ident { self.slice(at) } else { "" }
    }

    /// Returns true if the token is the word `word`, in whatever case.
    pub(super) fn is_word(&self, at: usize, word: &str) -> bool {
        self.word(at).eq_ignore_ascii_case(word)
    }

    /// Returns the index of the token before `at`, line breaks skipped.
    pub(super) fn before(&self, at: usize) -> Option<usize> {
        (0..at.min(self.tokens.len()))
            .rev()
            .take(REACH)
            .find(|&before| self.kind(before) != TokenKind::Newline)
    }

    /// Returns the index of the token at `at` or after it that is not a line break.
    pub(crate) fn from(&self, at: usize) -> usize {
        (at..self.tokens.len()).find(|&after| self.kind(after) != TokenKind::Newline).unwrap_or(at)
    }

    /// Returns true if nothing is between the token and the next one.
    pub(super) fn touches_next(&self, at: usize) -> bool {
        self.span(at).end == self.span(at + 1).start
    }

    /// Returns true if the tokens from `at` on have these kinds, with nothing between them.
    pub(super) fn are(&self, at: usize, kinds: &[TokenKind]) -> bool {
        kinds
            .iter()
            .enumerate()
            .all(|(nth, kind)| self.kind(at + nth) == *kind && (nth == 0 || self.touches_next(at + nth - 1)))
    }

    /// Returns true for operators between two values.
    pub(super) fn is_operator(&self, at: usize) -> bool {
        use TokenKind::*;
        let is_arithmetic = matches!(self.kind(at), Plus | Minus | Star | Slash | Percent);
        let is_comparison =
            matches!(self.kind(at), EqualOp | NotEqual | LessThan | LessThanEq | GreaterThan | GreaterThanEq);
        is_arithmetic || is_comparison || matches!(self.kind(at), And | Or)
    }

    /// Returns true if the tokens from `at` on have these kinds.
    pub(super) fn are_in_order(&self, at: usize, kinds: &[TokenKind]) -> bool {
        kinds.iter().enumerate().all(|(nth, kind)| self.kind(at + nth) == *kind)
    }

    pub(super) fn begins_line(&self, at: usize) -> bool {
        at == 0 || self.kind(at - 1) == TokenKind::Newline
    }

    /// Returns the column of the first token on the line of this token, in bytes.
    pub(super) fn indentation(&self, at: usize) -> usize {
        let (start, _) = self.text.split_at(self.span(at).start as usize);
        let line = &self.text[start.rfind('\n').map_or(0, |newline| newline + 1)..];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    }

    pub(super) fn same_line(&self, one: usize, other: usize) -> bool {
        !self.between(self.span(one).end, self.span(other).start).contains('\n')
    }

    /// Returns the last token on the line of the token `at`.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let end = (at..self.tokens.len())
            .find(|&after| matches!(self.kind(after), TokenKind::Newline | TokenKind::Eof));
        end.and_then(|end| end.checked_sub(1)).unwrap_or(at)
    }

    pub(super) fn begins_operand(&self, at: usize) -> bool {
        use TokenKind::*;
        matches!(
            self.kind(at),
            Ident | NumberLit | OQuote | OHeredoc | OParen | OBrack | OBrace | Bang | Minus
        )
    }

    pub(super) fn ends_operand(&self, at: usize) -> bool {
        use TokenKind::*;
        matches!(self.kind(at), Ident | NumberLit | CQuote | CHeredoc | CParen | CBrack | CBrace)
    }

    /// Returns the first token of a kind among `from..to` that is in no bracket between them, and before the
    /// end of the bracket around them.
    pub(super) fn find_inside(&self, from: usize, to: usize, wanted: TokenKind) -> Option<usize> {
        let mut inside = 0usize;
        for at in from..to.min(self.tokens.len()) {
            let kind = self.kind(at);
            if inside == 0 && kind == wanted {
                return Some(at);
            } else if opens(kind) {
                inside += 1;
            } else if closes(kind) {
                inside = inside.checked_sub(1)?;
            }
        }
        None
    }

    /// Returns the innermost opening token before `at` that is not closed before it.
    pub(super) fn opener(&self, at: usize) -> Option<usize> {
        let mut closed = 0usize;
        for before in (0..at.min(self.tokens.len())).rev().take(REACH) {
            let kind = self.kind(before);
            if closes(kind) {
                closed += 1;
            } else if opens(kind) {
                if closed == 0 {
                    return Some(before);
                }
                closed -= 1;
            }
        }
        None
    }

    /// Returns the token that closes the opening token at `open`.
    pub(super) fn closer(&self, open: usize) -> Option<usize> {
        let mut inside = 0usize;
        for after in (open + 1..self.tokens.len()).take(REACH) {
            let kind = self.kind(after);
            if opens(kind) {
                inside += 1;
            } else if closes(kind) {
                if inside == 0 {
                    return closer_of(self.kind(open)).is_some_and(|wanted| wanted == kind).then_some(after);
                }
                inside -= 1;
            }
        }
        None
    }

    pub(super) fn around(&self, at: usize) -> Enclosing {
        let Some(open) = self.opener(at) else { return Enclosing::File };
        let after_operand = open > 0 && self.ends_operand(open - 1) && self.same_line(open - 1, open);
        let is_for = self.word(self.from(open + 1)) == "for";
        match self.kind(open) {
            TokenKind::OBrack if after_operand => Enclosing::Index(open),
            TokenKind::OBrack | TokenKind::OBrace if is_for => Enclosing::For(open),
            TokenKind::OBrack => Enclosing::Tuple(open),
            TokenKind::OBrace if after_operand => Enclosing::Block(open),
            TokenKind::OBrace => Enclosing::Object(open),
            TokenKind::OParen if after_operand && self.kind(open - 1) == TokenKind::Ident => {
                Enclosing::Call(open)
            }
            TokenKind::OParen => Enclosing::Parens(open),
            TokenKind::TemplateInterp => Enclosing::Interpolation(open),
            TokenKind::TemplateControl => Enclosing::Directive(open),
            _ => Enclosing::Literal(open),
        }
    }

    /// Returns the range of the operand that ends before `at`: a literal, a bracket, or a name with all
    /// its postfixes.
    pub(super) fn operand_before(&self, at: usize) -> Option<(usize, usize)> {
        let last = self.before(at).filter(|&last| self.ends_operand(last))?;
        let mut first = last;
        loop {
            if closes(self.kind(first)) {
                first = self.opener(first)?;
            }
            let is_postfix = matches!(self.kind(first), TokenKind::OBrack | TokenKind::OParen);
            let before = first.checked_sub(1);
            match before {
                Some(before) if is_postfix && self.ends_operand(before) => first = before,
                Some(dot) if self.kind(dot) == TokenKind::Dot && dot > 0 => first = dot - 1,
                _ => return Some((first, last)),
            }
        }
    }

    /// Returns the range of the operand that begins at `at`.
    pub(super) fn operand_from(&self, at: usize) -> Option<(usize, usize)> {
        if !self.begins_operand(at) {
            return None;
        }
        let first = at;
        let mut last = at;
        while matches!(self.kind(last), TokenKind::Bang | TokenKind::Minus) {
            last += 1;
        }
        loop {
            if opens(self.kind(last)) {
                last = self.closer(last)?;
            }
            match self.kind(last + 1) {
                TokenKind::OBrack | TokenKind::OParen => last += 1,
                TokenKind::Dot => last += 2,
                _ => return self.ends_operand(last).then_some((first, last)),
            }
        }
    }

    /// Returns true if an expression begins after the token before `at`, so that an operand at `at` is
    /// its first.
    pub(super) fn begins_expression(&self, at: usize) -> bool {
        use TokenKind::*;
        let Some(before) = at.checked_sub(1) else { return true };
        matches!(
            self.kind(before),
            Equal | Colon | Comma | OParen | OBrack | OBrace | Question | FatArrow | TemplateInterp | Newline
        )
    }

    /// Returns true if the token at `at` ends an expression before it.
    pub(super) fn ends_expression(&self, at: usize) -> bool {
        use TokenKind::*;
        matches!(
            self.kind(at),
            Eof | Newline | Comma | CParen | CBrack | CBrace | TemplateSeqEnd | Colon | FatArrow | Question
        )
    }

    /// Returns the range of the whole expression around `at`: up to a separator or a bracket that is
    /// outside of it.
    pub(super) fn expression_around(&self, at: usize) -> Option<(usize, usize)> {
        let at = if closes(self.kind(at)) { self.opener(at)? } else { at };
        let around = self.around(at);
        let mut first = at;
        while first > 0 && at - first < REACH {
            let before = first - 1;
            let kind = self.kind(before);
            if closes(kind) {
                first = self.opener(before)?;
            } else if opens(kind)
                || matches!(kind, TokenKind::Equal | TokenKind::Comma)
                || kind == TokenKind::Newline && around.minds_newlines()
            {
                break;
            } else {
                first = before;
            }
        }
        let mut last = at;
        loop {
            let kind = self.kind(last);
            if opens(kind) {
                last = self.closer(last)?;
            } else if closes(kind)
                || matches!(kind, TokenKind::Eof | TokenKind::Comma)
                || kind == TokenKind::Newline && around.minds_newlines()
            {
                return last.checked_sub(1).filter(|last| *last >= first).map(|last| (first, last));
            }
            last += 1;
            if last - at > REACH {
                return None;
            }
        }
    }

    /// Returns the first token of the item that contains `at`: what follows a separator of the construct
    /// around it, or its opening token.
    pub(super) fn item_start(&self, at: usize) -> usize {
        let minds = self.around(at).minds_newlines();
        let mut first = at;
        while first > 0 && at - first < REACH {
            let kind = self.kind(first - 1);
            if closes(kind) {
                match self.opener(first - 1) {
                    Some(open) => first = open,
                    None => break,
                }
            } else if opens(kind) || kind == TokenKind::Comma || kind == TokenKind::Newline && minds {
                break;
            } else {
                first -= 1;
            }
        }
        first
    }
}

/// Returns true for the tokens that open a bracket, a string or a template sequence.
pub(crate) fn opens(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, OBrace | OBrack | OParen | OQuote | OHeredoc | TemplateInterp | TemplateControl)
}

/// Returns true for the tokens that close what [`opens`] opens.
pub(crate) fn closes(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, CBrace | CBrack | CParen | CQuote | CHeredoc | TemplateSeqEnd)
}

/// Returns the token that closes what `kind` opens.
pub(crate) fn closer_of(kind: TokenKind) -> Option<TokenKind> {
    Some(match kind {
        TokenKind::OBrace => TokenKind::CBrace,
        TokenKind::OBrack => TokenKind::CBrack,
        TokenKind::OParen => TokenKind::CParen,
        TokenKind::OQuote => TokenKind::CQuote,
        TokenKind::OHeredoc => TokenKind::CHeredoc,
        TokenKind::TemplateInterp | TokenKind::TemplateControl => TokenKind::TemplateSeqEnd,
        _ => return None,
    })
}

/// Returns how a bracket that `kind` opens is closed, as it is written.
pub(crate) fn closing_text(kind: TokenKind) -> Option<&'static str> {
    Some(match kind {
        TokenKind::OBrace | TokenKind::TemplateInterp | TokenKind::TemplateControl => "}",
        TokenKind::OBrack => "]",
        TokenKind::OParen => ")",
        TokenKind::OQuote => "\"",
        _ => return None,
    })
}
