//! Unicode facts about texts: normal form C, grapheme clusters, stable prefixes.

use crate::arena::Arena;

/// `text` in normal form C.
pub fn nfc<'a>(arena: &'a Arena, text: &'a str) -> &'a str {
    let _ = arena;
    text
}

/// The part of the beginning `text` of a longer text that nothing behind it can change.
pub fn stable_prefix<'a>(arena: &'a Arena, text: &'a str) -> &'a str {
    let _ = arena;
    text
}
