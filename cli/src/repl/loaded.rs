//! The values of a loaded file as expressions see them: `local.NAME`, attributes by their names, and blocks as
//! objects: `rule.allow-owner.when`. Of equal blocks the first one that has an attribute counts, as in paths.
//!
//! Nothing is evaluated but what an expression uses, so that a file is useful before all of its variables have
//! values.

use std::collections::BTreeMap;

use hclvm::analysis::Need;
use hclvm::module::{AttributePath, BlockValues, BodyValues, Values};
use hclvm::value::{Arena, Entry};
use hclvm::{Body, Diagnostics, Document, Error, Module, OwnedValue, Session, Value};

use crate::attribute_path::{self, LOCAL};
use crate::bindings::Bindings;
use crate::report::diagnostics_of;

/// A file, or nothing.
#[derive(Default)]
pub(super) struct LoadedFile {
    modules: Vec<Module>,
    /// The names that lead to values, sorted.
    roots: Vec<String>,
}

impl LoadedFile {
    /// Prepares the documents of a file or folder.
    ///
    /// # Errors
    /// Locals that are defined twice or form a cycle.
    pub(super) fn new(documents: Vec<Document>) -> Result<Self, Error> {
        let modules = documents.iter().map(Document::module).collect::<Result<_, _>>()?;
        let loaded = Self { modules, roots: Vec::new() };
        Ok(Self { roots: loaded.members(&[]), ..loaded })
    }

    fn bodies(&self) -> impl Iterator<Item = Body<'_>> {
        self.modules.iter().map(|module| module.document().body())
    }

    /// Returns the names that lead to values, sorted.
    pub(super) fn roots(&self) -> &[String] {
        &self.roots
    }

    /// Returns true if a name leads to values.
    pub(super) fn has_root(&self, name: &str) -> bool {
        self.roots.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }

    /// Returns the names below a path of names.
    pub(super) fn members(&self, path: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for body in self.bodies() {
            if let [LOCAL] = path {
                let locals = body.blocks_of("locals").flat_map(|block| block.body().attributes());
                found.extend(locals.map(|attribute| attribute.name().to_owned()));
            } else {
                members(body, path, &mut found);
            }
        }
        if path.is_empty() {
            found.iter_mut().filter(|name| *name == "locals").for_each(|name| LOCAL.clone_into(name));
        }
        found.sort();
        found.dedup();
        found
    }

    /// Returns the values of names that an expression uses, each with what it needs of it. With `by_names`,
    /// undefined names are text, so the file is compiled for the variables there are.
    ///
    /// # Errors
    /// The problems of each file in these parts.
    pub(super) fn values<'n>(
        &self,
        needs: impl Iterator<Item = (&'n str, &'n Need)>,
        by_names: bool,
        bindings: &Bindings,
        session: &mut Session,
    ) -> Result<Vec<(&'n str, OwnedValue)>, Vec<Diagnostics>> {
        let needs: Vec<_> = needs.filter(|(root, _)| self.has_root(root)).collect();
        let mut paths = Vec::new();
        for (root, need) in &needs {
            self.add_paths(vec![root], need, &mut paths);
        }
        let mut found = Members::new();
        for module in self.modules.iter().filter(|_| !needs.is_empty()) {
            let failed = |error: Error| diagnostics_of(&error, module.document().source().name()).by_file();
            let module = if by_names {
                module.document().module_for(bindings.iter().map(|(name, _)| name)).map_err(failed)?
            } else {
                module.clone()
            };
            let module = module.select(&paths).map_err(failed)?;
            let mut scope = module.scope();
            bindings.fill(&mut scope).map_err(failed)?;
            let values = module.evaluate(session, &scope).map_err(failed)?;
            if values.diagnostics().has_errors() {
                return Err(values.diagnostics().by_file());
            }
            add(&values, &mut found);
        }
        for (root, need) in &needs {
            below(&mut found, root);
            self.add_names(vec![root], need, &mut found);
        }
        let arena = Arena::new();
        let value = |root: &str| found.get(root).map(|part| OwnedValue::new(part.value(&arena)));
        Ok(needs.into_iter().filter_map(|(root, _)| Some((root, value(root)?))).collect())
    }

    /// Adds the paths of the attributes and blocks that are needed below a path. Needs are at most 64 levels
    /// deep.
    fn add_paths(&self, path: Vec<&str>, need: &Need, paths: &mut Vec<AttributePath>) {
        let is_made = |kind: &str| self.bodies().any(|body| body.block("dynamic", [kind]).is_some());
        let is_attribute = match path.as_slice() {
            [LOCAL, _] => true,
            [kind] if is_made(kind) => true,
            names => self.bodies().any(|body| attribute_path::defined(body, names).is_some()),
        };
        if need.is_whole() || is_attribute {
            paths.push(path.into_iter().collect());
            return;
        }
        for name in need.names() {
            let Some(below) = need.attribute(name) else { continue };
            self.add_paths(path.iter().copied().chain([name.as_str()]).collect(), below, paths);
        }
    }

    /// Adds the other names there are beside those that are needed, without their values: problems of names
    /// that do not exist propose them.
    fn add_names(&self, path: Vec<&str>, need: &Need, found: &mut Members) {
        if need.is_whole() {
            return;
        }
        let Some(NamedPart::Members(members)) = path.last().and_then(|name| found.get_mut(*name)) else {
            return;
        };
        for name in need.names() {
            let Some(below) = need.attribute(name) else { continue };
            self.add_names(path.iter().copied().chain([name.as_str()]).collect(), below, members);
        }
        for name in self.members(&path) {
            members.entry(name).or_insert_with(|| NamedPart::Value(OwnedValue::new(Value::DYNAMIC)));
        }
    }
}

