//! Function calls.
//!
//! The name is not looked up here: an unknown function is a fault at run time, as in the reference.

use hclvm_vm::Span;
use smol_str::{SmolStr, SmolStrBuilder};

use crate::diagnostic;
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Call, CallId, Node, NodeId};

/// The end of an argument list.
struct ListEnd {
    expand: bool,
    close: Span,
}

impl Parser<'_> {
    /// `Call = Identifier { "::" Identifier } "(" Arguments ")"`, after the first identifier.
    pub(crate) fn call(&mut self, first: Span) -> NodeId {
        match self.call_head(first) {
            Ok((name, name_span, open_paren)) => self.call_with(name, name_span, open_paren),
            Err(node) => node,
        }
    }

    /// `CallHead = Identifier { "::" Identifier } "("`, after the first identifier. Returns the name,
    /// its range and the range of the parenthesis, or a node for an invalid call.
    fn call_head(&mut self, first: Span) -> Result<(SmolStr, Span, Span), NodeId> {
        let name = self.name(first);
        let mut name = self.tree.name(name).clone();
        let mut name_span = first;
        let mut open = self.read();
        while open.kind == TokenKind::DoubleColon {
            let part = self.read();
            if part.kind != TokenKind::Ident {
                let context = first.to(part.span);
                self.problem_found_within(diagnostic::missing_function_name, part, context);
                return Err(self.no_call(context));
            }
            name = joined(&name, part.span.slice(self.text));
            name_span = first.to(part.span);
            open = self.read();
        }
        if open.kind != TokenKind::OParen {
            let context = first.to(open.span);
            self.problem_found_within(diagnostic::missing_open_parenthesis, open, context);
            return Err(self.no_call(context));
        }
        Ok((name, name_span, open.span))
    }

    /// Skips the possible arguments of an invalid call.
    // Only invalid texts get here.
    #[cold]
    fn no_call(&mut self, span: Span) -> NodeId {
        self.recover_over(TokenKind::OParen, TokenKind::CParen);
        self.node(Node::Invalid, span)
    }

    fn call_with(&mut self, name: SmolStr, name_span: Span, open_paren: Span) -> NodeId {
        let from = self.children.len();
        let end = self.ignoring_newlines(|p| p.arguments(name_span, open_paren));
        let args = self.list_since(from);
        let id = CallId::at(self.tree.calls.len());
        let ListEnd { expand, close } = end;
        self.tree.calls.push(Call { name, name_span, args, expand, open_paren, close_paren: close });
        self.node(Node::Call(id), name_span.to(close))
    }

    /// `Arguments = [ Expression { "," Expression } [ "," | "..." ] ]`
    fn arguments(&mut self, name: Span, open: Span) -> ListEnd {
        while !self.next_is(TokenKind::CParen) {
            let mark = self.mark();
            let argument = self.expression();
            self.children.push(argument);
            if self.failed_since(mark) {
                return ListEnd { expand: false, close: self.recover(TokenKind::CParen) };
            }
            let separator = self.read();
            match separator.kind {
                TokenKind::Comma => {}
                TokenKind::CParen => return ListEnd { expand: false, close: separator.span },
                TokenKind::Ellipsis => return self.expanded(name, separator.span),
                TokenKind::Eof => {
                    self.problem_at(diagnostic::unterminated_call, name.to(open), separator);
                    return ListEnd { expand: false, close: self.recover(TokenKind::CParen) };
                }
                _ => {
                    let context = name.to(separator.span);
                    self.problem_found_within(diagnostic::missing_argument_separator, separator, context);
                    return ListEnd { expand: false, close: self.recover(TokenKind::CParen) };
                }
            }
        }
        ListEnd { expand: false, close: self.read().span }
    }

    /// `")"` after `...`: only the last argument can be expanded.
    fn expanded(&mut self, name: Span, ellipsis: Span) -> ListEnd {
        if self.next_is(TokenKind::CParen) {
            return ListEnd { expand: true, close: self.read().span };
        }
        if !self.recovery {
            let next = self.peek();
            let found = self.found(next);
            let problem = diagnostic::missing_close_parenthesis(found, ellipsis, name.to(ellipsis));
            self.complain_at(problem, next);
        }
        ListEnd { expand: true, close: self.recover(TokenKind::CParen) }
    }
}

fn joined(scope: &str, name: &str) -> SmolStr {
    let mut builder = SmolStrBuilder::new();
    builder.push_str(scope);
    builder.push_str("::");
    builder.push_str(name);
    builder.finish()
}
