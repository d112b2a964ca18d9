//! Upper, lower and title case, one character for one: `ß` has no upper case here.

use hclvm_vm::{Arena, Function, Intrinsic, TextOperation, Type, Value};

use super::made;
use crate::arguments::{may_make_text, of_unknown_type, string, text_of};

/// `upper(str)`
pub(crate) fn upper() -> Function {
    Function::new("upper", [of_unknown_type(string("str"))], Type::String, |arena, args, _| {
        Ok(mapped(arena, text_of(args, 0), upper_of))
    })
    .inline(|arena, args| text_to_copy(arena, args)?.to_ascii_upper(arena))
    .intrinsic(Intrinsic::OfText(TextOperation::Upper))
}

/// `lower(str)`
pub(crate) fn lower() -> Function {
    Function::new("lower", [of_unknown_type(string("str"))], Type::String, |arena, args, _| {
        Ok(mapped(arena, text_of(args, 0), lower_of))
    })
    .inline(|arena, args| text_to_copy(arena, args)?.to_ascii_lower(arena))
    .intrinsic(Intrinsic::OfText(TextOperation::Lower))
}

/// Charges for a copy of the only argument and returns it, if it is a short text.
fn text_to_copy<'a>(arena: &'a Arena, args: &[Value<'a>]) -> Option<Value<'a>> {
    let [text] = args else { return None };
    let length = text.as_short_text()?.len();
    arena.spend(length as u64).then_some(*text)
}

/// `title(str)`: the first character of every word.
pub(crate) fn title() -> Function {
    Function::new("title", [string("str")], Type::String, |arena, args, _| {
        let mut previous = ' ';
        Ok(mapped(arena, text_of(args, 0), move |c| {
            let starts = separates(std::mem::replace(&mut previous, c));
            if starts { title_of(c) } else { c }
        }))
    })
}

fn mapped<'a>(arena: &'a Arena, text: &'a str, mut map: impl FnMut(char) -> char) -> Value<'a> {
    if !may_make_text(arena, text.len()) {
        return Value::DYNAMIC;
    }
    let mut result = arena.string();
    result.reserve(text.len());
    result.extend(text.chars().map(&mut map));
    made(arena, result.into_bump_str())
}

/// Returns the upper case that is one character, as Go's unicode.ToUpper does. Where the standard
/// library has only a longer one, Greek letters with iota have a title case form instead.
fn upper_of(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_uppercase();
    }
    match c {
        '\u{1F80}'..='\u{1F87}' | '\u{1F90}'..='\u{1F97}' | '\u{1FA0}'..='\u{1FA7}' => {
            char::from_u32(u32::from(c) + 8).unwrap_or(c)
        }
        '\u{1FB3}' | '\u{1FC3}' | '\u{1FF3}' => char::from_u32(u32::from(c) + 9).unwrap_or(c),
        _ => single(c.to_uppercase()).unwrap_or(c),
    }
}

/// Returns the lower case that is one character. Only `İ` has a longer one in the standard library.
fn lower_of(c: char) -> char {
    match c {
        _ if c.is_ascii() => c.to_ascii_lowercase(),
        'İ' => 'i',
        _ => single(c.to_lowercase()).unwrap_or(c),
    }
}

/// Returns the title case. It differs from the upper case for Latin digraphs, which have title case
/// forms, and for Georgian letters, which have none.
fn title_of(c: char) -> char {
    match c {
        '\u{01C4}'..='\u{01C6}' => '\u{01C5}',
        '\u{01C7}'..='\u{01C9}' => '\u{01C8}',
        '\u{01CA}'..='\u{01CC}' => '\u{01CB}',
        '\u{01F1}'..='\u{01F3}' => '\u{01F2}',
        '\u{10D0}'..='\u{10FA}' | '\u{10FD}'..='\u{10FF}' => c,
        _ => upper_of(c),
    }
}

fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next();
    if chars.next().is_some() { None } else { first }
}

/// Returns true if a word may start after this character.
fn separates(c: char) -> bool {
    if c.is_ascii() { !c.is_ascii_alphanumeric() && c != '_' } else { c.is_whitespace() }
}
