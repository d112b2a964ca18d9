//! Identifiers: which characters begin and continue one.
//!
//! The only file that names unicode-ident. HCL defines an identifier as `ID_Start` followed by
//! `ID_Continue` and `-`; unicode-ident has the XID properties, so the exceptions are listed here.

/// Returns true if `text` is one identifier: a name that may be written before `=`, after `.` or as
/// a block type.
pub fn is_identifier(text: &str) -> bool {
    identifier_length(text) == Some(text.len())
}

/// Returns the length of the identifier at the start of `text`, or `None` if there is none.
pub(crate) fn identifier_length(text: &str) -> Option<usize> {
    let first = text.chars().next().filter(|&first| is_start(first))?;
    Some(first.len_utf8() + continue_length(&text[first.len_utf8()..]))
}

/// Returns the length of the characters at the start of `text` that continue an identifier.
pub(super) fn continue_length(text: &str) -> usize {
    let ascii = text.bytes().take_while(|byte| CONTINUES[usize::from(*byte)]).count();
    match text.as_bytes().get(ascii) {
        Some(byte) if !byte.is_ascii() => {
            let rest = &text[ascii..];
            ascii + rest.find(|c| !is_continue(c)).unwrap_or(rest.len())
        }
        _ => ascii,
    }
}

/// Returns true if `c` begins an identifier.
pub(super) fn is_start(c: char) -> bool {
    c == '_' || unicode_ident::is_xid_start(c) || is_legacy(c)
}

fn is_continue(c: char) -> bool {
    match c {
        '-' => true,
        // The joiners have XID_Continue since Unicode 15.1, but are invisible.
        '\u{200C}' | '\u{200D}' => false,
        _ => unicode_ident::is_xid_continue(c) || is_legacy(c),
    }
}

/// The bytes that continue an identifier on their own: the ASCII part of [`is_continue`]. Indexed by
/// byte, so that a lookup needs no comparison.
pub(super) const CONTINUES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        byte += 1;
    }
    table
};

/// Returns true for the characters that have `ID_Start` but not `XID_Start`.
fn is_legacy(c: char) -> bool {
    matches!(
        c,
        '\u{37A}' | '\u{E33}' | '\u{EB3}' | '\u{309B}' | '\u{309C}' | '\u{FC5E}'
            ..='\u{FC63}'
                | '\u{FDFA}'
                | '\u{FDFB}'
                | '\u{FE70}'
                | '\u{FE72}'
                | '\u{FE74}'
                | '\u{FE76}'
                | '\u{FE78}'
                | '\u{FE7A}'
                | '\u{FE7C}'
                | '\u{FE7E}'
                | '\u{FF9E}'
                | '\u{FF9F}'
    )
}
