//! How the parts of a report look: plain text, or text with the escape sequences of a terminal. Texts of
//! users pass through [`plain`] first.

use std::borrow::Cow;
use std::fmt;

/// The role of a part of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// Source lines and sentences.
    Text,
    /// The title.
    Title,
    /// `error`, and the carets of errors.
    Error,
    /// `warning`, and the carets of warnings.
    Warning,
    /// Margins, and the marks of second places.
    Margin,
    /// `help`, and the marks of proposed changes.
    Help,
}

impl Paint {
    /// Returns the parameters of the escape sequence "select graphic rendition". Only the eight basic
    /// colours, so that the user's terminal theme applies.
    const fn code(self) -> Option<&'static str> {
        match self {
            Self::Text => None,
            Self::Title => Some("1"),
            Self::Error => Some("1;31"),
            Self::Warning => Some("1;33"),
            Self::Margin => Some("1;34"),
            Self::Help => Some("1;32"),
        }
    }
}

/// A writer of painted text.
pub(super) struct Ink<'w, 'f> {
    out: &'w mut fmt::Formatter<'f>,
    colored: bool,
}

impl<'w, 'f> Ink<'w, 'f> {
    pub(super) fn new(out: &'w mut fmt::Formatter<'f>, colored: bool) -> Self {
        Self { out, colored }
    }

    /// Writes `text`, which contains nothing that steers a terminal.
    pub(super) fn write(&mut self, paint: Paint, text: &str) -> fmt::Result {
        match paint.code().filter(|_| self.colored && !text.is_empty()) {
            Some(code) => write!(self.out, "\x1b[{code}m{text}\x1b[0m"),
            None => self.out.write_str(text),
        }
    }

    /// Writes a line break.
    pub(super) fn line(&mut self) -> fmt::Result {
        self.out.write_str("\n")
    }
}

/// Replaces the characters of one line that could steer a terminal, end the line or reorder it. Tabs become
/// blanks, so that all lines of a report are equally wide to all viewers.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(steers_terminal) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => safe.push_str("    "),
            c if steers_terminal(c) => safe.push(char::REPLACEMENT_CHARACTER),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// Returns true for characters that could steer a terminal, end a line or reorder it: control characters, bidirectional
/// formatting and Unicode's line separators. Reports show U+FFFD in their place; a host that prints texts of users can
/// do so, too.
pub fn steers_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}')
        || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_that_steers_a_terminal_remains() {
        for c in
            ['\u{1b}', '\u{7}', '\u{9b}', '\u{85}', '\u{202e}', '\u{2069}', '\u{200f}', '\u{61c}', '\u{2028}']
        {
            assert_eq!(plain(&format!("a{c}b")), "a\u{fffd}b");
        }
        assert_eq!(plain("a\tb"), "a    b");
        assert_eq!(plain("漢 é 👩‍👩‍👧"), "漢 é 👩‍👩‍👧");
    }
}
