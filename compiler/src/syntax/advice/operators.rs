//! Signs of other languages: `===`, `<>`, `=<`, `??`, `?.`, `++`, `**`, `->`, and `=` in place of `==`.

use hclvm_vm::Span;

use super::proposal::{Advice, end_of};
use super::view::{Enclosing, TokenView};
use super::{collections, words};
use crate::syntax::lexer::is_identifier;
use crate::syntax::token::TokenKind::{self, *};

/// Signs of two tokens without anything between them: the tokens, what to write, and a sentence.
type Sign = ([TokenKind; 2], &'static str, &'static str);

/// Signs with one meaning wherever an operator is expected.
const SIGNS: [Sign; 9] = [
    ([EqualOp, Equal], "==", "Use `==` to compare; it never converts."),
    ([NotEqual, Equal], "!=", "Use `!=` to compare; it never converts."),
    ([LessThan, GreaterThan], "!=", "Use `!=` to compare."),
    ([Equal, LessThan], "<=", "Use `<=` to compare."),
    ([Bang, EqualOp], "!=", "Use `!=` to compare."),
    ([Equal, Bang], "!=", "Use `!=` to compare."),
    ([Colon, Equal], "=", "Use `=` to set a value."),
    ([Dot, Dot], ".", "One dot selects an attribute."),
    ([Percent, Percent], "%", "Use `%` for the remainder of a division."),
];

/// Returns advice about a sign at the token `at` or just before it.
pub(super) fn operator(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let pair = |first: usize| {
        let (_, text, sentence) = SIGNS.iter().find(|(kinds, ..)| view.are(first, kinds))?;
        Some(Advice::new(*sentence).edit(view.span(first).to(view.span(first + 1)), *text))
    };
    let before = at.checked_sub(1);
    heredoc(view, at)
        .or_else(|| before.and_then(|first| optional(view, first)).or_else(|| optional(view, at)))
        .or_else(|| arms(view, at, around))
        .or_else(|| before.and_then(pair))
        .or_else(|| pair(at))
        .or_else(|| joined(view, at, around))
        .or_else(|| single(view, at, around))
}

/// `<<"EOT"`, `<< EOT`, `<<~EOT`: a heredoc whose marker is not written directly behind the sign.
fn heredoc(view: TokenView<'_>, first: usize) -> Option<Advice> {
    if !view.are(first, &[LessThan, LessThan]) {
        return None;
    }
    let (marker, last, sign) = match view.kind(first + 2) {
        OQuote if view.are(first + 2, &[OQuote, QuotedLit, CQuote]) => (first + 3, first + 4, "<<"),
        BitwiseNot | Minus => (first + 3, first + 3, "<<-"),
        _ => (first + 2, first + 2, "<<"),
    };
    if !is_identifier(view.slice(marker)) || view.kind(last + 1) != Newline {
        return None;
    }
    let span = view.span(first).to(view.span(last));
    let sentence = "The marker of a heredoc is a word directly behind `<<` or `<<-`.";
    Some(Advice::new(sentence).edit(span, format!("{sign}{}", view.slice(marker))))
}

/// `user?.name`: an attribute that may be missing.
fn optional(view: TokenView<'_>, question: usize) -> Option<Advice> {
    if !view.are(question, &[Question, Dot]) {
        return None;
    }
    let sentence = "There is no `?.`; use `try(value.name, null)` for attributes that may be missing.";
    let path = || {
        let (start, _) = view.operand_before(question)?;
        let mut text = view.text_of((start, question - 1)).to_owned();
        let (mut at, mut last) = (question, question);
        loop {
            let dot = at + usize::from(view.are(at, &[Question, Dot]));
            last = match view.kind(dot) {
                Dot if view.kind(dot + 1) == Ident => dot + 1,
                OBrack if dot == at && at > question => view.closer(dot)?,
                _ => break,
            };
            text.push_str(view.text_of((dot, last)));
            at = last + 1;
        }
        (last > question).then(|| (view.span(start).to(view.span(last)), format!("try({text}, null)")))
    };
    Some(Advice::new(sentence).maybe(path()))
}

/// A conditional without its colon.
fn arms(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    if matches!(around, Enclosing::For(_)) {
        return None;
    }
    let start = view.item_start(at);
    let question = view.find_inside(start, at, Question)?;
    let complete = view.before(at).is_some_and(|last| last > question && view.ends_operand(last));
    if !complete || view.find_inside(question, at, Colon).is_some() {
        return None;
    }
    let sentence = "A conditional is `condition ? value : other`.";
    match view.kind(at) {
        Comma | Equal | FatArrow if view.begins_operand(at + 1) => {
            Some(Advice::new(sentence).edit(view.span(at), ":"))
        }
        Newline | Eof | CParen | CBrack | CBrace | TemplateSeqEnd => {
            let last = view.before(at)?;
            Some(Advice::new(sentence).edit(end_of(view.span(last)), " : null"))
        }
        _ => None,
    }
}

