//! All values of a template with their paths.

use super::{Evaluation, Provisioner, Source};
use crate::paths::{PathValue, Paths, Siblings};

impl Evaluation {
    /// Returns all values with their paths, to compare two evaluations. [Secrets](Self::secrets) are not hidden, except that
    /// names which depend on sensitive values are `<sensitive>` in paths.
    pub fn values(&self) -> Vec<PathValue<'_>> {
        let mut paths = Paths::of(self.variables(), self.locals());
        for (kind, name, output) in self.data() {
            paths.add(&["data".to_owned(), kind.to_owned(), name.to_owned()], output);
        }
        let mut builds = Siblings::default();
        for build in self.builds() {
            let mut names = Vec::new();
            builds.enter(&mut names, std::iter::once("build").chain(build.shown_name()));
            let (mut sources, outer) = (Siblings::default(), names.len());
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
