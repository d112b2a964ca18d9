//! Semantic tokens: the tokens of a text with the roles of its names.

use gen_lsp_types::{SemanticToken, SemanticTokensEdit};
use hclvm::diagnostics::Span;
use hclvm::syntax::tree::TokenKind;

use crate::analysis::Analysis;
use crate::index::Role;

/// The types of tokens, in the order of their numbers.
pub(crate) const TYPES: [&str; 12] = [
    "comment",
    "string",
    "number",
    "keyword",
    "operator",
    "function",
    "variable",
    "parameter",
    "property",
    "type",
    "enumMember",
    "namespace",
];

/// The modifiers of tokens, in the order of their bits.
pub(crate) const MODIFIERS: [&str; 3] = ["definition", "readonly", "defaultLibrary"];

const COMMENT: u32 = 0;
const STRING: u32 = 1;
const NUMBER: u32 = 2;
const KEYWORD: u32 = 3;
const OPERATOR: u32 = 4;

const DEFINITION: u32 = 1;
const READONLY: u32 = 2;
const LIBRARY: u32 = 4;

/// Returns the tokens within a range of bytes.
pub(crate) fn tokens(analysis: &Analysis, within: Option<Span>) -> Vec<SemanticToken> {
    let (text, all) = (analysis.text(), analysis.tokens());
    let names = &analysis.index().names;
    let mut builder = Builder::new(analysis);
    let mut at_name = 0;
    let first = within.map_or(0, |within| all.partition_point(|token| token.span.end <= within.start));
    for token in &all[first..] {
        if within.is_some_and(|within| token.span.start >= within.end) {
            break;
        }
        // Labels are a part of the token of a text, and bound words of templates are tokens.
        while names.get(at_name).is_some_and(|name| name.span.end <= token.span.start) {
            at_name += 1;
        }
        let name = names
            .get(at_name)
            .filter(|name| token.span.start <= name.span.start && name.span.end <= token.span.end);
        let (kind, modifiers) = match token.kind {
            TokenKind::Comment => (COMMENT, 0),
            TokenKind::NumberLit => (NUMBER, 0),
            TokenKind::Ident => match name {
                Some(name) => of_role(analysis, name.role, name.defines, token.span.slice(text)),
                None if is_word(token.span.slice(text)) => (KEYWORD, 0),
                None => (8, 0),
            },
            TokenKind::QuotedLit if name.is_some_and(|name| name.role == Role::Label) => {
                (10, name.map_or(0, |name| if name.defines { DEFINITION } else { 0 }))
            }
            TokenKind::OQuote
            | TokenKind::CQuote
            | TokenKind::QuotedLit
            | TokenKind::StringLit
            | TokenKind::OHeredoc
            | TokenKind::CHeredoc => (STRING, 0),
            TokenKind::Star
            | TokenKind::Slash
            | TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Percent
            | TokenKind::EqualOp
            | TokenKind::NotEqual
            | TokenKind::LessThan
            | TokenKind::LessThanEq
            | TokenKind::GreaterThan
            | TokenKind::GreaterThanEq
            | TokenKind::And
            | TokenKind::Or
            | TokenKind::Bang
            | TokenKind::Question
            | TokenKind::Ellipsis
            | TokenKind::FatArrow => (OPERATOR, 0),
            TokenKind::TemplateInterp | TokenKind::TemplateControl | TokenKind::TemplateSeqEnd => {
                (KEYWORD, 0)
            }
            _ => continue,
        };
        if matches!(kind, COMMENT | STRING) {
            builder.add(token.span, kind, modifiers);
        } else {
            // No other token has a line break.
            builder.add_line(token.span.start, token.span.slice(text), kind, modifiers);
        }
    }
    builder.tokens
}

fn is_word(text: &str) -> bool {
    matches!(text, "for" | "in" | "if" | "else" | "endif" | "endfor" | "true" | "false" | "null")
}

fn of_role(analysis: &Analysis, role: Role, defines: bool, text: &str) -> (u32, u32) {
    let definition = if defines { DEFINITION } else { 0 };
    match role {
        Role::Attribute | Role::Key => (8, definition),
        Role::BlockType => (9, 0),
        Role::Label => (10, definition),
        Role::Variable if is_word(text) => (KEYWORD, 0),
        Role::Variable => (6, READONLY),
        Role::Root => (11, 0),
        Role::Member => (8, 0),
        Role::Function if analysis.settings.functions.get(text).is_some() => (5, LIBRARY),
        Role::Function => (5, 0),
        Role::Bound => (7, definition),
        Role::Type => (9, LIBRARY),
    }
}

/// Tokens relative to each other.
struct Builder<'a> {
    analysis: &'a Analysis,
    text: &'a str,
    tokens: Vec<SemanticToken>,
    /// The line and the column of the last token.
    line: u32,
    column: u32,
    /// The byte up to which lines and columns are counted, and the place there.
    counted: u32,
    current: u32,
    counted_column: u32,
}

impl<'a> Builder<'a> {
    fn new(analysis: &'a Analysis) -> Self {
        let text = analysis.text();
        Self {
            analysis,
            text,
            tokens: Vec::new(),
            line: 0,
            column: 0,
            counted: 0,
            current: 0,
            counted_column: 0,
        }
    }

    /// Adds a token; of one that is on several lines a token for each.
    fn add(&mut self, span: Span, kind: u32, modifiers: u32) {
        let mut start = span.start;
        for part in span.slice(self.text).split_inclusive('\n') {
            let length = crate::lines::size(part.len());
            let shown = part.trim_end_matches(['\n', '\r']);
            if !shown.is_empty() {
                self.add_line(start, shown, kind, modifiers);
            }
            start += length;
        }
    }

    fn add_line(&mut self, start: u32, shown: &str, kind: u32, modifiers: u32) {
        // Counted from the token before, so that a long line is read once.
        let mut between = self.text.get(self.counted as usize..start as usize).unwrap_or_default();
        if let Some(last) = between.rfind('\n') {
            self.current += crate::lines::size(between.matches('\n').count());
            self.counted_column = 0;
            between = &between[last + 1..];
        }
        self.counted = start;
        self.counted_column += self.analysis.lines.units(between);
        let column = self.counted_column;
        let delta_line = self.current - self.line;
        let delta_start = if delta_line == 0 { column - self.column } else { column };
        self.tokens.push(SemanticToken {
            delta_line,
            delta_start,
            length: self.analysis.lines.units(shown),
            token_type: kind,
            token_modifiers_bitset: modifiers,
        });
        (self.line, self.column) = (self.current, column);
    }
}

/// Returns tokens as the numbers of the protocol.
pub(crate) fn numbers(tokens: &[SemanticToken]) -> Vec<u32> {
    let of = |token: &SemanticToken| {
        [token.delta_line, token.delta_start, token.length, token.token_type, token.token_modifiers_bitset]
    };
    tokens.iter().flat_map(of).collect()
}

/// Returns the edit that makes tokens of others: what is between the equal beginnings and ends.
pub(crate) fn delta(before: &[SemanticToken], after: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    let equal = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let rest = before.len().min(after.len()) - equal;
    let ends = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take(rest)
        .take_while(|(one, other)| one == other)
        .count();
    let (removed, added) = (&before[equal..before.len() - ends], &after[equal..after.len() - ends]);
    if removed.is_empty() && added.is_empty() {
        return Vec::new();
    }
    vec![SemanticTokensEdit {
        start: crate::lines::size(equal * 5),
        delete_count: crate::lines::size(removed.len() * 5),
        data: Some(numbers(added)),
    }]
}
