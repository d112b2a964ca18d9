//! Template directives: `%{ if }`, `%{ else }`, `%{ endif }`, `%{ for }`, `%{ endfor }`.
//!
//! Reading a directive only records it as a part. Pairing then turns the flat parts into nested nodes
//! with an explicit stack of open directives, so nested directives use no native stack.

use hclvm_vm::{Span, nearest};

use super::template::{FlatTemplatePart, TemplateContext};
use crate::diagnostic::{self, MakeFound};
use crate::syntax::advice;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{For, NameId, Node, NodeId};

/// The keywords that begin a directive.
const KEYWORDS: [&str; 5] = ["if", "for", "else", "endif", "endfor"];

/// A directive whose end has not been reached.
struct OpenDirective {
    kind: DirectiveKind,
    /// The range of its opening `%{ }`.
    span: Span,
    /// Number of children before its first.
    from: usize,
}

enum DirectiveKind {
    If {
        condition: NodeId,
        /// The range of `%{ else }` and the number of children before it.
        other: Option<(Span, usize)>,
    },
    For {
        key: Option<NameId>,
        value: NameId,
        collection: NodeId,
    },
}

impl DirectiveKind {
    const fn word(&self) -> &'static str {
        match self {
            Self::If { .. } => "if",
            Self::For { .. } => "for",
        }
    }
}

impl<'t> Parser<'t> {
    /// `Directive = "%{" ( "if" Expression | "else" | "endif" | ForDirective | "endfor" ) "}"`, after the
    /// opening token; true if it strips the text after it.
    pub(crate) fn directive(&mut self, open: Span, around: &TemplateContext) -> bool {
        let keyword = self.peek().span;
        let word = self.directive_word(open);
        if !self.directive_part(word, keyword, open) {
            self.recover(TokenKind::TemplateSeqEnd);
            return false;
        }
        if self.next_is(TokenKind::TemplateSeqEnd) {
            return self.sequence_end();
        }
        self.extra_in_directive(word, around);
        false
    }

