//! Tuple and object constructors.
//!
//! With `for` after the bracket they are for expressions, which are in [`super::for_expr`].

use hclvm_vm::Span;

use crate::diagnostic;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{Node, NodeId};

impl Parser<'_> {
    /// `Tuple = "[" [ Expression { "," Expression } [ "," ] ] "]" | For`
    pub(crate) fn tuple(&mut self) -> NodeId {
        let open = self.read().span;
        self.ignoring_newlines(|p| {
            if p.next_is_word("for") {
                return p.for_expression(open, TokenKind::CBrack);
            }
            let from = p.children.len();
            let close = p.tuple_items(open);
            let items = p.list_since(from);
            p.node(Node::Tuple(items), open.to(close))
        })
    }

    /// The items and the closing bracket, whose range is returned.
    fn tuple_items(&mut self, open: Span) -> Span {
        while !self.next_is(TokenKind::CBrack) {
            let mark = self.mark();
            let item = self.expression();
            self.children.push(item);
            if self.failed_since(mark) {
                return self.recover(TokenKind::CBrack);
            }
            let next = self.peek();
            match next.kind {
                TokenKind::CBrack => break,
                TokenKind::Comma => {
                    self.read();
                }
                _ => {
                    self.unseparated_item(open, next);
                    return self.recover(TokenKind::CBrack);
                }
            }
        }
        self.read().span
    }

    // Only invalid texts get here.
    #[cold]
    fn unseparated_item(&mut self, open: Span, next: Token) {
        if next.kind == TokenKind::Eof {
            self.surprise(diagnostic::unterminated_tuple, open, next);
        } else {
            self.unexpected_within(diagnostic::missing_item_separator, next, open.to(next.span));
        }
    }

    /// `Object = "{" { ObjectItem ( "," | newline ) } "}" | For`
    ///
    /// Line breaks separate items, but not before `for`.
    pub(crate) fn object(&mut self) -> NodeId {
        let open = self.read().span;
        if self.ignoring_newlines(|p| p.next_is_word("for")) {
            return self.ignoring_newlines(|p| p.for_expression(open, TokenKind::CBrace));
        }
        let from = self.children.len();
        let close = self.minding_newlines(|p| p.object_items(open));
        let items = self.list_since(from);
        self.node(Node::Object(items), open.to(close))
    }

    /// The items and the closing brace, whose range is returned.
    fn object_items(&mut self, open: Span) -> Span {
        loop {
            match self.peek().kind {
                TokenKind::Newline => {
                    self.read();
                }
                TokenKind::CBrace => return self.read().span,
                _ => {
                    if let Some(close) = self.object_item(open) {
                        return close;
                    }
                }
            }
        }
    }

    /// `ObjectItem = Expression ( "=" | ":" ) Expression`, with its separator. Returns the range of the
    /// closing brace if the object ends here.
    fn object_item(&mut self, open: Span) -> Option<Span> {
        let forced = self.next_is(TokenKind::OParen);
        let (mark, variables) = (self.mark(), self.tree.variables.len());
        let key = self.expression();
        if matches!(self.tree.node(key), Node::Traversal { steps, .. } if steps.is_empty()) {
            // A single name is the key itself, not a variable.
            self.tree.variables.truncate(variables);
        }
        if self.failed_since(mark) {
            return Some(self.recover(TokenKind::CBrace));
        }
        let next = self.peek();
        if !matches!(next.kind, TokenKind::Equal | TokenKind::Colon) {
            self.unvalued_key(open, next);
            return Some(self.recover(TokenKind::CBrace));
        }
        self.read();
        let span = self.tree.span(key);
        let key = self.node(Node::ObjectKey { expr: key, forced }, span);
        let value = self.expression();
        self.children.extend([key, value]);
        if self.failed_since(mark) {
            return Some(self.recover(TokenKind::CBrace));
        }
        self.end_of_item(open)
    }

    /// `"," | newline | "}"` after an item. Returns the range of a closing brace.
    fn end_of_item(&mut self, open: Span) -> Option<Span> {
        let next = self.peek();
        match next.kind {
            TokenKind::CBrace => Some(self.read().span),
            TokenKind::Comma | TokenKind::Newline => {
                self.read();
                None
            }
            TokenKind::Eof => {
                self.surprise(diagnostic::unterminated_object, open, next);
                Some(self.recover(TokenKind::CBrace))
            }
            _ => {
                let context = open.to(next.span);
                self.unexpected_within(diagnostic::missing_attribute_separator, next, context);
                Some(self.recover(TokenKind::CBrace))
            }
        }
    }

    /// Reports a token other than `=` or `:` after a key.
    // Only invalid texts get here.
    #[cold]
    fn unvalued_key(&mut self, open: Span, next: Token) {
        let context = open.to(next.span);
        match next.kind {
            TokenKind::Eof => self.surprise(diagnostic::unterminated_object, open, next),
            TokenKind::Newline | TokenKind::Comma => {
                self.unexpected_within(diagnostic::missing_attribute_value, next, context);
            }
            TokenKind::Dot => self.surprise_within(diagnostic::dotted_key, next, context),
            _ => self.unexpected_within(diagnostic::missing_key_separator, next, context),
        }
    }
}
