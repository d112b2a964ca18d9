//! A document parsed again: what changed is compiled, everything else keeps its code.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hclvm_vm::scope::Layout;

use crate::document::{Attribute, Body, Document};
use crate::error::Error;

/// What an update did to the attributes of a document. Paths are block types, labels and the
/// attribute's name, joined by dots, with a number where equal blocks repeat: `rule.allow.when`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Attributes that are new or whose expression changed.
    pub compiled: Vec<String>,
    /// Attributes whose code was kept, also when they moved.
    pub reused: Vec<String>,
    /// Attributes that are gone.
    pub dropped: Vec<String>,
}

impl Document {
    /// The document with another text, and what that changed. Only expressions that no program of
    /// the engine was compiled from yet are compiled; programs and documents in use stay valid.
    /// Scopes of the old document fit the new one when its text uses no further variables: then
    /// both have one layout.
    ///
    /// # Errors
    /// The text's syntax errors; the old document is as it was.
    pub fn update(&self, text: &str) -> Result<(Document, Update), Error> {
        let name = self.source().name();
        let engine = self.engine();
        let parsed = if self.is_json() { engine.parse_json(name, text) } else { engine.parse(name, text) }?;
        let document = parsed.for_layout(&extended(self.layout(), parsed.layout()));
        let mut before: HashSet<String> = paths(self.body()).into_iter().map(|(path, _)| path).collect();
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

/// The old layout when it has all names, else one with the further names behind the old ones, so
/// that code compiled for the old one still fits.
fn extended(old: &Arc<Layout>, new: &Layout) -> Arc<Layout> {
    if new.names().iter().all(|name| old.slot(name).is_some()) {
        return Arc::clone(old);
    }
    Arc::new(Layout::new(old.names().iter().chain(new.names()).cloned()))
}

/// All attributes of a body and its blocks with their paths.
fn paths(body: Body<'_>) -> Vec<(String, Attribute<'_>)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), body)];
    while let Some((prefix, body)) = open.pop() {
        found.extend(body.attributes().map(|attribute| (format!("{prefix}{}", attribute.name()), attribute)));
        let mut seen: HashMap<String, usize> = HashMap::new();
        for block in body.blocks() {
            let header: Vec<&str> = std::iter::once(block.kind()).chain(block.labels()).collect();
            let mut path = format!("{prefix}{}", header.join("."));
            let count = seen.entry(path.clone()).or_default();
            *count += 1;
            if *count > 1 {
                path = format!("{path}.{count}");
            }
            open.push((path + ".", block.body()));
        }
    }
    found
}
