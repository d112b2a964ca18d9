//! A document parsed again: what changed is compiled, everything else keeps its code.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hclvm_vm::Layout;

use crate::diagnostics::error::Error;
use crate::syntax::document::{Attribute, Body, Document};

/// What an update did to the attributes of a document. Paths are block types, labels and the
/// attribute's name, joined by dots, with a number where equal blocks repeat: `rule.allow.when`. Of the
/// path of a block that is longer than 200 bytes only the end is told.
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
/// that code compiled for the old one still fits. Names that were used once do not stay for ever:
/// when most of them are of the past, the new layout replaces the old one.
fn extended(old: &Arc<Layout>, new: &Arc<Layout>) -> Arc<Layout> {
    if new.names().iter().all(|name| old.slot(name).is_some()) {
        return Arc::clone(old);
    }
    if old.len() > 2 * new.len() + FEW {
        return Arc::clone(new);
    }
    Arc::new(Layout::new(old.names().iter().chain(new.names()).cloned()))
}

/// So many names of the past are no burden.
const FEW: usize = 64;

/// All attributes of a body and its blocks with their paths.
fn paths(body: Body<'_>) -> Vec<(String, Attribute<'_>)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), body)];
    let mut numbers = Numbers::default();
    while let Some((prefix, body)) = open.pop() {
        found.extend(body.attributes().map(|attribute| (format!("{prefix}{}", attribute.name()), attribute)));
        for block in body.blocks() {
            let header: Vec<&str> = std::iter::once(block.kind()).chain(block.labels()).collect();
            let path = shortened(format!("{prefix}{}", header.join(".")));
            open.push((numbers.told_apart(path) + ".", block.body()));
        }
    }
    found
}

/// Bytes of the path of a block: there may be as many attributes in it as a label has bytes.
const LONGEST: usize = 200;

/// The end of a long path.
fn shortened(path: String) -> String {
    let start = path.len().saturating_sub(LONGEST);
    match (start..path.len()).find(|at| path.is_char_boundary(*at)) {
        Some(start) if start > 0 => format!("…{}", &path[start..]),
        _ => path,
    }
}

/// How often the path of each block came so far.
#[derive(Default)]
struct Numbers(HashMap<String, usize>);

impl Numbers {
    /// The path, with a number when it came before.
    fn told_apart(&mut self, path: String) -> String {
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
