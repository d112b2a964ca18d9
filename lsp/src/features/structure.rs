//! Folding, selection and links: the structure of a text.

use gen_lsp_types::{DocumentLink, FoldingRange, FoldingRangeKind, Position, SelectionRange, Uri};
use hclvm::diagnostics::Span;
use hclvm::syntax::tree::{Node, NodeId, TokenKind};

use crate::analysis::Analysis;
use crate::lines::size;
use crate::uri;

/// The most ranges around a position.
const DEEPEST: usize = 100;

/// The functions whose first argument is the path of a file.
const FILE_FUNCTIONS: [&str; 10] = [
    "file",
    "filebase64",
    "fileexists",
    "filemd5",
    "filesha1",
    "filesha256",
    "filesha512",
    "templatefile",
    "filebase64sha256",
    "filebase64sha512",
];

/// Returns the blocks, brackets, comments and heredocs on several lines.
pub(crate) fn folding(analysis: &Analysis) -> Vec<FoldingRange> {
    let mut found: Vec<FoldingRange> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut comment: Option<(u32, u32)> = None;
    let line = |offset: u32| analysis.lines.position(offset).line;
    let mut add = |start: u32, end: u32, kind: Option<FoldingRangeKind>| {
        if end > start {
            found.push(FoldingRange { start_line: start, end_line: end, kind, ..FoldingRange::default() });
        }
    };
    for token in analysis.tokens() {
        let of_comment = token.kind == TokenKind::Comment;
        if of_comment {
            let start = line(token.span.start);
            let text = token.span.slice(analysis.text());
            let end = line(token.span.end.saturating_sub(u32::from(text.ends_with('\n'))));
            comment = match comment {
                // Consecutive comment lines fold together.
                Some((first, last)) if start == last + 1 => Some((first, end)),
                Some((first, last)) => {
                    add(first, last, Some(FoldingRangeKind::Comment));
                    Some((start, end))
                }
                None => Some((start, end)),
            };
            continue;
        }
        if token.kind != TokenKind::Newline
            && let Some((first, last)) = comment.take()
        {
            add(first, last, Some(FoldingRangeKind::Comment));
        }
        match token.kind {
            TokenKind::OBrace | TokenKind::OBrack | TokenKind::OParen | TokenKind::OHeredoc => {
                open.push(line(token.span.start));
            }
            TokenKind::CBrace | TokenKind::CBrack | TokenKind::CParen => {
                if let Some(start) = open.pop() {
                    // The line of the closing bracket stays visible.
                    add(start, line(token.span.start).saturating_sub(1), None);
                }
            }
            TokenKind::CHeredoc => {
                if let Some(start) = open.pop() {
                    add(start, line(token.span.end), None);
                }
            }
            _ => {}
        }
    }
    if let Some((first, last)) = comment {
        add(first, last, Some(FoldingRangeKind::Comment));
    }
    found.sort_by_key(|range| (range.start_line, std::cmp::Reverse(range.end_line)));
    found.dedup_by_key(|range| (range.start_line, range.end_line));
    found
}

/// Returns the ranges around a position, the innermost first.
pub(crate) fn selection(analysis: &Analysis, position: Position) -> SelectionRange {
    let text = analysis.text();
    let offset = analysis.lines.offset(text, position);
    let holds = |span: Span| span.start <= offset && offset <= span.end;
    let mut spans = vec![Span::new(0, size(text.len()))];
    let document = &analysis.document;
    for block in document.blocks_at(offset) {
        spans.push(block.span());
        spans.push(block.body().span());
    }
    if !document.is_json()
        && let Some(attribute) =
            document.attribute_at(offset).or_else(|| document.attribute_at(offset.saturating_sub(1)))
    {
        spans.extend([attribute.span(), attribute.expression_span()]);
        let (first, last) = attribute.nodes();
        let tree = document.tree();
        let mut nodes: Vec<Span> = (first.0..=last.0).map(|id| tree.span(NodeId(id))).collect();
        nodes.retain(|span| holds(*span));
        spans.extend(nodes);
    }
    spans.extend(analysis.index().at(offset).map(|name| name.span));
    spans.retain(|span| holds(*span));
    spans.sort_by_key(|span| (std::cmp::Reverse(span.end - span.start), span.start));
    spans.dedup();
    // Each range has to be inside of the previous one.
    let mut nested: Vec<Span> = Vec::new();
    for span in spans {
        if nested.last().is_none_or(|outer| outer.start <= span.start && span.end <= outer.end) {
            nested.push(span);
        }
    }
    let skipped = nested.len().saturating_sub(DEEPEST);
    let mut found: Option<SelectionRange> = None;
    for span in nested.into_iter().skip(skipped) {
        found = Some(SelectionRange { range: analysis.lines.range(span), parent: found.map(Box::new) });
    }
    found.unwrap_or_default()
}

/// Returns links to existing files in calls of functions that read them, and to web addresses in comments and strings.
pub(crate) fn links(analysis: &Analysis) -> Vec<DocumentLink> {
    let mut found = Vec::new();
    let text = analysis.text();
    let link = |span: Span, target: String| DocumentLink {
        range: analysis.lines.range(span),
        target: Some(Uri(target)),
        tooltip: None,
        data: None,
    };
    for token in analysis.tokens() {
        if matches!(token.kind, TokenKind::Comment | TokenKind::QuotedLit | TokenKind::StringLit) {
            let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | ')' | ']' | '`');
            let mut at = token.span.start;
            for word in token.span.slice(text).split_inclusive(ends) {
                if let Some(before) = word.find("https://") {
                    let start = at + size(before);
                    let address =
                        word[before..].trim_end_matches(ends).trim_end_matches(['.', ',', ';', ':']);
                    if address.len() > "https://".len() {
                        found.push(link(Span::new(start, start + size(address.len())), address.to_owned()));
                    }
                }
                at += size(word.len());
            }
        }
    }
    if analysis.document.is_json() {
        return found;
    }
    let tree = analysis.document.tree();
    let folder = analysis.path.parent();
    let nodes = (0..size(tree.len())).map(NodeId);
    for id in nodes {
        let Node::Call(call) = tree.node(id) else { continue };
        let call = tree.call(call);
        if !FILE_FUNCTIONS.contains(&call.name.as_str()) {
            continue;
        }
        let Some(argument) = tree.list(call.args).first() else { continue };
        let (Some(path), Some(folder)) = (tree.literal_text(*argument), folder) else { continue };
        let target = folder.join(path);
        // Nodes that an edit replaced remain in the tree: their spans are outside of the text or have another content.
        let span = tree.span(*argument);
        if target.is_file()
            && text.get(span.start as usize..span.end as usize).is_some_and(|one| one.contains(path))
        {
            found.push(link(span, uri::of_path(&target)));
        }
    }
    found
}
