//! Bodies: attributes and blocks.
//!
//! Every error costs at most one item, except a token that begins none: then the rest of the body is
//! skipped, as in the reference.

use std::collections::hash_map::Entry;

use hclvm_vm::hash::{Hash, HashMap};
use hclvm_vm::{Span, cast};

use crate::diagnostic;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{AttributeSyntax, BlockLabel, BlockSyntax, BodyId, BodyItem, BodySyntax, NodeId};

/// Tokens per attribute in dense files, for the initial capacity of a body's tables. Files with fewer
/// tokens per attribute only make them grow.
const TOKENS_OF_ATTRIBUTE: usize = 12;

/// The arguments of a body that are defined so far, each with the place of its first definition.
enum DefinedNames<'t> {
    /// Each name is greater than those before it, of which this is the last: one comparison shows that a name is new.
    /// Bodies of one argument and sorted ones need no table.
    Ascending(Option<Span>),
    Table(NameTable<'t>),
}

type NameTable<'t> = HashMap<&'t [u8], Span>;

/// Returns the place of the first definition of a name; `None` if this is the first one, which is recorded.
fn first_definition<'t>(table: &mut NameTable<'t>, name: &'t [u8], place: Span) -> Option<Span> {
    match table.entry(name) {
        Entry::Vacant(vacant) => {
            vacant.insert(place);
            None
        }
        Entry::Occupied(first) => Some(*first.get()),
    }
}

impl<'t> Parser<'t> {
    /// `File = Body Eof`
    pub(crate) fn file(&mut self) -> BodyId {
        let start = self.peek().span;
        let attributes = self.token_count() / TOKENS_OF_ATTRIBUTE;
        self.tree.attributes.reserve(attributes);
        self.body(start, TokenKind::Eof, attributes)
    }

    /// `Body = { Attribute | Block | newline }`, including the token `end`. `attributes` is the initial
    /// capacity.
    fn body(&mut self, start: Span, end: TokenKind, attributes: usize) -> BodyId {
        self.enter();
        let mut items = Vec::with_capacity(attributes);
        let mut defined = DefinedNames::Ascending(None);
        loop {
            let next = self.peek();
            match next.kind {
                TokenKind::Newline => {
                    self.read();
                }
                TokenKind::Ident => self.item(&mut items, &mut defined),
                kind if kind == end => {
                    self.read();
                    break;
                }
                _ => {
                    self.no_item(next, start, end);
                    break;
                }
            }
        }
        self.leave(1);
        self.add_body(items, start.to(self.previous))
    }

    fn add_body(&mut self, items: Vec<BodyItem>, span: Span) -> BodyId {
        let id = BodyId::at(self.tree.bodies.len());
        self.tree.bodies.push(BodySyntax { items, span });
        id
    }

    /// Reports a token that begins no item, and skips the rest of the body.
    // Only invalid texts get here.
    #[cold]
    fn no_item(&mut self, found: Token, start: Span, end: TokenKind) {
        self.read();
        match found.kind {
            TokenKind::OQuote => self.surprise(diagnostic::quoted_argument_name, found.span, found),
            TokenKind::Eof => self.surprise(diagnostic::unclosed_block, start, found),
            _ => self.unexpected(diagnostic::item_required, found),
        }
        self.recover(end);
    }

    /// `Item = Attribute | Block`, which both begin with a name.
    fn item(&mut self, items: &mut Vec<BodyItem>, defined: &mut DefinedNames<'t>) {
        let name = self.read().span;
        match self.peek().kind {
            TokenKind::Equal => {
                self.attribute(name, false);
                self.define(name, items, defined);
            }
            TokenKind::OQuote | TokenKind::OBrace | TokenKind::Ident => {
                if let Some(block) = self.block(name) {
                    items.push(block);
                }
            }
            _ => self.no_item_after_name(name),
        }
    }

    /// Reports a name that neither an argument nor a block continues, and skips the item.
    // Only invalid texts get here.
    #[cold]
    fn no_item_after_name(&mut self, name: Span) {
        let next = self.peek();
        self.recover_item();
        let given = self.found(Token { kind: TokenKind::Ident, span: name });
        let problem = diagnostic::item_required_after_name(given, self.found(next), name);
        self.complain_at(problem, next);
    }

