//! All values of an evaluated module, each with its path, to compare two evaluations.

use std::collections::BTreeMap;

use hclvm::Value;
use hclvm::module::AttributePath;

use crate::evaluated::Body;
use crate::locals::Local;
use crate::variables::Variable;

/// A value of a module and where it is: `var.region`, `local.name`, `data.http.image`,
/// `build.web.docker.app.image`, `job.web.group.api.count`. The second of equal blocks is followed by 1.
#[derive(Clone, Debug)]
pub struct PathValue<'e> {
    /// The path.
    pub path: AttributePath,
    /// The value.
    pub value: Value<'e>,
    /// True for a variable or local whose value is not to be shown. Its texts may be part of other values.
    pub sensitive: bool,
}

/// Returns the values of variables and locals.
pub(crate) fn of_declared<'e>(variables: &'e [Variable], locals: &'e [Local]) -> Vec<PathValue<'e>> {
    let variables = variables.iter().map(|one| PathValue {
        path: ["var", one.name()].into_iter().collect(),
        value: one.value(),
        sensitive: one.is_sensitive(),
    });
    let locals = locals.iter().map(|one| PathValue {
        path: ["local", one.name()].into_iter().collect(),
        value: one.value(),
        sensitive: one.is_sensitive(),
    });
    variables.chain(locals).collect()
}

/// Collects values of bodies.
#[derive(Debug, Default)]
pub(crate) struct Paths<'e>(Vec<PathValue<'e>>);

impl<'e> Paths<'e> {
    pub(crate) fn add(&mut self, names: &[String], value: Value<'e>) {
        self.0.push(PathValue { path: names.iter().collect(), value, sensitive: false });
    }

    /// Adds the attributes of a body and of its blocks, which are nested as deep as the text that wrote them.
    pub(crate) fn add_body(&mut self, names: &mut Vec<String>, body: &'e Body) {
        let outer = names.len();
        for (name, value) in body.attributes() {
            names.push(name.to_owned());
            self.add(names, value);
            names.truncate(outer);
        }
        let mut siblings = Siblings::default();
        for block in body.blocks() {
            siblings.enter(names, std::iter::once(block.kind()).chain(block.shown_labels()));
            match block.pending() {
                Some(for_each) => self.add(names, for_each),
                None => self.add_body(names, block.body()),
            }
            names.truncate(outer);
        }
    }

    pub(crate) fn finish(self) -> Vec<PathValue<'e>> {
        self.0
    }
}

/// Distinguishes the neighbours that have equal names.
#[derive(Debug, Default)]
pub(crate) struct Siblings(BTreeMap<Vec<String>, usize>);

impl Siblings {
    /// Appends the names of the next neighbour, and its number if it is not the first with these names.
    pub(crate) fn enter<'n>(&mut self, path: &mut Vec<String>, names: impl IntoIterator<Item = &'n str>) {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        path.extend(names.iter().cloned());
        let seen = self.0.entry(names).or_default();
        if *seen > 0 {
            path.push(seen.to_string());
        }
        *seen += 1;
    }
}
