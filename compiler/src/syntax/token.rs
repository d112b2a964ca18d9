//! Token kinds, and what one token looks like in each mode of the lexer.
//!
//! The only file that names logos and unicode-ident. Each of the three logos lexers knows
//! one mode; who is in which mode when is [`crate::syntax::lexer`]'s business.

use hclvm_vm::Span;
use logos::{Lexer, Logos};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// `{`
    OBrace,
    /// `}`
    CBrace,
    /// `[`
    OBrack,
    /// `]`
    CBrack,
    /// `(`
    OParen,
    /// `)`
    CParen,
    /// The opening `"`.
    OQuote,
    /// The closing `"`.
    CQuote,
    /// `<<MARK` or `<<-MARK` with its newline.
    OHeredoc,
    /// The closing marker with the blanks around it, without its newline.
    CHeredoc,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `%`
    Percent,
    /// `=`
    Equal,
    /// `==`
    EqualOp,
    /// `!=`
    NotEqual,
    /// `<`
    LessThan,
    /// `<=`
    LessThanEq,
    /// `>`
    GreaterThan,
    /// `>=`
    GreaterThanEq,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `!`
    Bang,
    /// `.`
    Dot,
    /// `,`
    Comma,
    /// `::`
    DoubleColon,
    /// `...`
    Ellipsis,
    /// `=>`
    FatArrow,
    /// `?`
    Question,
    /// `:`
    Colon,
    /// `${` or `${~`
    TemplateInterp,
    /// `%{` or `%{~`
    TemplateControl,
    /// The `}` or `~}` that ends a template sequence.
    TemplateSeqEnd,
    /// Literal text inside quotes, escapes as written.
    QuotedLit,
    /// Literal text of a heredoc or bare template, at most one line.
    StringLit,
    /// A number literal.
    NumberLit,
    /// An identifier.
    Ident,
    /// A comment; a line comment holds its newline.
    Comment,
    /// A line break.
    Newline,
    /// The end of the text.
    Eof,
    /// `&`
    BitwiseAnd,
    /// `|`
    BitwiseOr,
    /// `~`
    BitwiseNot,
    /// `^`
    BitwiseXor,
    /// `` ` ``
    Backtick,
    /// `'`
    Apostrophe,
    /// `;`
    Semicolon,
    /// A character that no token starts with.
    Invalid,
    /// A byte that is not UTF-8.
    BadUtf8,
    /// A line break inside quotes.
    QuotedNewline,
}

impl TokenKind {
    /// The established name of the kind, as editors and test suites for HCL know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OBrace => "TokenOBrace",
            Self::CBrace => "TokenCBrace",
            Self::OBrack => "TokenOBrack",
            Self::CBrack => "TokenCBrack",
            Self::OParen => "TokenOParen",
            Self::CParen => "TokenCParen",
            Self::OQuote => "TokenOQuote",
            Self::CQuote => "TokenCQuote",
            Self::OHeredoc => "TokenOHeredoc",
            Self::CHeredoc => "TokenCHeredoc",
            Self::Star => "TokenStar",
            Self::Slash => "TokenSlash",
            Self::Plus => "TokenPlus",
            Self::Minus => "TokenMinus",
            Self::Percent => "TokenPercent",
            Self::Equal => "TokenEqual",
            Self::EqualOp => "TokenEqualOp",
            Self::NotEqual => "TokenNotEqual",
            Self::LessThan => "TokenLessThan",
            Self::LessThanEq => "TokenLessThanEq",
            Self::GreaterThan => "TokenGreaterThan",
            Self::GreaterThanEq => "TokenGreaterThanEq",
            Self::And => "TokenAnd",
            Self::Or => "TokenOr",
            Self::Bang => "TokenBang",
            Self::Dot => "TokenDot",
            Self::Comma => "TokenComma",
            Self::DoubleColon => "TokenDoubleColon",
            Self::Ellipsis => "TokenEllipsis",
            Self::FatArrow => "TokenFatArrow",
            Self::Question => "TokenQuestion",
            Self::Colon => "TokenColon",
            Self::TemplateInterp => "TokenTemplateInterp",
            Self::TemplateControl => "TokenTemplateControl",
            Self::TemplateSeqEnd => "TokenTemplateSeqEnd",
            Self::QuotedLit => "TokenQuotedLit",
            Self::StringLit => "TokenStringLit",
            Self::NumberLit => "TokenNumberLit",
            Self::Ident => "TokenIdent",
            Self::Comment => "TokenComment",
            Self::Newline => "TokenNewline",
            Self::Eof => "TokenEOF",
            Self::BitwiseAnd => "TokenBitwiseAnd",
            Self::BitwiseOr => "TokenBitwiseOr",
            Self::BitwiseNot => "TokenBitwiseNot",
            Self::BitwiseXor => "TokenBitwiseXor",
            Self::Backtick => "TokenBacktick",
            Self::Apostrophe => "TokenApostrophe",
            Self::Semicolon => "TokenSemicolon",
            Self::Invalid => "TokenInvalid",
            Self::BadUtf8 => "TokenBadUTF8",
            Self::QuotedNewline => "TokenQuotedNewline",
        }
    }
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

