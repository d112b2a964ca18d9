//! Replacement texts: `$name` and `${name}` insert groups by number or name, `$$` a dollar sign.

use super::pattern::{Captures, Pattern};
use crate::text_builder::TextBuilder;

/// A piece of a replacement.
#[derive(Debug, PartialEq)]
enum ReplacementPiece<'t> {
    Text(&'t str),
    Group(&'t str),
}

/// Writes a text with every match replaced.
pub(super) fn write(out: &mut TextBuilder<'_>, pattern: &Pattern, text: &str, replacement: &str) {
    let pieces = pieces(replacement);
    let mut from = 0;
    for groups in pattern.regex.captures_iter(text) {
        let Some(whole) = groups.get(0) else { continue };
        let fits = pattern.pay_next(out.arena(), text.len() - whole.end())
            && out.arena().charge(pieces.len() as u64)
            && out.push(text.get(from..whole.start()).unwrap_or_default())
            && pieces.iter().all(|piece| out.push(expanded(piece, pattern, &groups)));
        if !fits {
            return;
        }
        from = whole.end();
    }
    out.push(text.get(from..).unwrap_or_default());
}

fn expanded<'t>(piece: &ReplacementPiece<'t>, pattern: &Pattern, groups: &Captures<'t>) -> &'t str {
    match piece {
        ReplacementPiece::Text(text) => text,
        ReplacementPiece::Group(name) => group(name, pattern, groups).unwrap_or_default(),
    }
}

/// What a group matched; the first of several with one name that took part.
fn group<'t>(name: &str, pattern: &Pattern, groups: &Captures<'t>) -> Option<&'t str> {
    let is_number = name.bytes().all(|c| c.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    if is_number {
        return groups.get(name.parse().ok()?).map(|found| found.as_str());
    }
    let named = pattern.groups.iter().enumerate().filter(|(_, other)| other.as_deref() == Some(name));
    named.filter_map(|(index, _)| groups.get(index + 1)).map(|found| found.as_str()).next()
}

fn pieces(replacement: &str) -> Vec<ReplacementPiece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = replacement;
    while let Some((before, after)) = rest.split_once('$') {
        pieces.push(ReplacementPiece::Text(before));
        let (piece, after) = match reference(after) {
            Some((name, after)) => (ReplacementPiece::Group(name), after),
            None => (ReplacementPiece::Text("$"), after.strip_prefix('$').unwrap_or(after)),
        };
        pieces.push(piece);
        rest = after;
    }
    pieces.push(ReplacementPiece::Text(rest));
    pieces
}

/// Returns the name after a dollar sign, in braces or as long as possible, and the rest of the text.
fn reference(text: &str) -> Option<(&str, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (name, rest) = match text.strip_prefix('{') {
        Some(inner) => inner.split_once('}')?,
        None => text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len())),
    };
    (!name.is_empty() && name.chars().all(is_part)).then_some((name, rest))
}
