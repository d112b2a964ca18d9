//! Postfix operators of a term: `.name`, `.0`, `[key]`, `.*`, `[*]`.
//!
//! ```text
//! a.b[0].c[k].d   →  Traversal a [.b [0] .c]  ·  Index by k  ·  RelativeTraversal [.d]
//! a[*].b[*].c     →  Splat(a, each: Splat(RelativeTraversal(item, .b), each: RelativeTraversal(item, .c)))
//! ```
//! Steps with a constant key extend the traversal before them. All postfixes after `[*]` belong to its
//! `each`; after `.*` only dotted steps do. A traversal without an expression around it, as hosts
//! write it, is in [`super::traversal`].

use hclvm_vm::Span;

use crate::diagnostic;
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{NameId, Node, NodeId, StepKind, StepList, TraversalStep};

/// A full splat whose `each` is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingSplat {
    source: NodeId,
    item: NodeId,
    start: u32,
}

/// The expression that steps are added to.
#[derive(Clone, Copy, Debug)]
enum Base {
    /// A variable; its node is added once its steps are known.
    Name(NameId),
    /// Any other expression.
    Node(NodeId),
}

/// A term with the steps read so far.
#[derive(Clone, Copy, Debug)]
struct PostfixChain {
    base: Base,
    /// Range of the base.
    base_span: Span,
    /// Offset of the term, or inside a full splat of the splat's marker.
    start: u32,
    /// End of the last step.
    end: u32,
    /// Number of steps in the tree before this chain's.
    first_step: usize,
    /// Number of nodes that this chain has nested.
    levels: u32,
}

