//! Formatting of a text, of some of its lines, and of a line that was just written.

use gen_lsp_types::{Range, TextEdit};

use crate::analysis::Analysis;

/// Returns the edits that format a text: those lines that change. None if it has syntax errors.
pub(crate) fn whole(analysis: &Analysis) -> Vec<TextEdit> {
    edits(analysis, 0, u32::MAX)
}

/// Returns the edits that format some lines. Alignment depends on the lines around, so that the text is formatted as a
/// whole.
pub(crate) fn lines(analysis: &Analysis, range: Range) -> Vec<TextEdit> {
    // A selection of whole lines ends at the beginning of the next one.
    let is_open = range.end.character == 0 && range.end.line > range.start.line;
    edits(analysis, range.start.line, if is_open { range.end.line - 1 } else { range.end.line })
}

/// Returns the edits that format the item that ends on a line.
pub(crate) fn typed(analysis: &Analysis, line: u32, character: &str) -> Vec<TextEdit> {
    if character == "\n" {
        return edits(analysis, line.saturating_sub(1), line.saturating_sub(1));
    }
    // The block that is closed.
    let end = gen_lsp_types::Position { line, character: u32::MAX };
    let offset = analysis.lines.offset(analysis.text(), end).saturating_sub(1);
    let block = analysis.document.blocks_at(offset).pop();
    let first = block.map_or(line, |block| analysis.lines.position(block.span().start).line);
    edits(analysis, first, line)
}

fn edits(analysis: &Analysis, first: u32, last: u32) -> Vec<TextEdit> {
    if analysis.document.is_json() || !analysis.is_sound() {
        return Vec::new();
    }
    let text = analysis.text();
    let engine = analysis.document.engine();
    let Ok(formatted) = engine.format(analysis.document.source().name(), text) else { return Vec::new() };
    if formatted == text {
        return Vec::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) =
        (text.split_inclusive('\n').collect(), formatted.split_inclusive('\n').collect());
    if old.len() != new.len() {
        // Only the end of the text can have another number of lines.
        if first > 0 || last < u32::MAX {
            return Vec::new();
        }
        let range = analysis.lines.range(hclvm::diagnostics::Span::new(0, crate::lines::size(text.len())));
        return vec![TextEdit { range, new_text: formatted }];
    }
    let mut found = Vec::new();
    let mut start = 0_u32;
    for (at, (old, new)) in old.into_iter().zip(new).enumerate() {
        let end = start + crate::lines::size(old.len());
        if old != new && (first..=last).contains(&crate::lines::size(at)) {
            let range = analysis.lines.range(hclvm::diagnostics::Span::new(start, end));
            found.push(TextEdit { range, new_text: new.to_owned() });
        }
        start = end;
    }
    found
}
