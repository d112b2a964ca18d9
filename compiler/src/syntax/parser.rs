//! The parser's cursor: looking ahead, newline sense, limits, and the nodes it builds.
//!
//! The productions are in `grammar`. Comments are gone before parsing; a line
//! comment leaves the line break it ends with. The newline sense is lent by closure
//! (`ignoring_newlines`), so it is always given back.

mod problems;

use hclvm_vm::{Span, cast};
use smol_str::SmolStr;

use crate::analysis::variable_names;
use crate::diagnostic::{self, DiagnosticSink};
use crate::limits::{LimitReached, ParseLimits};
use crate::source::Input;
use crate::syntax::grammar::{PendingOperator, PendingSplat, TemplatePart};
use crate::syntax::lexer::{COMPLAINTS, LexMode, TokenStream, check, scan};
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{BodyId, NameId, Node, NodeId, NodeList, TraversalStep, Tree};

/// A parsed file.
#[derive(Clone, Debug)]
pub struct ParsedConfig {
    /// All nodes of the file.
    pub tree: Tree,
    /// The file's own body.
    pub body: BodyId,
    /// What is wrong: tokens first, then grammar, each in source order.
    pub diagnostics: Vec<diagnostic::Diagnostic>,
    /// The limit that stopped the parse, if one did.
    pub limit: Option<LimitReached>,
    /// Token boundaries for [`crate::source::Source`].
    pub seams: Vec<u32>,
}

/// A parsed expression or template.
#[derive(Clone, Debug)]
pub struct ParsedExpression {
    /// All nodes.
    pub tree: Tree,
    /// The expression.
    pub root: NodeId,
    /// What is wrong: tokens first, then grammar.
    pub diagnostics: Vec<diagnostic::Diagnostic>,
    /// The limit that stopped the parse, if one did.
    pub limit: Option<LimitReached>,
    /// Token boundaries for [`crate::source::Source`].
    pub seams: Vec<u32>,
}

/// Parses a file of attributes and blocks. With diagnostics the tree is what could be made out.
pub fn parse_config<'t>(input: impl Into<Input<'t>>, limits: &ParseLimits) -> ParsedConfig {
    let mut parser = Parser::new(input.into(), LexMode::Config, limits);
    let body = parser.file();
    let limit = parser.limit;
    ParsedConfig { tree: parser.tree, body, diagnostics: parser.report.finish(), limit, seams: parser.seams }
}

/// Parses one expression; line breaks mean nothing outside of heredocs.
pub fn parse_expression<'t>(input: impl Into<Input<'t>>, limits: &ParseLimits) -> ParsedExpression {
    parse_whole(input.into(), LexMode::Expression, limits, |p| p.whole_expression())
}

/// Parses a bare template: literal text with `${ }` and `%{ }`.
pub fn parse_template<'t>(input: impl Into<Input<'t>>, limits: &ParseLimits) -> ParsedExpression {
    parse_whole(input.into(), LexMode::Template, limits, |p| p.whole_template())
}