/// Adds the names below a path of block types and labels.
fn members(body: Body<'_>, path: &[&str], found: &mut Vec<String>) {
    let Some((kind, rest)) = path.split_first() else {
        found.extend(body.attributes().map(|attribute| attribute.name().to_owned()));
        for block in body.blocks() {
            let made = (block.kind() == "dynamic").then(|| block.labels().next()).flatten();
            found.push(made.unwrap_or(block.kind()).to_owned());
        }
        return;
    };
    for block in body.blocks_of(kind) {
        let labels: Vec<&str> = block.labels().collect();
        let shared = labels.len().min(rest.len());
        if labels[..shared] != rest[..shared] {
            continue;
        }
        match labels.get(rest.len()) {
            Some(label) => found.push((*label).to_owned()),
            None => members(block.body(), &rest[shared..], found),
        }
    }
}

/// Values by name.
type Members = BTreeMap<String, NamedPart>;

/// A value, or values by name.
enum NamedPart {
    Value(OwnedValue),
    Members(Members),
}

impl NamedPart {
    fn value<'a>(&'a self, arena: &'a Arena) -> Value<'a> {
        match self {
            Self::Value(value) => value.get(),
            Self::Members(members) => {
                let entries: Vec<Entry<'a>> =
                    members.iter().map(|(name, part)| Entry::new(name, part.value(arena))).collect();
                Value::object(arena, arena.slice(&entries))
            }
        }
    }
}

/// Adds the values of a file.
fn add(values: &Values<'_>, found: &mut Members) {
    if values.locals().len() > 0
        && let Some(locals) = below(found, LOCAL)
    {
        for (name, value) in values.locals() {
            locals.entry(name.to_owned()).or_insert_with(|| NamedPart::Value(OwnedValue::new(value)));
        }
    }
    add_body(values.body(), found);
}

fn add_body(body: BodyValues<'_>, found: &mut Members) {
    for (name, value) in body.attributes() {
        found.entry(name.to_owned()).or_insert_with(|| NamedPart::Value(OwnedValue::new(value)));
    }
    for block in body.blocks() {
        add_block(block, found);
    }
}

fn add_block(block: BlockValues<'_>, found: &mut Members) {
    if block.pending().is_some() {
        found
            .entry(block.kind().to_owned())
            .or_insert_with(|| NamedPart::Value(OwnedValue::new(Value::DYNAMIC)));
        return;
    }
    let mut names = std::iter::once(block.kind()).chain(block.labels());
    if let Some(members) = names.try_fold(found, below) {
        add_body(block.body(), members);
    }
}

/// Returns the members of a name; `None` if it has a value.
fn below<'m>(members: &'m mut Members, name: &str) -> Option<&'m mut Members> {
    match members.entry(name.to_owned()).or_insert_with(|| NamedPart::Members(Members::new())) {
        NamedPart::Members(members) => Some(members),
        NamedPart::Value(_) => None,
    }
}
