//! The parser's cursor: lookahead, sensitivity to line breaks, limits, and the nodes under
//! construction.
//!
//! The productions are in [`super::grammar`]. Comments are removed before parsing; a line comment
//! leaves the line break it ends with. Sensitivity to line breaks is lent by closure
//! ([`Parser::ignoring_newlines`]), so it is always restored.

mod problems;

use hclvm_vm::{Span, cast};
use smol_str::SmolStr;

use crate::analysis::variable_names;
use crate::diagnostic::{self, DiagnosticSink};
use crate::limits::{LimitReached, ParseLimits};
use crate::source::Input;
use crate::syntax::grammar::{FlatTemplatePart, PendingOperator, PendingSplat};
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
    /// The problems of the text: those of tokens, then those of the grammar, each in source order.
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
    /// The problems of the text: those of tokens, then those of the grammar.
    pub diagnostics: Vec<diagnostic::Diagnostic>,
    /// The limit that stopped the parse, if one did.
    pub limit: Option<LimitReached>,
    /// Token boundaries for [`crate::source::Source`].
    pub seams: Vec<u32>,
}

/// Parses a file of attributes and blocks. If there are diagnostics, the tree contains the items that
/// could be parsed.
pub fn parse_config<'t>(input: impl Into<Input<'t>>, limits: &ParseLimits) -> ParsedConfig {
    let mut parser = Parser::new(input.into(), LexMode::Config, limits);
    let body = parser.file();
    parser.tree.shrink();
    let limit = parser.limit;
    ParsedConfig { tree: parser.tree, body, diagnostics: parser.report.finish(), limit, seams: parser.seams }
}

/// Parses one expression; line breaks are blanks outside of heredocs.
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
    /// False if no string has an escape.
    pub(crate) escapes: bool,
    /// Index after the last token that was read.
    at: usize,
    /// The kind, range and index of the next token, line breaks skipped where they are blanks. Cached,
    /// because the next token is peeked at several times before it is read.
    next: TokenKind,
    next_span: Span,
    next_at: usize,
    /// The last run of line breaks that was skipped, so that a long run is walked once: each lookahead
    /// inside it would walk it again, in quadratic time.
    skipped: (usize, usize),
    /// True if line breaks are currently tokens, false if they are blanks.
    newlines: bool,
    /// The range of the last token that was read.
    pub(crate) previous: Span,
    /// Set once tokens have been skipped: from then on unexpected tokens are not reported.
    pub(crate) recovery: bool,
    depth: u32,
    limits: ParseLimits,
    pub(crate) limit: Option<LimitReached>,
    pub(crate) report: DiagnosticSink,
    pub(crate) seams: Vec<u32>,
    pub(crate) tree: Tree,
    /// Offsets of the line breaks, computed for the first message that names a line.
    line_breaks: Option<Vec<u32>>,
    /// The line of the file that the text begins on.
    first_line: usize,
    /// Children of incomplete lists.
    pub(crate) children: Vec<NodeId>,
    /// Operators whose right operand is incomplete; the stack of precedence climbing.
    pub(crate) pending: Vec<PendingOperator>,
    /// Full splats whose `each` is incomplete.
    pub(crate) splats: Vec<PendingSplat>,
    /// Parts of incomplete templates.
    pub(crate) parts: Vec<FlatTemplatePart<'t>>,
    /// A direct-mapped cache of names, indexed by [`slot_of`], so that a frequent name is in the tree
    /// once instead of once per occurrence.
    recent: [RecentName<'t>; RECENT],
}

/// An entry of the name cache.
#[derive(Clone, Copy, Debug)]
struct RecentName<'t> {
    name: &'t [u8],
    key: u64,
    id: NameId,
    /// Its index in the tree's variables, if it is one.
    variable: u32,
}

