//! What to write instead of a mistake in JSON: comments, quotes, commas, numbers and words as other formats have
//! them.

use hclvm_vm::{Diagnostic, Span, cast, codes, literal_meant, nearest};

use super::token::is_number;

/// Adds the change that solves a problem of a text, if its place shows it.
pub(super) fn advised(text: &str, problem: Diagnostic) -> Diagnostic {
    let Some(place) = problem.subject else { return problem };
    let found = place.slice(text);
    let code = problem.code();
    if code == codes::JSON_TRAILING_COMMA {
        problem.replacement(place, "")
    } else if code == codes::JSON_MISSING_COLON && found == "=" {
        problem.replacement(place, ":")
    } else if code == codes::JSON_INVALID_NUMBER {
        match number_meant(found) {
            Some(number) => problem.replacement(place, number),
            None => problem,
        }
    } else if code == codes::JSON_UNKNOWN_WORD {
        word(text, problem, place)
    } else if code == codes::JSON_INVALID_VALUE {
        value(text, problem, place)
    } else {
        problem
    }
}

/// Returns the number that a text such as `+1`, `.5` or `01` means.
fn number_meant(found: &str) -> Option<String> {
    let digits = found.trim_start_matches('+');
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let digits = digits.trim_start_matches('0').trim_end_matches('.');
    let zero = if digits.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    let number = format!("{sign}{zero}{digits}");
    is_number(&number).then_some(number)
}

/// A word: a name without quotes, or a literal of another language.
fn word(text: &str, problem: Diagnostic, place: Span) -> Diagnostic {
    let word = place.slice(text);
    let rest = text.get(cast::index(place.end)..).unwrap_or_default();
    if rest.trim_start().starts_with(':') {
        return problem.replacement(place, format!("\"{word}\""));
    }
    let meant = literal_meant(word).or_else(|| nearest(word, ["true", "false", "null"]));
    let meant = if matches!(word, "NaN" | "Infinity") { Some("null") } else { meant };
    match meant {
        Some(meant) => problem.replacement(place, meant),
        None => problem.replacement(place, format!("\"{word}\"")),
    }
}

/// A character that begins no value: of a comment, or of a string in other quotes.
fn value(text: &str, mut problem: Diagnostic, place: Span) -> Diagnostic {
    let rest = text.get(cast::index(place.start)..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    let to = |length: usize| Span::new(place.start, place.start + cast::length(length));
    if line.starts_with("//") || line.starts_with('#') || line.starts_with("/*") {
        problem.detail.to_mut().push_str(" JSON has no comments.");
        let length = match rest.strip_prefix("/*") {
            Some(inner) => inner.find("*/").map_or(line.len(), |end| end + 4),
            None => line.len(),
        };
        return problem.replacement(to(length), "");
    }
    let Some(inner) = line.strip_prefix('\'') else { return problem };
    match inner.split_once('\'') {
        Some((content, _)) if !content.contains(['"', '\\']) => {
            problem.replacement(to(content.len() + 2), format!("\"{content}\""))
        }
        _ => problem,
    }
}

/// Adds the comma that is missing before the token at `next`.
pub(super) fn comma_before(text: &str, problem: Diagnostic, next: Span) -> Diagnostic {
    let before = text.get(..cast::index(next.start)).unwrap_or_default();
    let end = cast::length(before.trim_end().len());
    problem.label(next, "a comma is missing before this").replacement(Span::new(end, end), ",")
}
