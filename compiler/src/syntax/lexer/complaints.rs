//! Diagnostics about single tokens that are not part of the language, whatever the grammar expects.
//!
//! Some mistakes come in large numbers (a file in another encoding, `'` as a quote); those are
//! reported once or twice per file, as often as the reference reports them.

use crate::diagnostic::{self, DiagnosticSink, Make};
use crate::syntax::advice::{TokenView, characters};
use crate::syntax::token::{Token, TokenKind};

/// How often each of the mistakes that come in numbers has been met.
#[derive(Default)]
struct Counts {
    bitwise: u32,
    backtick: u32,
    apostrophe: u32,
    semicolon: u32,
    encoding: u32,
}

/// The kinds that [`check`] reports. A text without them is not searched.
pub(crate) const COMPLAINTS: &[TokenKind] = &[
    TokenKind::BitwiseAnd,
    TokenKind::BitwiseOr,
    TokenKind::BitwiseNot,
    TokenKind::BitwiseXor,
    TokenKind::Backtick,
    TokenKind::Apostrophe,
    TokenKind::Semicolon,
    TokenKind::BadUtf8,
    TokenKind::QuotedNewline,
    TokenKind::Invalid,
];

/// Reports every token that is not part of the language.
pub(crate) fn check(text: &str, tokens: &[Token], diagnostics: &mut DiagnosticSink) {
    let mut counts = Counts::default();
    let view = TokenView { text, tokens };
    for (index, token) in tokens.iter().enumerate() {
        if let Some(make) = complaint(text, *token, &mut counts) {
            debug_assert!(COMPLAINTS.contains(&token.kind));
            let problem = make(token.span);
            let advice = diagnostics.keeps_next().then(|| characters::character(view, index)).flatten();
            diagnostics.push(match advice {
                Some(advice) => advice.add_to(problem),
                None => problem,
            });
        }
    }
}

fn complaint(text: &str, token: Token, counts: &mut Counts) -> Option<Make> {
    let (make, reported): (Make, bool) = match token.kind {
        TokenKind::BitwiseAnd => (diagnostic::bitwise_and, first(4, &mut counts.bitwise)),
        TokenKind::BitwiseOr => (diagnostic::bitwise_or, first(4, &mut counts.bitwise)),
        TokenKind::BitwiseNot => (diagnostic::bitwise_not, first(4, &mut counts.bitwise)),
        TokenKind::BitwiseXor => (diagnostic::bitwise_xor, first(4, &mut counts.bitwise)),
        TokenKind::Backtick => (diagnostic::backtick, opens_pair(&mut counts.backtick)),
        TokenKind::Apostrophe => (diagnostic::apostrophe, opens_pair(&mut counts.apostrophe)),
        TokenKind::Semicolon => (diagnostic::semicolon, first(1, &mut counts.semicolon)),
        TokenKind::BadUtf8 => (diagnostic::encoding, first(1, &mut counts.encoding)),
        TokenKind::QuotedNewline => (diagnostic::multi_line_string, true),
        TokenKind::Invalid => match token.span.slice(text) {
            "\u{201C}" | "\u{201D}" => (diagnostic::curly_quote, true),
            _ => (diagnostic::invalid_character, true),
        },
        _ => return None,
    };
    reported.then_some(make)
}

/// Counts an occurrence; true for the first `most`.
fn first(most: u32, count: &mut u32) -> bool {
    *count = count.saturating_add(1);
    *count <= most
}

/// Counts a quote; true for those that open the first two pairs.
fn opens_pair(count: &mut u32) -> bool {
    *count = count.saturating_add(1);
    matches!(*count, 1 | 3)
}
