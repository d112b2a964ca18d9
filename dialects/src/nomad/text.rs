//! References that stay text: the names that nothing in a job file defines, which the client replaces.

use hclvm::Block;
use smol_str::SmolStr;

use crate::problems::TextRange;

/// A reference that was left as text.
#[derive(Clone, Debug)]
pub struct RuntimeText {
    text: String,
    place: TextRange,
}

impl RuntimeText {
    /// Returns the reference as written, such as `node.datacenter`.
    pub fn reference(&self) -> &str {
        &self.text
    }

    /// Returns the file, the line and the column where it is.
    pub fn position(&self) -> (&str, hclvm::diagnostics::Position) {
        (self.place.source.name(), self.place.source.position(self.place.span.start))
    }
}

/// Returns the references in a block whose roots are neither `defined` nor iterators around them.
pub(super) fn runtime_texts(block: Block<'_>, defined: &[&str]) -> Vec<RuntimeText> {
    let mut found = Vec::new();
    let names: Vec<SmolStr> = defined.iter().map(SmolStr::new).collect();
    let mut open = vec![(block.body(), names)];
    while let Some((body, names)) = open.pop() {
        let document = body.document();
        for traversal in body.attributes().flat_map(|attribute| attribute.variables()) {
            if !names.iter().any(|name| name == traversal.root()) {
                let text = traversal.span().slice(document.source().text()).to_owned();
                found.push(RuntimeText { text, place: TextRange::new(document, traversal.span()) });
            }
        }
        for block in body.blocks() {
            let mut names = names.clone();
            if block.kind() == "dynamic" {
                let named = block.attribute("iterator").and_then(|attribute| attribute.keyword());
                names.extend(named.or(block.labels().next()).map(SmolStr::new));
            }
            open.push((block.body(), names));
        }
    }
    found.sort_by_key(|one| one.place.span.start);
    found
}
