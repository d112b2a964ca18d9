//! A traversal on its own: a path into values, as hosts write it (`a.b[0]["c"]`).
//!
//! Traversals inside expressions are in [`super::postfix`]; they allow more, and their result is a node.

use hclvm_vm::text::nfc_code_points;
use hclvm_vm::{Diagnostic, Number, Span};
use smol_str::SmolStr;

use crate::diagnostic::{self, MakeFoundWithin};
use crate::limits::ParseLimits;
use crate::source::Input;
use crate::syntax::lexer::LexMode;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::Node;

/// A parsed traversal. If there are diagnostics, only the part before the first of them.
#[derive(Clone, Debug)]
pub struct ParsedTraversal {
    /// The root variable and its range.
    pub root: Option<(SmolStr, Span)>,
    /// The steps after it.
    pub steps: Vec<ParsedStep>,
    /// The problems of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Token boundaries for [`crate::source::Source`].
    pub seams: Vec<u32>,
}

/// A step of a parsed traversal.
#[derive(Clone, Debug)]
pub struct ParsedStep {
    /// The part that it selects.
    pub key: StepKey,
    /// Its range, including its dot or brackets.
    pub span: Span,
}

/// The part of a value that a step of a parsed traversal selects.
#[derive(Clone, Debug)]
pub enum StepKey {
    /// `.name`
    Attribute(SmolStr),
    /// `[0]`
    Number(Number),
    /// `["key"]`, in normal form C like the keys of values.
    Text(String),
    /// `[*]`, in partial traversals only.
    Splat,
}

/// Parses a traversal; a `partial` one may contain the splat `[*]`.
pub fn parse_traversal<'t>(
    input: impl Into<Input<'t>>,
    limits: &ParseLimits,
    partial: bool,
) -> ParsedTraversal {
    let mut parser = Parser::new(input.into(), LexMode::Expression, limits);
    let mut steps = Vec::new();
    let root = parser.ignoring_newlines(|p| p.traversal(partial, &mut steps));
    let root = root.map(|span| (SmolStr::new(span.slice(parser.text)), span));
    ParsedTraversal { root, steps, diagnostics: parser.report.finish(), seams: parser.seams }
}

impl Parser<'_> {
    /// `Traversal = Identifier { "." Identifier | "[" ( number | stringLit | "*" ) "]" } Eof`
    fn traversal(&mut self, partial: bool, steps: &mut Vec<ParsedStep>) -> Option<Span> {
        let root = self.read();
        if root.kind != TokenKind::Ident {
            self.problem_found(diagnostic::variable_name_required, root, root.span);
            return None;
        }
        loop {
            let next = self.peek();
            let step = match next.kind {
                TokenKind::Eof => break,
                TokenKind::Dot => self.traversal_attribute(root.span),
                TokenKind::OBrack => self.traversal_index(root.span, partial),
                _ => self.no_step(diagnostic::step_required, next, root.span.to(next.span)),
            };
            match step {
                Some(step) => steps.push(step),
                None => break,
            }
        }
        Some(root.span)
    }

    /// Reports a token that does not continue the traversal.
    fn no_step<T>(&mut self, make: MakeFoundWithin, token: Token, context: Span) -> Option<T> {
        self.problem_found_within(make, token, context);
        None
    }

    fn no_splat<T>(&mut self, subject: Span, context: Span) -> Option<T> {
        self.problem_within(diagnostic::splat_not_allowed, subject, context);
        None
    }

    /// `"." Identifier`
    fn traversal_attribute(&mut self, root: Span) -> Option<ParsedStep> {
        let dot = self.read().span;
        let name = self.read();
        let context = root.to(name.span);
        match name.kind {
            TokenKind::Ident => {
                let key = StepKey::Attribute(SmolStr::new(name.span.slice(self.text)));
                Some(ParsedStep { key, span: dot.to(name.span) })
            }
            TokenKind::Star => self.no_splat(name.span, context),
            _ => self.no_step(diagnostic::attribute_name_required, name, context),
        }
    }

    /// `"[" ( number | stringLit | "*" ) "]"`
    fn traversal_index(&mut self, root: Span, partial: bool) -> Option<ParsedStep> {
        let mark = self.mark();
        let open = self.read().span;
        let next = self.peek();
        let key = match next.kind {
            TokenKind::NumberLit => {
                let node = self.number();
                match self.tree.node(node) {
                    Node::Number(id) => StepKey::Number(self.tree.number(id).clone()),
                    _ => return None,
                }
            }
            TokenKind::OQuote => StepKey::Text(nfc_code_points(&self.quoted_string().0).collect()),
            TokenKind::Star if partial => {
                self.read();
                StepKey::Splat
            }
            TokenKind::Star => return self.no_splat(next.span, root.to(next.span)),
            _ => return self.no_step(diagnostic::index_required, next, root.to(next.span)),
        };
        let close = self.read();
        let span = open.to(close.span);
        if close.kind != TokenKind::CBrack {
            return self.no_step(diagnostic::unclosed_index, close, span);
        }
        (self.mark() == mark).then_some(ParsedStep { key, span })
    }
}
