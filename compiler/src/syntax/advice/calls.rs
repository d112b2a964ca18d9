//! Calls as other languages write them: methods of values, functions as arguments, and text prefixes.

use super::proposal::Advice;
use super::view::{Enclosing, TokenView};
use crate::syntax::token::TokenKind::*;

/// Methods whose function has another name or another order of arguments: names of methods, and the call of the
/// function, with `{}` for the value and `{1}` for the first argument.
const METHODS: [(&[&str], &str); 16] = [
    (&["includes", "include", "has", "contain"], "contains({}, {1})"),
    (&["length", "len", "size", "count"], "length({})"),
    (&["upper", "uppercase", "toupper", "touppercase", "upcase", "to_upper"], "upper({})"),
    (&["lower", "lowercase", "tolower", "tolowercase", "downcase", "to_lower"], "lower({})"),
    (&["trim", "strip"], "trimspace({})"),
    (&["startswith", "starts_with", "hasprefix"], "startswith({}, {1})"),
    (&["endswith", "ends_with", "hassuffix"], "endswith({}, {1})"),
    (&["replaceall", "gsub", "sub"], "replace({}, {1}, {2})"),
    (&["split"], "split({1}, {})"),
    (&["join"], "join({1}, {})"),
    (&["tostring", "to_s", "to_string", "string"], "tostring({})"),
    (&["indexof"], "index({}, {1})"),
    (&["match", "matches", "test"], "can(regex({1}, {}))"),
    (&["isempty", "is_empty", "empty"], "length({}) == 0"),
    (&["get", "getordefault", "get_or"], "lookup({}, {1}, {2})"),
    (&["append", "push", "extend", "concat"], "concat({}, {1})"),
];

/// Functions of functions: their names, and the `for` expression that has the result, with `{x}` for the
/// variable, `{}` for the list and `{f}` for the body.
const OVER_LISTS: [(&[&str], &str); 4] = [
    (&["map", "select", "transform", "collect"], "[for {x} in {} : {f}]"),
    (&["filter", "where", "find_all"], "[for {x} in {} : {x} if {f}]"),
    (&["any", "some", "exists"], "anytrue([for {x} in {} : {f}])"),
    (&["all", "every"], "alltrue([for {x} in {} : {f}])"),
];

/// The advice about functions that are arguments.
const NO_FUNCTIONS: &str =
    "Functions are not values: write a `for` expression, such as `[for x in list : x if condition]`.";

/// Returns advice about the token `at`, where an expression should end or an argument continue.
pub(super) fn call(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    match view.kind(at) {
        OParen => method(view, at),
        FatArrow => lambda(view, at, around),
        GreaterThan if at > 0 && view.are(at - 1, &[Minus, GreaterThan]) => lambda(view, at - 1, around),
        OQuote => prefix(view, at),
        _ => None,
    }
}

/// `x.contains(y)`: `at` is the parenthesis.
fn method(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let name = at.checked_sub(1).filter(|&name| view.are(name, &[Ident, OParen]))?;
    let dot = name.checked_sub(1).filter(|&dot| view.kind(dot) == Dot)?;
    let (first, _) = view.operand_before(at).filter(|(first, _)| *first < dot)?;
    let receiver = view.text_of((first, dot - 1));
    let method = view.word(name);
    let sentence = "Values have no methods: a function takes the value as an argument.";
    let Some(close) = view.closer(at) else { return Some(Advice::new(sentence)) };
    let span = view.span(first).to(view.span(close));
    if let Some((variable, body)) = function_in(view, at + 1, close) {
        let edit = over_list(method, variable, receiver, body).map(|text| (span, text));
        return Some(Advice::new(NO_FUNCTIONS).maybe(edit));
    }
    let arguments = arguments(view, at, close);
    let own_name = || {
        let all: Vec<&str> = std::iter::once(receiver).chain(arguments.iter().copied()).collect();
        Some(format!("{method}({})", all.join(", ")))
    };
    let edit = named_in(&METHODS, method).map_or_else(own_name, |form| filled(form, receiver, &arguments));
    Some(Advice::new(sentence).maybe(edit.map(|text| (span, text))))
}

