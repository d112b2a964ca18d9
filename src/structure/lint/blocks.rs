//! Lints of blocks: locals that nothing reads, and blocks that cannot be distinguished.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use hclvm_vm::{Comparisons, Label, Span, codes};

use super::file::LintedFile;
use crate::structure::module::locals::LOCALS;
use crate::syntax::document::Body;

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
pub(super) fn lint(file: &mut LintedFile<'_>) {
    unused_locals(file);
    let mut open = vec![file.document.body()];
    while let Some(body) = open.pop() {
        duplicate_labels(file, body);
        open.extend(body.blocks().map(|block| block.body()));
    }
}

/// Warns about locals that nothing reads.
pub(super) fn unused_locals(file: &mut LintedFile<'_>) {
    let body = file.document.body();
    // A file of locals alone is there for other files.
    // In JSON, blocks are also attributes.
    let is_library = body.attributes().all(|attribute| attribute.name() == LOCALS)
        && body.blocks().all(|block| block.kind() == LOCALS);
    if is_library || file.is_part {
        return;
    }
    let names = || file.locals.keys().copied();
    let missing = file.read_names().filter(|name| !file.locals.contains_key(name));
    // A misspelled name is an error with a proposal, of which this warning would be a consequence.
    let comparisons = Comparisons::new();
    let meant: HashSet<&str> = missing.filter_map(|name| comparisons.nearest(name, names())).collect();
    if comparisons.is_used_up() {
        return;
    }
    let is_used = |name: &str| file.reads_local(name) || file.is_mentioned(name) || meant.contains(name);
    let locals = body.blocks_of(LOCALS).flat_map(|block| block.body().attributes());
    let unused: Vec<_> = locals.filter(|local| !is_used(local.name())).collect();
    for local in unused {
        let detail = format!("Nothing in this file reads `local.{}`.", local.name());
        file.warn(codes::UNUSED_LOCAL, detail, local.name_span());
    }
}

fn duplicate_labels(file: &mut LintedFile<'_>, body: Body<'_>) {
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
