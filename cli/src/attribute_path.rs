//! Paths to attributes: `rule.allow-owner.when`, `local.risk`, `job."a.b".group.count`.
//!
//! A block is named by its type and its labels, of several that match the first that has the
//! attribute counts; `local` stands for all `locals` blocks, as it does in expressions.

use std::fmt;
use std::str::FromStr;

use hclvm::module::{BlockResult, BodyResult, ModuleResult};
use hclvm::{Attribute, Body, Document, Value};

/// The names on the way to an attribute.
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
                None => return Err("a dot has to follow a quoted name".to_owned()),
            }
        }
    }
}

/// The first name of a path and what follows it.
fn segment(text: &str) -> Result<(String, &str), String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (name, after) = quoted.split_once('"').ok_or("a quoted name has no end")?;
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

/// A name as it stands in a path.
pub(crate) fn quoted(name: &str) -> String {
    if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() }
}

/// Bytes of a path to a block that are shown: there may be as many attributes as there are bytes
/// in a label.
const LONGEST: usize = 256;

/// The beginning of the paths below a block of the block `above`: its type and its labels; a
/// `locals` block of the file is `local`.
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
    /// The beginning of the path, up to the attribute's own name.
    pub(crate) fn block(&self) -> String {
        let [blocks @ .., _] = self.0.as_slice() else { return String::new() };
        blocks.iter().map(|name| quoted(name) + ".").collect::<Vec<_>>().concat()
    }

    /// The attribute's definition in a file.
    pub(crate) fn definition<'d>(&self, document: &'d Document) -> Option<Attribute<'d>> {
        if let [scope, name] = self.0.as_slice()
            && scope == "local"
        {
            let mut blocks = document.body().blocks_of("locals");
            return blocks.find_map(|block| block.attribute(name));
        }
        defined(document.body(), &self.0)
    }

    /// The attribute's value in a result.
    pub(crate) fn value<'a>(&self, result: &ModuleResult<'a>) -> Option<Value<'a>> {
        if let [scope, name] = self.0.as_slice()
            && scope == "local"
        {
            return result.locals.iter().find(|(local, _)| *local == name).map(|(_, value)| *value);
        }
        valued(&result.body, &self.0)
    }
}

/// Looks a path up; each level of recursion takes at least one name off it.
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

/// What is left of a path after the labels of a block, if it begins with them.
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
