//! A traversal that stands alone: a path into values, as hosts write it (`a.b[0]["c"]`).

use hclvm_vm::text::nfc_code_points;
use hclvm_vm::{Diagnostic, Number, Span};
use smol_str::SmolStr;

use crate::diagnostic::{self, MakeWithin};
use crate::limits::ParseLimits;
use crate::source::Input;
use crate::syntax::lexer::LexMode;
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::Node;

/// A parsed traversal. With diagnostics, the part before the first of them.
#[derive(Clone, Debug)]
pub struct ParsedTraversal {
    /// The root variable and its range.
    pub root: Option<(SmolStr, Span)>,
    /// The steps after it.
    pub steps: Vec<ParsedStep>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// Token boundaries for [`crate::source::Source`].
    pub seams: Vec<u32>,
}

/// One step.
#[derive(Clone, Debug)]
pub struct ParsedStep {
    /// What it selects.
    pub key: StepKey,
    /// Its range, with its dot or brackets.
    pub span: Span,
}

/// What a step selects.
#[derive(Clone, Debug)]
pub enum StepKey {
    /// `.name`
    Attribute(SmolStr),
    /// `[0]`
    Number(Number),
    /// `["key"]`, NFC-normalised as keys of values are.
    Text(String),
    /// `[*]`, in partial traversals only.
    Splat,
}

/// Parses a traversal; a `partial` one may hold the splat `[*]`.
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
            self.problem(diagnostic::variable_name_required, root.span);
            return None;
        }
        loop {
            let next = self.peek();
            let step = match next.kind {
                TokenKind::Eof => break,
                TokenKind::Dot => self.traversal_attribute(root.span),
                TokenKind::OBrack => self.traversal_index(root.span, partial),
                _ => self.no_step(diagnostic::step_required, next.span, root.span.to(next.span)),
            };
            match step {
                Some(step) => steps.push(step),
                None => break,
            }
        }
        Some(root.span)
    }

    fn no_step<T>(&mut self, make: MakeWithin, subject: Span, context: Span) -> Option<T> {
        self.problem_within(make, subject, context);
        None
    }

    fn traversal_attribute(&mut self, root: Span) -> Option<ParsedStep> {
        let dot = self.read().span;
        let name = self.read();
        let make = match name.kind {
            TokenKind::Ident => {
                let key = StepKey::Attribute(SmolStr::new(name.span.slice(self.text)));
                return Some(ParsedStep { key, span: dot.to(name.span) });
            }
            TokenKind::Star => diagnostic::splat_not_allowed,
            _ => diagnostic::attribute_name_required,
        };
        self.no_step(make, name.span, root.to(name.span))
    }

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
            TokenKind::Star => {
                return self.no_step(diagnostic::splat_not_allowed, next.span, root.to(next.span));
            }
            _ => return self.no_step(diagnostic::index_required, next.span, root.to(next.span)),
        };
        let close = self.read();
        let span = open.to(close.span);
        if close.kind != TokenKind::CBrack {
            return self.no_step(diagnostic::unclosed_index, close.span, span);
        }
        (self.mark() == mark).then_some(ParsedStep { key, span })
    }
}