impl RecentName<'_> {
    const NONE: Self = Self { name: b"", key: 0, id: NameId(0), variable: 0 };

    /// Returns true if the entry is for `name`, whose key is `key`.
    #[inline] // Once per name in the text.
    fn is(&self, name: &[u8], key: u64) -> bool {
        self.is_short(name, key) || self.key == key && self.name == name
    }

    /// Returns true if the entry is for `name`, whose key is `key` and which has at most eight bytes: then the key is
    /// the whole name, so its bytes need not be compared.
    #[inline] // Once per name in the text.
    fn is_short(&self, name: &[u8], key: u64) -> bool {
        self.key == key && self.name.len() == name.len() && name.len() <= 8
    }
}

/// Entries of the name cache. A collision only stores a name twice, so a small table suffices; it is
/// cleared for each text.
const RECENT: usize = 64;

/// Packs the first and the last four bytes of a name into a word: the whole name if it has at most
/// eight bytes.
#[inline] // Once per name in the text.
fn key_of(name: &[u8]) -> u64 {
    match (name.first_chunk(), name.last_chunk()) {
        (Some(start), Some(end)) => {
            u64::from(u32::from_le_bytes(*start)) | u64::from(u32::from_le_bytes(*end)) << 32
        }
        _ => name.iter().fold(0, |key, byte| key << 8 | u64::from(*byte)),
    }
}

/// Returns the cache slot of a key by Fibonacci hashing: the upper bits of the product depend on all
/// bits of the key.
#[inline] // Once per name in the text.
fn slot_of(key: u64) -> usize {
    let [top, ..] = key.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
    usize::from(top >> 2) % RECENT
}

