//! Text to tokens: a stack of modes over three logos lexers.
//!
//! ```text
//! a = "x${ {k = 1} }y"      Code ─"─▶ Quoted ─${─▶ Code (counts braces) ─}─▶ Quoted ─"─▶ Code
//! ```
//! `modes` recognizes the tokens of each mode, `fast_path` most tokens of code without logos; this file
//! decides which mode applies. The tokens cover the text except blanks and a byte order mark at its
//! start. Every text has tokens: `complaints` reports those that are not part of the language.

mod complaints;
mod fast_path;
mod identifier;
mod modes;

use std::ops::Range;

use hclvm_vm::{Diagnostic, Span, cast};

use crate::diagnostic::DiagnosticSink;
use crate::source::{BAD_BYTE, Input, first_line};
use crate::syntax::token::{Token, TokenKind, span};
use modes::CodeState;

pub(crate) use complaints::{COMPLAINTS, check};
pub use identifier::is_identifier;

/// The production that a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LexMode {
    /// A file of attributes and blocks.
    Config,
    /// One expression.
    Expression,
    /// Literal text with `${ }` and `%{ }`.
    Template,
}

/// The tokens of a text.
#[derive(Clone, Debug)]
pub struct Lexed {
    /// The tokens, comments and line breaks included; the last is the end of the text.
    pub tokens: Vec<Token>,
    /// Characters and operators that are not part of the language, and strings with line breaks.
    pub diagnostics: Vec<Diagnostic>,
    /// Token boundaries for [`crate::source::Source`].
    pub seams: Vec<u32>,
}

/// Splits a text of at most 4 GiB into tokens. Keeps every diagnostic, unlike a parse, which has a
/// limit for them.
pub fn lex<'t>(input: impl Into<Input<'t>>, mode: LexMode) -> Lexed {
    let input = input.into();
    let TokenStream { tokens, seams, .. } = scan(input, mode);
    let mut diagnostics = DiagnosticSink::new(usize::MAX);
    check(input.text, &tokens, &mut diagnostics);
    Lexed { tokens, diagnostics: diagnostics.finish(), seams }
}

/// The tokens of a text, with what the parser needs to know about all of them.
pub(crate) struct TokenStream {
    /// The tokens; the last is the end of the text.
    pub(crate) tokens: Vec<Token>,
    pub(crate) seams: Vec<u32>,
    /// A set of kinds, one bit each. The kinds that only the fast path appends are not in it.
    kinds: u64,
    /// An upper bound of the length of names, in bytes.
    pub(crate) longest: usize,
    /// False if no string has an escape.
    pub(crate) escapes: bool,
}

impl TokenStream {
    /// Returns true if there is a token of one of these kinds. None of them may be a kind that the
    /// fast path recognizes.
    pub(crate) fn has(&self, kinds: &[TokenKind]) -> bool {
        kinds.iter().any(|kind| self.kinds & 1 << *kind as u64 != 0)
    }
}

// Each kind has a bit in `TokenStream::kinds`.
const _: () = assert!((TokenKind::QuotedNewline as u64) < 64);

/// Bytes of source that one token takes at least on average. A text of denser tokens only makes the
/// vector grow.
const BYTES_PER_TOKEN: usize = 3;

/// Splits a text into tokens without judging them.
pub(crate) fn scan(input: Input<'_>, mode: LexMode) -> TokenStream {
    let bottom = match mode {
        LexMode::Config | LexMode::Expression => LexerMode::Code { depth: None },
        LexMode::Template => LexerMode::Template,
    };
    let mut scanner = Scanner {
        text: input.text,
        bad: input.bad,
        at: first_line(input.text),
        modes: vec![bottom],
        state: CodeState::default(),
        special: !input.bad.is_empty() || may_join(input.text),
        stream: TokenStream {
            tokens: Vec::with_capacity(input.text.len() / BYTES_PER_TOKEN + 4),
            seams: Vec::new(),
            kinds: 0,
            longest: 0,
            escapes: false,
        },
    };
    scanner.run();
    scanner.stream
}

