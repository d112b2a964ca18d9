//! What a template has beside variables and locals: the outputs of data sources, and builds; all of their values with
//! paths.

use hclvm::{OwnedValue, Value};

use super::build::{Build, Provisioner, Source};
use super::data::Outputs;
use super::registry::REGISTRY;
use super::{output, roots};
use crate::evaluated::Body;
use crate::evaluation::ModuleContent;
use crate::marks::Marking;
use crate::output::{Members, Selection};
use crate::paths::{PathValue, Paths, Siblings};

/// The parts of a template other than variables and locals.
#[derive(Clone, Debug, Default)]
pub struct Template {
    pub(super) data: Outputs,
    pub(super) builds: Vec<Build>,
    /// The values of the builder while it runs.
    pub(super) builder: Vec<(String, OwnedValue)>,
    pub(super) sources: Vec<Source>,
    pub(super) registry: Option<Body>,
}

impl Template {
    /// Iterates over type, name and output of the data sources.
    pub fn data(&self) -> impl Iterator<Item = (&str, &str, Value<'_>)> {
        self.data.iter().flat_map(|(kind, outputs)| {
            outputs.iter().map(move |(name, value)| (kind.as_str(), name.as_str(), value.get()))
        })
    }

    /// Returns the builds.
    pub fn builds(&self) -> &[Build] {
        &self.builds
    }

    /// Returns the arguments of its `hcp_packer_registry`, beside those in builds.
    pub fn registry(&self) -> Option<&Body> {
        self.registry.as_ref()
    }

    /// Returns true if it or one of its builds has a registry.
    pub(super) fn has_registry(&self) -> bool {
        self.registry.is_some() || self.builds.iter().any(|build| build.registry().is_some())
    }

    /// Returns the sources that no build uses. Packer does not evaluate them, so that their problems are not reported;
    /// their values are those outside of builds.
    pub fn unused_sources(&self) -> &[Source] {
        &self.sources
    }

    /// Returns `build` in the bodies of a build.
    pub(super) fn build_value(&self, at: usize, marking: Marking) -> OwnedValue {
        let name = self.builds.get(at).map(Build::name_given).cloned().unwrap_or_default();
        roots::build(&name, marking, &self.builder)
    }

    /// Removes the marks that results must not have.
    pub(super) fn leave_marks(&mut self, marking: Marking) {
        self.builds.iter_mut().for_each(|build| build.leave_marks(marking));
        self.sources.iter_mut().for_each(|source| source.leave_marks(marking));
        self.registry.iter_mut().for_each(|registry| registry.leave_marks(marking));
    }
}

impl ModuleContent for Template {
    fn values(&self) -> Vec<PathValue<'_>> {
        let mut paths = Paths::default();
        for (kind, name, output) in self.data() {
            paths.add(&["data".to_owned(), kind.to_owned(), name.to_owned()], output);
        }
        if let Some(registry) = &self.registry {
            paths.add_body(&mut vec![REGISTRY.to_owned()], registry);
        }
        let mut builds = Siblings::default();
        for build in self.builds() {
            let mut names = Vec::new();
            builds.enter(&mut names, std::iter::once("build").chain(build.shown_name()));
            let (mut sources, outer) = (Siblings::default(), names.len());
            if let Some(registry) = build.registry() {
                names.push(REGISTRY.to_owned());
                paths.add_body(&mut names, registry);
                names.truncate(outer);
            }
            for source in build.sources() {
                sources.enter(&mut names, source.shown_names());
                add_source(source, &mut names, &mut paths);
                names.truncate(outer);
            }
        }
        let mut unused = Siblings::default();
        for source in self.unused_sources() {
            let mut names = Vec::new();
            unused.enter(&mut names, ["source", source.kind(), source.name()]);
            add_source(source, &mut names, &mut paths);
        }
        paths.finish()
    }

    fn output(&self, only: &[String]) -> Members<'_> {
        self.selected(&Selection { only: only.to_vec(), except: Vec::new() })
    }

    fn selected(&self, selection: &Selection) -> Members<'_> {
        output::members(self, selection)
    }
}

fn add_source<'e>(source: &'e Source, names: &mut Vec<String>, paths: &mut Paths<'e>) {
    paths.add_body(names, source.body());
    let mut steps = Siblings::default();
    for one in source.provisioners() {
        add_step("provisioner", one, names, &mut steps, paths);
    }
    if let Some(one) = source.error_cleanup() {
        add_step("error-cleanup-provisioner", one, names, &mut steps, paths);
    }
    for one in source.post_processors().iter().flatten() {
        add_step("post-processor", one, names, &mut steps, paths);
    }
}

fn add_step<'e>(
    kind: &str,
    step: &'e Provisioner,
    names: &mut Vec<String>,
    siblings: &mut Siblings,
    paths: &mut Paths<'e>,
) {
    let outer = names.len();
    siblings.enter(names, [kind, step.shown_kind()]);
    paths.add_body(names, step.arguments());
    paths.add_body(names, step.body());
    if let Some(overrides) = step.overrides() {
        names.push("override".to_owned());
        paths.add(names, overrides);
    }
    names.truncate(outer);
}
