//! For expressions `[for x in xs : x]`, `{for k, v in m : k => v}`.
//!
//! The directive `%{ for }` of templates is in [`super::directive`]; both make a `For` node.

use hclvm_vm::Span;

use crate::diagnostic::{self, MakeFoundWithin};
use crate::syntax::advice;
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{For, ForId, NameId, Node, NodeId};

/// The names that a for expression binds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForNames {
    pub(crate) key: Option<NameId>,
    pub(crate) value: NameId,
}

/// The content of the brackets.
struct Clauses {
    names: ForNames,
    collection: NodeId,
    key: Option<NodeId>,
    value: NodeId,
    ellipsis: Option<Span>,
    condition: Option<NodeId>,
}

impl Parser<'_> {
    /// `For = ( "[" | "{" ) "for" ForClauses ( "]" | "}" )`, after the bracket.
    pub(crate) fn for_expression(&mut self, open: Span, closer: TokenKind) -> NodeId {
        self.read();
        let Some(clauses) = self.for_clauses(open) else {
            let close = self.recover(closer);
            return self.node(Node::Invalid, open.to(close));
        };
        let next = self.peek();
        let close = if next.kind == closer {
            self.read().span
        } else {
            self.unexpected_within(diagnostic::for_end, next, open.to(next.span));
            self.recover(closer)
        };
        self.check_clauses(&clauses, closer, open.to(close));
        self.for_node(&clauses, open, close)
    }

    fn for_node(&mut self, clauses: &Clauses, open: Span, close: Span) -> NodeId {
        self.for_details(For {
            key_name: clauses.names.key,
            value_name: clauses.names.value,
            collection: clauses.collection,
            key: clauses.key,
            value: clauses.value,
            condition: clauses.condition,
            group: clauses.ellipsis.is_some(),
            open,
            close,
        })
    }

    /// Adds the details of a for expression or directive, and a node for them.
    pub(crate) fn for_details(&mut self, details: For) -> NodeId {
        let span = details.open.to(details.close);
        let id = ForId::at(self.tree.fors.len());
        self.tree.fors.push(details);
        self.node(Node::For(id), span)
    }

    /// `ForClauses = ForNames Expression ":" [ Expression "=>" ] Expression [ "..." ] [ "if" Expression ]`
    fn for_clauses(&mut self, open: Span) -> Option<Clauses> {
        let names = self.for_names(open)?;
        let collection = self.clause()?;
        if !self.next_is(TokenKind::Colon) {
            return self.no_clause(diagnostic::for_colon, open);
        }
        self.read();
        let (mark, mut value) = (self.mark(), self.expression());
        let mut key = None;
        if self.next_is(TokenKind::FatArrow) {
            // Problems of the value are reported even if the key is wrong.
            self.read();
            key = Some(value);
            value = self.expression();
        }
        if self.failed_since(mark) {
            return None;
        }
        let ellipsis = self.next_is(TokenKind::Ellipsis).then(|| self.read().span);
        let mut condition = None;
        if self.next_is_word("if") {
            self.read();
            condition = Some(self.clause()?);
        }
        Some(Clauses { names, collection, key, value, ellipsis, condition })
    }

    /// `ForNames = Identifier [ "," Identifier ] "in"`
    fn for_names(&mut self, open: Span) -> Option<ForNames> {
        if !self.next_is(TokenKind::Ident) {
            return self.no_clause(diagnostic::for_name, open);
        }
        let first = self.read().span;
        let mut names = ForNames { key: None, value: self.name(first) };
        if self.next_is(TokenKind::Comma) {
            self.read();
            if !self.next_is(TokenKind::Ident) {
                return self.no_clause(diagnostic::for_second_name, open);
            }
            let second = self.read().span;
            names = ForNames { key: Some(names.value), value: self.name(second) };
        }
        if !self.next_is_word("in") {
            return self.no_clause(diagnostic::for_in, open);
        }
        self.read();
        Some(names)
    }

    /// `Expression`; `None` if an error in it made the parser skip tokens.
    fn clause(&mut self) -> Option<NodeId> {
        let mark = self.mark();
        let node = self.expression();
        (!self.failed_since(mark)).then_some(node)
    }

    /// Reports that the next token does not continue the for expression.
    fn no_clause<T>(&mut self, make: MakeFoundWithin, open: Span) -> Option<T> {
        let next = self.peek();
        self.unexpected_within(make, next, open.to(next.span));
        None
    }

    /// Reports an object without keys, and a tuple with keys or groups.
    fn check_clauses(&mut self, clauses: &Clauses, closer: TokenKind, whole: Span) {
        if closer == TokenKind::CBrace {
            if clauses.key.is_none() {
                let value = self.tree.span(clauses.value);
                let problem = diagnostic::for_without_key(value, whole);
                self.complain_with(problem, advice::other_brackets(self.text, whole, closer));
            }
            return;
        }
        if let Some(key) = clauses.key {
            let problem = diagnostic::for_key_in_tuple(self.tree.span(key), whole);
            self.complain_with(problem, advice::other_brackets(self.text, whole, closer));
        }
        if let Some(ellipsis) = clauses.ellipsis {
            self.problem_within(diagnostic::for_group_in_tuple, ellipsis, whole);
        }
    }
}