fn parse_whole(
    input: Input<'_>,
    mode: LexMode,
    limits: &ParseLimits,
    production: fn(&mut Parser<'_>) -> NodeId,
) -> ParsedExpression {
    let mut parser = Parser::new(input, mode, limits);
    let root = production(&mut parser);
    let limit = parser.limit;
    ParsedExpression {
        tree: parser.tree,
        root,
        diagnostics: parser.report.finish(),
        limit,
        seams: parser.seams,
    }
}

/// A cursor over the tokens of one text, and the tree under construction.
#[derive(Debug)]
pub(crate) struct Parser<'t> {
    pub(crate) text: &'t str,
    /// The tokens; the last is the end of the text, and the cursor stays there.
    tokens: Vec<Token>,
    /// Whether text between quotes may hold escapes.
    pub(crate) escapes: bool,
    /// Index behind the last token that was read.
    at: usize,
    /// The kind and range of the next token, which is looked at far more often than read, and its index:
    /// behind line breaks where they are blanks.
    next: TokenKind,
    next_span: Span,
    next_at: usize,
    /// The last newline run that was skipped, so that it is never walked twice.
    skipped: (usize, usize),
    /// Whether line breaks are tokens at present.
    newlines: bool,
    /// Range of the last token that was read.
    pub(crate) previous: Span,
    /// Set once tokens have been skipped: from then on a surprising token is no news.
    pub(crate) recovery: bool,
    depth: u32,
    limits: ParseLimits,
    pub(crate) limit: Option<LimitReached>,
    pub(crate) report: DiagnosticSink,
    pub(crate) seams: Vec<u32>,
    pub(crate) tree: Tree,
    /// Offsets of the line breaks, once a message needed them.
    line_breaks: Option<Vec<u32>>,
    /// Children of lists that are not complete.
    pub(crate) children: Vec<NodeId>,
    /// Operators that wait for their right operand.
    pub(crate) pending: Vec<PendingOperator>,
    /// Full splats whose `each` is being read.
    pub(crate) splats: Vec<PendingSplat>,
    /// Parts of templates that are not complete.
    pub(crate) parts: Vec<TemplatePart<'t>>,
    /// The last name of each sort, by [`sort_of`]: few names are written often, and so each of them is
    /// in the tree once.
    recent: [Recent<'t>; SORTS],
}

/// A name that was written not long ago.
#[derive(Clone, Copy, Debug)]
struct Recent<'t> {
    name: &'t [u8],
    key: u64,
    id: NameId,
    /// Its place among the tree's variables, if it is there.
    variable: u32,
}

impl Recent<'_> {
    const NONE: Self = Self { name: b"", key: 0, id: NameId(0), variable: 0 };

    /// Whether it is this name, which has this key.
    #[inline]
    fn is(&self, name: &[u8], key: u64) -> bool {
        self.key == key && self.name.len() == name.len() && (name.len() <= 8 || self.name == name)
    }
}

/// How many sorts of names there are.
const SORTS: usize = 64;

/// How a name begins and ends: all of it, unless it is longer than eight bytes.
#[inline]
fn key_of(name: &[u8]) -> u64 {
    match (name.first_chunk(), name.last_chunk()) {
        (Some(start), Some(end)) => {
            u64::from(u32::from_le_bytes(*start)) | u64::from(u32::from_le_bytes(*end)) << 32
        }
        _ => name.iter().fold(0, |key, byte| key << 8 | u64::from(*byte)),
    }
}

/// Tells most names apart that a file uses together.
#[inline]
fn sort_of(key: u64) -> usize {
    // The upper bits of the product depend on all of the key.
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize % SORTS
}

impl<'t> Parser<'t> {
    pub(crate) fn new(input: Input<'t>, mode: LexMode, limits: &ParseLimits) -> Self {
        let mut report = DiagnosticSink::new(limits.diagnostics);
        let mut limit = None;
        let mut input = input;
        if input.text.len() > limits.source_bytes.min(u32::MAX as usize) {
            report.push(diagnostic::source_too_large(Span::default()));
            limit = Some(LimitReached::SourceBytes);
            input = Input::from("");
        }
        let mut scanned = scan(input, mode);
        if scanned.has(COMPLAINTS) {
            check(input.text, &scanned.tokens, &mut report);
        }
        if scanned.longest > limits.identifier_bytes {
            let long =
                |token: &&Token| token.kind == TokenKind::Ident && token.span.len() > limits.identifier_bytes;
            for token in scanned.tokens.iter().filter(long) {
                report.push(diagnostic::identifier_too_long(token.span));
                limit = Some(LimitReached::IdentifierBytes);
            }
        }
        if scanned.has(&[TokenKind::Comment]) {
            drop_comments(input.text, &mut scanned.tokens);
        }
        let TokenStream { tokens, seams, escapes, .. } = scanned;
        let tree = Tree::with_capacity_for(tokens.len());
        let mut parser = Self {
            text: input.text,
            tokens,
            escapes,
            at: 0,
            next: TokenKind::Eof,
            next_span: Span::default(),
            next_at: 0,
            skipped: (0, 0),
            newlines: true,
            previous: Span::default(),
            recovery: false,
            depth: 0,
            limits: *limits,
            limit,
            report,
            seams,
            tree,
            line_breaks: None,
            children: Vec::new(),
            pending: Vec::new(),
            splats: Vec::new(),
            parts: Vec::new(),
            recent: [Recent::NONE; SORTS],
        };
        parser.look();
        parser
    }

