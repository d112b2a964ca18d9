//! Text to tokens: a stack of modes over the three lexers of [`crate::syntax::token`].
//!
//! ```text
//! a = "x${ {k = 1} }y"      Code ─"─▶ Quoted ─${─▶ Code (counts braces) ─}─▶ Quoted ─"─▶ Code
//! ```
//! A heredoc and a bare template are read line by line in the mode `Lines`. The tokens
//! cover the text but for blanks and a byte order mark at its start.

mod check;

use hclvm_vm::{Diagnostic, Span};
use logos::Logos;

use crate::diagnostic::Report;
use crate::source::Input;
use crate::syntax::token::{
    BAD_BYTE, Code, CodeMemory, Lines, Quoted, Token, TokenKind, end_of_blanks, end_of_plain_string,
    plain_quoted_token, plain_token,
};

pub(crate) use check::{COMPLAINTS, check};

/// What a text is taken for.
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
    /// Characters and operators that are not part of the language, and broken lines.
    pub diagnostics: Vec<Diagnostic>,
    /// Token boundaries for [`crate::source::Source`].
    pub seams: Vec<u32>,
}

/// Takes a text apart. Every diagnostic is kept.
pub fn lex<'t>(input: impl Into<Input<'t>>, mode: LexMode) -> Lexed {
    let input = input.into();
    let Scanned { tokens, seams, .. } = scan(input, mode);
    let mut report = Report::new(usize::MAX);
    check(input.text, &tokens, &mut report);
    Lexed { tokens, diagnostics: report.finish(), seams }
}

/// The tokens and seams of a text, and what is known of all of them together.
pub(crate) struct Scanned {
    /// The tokens; the last is the end of the text.
    pub(crate) tokens: Vec<Token>,
    pub(crate) seams: Vec<u32>,
    /// One bit for each kind that is there, but for those of plain tokens of code and of plain strings.
    kinds: u64,
    /// Bytes that no name exceeds.
    pub(crate) longest: u32,
    /// Whether text between quotes may hold escapes.
    pub(crate) escapes: bool,
}

impl Scanned {
    /// Whether there is a token of one of these kinds, none of which plain tokens and strings have.
    pub(crate) fn has(&self, kinds: &[TokenKind]) -> bool {
        kinds.iter().any(|kind| self.kinds & 1 << *kind as u64 != 0)
    }
}

// Each kind has a bit.
const _: () = assert!((TokenKind::QuotedNewline as u64) < 64);

/// Takes a text apart and complains about nothing.
pub(crate) fn scan(input: Input<'_>, mode: LexMode) -> Scanned {
    let bottom = match mode {
        LexMode::Config | LexMode::Expression => Mode::Code { depth: None },
        LexMode::Template => Mode::Template,
    };
    let mut scanner = Scanner {
        text: input.text,
        bad: input.bad,
        at: if input.text.starts_with('\u{FEFF}') { 3 } else { 0 },
        modes: vec![bottom],
        memory: CodeMemory::default(),
        special: !input.bad.is_empty() || may_join(input.text),
        scanned: Scanned {
            tokens: Vec::with_capacity(input.text.len() / 3 + 4),
            seams: Vec::new(),
            kinds: 0,
            longest: 0,
            escapes: false,
        },
    };
    scanner.run();
    scanner.scanned
}

/// Whether there is a character that can cluster with its neighbours. Looks at all bytes without a
/// branch, which takes many at once.
fn may_join(text: &str) -> bool {
    text.bytes().fold(0, |joins, byte| joins | byte & 0x80 | u8::from(byte == b'\r')) != 0
}

#[derive(Clone, Copy, Debug)]
enum Mode {
    /// Outside strings. Inside a template sequence `depth` counts the open braces.
    Code { depth: Option<u32> },
    /// Between quotes.
    Quoted,
    /// In a heredoc: its marker, and whether only whole lines were read so far, so that
    /// the next line may be the closing marker.
    Heredoc { marker: Span, fresh: bool },
    /// In a bare template.
    Template,
}

