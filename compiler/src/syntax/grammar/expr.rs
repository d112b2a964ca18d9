//! Expressions: conditionals, operators by precedence climbing, terms.
//!
//! Precedence climbing with an explicit stack: an operator whose right operand is incomplete waits in
//! [`Parser::pending`] and is applied when an operator of at most its binding power follows. A chain
//! of any length therefore uses no native stack; only nesting recurses, through
//! [`Parser::expression`]. Terms of several tokens are in the neighbouring files.

use hclvm_vm::{Span, cast};

use crate::diagnostic;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{BinaryOp, Node, NodeId, StepKind, StepList, TraversalStep, UnaryOp};

/// An operator whose right operand is not complete.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PendingOperator {
    /// `-` or `!`, and its offset.
    Unary(UnaryOp, u32),
    /// An operator, its binding power and its left operand.
    Binary(BinaryOp, u8, NodeId),
}

/// Returns a binary operator with its binding power, loosest first; all group to the left.
fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::Or => (BinaryOp::Or, 1),
        TokenKind::And => (BinaryOp::And, 2),
        TokenKind::EqualOp => (BinaryOp::Equal, 3),
        TokenKind::NotEqual => (BinaryOp::NotEqual, 3),
        TokenKind::LessThan => (BinaryOp::Less, 4),
        TokenKind::LessThanEq => (BinaryOp::LessOrEqual, 4),
        TokenKind::GreaterThan => (BinaryOp::Greater, 4),
        TokenKind::GreaterThanEq => (BinaryOp::GreaterOrEqual, 4),
        TokenKind::Plus => (BinaryOp::Add, 5),
        TokenKind::Minus => (BinaryOp::Subtract, 5),
        TokenKind::Star => (BinaryOp::Multiply, 6),
        TokenKind::Slash => (BinaryOp::Divide, 6),
        TokenKind::Percent => (BinaryOp::Modulo, 6),
        _ => return None,
    })
}

fn unary_operator(kind: TokenKind) -> Option<UnaryOp> {
    match kind {
        TokenKind::Minus => Some(UnaryOp::Negate),
        TokenKind::Bang => Some(UnaryOp::Not),
        _ => None,
    }
}