/// What the code lexer remembers between tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CodeMemory {
    /// A search for `*/` has failed once, so it fails from here on.
    no_comment_end: bool,
}

/// A token outside of strings. Blanks are skipped.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t]+", extras = CodeMemory)]
pub(crate) enum Code {
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

/// A token between quotes.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
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

/// A token of a heredoc or bare template: at most one line.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    #[regex(r"\$\{~?", |_| TokenKind::TemplateInterp)]
    #[regex(r"%\{~?", |_| TokenKind::TemplateControl)]
    #[regex(r"\$|%", sign_in_line)]
    #[regex(r"\$\$\{|%%\{|\x1A|\r", |_| TokenKind::StringLit)]
    #[regex(r"([^$%\r\n\x1A]|\r[^$%\n\x1A])+", |_| TokenKind::StringLit)]
    #[regex(r"([^$%\r\n\x1A]|\r[^$%\n\x1A])*\r?\n", |_| TokenKind::StringLit)]
    Kind(TokenKind),
}

/// Where the blanks from `at` on end.
#[inline(always)]
pub(crate) fn end_of_blanks(text: &[u8], at: usize) -> usize {
    let mut end = at;
    // Nearly all that are no blanks come behind them in ASCII.
    while text.get(end).is_some_and(|byte| *byte <= b' ' && matches!(byte, b' ' | b'\t')) {
        end += 1;
    }
    end
}

/// The tokens of code that are one byte and begin no other token.
const SIGNS: [Option<TokenKind>; 256] = {
    let mut signs = [None; 256];
    signs[b'\n' as usize] = Some(TokenKind::Newline);
    signs[b'[' as usize] = Some(TokenKind::OBrack);
    signs[b']' as usize] = Some(TokenKind::CBrack);
    signs[b'(' as usize] = Some(TokenKind::OParen);
    signs[b')' as usize] = Some(TokenKind::CParen);
    signs[b'*' as usize] = Some(TokenKind::Star);
    signs[b'+' as usize] = Some(TokenKind::Plus);
    signs[b'-' as usize] = Some(TokenKind::Minus);
    signs[b'%' as usize] = Some(TokenKind::Percent);
    signs[b',' as usize] = Some(TokenKind::Comma);
    signs[b'?' as usize] = Some(TokenKind::Question);
    signs
};

/// The token of code that begins at `start`, with its end, where its first bytes tell it and it means
/// nothing to the modes: names, whole numbers and most signs. Everything else, and the end of the
/// text, is left to the lexer, which would find the same.
#[inline(always)]
pub(crate) fn plain_token(text: &[u8], start: usize) -> Option<(TokenKind, usize)> {
    let byte = *text.get(start)?;
    if FIRST[usize::from(byte)] {
        let end = end_of_run(text, start + 1, |byte| WORD[usize::from(byte)]);
        let ends = text.get(end).is_none_or(u8::is_ascii);
        return ends.then_some((TokenKind::Ident, end));
    }
    if let Some(kind) = SIGNS[usize::from(byte)] {
        return Some((kind, start + 1));
    }
    let next = text.get(start + 1).copied().unwrap_or(b'\n');
    let (kind, length) = match (byte, next) {
        (b'.', b'.') | (b':', b':') => return None,
        (b'.', _) => (TokenKind::Dot, 1),
        (b':', _) => (TokenKind::Colon, 1),
        (b'=', b'=') => (TokenKind::EqualOp, 2),
        (b'=', b'>') => (TokenKind::FatArrow, 2),
        (b'=', _) => (TokenKind::Equal, 1),
        (b'!', b'=') => (TokenKind::NotEqual, 2),
        (b'!', _) => (TokenKind::Bang, 1),
        (b'>', b'=') => (TokenKind::GreaterThanEq, 2),
        (b'>', _) => (TokenKind::GreaterThan, 1),
        (b'&', b'&') => (TokenKind::And, 2),
        (b'|', b'|') => (TokenKind::Or, 2),
        (b'0'..=b'9', _) => {
            let end = end_of_run(text, start + 1, |byte| byte.is_ascii_digit());
            let ends = !matches!(text.get(end), Some(b'.' | b'e' | b'E'));
            return ends.then_some((TokenKind::NumberLit, end));
        }
        _ => return None,
    };
    Some((kind, start + length))
}

