//! Lints of blocks: locals that nothing reads, and blocks that cannot be told apart.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use hclvm_compiler::analysis;
use hclvm_vm::{Label, Span, codes};

use super::file::File;
use crate::structure::module::locals::{LOCAL, LOCALS};
use crate::syntax::document::Body;

/// Types of blocks of applications that read all files of a folder as one: what reads a local may be in
/// another file.
const OF_FOLDERS: &[&str] = &[
    "build",
    "data",
    "ephemeral",
    "import",
    "module",
    "moved",
    "output",
    "packer",
    "provider",
    "resource",
    "source",
    "terraform",
    "variable",
];

/// The attribute of files of an application whose files are included by others, which read their locals.
const INPUTS: &str = "inputs";

/// Types of blocks whose label is not a name but a kind, so that several may have the same.
const LABELLED_BY_KIND: &[&str] = &[
    "connection",
    "dynamic",
    "kms",
    "listener",
    "post-processor",
    "provider",
    "provisioner",
    "seal",
    "source",
    "storage",
];

/// Warns about the blocks of a file.
pub(super) fn lint(file: &mut File<'_>) {
    unused_locals(file);
    let mut open = vec![file.document.body()];
    while let Some(body) = open.pop() {
        duplicate_labels(file, body);
        open.extend(body.blocks().map(|block| block.body()));
    }
}

fn unused_locals(file: &mut File<'_>) {
    let body = file.document.body();
    let is_part =
        body.blocks().any(|block| OF_FOLDERS.contains(&block.kind())) || body.attribute(INPUTS).is_some();
    // A file of locals alone is there for other files.
    let is_library = body.attributes().next().is_none() && body.blocks().all(|block| block.kind() == LOCALS);
    if is_part || is_library {
        return;
    }
    let expressions = file.attributes.iter().map(|attribute| attribute.nodes());
    let read = analysis::variable_need(file.tree, expressions, LOCAL);
    let is_read =
        |name: &str| read.as_ref().is_some_and(|need| need.is_whole() || need.attribute(name).is_some());
    let unused = body.blocks_of(LOCALS).flat_map(|block| block.body().attributes());
    for local in unused.filter(|local| !is_read(local.name())) {
        let detail = format!("Nothing in this file reads `local.{}`.", local.name());
        file.warn(codes::UNUSED_LOCAL, detail, local.name_span());
    }
}

fn duplicate_labels(file: &mut File<'_>, body: Body<'_>) {
    let mut seen: HashMap<(&str, Vec<&str>), Span> = HashMap::new();
    for block in body.blocks().filter(|block| !LABELLED_BY_KIND.contains(&block.kind())) {
        let labels: Vec<&str> = block.labels().collect();
        if labels.is_empty() {
            continue;
        }
        let span = block.header_span();
        let header = span.slice(file.document.source().text());
        match seen.entry((block.kind(), labels)) {
            Entry::Vacant(entry) => {
                entry.insert(span);
            }
            Entry::Occupied(first) => {
                let place = *first.get();
                let line = file.document.source().position(place.start).line;
                let detail = format!("There is already a block `{header}` on line {line}.");
                let first = Label { span: place, text: "the first one is here".into() };
                file.warn(codes::DUPLICATE_LABELS, detail, span).additions_mut().labels.push(first);
            }
        }
    }
}