impl Parser<'_> {
    /// `{ Postfix }`, where `Postfix = GetAttr | Index | LegacyIndex | AttrSplat | FullSplat`
    pub(crate) fn postfix(&mut self, term: NodeId) -> NodeId {
        if !matches!(self.peek().kind, TokenKind::Dot | TokenKind::OBrack) {
            return term;
        }
        let outer = self.splats.len();
        let mut chain = self.chain_from_term(term);
        loop {
            match self.peek().kind {
                TokenKind::Dot => self.dot(&mut chain),
                TokenKind::OBrack => self.bracket(&mut chain),
                _ => break,
            }
        }
        let node = self.end_chain(&chain);
        self.leave(chain.levels);
        self.end_splats(outer, node)
    }

    /// Begins a chain. The node of a variable is removed again, because it must follow the keys of its
    /// steps.
    fn chain_from_term(&mut self, term: NodeId) -> PostfixChain {
        let span = self.tree.span(term);
        let base = match self.tree.node(term) {
            Node::Traversal { root, .. } => {
                self.take_last_node();
                Base::Name(root)
            }
            _ => Base::Node(term),
        };
        self.chain(base, span, span.start)
    }

    fn chain(&self, base: Base, span: Span, start: u32) -> PostfixChain {
        let first_step = self.tree.steps.len();
        PostfixChain { base, base_span: span, start, end: span.end, first_step, levels: 0 }
    }

    /// Adds the node of the steps so far.
    fn end_chain(&mut self, chain: &PostfixChain) -> NodeId {
        self.end_chain_before(chain, self.tree.steps.len())
    }

    /// Adds the node of the chain's steps before step number `end` of the tree.
    fn end_chain_before(&mut self, chain: &PostfixChain, end: usize) -> NodeId {
        let steps = StepList::between(chain.first_step, end);
        let span = Span::new(chain.base_span.start, chain.end);
        match chain.base {
            Base::Name(root) => self.node(Node::Traversal { root, steps }, span),
            Base::Node(source) if steps.is_empty() => source,
            Base::Node(source) => self.node(Node::RelativeTraversal { source, steps }, span),
        }
    }

    /// Continues the chain from a complete node. Such nodes nest, although their text does not.
    fn restart(&mut self, chain: &mut PostfixChain, node: NodeId) {
        self.enter();
        let levels = chain.levels + 1;
        *chain = self.chain(Base::Node(node), self.tree.span(node), chain.start);
        chain.levels = levels;
    }

    fn add_step(&mut self, chain: &mut PostfixChain, kind: StepKind, span: Span) {
        self.step(TraversalStep { kind, span });
        chain.end = span.end;
    }

    /// `GetAttr = "." Identifier`, `LegacyIndex = "." number`, or `AttrSplat`. The chain continues after
    /// an invalid name.
    fn dot(&mut self, chain: &mut PostfixChain) {
        let dot = self.read().span;
        let next = self.peek();
        if next.kind == TokenKind::Star {
            self.read();
            self.attribute_splat(chain, dot, next.span);
        } else {
            self.dotted_step(chain, dot, None);
        }
    }

    /// `Identifier | number` after a dot. Inside an attribute splat `star` is its range, where an invalid
    /// number is then reported, as in the reference.
    fn dotted_step(&mut self, chain: &mut PostfixChain, dot: Span, star: Option<Span>) {
        let next = self.peek();
        match next.kind {
            TokenKind::Ident => {
                self.read();
                let name = self.name(next.span);
                self.add_step(chain, StepKind::Attribute(name), dot.to(next.span));
            }
            TokenKind::NumberLit => {
                self.read();
                self.legacy_index(chain, dot, next.span, star);
            }
            _ => {
                self.problem_found(diagnostic::invalid_attribute_name, next, next.span);
                self.recovery = true;
            }
        }
    }

    /// `LegacyIndex = "." number`, after the number. Two in a row are one token.
    fn legacy_index(&mut self, chain: &mut PostfixChain, dot: Span, number: Span, star: Option<Span>) {
        let digits = number.slice(self.text);
        if digits.contains('.') {
            let subject = star.unwrap_or(number);
            let problem = diagnostic::chained_legacy_index(digits, star.is_some(), subject);
            self.complain(problem);
            chain.end = number.end;
            return;
        }
        let key = self.number_at(number);
        self.add_step(chain, StepKind::Index(key), dot.to(number));
    }

    /// `AttrSplat = ".*" { "." ( Identifier | number ) }`
    fn attribute_splat(&mut self, chain: &mut PostfixChain, dot: Span, star: Span) {
        let marker = dot.to(star);
        let source = self.end_chain(chain);
        let item = self.node(Node::SplatItem, marker);
        let first = self.peek().span;
        let mut each = self.chain(Base::Node(item), marker, marker.start);
        while self.next_is(TokenKind::Dot) {
            let dot = self.read().span;
            let next = self.peek();
            match next.kind {
                TokenKind::Ident | TokenKind::NumberLit => self.dotted_step(&mut each, dot, Some(star)),
                // The tokens that follow do not belong to the splat.
                TokenKind::Star => {
                    self.surprise(diagnostic::nested_splat, next.span, next);
                    self.recovery = true;
                    break;
                }
                _ => {
                    if !self.recovery {
                        self.problem_found(diagnostic::invalid_attribute_name, next, star);
                    }
                    self.recovery = true;
                    break;
                }
            }
        }
        // The range of the steps excludes the marker.
        each.base_span = first;
        let end = each.end;
        let each = self.end_chain(&each);
        let span = Span::new(chain.start, end);
        let node = self.node(Node::Splat { source, each, item }, span);
        self.restart(chain, node);
    }

    /// `FullSplat | Index`
    fn bracket(&mut self, chain: &mut PostfixChain) {
        let open = self.read().span;
        if self.next_is(TokenKind::Star) {
            self.full_splat(chain, open);
        } else {
            self.index(chain, open);
        }
    }

    /// `FullSplat = "[*]" { Postfix }`: the postfixes are evaluated for each element.
    fn full_splat(&mut self, chain: &mut PostfixChain, open: Span) {
        self.read();
        let close = self.read();
        if close.kind != TokenKind::CBrack {
            self.lost(diagnostic::missing_splat_bracket, TokenKind::CBrack, close);
        }
        let marker = open.to(self.previous);
        let source = self.end_chain(chain);
        let item = self.node(Node::SplatItem, marker);
        self.splats.push(PendingSplat { source, item, start: chain.start });
        self.restart(chain, item);
        chain.start = marker.start;
    }

    /// Completes the splats opened since there were `outer` of them, innermost first.
    fn end_splats(&mut self, outer: usize, each: NodeId) -> NodeId {
        let mut node = each;
        while self.splats.len() > outer
            && let Some(PendingSplat { source, item, start }) = self.splats.pop()
        {
            let span = Span::new(start, self.tree.span(node).end);
            node = self.node(Node::Splat { source, each: node, item }, span);
        }
        node
    }

    /// `Index = "[" Expression "]"`: a step if the key is a literal, else an index operation.
    fn index(&mut self, chain: &mut PostfixChain, open: Span) {
        // Traversals inside the key add steps of their own, which are not part of this chain.
        let steps = self.tree.steps.len();
        let key = self.ignoring_newlines(|p| p.index_key());
        let bracket = open.to(self.previous);
        if let Some(key) = self.literal_key(key) {
            return self.add_step(chain, StepKind::Index(key), bracket);
        }
        let collection = self.end_chain_before(chain, steps);
        let span = Span::new(chain.start, bracket.end);
        let node = self.node(Node::Index { collection, key, open: open.start }, span);
        self.restart(chain, node);
    }

    /// `Expression "]"`
    fn index_key(&mut self) -> NodeId {
        let mark = self.mark();
        let key = self.expression();
        let close = self.peek();
        if self.failed_since(mark) {
            self.recover(TokenKind::CBrack);
        } else if close.kind == TokenKind::CBrack {
            self.read();
        } else {
            self.read();
            self.lost(diagnostic::missing_index_bracket, TokenKind::CBrack, close);
        }
        key
    }

    /// Returns the literal that `key` consists of. The template of a plain string is replaced by its
    /// text.
    fn literal_key(&mut self, key: NodeId) -> Option<NodeId> {
        match self.tree.node(key) {
            Node::Null | Node::Bool(_) | Node::Number(_) => Some(key),
            // After an error the key may be a remainder of a larger expression.
            Node::Template(parts) if self.is_last_node(key) => match *self.tree.list(parts) {
                [text] if matches!(self.tree.node(text), Node::Text(_)) => {
                    self.take_last_node();
                    self.tree.links.pop();
                    Some(text)
                }
                _ => None,
            },
            _ => None,
        }
    }
}
