//! The smallest item around a problem, and what takes its place so that the rest can be parsed.
//!
//! ```text
//! a = [f(1 +), 2]     the argument `1 +`, by `null`; then the item `f(…)`; then the value of `a`
//! ```

use hclvm_vm::{Span, cast};

use crate::syntax::advice::{TokenView, closer_of, closes, opens};
use crate::syntax::token::TokenKind;

/// What takes the place of an expression.
const VALUE: &str = "null";

/// Returns the range to replace and its replacement for a problem at `place`; `None` if everything around
/// it has been replaced already, or if the brackets do not show what is around it.
pub(super) fn around(view: TokenView<'_>, place: Span) -> Option<(Span, String)> {
    let partners = Partners::of(view);
    let mut at = view.tokens.partition_point(|token| token.span.start < place.start);
    at = at.min(view.tokens.len().checked_sub(1)?);
    if view.tokens[at].kind == TokenKind::QuotedNewline {
        return line(view, at);
    }
    let mut frame = partners.frame(view, at);
    loop {
        if let Some((span, text)) = item(view, &partners, frame, at) {
            let old = span.slice(view.text);
            if old.trim() != text.trim() {
                let breaks =
                    old.matches('\n').count() - text.matches('\n').count().min(old.matches('\n').count());
                return Some((span, text + &"\n".repeat(breaks)));
            }
        }
        let open = frame?.0;
        at = open;
        frame = partners.frame(view, open);
    }
}

/// Returns true if the range is inside of brackets and neither empty nor over several lines, and if its own
/// brackets match: what is outside of it does not depend on it.
pub(super) fn is_contained(view: TokenView<'_>, span: Span) -> bool {
    let tokens = view.tokens;
    let (from, to) = (
        tokens.partition_point(|token| token.span.start < span.start),
        tokens.partition_point(|token| token.span.end <= span.end),
    );
    let mut stack = Vec::new();
    for token in &tokens[from..to.max(from)] {
        if opens(token.kind) {
            stack.push(closer_of(token.kind));
        } else if closes(token.kind) && stack.pop() != Some(Some(token.kind)) {
            return false;
        }
    }
    let enclosed = Partners::of(view).frame(view, from).is_some_and(|(open, _)| {
        matches!(tokens[open].kind, TokenKind::OBrack | TokenKind::OParen | TokenKind::TemplateInterp)
    }) || from > 0 && matches!(tokens[from - 1].kind, TokenKind::Equal | TokenKind::Colon);
    let has_operand = tokens[from..to.max(from)]
        .iter()
        .any(|token| matches!(token.kind, TokenKind::Ident | TokenKind::NumberLit | TokenKind::CQuote));
    has_operand && stack.is_empty() && enclosed && !span.slice(view.text).contains('\n')
}

/// Which brackets belong together.
struct Partners(Vec<Option<usize>>);

impl Partners {
    /// Matches the brackets of a text. A closing bracket belongs to the innermost open one of its kind;
    /// open ones inside of that have no partner.
    fn of(view: TokenView<'_>) -> Self {
        let mut partners = vec![None; view.tokens.len()];
        let mut stack: Vec<usize> = Vec::new();
        for (at, token) in view.tokens.iter().enumerate() {
            if opens(token.kind) {
                stack.push(at);
            } else if closes(token.kind) {
                let wanted = |open: &&usize| closer_of(view.tokens[**open].kind) == Some(token.kind);
                // Few brackets lack their partner, so few are searched. A limit keeps the search linear
                // where many do.
                let depth = stack.iter().rev().take(64).position(|open| wanted(&open));
                if let Some(depth) = depth {
                    let open = stack[stack.len() - 1 - depth];
                    stack.truncate(stack.len() - 1 - depth);
                    partners[open] = Some(at);
                    partners[at] = Some(open);
                }
            }
        }
        Self(partners)
    }

    fn partner(&self, at: usize) -> Option<usize> {
        self.0.get(at).copied().flatten()
    }

    /// Returns the innermost pair of brackets around a token. A closing bracket is inside of its pair, an
    /// opening one outside.
    fn frame(&self, view: TokenView<'_>, at: usize) -> Option<(usize, usize)> {
        let mut before = at.min(view.tokens.len());
        while before > 0 {
            before -= 1;
            if let Some(partner) = self.partner(before) {
                if partner >= at {
                    return Some((before, partner));
                }
                if partner < before {
                    before = partner;
                }
            }
        }
        None
    }
}