/// Signs that need their operands.
fn joined(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let before = at.checked_sub(1)?;
    let signs = view.span(before).to(view.span(at));
    let call = |name: &str| {
        let (left, right) = (view.operand_before(before)?, view.operand_from(at + 1)?);
        let alone = view.begins_expression(left.0) && view.ends_expression(right.1 + 1);
        alone.then(|| {
            let span = view.span(left.0).to(view.span(right.1));
            (span, format!("{name}({}, {})", view.text_of(left), view.text_of(right)))
        })
    };
    if view.are(before, &[Question, Question]) || view.are(before, &[Question, Colon]) {
        let sentence = "Use `coalesce(value, other)` for the first value that is not null.";
        return Some(Advice::new(sentence).maybe(call("coalesce")));
    }
    if view.are(before, &[Star, Star]) {
        return Some(Advice::new("Use `pow(base, exponent)` for powers.").maybe(call("pow")));
    }
    if view.are(before, &[Plus, Plus]) {
        let text = if view.begins_operand(at + 1) { "+" } else { "+ 1" };
        return Some(Advice::new("There is no `++`: values do not change.").edit(signs, text));
    }
    if view.are(before, &[Minus, Minus]) && !view.begins_operand(at + 1) {
        return Some(Advice::new("There is no `--`: values do not change.").edit(signs, "- 1"));
    }
    let is_doubled =
        view.kind(before) == view.kind(at) && matches!(view.kind(at), And | Or | EqualOp | NotEqual);
    if is_doubled && view.begins_operand(at + 1) {
        let rest = Span::new(view.span(before).end, view.span(at).end);
        return Some(Advice::new("One operator is between two operands.").edit(rest, ""));
    }
    let has_value = around.minds_newlines() && view.find_inside(view.item_start(at), at, Equal).is_some();
    if view.are(before, &[Minus, GreaterThan]) && !has_value {
        return arrow(around).map(|(text, sentence)| Advice::new(sentence).edit(signs, text));
    }
    if view.kind(at) == Equal
        && view.touches_next(before)
        && matches!(view.kind(before), Plus | Minus | Star | Slash | Percent)
    {
        let sentence = "A value is set once, with `=`; there are no operators that change it.";
        return Some(Advice::new(sentence));
    }
    if view.kind(at) == Percent || view.kind(before) != Percent {
        return None;
    }
    let number = before.checked_sub(1).filter(|&number| view.are(number, &[NumberLit, Percent]))?;
    let span = view.span(number).to(view.span(before));
    Some(Advice::new("Quote a percentage.").edit(span, format!("\"{}\"", span.slice(view.text))))
}

/// Returns the sign that an arrow is written for, by the construct around it.
fn arrow(around: Enclosing) -> Option<(&'static str, &'static str)> {
    match around {
        Enclosing::For(_) => Some(("=>", "Use `=>` between key and value.")),
        Enclosing::Object(_) | Enclosing::File | Enclosing::Block(_) => {
            Some(("=", "Use `=` to set a value."))
        }
        _ => None,
    }
}

/// Single tokens where an operator or an operand is expected.
fn single(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let span = view.span(at);
    let after_operand = view.before(at).is_some_and(|before| view.ends_operand(before));
    match view.kind(at) {
        Equal if after_operand && matches!(around, Enclosing::Call(_) | Enclosing::Tuple(_)) => {
            named(view, at, around)
        }
        Equal if after_operand && compares(view, at, around) && !(at > 0 && view.touches_next(at - 1)) => {
            Some(Advice::new("Use `==` to compare.").edit(span, "=="))
        }
        FatArrow if after_operand && compares(view, at, around) => {
            Some(Advice::new("Use `>=` to compare.").edit(span, ">="))
        }
        Colon if after_operand && matches!(around, Enclosing::Call(_) | Enclosing::Tuple(_)) => {
            named(view, at, around)
        }
        Plus if !after_operand && view.begins_operand(at + 1) => Some(
            Advice::new("Positive numbers have no sign.")
                .edit(Span::new(span.start, view.span(at + 1).start), ""),
        ),
        Dot if !after_operand && view.are(at, &[Dot, NumberLit]) => {
            let text = format!("0{}", view.text_of((at, at + 1)));
            Some(Advice::new("A fraction begins with a digit.").edit(span.to(view.span(at + 1)), text))
        }
        OBrack if at > 0 && view.kind(at - 1) == Dot => {
            Some(Advice::new("An index follows the value directly.").edit(view.span(at - 1), ""))
        }
        OQuote if at > 0 && view.kind(at - 1) == Dot => quoted_attribute(view, at),
        NumberLit if view.slice(at).matches('.').count() > 1 => {
            collections::range(view, at, around).or_else(|| words::not_a_number(view, at))
        }
        _ if at > 1 && view.are(at - 2, &[NumberLit, Dot]) => {
            let number = view.span(at - 2).to(view.span(at - 1));
            let text = format!("{}.0", view.slice(at - 2));
            Some(Advice::new("A fraction has digits behind its dot.").edit(number, text))
        }
        Comma if !after_operand && !around.is_body() => {
            Some(Advice::new("One comma separates two items.").edit(span, ""))
        }
        Colon if after_operand && around.minds_newlines() && view.begins_line(at + 1) => {
            Some(Advice::new("No colon ends a line.").edit(span, ""))
        }
        Newline if at > 0 && around.is_body() => missing_value(view, at),
        _ => None,
    }
}