    /// Reads the keyword of the directive; an empty text if there is none.
    fn directive_word(&mut self, open: Span) -> &'t str {
        let keyword = self.peek();
        if keyword.kind != TokenKind::Ident {
            self.unexpected_within(diagnostic::directive_required, keyword, open.to(keyword.span));
            return "";
        }
        self.read();
        keyword.span.slice(self.text)
    }

    /// Reads the rest of the directive and adds its part; false if it is not a directive.
    fn directive_part(&mut self, word: &str, keyword: Span, open: Span) -> bool {
        match word {
            "" => false,
            "if" => {
                let condition = self.expression();
                self.push_directive(open, |span| FlatTemplatePart::If(condition, span))
            }
            "for" => self.for_directive(open).is_some(),
            "else" => self.push_directive(open, FlatTemplatePart::Else),
            "endif" => self.push_directive(open, FlatTemplatePart::EndIf),
            "endfor" => self.push_directive(open, FlatTemplatePart::EndFor),
            _ => self.unknown_directive(word, keyword, open),
        }
    }

    fn push_directive(&mut self, open: Span, part: impl FnOnce(Span) -> FlatTemplatePart<'t>) -> bool {
        let span = open.to(self.peek().span);
        self.parts.push(part(span));
        true
    }

    /// `ForDirective = "for" Identifier [ "," Identifier ] "in" Expression`, after `for`.
    fn for_directive(&mut self, open: Span) -> Option<()> {
        let first = self.directive_name(diagnostic::directive_for_name)?;
        let mut names = (None, first);
        if self.next_is(TokenKind::Comma) {
            self.read();
            let second = self.directive_name(diagnostic::directive_for_second_name)?;
            names = (Some(first), second);
        }
        if !self.next_is_word("in") {
            self.unexpected(diagnostic::directive_for_in, self.peek());
            return None;
        }
        self.read();
        let collection = self.expression();
        let (key, value) = names;
        self.push_directive(open, |span| FlatTemplatePart::For(key, value, collection, span));
        Some(())
    }

    fn directive_name(&mut self, missing: MakeFound) -> Option<NameId> {
        let next = self.peek();
        if next.kind != TokenKind::Ident {
            self.unexpected(missing, next);
            return None;
        }
        self.read();
        Some(self.name(next.span))
    }

    fn unknown_directive(&mut self, word: &str, keyword: Span, open: Span) -> bool {
        if !self.recovery {
            let token = Token { kind: TokenKind::Ident, span: keyword };
            // A single letter is near to `if`, but hardly a misspelled keyword.
            let nearest = nearest(&word.to_ascii_lowercase(), KEYWORDS).filter(|_| word.len() > 1);
            let problem =
                diagnostic::unknown_directive(self.found(token), nearest, keyword, open.to(keyword));
            let advised = advice::advised(self.view(), problem.clone(), token);
            match nearest {
                Some(nearest) if advised == problem => self.complain(problem.replacement(keyword, nearest)),
                // Directives have a blank after `%{`, placeholders of other languages have none.
                None if advised == problem => {
                    self.complain(diagnostic::literal_directive(problem, open, keyword));
                }
                _ => self.complain(advised),
            }
        }
        false
    }

    fn extra_in_directive(&mut self, word: &str, around: &TemplateContext) {
        let next = self.peek();
        if !self.recovery {
            let context = around.start.to(next.span);
            let problem = diagnostic::extra_in_directive(word, self.found(next), next.span, context);
            self.complain_at(problem, next);
        }
        self.recover(TokenKind::TemplateSeqEnd);
    }

    /// Turns the parts since `base` into children, and pairs their directives.
    pub(crate) fn pair_directives(&mut self, base: usize, end: Span) {
        let mut open: Vec<OpenDirective> = Vec::new();
        let mut parts = self.parts.split_off(base);
        for part in parts.drain(..) {
            self.pair(&mut open, part);
        }
        while let Some(directive) = open.pop() {
            let line = self.line_of(directive.span.start);
            let word = directive.kind.word();
            let problem = diagnostic::unclosed_directive(word, line, end);
            self.complain(advice::missing_end(self.view(), problem, word, directive.span, end));
            self.close_broken(&directive, end);
        }
    }

    fn pair(&mut self, open: &mut Vec<OpenDirective>, part: FlatTemplatePart<'t>) {
        match part {
            FlatTemplatePart::Text(text, span) => {
                let node = self.literal(&text, span);
                self.children.push(node);
            }
            FlatTemplatePart::Value(node) => self.children.push(node),
            FlatTemplatePart::If(condition, span) => {
                self.open(open, DirectiveKind::If { condition, other: None }, span);
            }
            FlatTemplatePart::For(key, value, collection, span) => {
                self.open(open, DirectiveKind::For { key, value, collection }, span);
            }
            FlatTemplatePart::Else(span) => self.divide(open, span),
            FlatTemplatePart::EndIf(span) => self.close(open, "endif", span),
            FlatTemplatePart::EndFor(span) => self.close(open, "endfor", span),
        }
    }

    fn open(&mut self, open: &mut Vec<OpenDirective>, kind: DirectiveKind, span: Span) {
        self.enter();
        open.push(OpenDirective { kind, span, from: self.children.len() });
    }

    fn divide(&mut self, open: &mut Vec<OpenDirective>, span: Span) {
        match open.last_mut() {
            Some(OpenDirective { kind: DirectiveKind::If { other: other @ None, .. }, .. }) => {
                *other = Some((span, self.children.len()));
            }
            _ => self.misplaced(open, "else", span),
        }
    }

    fn close(&mut self, open: &mut Vec<OpenDirective>, word: &str, span: Span) {
        match open.pop() {
            Some(OpenDirective { kind: DirectiveKind::If { condition, other }, span: start, from })
                if word == "endif" =>
            {
                let node = self.if_node(condition, other, start, from, span);
                self.children.push(node);
                self.leave(1);
            }
            Some(OpenDirective {
                kind: DirectiveKind::For { key, value, collection },
                span: start,
                from,
            }) if word == "endfor" => {
                let node = self.join_node((key, value, collection), start, from, span);
                self.children.push(node);
                self.leave(1);
            }
            other => {
                open.extend(other);
                self.misplaced(open, word, span);
            }
        }
    }

    /// Reports a directive that does not fit the open ones. It also ends the innermost of them.
    fn misplaced(&mut self, open: &mut Vec<OpenDirective>, word: &str, span: Span) {
        let problem = match open.last() {
            Some(directive) => {
                let line = self.line_of(directive.span.start);
                let kind = directive.kind.word();
                diagnostic::wrong_directive(word, kind, line, span)
                    .label(directive.span, format!("the `%{{ {kind} }}`"))
            }
            None => diagnostic::stray_directive(word, span),
        };
        self.complain(problem);
        if let Some(directive) = open.pop() {
            self.close_broken(&directive, span);
        }
    }

    fn close_broken(&mut self, directive: &OpenDirective, end: Span) {
        self.leave(1);
        self.children.truncate(directive.from);
        let node = self.node(Node::Invalid, directive.span.to(end));
        self.children.push(node);
    }

    fn if_node(
        &mut self,
        condition: NodeId,
        other: Option<(Span, usize)>,
        start: Span,
        from: usize,
        end: Span,
    ) -> NodeId {
        let no = match other {
            Some((span, divider)) => self.arm(divider, span.end),
            None => self.arm(self.children.len(), end.start),
        };
        let yes = self.arm(from, start.end);
        self.node(Node::Conditional { condition, yes, no }, start.to(end))
    }

    fn join_node(
        &mut self,
        (key_name, value_name, collection): (Option<NameId>, NameId, NodeId),
        open: Span,
        from: usize,
        close: Span,
    ) -> NodeId {
        let value = self.arm(from, open.end);
        let each = self.for_details(For {
            key_name,
            value_name,
            collection,
            key: None,
            value,
            condition: None,
            group: false,
            open,
            close,
        });
        self.node(Node::TemplateJoin(each), open.to(close))
    }

    /// Adds the children since `from` as a template; if there are none, an empty text at `at`.
    fn arm(&mut self, from: usize, at: u32) -> NodeId {
        if self.children.len() == from {
            let empty = self.literal("", Span::new(at, at));
            self.children.push(empty);
        }
        let list = self.list_since(from);
        let children = self.tree.list(list);
        let first = children.first().map_or(Span::new(at, at), |&child| self.tree.span(child));
        let last = children.last().map_or(first, |&child| self.tree.span(child));
        self.node(Node::Template(list), first.to(last))
    }
}
