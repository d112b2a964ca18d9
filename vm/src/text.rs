//! Unicode: normal form C, grapheme clusters and their width, and the prefix of a text that no continuation
//! can change.
//!
//! This is the only file of the crate that names the crates with Unicode's tables. Strings as values are
//! in [`value`](crate::Value).

pub(crate) mod foreign;
pub(crate) mod suggest;

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_stream_safe_quick};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::memory::arena::Arena;

/// Returns `text` in normal form C, which every string of the language is in. Texts in that form are
/// returned unchanged. Runs of more than 30 combining marks are broken by a joiner, as the stream-safe
/// format requires.
#[inline]
pub fn nfc<'a>(arena: &'a Arena, text: &'a str) -> &'a str {
    if is_ascii(text.as_bytes()) { text } else { nfc_of_any(arena, text) }
}

/// Returns true if all bytes are ASCII. Most texts here are shorter than a block of the standard
/// library's `is_ascii`, which checks the remainder byte by byte.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let (words, rest) = bytes.as_chunks::<8>();
    let all = words.iter().fold(0, |all, word| all | u64::from_le_bytes(*word));
    let end = match bytes.last_chunk::<8>() {
        // The last word may overlap the words before it.
        Some(last) => u64::from_le_bytes(*last),
        None => rest.iter().fold(0, |all, byte| all | u64::from(*byte)),
    };
    (all | end) & HIGH == 0
}

fn nfc_of_any<'a>(arena: &'a Arena, text: &'a str) -> &'a str {
    if is_nfc_stream_safe_quick(text.chars()) == IsNormalized::Yes {
        return text;
    }
    // Composition makes a text at most three times as long.
    if !arena.has_room(text.len().saturating_mul(3)) {
        return "";
    }
    let mut normal = arena.string();
    normal.extend(text.chars().stream_safe().nfc());
    normal.into_bump_str()
}

/// Returns the code points of `text` in normal form C, for names that are kept outside of an arena. Unlike
/// [`nfc`], it inserts no joiners into long runs of combining marks.
pub fn nfc_code_points(text: &str) -> impl Iterator<Item = char> {
    text.nfc()
}

/// Returns the extended grapheme clusters of `text`: characters as readers count them.
pub fn characters(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.graphemes(true)
}

/// Returns the number of columns that `text` takes in a terminal: two for most characters of Chinese,
/// Japanese and Korean and for most emoji, none for combining marks.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The length in bytes at which known prefixes of unknown strings are cut, as in the reference.
const PREFIX_BYTES: usize = 128;

/// Characters that end a grapheme cluster whatever follows, among those that often precede an
/// interpolation. There are others; these are the ones that the reference promises.
const TERMINATORS: &[char] = &[
    '-', '_', ':', ';', '/', '\\', ',', '.', '(', ')', '{', '}', '[', ']', '|', '?', '!', '~', ' ', '\t',
    '@', '#', '$', '%', '^', '&', '*', '+', '"', '\'',
];

/// Returns the prefix of `text` that stays the same whatever text follows: all but the last grapheme
/// cluster, which later characters may change, and at most 128 bytes. If no character is open to
/// composition, the prefix also ends before the first line break.
pub fn stable_prefix<'a>(arena: &'a Arena, text: &'a str) -> &'a str {
    let mut cut = text.len().min(PREFIX_BYTES);
    let whole = text.is_char_boundary(cut);
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    let prefix = nfc(arena, text.get(..cut).unwrap_or_default());
    let end = match start_of_open_end(prefix) {
        Some(start) => start,
        // A cut within a character moves to its start.
        None if !whole => prefix.len(),
        None => end_of_clusters(prefix),
    };
    prefix.get(..end).unwrap_or_default()
}

/// Returns the end of the grapheme clusters that are certainly complete.
fn end_of_clusters(text: &str) -> usize {
    let (mut end, mut next) = (0, 0);
    for cluster in characters(text) {
        if matches!(cluster, "\n" | "\r") {
            return next;
        }
        next += cluster.len();
        if is_terminator(cluster) || next < text.len() {
            end = next;
        }
    }
    end
}

fn is_terminator(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    chars.next().is_some_and(|c| TERMINATORS.contains(&c)) && chars.next().is_none()
}

/// Returns the start of the last sequence that later characters could join by composition or reordering,
/// `None` if the text ends in a character that takes part in neither.
fn start_of_open_end(text: &str) -> Option<usize> {
    let last = text.chars().next_back()?;
    if is_inert(last) {
        return None;
    }
    text.char_indices().rev().find(|(_, c)| canonical_combining_class(*c) == 0).map(|(at, _)| at)
}

/// Returns true if normalization never changes the character: it neither composes nor decomposes.
fn is_inert(c: char) -> bool {
    if c.is_ascii() {
        return !matches!(c, 'A'..='Z' | 'a'..='z' | '<' | '=' | '>') || matches!(c, 'Q' | 'q');
    }
    let mut decomposes = false;
    decompose_canonical(c, |part| decomposes |= part != c);
    !decomposes
        && canonical_combining_class(c) == 0
        && !SECOND_OF_PAIR.contains(&c)
        && !is_jamo(c)
        && !SECOND_OF_PAIR.iter().any(|second| compose(c, *second).is_some())
}

const fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{1112}' | '\u{1161}'..='\u{1175}' | '\u{11A8}'..='\u{11C2}')
}

/// The characters that compose with a preceding one, besides those of Hangul.
const SECOND_OF_PAIR: &[char] = &[
    '\u{0300}',
    '\u{0301}',
    '\u{0302}',
    '\u{0303}',
    '\u{0304}',
    '\u{0306}',
    '\u{0307}',
    '\u{0308}',
    '\u{0309}',
    '\u{030A}',
    '\u{030B}',
    '\u{030C}',
    '\u{030F}',
    '\u{0311}',
    '\u{0313}',
    '\u{0314}',
    '\u{031B}',
    '\u{0323}',
    '\u{0324}',
    '\u{0325}',
    '\u{0326}',
    '\u{0327}',
    '\u{0328}',
    '\u{032D}',
    '\u{032E}',
    '\u{0330}',
    '\u{0331}',
    '\u{0338}',
    '\u{0342}',
    '\u{0345}',
    '\u{0653}',
    '\u{0654}',
    '\u{0655}',
    '\u{093C}',
    '\u{09BE}',
    '\u{09D7}',
    '\u{0B3E}',
    '\u{0B56}',
    '\u{0B57}',
    '\u{0BBE}',
    '\u{0BD7}',
    '\u{0C56}',
    '\u{0CC2}',
    '\u{0CD5}',
    '\u{0CD6}',
    '\u{0D3E}',
    '\u{0D57}',
    '\u{0DCA}',
    '\u{0DCF}',
    '\u{0DDF}',
    '\u{102E}',
    '\u{1B35}',
    '\u{3099}',
    '\u{309A}',
    '\u{110BA}',
    '\u{11127}',
    '\u{1133E}',
    '\u{11357}',
    '\u{113B8}',
    '\u{113BB}',
    '\u{113C2}',
    '\u{113C9}',
    '\u{114B0}',
    '\u{114BA}',
    '\u{114BD}',
    '\u{115AF}',
    '\u{11930}',
    '\u{1611E}',
    '\u{1611F}',
    '\u{16120}',
    '\u{16129}',
    '\u{16D67}',
];
