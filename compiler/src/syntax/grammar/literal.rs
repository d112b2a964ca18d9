//! Number literals, escape sequences of string literals, and strings without template sequences.
//!
//! Strings with template sequences are in [`super::template`].

use std::borrow::Cow;

use hclvm_vm::{Number, Span, cast};

use crate::diagnostic;
use crate::syntax::advice::characters;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{Node, NodeId, NumberId};

/// The label of the quote of a string that is not closed.
const OPENS: &str = "the string begins here";

impl<'t> Parser<'t> {
    /// `number = digit { digit | "." | exponent }`
    pub(crate) fn number(&mut self) -> NodeId {
        let span = self.read().span;
        self.number_at(span)
    }

    /// Adds the number that is written at `span`.
    #[inline(always)] // Most numbers are short integers; a call takes as many instructions as reading one.
    pub(crate) fn number_at(&mut self, span: Span) -> NodeId {
        // Short integers first, so that the number is built in place instead of being moved there.
        let Some(integer) = Number::short_integer(span.bytes(self.text)) else {
            return self.other_number(span);
        };
        let id = NumberId::at(self.tree.numbers.len());
        self.tree.numbers.push(Number::full(integer));
        self.node(Node::Number(id), span)
    }

    /// Adds a number that is no short integer.
    // Out of line, so that a level of nesting uses little native stack.
    #[inline(never)]
    fn other_number(&mut self, span: Span) -> NodeId {
        let id = NumberId::at(self.tree.numbers.len());
        let Some(number) = Number::parse_literal(span.slice(self.text)) else {
            let token = Token { kind: TokenKind::NumberLit, span };
            self.problem_found(diagnostic::invalid_number, token, span);
            return self.node(Node::Invalid, span);
        };
        self.tree.numbers.push(number);
        self.node(Node::Number(id), span)
    }

    /// Returns the text of a literal token, escapes decoded.
    #[inline] // Most literals are their source text, which two comparisons tell.
    pub(crate) fn decode(&mut self, token: Token) -> Cow<'t, str> {
        let raw = token.span.slice(self.text);
        if raw.len() == 3 && matches!(raw.as_bytes(), b"$${" | b"%%{") {
            return Cow::Borrowed(&raw[1..]);
        }
        if token.kind != TokenKind::QuotedLit || !self.escapes || !raw.as_bytes().contains(&b'\\') {
            return Cow::Borrowed(raw);
        }
        Cow::Owned(self.unescape(raw, token.span.start))
    }

    // Few strings have escapes.
    #[inline(never)]
    fn unescape(&mut self, raw: &str, start: u32) -> String {
        let mut text = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(backslash) = rest.find('\\') {
            text.push_str(&rest[..backslash]);
            let escape = &rest[backslash..];
            let length = escape_length(escape);
            let at = start + cast::length(raw.len() - escape.len());
            self.escape(&escape[..length], at, &mut text);
            rest = &escape[length..];
        }
        text.push_str(rest);
        text
    }

    /// `escape = "\" ( "n" | "r" | "t" | '"' | "\" | "u" 4 * hex | "U" 8 * hex )`
    fn escape(&mut self, escape: &str, at: u32, text: &mut String) {
        let span = Span::new(at, at + cast::length(escape.len()));
        let selector = &escape[1..];
        match selector {
            "n" => text.push('\n'),
            "r" => text.push('\r'),
            "t" => text.push('\t'),
            "\"" => text.push('"'),
            "\\" => text.push('\\'),
            "" => self.problem(diagnostic::escape_needs_selector, span),
            _ if selector.starts_with('u') => self.unicode_escape(&selector[1..], 4, span, text),
            _ if selector.starts_with('U') => self.unicode_escape(&selector[1..], 8, span, text),
            _ => {
                self.complain_with(
                    diagnostic::unknown_escape(selector, span),
                    characters::escape(self.text, selector, span),
                );
                text.push_str(selector);
            }
        }
    }

    fn unicode_escape(&mut self, digits: &str, wanted: usize, span: Span, text: &mut String) {
        if digits.len() != wanted {
            let make = match wanted {
                4 => diagnostic::escape_needs_four_digits,
                _ => diagnostic::escape_needs_eight_digits,
            };
            return self.problem(make, span);
        }
        match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
            Some(character) => text.push(character),
            None => self.complain(diagnostic::escape_beyond_unicode(digits, span)),
        }
    }

    /// `stringLit = '"' { literal } '"'`: a label, or a step of a bare traversal.
    pub(crate) fn quoted_string(&mut self) -> (String, Span) {
        let open = self.read().span;
        let mut text = String::new();
        loop {
            let token = self.read();
            let context = open.to(token.span);
            match token.kind {
                TokenKind::CQuote => return (text, context),
                TokenKind::QuotedLit => text.push_str(&self.decode(token)),
                TokenKind::TemplateInterp => {
                    self.problem_within(diagnostic::interpolation_in_string, token.span, context);
                    text.push_str("${ ... }");
                    self.recover(TokenKind::TemplateSeqEnd);
                }
                TokenKind::TemplateControl => {
                    self.problem_within(diagnostic::directive_in_string, token.span, context);
                    text.push_str("%{ ... }");
                    self.recover(TokenKind::TemplateSeqEnd);
                }
                TokenKind::Eof => {
                    self.complain(diagnostic::unterminated_string(token.span, context).label(open, OPENS));
                    return (text, context);
                }
                _ => {
                    self.problem_found_within(diagnostic::bad_string_part, token, context);
                    return (text, open.to(self.recover(TokenKind::CQuote)));
                }
            }
        }
    }
}

/// Returns the length of the escape sequence at the start of `text`, with the digits that it has.
fn escape_length(text: &str) -> usize {
    let mut characters = text.chars().skip(1);
    let digits = match characters.next() {
        None => return 1,
        Some('u') => 4,
        Some('U') => 8,
        Some(selector) => return 1 + selector.len_utf8(),
    };
    2 + characters.take(digits).take_while(char::is_ascii_hexdigit).count()
}