impl<'t> Parser<'t> {
    /// Splits the text into tokens and creates a parser for them. A text beyond the size limit is
    /// replaced by an empty one, so that all offsets fit 32 bits.
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
            first_line: 1,
            children: Vec::new(),
            pending: Vec::new(),
            splats: Vec::new(),
            parts: Vec::new(),
            recent: [RecentName::NONE; RECENT],
        };
        parser.look();
        parser
    }

    /// Returns the problems of the text and its tokens.
    pub(crate) fn into_problems(self) -> (Vec<diagnostic::Diagnostic>, Vec<Token>) {
        (self.report.finish(), self.tokens)
    }

    /// Returns the number of tokens of the text.
    pub(crate) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    // The cursor.

    /// Updates the cached next token after the cursor moved.
    // Once per token; the rare case is out of line below.
    #[inline(always)]
    fn look(&mut self) {
        self.look_at(self.at);
        if self.next == TokenKind::Newline && !self.newlines {
            self.look_behind_newlines();
        }
    }

    /// [`Parser::look`] where line breaks have to be skipped.
    // Most tokens are not preceded by a skipped line break.
    #[inline(never)]
    fn look_behind_newlines(&mut self) {
        let index = self.after_newlines();
        self.look_at(index);
    }

    /// Makes the token at `index` the next one.
    // Three loads and stores, once per token.
    #[inline(always)]
    fn look_at(&mut self, index: usize) {
        let token = &self.tokens[index];
        self.next_at = index;
        self.next = token.kind;
        self.next_span = token.span;
    }

    /// Returns the index of the first token from the cursor on that is not a line break.
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

    /// Returns the next token without reading it.
    pub(crate) fn peek(&self) -> Token {
        Token { kind: self.next, span: self.next_span }
    }

    /// Returns true if the next token is of this kind.
    pub(crate) fn next_is(&self, kind: TokenKind) -> bool {
        self.next == kind
    }

    /// Returns the next tokens if they are of these kinds, with no line break between them.
    pub(crate) fn next_if<const N: usize>(&self, kinds: [TokenKind; N]) -> Option<[Token; N]> {
        let next: [Token; N] = *self.tokens.get(self.next_at..)?.first_chunk()?;
        next.iter().zip(kinds).all(|(token, kind)| token.kind == kind).then_some(next)
    }

    /// Returns the number of tokens of `Identifier { "." Identifier }` at the cursor, or `None` if an
    /// index, arguments or another postfix follows.
    pub(crate) fn dotted_words(&self) -> Option<usize> {
        let index = self.next_at;
        let kind = |at: usize| self.tokens.get(at).map_or(TokenKind::Eof, |token| token.kind);
        let mut end = index + 1;
        while kind(end) == TokenKind::Dot && kind(end + 1) == TokenKind::Ident {
            end += 2;
        }
        // A set of bits, because the compiler makes a jump table of a pattern, and rarely is any of these next.
        const POSTFIX: u64 = 1 << TokenKind::Dot as u64
            | 1 << TokenKind::OBrack as u64
            | 1 << TokenKind::OParen as u64
            | 1 << TokenKind::DoubleColon as u64;
        let behind = kind(end);
        let goes_on = POSTFIX >> behind as u64 & 1 != 0 || behind == TokenKind::Newline && !self.newlines;
        (!goes_on).then_some(end - index)
    }

    /// Reads the next token.
    pub(crate) fn read(&mut self) -> Token {
        let token = self.peek();
        // The cursor stays at the end of the text.
        self.at = self.next_at + usize::from(token.kind != TokenKind::Eof);
        self.previous = token.span;
        self.look();
        token
    }

    /// Returns the range of the token `count` tokens after the next one, line breaks included.
    pub(crate) fn ahead(&self, count: usize) -> Span {
        self.tokens.get(self.next_at + count).map_or(Span::default(), |token| token.span)
    }

    /// Reads the next `count` tokens, which must exist and must not include line breaks. `last` is the range of
    /// the last one.
    pub(crate) fn take(&mut self, count: usize, last: Span) {
        self.previous = last;
        self.at = self.next_at + count;
        self.look();
    }

    /// Returns true if the next token is the word `word`.
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
        self.look_again();
        let result = inside(self);
        self.newlines = outside;
        self.look_again();
        result
    }

    /// Updates the cached next token after the sensitivity to line breaks may have changed.
    fn look_again(&mut self) {
        if self.next == TokenKind::Newline || self.next_at != self.at {
            self.look();
        }
    }

    // Limits.

    /// Enters a level of nesting. Beyond the limit the parse stops: the cursor moves to the end of the
    /// text.
    // An increment and a comparison, once per expression.
    #[inline(always)]
    pub(crate) fn enter(&mut self) {
        self.depth += 1;
        if self.depth > self.limits.nesting {
            self.too_deep();
        }
    }

    // At most once per text.
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

    /// Leaves `levels` levels of nesting.
    pub(crate) fn leave(&mut self, levels: u32) {
        self.depth -= levels;
    }

    /// Returns true if a limit ended the parse: problems found after that are not problems of the text.
    fn stopped(&self) -> bool {
        matches!(self.limit, Some(LimitReached::Nesting | LimitReached::SourceBytes))
    }

    // Nodes.

    /// Adds a node.
    pub(crate) fn node(&mut self, node: Node, span: Span) -> NodeId {
        self.tree.add(node, span)
    }

    /// Returns true if no node was added after this one.
    pub(crate) fn is_last_node(&self, id: NodeId) -> bool {
        id.index() + 1 == self.tree.len()
    }

    /// Removes the node that was added last.
    pub(crate) fn take_last_node(&mut self) {
        self.tree.nodes.pop();
    }

    /// Returns the id of a name, adding it to the tree if the cache does not have it.
    #[inline] // Once per name in the text; few names are new.
    pub(crate) fn name(&mut self, span: Span) -> NameId {
        match self.recent(span) {
            Some(recent) => recent.id,
            None => self.new_name(span),
        }
    }

    /// Returns the id of a variable's name, and records it as a variable of the file.
    // Other names are left to a call that is the last thing it does, so that a short one saves no registers.
    pub(crate) fn variable(&mut self, span: Span) -> NameId {
        let name = span.bytes(self.text);
        let key = key_of(name);
        let recent = &self.recent[slot_of(key)];
        if recent.is_short(name, key) && self.is_variable(recent) {
            recent.id
        } else {
            self.any_variable(span)
        }
    }

    /// [`Parser::variable`] for a name that may be long, and neither in the tree nor a variable of it.
    #[inline(never)]
    fn any_variable(&mut self, span: Span) -> NameId {
        let id = self.name(span);
        let slot = slot_of(key_of(span.bytes(self.text)));
        if !self.is_variable(&self.recent[slot]) {
            self.recent[slot].variable = cast::length(self.tree.variables.len());
            self.tree.variables.push(id);
        }
        id
    }

    /// Returns true if a name of the cache is recorded as a variable.
    #[inline] // Once per variable in the text.
    fn is_variable(&self, recent: &RecentName<'t>) -> bool {
        self.tree.variables.get(cast::index(recent.variable)) == Some(&recent.id)
    }

    /// Returns the cache entry of a name if the cache has it.
    #[inline] // Once per name in the text.
    fn recent(&self, span: Span) -> Option<&RecentName<'t>> {
        let name = span.bytes(self.text);
        let key = key_of(name);
        Some(&self.recent[slot_of(key)]).filter(|recent| recent.is(name, key))
    }

    /// Adds a name to the tree and the cache.
    #[cold]
    #[inline(never)]
    fn new_name(&mut self, span: Span) -> NameId {
        let id = NameId::at(self.tree.names.len());
        self.tree.names.push(SmolStr::new(span.slice(self.text)));
        let name = span.bytes(self.text);
        let key = key_of(name);
        self.recent[slot_of(key)] = RecentName { name, key, id, variable: u32::MAX };
        id
    }

    /// Recomputes the variables of `expr`, which are those from index `from` on: for expressions in it
    /// bind some of these names.
    // Few attributes have a for expression.
    #[cold]
    pub(crate) fn note_unbound(&mut self, expr: NodeId, from: usize) {
        self.tree.variables.truncate(from);
        let names = variable_names(&self.tree, expr);
        self.tree.variables.extend(names);
    }

    /// Adds a literal text and its node.
    pub(crate) fn literal(&mut self, text: &str, span: Span) -> NodeId {
        let id = self.tree.texts.add(text);
        self.node(Node::Text(id), span)
    }

    /// Turns the children since there were `from` of them into a list.
    pub(crate) fn list_since(&mut self, from: usize) -> NodeList {
        let start = self.tree.links.len();
        self.tree.links.extend_from_slice(&self.children[from..]);
        self.children.truncate(from);
        NodeList::between(start, self.tree.links.len())
    }

    /// Adds a list of one child.
    pub(crate) fn list_of(&mut self, child: NodeId) -> NodeList {
        let start = self.tree.links.len();
        self.tree.links.push(child);
        NodeList::between(start, start + 1)
    }

    /// Adds a step.
    pub(crate) fn step(&mut self, step: TraversalStep) {
        self.tree.steps.push(step);
    }

    /// Returns the line of an offset, for a message that names it. Line breaks are searched for once.
    pub(crate) fn line_of(&mut self, offset: u32) -> usize {
        let text = self.text;
        let breaks = self.line_breaks.get_or_insert_with(|| {
            text.bytes().zip(0..).filter(|&(byte, _)| byte == b'\n').map(|(_, at)| at).collect()
        });
        breaks.partition_point(|&at| at < offset) + self.first_line
    }

    /// Makes messages name `line` for every place of the text: line breaks in it are escapes in the file.
    pub(crate) fn stay_on_line(&mut self, line: usize) {
        self.first_line = line;
        self.line_breaks = Some(Vec::new());
    }
}

/// Removes comments; one that ends a line becomes its line break.
fn drop_comments(text: &str, tokens: &mut Vec<Token>) {
    tokens.retain_mut(|token| {
        if token.kind == TokenKind::Comment && token.span.slice(text).ends_with('\n') {
            token.kind = TokenKind::Newline;
        }
        token.kind != TokenKind::Comment
    });
}