/// Fills the arguments into the form of a call. A missing last one is `null`; `None` if the numbers differ
/// otherwise.
fn filled(form: &str, receiver: &str, arguments: &[&str]) -> Option<String> {
    let wanted = (1..=2).filter(|nth| form.contains(&format!("{{{nth}}}"))).count();
    let optional = usize::from(form.starts_with("lookup"));
    if arguments.len() > wanted || arguments.len() + optional < wanted {
        return None;
    }
    let nth = |nth: usize| arguments.get(nth).copied().unwrap_or("null");
    Some(form.replace("{1}", nth(0)).replace("{2}", nth(1)).replace("{}", receiver))
}

/// Returns the texts of the arguments between two parentheses.
fn arguments(view: TokenView<'_>, open: usize, close: usize) -> Vec<&str> {
    let mut found = Vec::new();
    let mut first = view.from(open + 1);
    while first < close {
        let end = view.find_inside(first, close, Comma).unwrap_or(close);
        found.extend(view.before(end).filter(|last| *last >= first).map(|last| view.text_of((first, last))));
        first = view.from(end + 1);
    }
    found
}

/// Returns the entry of a table that has a name.
fn named_in<'t>(table: &[(&[&str], &'t str)], name: &str) -> Option<&'t str> {
    let name = name.to_ascii_lowercase();
    table.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, form)| *form)
}

/// `filter(list, x => x > 1)`, `map(x -> x + 1, list)`: `at` is the arrow.
fn lambda(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let advice = Advice::new(NO_FUNCTIONS);
    let Enclosing::Call(open) = around else {
        let parameter =
            at.checked_sub(3).filter(|&open| view.are_in_order(open, &[OParen, Ident, CParen]))?;
        return view.begins_expression(parameter).then_some(advice);
    };
    let (Some(name), Some(close)) = (open.checked_sub(1), view.closer(open)) else { return Some(advice) };
    let comma = view.find_inside(open + 1, close, Comma).filter(|comma| *comma < at);
    let edit = comma.and_then(|comma| {
        let (variable, body) = function_in(view, comma + 1, close)?;
        let text = over_list(view.word(name), variable, view.text_of((open + 1, comma - 1)), body)?;
        Some((view.span(name).to(view.span(close)), text))
    });
    Some(advice.maybe(edit))
}

/// Returns the variable and the body of a function such as `x => x > 1` that fills the range before `close`.
fn function_in(view: TokenView<'_>, first: usize, close: usize) -> Option<(&str, &str)> {
    let first = view.from(first);
    let (variable, arrow) = match view.kind(first) {
        Ident => (first, first + 1),
        OParen if view.kind(first + 2) == CParen => (first + 1, first + 3),
        _ => return None,
    };
    let length = match view.kind(arrow) {
        FatArrow => 1,
        Minus if view.are(arrow, &[Minus, GreaterThan]) => 2,
        _ => return None,
    };
    let (body, last) = (arrow + length, view.before(close)?);
    let is_one = view.find_inside(body, close, Comma).is_none();
    (is_one && body <= last).then(|| (view.word(variable), view.text_of((body, last))))
}

fn over_list(function: &str, variable: &str, list: &str, body: &str) -> Option<String> {
    let form = named_in(&OVER_LISTS, function)?;
    Some(form.replace("{x}", variable).replace("{f}", body).replace("{}", list))
}

/// `f"text {x}"`, `r"text"`: `at` is the quote.
fn prefix(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let word = at.checked_sub(1).filter(|&word| view.are(word, &[Ident, OQuote]))?;
    let is_prefix =
        matches!(view.word(word).to_ascii_lowercase().as_str(), "f" | "r" | "b" | "u" | "fr" | "rf");
    let close = view.closer(at).filter(|_| is_prefix && view.begins_expression(word))?;
    let text = view.text_of((at, close));
    let inserts = view.word(word).to_ascii_lowercase().contains('f') && !text.contains("${");
    let text = if inserts { text.replace('{', "${") } else { text.to_owned() };
    let sentence = "Strings have no prefix; `${name}` in a string inserts a value.";
    Some(Advice::new(sentence).edit(view.span(word).to(view.span(close)), text))
}