impl Parser<'_> {
    /// `Whole = Expression Eof`
    pub(crate) fn whole_expression(&mut self) -> NodeId {
        self.ignoring_newlines(|p| {
            let node = p.expression();
            let next = p.peek();
            if next.kind != TokenKind::Eof {
                p.unexpected(diagnostic::extra_after_expression, next);
            }
            node
        })
    }

    /// `Expression = Operation [ "?" Expression ":" Expression ]`
    pub(crate) fn expression(&mut self) -> NodeId {
        self.enter();
        let start = self.peek().span;
        let mark = self.mark();
        let mut node = self.operation();
        if !self.failed_since(mark) && self.next_is(TokenKind::Question) {
            node = self.conditional_arms(start, node);
        }
        self.leave(1);
        node
    }

    /// `Arms = "?" Expression ":" Expression`
    fn conditional_arms(&mut self, start: Span, condition: NodeId) -> NodeId {
        let mark = self.mark();
        self.read();
        let yes = self.expression();
        if self.failed_since(mark) {
            return condition;
        }
        let colon = self.peek();
        if colon.kind != TokenKind::Colon {
            self.problem_found_within(diagnostic::missing_false_arm, colon, start.to(colon.span));
            return condition;
        }
        self.read();
        let no = self.expression();
        if self.failed_since(mark) {
            return condition;
        }
        let span = start.to(self.tree.span(no));
        self.node(Node::Conditional { condition, yes, no }, span)
    }

    /// `Operation = Operand { binaryOperator Operand }`
    fn operation(&mut self) -> NodeId {
        let base = self.pending.len();
        let mark = self.mark();
        loop {
            let node = self.operand();
            if self.failed_since(mark) {
                return self.abandon(base, node);
            }
            let next = self.peek().kind;
            let Some((op, power)) = binary_operator(next) else {
                return self.apply(base, 0, node);
            };
            let lhs = self.apply(base, power, node);
            self.read();
            self.pending.push(PendingOperator::Binary(op, power, lhs));
        }
    }

    /// `Operand = { "-" | "!" } Term { Postfix }`
    ///
    /// Most operands are variables with attributes, so these are tried first.
    fn operand(&mut self) -> NodeId {
        let first = self.peek();
        if first.kind == TokenKind::Ident
            && let Some(tokens) = self.dotted_words()
            && let Some(node) = self.plain_traversal(tokens)
        {
            return node;
        }
        let base = self.pending.len();
        loop {
            let token = self.peek();
            let Some(op) = unary_operator(token.kind) else { break };
            self.enter();
            self.read();
            self.pending.push(PendingOperator::Unary(op, token.span.start));
        }
        let term = self.term();
        let node = self.postfix(term);
        let count = self.pending.len() - base;
        if count == 0 {
            return node;
        }
        self.leave(cast::length(count));
        self.apply_some(base, 0, node)
    }

    /// `PlainTraversal = Identifier { "." Identifier }` of `tokens` tokens, which nothing continues: a
    /// shortcut for a term with its postfixes, with an equal result. Returns `None` for a keyword.
    fn plain_traversal(&mut self, tokens: usize) -> Option<NodeId> {
        let first = self.peek().span;
        if matches!(first.bytes(self.text), b"true" | b"false" | b"null") {
            return None;
        }
        let root = self.variable(first);
        let from = self.tree.steps.len();
        let (mut last, mut at) = (first, 1);
        // Not a range with a step, which computes its length first.
        while at < tokens {
            let dot = self.ahead(at);
            last = self.ahead(at + 1);
            let kind = StepKind::Attribute(self.name(last));
            self.step(TraversalStep { kind, span: dot.to(last) });
            at += 2;
        }
        self.take(tokens, last);
        let steps = StepList::between(from, self.tree.steps.len());
        Some(self.node(Node::Traversal { root, steps }, first.to(last)))
    }

    /// Applies the waiting operators whose binding power is at least `power` to `rhs`.
    #[inline] // Most operands have no waiting operator, which costs one comparison here.
    fn apply(&mut self, base: usize, power: u8, rhs: NodeId) -> NodeId {
        if self.pending.len() == base { rhs } else { self.apply_some(base, power, rhs) }
    }

    /// [`Parser::apply`] if at least one operator waits.
    fn apply_some(&mut self, base: usize, power: u8, rhs: NodeId) -> NodeId {
        let mut node = rhs;
        while self.pending.len() > base {
            match self.pending.last() {
                Some(&PendingOperator::Binary(op, waiting, lhs)) if waiting >= power => {
                    let span = self.tree.span(lhs).to(self.tree.span(node));
                    node = self.node(Node::Binary { op, lhs, rhs: node }, span);
                }
                Some(&PendingOperator::Unary(op, start)) => {
                    let span = Span::new(start, self.tree.span(node).end);
                    node = self.node(Node::Unary { op, operand: node }, span);
                }
                _ => break,
            }
            self.pending.pop();
        }
        node
    }

    /// Drops an operation whose last operand could not be read; the result is its first operand.
    fn abandon(&mut self, base: usize, operand: NodeId) -> NodeId {
        let first = self.pending.get(base).copied();
        self.pending.truncate(base);
        match first {
            Some(PendingOperator::Binary(_, _, lhs)) => lhs,
            _ => operand,
        }
    }

    /// `Term = number | Word | Call | Quoted | Heredoc | Tuple | Object | For | Parens`
    fn term(&mut self) -> NodeId {
        let token = self.peek();
        match token.kind {
            TokenKind::OParen => self.parens(),
            TokenKind::NumberLit => self.number(),
            TokenKind::Ident => self.word(),
            TokenKind::OQuote => self.quoted_template(),
            TokenKind::OHeredoc => self.heredoc(),
            TokenKind::OBrack => self.tuple(),
            TokenKind::OBrace => self.object(),
            _ => self.no_term(token),
        }
    }

    /// Reports a token that begins no expression. The token is not read: it may end the construct
    /// around.
    // Only invalid texts get here.
    #[cold]
    fn no_term(&mut self, token: Token) -> NodeId {
        let make = match token.kind {
            TokenKind::Eof => diagnostic::missing_expression,
            _ => diagnostic::invalid_expression,
        };
        self.unexpected(make, token);
        self.recovery = true;
        self.node(Node::Invalid, token.span)
    }

    /// `Parens = "(" Expression ")"`
    fn parens(&mut self) -> NodeId {
        let open = self.read().span;
        let inner = self.ignoring_newlines(|p| p.closed_by_paren(open));
        let span = open.to(self.previous);
        self.node(Node::Parens(inner), span)
    }

    /// `Expression ")"`
    fn closed_by_paren(&mut self, open: Span) -> NodeId {
        let mark = self.mark();
        let inner = self.expression();
        let close = self.peek();
        if self.mark() > mark {
            self.recover(TokenKind::CParen);
        } else if close.kind == TokenKind::CParen {
            self.read();
        } else {
            self.problem_found_within(diagnostic::unbalanced_parentheses, close, open.to(close.span));
            self.read();
            self.recovery = true;
        }
        inner
    }

    /// `Word = "true" | "false" | "null" | Identifier | Call`; it is a call if `(` or `::` follows.
    fn word(&mut self) -> NodeId {
        let span = self.read().span;
        if matches!(self.peek().kind, TokenKind::OParen | TokenKind::DoubleColon) {
            return self.call(span);
        }
        let node = match span.slice(self.text) {
            "true" => Node::Bool(true),
            "false" => Node::Bool(false),
            "null" => Node::Null,
            _ => Node::Traversal { root: self.variable(span), steps: StepList::EMPTY },
        };
        self.node(node, span)
    }
}