struct Scanner<'t> {
    text: &'t str,
    bad: &'t [u32],
    at: usize,
    modes: Vec<Mode>,
    memory: CodeMemory,
    /// Whether there is a bad byte or a character that clusters with others.
    special: bool,
    scanned: Scanned,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while self.at < self.text.len() {
            match self.modes.last() {
                None | Some(Mode::Code { .. }) => self.code(),
                Some(Mode::Quoted) => self.quoted(),
                Some(Mode::Heredoc { .. } | Mode::Template) => self.lines(),
            }
        }
        let end = self.text.len() as u32;
        self.push(TokenKind::Eof, Span::new(end, end));
    }

    /// Reads code until a string begins or a template sequence ends.
    fn code(&mut self) {
        let text = self.text.as_bytes();
        loop {
            self.plain_tokens(text);
            let Some((kind, start, end)) = self.other_token(self.at) else {
                self.at = text.len();
                return;
            };
            self.at = end;
            if self.code_token(kind, Span::new(start as u32, end as u32)) {
                return;
            }
        }
    }

    /// Reads the tokens of code that are plain, which most are, up to the first that is not.
    fn plain_tokens(&mut self, text: &[u8]) {
        let Scanned { tokens, longest, .. } = &mut self.scanned;
        let before = tokens.len();
        self.at = read_plain_tokens(text, self.at, tokens, longest);
        if self.special || cfg!(debug_assertions) {
            for index in before..self.scanned.tokens.len() {
                let token = self.scanned.tokens[index];
                debug_assert_eq!(self.other_plain(token), Some(token));
                if self.special {
                    self.note_seams(token.span);
                }
            }
        }
    }

    /// What the lexer finds where a plain token is.
    fn other_plain(&mut self, Token { kind, span }: Token) -> Option<Token> {
        let start = span.start as usize;
        let (kind, start, end) = match kind {
            TokenKind::QuotedLit | TokenKind::CQuote => {
                self.other_quoted_token(start).map(|(kind, end)| (kind, start, end))?
            }
            _ => self.other_token(start)?,
        };
        Some(Token { kind, span: Span::new(start as u32, end as u32) })
    }

    /// The next token of code from `at` on, whatever it is, with its beginning and end.
    fn other_token(&mut self, at: usize) -> Option<(TokenKind, usize, usize)> {
        let start = end_of_blanks(self.text.as_bytes(), at);
        match self.text.as_bytes().get(start) {
            Some(b'"') => return Some((TokenKind::OQuote, start, start + 1)),
            Some(b'{') => return Some((TokenKind::OBrace, start, start + 1)),
            Some(b'}') => return Some((TokenKind::CBrace, start, start + 1)),
            _ => {}
        }
        let mut lexer = Code::lexer_with_extras(self.text, self.memory);
        lexer.bump(at);
        let Some(Ok(Code::Kind(kind))) = lexer.next() else { return None };
        self.memory = lexer.extras;
        Some((kind, lexer.span().start, lexer.span().end))
    }

    /// Files one token of code; true when the mode changed.
    fn code_token(&mut self, kind: TokenKind, span: Span) -> bool {
        match kind {
            TokenKind::OQuote => self.open(kind, span, Mode::Quoted),
            TokenKind::OHeredoc => {
                let mode = Mode::Heredoc { marker: heredoc_marker(self.text, span), fresh: true };
                self.open(kind, span, mode)
            }
            TokenKind::OBrace => self.brace(kind, span, 1),
            TokenKind::CBrace | TokenKind::TemplateSeqEnd => self.closing_brace(kind, span),
            _ => {
                self.push(kind, span);
                false
            }
        }
    }

    fn open(&mut self, kind: TokenKind, span: Span, mode: Mode) -> bool {
        self.push(kind, span);
        self.modes.push(mode);
        true
    }

    fn brace(&mut self, kind: TokenKind, span: Span, step: i32) -> bool {
        if let Some(Mode::Code { depth: Some(depth) }) = self.modes.last_mut() {
            *depth = depth.saturating_add_signed(step);
        }
        self.push(kind, span);
        false
    }

    /// `}` and `~}` end a template sequence when no brace is open inside it. Elsewhere `~}`
    /// is that token too, and the parser complains.
    fn closing_brace(&mut self, kind: TokenKind, span: Span) -> bool {
        if let Some(Mode::Code { depth: Some(0) }) = self.modes.last() {
            self.push(TokenKind::TemplateSeqEnd, span);
            self.modes.pop();
            return true;
        }
        self.brace(kind, span, -1)
    }

    /// Reads quoted text until the closing quote or a template sequence.
    fn quoted(&mut self) {
        loop {
            let plain = plain_quoted_token(self.text.as_bytes(), self.at);
            debug_assert!(plain.is_none() || plain == self.other_quoted_token(self.at));
            // What is plain has no escapes.
            self.scanned.escapes |= plain.is_none();
            let Some((kind, end)) = plain.or_else(|| self.other_quoted_token(self.at)) else { return };
            self.push(kind, Span::new(self.at as u32, end as u32));
            self.at = end;
            match kind {
                TokenKind::CQuote => {
                    self.modes.pop();
                    return;
                }
                TokenKind::TemplateInterp | TokenKind::TemplateControl => return self.sequence(),
                _ => {}
            }
        }
    }

    /// The token between quotes at `at`, whatever it is, with its end.
    fn other_quoted_token(&self, at: usize) -> Option<(TokenKind, usize)> {
        let mut lexer = Quoted::lexer(self.text);
        lexer.bump(at);
        let Some(Ok(Quoted::Kind(kind))) = lexer.next() else { return None };
        Some((kind, lexer.span().end))
    }

    /// Reads literal lines until the heredoc's marker or a template sequence.
    fn lines(&mut self) {
        let mut lexer = Lines::lexer(self.text);
        lexer.bump(self.at);
        while let Some(Ok(Lines::Kind(kind))) = lexer.next() {
            let span = lexer.span();
            let span = Span::new(span.start as u32, span.end as u32);
            self.at = lexer.span().end;
            if self.closes_heredoc(span) {
                return self.close_heredoc(span);
            }
            self.push(kind, span);
            if kind != TokenKind::StringLit {
                return self.sequence();
            }
        }
    }

    /// Whether this line is the marker; also notes what the next line may be.
    fn closes_heredoc(&mut self, span: Span) -> bool {
        let text = span.slice(self.text);
        let Some(Mode::Heredoc { marker, fresh }) = self.modes.last_mut() else { return false };
        let whole_line = text.ends_with('\n');
        let closes = whole_line && *fresh && text.trim() == marker.slice(self.text);
        *fresh = whole_line;
        closes
    }

    /// The marker and its line break are two tokens.
    fn close_heredoc(&mut self, span: Span) {
        let line = span.slice(self.text);
        let ending = if line.ends_with("\r\n") { 2 } else { 1 };
        let middle = span.end - ending;
        self.push(TokenKind::CHeredoc, Span::new(span.start, middle));
        self.push(TokenKind::Newline, Span::new(middle, span.end));
        self.modes.pop();
    }

    /// Code follows, up to its closing brace.
    fn sequence(&mut self) {
        if let Some(Mode::Heredoc { fresh, .. }) = self.modes.last_mut() {
            *fresh = false;
        }
        self.modes.push(Mode::Code { depth: Some(0) });
    }

    #[inline(always)]
    fn push(&mut self, kind: TokenKind, span: Span) {
        let kind = if self.special { self.special_token(kind, span) } else { kind };
        self.scanned.kinds |= 1 << kind as u64;
        self.scanned.longest = self.scanned.longest.max(span.end - span.start);
        self.scanned.tokens.push(Token { kind, span });
    }

    /// The kind of a token that may be a bad byte. Its ends may be seams.
    fn special_token(&mut self, kind: TokenKind, span: Span) -> TokenKind {
        self.note_seams(span);
        if self.is_bad(span) { TokenKind::BadUtf8 } else { kind }
    }

    fn is_bad(&self, span: Span) -> bool {
        span.len() == BAD_BYTE.len_utf8() && self.bad.binary_search(&span.start).is_ok()
    }

    #[inline(never)]
    fn note_seams(&mut self, span: Span) {
        self.note_seam(span.start);
        self.note_seam(span.end);
    }

    /// Two clusters can join only where something beyond ASCII, or CR and LF, meet.
    fn note_seam(&mut self, at: u32) {
        let Some(index) = (at as usize).checked_sub(1) else { return };
        let bytes = self.text.as_bytes();
        let (Some(&before), Some(&after)) = (bytes.get(index), bytes.get(index + 1)) else { return };
        let joins = !before.is_ascii() || !after.is_ascii() || (before == b'\r' && after == b'\n');
        if joins && self.scanned.seams.last() != Some(&at) {
            self.scanned.seams.push(at);
        }
    }
}

