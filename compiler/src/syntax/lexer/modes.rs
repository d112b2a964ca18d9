//! The three logos lexers, one for each mode: code, quoted text, and lines of a heredoc or template.
//!
//! The only file that names logos. Each function here recognizes single tokens of one mode; which
//! mode applies where is decided by the stack in [`super`].

use std::ops::Range;

use logos::{Lexer, Logos};

use super::identifier::{continue_length, identifier_length, is_start};
use crate::source::BAD_BYTE;
use crate::syntax::token::TokenKind;

/// State that the code lexer keeps between tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CodeState {
    /// Set once a search for `*/` has failed: it would fail from any later place too. Without this, a
    /// text of many `/*` would take quadratic time.
    no_comment_end: bool,
}

/// Returns the first token of code at or after `at`, blanks skipped; `None` at the end of the text.
pub(super) fn code_token(text: &str, at: usize, state: &mut CodeState) -> Option<(TokenKind, Range<usize>)> {
    let mut lexer = CodeToken::lexer_with_extras(text, *state);
    lexer.bump(at);
    let Some(Ok(CodeToken::Kind(kind))) = lexer.next() else { return None };
    *state = lexer.extras;
    Some((kind, lexer.span()))
}

/// Returns the token of quoted text that begins at `at`, with its end.
pub(super) fn quoted_token(text: &str, at: usize) -> Option<(TokenKind, usize)> {
    let mut lexer = QuotedToken::lexer(text);
    lexer.bump(at);
    let Some(Ok(QuotedToken::Kind(kind))) = lexer.next() else { return None };
    Some((kind, lexer.span().end))
}

/// Returns the tokens of a heredoc or template from `at` on.
pub(super) fn line_tokens(text: &str, at: usize) -> impl Iterator<Item = (TokenKind, Range<usize>)> {
    let mut lexer = LineToken::lexer(text);
    lexer.bump(at);
    lexer.spanned().map_while(|(token, range)| {
        let LineToken::Kind(kind) = token.ok()?;
        Some((kind, range))
    })
}

/// A token outside strings. Blanks are skipped.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t]+", extras = CodeState)]
enum CodeToken {
    #[token("{", |_| TokenKind::OBrace)]
    #[token("}", |_| TokenKind::CBrace)]
    #[token("~}", |_| TokenKind::TemplateSeqEnd)]
    #[token("[", |_| TokenKind::OBrack)]
    #[token("]", |_| TokenKind::CBrack)]
    #[token("(", |_| TokenKind::OParen)]
    #[token(")", |_| TokenKind::CParen)]
    #[token("\"", |_| TokenKind::OQuote)]
    #[token("*", |_| TokenKind::Star)]
    #[token("/", slash)]
    #[token("#", line_comment)]
    #[token("+", |_| TokenKind::Plus)]
    #[token("-", |_| TokenKind::Minus)]
    #[token("%", |_| TokenKind::Percent)]
    #[token("=", |_| TokenKind::Equal)]
    #[token("==", |_| TokenKind::EqualOp)]
    #[token("!=", |_| TokenKind::NotEqual)]
    #[token("<", less_than)]
    #[token(">", |_| TokenKind::GreaterThan)]
    #[token(">=", |_| TokenKind::GreaterThanEq)]
    #[token("&&", |_| TokenKind::And)]
    #[token("||", |_| TokenKind::Or)]
    #[token("!", |_| TokenKind::Bang)]
    #[token(".", |_| TokenKind::Dot)]
    #[token(",", |_| TokenKind::Comma)]
    #[token("::", |_| TokenKind::DoubleColon)]
    #[token("...", |_| TokenKind::Ellipsis)]
    #[token("=>", |_| TokenKind::FatArrow)]
    #[token("?", |_| TokenKind::Question)]
    #[token(":", |_| TokenKind::Colon)]
    #[token("&", |_| TokenKind::BitwiseAnd)]
    #[token("|", |_| TokenKind::BitwiseOr)]
    #[token("~", |_| TokenKind::BitwiseNot)]
    #[token("^", |_| TokenKind::BitwiseXor)]
    #[token("`", |_| TokenKind::Backtick)]
    #[token("'", |_| TokenKind::Apostrophe)]
    #[token(";", |_| TokenKind::Semicolon)]
    #[token("\n", |_| TokenKind::Newline)]
    #[token("\r\n", |_| TokenKind::Newline)]
    #[regex("[0-9]", number)]
    #[regex("[A-Za-z_]", identifier)]
    #[regex(r"[^\x00-\x7F]", wide)]
    #[regex(r"[\x00-\x7F]", |_| TokenKind::Invalid, priority = 0)]
    Kind(TokenKind),
}

/// A token of quoted text.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
enum QuotedToken {
    #[token("\"", |_| TokenKind::CQuote)]
    #[regex(r"\$\{~?", |_| TokenKind::TemplateInterp)]
    #[regex(r"%\{~?", |_| TokenKind::TemplateControl)]
    #[regex(r"[\r\n]+", |_| TokenKind::QuotedNewline)]
    #[regex(r"\$|%", sign)]
    #[regex(r"\$\$\{|%%\{", |_| TokenKind::QuotedLit)]
    #[regex(r#"([^\\"$%\r\n\x1A]|\\[^\r\n\x1A])+"#, |_| TokenKind::QuotedLit)]
    #[regex(r"\x1A", |_| TokenKind::QuotedLit)]
    #[token("\\", |_| TokenKind::Invalid, priority = 0)]
    Kind(TokenKind),
}

