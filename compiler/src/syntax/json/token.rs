//! The lexer of JSON, which produces one token at a time. A character that begins no token ends the
//! text.
//!
//! Written by hand because the reference accepts more than JSON here (any mix of number bytes, words,
//! `=`) and reports it later with messages of its own. The native syntax has
//! [`crate::syntax::lexer`].

use hclvm_vm::{Span, cast};

use crate::source::first_line;
use crate::syntax::token::span;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonTokenKind {
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Comma,
    Colon,
    Equals,
    String,
    Number,
    Word,
    Invalid,
    Eof,
}

/// A token and its range.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonToken {
    pub(super) kind: JsonTokenKind,
    pub(super) span: Span,
}

/// A cursor over the tokens of a text.
#[derive(Debug)]
pub(super) struct JsonScanner<'t> {
    text: &'t str,
    /// Offsets of the replacements of bytes that were not UTF-8.
    bad: &'t [u32],
    at: usize,
    /// The line of the token that was scanned last, from 1.
    pub(super) line: usize,
    /// Set once reading has stopped at this offset.
    end: Option<u32>,
    ahead: Option<JsonToken>,
    /// Boundaries across which grapheme clusters do not join, for columns.
    pub(super) seams: Vec<u32>,
}

impl<'t> JsonScanner<'t> {
    /// Creates a cursor behind a byte order mark.
    pub(super) fn new(text: &'t str, bad: &'t [u32]) -> Self {
        Self { text, bad, at: first_line(text), line: 1, end: None, ahead: None, seams: Vec::new() }
    }

    /// Returns the next token without reading it.
    pub(super) fn peek(&mut self) -> JsonToken {
        let token = match self.ahead {
            Some(token) => token,
            None => self.scan(),
        };
        self.ahead = Some(token);
        token
    }

    /// Reads the next token.
    pub(super) fn read(&mut self) -> JsonToken {
        let token = self.peek();
        if token.kind != JsonTokenKind::Eof {
            self.ahead = None;
        }
        token
    }

    /// Stops reading: from now on every token is the end of the text.
    pub(super) fn stop(&mut self) {
        self.end = Some(cast::length(self.at));
        self.ahead = None;
    }

    /// Returns true if the character at `at` replaces a byte that was not UTF-8.
    pub(super) fn is_bad(&self, at: u32) -> bool {
        self.bad.binary_search(&at).is_ok()
    }

    fn scan(&mut self) -> JsonToken {
        if let Some(end) = self.end {
            return JsonToken { kind: JsonTokenKind::Eof, span: Span::new(end, end) };
        }
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = bytes.get(start) {
            self.line += usize::from(bytes[start] == b'\n');
            start += 1;
        }
        let rest = &bytes[start..];
        let (kind, length) = match rest.first() {
            None => (JsonTokenKind::Eof, 0),
            Some(b'{') => (JsonTokenKind::OpenBrace, 1),
            Some(b'}') => (JsonTokenKind::CloseBrace, 1),
            Some(b'[') => (JsonTokenKind::OpenBracket, 1),
            Some(b']') => (JsonTokenKind::CloseBracket, 1),
            Some(b',') => (JsonTokenKind::Comma, 1),
            Some(b':') => (JsonTokenKind::Colon, 1),
            Some(b'=') => (JsonTokenKind::Equals, 1),
            Some(b'"') => (JsonTokenKind::String, self.string(start)),
            Some(first) if is_number_byte(*first) && !first.is_ascii_alphabetic() => {
                (JsonTokenKind::Number, rest.iter().take_while(|byte| is_number_byte(**byte)).count())
            }
            Some(first) if first.is_ascii_alphabetic() => {
                let of_word = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'_';
                (JsonTokenKind::Word, rest.iter().take_while(of_word).count())
            }
            Some(_) => {
                self.end = Some(cast::length(start + 1));
                (JsonTokenKind::Invalid, 1)
            }
        };
        self.at = start + length;
        JsonToken { kind, span: span(start, self.at) }
    }

    /// Returns the length of the string at `start`: up to its closing quote, a control character or the
    /// end of the text.
    fn string(&mut self, start: usize) -> usize {
        let mut escaping = false;
        for (at, byte) in self.text.bytes().enumerate().skip(start + 1) {
            match byte {
                b'"' if !escaping => return at + 1 - start,
                0..=31 if !self.is_bad(cast::length(at)) => return at - start,
                b'\\' => escaping = !escaping,
                _ => escaping = false,
            }
            let after_mark = matches!(self.text.as_bytes().get(at - 1), Some(b'"' | b'\\'));
            if after_mark && !byte.is_ascii() {
                self.seams.push(cast::length(at));
            }
        }
        self.text.len() - start
    }
}

/// Returns true for the bytes of a number token, in any order; letters do not begin one.
const fn is_number_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Returns true if a token is a number.
///
/// ```text
/// number = [ "-" ] int [ frac ] [ exp ]
/// int    = "0" | digit1-9 { digit }
/// frac   = "." digit { digit }
/// exp    = ( "e" | "E" ) [ "+" | "-" ] digit { digit }
/// ```
pub(super) fn is_number(text: &str) -> bool {
    let rest = text.strip_prefix('-').unwrap_or(text);
    let Some(rest) = after_digits(rest) else { return false };
    let whole = text.len() - rest.len() - usize::from(text.starts_with('-'));
    if whole > 1 && text.trim_start_matches('-').starts_with('0') {
        return false;
    }
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => match after_digits(fraction) {
            Some(rest) => rest,
            None => return false,
        },
        None => rest,
    };
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else { return rest.is_empty() };
    after_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)).is_some_and(str::is_empty)
}

/// Returns the rest of `text` after one or more digits.
fn after_digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}
