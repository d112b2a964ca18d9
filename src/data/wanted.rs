//! What a type accepts, in the words of configuration: `a whole number from 0 to 65535`, not `u16`.
//!
//! Serde shows a type's expectation only as a text, which for the types of the standard library and for
//! derived ones names the Rust type. These texts are translated; those that a type writes itself are kept.

use std::fmt;

use hclvm_vm::{listed, nearest};
use serde::de::Expected;

/// Displays what a type expects.
pub(crate) struct ExpectedType<'w>(pub(crate) &'w dyn Expected);

impl fmt::Display for ExpectedType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_words(&self.0.to_string()))
    }
}

/// Translates the expectation of a type.
fn in_words(expected: &str) -> String {
    if let Some((least, most)) = expected.strip_prefix("a nonzero ").and_then(range) {
        let least = if least == "0" { "1".to_owned() } else { least };
        let zero = if least.starts_with('-') { ", but not 0" } else { "" };
        return format!("a whole number from {least} to {most}{zero}");
    }
    if let Some((least, most)) = range(expected) {
        return format!("a whole number from {least} to {most}");
    }
    let words = match expected {
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "str" | "string" | "a borrowed string" => "a string",
        "a character" => "a string of one character",
        "a sequence" | "a byte array" | "byte array" => "a list",
        "a map" => "an object",
        "unit" => "null",
        "option" | "Option" => "a value or null",
        "any value" => "a value",
        "path string" => "a path",
        _ => return of_type(expected),
    };
    words.to_owned()
}

/// Translates the expectation of a derived type, which begins with its kind.
fn of_type(expected: &str) -> String {
    let words: Vec<&str> = expected.split(' ').collect();
    match words.as_slice() {
        [.., "with", count, "element" | "elements"] | [.., "of", "size" | "length", count] => {
            format!("a list of {count} elements")
        }
        ["tuple", "struct" | "variant", ..] => "a list".to_owned(),
        ["unit", "struct", _] => "null".to_owned(),
        ["struct", ..] => "an object".to_owned(),
        ["enum", _] => "a name, or an object with one attribute".to_owned(),
        _ => expected.to_owned(),
    }
}

/// Returns the range of an integer type by its name.
fn range(name: &str) -> Option<(String, String)> {
    macro_rules! ranges {
        ($($ty:ident)*) => {
            match name {
                $(stringify!($ty) => Some(($ty::MIN.to_string(), $ty::MAX.to_string())),)*
                _ => None,
            }
        };
    }
    ranges!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize)
}

/// Returns the sentence about a name that is none of `known`: the nearest one, or all that exist.
pub(crate) fn instead(name: &str, known: &[&str]) -> String {
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("; did you mean {near:?}?");
    }
    match known {
        [] => String::new(),
        _ => format!("; there are {}", listed(known)),
    }
}

/// Describes an object with the attributes that a struct has.
pub(crate) fn object_with(fields: &[&str]) -> String {
    match fields {
        [] => "an object".to_owned(),
        [only] => format!("an object with the attribute {only}"),
        _ => format!("an object with the attributes {}", listed(fields)),
    }
}

/// Describes a choice of names.
pub(crate) fn one_of(variants: &[&str]) -> String {
    if let [only] = variants {
        return format!("{only:?}");
    }
    let quoted: Vec<String> = variants.iter().map(|name| format!("{name:?}")).collect();
    format!("one of {}", listed(&quoted))
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn types_of_rust_are_told_in_words() {
        for (expected, words) in [
            ("u16", "a whole number from 0 to 65535"),
            ("i8", "a whole number from -128 to 127"),
            ("a nonzero u8", "a whole number from 1 to 255"),
            ("a nonzero i8", "a whole number from -128 to 127, but not 0"),
            ("f64", "a number"),
            ("a boolean", "true or false"),
            ("struct Service", "an object"),
            ("tuple struct Pair with 2 elements", "a list of 2 elements"),
            ("a tuple of size 3", "a list of 3 elements"),
            ("an even number", "an even number"),
        ] {
            assert_eq!(in_words(expected), words);
        }
    }
}
