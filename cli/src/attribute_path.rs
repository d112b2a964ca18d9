//! Paths to attributes: `rule.allow-owner.when`, `local.risk`, `job."a.b".group.count`.
//!
//! A block is named by its type and labels. If several blocks match, the first one that has the
//! attribute is used. As in expressions, `local` means all `locals` blocks of the file.

use std::fmt;
use std::str::FromStr;

use hclvm::module::{BlockResult, BodyResult, ModuleResult};
use hclvm::{Attribute, Body, Document, Value};

/// The path to an attribute: the names of its blocks and its own.
#[derive(Clone, Debug)]
pub(crate) struct AttributePath(Vec<String>);

impl FromStr for AttributePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut names = Vec::new();
        let mut rest = text;
        loop {
            let (name, after) = segment(rest)?;
            names.push(name);
            match after.strip_prefix('.') {
                Some(next) => rest = next,
                None if after.is_empty() => return Ok(Self(names)),
                None => return Err("expected a dot after a quoted name".to_owned()),
            }
        }
    }
}

/// Splits off the first name of a path.
fn segment(text: &str) -> Result<(String, &str), String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (name, after) = quoted.split_once('"').ok_or("a quoted name is missing its closing quote")?;
        return Ok((name.to_owned(), after));
    }
    let end = text.find('.').unwrap_or(text.len());
    match &text[..end] {
        "" => Err("a name is empty".to_owned()),
        name => Ok((name.to_owned(), &text[end..])),
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(|name| quoted(name)).collect::<Vec<_>>().join("."))
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
        let [blocks @ .., _] = self.0.as_slice() else { return String::new() };
        blocks.iter().map(|name| quoted(name) + ".").collect::<Vec<_>>().concat()
    }

    /// Returns the definition of the attribute in a file.
    pub(crate) fn definition<'d>(&self, document: &'d Document) -> Option<Attribute<'d>> {
        if let [scope, name] = self.0.as_slice()
            && scope == "local"
        {
            let mut blocks = document.body().blocks_of("locals");
            return blocks.find_map(|block| block.attribute(name));
        }
        defined(document.body(), &self.0)
    }

    /// Returns the value of the attribute in a result.
    pub(crate) fn value<'a>(&self, result: &ModuleResult<'a>) -> Option<Value<'a>> {
        if let [scope, name] = self.0.as_slice()
            && scope == "local"
        {
            return result.locals.iter().find(|(local, _)| *local == name).map(|(_, value)| *value);
        }
        valued(&result.body, &self.0)
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

fn valued<'a>(body: &BodyResult<'a>, path: &[String]) -> Option<Value<'a>> {
    match path {
        [] => None,
        [name] => body.attribute(name),
        [wanted, rest @ ..] => body.blocks.iter().find_map(|block| match block {
            BlockResult::Block { kind, labels, body } if kind == wanted => {
                valued(body, below(rest, labels.iter().copied())?)
            }
            BlockResult::Pending { kind, .. } if kind == wanted => Some(Value::DYNAMIC),
            _ => None,
        }),
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