    /// Records the definition of `name`, and adds its attribute, which was parsed last, to `items`. Only the first
    /// definition counts: the attribute of another one is removed again.
    fn define(&mut self, name: Span, items: &mut Vec<BodyItem>, defined: &mut DefinedNames<'t>) {
        let bytes = name.bytes(self.text);
        let first = match defined {
            DefinedNames::Ascending(last) if last.is_none_or(|last| last.bytes(self.text) < bytes) => {
                *last = Some(name);
                None
            }
            DefinedNames::Ascending(_) => {
                let mut table = self.table_of(items);
                let first = first_definition(&mut table, bytes, name);
                *defined = DefinedNames::Table(table);
                first
            }
            DefinedNames::Table(table) => first_definition(table, bytes, name),
        };
        match first {
            None => items.push(BodyItem::Attribute(cast::length(self.tree.attributes.len() - 1))),
            Some(first) => self.redefined(name, first),
        }
    }

    /// Returns a table of the arguments in `items`, with room for as many as `items` has room for.
    // At most once for a body.
    #[inline(never)]
    fn table_of(&self, items: &Vec<BodyItem>) -> NameTable<'t> {
        let mut table = NameTable::with_capacity_and_hasher(items.capacity(), Hash::default());
        for item in items {
            if let BodyItem::Attribute(index) = *item {
                let name = self.tree.attribute(index).name_span;
                table.insert(name.bytes(self.text), name);
            }
        }
        table
    }

    /// Reports another definition than the first one, and removes its attribute.
    // Only invalid texts get here.
    #[cold]
    fn redefined(&mut self, name: Span, first: Span) {
        let line = self.line_of(first.start);
        let problem = diagnostic::attribute_redefined(name.slice(self.text), line, name);
        self.complain(problem.label(first, "the first definition"));
        self.tree.attributes.pop();
    }

    /// `Attribute = Identifier "=" Expression ( newline | Eof )`, after the name. Returns its index in
    /// the tree. Inside a block on one line (`in_line`) the line break is the block's.
    fn attribute(&mut self, name: Span, in_line: bool) -> u32 {
        let equals = self.read().span;
        let first_node = NodeId::at(self.tree.len());
        let (fors, variables) = (self.tree.fors.len(), self.tree.variables.len());
        let mark = self.mark();
        let expr = self.expression();
        if self.tree.fors.len() > fors {
            self.note_unbound(expr, variables);
        }
        let span = name.to(self.previous);
        if self.failed_since(mark) {
            self.recover_item();
        } else if !in_line {
            self.end_of_attribute(name);
        }
        let index = cast::length(self.tree.attributes.len());
        self.tree.attributes.push(AttributeSyntax {
            name: None,
            name_span: name,
            equals,
            expr,
            first_node,
            span,
        });
        index
    }

    fn end_of_attribute(&mut self, name: Span) {
        let next = self.peek();
        match next.kind {
            TokenKind::Newline | TokenKind::Eof => {
                self.read();
                return;
            }
            TokenKind::Comma => {
                self.surprise_within(diagnostic::comma_after_argument, next, name.to(next.span));
            }
            _ => {
                let context = name.to(next.span);
                self.unexpected_within(diagnostic::missing_newline_after_argument, next, context);
            }
        }
        self.recover_item();
    }

    /// `Block = Identifier { Identifier | stringLit } "{" ( newline Body | OneLine ) "}" newline`,
    /// after the type.
    fn block(&mut self, kind: Span) -> Option<BodyItem> {
        let (labels, open) = self.labels(kind);
        let Some(open) = open else {
            let body = self.add_body(Vec::new(), kind);
            return Some(self.add_block(kind, labels, kind, kind, body));
        };
        let body = match self.peek().kind {
            TokenKind::Newline | TokenKind::CBrace | TokenKind::Eof => self.body(open, TokenKind::CBrace, 0),
            _ => self.one_line_body(kind, open),
        };
        let close = self.previous;
        self.end_of_block(kind);
        Some(self.add_block(kind, labels, open, close, body))
    }

    fn add_block(
        &mut self,
        kind: Span,
        labels: Vec<BlockLabel>,
        open: Span,
        close: Span,
        body: BodyId,
    ) -> BodyItem {
        let index = cast::length(self.tree.blocks.len());
        let name = self.name(kind);
        self.tree.blocks.push(BlockSyntax {
            kind: name,
            kind_span: kind,
            labels,
            open_brace: open,
            close_brace: close,
            body,
        });
        BodyItem::Block(index)
    }

    /// `Labels = { Identifier | stringLit } "{"`; returns the range of the brace if there is one.
    fn labels(&mut self, kind: Span) -> (Vec<BlockLabel>, Option<Span>) {
        let mut labels = Vec::new();
        loop {
            let next = self.peek();
            match next.kind {
                TokenKind::OBrace => return (labels, Some(self.read().span)),
                TokenKind::OQuote => {
                    let (text, span) = self.quoted_string();
                    reserve_first(&mut labels);
                    labels.push(BlockLabel { text: text.into(), span });
                }
                TokenKind::Ident => {
                    self.read();
                    reserve_first(&mut labels);
                    labels.push(BlockLabel { text: next.span.slice(self.text).into(), span: next.span });
                }
                _ => {
                    self.no_label(next, kind);
                    return (labels, None);
                }
            }
        }
    }

    // Only invalid texts get here.
    #[cold]
    fn no_label(&mut self, found: Token, kind: Span) {
        let context = kind.to(found.span);
        match found.kind {
            TokenKind::Equal => self.complain_at(diagnostic::equals_in_block(found.span, context), found),
            TokenKind::Newline => {
                self.complain_at(diagnostic::brace_on_next_line(found.span, context), found);
            }
            _ => self.unexpected_within(diagnostic::bad_label, found, context),
        }
        self.recover_item();
    }

    fn end_of_block(&mut self, kind: Span) {
        let next = self.peek();
        if matches!(next.kind, TokenKind::Newline | TokenKind::Eof) {
            self.read();
            return;
        }
        let context = kind.to(next.span);
        self.unexpected_within(diagnostic::missing_newline_after_block, next, context);
        self.recover_item();
    }

    /// `OneLine = Identifier "=" Expression "}"`
    ///
    /// A problem with the closing brace is reported before those of the argument, as in the reference.
    fn one_line_body(&mut self, kind: Span, open: Span) -> BodyId {
        let before = self.report.count();
        let items: Vec<BodyItem> = self.one_line_attribute().into_iter().collect();
        let span = match items.first() {
            Some(&BodyItem::Attribute(index)) => self.tree.attribute(index).span,
            _ => open,
        };
        let body = self.add_body(items, span);
        let next = self.peek();
        if next.kind == TokenKind::CBrace {
            self.read();
            return body;
        }
        let problem = match next.kind {
            TokenKind::Comma => Some(diagnostic::comma_in_one_line_block(next.span)),
            TokenKind::Newline => Some(diagnostic::open_one_line_block(next.span)),
            _ if self.recovery => None,
            TokenKind::Eof => Some(diagnostic::unclosed_one_line_block(open, kind.to(open))),
            _ => Some(diagnostic::extra_in_one_line_block(self.found(next), next.span)),
        };
        if let Some(problem) = problem {
            self.complain_before(before, problem, next);
        }
        self.recover(TokenKind::CBrace);
        body
    }

    fn one_line_attribute(&mut self) -> Option<BodyItem> {
        let name = self.read();
        if name.kind != TokenKind::Ident {
            self.recover_item();
            self.problem_found(diagnostic::item_required, name, name.span);
            return None;
        }
        let next = self.peek();
        match next.kind {
            TokenKind::Equal => Some(BodyItem::Attribute(self.attribute(name.span, true))),
            TokenKind::OQuote | TokenKind::OBrace | TokenKind::Ident => {
                self.recover_item();
                let word = name.span.slice(self.text);
                self.complain_at(diagnostic::block_in_one_line_block(word, name.span.to(next.span)), next);
                None
            }
            _ => {
                self.no_item_after_name(name.span);
                None
            }
        }
    }
}

/// Makes room for one label in an empty list. Most blocks have one, and the first push would make room for four.
fn reserve_first(labels: &mut Vec<BlockLabel>) {
    if labels.is_empty() {
        labels.reserve_exact(1);
    }
}