/// A token of a heredoc or bare template. Literal text ends with its line, because each line may be
/// the closing marker. `Invalid` is a remainder of the text that cannot be divided into lines and
/// sequences.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
enum LineToken {
    #[regex(r"\$\{~?", |_| TokenKind::TemplateInterp)]
    #[regex(r"%\{~?", |_| TokenKind::TemplateControl)]
    #[regex(r"\$|%", sign_in_line)]
    #[regex(r"\$\$\{|%%\{|\x1A", |_| TokenKind::StringLit)]
    #[token("\r", rest)]
    #[regex(r"[^$%\r\n\x1A]+", |_| TokenKind::StringLit)]
    #[regex(r"[^$%\r\n\x1A]*\r?\n", |_| TokenKind::StringLit)]
    Kind(TokenKind),
}

/// Reads `/`, or a comment that begins with it. A `/*` that is never closed is not a comment.
fn slash(lexer: &mut Lexer<'_, CodeToken>) -> TokenKind {
    match lexer.remainder().as_bytes().first() {
        Some(b'/') => line_comment(lexer),
        Some(b'*') if !lexer.extras.no_comment_end => block_comment(lexer),
        _ => TokenKind::Slash,
    }
}

/// Reads the rest of a `/* */`, which may span lines.
fn block_comment(lexer: &mut Lexer<'_, CodeToken>) -> TokenKind {
    let end = lexer.remainder().get(1..).and_then(|rest| rest.find("*/"));
    let Some(length) = end else {
        lexer.extras.no_comment_end = true;
        return TokenKind::Slash;
    };
    lexer.bump(length + 3);
    TokenKind::Comment
}

/// Reads a `$` or `%` that begins no sequence: text, unless it is the last byte of an unclosed string.
fn sign(lexer: &mut Lexer<'_, QuotedToken>) -> TokenKind {
    if lexer.remainder().is_empty() { TokenKind::Invalid } else { TokenKind::QuotedLit }
}

/// Reads a `$` or `%` that begins no sequence, with the ASCII character between it and a line break if
/// there is exactly one, which may be a line break or another sign itself. The reference splits its tokens
/// there, and a strip marker removes only the white space of one token.
fn sign_in_line(lexer: &mut Lexer<'_, LineToken>) -> TokenKind {
    let mut rest = lexer.remainder().chars();
    let Some(next) = rest.next() else { return TokenKind::Invalid };
    if next.is_ascii() && !matches!(next, '{' | BAD_BYTE) && matches!(rest.next(), Some('\n' | '\r')) {
        lexer.bump(next.len_utf8());
    }
    TokenKind::StringLit
}

/// Reads a carriage return that ends no line, with everything after it: as in the reference, no later
/// sequence or closing marker is recognized.
fn rest(lexer: &mut Lexer<'_, LineToken>) -> TokenKind {
    lexer.bump(lexer.remainder().len());
    TokenKind::Invalid
}

/// Reads the rest of the line, its line break included.
fn line_comment(lexer: &mut Lexer<'_, CodeToken>) -> TokenKind {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').map_or(rest.len(), |newline| newline + 1));
    TokenKind::Comment
}

/// Reads `<`, `<=`, or the introduction of a heredoc: `<<MARK` directly followed by a line break.
fn less_than(lexer: &mut Lexer<'_, CodeToken>) -> TokenKind {
    let rest = lexer.remainder();
    if rest.starts_with('=') {
        lexer.bump(1);
        return TokenKind::LessThanEq;
    }
    match heredoc_introduction(rest) {
        Some(length) => {
            lexer.bump(length);
            TokenKind::OHeredoc
        }
        None => TokenKind::LessThan,
    }
}

/// Returns the length of `<MARK newline` or `<-MARK newline` at the start of `rest`.
fn heredoc_introduction(rest: &str) -> Option<usize> {
    let name = rest.strip_prefix('<')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    let after = &name[identifier_length(name)?..];
    let after = after.strip_prefix('\r').unwrap_or(after).strip_prefix('\n')?;
    Some(rest.len() - after.len())
}

/// Reads digits, dots and exponents up to the last digit: `1.2.3` is one (invalid) token, as in the
/// reference. An `e` that no digit follows ends the number.
fn number(lexer: &mut Lexer<'_, CodeToken>) -> TokenKind {
    let bytes = lexer.remainder().as_bytes();
    let mut digits = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => digits = at + 1,
            b'.' => {}
            b'e' | b'E' => match bytes.get(at + 1..) {
                Some([b'0'..=b'9', ..]) => {}
                Some([b'+' | b'-', b'0'..=b'9', ..]) => at += 1,
                _ => break,
            },
            _ => break,
        }
        at += 1;
    }
    lexer.bump(digits);
    TokenKind::NumberLit
}

/// Reads the rest of an identifier whose first character was recognized.
fn identifier(lexer: &mut Lexer<'_, CodeToken>) -> TokenKind {
    let length = continue_length(lexer.remainder());
    lexer.bump(length);
    TokenKind::Ident
}

/// Reads an identifier that begins with a character beyond ASCII, or an invalid character.
fn wide(lexer: &mut Lexer<'_, CodeToken>) -> TokenKind {
    match lexer.slice().chars().next() {
        Some(first) if is_start(first) => identifier(lexer),
        _ => TokenKind::Invalid,
    }
}
