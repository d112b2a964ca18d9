//! Symbols of a text as a tree, and those of all files by a part of their name.

use std::rc::Rc;

use gen_lsp_types::{
    BaseSymbolInformation, DocumentSymbol, SymbolKind, WorkspaceSymbol, WorkspaceSymbolLocation,
};
use hclvm::{Attribute, Block, Body};

use crate::analysis::Analysis;
use crate::values::shown;
use crate::workspace::Workspace;

/// The deepest level of blocks that are shown: clients read the tree by recursion, two levels of JSON for one of blocks.
const DEEPEST: usize = 48;

/// The most symbols of a text that are shown with values.
const MOST_VALUES: usize = 2_000;

/// The most symbols of all files that are found.
const MOST: usize = 1_000;

/// Returns the attributes and blocks of a text.
pub(crate) fn document(analysis: &Analysis) -> Vec<DocumentSymbol> {
    let mut left = MOST_VALUES;
    body(analysis, analysis.document.body(), false, 0, &mut left)
}

/// Recursion is bounded by [`DEEPEST`].
fn body(
    analysis: &Analysis,
    of: Body<'_>,
    is_locals: bool,
    depth: usize,
    left: &mut usize,
) -> Vec<DocumentSymbol> {
    if depth >= DEEPEST {
        return Vec::new();
    }
    let mut found: Vec<DocumentSymbol> = Vec::new();
    for one in of.attributes() {
        found.push(attribute(analysis, one, is_locals, left));
    }
    for one in of.blocks() {
        let children = body(analysis, one.body(), one.kind() == "locals", depth + 1, left);
        found.push(block(analysis, one, children));
    }
    found.sort_by_key(|symbol| (symbol.range.start.line, symbol.range.start.character));
    found
}

#[expect(deprecated, reason = "the field has no other way to be left out")]
fn attribute(analysis: &Analysis, one: Attribute<'_>, is_locals: bool, left: &mut usize) -> DocumentSymbol {
    *left = left.saturating_sub(1);
    let value = if is_locals && *left > 0 {
        let values = analysis.values();
        values
            .and_then(|values| values.defined(&format!("local.{}", one.name())))
            .and_then(|value| shown(value.get()))
    } else {
        None
    };
    DocumentSymbol {
        name: one.name().to_owned(),
        detail: value,
        kind: if is_locals { SymbolKind::Variable } else { SymbolKind::Property },
        tags: None,
        deprecated: None,
        range: analysis.lines.range(one.span()),
        selection_range: analysis.lines.range(one.name_span()),
        children: None,
    }
}

#[expect(deprecated, reason = "the field has no other way to be left out")]
fn block(analysis: &Analysis, one: Block<'_>, children: Vec<DocumentSymbol>) -> DocumentSymbol {
    DocumentSymbol {
        name: title(one),
        detail: None,
        kind: SymbolKind::Class,
        tags: None,
        deprecated: None,
        range: analysis.lines.range(one.span()),
        selection_range: analysis.lines.range(one.header_span()),
        children: Some(children).filter(|children| !children.is_empty()),
    }
}

/// Returns the type and the labels of a block, `rule "allow"`.
pub(crate) fn title(block: Block<'_>) -> String {
    let labels = block.labels().map(|label| format!(" {label:?}"));
    std::iter::once(block.kind().to_owned()).chain(labels).collect()
}

/// Returns the blocks with labels, and the definitions, of all files whose names contain a text.
pub(crate) fn workspace(workspace: &mut Workspace, query: &str) -> Vec<WorkspaceSymbol> {
    let query = query.to_lowercase();
    let mut found = Vec::new();
    let mut paths = workspace.paths();
    paths.extend(workspace.open_paths());
    paths.sort();
    paths.dedup();
    for path in paths {
        let Some(file) = workspace.file(&path) else { continue };
        for (name, kind, span) in named(&file) {
            if !name.to_lowercase().contains(&query) {
                continue;
            }
            if found.len() >= MOST {
                return found;
            }
            let location = WorkspaceSymbolLocation::Location(workspace.location(&file, span));
            let base_symbol_information =
                BaseSymbolInformation { name, kind, tags: None, container_name: None };
            found.push(WorkspaceSymbol { location, data: None, base_symbol_information });
        }
    }
    found
}

fn named(file: &Rc<Analysis>) -> Vec<(String, SymbolKind, hclvm::diagnostics::Span)> {
    let body = file.document.body();
    let mut found = Vec::new();
    for attribute in body.attributes() {
        found.push((attribute.name().to_owned(), SymbolKind::Property, attribute.name_span()));
    }
    for block in body.blocks() {
        if block.kind() == "locals" {
            let locals = block.body().attributes();
            found.extend(
                locals.map(|one| (format!("local.{}", one.name()), SymbolKind::Variable, one.name_span())),
            );
        } else {
            found.push((title(block), SymbolKind::Class, block.header_span()));
        }
    }
    found
}
