//! Writes texts as YAML, in double quotes or as literal blocks.

use crate::text_builder::TextBuilder;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// In double quotes.
    Quoted,
    /// As a block of lines.
    Literal,
}

impl Style {
    /// Chooses a block for several lines, unless one has characters that a block cannot show or a space
    /// at its end.
    pub(super) fn of(text: &str) -> Self {
        let blank_end = text.ends_with(' ') || text.contains(" \n");
        let shown = text.chars().all(|c| matches!(c, '\n' | '\t') || is_printable(c));
        if text.contains('\n') && !blank_end && shown { Self::Literal } else { Self::Quoted }
    }
}

fn is_printable(c: char) -> bool {
    matches!(c,
        ' '..='~' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FEFE}' | '\u{FF00}'..='\u{FFFD}' | '\u{10000}'..)
        && !matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Texts in quotes are folded at the first space beyond this column.
const WIDEST: usize = 80;

/// Writes a text in double quotes. Folded lines continue at the column `fold`.
pub(super) fn write_quoted(out: &mut TextBuilder<'_>, text: &str, fold: Option<usize>) {
    out.push("\"");
    let mut column = column(out);
    let mut folded = false;
    for (at, c) in text.char_indices() {
        let inside = at > 0 && at + c.len_utf8() < text.len();
        if let (' ', Some(indent)) = (c, fold)
            && inside
            && !folded
            && column > WIDEST
        {
            let next_is_space = text[at + 1..].starts_with(' ');
            let fits = out.push("\n") && out.repeat(' ', indent) && (!next_is_space || out.push("\\"));
            if !fits {
                return;
            }
            column = indent + usize::from(next_is_space);
            folded = true;
            continue;
        }
        folded = c == ' ';
        let before = out.as_str().len();
        if !write_character(out, c) {
            return;
        }
        column += out.as_str().get(before..).unwrap_or_default().chars().count();
    }
    out.push("\"");
}

/// Characters on the last line so far.
fn column(out: &TextBuilder<'_>) -> usize {
    out.as_str().rsplit('\n').next().unwrap_or_default().chars().count()
}

fn write_character(out: &mut TextBuilder<'_>, c: char) -> bool {
    let escape = match c {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\0' => "\\0",
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\t' => "\\t",
        '\n' => "\\n",
        '\x0B' => "\\v",
        '\x0C' => "\\f",
        '\r' => "\\r",
        '\x1B' => "\\e",
        '\u{85}' => "\\N",
        '\u{A0}' => "\\_",
        '\u{2028}' => "\\L",
        '\u{2029}' => "\\P",
        c if is_printable(c) => return out.push_char(c),
        c => {
            let code = u32::from(c);
            return out.push(&match code {
                ..=0xFF => format!("\\x{code:02X}"),
                0x100..=0xFFFF => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            });
        }
    };
    out.push(escape)
}

/// Writes a text as a block of lines at a column; whether it ends in empty lines, which could go
/// on.
pub(super) fn write_literal(out: &mut TextBuilder<'_>, text: &str, column: usize) -> bool {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    let keeps = text.ends_with("\n\n") || text == "\n";
    out.push("|");
    if text.starts_with([' ', '\n']) {
        out.push("2");
    }
    out.push(match text.ends_with('\n') {
        _ if keeps => "+\n",
        true => "\n",
        false => "-\n",
    });
    for line in lines.split('\n') {
        if !line.is_empty() {
            out.repeat(' ', column);
        }
        if !out.push(line) || !out.push("\n") {
            break;
        }
    }
    keeps
}
