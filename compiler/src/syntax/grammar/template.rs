//! Templates: quoted strings, heredocs, bare templates.
//!
//! ```text
//! "a ${x} %{ if c }b%{ endif }"   parts:  Text a · Value x · Text " " · If c · Text b · EndIf
//!                                 tree:   Template [ Text, Traversal x, Text, Conditional(c, [Text b], [Text ""]) ]
//! ```
//! The phases, in an order that is visible in results and diagnostics: all parts are read, and strip
//! markers applied; the indentation of a `<<-` heredoc is removed; adjacent texts are joined; the
//! directives are paired ([`super::directive`]).

use std::borrow::Cow;

use hclvm_vm::text::characters;
use hclvm_vm::{Span, cast};

use crate::diagnostic;
use crate::syntax::advice;
use crate::syntax::lexer::is_flush;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{NameId, Node, NodeId};

/// A part of a template before directives are paired.
#[derive(Clone, Debug)]
pub(crate) enum FlatTemplatePart<'t> {
    /// Literal text, escapes decoded.
    Text(Cow<'t, str>, Span),
    /// `${ }`
    Value(NodeId),
    /// `%{ if }` with its condition.
    If(NodeId, Span),
    /// `%{ else }`
    Else(Span),
    /// `%{ endif }`
    EndIf(Span),
    /// `%{ for }` with its names and collection.
    For(Option<NameId>, NameId, NodeId, Span),
    /// `%{ endfor }`
    EndFor(Span),
}

/// The template around a `${ }` or `%{ }`, for its error messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TemplateContext {
    /// The first token of the template.
    pub(crate) start: Span,
    /// The token that ends the template.
    pub(crate) end: TokenKind,
}

