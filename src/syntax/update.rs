//! Updates: a document parsed again from another text, which keeps the code of every expression
//! that did not change. The engine's cache finds that code; this file compares and reports.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hclvm_vm::Layout;

use crate::diagnostics::error::Error;
use crate::syntax::document::{Attribute, Body, Document};

/// The attributes of a document after an update. Paths are block types, labels and the attribute's
/// name, joined by dots, with a number where equal blocks repeat: `rule.allow.when`. A block path
/// longer than 200 bytes is shortened to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Attributes that are new or whose expression changed.
    pub compiled: Vec<String>,
    /// Attributes whose expression is in the old document or in another document of the engine.
    /// They share its code, also if they moved. If it was not compiled before, the update did that.
    pub reused: Vec<String>,
    /// Attributes that the new text does not have.
    pub dropped: Vec<String>,
}

impl Document {
    /// Parses another text of the same file and returns its document, with all attributes compiled,
    /// and what changed. Expressions that the engine has code for are not compiled again. Programs and
    /// documents in use stay valid.
    ///
    /// Scopes of the old document fit the new one if its text uses no further variables: then both
    /// have the same layout.
    ///
    /// # Errors
    /// The syntax errors of the text. The old document remains unchanged.
    pub fn update(&self, text: &str) -> Result<(Document, Update), Error> {
        let name = self.source().name();
        let engine = self.engine();
        let parsed = if self.is_json() { engine.parse_json(name, text) } else { engine.parse(name, text) }?;
        let document = parsed.for_layout(&extended(self.layout(), parsed.layout()));
        let mut before = HashSet::new();
        for (path, attribute) in paths(self.body()) {
            // Entered even if it was never compiled, so that the new document finds it.
            attribute.enter_in_cache();
            before.insert(path);
        }
        let mut update = Update::default();
        for (path, attribute) in paths(document.body()) {
            before.remove(&path);
            if attribute.compile_or_reuse()? {
                update.reused.push(path);
            } else {
                update.compiled.push(path);
            }
        }
        update.dropped = before.into_iter().collect();
        update.dropped.sort();
        Ok((document, update))
    }
}

/// Returns the old layout if it has all names of the new one. Otherwise appends the missing names, so
/// that code compiled for the old layout still fits. If most names of the old layout are no longer
/// used, returns the new layout instead, so that layouts do not grow with every update.
fn extended(old: &Arc<Layout>, new: &Arc<Layout>) -> Arc<Layout> {
    if new.names().iter().all(|name| old.slot(name).is_some()) {
        return Arc::clone(old);
    }
    if old.len() > 2 * new.len() + MAX_UNUSED {
        return Arc::clone(new);
    }
    Arc::new(Layout::new(old.names().iter().chain(new.names()).cloned()))
}

/// Unused names that a layout may keep: 1 KiB of values in each scope, less than what compiling all
/// expressions for another layout costs.
const MAX_UNUSED: usize = 64;

/// Returns all attributes of a body and its blocks with their paths.
fn paths(body: Body<'_>) -> Vec<(String, Attribute<'_>)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), body)];
    let mut counts = PathCounts::default();
    while let Some((prefix, body)) = open.pop() {
        found.extend(body.attributes().map(|attribute| (format!("{prefix}{}", attribute.name()), attribute)));
        for block in body.blocks() {
            let header: Vec<&str> = std::iter::once(block.kind()).chain(block.labels()).collect();
            let path = shortened(format!("{prefix}{}", header.join(".")));
            open.push((counts.distinct(path) + ".", block.body()));
        }
    }
    found
}

/// Bytes of the path of a block. Every attribute in the block repeats them, so without a limit the
/// paths could take memory quadratic in the size of the text.
const MAX_PATH: usize = 200;

/// Returns the path, without its beginning if it is too long.
fn shortened(path: String) -> String {
    let start = path.len().saturating_sub(MAX_PATH);
    match (start..path.len()).find(|at| path.is_char_boundary(*at)) {
        Some(start) if start > 0 => format!("…{}", &path[start..]),
        _ => path,
    }
}

/// The number of blocks with each path so far.
#[derive(Default)]
struct PathCounts(HashMap<String, usize>);

impl PathCounts {
    /// Returns the path, with a number if a block had it before.
    fn distinct(&mut self, path: String) -> String {
        let Some(count) = self.0.get_mut(&path) else {
            self.0.insert(path.clone(), 1);
            return path;
        };
        let mut number = *count;
        let numbered = loop {
            number += 1;
            let numbered = format!("{path}.{number}");
            if !self.0.contains_key(&numbered) {
                break numbered;
            }
        };
        self.0.insert(path, number);
        self.0.insert(numbered.clone(), 1);
        numbered
    }
}