/// Where the closing quote of the string is that begins at `open`, if that is one literal without
/// escapes, as most strings are; nothing when something else is there.
#[inline(always)]
pub(crate) fn end_of_plain_string(text: &[u8], open: usize) -> Option<usize> {
    if text.get(open) != Some(&b'"') {
        return None;
    }
    let close = end_of_run(text, open + 1, |byte| !SPECIAL[usize::from(byte)]);
    (close > open + 1 && text.get(close) == Some(&b'"')).then_some(close)
}

/// The token between quotes at `at`, with its end, where its bytes tell it: text without escapes, and
/// what ends it. Everything else, and the end of the text, is left to the lexer, which would find the
/// same.
#[inline]
pub(crate) fn plain_quoted_token(text: &[u8], at: usize) -> Option<(TokenKind, usize)> {
    let end = end_of_run(text, at, |byte| !SPECIAL[usize::from(byte)]);
    let next = *text.get(end)?;
    if end > at {
        // An escape goes on with the text before it.
        return (next != b'\\').then_some((TokenKind::QuotedLit, end));
    }
    let kind = match next {
        b'"' => return Some((TokenKind::CQuote, end + 1)),
        b'$' => TokenKind::TemplateInterp,
        b'%' => TokenKind::TemplateControl,
        _ => return None,
    };
    match text.get(at + 1..)? {
        [b'{', b'~', ..] => Some((kind, at + 3)),
        [b'{', ..] => Some((kind, at + 2)),
        _ => None,
    }
}

/// The bytes that do not simply stand for themselves between quotes.
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let bytes = b"\"\\$%\r\n\x1A";
    let mut at = 0;
    while at < bytes.len() {
        special[bytes[at] as usize] = true;
        at += 1;
    }
    special
};

/// Where the bytes from `start` on stop to be like that.
#[inline(always)]
fn end_of_run(text: &[u8], start: usize, alike: impl Fn(u8) -> bool) -> usize {
    let mut end = start;
    // Four at a time, so that the end of the text is looked for once for all of them.
    while let Some(&[a, b, c, d]) = text.get(end..end + 4) {
        if !alike(a) {
            return end;
        } else if !alike(b) {
            return end + 1;
        } else if !alike(c) {
            return end + 2;
        } else if !alike(d) {
            return end + 3;
        }
        end += 4;
    }
    while text.get(end).is_some_and(|byte| alike(*byte)) {
        end += 1;
    }
    end
}

/// The ASCII bytes that continue a name.
const WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        word[byte] = c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
        byte += 1;
    }
    word
};

/// The ASCII bytes that begin a name.
const FIRST: [bool; 256] = {
    let mut first = WORD;
    first[b'-' as usize] = false;
    let mut digit = b'0';
    while digit <= b'9' {
        first[digit as usize] = false;
        digit += 1;
    }
    first
};

/// Stands in a decoded text for a byte that is not UTF-8; see [`crate::source::decode`].
pub(crate) const BAD_BYTE: char = '\x1A';

/// `/` alone or the beginning of a comment. A `/*` that is never closed is no comment.
fn slash(lexer: &mut Lexer<'_, Code>) -> TokenKind {
    match lexer.remainder().as_bytes().first() {
        Some(b'/') => line_comment(lexer),
        Some(b'*') if !lexer.extras.no_comment_end => block_comment(lexer),
        _ => TokenKind::Slash,
    }
}

/// The rest of a `/* */`, which may be on other lines.
fn block_comment(lexer: &mut Lexer<'_, Code>) -> TokenKind {
    let end = lexer.remainder().get(1..).and_then(|rest| rest.find("*/"));
    let Some(length) = end else {
        lexer.extras.no_comment_end = true;
        return TokenKind::Slash;
    };
    lexer.bump(length + 3);
    TokenKind::Comment
}

/// A sign that begins no sequence is text, unless it is the last byte of an open string.
fn sign(lexer: &mut Lexer<'_, Quoted>) -> TokenKind {
    if lexer.remainder().is_empty() { TokenKind::Invalid } else { TokenKind::QuotedLit }
}

