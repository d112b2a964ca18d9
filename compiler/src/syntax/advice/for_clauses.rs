//! `for` expressions: the words and signs between their clauses.

use hclvm_vm::Span;

use super::proposal::{Advice, end_of};
use super::view::{Enclosing, TokenView};
use crate::syntax::token::TokenKind;

/// Words that introduce the condition elsewhere.
const CONDITIONS: [&str; 4] = ["where", "when", "with", "unless"];

/// Returns advice about the token `at` inside of a `for` expression.
pub(super) fn clause(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let open = around.open()?;
    let first = view.from(open + 1);
    let word = |wanted: &str| (first..at).find(|&before| view.word(before) == wanted);
    let Some(source) = word("in") else { return names(view, at, first) };
    let colon = view.find_inside(source, at, TokenKind::Colon);
    match colon {
        None => before_result(view, at, source),
        Some(colon) => behind_result(view, at, colon, view.kind(open) == TokenKind::OBrace),
    }
}

/// `for (x in xs)`, `for x of xs`, `for x = xs`
fn names(view: TokenView<'_>, at: usize, first: usize) -> Option<Advice> {
    let sentence = "A `for` expression begins with `for name in list :`.";
    let span = view.span(at);
    match view.kind(at) {
        TokenKind::Ident if view.is_word(at, "in") || matches!(view.word(at), "of" | "from") => {
            Some(Advice::new(sentence).edit(span, "in"))
        }
        TokenKind::Ident if at == first + 2 && view.word(at + 1) == "in" => {
            let sentence = "A comma is between the names of the variables: `for key, value in map :`.";
            Some(Advice::new(sentence).edit(end_of(view.span(at - 1)), ","))
        }
        TokenKind::Equal | TokenKind::Colon if at > first + 1 => Some(Advice::new(sentence).edit(span, "in")),
        TokenKind::OParen => {
            let edit = view.closer(at).map(|close| (span.to(view.span(close)), inner(view, at, close)));
            Some(Advice::new(sentence).maybe(edit))
        }
        _ => Some(Advice::new(sentence)),
    }
}

fn inner(view: TokenView<'_>, open: usize, close: usize) -> String {
    view.between(view.span(open).end, view.span(close).start).to_owned()
}

/// What is written where the colon before the result belongs.
fn before_result(view: TokenView<'_>, at: usize, source: usize) -> Option<Advice> {
    let before = at.checked_sub(1)?;
    let sentence = "A colon is before the result: `for name in list : result`.";
    let has_colon = view.find_inside(at, at + 200, TokenKind::Colon).is_some();
    let complete = view.ends_operand(view.before(at)?) && before > source && !has_colon;
    let span = view.span(at);
    if view.word(at) == "if" && has_colon {
        return Some(condition_first(view, at));
    }
    match view.kind(at) {
        TokenKind::FatArrow | TokenKind::Comma | TokenKind::Equal if complete => {
            Some(Advice::new(sentence).edit(span, ":"))
        }
        TokenKind::GreaterThan if view.are(before, &[TokenKind::Minus, TokenKind::GreaterThan]) => {
            Some(Advice::new(sentence).edit(view.span(before).to(span), ":"))
        }
        TokenKind::Ident if matches!(view.word(at), "do" | "yield" | "select" | "return") && complete => {
            Some(Advice::new(sentence).edit(span, ":"))
        }
        _ if complete && view.begins_operand(at) => {
            Some(Advice::new(sentence).edit(end_of(view.span(view.before(at)?)), " :"))
        }
        _ => None,
    }
}

/// `for x in xs if x > 1 : x`: the condition follows the result.
fn condition_first(view: TokenView<'_>, at: usize) -> Advice {
    let sentence = "The condition is behind the result: `for name in list : result if condition`.";
    let close = view.opener(at).and_then(|open| view.closer(open));
    let edit = close.and_then(|close| {
        let (colon, last) = (view.find_inside(at, close, TokenKind::Colon)?, view.before(close)?);
        let (condition, result) = (view.text_of((at, colon - 1)), view.text_of((colon + 1, last)));
        let span = view.span(at).to(view.span(last));
        (colon < last).then(|| (span, format!(": {result} {condition}")))
    });
    Advice::new(sentence).maybe(edit)
}

/// What follows the result.
fn behind_result(view: TokenView<'_>, at: usize, colon: usize, is_object: bool) -> Option<Advice> {
    let span = view.span(at);
    let has_arrow = (colon..at).any(|before| view.kind(before) == TokenKind::FatArrow);
    let complete = view.before(at).is_some_and(|before| view.ends_operand(before) && before > colon);
    match view.kind(at) {
        TokenKind::Equal if complete && (colon..at).any(|before| view.word(before) == "if") => {
            Some(Advice::new("Use `==` to compare.").edit(span, "=="))
        }
        TokenKind::Equal | TokenKind::Colon if is_object && !has_arrow && complete => {
            Some(Advice::new("Key and value are separated by `=>`: `key => value`.").edit(span, "=>"))
        }
        TokenKind::Ident if complete && (CONDITIONS.contains(&view.word(at)) || view.is_word(at, "if")) => {
            Some(Advice::new("The condition begins with `if`.").edit(span, "if"))
        }
        TokenKind::Comma if complete && view.is_word(at + 1, "if") => {
            let rest = Span::new(span.start, view.span(at + 1).start);
            Some(Advice::new("No comma is before `if`.").edit(rest, " "))
        }
        _ => None,
    }
}

/// `For x in xs`, `foreach x in xs` after an opening bracket: `at` is the name behind the word.
pub(super) fn spelling(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let open = around.open().filter(|_| matches!(around, Enclosing::Tuple(_) | Enclosing::Object(_)))?;
    let word = view.from(open + 1);
    let is_for = view.is_word(word, "for")
        || matches!(view.word(word).to_ascii_lowercase().as_str(), "foreach" | "each");
    let named = view.kind(at) == TokenKind::Ident && view.before(at) == Some(word);
    (is_for && named).then(|| {
        Advice::new("A `for` expression begins with `for`, in lower case.").edit(view.span(word), "for")
    })
}