/// Reads plain tokens and strings from `at` on into `tokens`; gives where something else begins. Apart
/// from the scanner, so that all that this needs stays in registers.
#[inline(never)]
fn read_plain_tokens(text: &[u8], mut at: usize, tokens: &mut Vec<Token>, longest: &mut u32) -> usize {
    let mut longest_here = *longest;
    let mut push = |kind, start: usize, end: usize| {
        tokens.push(Token { kind, span: Span::new(start as u32, end as u32) });
    };
    loop {
        at = end_of_blanks(text, at);
        if let Some((kind, end)) = plain_token(text, at) {
            if kind == TokenKind::Ident {
                longest_here = longest_here.max((end - at) as u32);
            }
            push(kind, at, end);
            at = end;
        } else if let Some(close) = end_of_plain_string(text, at) {
            push(TokenKind::OQuote, at, at + 1);
            push(TokenKind::QuotedLit, at + 1, close);
            push(TokenKind::CQuote, close, close + 1);
            at = close + 1;
        } else {
            break;
        }
    }
    *longest = longest_here;
    at
}

/// The marker inside `<<MARK⏎` or `<<-MARK⏎`.
fn heredoc_marker(text: &str, open: Span) -> Span {
    let intro = open.slice(text);
    let name = intro.trim_end();
    let start = if is_flush(intro) { 3 } else { 2 };
    Span::new(open.start + start, open.start + name.len() as u32)
}

/// Whether a heredoc's introduction asks for its indentation to be taken away.
pub(crate) fn is_flush(intro: &str) -> bool {
    intro.starts_with("<<-")
}