    /// How many tokens the text has.
    pub(crate) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    // The cursor.

    /// Finds the next token anew, after the cursor moved or line breaks changed their sense.
    #[inline(always)]
    fn look(&mut self) {
        self.look_at(self.at);
        if self.next == TokenKind::Newline && !self.newlines {
            self.look_behind_newlines();
        }
    }

    #[inline(never)]
    fn look_behind_newlines(&mut self) {
        let index = self.after_newlines();
        self.look_at(index);
    }

    /// Makes the token at an index the next one.
    #[inline(always)]
    fn look_at(&mut self, index: usize) {
        let token = &self.tokens[index];
        self.next_at = index;
        self.next = token.kind;
        self.next_span = token.span;
    }

    fn after_newlines(&mut self) -> usize {
        let mut index = self.at;
        if self.skipped.0 <= index && index < self.skipped.1 {
            return self.skipped.1;
        }
        while self.tokens[index].kind == TokenKind::Newline {
            index += 1;
        }
        self.skipped = (self.at, index);
        index
    }

    /// The next token, which stays.
    pub(crate) fn peek(&self) -> Token {
        Token { kind: self.next, span: self.next_span }
    }

    /// Whether the next token is of this kind.
    pub(crate) fn next_is(&self, kind: TokenKind) -> bool {
        self.next == kind
    }

    /// Whether the next tokens are of these kinds, with no line break between them.
    pub(crate) fn next_are<const N: usize>(&self, kinds: [TokenKind; N]) -> bool {
        let next = self.tokens.get(self.next_at..).unwrap_or_default();
        next.len() >= N && next.iter().zip(kinds).all(|(token, kind)| token.kind == kind)
    }

    /// How many tokens the next one, a name or number, takes up with the dotted names behind it, if
    /// nothing else belongs to it such as an index or arguments.
    pub(crate) fn dotted_words(&self) -> Option<usize> {
        let index = self.next_at;
        let kind = |at: usize| self.tokens.get(at).map_or(TokenKind::Eof, |token| token.kind);
        let mut end = index + 1;
        while kind(end) == TokenKind::Dot && kind(end + 1) == TokenKind::Ident {
            end += 2;
        }
        // Nearly never, so that no jump by the kind of the token is worth it.
        let behind = kind(end);
        let goes_on =
            matches!(behind, TokenKind::Dot | TokenKind::OBrack | TokenKind::OParen | TokenKind::DoubleColon)
                || behind == TokenKind::Newline && !self.newlines;
        (!goes_on).then_some(end - index)
    }

    /// The next token, which is taken.
    pub(crate) fn read(&mut self) -> Token {
        let token = self.peek();
        // The end of the text stays.
        self.at = self.next_at + usize::from(token.kind != TokenKind::Eof);
        self.previous = token.span;
        self.look();
        token
    }

    /// The range of the token that comes so many tokens behind the next one, line breaks counted.
    pub(crate) fn ahead(&self, count: usize) -> Span {
        self.tokens.get(self.next_at + count).map_or(Span::default(), |token| token.span)
    }

    /// Takes the next `count` tokens, which are there and none of which is a line break.
    pub(crate) fn take(&mut self, count: usize) {
        self.previous = self.ahead(count - 1);
        self.at = self.next_at + count;
        self.look();
    }

