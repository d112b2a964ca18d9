//! What the tokens themselves tell to be wrong, before any grammar is applied.
//!
//! Some mistakes come in crowds (a file in another encoding, `'` as a quote); those are
//! reported once or twice a file.

use crate::diagnostic::{self, Make, Report};
use crate::syntax::token::{Token, TokenKind};

/// How often each crowd was met.
#[derive(Default)]
struct Seen {
    bitwise: u32,
    backtick: u32,
    apostrophe: u32,
    semicolon: u32,
    encoding: u32,
}

/// The kinds of tokens that are complained about.
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
pub(crate) fn check(text: &str, tokens: &[Token], report: &mut Report) {
    let mut seen = Seen::default();
    for token in tokens {
        if let Some(make) = complaint(text, *token, &mut seen) {
            debug_assert!(COMPLAINTS.contains(&token.kind));
            report.push(make(token.span));
        }
    }
}

fn complaint(text: &str, token: Token, seen: &mut Seen) -> Option<Make> {
    match token.kind {
        TokenKind::BitwiseAnd => up_to(&mut seen.bitwise, 4).then_some(diagnostic::bitwise_and as Make),
        TokenKind::BitwiseOr => up_to(&mut seen.bitwise, 4).then_some(diagnostic::bitwise_or as Make),
        TokenKind::BitwiseNot => up_to(&mut seen.bitwise, 4).then_some(diagnostic::bitwise_not as Make),
        TokenKind::BitwiseXor => up_to(&mut seen.bitwise, 4).then_some(diagnostic::bitwise_xor as Make),
        TokenKind::Backtick => first_and_third(&mut seen.backtick).then_some(diagnostic::backtick as Make),
        TokenKind::Apostrophe => {
            first_and_third(&mut seen.apostrophe).then_some(diagnostic::apostrophe as Make)
        }
        TokenKind::Semicolon => up_to(&mut seen.semicolon, 1).then_some(diagnostic::semicolon as Make),
        TokenKind::BadUtf8 => up_to(&mut seen.encoding, 1).then_some(diagnostic::encoding as Make),
        TokenKind::QuotedNewline => Some(diagnostic::multi_line_string),
        TokenKind::Invalid => Some(match token.span.slice(text) {
            "\u{201C}" | "\u{201D}" => diagnostic::curly_quote,
            _ => diagnostic::invalid_character,
        }),
        _ => None,
    }
}

fn up_to(count: &mut u32, most: u32) -> bool {
    *count = count.saturating_add(1);
    *count <= most
}

/// Quotes come in pairs: the first of the first two pairs.
fn first_and_third(count: &mut u32) -> bool {
    *count = count.saturating_add(1);
    matches!(*count, 1 | 3)
}
