//! The values of a decision whose host has them as JSON: the text without blanks and without what is masked. Numbers
//! and strings are logged as they were written.
//!
//! The text is checked first, and read once more by [`Text`], which relies on it. One pass that builds values would
//! take several times as long, and the thread that writes shares processors with those that decide.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use crate::mask::{MASKED, Segment, below, separate};

/// What is logged in place of a text that is not a JSON object.
const OMITTED: &str = "{\"$omitted\":\"not a JSON object\"}";

/// Appends an object.
pub(crate) fn append(text: &str, masks: &[&[Segment]], out: &mut String) {
    // The scopes of policies also skip a byte order mark.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let is_object = text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok();
    if is_object {
        Text(&with_whole_pairs(text)).value(masks, out);
    } else {
        out.push_str(OMITTED);
    }
}

/// Returns valid JSON with `\ufffd` in place of escapes that are half of a surrogate pair: many readers of the log would
/// refuse the line.
fn with_whole_pairs(text: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok()
    };
    let (mut whole, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        match unit(at) {
            Some(0xD800..0xDC00) if matches!(unit(at + 6), Some(0xDC00..0xE000)) => at += 6,
            Some(0xD800..0xE000) => {
                whole.push_str(&text[copied..at]);
                whole.push_str("\\ufffd");
                copied = at + 6;
            }
            _ => {}
        }
        // The backslash, and what may be another one.
        at += 2;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    whole.push_str(&text[copied..]);
    Cow::Owned(whole)
}

/// Valid JSON, of which a part has been read.
struct Text<'t>(&'t str);

impl<'t> Text<'t> {
    /// Appends the next value. The recursion is bounded by the names of the longest mask.
    fn value(&mut self, masks: &[&[Segment]], out: &mut String) {
        let is_object = match self.token() {
            Some(b'{') if !masks.is_empty() => true,
            Some(b'[') if !masks.is_empty() => false,
            _ => return append_compact(self.whole(), out),
        };
        let mut elements = 0_usize;
        out.push_str(self.take(1));
        while let Some(byte) = self.token() {
            match byte {
                b'}' | b']' => {
                    out.push_str(self.take(1));
                    return;
                }
                b',' => {
                    self.take(1);
                }
                _ => {
                    separate(out);
                    let name = if is_object { self.member(out) } else { Some(elements.to_string().into()) };
                    elements += 1;
                    // Nothing is known of a name that is no text.
                    if let Some(masks) = name.and_then(|name| below(masks, &name)) {
                        self.value(&masks, out);
                    } else {
                        self.whole();
                        out.push_str(MASKED);
                    }
                }
            }
        }
    }

    /// Appends the name of the next member with its colon, and returns it without escapes; `None` if it is no text.
    fn member(&mut self, out: &mut String) -> Option<Cow<'t, str>> {
        let name = self.take(length_of_string(self.0));
        out.push_str(name);
        self.token();
        out.push_str(self.take(1));
        // Only a name with escapes cannot be borrowed.
        serde_json::from_str(name)
            .map(Cow::Borrowed)
            .or_else(|_| serde_json::from_str(name).map(Cow::Owned))
            .ok()
    }

    /// Reads a value.
    fn whole(&mut self) -> &'t str {
        self.token();
        self.take(length_of_value(self.0))
    }

    /// Skips blanks, and returns the first byte behind them.
    fn token(&mut self) -> Option<u8> {
        self.0 = self.0.trim_ascii_start();
        self.0.as_bytes().first().copied()
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.0.split_at_checked(length).unwrap_or((self.0, ""));
        self.0 = rest;
        taken
    }
}

/// Returns the length of the value that a text begins with. A blank, a comma or a bracket follows it, or nothing.
fn length_of_value(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                at += length_of_string(text.get(at..).unwrap_or_default());
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Returns the length of the string that a text begins with, with its quotes.
fn length_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Appends a value without the blanks between its tokens, among which are line breaks.
fn append_compact(json: &str, out: &mut String) {
    if !json.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return out.push_str(json);
    }
    let mut text = Text(json);
    while let Some(byte) = text.token() {
        let length = if byte == b'"' {
            length_of_string(text.0)
        } else {
            text.0.find(|c: char| c == '"' || c.is_ascii_whitespace()).unwrap_or(text.0.len())
        };
        out.push_str(text.take(length));
    }
}
