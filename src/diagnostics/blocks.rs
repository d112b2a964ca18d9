//! The blocks around the place of a diagnostic, as they are written: `rule "allow-owner"`.
//!
//! The one place that fills in [`Additions::blocks`](hclvm_vm::Additions::blocks).

use std::iter;

use hclvm_compiler::tree::{BlockLabel, BlockSyntax, Tree};
use hclvm_vm::Diagnostic;

/// Characters shown of a label.
const LONGEST_LABEL: usize = 40;

/// Reports the blocks around the subject of a diagnostic, unless they are reported already.
pub(crate) fn tell_blocks(tree: &Tree, diagnostic: &mut Diagnostic) {
    let Some(subject) = diagnostic.subject else { return };
    let blocks = tree.blocks_around(subject.start);
    if blocks.is_empty() || diagnostic.additions.as_ref().is_some_and(|known| !known.blocks.is_empty()) {
        return;
    }
    diagnostic.additions_mut().blocks = blocks.into_iter().map(|block| header(tree, block)).collect();
}

/// Returns the type and the labels of a block.
fn header(tree: &Tree, block: &BlockSyntax) -> String {
    let label = |label: &BlockLabel| {
        let cut: String = label.text.chars().take(LONGEST_LABEL).collect();
        let rest = if cut.len() < label.text.len() { "…" } else { "" };
        format!(" {:?}", cut + rest)
    };
    iter::once(tree.name(block.kind).to_string()).chain(block.labels.iter().map(label)).collect()
}