/// A sign that begins no sequence, with the ASCII character between it and the end of the
/// line if there is exactly one.
fn sign_in_line(lexer: &mut Lexer<'_, Lines>) -> TokenKind {
    let mut rest = lexer.remainder().chars();
    if let Some(next) = rest.next()
        && next.is_ascii()
        && !matches!(next, '{' | '$' | '%' | '\r' | '\n' | BAD_BYTE)
        && rest.next() == Some('\n')
    {
        lexer.bump(next.len_utf8());
    }
    TokenKind::StringLit
}

/// The rest of the line, its newline included.
fn line_comment(lexer: &mut Lexer<'_, Code>) -> TokenKind {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').map_or(rest.len(), |newline| newline + 1));
    TokenKind::Comment
}

/// `<`, `<=` or the introduction of a heredoc: `<<MARK` and a newline at once.
fn less_than(lexer: &mut Lexer<'_, Code>) -> TokenKind {
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

/// Length of `<MARK newline` or `<-MARK newline` at the start of `rest`.
fn heredoc_introduction(rest: &str) -> Option<usize> {
    let name = rest.strip_prefix('<')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    let after = &name[identifier_length(name)?..];
    let after = after.strip_prefix('\r').unwrap_or(after).strip_prefix('\n')?;
    Some(rest.len() - after.len())
}

/// Digits, dots and exponents as far as they end in a digit: `1.2.3` is one (bad) token.
fn number(lexer: &mut Lexer<'_, Code>) -> TokenKind {
    let bytes = lexer.remainder().as_bytes();
    let mut digits = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => digits = at + 1,
            b'.' => {}
            b'e' | b'E' if matches!(bytes.get(at + 1), Some(b'+' | b'-')) => at += 1,
            b'e' | b'E' => {}
            _ => break,
        }
        at += 1;
    }
    lexer.bump(digits);
    TokenKind::NumberLit
}

/// The rest of an identifier whose first character is known.
fn identifier(lexer: &mut Lexer<'_, Code>) -> TokenKind {
    let length = continue_length(lexer.remainder());
    lexer.bump(length);
    TokenKind::Ident
}

/// A character beyond ASCII: it starts an identifier or nothing.
fn wide(lexer: &mut Lexer<'_, Code>) -> TokenKind {
    match lexer.slice().chars().next() {
        Some(first) if is_start(first) => identifier(lexer),
        _ => TokenKind::Invalid,
    }
}

/// Length of the identifier at the start of `text`.
pub(crate) fn identifier_length(text: &str) -> Option<usize> {
    let first = text.chars().next().filter(|&first| is_start(first))?;
    Some(first.len_utf8() + continue_length(&text[first.len_utf8()..]))
}

/// Whether `text` is one identifier: what may stand before `=`, after `.` or as a block type.
pub fn is_identifier(text: &str) -> bool {
    identifier_length(text) == Some(text.len())
}

fn continue_length(text: &str) -> usize {
    let ascii = text.bytes().take_while(|byte| WORD[usize::from(*byte)]).count();
    match text.as_bytes().get(ascii) {
        Some(byte) if !byte.is_ascii() => {
            let rest = &text[ascii..];
            ascii + rest.find(|c| !is_continue(c)).unwrap_or(rest.len())
        }
        _ => ascii,
    }
}

fn is_start(c: char) -> bool {
    c == '_' || unicode_ident::is_xid_start(c) || is_legacy(c)
}

fn is_continue(c: char) -> bool {
    match c {
        '-' => true,
        // Joiners continue words since Unicode 15.1, but nobody can see them.
        '\u{200C}' | '\u{200D}' => false,
        _ => unicode_ident::is_xid_continue(c) || is_legacy(c),
    }
}

/// Letters that Unicode's `ID_Start` holds and its `XID_Start` leaves out.
fn is_legacy(c: char) -> bool {
    matches!(
        c,
        '\u{37A}' | '\u{E33}' | '\u{EB3}' | '\u{309B}' | '\u{309C}' | '\u{FC5E}'
            ..='\u{FC63}'
                | '\u{FDFA}'
                | '\u{FDFB}'
                | '\u{FE70}'
                | '\u{FE72}'
                | '\u{FE74}'
                | '\u{FE76}'
                | '\u{FE78}'
                | '\u{FE7A}'
                | '\u{FE7C}'
                | '\u{FE7E}'
                | '\u{FF9E}'
                | '\u{FF9F}'
    )
}