    /// Whether the next token is the word `word`.
    pub(crate) fn next_is_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Ident && token.span.slice(self.text) == word
    }

    /// Lends a cursor for which line breaks are blanks.
    pub(crate) fn ignoring_newlines<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.with_newlines(false, inside)
    }

    /// Lends a cursor for which line breaks are tokens.
    pub(crate) fn minding_newlines<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.with_newlines(true, inside)
    }

    fn with_newlines<R>(&mut self, newlines: bool, inside: impl FnOnce(&mut Self) -> R) -> R {
        let outside = std::mem::replace(&mut self.newlines, newlines);
        self.look();
        let result = inside(self);
        self.newlines = outside;
        self.look();
        result
    }

    // Limits.

    /// One level deeper. Beyond the limit the parse stops: the cursor goes to the end of the text.
    #[inline(always)]
    pub(crate) fn enter(&mut self) {
        self.depth += 1;
        if self.depth > self.limits.nesting {
            self.too_deep();
        }
    }

    #[cold]
    fn too_deep(&mut self) {
        if !self.stopped() {
            let here = self.peek().span;
            self.report.push(diagnostic::nesting_too_deep(here));
            self.limit = Some(LimitReached::Nesting);
            self.recovery = true;
            self.at = self.tokens.len() - 1;
            self.look();
        }
    }

    /// `levels` levels up again.
    pub(crate) fn leave(&mut self, levels: u32) {
        self.depth -= levels;
    }

    /// Whether a limit ended the parse; whatever seems wrong after that is not.
    fn stopped(&self) -> bool {
        matches!(self.limit, Some(LimitReached::Nesting | LimitReached::SourceBytes))
    }

    // Nodes.

    /// A new node.
    pub(crate) fn node(&mut self, node: Node, span: Span) -> NodeId {
        self.tree.add(node, span)
    }

    /// Whether no node was made after this one.
    pub(crate) fn is_last_node(&self, id: NodeId) -> bool {
        id.index() + 1 == self.tree.len()
    }

    /// Takes back the node that was made last.
    pub(crate) fn take_last_node(&mut self) {
        self.tree.nodes.pop();
    }

    /// A name: the one that was written before, if that was not long ago.
    pub(crate) fn name(&mut self, span: Span) -> NameId {
        self.recent(span).0.id
    }

    /// The name of a variable, which is noted.
    pub(crate) fn variable(&mut self, span: Span) -> NameId {
        let (recent, tree) = self.recent(span);
        if tree.variables.get(cast::index(recent.variable)) != Some(&recent.id) {
            recent.variable = cast::length(tree.variables.len());
            tree.variables.push(recent.id);
        }
        recent.id
    }

    /// A name among the recent ones, from now on if it was not, and the tree that has it.
    #[inline]
    fn recent(&mut self, span: Span) -> (&mut Recent<'t>, &mut Tree) {
        let name = span.bytes(self.text);
        let key = key_of(name);
        let recent = &mut self.recent[sort_of(key)];
        if !recent.is(name, key) {
            let id = new_name(span.slice(self.text), &mut self.tree);
            *recent = Recent { name, key, id, variable: u32::MAX };
        }
        (recent, &mut self.tree)
    }

    /// Notes the variables of `expr` anew, those since there were `from` of them, because for
    /// expressions in it bind some of these names.
    #[cold]
    pub(crate) fn note_unbound(&mut self, expr: NodeId, from: usize) {
        self.tree.variables.truncate(from);
        let names = variable_names(&self.tree, expr);
        self.tree.variables.extend(names);
    }

    /// A new literal text.
    pub(crate) fn literal(&mut self, text: &str, span: Span) -> NodeId {
        let id = self.tree.texts.add(text);
        self.node(Node::Text(id), span)
    }

    /// The children gathered since there were `from` of them, as a list.
    pub(crate) fn list_since(&mut self, from: usize) -> NodeList {
        let start = self.tree.links.len();
        self.tree.links.extend_from_slice(&self.children[from..]);
        self.children.truncate(from);
        NodeList::between(start, self.tree.links.len())
    }

    /// One more step.
    pub(crate) fn step(&mut self, step: TraversalStep) {
        self.tree.steps.push(step);
    }

    /// Line of an offset, for a sentence that names one. The line breaks are looked for once.
    pub(crate) fn line_of(&mut self, offset: u32) -> usize {
        let text = self.text;
        let breaks = self.line_breaks.get_or_insert_with(|| {
            text.bytes().zip(0..).filter(|&(byte, _)| byte == b'\n').map(|(_, at)| at).collect()
        });
        breaks.partition_point(|&at| at < offset) + 1
    }
}

#[inline(never)]
fn new_name(name: &str, tree: &mut Tree) -> NameId {
    let id = NameId::at(tree.names.len());
    tree.names.push(SmolStr::new(name));
    id
}

/// Takes comments out; one that ends a line becomes that line break.
fn drop_comments(text: &str, tokens: &mut Vec<Token>) {
    tokens.retain_mut(|token| {
        if token.kind == TokenKind::Comment && token.span.slice(text).ends_with('\n') {
            token.kind = TokenKind::Newline;
        }
        token.kind != TokenKind::Comment
    });
}
