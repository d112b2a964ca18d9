//! Semantic tokens: the tokens of a text with the roles of its names.

use gen_lsp_types::{Position, SemanticToken, SemanticTokensEdit};
use hclvm::diagnostics::Span;
use hclvm::syntax::tree::TokenKind;

use crate::analysis::Analysis;
use crate::index::NameRole;
use crate::lines::size;

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
const FUNCTION: u32 = 5;
const VARIABLE: u32 = 6;
const PARAMETER: u32 = 7;
const PROPERTY: u32 = 8;
const TYPE: u32 = 9;
const LABEL: u32 = 10;
const ROOT: u32 = 11;

const DEFINITION: u32 = 1;
const READONLY: u32 = 2;
const LIBRARY: u32 = 4;

/// Returns the tokens within a range of bytes.
pub(crate) fn tokens(analysis: &Analysis, within: Option<Span>) -> Vec<SemanticToken> {
    let (text, all) = (analysis.text(), analysis.tokens());
    let names = &analysis.index().names;
    let mut builder = TokenEncoder { analysis, tokens: Vec::new(), last: Position::default() };
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
                None => (PROPERTY, 0),
            },
            TokenKind::QuotedLit if name.is_some_and(|name| name.role == NameRole::Label) => {
                (LABEL, name.map_or(0, |name| if name.defines { DEFINITION } else { 0 }))
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
        builder.add(token.span, kind, modifiers);
    }
    builder.tokens
}

fn is_word(text: &str) -> bool {
    matches!(text, "for" | "in" | "if" | "else" | "endif" | "endfor" | "true" | "false" | "null")
}

fn of_role(analysis: &Analysis, role: NameRole, defines: bool, text: &str) -> (u32, u32) {
    let definition = if defines { DEFINITION } else { 0 };
    match role {
        NameRole::Attribute | NameRole::Key => (PROPERTY, definition),
        NameRole::BlockType => (TYPE, 0),
        NameRole::Label => (LABEL, definition),
        NameRole::Variable if is_word(text) => (KEYWORD, 0),
        NameRole::Variable => (VARIABLE, READONLY),
        NameRole::Root => (ROOT, 0),
        NameRole::Member => (PROPERTY, 0),
        NameRole::Function if analysis.settings.functions.get(text).is_some() => (FUNCTION, LIBRARY),
        NameRole::Function => (FUNCTION, 0),
        NameRole::Bound => (PARAMETER, definition),
        NameRole::Type => (TYPE, LIBRARY),
    }
}

/// Tokens relative to each other.
struct TokenEncoder<'a> {
    analysis: &'a Analysis,
    tokens: Vec<SemanticToken>,
    /// The position of the last token.
    last: Position,
}

impl TokenEncoder<'_> {
    /// Adds a token; of one that is on several lines a token for each.
    fn add(&mut self, span: Span, kind: u32, modifiers: u32) {
        let mut start = span.start;
        for part in span.slice(self.analysis.text()).split_inclusive('\n') {
            let shown = part.trim_end_matches(['\n', '\r']);
            if !shown.is_empty() {
                self.add_line(start, shown, kind, modifiers);
            }
            start += size(part.len());
        }
    }

    fn add_line(&mut self, start: u32, shown: &str, kind: u32, modifiers: u32) {
        let lines = &self.analysis.lines;
        let position = lines.position(start);
        let delta_line = position.line - self.last.line;
        let before = if delta_line == 0 { self.last.character } else { 0 };
        self.tokens.push(SemanticToken {
            delta_line,
            delta_start: position.character - before,
            length: lines.units(shown),
            token_type: kind,
            token_modifiers_bitset: modifiers,
        });
        self.last = position;
    }
}

/// Returns tokens as the numbers of the protocol.
fn numbers(tokens: &[SemanticToken]) -> Vec<u32> {
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
        start: size(equal * 5),
        delete_count: size(removed.len() * 5),
        data: Some(numbers(added)),
    }]
}
