//! Tokens: their kinds, and the names under which tools and messages know them.
//!
//! How a token is recognized is not decided here but in [`crate::syntax::lexer`].

use std::fmt;

use hclvm_vm::{Span, cast, code_point, is_invisible};

/// Generates [`TokenKind`] and its established names from one table.
macro_rules! token_kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// The kind of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum TokenKind {
            $($(#[$doc])* $kind,)*
        }

        impl TokenKind {
            /// Returns the established name of the kind, as editors and test suites for HCL know it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

token_kinds! {
    /// `{`
    OBrace = "TokenOBrace",
    /// `}`
    CBrace = "TokenCBrace",
    /// `[`
    OBrack = "TokenOBrack",
    /// `]`
    CBrack = "TokenCBrack",
    /// `(`
    OParen = "TokenOParen",
    /// `)`
    CParen = "TokenCParen",
    /// The opening `"` of a quoted template.
    OQuote = "TokenOQuote",
    /// The closing `"` of a quoted template.
    CQuote = "TokenCQuote",
    /// `<<MARK` or `<<-MARK`, with the line break after it.
    OHeredoc = "TokenOHeredoc",
    /// The closing marker of a heredoc with the blanks around it, without its line break.
    CHeredoc = "TokenCHeredoc",
    /// `*`
    Star = "TokenStar",
    /// `/`
    Slash = "TokenSlash",
    /// `+`
    Plus = "TokenPlus",
    /// `-`
    Minus = "TokenMinus",
    /// `%`
    Percent = "TokenPercent",
    /// `=`
    Equal = "TokenEqual",
    /// `==`
    EqualOp = "TokenEqualOp",
    /// `!=`
    NotEqual = "TokenNotEqual",
    /// `<`
    LessThan = "TokenLessThan",
    /// `<=`
    LessThanEq = "TokenLessThanEq",
    /// `>`
    GreaterThan = "TokenGreaterThan",
    /// `>=`
    GreaterThanEq = "TokenGreaterThanEq",
    /// `&&`
    And = "TokenAnd",
    /// `||`
    Or = "TokenOr",
    /// `!`
    Bang = "TokenBang",
    /// `.`
    Dot = "TokenDot",
    /// `,`
    Comma = "TokenComma",
    /// `::`
    DoubleColon = "TokenDoubleColon",
    /// `...`
    Ellipsis = "TokenEllipsis",
    /// `=>`
    FatArrow = "TokenFatArrow",
    /// `?`
    Question = "TokenQuestion",
    /// `:`
    Colon = "TokenColon",
    /// `${` or `${~`
    TemplateInterp = "TokenTemplateInterp",
    /// `%{` or `%{~`
    TemplateControl = "TokenTemplateControl",
    /// The `}` or `~}` that ends a template sequence.
    TemplateSeqEnd = "TokenTemplateSeqEnd",
    /// Literal text between quotes, escapes not decoded.
    QuotedLit = "TokenQuotedLit",
    /// Literal text of a heredoc or bare template, at most one line.
    StringLit = "TokenStringLit",
    /// A number literal.
    NumberLit = "TokenNumberLit",
    /// An identifier.
    Ident = "TokenIdent",
    /// A comment; a line comment includes its line break.
    Comment = "TokenComment",
    /// A line break.
    Newline = "TokenNewline",
    /// The end of the text.
    Eof = "TokenEOF",
    /// `&`
    BitwiseAnd = "TokenBitwiseAnd",
    /// `|`
    BitwiseOr = "TokenBitwiseOr",
    /// `~`
    BitwiseNot = "TokenBitwiseNot",
    /// `^`
    BitwiseXor = "TokenBitwiseXor",
    /// `` ` ``
    Backtick = "TokenBacktick",
    /// `'`
    Apostrophe = "TokenApostrophe",
    /// `;`
    Semicolon = "TokenSemicolon",
    /// A character that begins no token.
    Invalid = "TokenInvalid",
    /// A byte that is not part of a UTF-8 character.
    BadUtf8 = "TokenBadUTF8",
    /// A line break inside quotes.
    QuotedNewline = "TokenQuotedNewline",
}

/// A token of the native syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// The range in the text.
    pub span: Span,
}

/// Returns the range `start..end` as a span. The parser rejects a text whose offsets exceed 32 bits
/// before any token of it is made.
#[inline] // Two conversions without code, once per token.
pub(crate) const fn span(start: usize, end: usize) -> Span {
    Span::new(cast::length(start), cast::length(end))
}

/// A token as messages show it: "found `]`", "found a line break".
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundToken<'t> {
    kind: TokenKind,
    text: &'t str,
}

impl<'t> FoundToken<'t> {
    /// Characters of a token that a message quotes. Longer names would push the rest of the sentence
    /// out of sight, and the report underlines the whole token anyway.
    const QUOTED: usize = 40;

    /// Pairs a token with the text it was read from.
    pub(crate) fn new(token: Token, text: &'t str) -> Self {
        Self { kind: token.kind, text: token.span.slice(text) }
    }

    /// Returns true for a line break and the end of the text.
    pub(crate) const fn ends_line(self) -> bool {
        matches!(self.kind, TokenKind::Newline | TokenKind::Eof)
    }
}

impl fmt::Display for FoundToken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            TokenKind::Eof => "the end of the text",
            TokenKind::Newline => "a line break",
            TokenKind::OQuote => "a quoted string",
            TokenKind::CQuote => "the end of the string",
            TokenKind::OHeredoc => "a heredoc",
            TokenKind::CHeredoc => "the end of the heredoc",
            TokenKind::QuotedLit | TokenKind::StringLit => "literal text",
            TokenKind::QuotedNewline => "a line break",
            TokenKind::BadUtf8 => "a byte that is not UTF-8",
            TokenKind::Backtick => "a backtick",
            TokenKind::Invalid if self.text.chars().all(is_invisible) => {
                return f.write_str(&self.text.chars().next().map_or_else(String::new, code_point));
            }
            _ => {
                let quoted = self.text.chars().take(Self::QUOTED).collect::<String>();
                let rest = if quoted.len() < self.text.len() { "…" } else { "" };
                return write!(f, "`{quoted}{rest}`");
            }
        })
    }
}
