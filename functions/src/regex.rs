//! Regular expressions: `regex`, `regexall`, `regex_replace`, and `replace` of OpenTofu.
//!
//! The language of patterns is RE2's, see [`syntax`]; matching is linear in the text. The type of
//! a result follows from the groups of the pattern:
//!
//! | groups | a match is |
//! |---|---|
//! | none | the matched text |
//! | without names | a tuple of the groups' texts |
//! | with names | an object of the groups' texts |
//!
//! A group that takes no part in a match is null.

mod pattern;
mod replace;
mod syntax;

use std::sync::Arc;

use hclvm_vm::{Arena, CallError, Function, Type, Value};

use super::arguments::{CallResult, TypeResult, get, list_type, may_make_items, string, text_of};
use super::text_builder::TextBuilder;
use pattern::{Pattern, PatternHandle, Patterns};

/// `regex(pattern, string)`: the first match.
pub(crate) fn regex() -> Function {
    of_patterns(
        0,
        |text| Some(text),
        |patterns| {
            let rule = Arc::clone(&patterns);
            Function::new("regex", ["pattern", "string"].map(string), Type::Dynamic, move |arena, args, _| {
                let Some(pattern) = blamed(&patterns, arena, args)? else { return Ok(Value::DYNAMIC) };
                first(arena, &pattern, text_of(args, 1))
            })
            .typed(move |arena, args| match_type(&rule, arena, args))
        },
    )
}

/// `regexall(pattern, string)`: all matches, from left to right.
pub(crate) fn regexall() -> Function {
    of_patterns(
        0,
        |text| Some(text),
        |patterns| {
            let rule = Arc::clone(&patterns);
            Function::new(
                "regexall",
                ["pattern", "string"].map(string),
                Type::Dynamic,
                move |arena, args, _| {
                    let Some(pattern) = blamed(&patterns, arena, args)? else { return Ok(Value::DYNAMIC) };
                    Ok(all(arena, &pattern, text_of(args, 1)))
                },
            )
            .typed(move |arena, args| Ok(list_type(arena, match_type(&rule, arena, args)?)))
        },
    )
}

/// `regex_replace(str, pattern, replace)`: `$1`, `${1}` and `${name}` insert groups.
pub(crate) fn regex_replace() -> Function {
    of_patterns(
        1,
        |text| Some(text),
        |patterns| {
            let parameters = ["str", "pattern", "replace"].map(string);
            Function::new("regex_replace", parameters, Type::String, move |arena, args, _| {
                let [text, pattern, replacement] = [0, 1, 2].map(|index| text_of(args, index));
                replaced(&patterns, arena, text, pattern, replacement)
            })
        },
    )
}

/// `replace(str, substr, replace)` of OpenTofu: like `regex_replace` if `substr` is a pattern between slashes, else
/// literal.
pub(crate) fn replace_of_opentofu() -> Function {
    of_patterns(1, between_slashes, |patterns| {
        let parameters = ["str", "substr", "replace"].map(string);
        Function::new("replace", parameters, Type::String, move |arena, args, _| {
            let [text, wanted, replacement] = [0, 1, 2].map(|index| text_of(args, index));
            match between_slashes(wanted) {
                Some(pattern) => replaced(&patterns, arena, text, pattern, replacement),
                None => Ok(super::text::replaced(arena, text, wanted, replacement)),
            }
        })
    })
}

/// Returns the pattern between slashes.
fn between_slashes(text: &str) -> Option<&str> {
    text.strip_prefix('/')?.strip_suffix('/')
}

/// Creates a function by what makes it for patterns. Where the argument at `index` is a constant, the pattern in it is
/// compiled with the program.
fn of_patterns(
    index: usize,
    pattern_in: fn(&str) -> Option<&str>,
    make: fn(Arc<Patterns>) -> Function,
) -> Function {
    let patterns = Arc::new(Patterns::default());
    make(Arc::clone(&patterns)).preparing(move |texts| {
        let pattern = pattern_in(texts.get(index).copied().flatten()?)?;
        Some(make(Arc::new(patterns.prepared(pattern)?)))
    })
}

/// Returns a text with all matches of a pattern replaced.
fn replaced<'a>(
    patterns: &Patterns,
    arena: &'a Arena,
    text: &str,
    pattern: &str,
    replacement: &str,
) -> CallResult<'a> {
    let pattern = patterns.get(arena, pattern).map_err(CallError::new)?;
    let paid = |pattern: &PatternHandle<'_>| {
        arena.charge(replacement.len() as u64) && pattern.pay_search(arena, text)
    };
    let Some(pattern) = pattern.filter(paid) else {
        return Ok(Value::DYNAMIC);
    };
    let mut out = TextBuilder::new(arena);
    replace::write(&mut out, &pattern, text, replacement);
    Ok(out.value())
}

/// Returns the pattern in the first argument; `None` if the budget is exhausted.
fn blamed<'p>(
    patterns: &'p Patterns,
    arena: &Arena,
    args: &[Value<'_>],
) -> Result<Option<PatternHandle<'p>>, CallError> {
    patterns.get(arena, text_of(args, 0)).map_err(|why| CallError::argument(0, why))
}

/// Returns the type of a match, which an unknown pattern leaves open.
fn match_type<'a>(patterns: &Patterns, arena: &'a Arena, args: &[Value<'a>]) -> TypeResult<'a> {
    if !get(args, 0).is_known() {
        return Ok(Type::Dynamic);
    }
    let pattern = blamed(patterns, arena, args)?;
    pattern.map_or(Ok(Type::Dynamic), |pattern| {
        pattern.match_type(arena).map_err(|why| CallError::argument(0, why))
    })
}

fn first<'a>(arena: &'a Arena, pattern: &Pattern, text: &'a str) -> CallResult<'a> {
    if !pattern.pay_search(arena, text) {
        return Ok(Value::DYNAMIC);
    }
    let no_match = || CallError::new("no part of the string matches the pattern");
    pattern.first_match(arena, text).ok_or_else(no_match)
}

fn all<'a>(arena: &'a Arena, pattern: &Pattern, text: &'a str) -> Value<'a> {
    let Ok(element) = pattern.match_type(arena) else { return Value::DYNAMIC };
    let mut items = arena.list();
    if !pattern.pay_search(arena, text) {
        return Value::DYNAMIC;
    }
    for groups in pattern.regex.captures_iter(text) {
        let left = text.len() - groups.get(0).map_or(0, |whole| whole.end());
        if !may_make_items(arena, pattern.groups.len() + 1) || !pattern.pay_next(arena, left) {
            return Value::DYNAMIC;
        }
        items.push(pattern.match_value(arena, text, &groups));
    }
    Value::list(arena, items.into_bump_slice(), element)
}