/// Returns the item of a pair of brackets, or of the text, that contains the token `at`.
fn item(
    view: TokenView<'_>,
    partners: &Partners,
    frame: Option<(usize, usize)>,
    at: usize,
) -> Option<(Span, String)> {
    let (open, close) = frame.map_or((None, view.tokens.len() - 1), |(open, close)| (Some(open), close));
    let kind = open.map(|open| view.tokens[open].kind);
    let first = open.map_or(0, |open| open + 1);
    match kind {
        Some(TokenKind::OQuote | TokenKind::OHeredoc) => {
            let span = view.tokens[first - 1].span.to(view.tokens[close].span);
            return Some((span, VALUE.to_owned()));
        }
        Some(TokenKind::TemplateControl) => return None,
        _ => {}
    }
    let is_for = view.word(view.from(first)) == "for" && kind != Some(TokenKind::OParen) && kind.is_some();
    if is_for || kind == Some(TokenKind::TemplateInterp) {
        return replaced(view, first, close, VALUE);
    }
    let minds_lines = matches!(kind, None | Some(TokenKind::OBrace));
    let separates = |kind: TokenKind| {
        kind == TokenKind::Comma && frame.is_some() || kind == TokenKind::Newline && minds_lines
    };
    let mut start = at.min(close);
    while start > first && !separates(view.tokens[start - 1].kind) {
        start = partners.partner(start - 1).filter(|partner| *partner < start - 1).unwrap_or(start - 1);
    }
    let mut end = at;
    while end < close && !separates(view.tokens[end].kind) {
        end = partners.partner(end).filter(|partner| *partner > end).unwrap_or(end) + 1;
    }
    let end = end.min(close);
    if !minds_lines {
        return replaced(view, start, end, VALUE);
    }
    member(view, partners, (start, at, end))
}

/// Replaces the tokens `start..end`.
fn replaced(view: TokenView<'_>, start: usize, end: usize, text: &str) -> Option<(Span, String)> {
    if start >= end {
        let place = view.tokens.get(end)?.span.start;
        return Some((Span::new(place, place), text.to_owned()));
    }
    Some((view.tokens[start].span.to(view.tokens[end - 1].span), text.to_owned()))
}

/// The part of an argument, a block or an item of an object that contains `at`.
fn member(
    view: TokenView<'_>,
    partners: &Partners,
    (start, at, end): (usize, usize, usize),
) -> Option<(Span, String)> {
    if start >= end {
        return None;
    }
    let mut inner = start;
    while inner < end {
        let kind = view.tokens[inner].kind;
        if inner < at && matches!(kind, TokenKind::Equal | TokenKind::Colon) && inner > start {
            return replaced(view, inner + 1, end, VALUE).map(|(span, text)| {
                let gap = view.tokens[inner].span.end == span.start;
                (span, if gap { format!(" {text}") } else { text })
            });
        }
        let partner = partners.partner(inner).filter(|partner| *partner > inner);
        if kind == TokenKind::OBrace && inner > start {
            return match partner {
                // The header of a block, or what is behind it.
                Some(_) if at <= inner => replaced(view, start, inner, "hole"),
                Some(close) if at > close => replaced(view, close + 1, end, ""),
                _ => replaced(view, start, end, "hole = null"),
            };
        }
        inner = partner.unwrap_or(inner) + 1;
    }
    replaced(view, start, end, "hole = null")
}

/// The rest of a line on which a string is not closed, without the brackets at its end.
fn line(view: TokenView<'_>, at: usize) -> Option<(Span, String)> {
    let end = view.tokens[at].span.start;
    let (before, _) = view.text.split_at(cast::index(end));
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = &before[start..];
    let kept = line.trim_end_matches([')', ']', '}', ',', ' ', '\t']).len();
    let value = line.find(" = ").map_or(line.len() - line.trim_start().len(), |equals| equals + 3).min(kept);
    let span = Span::new(cast::length(start + value), cast::length(start + kept));
    (span.start < span.end).then(|| (span, VALUE.to_owned()))
}