/// Returns true if the text has a character that can form a grapheme cluster with its neighbours: one beyond ASCII, or
/// a carriage return. Reads every byte without a branch, so that the compiler vectorizes the loop.
fn may_join(text: &str) -> bool {
    let extremes = |(largest, least): (u8, u8), byte: u8| (largest.max(byte), least.min(byte ^ b'\r'));
    let (largest, least) = text.bytes().fold((0, u8::MAX), extremes);
    !largest.is_ascii() || least == 0
}

/// A mode of the lexer, which says how the bytes from here on are read.
#[derive(Clone, Copy, Debug)]
enum LexerMode {
    /// Outside strings. Inside a template sequence `depth` counts the open braces.
    Code { depth: Option<u32> },
    /// Between quotes.
    Quoted,
    /// In a heredoc: its marker, and whether the next token begins a line, which may then be the
    /// closing marker.
    Heredoc { marker: Span, at_line_start: bool },
    /// In a bare template.
    Template,
}

struct Scanner<'t> {
    text: &'t str,
    bad: &'t [u32],
    at: usize,
    modes: Vec<LexerMode>,
    state: CodeState,
    /// True if there is a byte that is not UTF-8, or a character that clusters with others.
    special: bool,
    stream: TokenStream,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while self.at < self.text.len() {
            match self.modes.last() {
                None | Some(LexerMode::Code { .. }) => self.code(),
                Some(LexerMode::Quoted) => self.quoted(),
                Some(LexerMode::Heredoc { .. } | LexerMode::Template) => self.lines(),
            }
        }
        self.push(TokenKind::Eof, span(self.text.len(), self.text.len()));
    }

    /// Reads code until a string begins or a template sequence ends.
    fn code(&mut self) {
        loop {
            self.fast_code();
            let Some((kind, range)) = self.next_of_code() else {
                self.at = self.text.len();
                return;
            };
            self.at = range.end;
            if self.code_token(kind, span(range.start, range.end)) {
                return;
            }
        }
    }

    /// Returns the next token of code, with its range.
    fn next_of_code(&mut self) -> Option<(TokenKind, Range<usize>)> {
        let fast =
            fast_path::mode_sign(self.text.as_bytes(), self.at).map(|kind| (kind, self.at..self.at + 1));
        debug_assert!(fast.is_none() || fast == modes::code_token(self.text, self.at, &mut self.state));
        fast.or_else(|| modes::code_token(self.text, self.at, &mut self.state))
    }

    /// Reads code on the fast path, up to the first token that is left to logos.
    fn fast_code(&mut self) {
        if !self.bad.is_empty() {
            // Only `push` divides the literals that hold them.
            return;
        }
        let TokenStream { tokens, longest, .. } = &mut self.stream;
        let before = tokens.len();
        self.at = fast_path::read_code(self.text.as_bytes(), self.at, tokens, longest);
        if self.special || cfg!(debug_assertions) {
            for index in before..self.stream.tokens.len() {
                let token = self.stream.tokens[index];
                debug_assert_eq!(self.token_by_logos(token), Some(token));
                if self.special {
                    self.note_seams(token.span);
                }
            }
        }
    }

    /// Returns the token that logos finds where the fast path found this one.
    fn token_by_logos(&mut self, token: Token) -> Option<Token> {
        let start = cast::index(token.span.start);
        let (kind, Range { start, end }) = match token.kind {
            TokenKind::QuotedLit | TokenKind::CQuote => {
                modes::quoted_token(self.text, start).map(|(kind, end)| (kind, start..end))?
            }
            _ => modes::code_token(self.text, start, &mut self.state)?,
        };
        Some(Token { kind, span: span(start, end) })
    }

    /// Appends a token of code; true if the mode changed.
    fn code_token(&mut self, kind: TokenKind, span: Span) -> bool {
        match kind {
            TokenKind::OQuote => self.open(kind, span, LexerMode::Quoted),
            TokenKind::OHeredoc => {
                let marker = heredoc_marker(self.text, span);
                self.open(kind, span, LexerMode::Heredoc { marker, at_line_start: true })
            }
            TokenKind::OBrace => self.brace(kind, span, 1),
            TokenKind::CBrace | TokenKind::TemplateSeqEnd => self.closing_brace(kind, span),
            _ => {
                self.push(kind, span);
                false
            }
        }
    }

    fn open(&mut self, kind: TokenKind, span: Span, mode: LexerMode) -> bool {
        self.push(kind, span);
        self.modes.push(mode);
        true
    }

    fn brace(&mut self, kind: TokenKind, span: Span, step: i32) -> bool {
        if let Some(LexerMode::Code { depth: Some(depth) }) = self.modes.last_mut() {
            *depth = depth.saturating_add_signed(step);
        }
        self.push(kind, span);
        false
    }

    /// Ends a template sequence with `}` or `~}` if no brace is open inside it. Elsewhere `~}` has
    /// the same kind, and the parser reports it.
    fn closing_brace(&mut self, kind: TokenKind, span: Span) -> bool {
        if let Some(LexerMode::Code { depth: Some(0) }) = self.modes.last() {
            self.push(TokenKind::TemplateSeqEnd, span);
            self.modes.pop();
            return true;
        }
        self.brace(kind, span, -1)
    }

    /// Reads quoted text until the closing quote or a template sequence.
    fn quoted(&mut self) {
        loop {
            let Some((kind, end)) = self.quoted_token() else { return };
            self.push(kind, span(self.at, end));
            self.at = end;
            match kind {
                TokenKind::CQuote => {
                    self.modes.pop();
                    return;
                }
                TokenKind::TemplateInterp if self.plain_sequence() => {}
                TokenKind::TemplateInterp | TokenKind::TemplateControl => return self.sequence(),
                _ => {}
            }
        }
    }

    /// Reads the code of a template sequence on the fast path, and `}` if that is next. Returns false if something
    /// else is; it is left to the mode of the sequence.
    fn plain_sequence(&mut self) -> bool {
        self.fast_code();
        let closes = self.text.as_bytes().get(self.at) == Some(&b'}');
        if closes {
            self.push(TokenKind::TemplateSeqEnd, span(self.at, self.at + 1));
            self.at += 1;
        }
        closes
    }

    /// Returns the next token of quoted text, with its end.
    fn quoted_token(&mut self) -> Option<(TokenKind, usize)> {
        let fast = fast_path::quoted_token(self.text.as_bytes(), self.at);
        debug_assert!(fast.is_none() || fast == modes::quoted_token(self.text, self.at));
        fast.or_else(|| {
            // The fast path recognizes no text with an escape.
            self.stream.escapes = true;
            modes::quoted_token(self.text, self.at)
        })
    }

    /// Reads literal lines until the heredoc's marker or a template sequence.
    fn lines(&mut self) {
        for (kind, range) in modes::line_tokens(self.text, self.at) {
            let span = span(range.start, range.end);
            self.at = range.end;
            if kind == TokenKind::StringLit && self.closes_heredoc(span) {
                return self.close_heredoc(span);
            }
            match kind {
                TokenKind::StringLit => self.push(kind, span),
                TokenKind::Invalid => self.rest_of_lines(span),
                _ => {
                    self.push(kind, span);
                    return self.sequence();
                }
            }
        }
    }

    /// Appends the remainder of the text if it cannot be divided further: in a bare template it is
    /// literal text, while a heredoc lacks its closing marker.
    // Only unusual texts get here.
    #[cold]
    fn rest_of_lines(&mut self, span: Span) {
        let kind = match self.modes.last() {
            Some(LexerMode::Template) => TokenKind::StringLit,
            _ => TokenKind::Invalid,
        };
        self.push(kind, span);
    }

    /// Returns true if this token is the line of the closing marker, and notes whether the next one
    /// begins a line.
    fn closes_heredoc(&mut self, span: Span) -> bool {
        let text = span.slice(self.text);
        let Some(LexerMode::Heredoc { marker, at_line_start }) = self.modes.last_mut() else { return false };
        let whole_line = text.ends_with('\n');
        let closes = whole_line && *at_line_start && text.trim() == marker.slice(self.text);
        *at_line_start = whole_line;
        closes
    }

    /// Appends the closing marker and its line break as two tokens.
    fn close_heredoc(&mut self, span: Span) {
        let line = span.slice(self.text);
        let ending = if line.ends_with("\r\n") { 2 } else { 1 };
        let middle = span.end - ending;
        self.push(TokenKind::CHeredoc, Span::new(span.start, middle));
        self.push(TokenKind::Newline, Span::new(middle, span.end));
        self.modes.pop();
    }

    /// Enters a template sequence: code up to its closing brace.
    fn sequence(&mut self) {
        if let Some(LexerMode::Heredoc { at_line_start, .. }) = self.modes.last_mut() {
            *at_line_start = false;
        }
        self.modes.push(LexerMode::Code { depth: Some(0) });
    }

    fn push(&mut self, kind: TokenKind, span: Span) {
        if self.special { self.push_special(kind, span) } else { self.append(kind, span) }
    }

    fn append(&mut self, kind: TokenKind, span: Span) {
        self.stream.kinds |= 1 << kind as u64;
        self.stream.longest = self.stream.longest.max(span.len());
        self.stream.tokens.push(Token { kind, span });
    }

    /// Appends a token that may hold what is not UTF-8, and notes its seams. A literal is divided there; in code,
    /// as in the reference, only a single byte is a token of its own kind.
    // Few texts have such characters.
    #[inline(never)]
    fn push_special(&mut self, kind: TokenKind, span: Span) {
        self.note_seams(span);
        if !matches!(kind, TokenKind::QuotedLit | TokenKind::StringLit) {
            let kind = if self.is_bad(span) { TokenKind::BadUtf8 } else { kind };
            return self.append(kind, span);
        }
        let bad = self.bad;
        let mut start = span.start;
        let inside = bad.get(bad.partition_point(|at| *at < start)..).unwrap_or_default();
        for at in inside.iter().copied().take_while(|at| *at < span.end) {
            if start < at {
                self.append(kind, Span::new(start, at));
            }
            let rest = Span::new(at, span.end).slice(self.text);
            start = at + rest.chars().next().map_or(1, |bad| cast::length(bad.len_utf8()));
            self.append(TokenKind::BadUtf8, Span::new(at, start));
        }
        if start < span.end {
            self.append(kind, Span::new(start, span.end));
        }
    }

    fn is_bad(&self, span: Span) -> bool {
        span.len() == BAD_BYTE.len_utf8() && self.bad.binary_search(&span.start).is_ok()
    }

    /// Kept out of line because few texts have such characters.
    #[inline(never)]
    fn note_seams(&mut self, span: Span) {
        self.note_seam(span.start);
        self.note_seam(span.end);
    }

    /// Records a token boundary at which two grapheme clusters could join: where one neighbour is
    /// beyond ASCII, or CR and LF meet.
    fn note_seam(&mut self, at: u32) {
        let Some(index) = cast::index(at).checked_sub(1) else { return };
        let bytes = self.text.as_bytes();
        let (Some(&before), Some(&after)) = (bytes.get(index), bytes.get(index + 1)) else { return };
        let joins = !before.is_ascii() || !after.is_ascii() || (before == b'\r' && after == b'\n');
        if joins && self.stream.seams.last() != Some(&at) {
            self.stream.seams.push(at);
        }
    }
}

/// Returns the range of the marker inside `<<MARK⏎` or `<<-MARK⏎`.
fn heredoc_marker(text: &str, open: Span) -> Span {
    let intro = open.slice(text);
    let start = if is_flush(intro) { 3 } else { 2 };
    Span::new(open.start + start, open.start + cast::length(intro.trim_end().len()))
}

/// Returns true if a heredoc's introduction asks for its indentation to be removed: `<<-`.
pub(crate) fn is_flush(intro: &str) -> bool {
    intro.starts_with("<<-")
}