impl Parser<'_> {
    /// `WholeTemplate = Template Eof`, where `Template = { literal | Interpolation | Directive }`
    pub(crate) fn whole_template(&mut self) -> NodeId {
        let start = self.peek().span;
        self.template(start, TokenKind::Eof, false)
    }

    /// `Quoted = '"' Template '"'`
    pub(crate) fn quoted_template(&mut self) -> NodeId {
        if let Some([_, literal, close]) =
            self.next_if([TokenKind::OQuote, TokenKind::QuotedLit, TokenKind::CQuote])
        {
            return self.plain_string(literal, close);
        }
        let open = self.read().span;
        self.template(open, TokenKind::CQuote, false)
    }

    /// `Plain = '"' literal '"'`: a shortcut for most strings. Its tokens are not read yet.
    fn plain_string(&mut self, literal: Token, close: Token) -> NodeId {
        let open = self.peek().span;
        let text = self.decode(literal);
        let text = self.literal(&text, literal.span);
        self.take(3, close.span);
        let parts = self.list_of(text);
        self.node(Node::Template(parts), open.to(close.span))
    }

    /// `Heredoc = "<<" [ "-" ] Identifier newline Template Identifier`
    pub(crate) fn heredoc(&mut self) -> NodeId {
        let open = self.read().span;
        self.template(open, TokenKind::CHeredoc, is_flush(open.slice(self.text)))
    }

    /// `Template`, up to the token `end`.
    fn template(&mut self, open: Span, end: TokenKind, flush: bool) -> NodeId {
        let base = self.parts.len();
        let close = self.read_parts(end);
        self.template_of(base, open, close, flush)
    }

    /// Builds the template of the parts since `base`. Kept out of the recursion of nested templates, so
    /// that a level of nesting uses little native stack.
    #[inline(never)]
    fn template_of(&mut self, base: usize, open: Span, close: Span, flush: bool) -> NodeId {
        if flush {
            self.take_indentation(base);
        }
        self.join_texts(base);
        self.template_node(base, open.to(close), close)
    }

    /// Adds the node of the parts since `base`. A single interpolation is a `TemplateWrap`.
    fn template_node(&mut self, base: usize, span: Span, close: Span) -> NodeId {
        if let [FlatTemplatePart::Value(value)] = self.parts[base..] {
            self.parts.truncate(base);
            return self.node(Node::TemplateWrap(value), span);
        }
        let from = self.children.len();
        if self.parts[base..]
            .iter()
            .all(|part| matches!(part, FlatTemplatePart::Text(..) | FlatTemplatePart::Value(_)))
        {
            self.plain_parts(base);
        } else {
            self.pair_directives(base, close);
        }
        let parts = self.list_since(from);
        self.node(Node::Template(parts), span)
    }

    /// Turns the parts since `base`, none of which is a directive, into children.
    fn plain_parts(&mut self, base: usize) {
        for at in base..self.parts.len() {
            let child = match &mut self.parts[at] {
                FlatTemplatePart::Text(text, span) => {
                    let (text, span) = (std::mem::take(text), *span);
                    self.literal(&text, span)
                }
                FlatTemplatePart::Value(node) => *node,
                _ => continue,
            };
            self.children.push(child);
        }
        self.parts.truncate(base);
    }

    /// Reads parts up to the token `end`, and returns its range.
    fn read_parts(&mut self, end: TokenKind) -> Span {
        let around = TemplateContext { start: self.peek().span, end };
        let base = self.parts.len();
        let mut strip_next = false;
        loop {
            let token = self.read();
            if token.kind == end {
                if self.parts.len() == base {
                    let after = Span::new(token.span.end, token.span.end);
                    self.parts.push(FlatTemplatePart::Text(Cow::Borrowed(""), after));
                }
                return token.span;
            }
            strip_next = match token.kind {
                TokenKind::QuotedLit | TokenKind::StringLit => self.text_part(token, strip_next),
                TokenKind::TemplateInterp => self.sequence(token.span, base, &around, Self::interpolation),
                TokenKind::TemplateControl => self.sequence(token.span, base, &around, Self::directive),
                _ => return self.unterminated(token, around),
            };
        }
    }

    // Only invalid texts get here.
    #[cold]
    // Inlined, the diagnostic under construction enlarges the stack frame of every expression.
    #[inline(never)]
    fn unterminated(&mut self, found: Token, around: TemplateContext) -> Span {
        if !self.recovery {
            let problem = diagnostic::unterminated_template(found.span, around.start.to(found.span));
            self.complain(advice::unclosed_string(self.view(), problem, found));
        }
        self.recover(around.end)
    }

    /// Adds literal text, without its leading white space if the sequence before it strips that. Kept
    /// out of the recursion of nested templates, so that a level of nesting uses little native stack.
    #[inline(never)]
    fn text_part(&mut self, token: Token, strip: bool) -> bool {
        let mut text = self.decode(token);
        if strip {
            let blank = text.len() - text.trim_start().len();
            cut_front(&mut text, blank);
        }
        self.parts.push(FlatTemplatePart::Text(text, token.span));
        false
    }

    /// `Interpolation | Directive`; true if it strips the text after it.
    fn sequence(
        &mut self,
        open: Span,
        base: usize,
        around: &TemplateContext,
        inside: fn(&mut Self, Span, &TemplateContext) -> bool,
    ) -> bool {
        let strips = open.len() == 3;
        if strips && let Some(FlatTemplatePart::Text(text, _)) = self.parts[base..].last_mut() {
            let kept = text.trim_end().len();
            cut_end(text, kept);
        }
        self.ignoring_newlines(|p| inside(p, open, around))
    }

    /// `Interpolation = "${" Expression "}"`, after the opening token.
    fn interpolation(&mut self, _open: Span, around: &TemplateContext) -> bool {
        let value = self.expression();
        self.parts.push(FlatTemplatePart::Value(value));
        let close = self.peek();
        if close.kind == TokenKind::TemplateSeqEnd {
            return self.sequence_end();
        }
        let context = around.start.to(close.span);
        match close.kind {
            TokenKind::Eof => self.surprise(diagnostic::unclosed_interpolation, around.start, close),
            TokenKind::CQuote | TokenKind::OQuote if around.end == TokenKind::CQuote => {
                self.surprise(diagnostic::unclosed_interpolation_in_quotes, around.start, close);
            }
            _ => self.unexpected_within(diagnostic::extra_after_interpolation, close, context),
        }
        self.recover(TokenKind::TemplateSeqEnd);
        false
    }

    /// `"}" | "~}"`; true if it strips the text after it.
    pub(crate) fn sequence_end(&mut self) -> bool {
        self.read().span.len() == 2
    }

    /// Removes the smallest indentation of the lines since `base` from each of them.
    ///
    /// Blank lines are neither counted nor changed. A line that begins with a sequence has no
    /// indentation.
    fn take_indentation(&mut self, base: usize) {
        let mut smallest = usize::MAX;
        for text in line_starts(&mut self.parts[base..]) {
            smallest = smallest.min(text.as_ref().map_or(0, |(text, _)| indentation(text)));
        }
        for (text, span) in line_starts(&mut self.parts[base..]).flatten() {
            if !is_blank_line(text) {
                let bytes: usize = characters(text).take(smallest).map(str::len).sum();
                cut_front(text, bytes);
                span.start += cast::length(bytes);
            }
        }
    }

    /// Joins adjacent texts.
    fn join_texts(&mut self, base: usize) {
        let are_texts = |pair: &[FlatTemplatePart<'_>]| {
            matches!(pair, [FlatTemplatePart::Text(..), FlatTemplatePart::Text(..)])
        };
        if !self.parts[base..].windows(2).any(are_texts) {
            return;
        }
        let mut kept = base;
        for index in base + 1..self.parts.len() {
            let (before, rest) = self.parts.split_at_mut(index);
            if let (FlatTemplatePart::Text(text, span), FlatTemplatePart::Text(more, more_span)) =
                (&mut before[kept], &rest[0])
            {
                text.to_mut().push_str(more);
                span.end = more_span.end;
            } else {
                kept += 1;
                self.parts.swap(kept, index);
            }
        }
        self.parts.truncate(self.parts.len().min(kept + 1));
    }
}

fn cut_front(text: &mut Cow<'_, str>, bytes: usize) {
    match text {
        Cow::Borrowed(text) => *text = text.get(bytes..).unwrap_or_default(),
        Cow::Owned(text) => drop(text.drain(..bytes)),
    }
}

fn cut_end(text: &mut Cow<'_, str>, kept: usize) {
    match text {
        Cow::Borrowed(text) => *text = text.get(..kept).unwrap_or_default(),
        Cow::Owned(text) => text.truncate(kept),
    }
}

/// Returns the parts that begin a line: a text, or `None` for a sequence.
fn line_starts<'p, 't>(
    parts: &'p mut [FlatTemplatePart<'t>],
) -> impl Iterator<Item = Option<(&'p mut Cow<'t, str>, &'p mut Span)>> {
    let mut at_start = true;
    parts.iter_mut().filter_map(move |part| {
        let starts = std::mem::replace(&mut at_start, false);
        let FlatTemplatePart::Text(text, span) = part else { return starts.then_some(None) };
        at_start = text.ends_with('\n');
        starts.then_some(Some((text, span)))
    })
}

/// Returns the leading white space in grapheme clusters; of a blank line, the maximum.
fn indentation(text: &str) -> usize {
    if is_blank_line(text) {
        return usize::MAX;
    }
    characters(&text[..text.len() - text.trim_start().len()]).count()
}

fn is_blank_line(text: &str) -> bool {
    text.ends_with('\n') && text.trim_start().is_empty()
}
