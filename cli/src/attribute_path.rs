//! Paths to attributes and blocks: `rule.allow-owner.when`, `rule["allow-owner"]`, `local.risk`.
//!
//! A block is named by its type and labels. If several blocks match, the first one that has the
//! attribute is used. As in expressions, `local` means all `locals` blocks of the file.

use std::fmt;
use std::str::FromStr;

use hclvm::diagnostics::nearest;
use hclvm::module::{self, BlockValues, BodyValues, Values};
use hclvm::{Attribute, Body, Document, Value};

/// The path to an attribute: the names of its blocks and its own.
#[derive(Clone, Debug)]
pub(crate) struct PathArgument {
    path: module::AttributePath,
    names: Vec<String>,
}

impl FromStr for PathArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path: module::AttributePath = text.parse()?;
        let names: Option<Vec<String>> = path.names().map(|name| name.map(str::to_owned)).collect();
        let names = names.ok_or("`*` leads to several attributes; name one")?;
        Ok(Self { path, names })
    }
}

impl fmt::Display for PathArgument {
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

impl PathArgument {
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
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        defined(document.body(), &names)
    }

    /// Returns its names.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the path by which a module selects the attribute.
    pub(crate) fn selection(&self) -> &module::AttributePath {
        &self.path
    }

    /// Returns what the path leads to: an attribute, else blocks, else, for `local`, all locals.
    pub(crate) fn find<'v, 's>(&self, results: &'v [Values<'s>]) -> Option<Found<'v, 's>> {
        if let Some(value) = results.iter().find_map(|values| values.get(&self.path)) {
            return Some(Found::Value(value));
        }
        if matches!(self.names.as_slice(), [name] if name == LOCAL)
            && results.iter().any(|values| values.locals().len() > 0)
        {
            return Some(Found::Locals(results));
        }
        let blocks: Vec<BlockValues<'s>> =
            results.iter().flat_map(|values| blocks(values.body(), &self.names)).collect();
        (!blocks.is_empty()).then_some(Found::Blocks(blocks))
    }

    /// Returns the sentence that the path leads to nothing in `file`, with a similar path or those there are.
    pub(crate) fn missing(&self, file: &str, documents: &[Document]) -> String {
        let paths: Vec<String> = documents.iter().flat_map(paths).collect();
        let written = self.to_string();
        let hint = match nearest(&written, paths.iter().map(String::as_str)) {
            Some(near) => format!(" Did you mean `{near}`?"),
            None if paths.is_empty() => String::new(),
            None => {
                let first: Vec<String> = paths.iter().take(SHOWN).map(|path| format!("`{path}`")).collect();
                let others = if paths.len() > SHOWN { ", …" } else { "" };
                format!(" There are {}{others}.", first.join(", "))
            }
        };
        format!("{file} has no attribute or block `{written}`.{hint}")
    }
}

/// The block type whose attributes are locals, as paths call it.
pub(crate) const LOCAL: &str = "local";

/// Paths listed if none is near.
const SHOWN: usize = 5;

/// What a path leads to.
pub(crate) enum Found<'v, 's> {
    Value(Value<'s>),
    Blocks(Vec<BlockValues<'s>>),
    /// The locals of these results.
    Locals(&'v [Values<'s>]),
}

/// Returns the blocks to which a path leads. Labels that it leaves out at its end may be any. Each level of
/// recursion consumes at least one name.
fn blocks<'s>(body: BodyValues<'s>, path: &[String]) -> Vec<BlockValues<'s>> {
    let Some((kind, path)) = path.split_first() else { return Vec::new() };
    let of_kind = body.blocks().filter(|block| block.kind() == kind);
    let below = |block: BlockValues<'s>| {
        let labels: Vec<&str> = block.labels().collect();
        let shared = labels.len().min(path.len());
        let (named, rest) = path.split_at(shared);
        if !named.iter().zip(&labels).all(|(name, label)| name == label) {
            return Vec::new();
        }
        if rest.is_empty() { vec![block] } else { blocks(block.body(), rest) }
    };
    of_kind.flat_map(below).collect()
}

/// Returns the paths of all attributes and blocks of a file.
fn paths(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), document.body())];
    while let Some((prefix, body)) = open.pop() {
        found.extend(body.attributes().map(|attribute| format!("{prefix}{}", quoted(attribute.name()))));
        for block in body.blocks() {
            let below = below_block(&prefix, block.kind(), block.labels());
            found.extend(below.strip_suffix('.').map(str::to_owned));
            open.push((below, block.body()));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Looks up a path. Each level of recursion consumes at least one name of it.
pub(crate) fn defined<'d>(body: Body<'d>, path: &[&str]) -> Option<Attribute<'d>> {
    match path {
        [] => None,
        [name] => body.attribute(name),
        [kind, rest @ ..] => {
            body.blocks_of(kind).find_map(|block| defined(block.body(), below(rest, block.labels())?))
        }
    }
}

/// Strips the labels of a block from the start of a path. Returns `None` if it starts differently.
fn below<'p, 'n, 'l>(path: &'p [&'n str], labels: impl Iterator<Item = &'l str>) -> Option<&'p [&'n str]> {
    let mut rest = path;
    for label in labels {
        let (first, after) = rest.split_first()?;
        if *first != label {
            return None;
        }
        rest = after;
    }
    Some(rest)
}
