//! Compares an expected value with the one that was found.
//!
//! | expected | equals |
//! |---|---|
//! | a number | a number that `==` calls equal, whatever its precision |
//! | a bool, a text | the same bool or text; no other type: `1` is not `"1"` |
//! | a tuple or list | a tuple or list with equal elements, and a set with these elements in any order |
//! | a set | a set with these elements |
//! | an object or map | an object or map with equal members |
//! | null | null of any type |
//! | `{"$unknown" = TYPE}`, `{"$marked" = [..]}`, `{"$number" = TEXT}` | the value that is printed so |
//!
//! These are the types that a literal can have, so that a test file written by `--record` passes.

use hclvm::ingest::Ingest;
use hclvm::show::line;
use hclvm::syntax::is_identifier;
use hclvm::value::{Arena, View, same};
use hclvm::{Json, Limits, Value};

/// Differences that are reported for a path: more of them have usually one reason.
const MOST: usize = 20;

/// A part of a value that is not as expected.
#[derive(Debug)]
pub struct Difference {
    /// The path to the part.
    pub path: String,
    /// The values as text; `None` if there is none.
    pub expected: Option<String>,
    /// See `expected`.
    pub found: Option<String>,
}

/// Returns the differences of a value, which `path` names.
pub fn differences(path: &str, expected: Value<'_>, found: Value<'_>) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare(path, Some(expected), Some(found), &mut differences);
    differences
}

/// Returns true if there are no differences.
pub fn is_equal(expected: Value<'_>, found: Value<'_>) -> bool {
    differences("", expected, found).is_empty()
}

/// Adds the differences of two parts. Recursion is bounded by the depth of values.
fn compare(path: &str, expected: Option<Value<'_>>, found: Option<Value<'_>>, out: &mut Vec<Difference>) {
    if out.len() >= MOST {
        return;
    }
    let differs = match (expected, found) {
        (Some(expected), Some(found)) => match parts(expected, found) {
            Parts::Named => return compare_members(path, expected, found, out),
            Parts::Ordered(expected, found) => {
                for at in 0..expected.len().max(found.len()) {
                    let path = format!("{path}[{at}]");
                    compare(&path, expected.get(at).copied(), found.get(at).copied(), out);
                }
                return;
            }
            Parts::Unordered(expected, found) => return compare_sets(path, expected, found, out),
            Parts::Equal(equal) => !equal,
        },
        _ => true,
    };
    if differs {
        let [expected, found] = match (expected.and_then(Value::as_str), found.and_then(Value::as_str)) {
            (Some(expected), Some(found)) => texts(expected, found).map(Some),
            _ => [expected, found].map(|value| value.map(line)),
        };
        out.push(Difference { path: path.to_owned(), expected, found });
    }
}

/// Characters of equal texts that are shown before the first difference.
const BEFORE: usize = 12;

/// Returns two texts as values are shown. If they are long, they begin shortly before the first difference.
fn texts(expected: &str, found: &str) -> [String; 2] {
    let equal = expected.chars().zip(found.chars()).take_while(|(one, other)| one == other).count();
    let skipped = equal.saturating_sub(BEFORE);
    [expected, found].map(|text| {
        let arena = Arena::new();
        let whole = line(string(&arena, text));
        // A text that is shown as a whole ends with its quote.
        if whole.ends_with('"') || skipped == 0 {
            return whole;
        }
        let rest: String = text.chars().skip(skipped).collect();
        format!("…{}", line(string(&arena, &rest)))
    })
}

fn string<'a>(arena: &'a Arena, text: &str) -> Value<'a> {
    text.ingest(arena).unwrap_or(Value::NULL)
}

/// How two values are compared.
enum Parts<'e, 'f> {
    Named,
    Ordered(&'e [Value<'e>], &'f [Value<'f>]),
    Unordered(&'e [Value<'e>], &'f [Value<'f>]),
    /// As a whole, with the result.
    Equal(bool),
}

fn parts<'e, 'f>(expected: Value<'e>, found: Value<'f>) -> Parts<'e, 'f> {
    if is_notation(expected) {
        let json =
            |value: Value<'_>| serde_json::to_value(Json(value).lenient().within(Limits::untrusted())).ok();
        return Parts::Equal(json(expected) == json(found));
    }
    match (expected.view(), found.view()) {
        (View::Object(_) | View::Map(..), View::Object(_) | View::Map(..)) => Parts::Named,
        (View::Tuple(_) | View::List(..), View::Tuple(_) | View::List(..)) => {
            Parts::Ordered(expected.as_items().unwrap_or_default(), found.as_items().unwrap_or_default())
        }
        (View::Tuple(_) | View::List(..) | View::Set(..), View::Set(..)) => {
            Parts::Unordered(expected.as_items().unwrap_or_default(), found.as_items().unwrap_or_default())
        }
        (View::Null(_), View::Null(_)) => Parts::Equal(true),
        _ => {
            let arena = Arena::new();
            let [expected, found] = [expected, found].map(hclvm::OwnedValue::new);
            Parts::Equal(same(&arena, expected.get(), found.get()))
        }
    }
}

/// The names under which results write values that JSON does not express.
const NOTATION: [&str; 3] = ["$marked", "$number", "$unknown"];

/// Returns true for an object such as `{"$unknown" = "string"}`.
fn is_notation(value: Value<'_>) -> bool {
    matches!(value.view(), View::Object(_))
        && matches!(value.as_entries(), Some([entry]) if NOTATION.contains(&entry.name))
}

fn compare_members(path: &str, expected: Value<'_>, found: Value<'_>, out: &mut Vec<Difference>) {
    let (expected, found) =
        (expected.as_entries().unwrap_or_default(), found.as_entries().unwrap_or_default());
    let mut names: Vec<&str> = expected.iter().chain(found).map(|entry| entry.name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let below = if is_identifier(name) { format!("{path}.{name}") } else { format!("{path}[{name:?}]") };
        let one = expected.iter().find(|entry| entry.name == name).map(|entry| entry.value);
        let other = found.iter().find(|entry| entry.name == name).map(|entry| entry.value);
        compare(&below, one, other, out);
    }
}

/// Compares the elements of sets: those that only one of them has are differences.
fn compare_sets(path: &str, expected: &[Value<'_>], found: &[Value<'_>], out: &mut Vec<Difference>) {
    let has = |items: &[Value<'_>], wanted: Value<'_>| items.iter().any(|item| is_equal(wanted, *item));
    for item in expected.iter().filter(|item| !has(found, **item)) {
        compare(path, Some(*item), None, out);
    }
    for item in found.iter().filter(|item| !expected.iter().any(|wanted| is_equal(*wanted, **item))) {
        compare(path, None, Some(*item), out);
    }
}
