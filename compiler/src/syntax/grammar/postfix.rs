//! What may follow a term: `.name`, `.0`, `[key]`, `.*`, `[*]`.
//!
//! ```text
//! a.b[0].c[k].d   →  Traversal a [.b [0] .c]  ·  Index by k  ·  RelativeTraversal [.d]
//! a[*].b[*].c     →  Splat(a, each: Splat(RelativeTraversal(item, .b), each: RelativeTraversal(item, .c)))
//! ```
//! Steps with a constant key extend the traversal before them. Everything after `[*]`
//! belongs to its `each`; after `.*` only dotted steps do.

use hclvm_vm::Span;

use crate::diagnostic;
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{NameId, Node, NodeId, StepKind, StepList, TraversalStep};

/// A full splat whose `each` is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingSplat {
    source: NodeId,
    marker: Span,
    start: u32,
}

/// What steps are being added to.
#[derive(Clone, Copy, Debug)]
enum Base {
    /// A variable; its node is made when its steps are known.
    Name(NameId),
    /// Any other expression.
    Node(NodeId),
}

/// Steps in the making.
#[derive(Clone, Copy, Debug)]
struct PostfixChain {
    base: Base,
    /// Range of the base.
    base_span: Span,
    /// Where the term began, or inside a full splat the splat's marker.
    start: u32,
    /// Where the last step ended.
    end: u32,
    /// Number of steps in the tree before this chain's.
    first_step: usize,
    /// Nodes that this chain has put on top of each other.
    levels: u32,
}

impl Parser<'_> {
    /// `Postfix = GetAttr | Index | LegacyIndex | AttrSplat | FullSplat`, as many as there are.
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

    /// A variable's node is taken back: it comes after the keys of its steps.
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

    /// The node of the steps so far.
    fn end_chain(&mut self, chain: &PostfixChain) -> NodeId {
        self.end_chain_before(chain, self.tree.steps.len())
    }

    /// The node of the chain's steps that come before step number `end` of the tree.
    fn end_chain_before(&mut self, chain: &PostfixChain, end: usize) -> NodeId {
        let steps = StepList::between(chain.first_step, end);
        let span = Span::new(chain.base_span.start, chain.end);
        match chain.base {
            Base::Name(root) => self.node(Node::Traversal { root, steps }, span),
            Base::Node(source) if steps.is_empty() => source,
            Base::Node(source) => self.node(Node::RelativeTraversal { source, steps }, span),
        }
    }

    /// Goes on from a complete node. Such nodes nest, though the text does not look nested.
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

    /// `"." ( Identifier | number | "*" )`. After a bad name the chain goes on.
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

    /// `Identifier | number` after a dot. Inside an attribute splat, whose `star` is given,
    /// problems are told about the star, and only the first.
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
                match star {
                    Some(star) => self.surprise(diagnostic::invalid_attribute_name, star),
                    None => self.problem(diagnostic::invalid_attribute_name, next.span),
                }
                self.recovery = true;
            }
        }
    }

    /// `.0` as an index. Two of them in a row read as one number.
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

    /// `".*" { "." ( Identifier | number ) }`
    fn attribute_splat(&mut self, chain: &mut PostfixChain, dot: Span, star: Span) {
        let marker = dot.to(star);
        let source = self.end_chain(chain);
        let item = self.node(Node::SplatItem, marker);
        let first = self.peek().span;
        let mut each = self.chain(Base::Node(item), marker, marker.start);
        while self.next_is(TokenKind::Dot) {
            let dot = self.read().span;
            if self.next_is(TokenKind::Star) {
                let second = self.read().span;
                self.surprise(diagnostic::nested_splat, second);
                self.recovery = true;
            } else {
                self.dotted_step(&mut each, dot, Some(star));
            }
        }
        // The steps' own range leaves the marker out.
        each.base_span = first;
        let end = each.end;
        let each = self.end_chain(&each);
        let span = Span::new(chain.start, end);
        let node = self.node(Node::Splat { source, each, marker }, span);
        self.restart(chain, node);
    }

    /// `"[" ( "*" | Expression ) "]"`
    fn bracket(&mut self, chain: &mut PostfixChain) {
        let open = self.read().span;
        if self.next_is(TokenKind::Star) {
            self.full_splat(chain, open);
        } else {
            self.index(chain, open);
        }
    }

    /// `"[*]"`: what follows is evaluated for each element.
    fn full_splat(&mut self, chain: &mut PostfixChain, open: Span) {
        self.read();
        let close = self.read();
        if close.kind != TokenKind::CBrack {
            self.lost(diagnostic::missing_splat_bracket, TokenKind::CBrack);
        }
        let marker = open.to(self.previous);
        let source = self.end_chain(chain);
        self.splats.push(PendingSplat { source, marker, start: chain.start });
        let item = self.node(Node::SplatItem, marker);
        self.restart(chain, item);
        chain.start = marker.start;
    }

    /// Gives `each` to the innermost open splat, the result to the next one, and so on.
    fn end_splats(&mut self, outer: usize, each: NodeId) -> NodeId {
        let mut node = each;
        while self.splats.len() > outer
            && let Some(PendingSplat { source, marker, start }) = self.splats.pop()
        {
            let span = Span::new(start, self.tree.span(node).end);
            node = self.node(Node::Splat { source, each: node, marker }, span);
        }
        node
    }

    /// `"[" Expression "]"`: a step if the key is a literal, else an index operation.
    fn index(&mut self, chain: &mut PostfixChain, open: Span) {
        // Traversals inside the key add steps of their own, which are not this chain's.
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
            self.lost(diagnostic::missing_index_bracket, TokenKind::CBrack);
        }
        key
    }

    /// The literal that `key` consists of. A plain string's template gives way to its text.
    fn literal_key(&mut self, key: NodeId) -> Option<NodeId> {
        match self.tree.node(key) {
            Node::Null | Node::Bool(_) | Node::Number(_) => Some(key),
            // After an error the key may be what is left of more.
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