/// Returns true if a sign between operands can only be a comparison: inside of the value of an argument or
/// item, in parentheses, or in a template.
fn compares(view: TokenView<'_>, at: usize, around: Enclosing) -> bool {
    let start = view.item_start(at);
    match around {
        Enclosing::Parens(_)
        | Enclosing::Interpolation(_)
        | Enclosing::Directive(_)
        | Enclosing::Index(_) => true,
        Enclosing::File | Enclosing::Block(_) | Enclosing::Object(_) => {
            (start..at).any(|before| matches!(view.kind(before), Equal | Colon))
        }
        _ => false,
    }
}

/// `f(name = value)`, `[name = value]`
fn named(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let name = at.checked_sub(1).filter(|&name| view.kind(name) == Ident || view.kind(name) == CQuote)?;
    match around {
        Enclosing::Call(open) if view.begins_expression(name) && view.closer(open).is_some() => {
            let span = Span::new(view.span(name).start, view.span(at + 1).start);
            Some(
                Advice::new("Arguments of a function have no names; their order tells them apart.")
                    .edit(span, ""),
            )
        }
        Enclosing::Tuple(open) => {
            let edit = view.closer(open).map(|close| {
                let inner = view.between(view.span(open).end, view.span(close).start);
                (view.span(open).to(view.span(close)), format!("{{{inner}}}"))
            });
            Some(Advice::new("Keys and values are in braces.").maybe(edit))
        }
        _ => None,
    }
}

/// `a."b"`
fn quoted_attribute(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let close = view.closer(at)?;
    let span = view.span(at - 1).to(view.span(close));
    Some(
        Advice::new("A quoted attribute is in brackets.")
            .edit(span, format!("[{}]", view.text_of((at, close)))),
    )
}

/// `name =` and a value on the next line.
fn missing_value(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let next = view.from(at);
    let begins =
        view.operand_from(next).is_some_and(|(_, last)| matches!(view.kind(last + 1), Newline | Eof))
            && !super::body::begins_item(view, next);
    if view.kind(at - 1) == Equal && !begins && view.kind(next) != OBrace {
        return Some(Advice::new("The value behind `=` is missing."));
    }
    (view.kind(at - 1) == Equal && begins).then(|| {
        let span = Span::new(view.span(at - 1).end, view.span(next).start);
        Advice::new("The value begins on the line of the `=`.").edit(span, " ")
    })
}

/// Returns advice about an operator whose value is missing: `at` is the token in place of the value.
pub(super) fn missing_operand(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let before = at.checked_sub(1)?;
    if !view.is_operator(before) || view.before(before).is_none_or(|value| !view.ends_operand(value)) {
        return None;
    }
    let sign = view.slice(before);
    match view.kind(at) {
        Newline | Eof if around.is_body() => {
            let next = view.from(at);
            let start = view.item_start(at);
            let continues = view.begins_operand(next) && !super::body::begins_item(view, next);
            let has_value = view.kind(start) == Ident && view.kind(start + 1) == Equal;
            if !continues || !has_value {
                return Some(Advice::new(format!("The value behind `{sign}` is missing.")));
            }
            let mut last = view.line_end(next);
            while view.is_operator(last) && view.begins_operand(view.from(last + 1)) {
                last = view.line_end(view.from(last + 1));
            }
            let value = view.span(start + 2).to(view.span(last));
            let sentence = "An expression ends with its line; to continue it, put it in parentheses.";
            Some(Advice::new(sentence).edit(value, format!("({})", value.slice(view.text))))
        }
        _ if view.is_operator(at) && !view.touches_next(before) => {
            Some(Advice::new(format!("The value between `{sign}` and `{}` is missing.", view.slice(at))))
        }
        CParen | CBrack | CBrace | Comma | TemplateSeqEnd | Newline | Eof => {
            Some(Advice::new(format!("The value behind `{sign}` is missing.")))
        }
        _ => None,
    }
}
