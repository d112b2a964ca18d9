//! Which neighbours on a line have a space between them. The rules look at tokens alone, as the reference's
//! formatter does, so that they give its results also where a look at the tree would suggest another one,
//! such as `x => - 1`.

use super::lines::bracket;
use crate::syntax::token::{Token, TokenKind};
use TokenKind::*;

/// Returns true if there is a space before the last of these tokens, which are those of a line up to it. At
/// least two tokens are given.
pub(super) fn is_spaced(text: &str, line: &[Token]) -> bool {
    let [.., left, right] = line else { return false };
    let before = line.len().checked_sub(3).map(|index| line[index]);
    match (left.kind, right.kind) {
        (DoubleColon, Comment) => true,
        (_, Newline | DoubleColon) | (DoubleColon, _) | (Ident, OParen) => false,
        // Without a space, the dot would be read as the point of one number.
        (Dot, NumberLit) => before.is_some_and(|before| before.kind == NumberLit),
        (Dot, _) | (_, Dot | Comma | Ellipsis) => false,
        (Comma, _) => true,
        (OQuote | OHeredoc | QuotedLit | StringLit, _) => false,
        (_, CQuote | CHeredoc | QuotedLit | StringLit) => false,
        (Ident, OBrack) => is_in(text, *left, before),
        (NumberLit | CParen | CBrack | CBrace | TemplateSeqEnd, OBrack) => false,
        (Bang, _) => false,
        (Minus, _) => before.is_some_and(|before| !expects_operand(before.kind)),
        (OBrace, CBrace) => false,
        (OBrace, _) | (_, CBrace) => true,
        (TemplateInterp | TemplateControl, OBrace) | (CBrace, TemplateSeqEnd) => true,
        (TemplateSeqEnd, TemplateInterp | TemplateControl) => false,
        (left, right) => bracket(left) <= 0 && bracket(right) >= 0,
    }
}

/// Returns true for `in` after a name, the keyword of a for expression: a tuple may follow it.
fn is_in(text: &str, token: Token, before: Option<Token>) -> bool {
    token.span.slice(text) == "in" && before.is_some_and(|before| before.kind == Ident)
}

/// Returns true for tokens after which a minus is a sign, not a subtraction.
fn expects_operand(kind: TokenKind) -> bool {
    let opens = bracket(kind) > 0 && !matches!(kind, TemplateInterp | TemplateControl);
    let separates = matches!(kind, Equal | Colon | Comma | Question);
    let computes = matches!(kind, Plus | Minus | Star | Slash | Percent | And | Or | Bang);
    let compares = matches!(kind, EqualOp | NotEqual | GreaterThan | GreaterThanEq | LessThan | LessThanEq);
    opens || separates || computes || compares
}
