//! Paths to attributes: `rule.allow-owner.when`, `local.risk`, `job."a.b".group.count`.
//!
//! A block is named by its type and labels. If several blocks match, the first one that has the
//! attribute is used. As in expressions, `local` means all `locals` blocks of the file.

use std::fmt;
use std::str::FromStr;

use hclvm::module::{self, Values};
use hclvm::{Attribute, Body, Document, Value};

/// The path to an attribute: the names of its blocks and its own.
#[derive(Clone, Debug)]
pub(crate) struct AttributePath {
    path: module::AttributePath,
    names: Vec<String>,
}

impl FromStr for AttributePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path: module::AttributePath = text.parse()?;
        let names: Option<Vec<String>> = path.names().map(|name| name.map(str::to_owned)).collect();
        let names = names.ok_or("`*` leads to several attributes; name one")?;
        Ok(Self { path, names })
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}

/// Returns a name as written in a path, quoted if it contains a dot.
pub(crate) fn quoted(name: &str) -> String {
    if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() }
}

/// Bytes shown of the path to a block. Without a cap, a listing would repeat a long label for each
/// attribute, which is quadratic in the length of the file.
const LONGEST: usize = 256;

/// Returns the path prefix of a block inside the block with prefix `above`: its type and labels.
/// A top-level `locals` block is `local`.
pub(crate) fn below_block<'l>(above: &str, kind: &'l str, labels: impl Iterator<Item = &'l str>) -> String {
    let kind = if above.is_empty() && kind == "locals" { "local" } else { kind };
    let names = [kind].into_iter().chain(labels).map(|name| quoted(name) + ".").collect::<Vec<_>>().concat();
    let path = format!("{above}{names}");
    let start = path.len().saturating_sub(LONGEST);
    match (start..path.len()).find(|at| path.is_char_boundary(*at)) {
        Some(start) if start > 0 => format!("…{}", &path[start..]),
        _ => path,
    }
}

impl AttributePath {
    /// Returns the prefix of the path up to the attribute's own name.
    pub(crate) fn block(&self) -> String {
        let [blocks @ .., _] = self.names.as_slice() else { return String::new() };
        blocks.iter().map(|name| quoted(name) + ".").collect::<Vec<_>>().concat()
    }

    /// Returns the definition of the attribute in a file.
    pub(crate) fn definition<'d>(&self, document: &'d Document) -> Option<Attribute<'d>> {
        if let [scope, name] = self.names.as_slice()
            && scope == "local"
        {
            let mut blocks = document.body().blocks_of("locals");
            return blocks.find_map(|block| block.attribute(name));
        }
        defined(document.body(), &self.names)
    }

    /// Returns the path by which a module selects the attribute.
    pub(crate) fn selection(&self) -> &module::AttributePath {
        &self.path
    }

    /// Returns the value of the attribute.
    pub(crate) fn value<'s>(&self, values: &Values<'s>) -> Option<Value<'s>> {
        values.get(&self.path)
    }
}

/// Looks up a path. Each level of recursion consumes at least one name of it.
fn defined<'d>(body: Body<'d>, path: &[String]) -> Option<Attribute<'d>> {
    match path {
        [] => None,
        [name] => body.attribute(name),
        [kind, rest @ ..] => {
            body.blocks_of(kind).find_map(|block| defined(block.body(), below(rest, block.labels())?))
        }
    }
}

/// Strips the labels of a block from the start of a path. Returns `None` if it starts differently.
fn below<'p, 'l>(path: &'p [String], labels: impl Iterator<Item = &'l str>) -> Option<&'p [String]> {
    let mut rest = path;
    for label in labels {
        let (first, after) = rest.split_first()?;
        if first != label {
            return None;
        }
        rest = after;
    }
    Some(rest)
}
