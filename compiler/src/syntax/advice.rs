//! What to write instead: the mistakes that people make, recognized by the tokens around the place where
//! the parser gave up.
//!
//! [`advised`] adds to a diagnostic the change that repairs the text, a sentence about it, and the place
//! where an unclosed bracket opens. Title, subject and context stay those of the grammar. Advice about
//! characters that are no tokens of the language is in [`characters`]; what it rests on is a [`TokenView`].

mod body;
mod brackets;
mod calls;
pub(crate) mod characters;
mod collections;
mod for_clauses;
mod operators;
mod proposal;
mod template;
mod view;
mod words;

use hclvm_vm::Diagnostic;

use crate::syntax::token::{Token, TokenKind};
use view::Enclosing;

pub(crate) use brackets::unclosed_string;
pub(crate) use collections::other_brackets;
pub(crate) use proposal::Advice;
pub(crate) use template::missing_end;
pub(crate) use view::{TokenView, closer_of, closes, opens};

/// Adds what is known about the mistake that `found`, a token of the text, revealed.
pub(crate) fn advised(view: TokenView<'_>, problem: Diagnostic, found: Token) -> Diagnostic {
    let Some(at) = view.index_of(found) else { return problem };
    let around = view.around(at);
    let advice = advise(view, at, around);
    // An item that continues the construct does not show that it should have been closed.
    let continues = advice.as_ref().is_some_and(Advice::inserts_comma);
    let problem = match brackets::opened(view, at, around).filter(|_| !continues) {
        Some((span, text)) => problem.label(span, text),
        None => problem,
    };
    match advice {
        Some(advice) => advice.add_to(problem),
        None => problem,
    }
}

fn advise(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    if is_reported_by_itself(view.kind(at)) {
        return None;
    }
    let body = around.is_body().then(|| body::item(view, at)).flatten();
    let clauses =
        || matches!(around, Enclosing::For(_)).then(|| for_clauses::clause(view, at, around)).flatten();
    body.or_else(|| brackets::before_item(view, at, around))
        .or_else(clauses)
        .or_else(|| for_clauses::spelling(view, at, around))
        .or_else(|| {
            matches!(around, Enclosing::Directive(_)).then(|| template::sequence(view, at, around)).flatten()
        })
        .or_else(|| words::word(view, at, around))
        .or_else(|| calls::call(view, at, around))
        .or_else(|| collections::collection(view, at, around))
        .or_else(|| operators::operator(view, at, around))
        .or_else(|| operators::missing_operand(view, at, around))
        .or_else(|| body::object_item(view, at, around))
        .or_else(|| template::sequence(view, at, around))
        .or_else(|| brackets::closing(view, at, around))
        .or_else(|| brackets::separator(view, at, around))
        .or_else(|| words::unquoted(view, at, around))
}

/// Returns true for tokens that are no part of the language, which have a diagnostic with advice already.
fn is_reported_by_itself(kind: TokenKind) -> bool {
    crate::syntax::lexer::COMPLAINTS.contains(&kind)
}
