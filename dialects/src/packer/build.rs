//! Builds: the sources of each, and the bodies that are evaluated for each source.
//!
//! ```text
//! build { name, sources }  ─▶ header: build = {name}, source unknown; dynamic blocks are expanded here
//!   for each source        ─▶ its body: source known
//!     for each provisioner and post-processor that its only and except admit
//!                          ─▶ its body: source known, build = the builder's values or placeholders
//! ```

mod common;
mod header;
mod parts;

use std::collections::{HashMap, HashSet};

use hclvm::expansion::Expansion;
use hclvm::{Block, Document, Error, OwnedValue, Scope, Session, Value};
use smol_str::SmolStr;

use super::declarations::TOP;
use super::elsewhere::Elsewhere;
use super::instance::SourceBody;
use super::registry::{self, REGISTRY};
use super::roots;
use crate::evaluated::Body;
use crate::fuel::Fuel;
use crate::marks::{ExpressionName, Marking};
use crate::paths::Siblings;
use crate::problems::{Problems, TextRange};
use crate::watch::Watch;
use common::BuildStepKind;
use header::Header;
use parts::{BuildParts, SourceName, SourceUse};

/// A build with its sources.
#[derive(Clone, Debug)]
pub struct Build {
    name: ExpressionName,
    description: Option<String>,
    registry: Option<Body>,
    sources: Vec<Source>,
}

impl Build {
    /// Returns its name; empty if it has none. It may hold a [secret](super::Evaluation::secrets).
    pub fn name(&self) -> &str {
        &self.name.text
    }

    pub(super) fn name_given(&self) -> &ExpressionName {
        &self.name
    }

    /// Returns its name as paths show it, if it has one.
    pub(super) fn shown_name(&self) -> Option<&str> {
        Some(self.name.shown()).filter(|name| !name.is_empty())
    }

    /// Returns its description.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns the arguments of its `hcp_packer_registry`.
    pub fn registry(&self) -> Option<&Body> {
        self.registry.as_ref()
    }

    /// Removes the marks that results must not have.
    pub(super) fn leave_marks(&mut self, marking: Marking) {
        self.registry.iter_mut().for_each(|registry| registry.leave_marks(marking));
        self.sources.iter_mut().for_each(|source| source.leave_marks(marking));
    }

    pub(super) fn source_mut(&mut self, at: usize) -> Option<&mut Source> {
        self.sources.get_mut(at)
    }

    /// Returns its sources, in the order in which they are built.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }
}

/// A source of a build, with all bodies evaluated for it.
#[derive(Clone, Debug)]
pub struct Source {
    kind: ExpressionName,
    name: ExpressionName,
    body: Body,
    provisioners: Vec<Provisioner>,
    error_cleanup: Option<Provisioner>,
    post_processors: Vec<Vec<PostProcessor>>,
}

impl Source {
    /// Creates a source that no build uses.
    fn unused(kind: &str, name: &str, body: Body) -> Self {
        let (provisioners, error_cleanup, post_processors) = (Vec::new(), None, Vec::new());
        let (kind, name) = (ExpressionName::new(kind, false), ExpressionName::new(name, false));
        Self { kind, name, body, provisioners, error_cleanup, post_processors }
    }

    /// Returns its type.
    pub fn kind(&self) -> &str {
        &self.kind.text
    }

    /// Returns the name that it has in the build.
    pub fn name(&self) -> &str {
        &self.name.text
    }

    /// Returns true if its type or name depends on sensitive values, so that both are not to be shown.
    pub fn has_sensitive_name(&self) -> bool {
        self.kind.sensitive || self.name.sensitive
    }

    /// Returns its type and name as paths show them.
    pub(super) fn shown_names(&self) -> [&str; 2] {
        [self.kind.shown(), self.name.shown()]
    }

    /// Returns `source` in its bodies.
    pub(super) fn root(&self, marking: Marking) -> OwnedValue {
        roots::source(&self.kind, &self.name, marking)
    }

    /// Removes the marks that results must not have.
    pub(super) fn leave_marks(&mut self, marking: Marking) {
        self.body.leave_marks(marking);
        let sequences = self.post_processors.iter_mut().flatten();
        for step in self.provisioners.iter_mut().chain(sequences).chain(&mut self.error_cleanup) {
            step.arguments.leave_marks(marking);
            step.body.leave_marks(marking);
            step.overrides = step.overrides.take().map(|value| marking.result(value));
        }
    }

    /// Returns its body: that of the definition, and the one in the build.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Returns the provisioners that run for it.
    pub fn provisioners(&self) -> &[Provisioner] {
        &self.provisioners
    }

    /// Returns the provisioner that runs after an error.
    pub fn error_cleanup(&self) -> Option<&Provisioner> {
        self.error_cleanup.as_ref()
    }

    /// Calls `visit` with each of its bodies.
    pub(super) fn each_body(&self, mut visit: impl FnMut(SourceBody, &Body)) {
        visit(SourceBody::Source, &self.body);
        for (at, one) in self.provisioners.iter().enumerate() {
            visit(SourceBody::Provisioner(at), &one.body);
        }
        for (at, sequence) in self.post_processors.iter().enumerate() {
            for (step, one) in sequence.iter().enumerate() {
                visit(SourceBody::PostProcessor(at, step), &one.body);
            }
        }
        if let Some(one) = &self.error_cleanup {
            visit(SourceBody::ErrorCleanup, &one.body);
        }
    }

    /// Returns one of its bodies.
    pub(super) fn body_mut(&mut self, step: SourceBody) -> Option<&mut Body> {
        Some(match step {
            SourceBody::Source => &mut self.body,
            SourceBody::Provisioner(at) => &mut self.provisioners.get_mut(at)?.body,
            SourceBody::PostProcessor(at, step) => &mut self.post_processors.get_mut(at)?.get_mut(step)?.body,
            SourceBody::ErrorCleanup => &mut self.error_cleanup.as_mut()?.body,
        })
    }

    /// Returns the post-processors that run for it, in sequences that each begin with its artifact.
    pub fn post_processors(&self) -> &[Vec<PostProcessor>] {
        &self.post_processors
    }
}

/// A provisioner, or a post-processor, with its body evaluated for one source.
#[derive(Clone, Debug)]
pub struct Provisioner {
    kind: ExpressionName,
    name: Option<String>,
    arguments: Body,
    overrides: Option<OwnedValue>,
    body: Body,
}

/// A post-processor is described as a provisioner is.
pub type PostProcessor = Provisioner;

impl Provisioner {
    /// Returns its type.
    pub fn kind(&self) -> &str {
        &self.kind.text
    }

    /// Returns true if its type depends on sensitive values, so that it is not to be shown.
    pub fn has_sensitive_kind(&self) -> bool {
        self.kind.sensitive
    }

    /// Returns its type as paths show it.
    pub(super) fn shown_kind(&self) -> &str {
        self.kind.shown()
    }

    /// Returns its name, if it has one. It may hold a [secret](super::Evaluation::secrets).
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the arguments that all provisioners or all post-processors may have, such as `timeout` and `only`.
    pub fn arguments(&self) -> &Body {
        &self.arguments
    }

    /// Returns the object of arguments that replace those of the body for this source: its part of `override`.
    pub fn overrides(&self) -> Option<Value<'_>> {
        self.overrides.as_ref().map(OwnedValue::get)
    }

    /// Returns its body without the arguments that all of them have.
    pub fn body(&self) -> &Body {
        &self.body
    }
}

/// Returns true if all provisioners or all post-processors have an argument.
pub(super) fn is_common(name: &str) -> bool {
    [BuildStepKind::Provisioner, BuildStepKind::PostProcessor]
        .iter()
        .any(|one| one.arguments().contains(&name))
}

/// A source definition at the top level.
#[derive(Clone, Copy)]
struct SourceDefinition<'d> {
    document: &'d Document,
    block: Block<'d>,
}

/// Evaluates the builds of a template.
pub(super) struct BuildEvaluator<'r> {
    pub(super) documents: &'r [Document],
    pub(super) session: &'r mut Session,
    pub(super) scope: &'r mut Scope,
    /// The values of the builder while it runs; empty before.
    pub(super) given: &'r [(String, OwnedValue)],
    /// True if variables may be unknown, so that nothing is wrong with a header that is.
    pub(super) accepts_unknown: bool,
    pub(super) fuel: &'r mut Fuel,
    pub(super) marking: Marking,
    pub(super) watch: &'r Watch<'r>,
    /// The names of the builds.
    pub(super) siblings: Siblings,
    /// True if sources may be defined in other files that are not known.
    pub(super) is_partial: bool,
    /// The declarations of other files.
    pub(super) elsewhere: &'r Elsewhere,
    /// The arguments of `hcp_packer_registry` of the template.
    pub(super) registry: Option<Body>,
    /// Types and names of the definitions that builds use.
    pub(super) used: HashSet<(SmolStr, SmolStr)>,
    pub(super) problems: BuildProblems,
}

/// The problems of builds, in the order in which they are reported. Those of bodies are reported if there are no others.
#[derive(Default)]
pub(super) struct BuildProblems {
    pub(super) headers: Problems,
    /// References to sources that are not defined.
    pub(super) unknown: Problems,
    pub(super) bodies: Problems,
}

impl<'r> BuildEvaluator<'r> {
    /// Evaluates all builds. Returns them, and the sources that none of them uses.
    pub(super) fn builds(&mut self) -> (Vec<Build>, Vec<Source>) {
        let documents = self.documents;
        let contents: Vec<_> = documents.iter().map(|one| one.body().content_lenient(&TOP).0).collect();
        let all = || {
            documents.iter().zip(&contents).flat_map(|(document, content)| {
                content.blocks.iter().map(move |block| SourceDefinition { document, block: *block })
            })
        };
        let mut definitions: HashMap<(&str, &str), SourceDefinition<'r>> = HashMap::new();
        for one in all().filter(|one| one.block.kind() == "source") {
            definitions.entry(labels(one.block)).or_insert(one);
        }
        let mut builds = Vec::new();
        let mut has_registry = false;
        for one in all() {
            match one.block.kind() {
                REGISTRY if std::mem::replace(&mut has_registry, true) => {
                    let detail = "Another one is in the template. Its builds are published to one registry.";
                    let place = TextRange::of_block(one.document, one.block);
                    self.problems.headers.error(&place, "Only one hcp_packer_registry is allowed", detail);
                }
                REGISTRY => {
                    if let Err(error) = self.read_registry(one) {
                        self.problems.headers.add(error.to_diagnostics(one.document.source().name()));
                    }
                }
                "source" => self.check_definition(one, &definitions),
                "build" => match self.build(one, &definitions) {
                    Ok(build) => builds.extend(build),
                    Err(error) => {
                        self.problems.headers.add(error.to_diagnostics(one.document.source().name()));
                    }
                },
                _ => {}
            }
        }
        let unused = all().filter(|one| one.block.kind() == "source" && !self.uses(*one)).collect::<Vec<_>>();
        (builds, unused.into_iter().filter_map(|one| self.unused(one).ok()).collect())
    }

    /// Evaluates the registry of the template.
    fn read_registry(&mut self, block: SourceDefinition<'r>) -> Result<(), Error> {
        let mut expansion = self.session.expand(block.document, self.scope)?;
        let (view, place) =
            (expansion.written(block.block.body()), TextRange::of_block(block.document, block.block));
        let (watch, problems) = (self.watch, &mut self.problems.headers);
        self.registry =
            watch.below([REGISTRY], || registry::read(&mut expansion, view, &place, watch, problems))?;
        self.fuel.spend(expansion.fuel(), block.document.source(), block.block.header_span())
    }

    fn uses(&self, definition: SourceDefinition<'_>) -> bool {
        let (kind, name) = labels(definition.block);
        self.used.contains(&(kind.into(), name.into()))
    }

    /// Evaluates the body of a source that no build uses.
    fn unused(&mut self, definition: SourceDefinition<'r>) -> Result<Source, Error> {
        let mut expansion = self.session.expand(definition.document, self.scope)?;
        let view = expansion.written(definition.block.body());
        let (kind, name) = labels(definition.block);
        let body = self
            .watch
            .below(["source", kind, name], || Body::read(&mut expansion, view, &|_| false, self.watch))?;
        let found = expansion.take_diagnostics();
        self.fuel.spend(expansion.fuel(), definition.document.source(), definition.block.header_span())?;
        if self.is_partial || self.elsewhere.has_builds {
            self.problems.bodies.add(found);
        }
        Ok(Source::unused(kind, name, body))
    }

    /// Reports a source that is defined twice.
    fn check_definition(
        &mut self,
        one: SourceDefinition<'r>,
        definitions: &HashMap<(&str, &str), SourceDefinition<'r>>,
    ) {
        let Some(first) = definitions.get(&labels(one.block)) else { return };
        let (place, first) =
            (TextRange::of_block(one.document, one.block), TextRange::of_block(first.document, first.block));
        if place != first {
            let detail = format!("This source is already defined at {}.", first.line());
            self.problems.headers.error(&place, "Duplicate source block", detail);
        }
    }

    /// Evaluates a build; returns `None` after reporting problems of its header.
    fn build(
        &mut self,
        build: SourceDefinition<'r>,
        definitions: &HashMap<(&'r str, &'r str), SourceDefinition<'r>>,
    ) -> Result<Option<Build>, Error> {
        let SourceDefinition { document, block } = build;
        self.scope.set_value("build", roots::no_build().get())?;
        let mut problems = Problems::default();
        let head = Header::read(block, self.session, self.scope, self.accepts_unknown, &mut problems)?;
        if problems.has_errors() {
            self.problems.headers.append(problems);
            return Ok(None);
        }
        let mut names = Vec::new();
        let named = Some(head.name.shown()).filter(|name| !name.is_empty());
        self.siblings.enter(&mut names, std::iter::once("build").chain(named));
        let watch = self.watch;
        watch.below(&names, || {
            let mut attributes = block.body().attributes().filter(|_| !document.is_json());
            attributes.try_for_each(|attribute| watch.header(self.session, self.scope, attribute))
        })?;
        self.scope.set_value("build", roots::build_header(&head.name, self.marking).get())?;
        let mut expansion = self.session.expand(document, self.scope)?;
        let parts = watch.below(&names, || {
            read_parts(build, &head, self.accepts_unknown, &mut expansion, watch, &mut problems)
        })?;
        let has_errors = problems.has_errors();
        self.problems.headers.append(problems);
        let Some(mut parts) = parts.filter(|_| !has_errors) else { return Ok(None) };
        parts.sources.retain(|source| {
            let source = &source.name;
            self.used.insert((source.kind.text.clone(), source.definition.text.clone()));
            let is_known = definitions.contains_key(&source.key());
            let (kind, name) = source.key();
            if !(is_known || self.is_partial || self.elsewhere.has_source(kind, name)) {
                let title = format!("Unknown source {}", source.reference());
                let detail = unknown_source(source, definitions, self.problems.unknown.len());
                self.problems.unknown.error(&source.place, title, detail);
            }
            is_known
        });
        let (mut sources, mut siblings) = (Vec::new(), Siblings::default());
        for source in &parts.sources {
            let evaluated = watch.below(&names, || {
                watch.among(&mut siblings, source.name.names(), || {
                    parts.evaluate(&mut expansion, source, (&head.name, self.marking), self.given, watch)
                })
            })?;
            sources.push((source.name.clone(), evaluated));
        }
        self.fuel.spend(expansion.fuel(), document.source(), block.header_span())?;
        let registry = parts.registry.take();
        drop((parts, expansion));
        let mut build =
            Build { name: head.name, description: head.description, registry, sources: Vec::new() };
        self.scope.set_value("build", roots::no_build().get())?;
        let mut siblings = Siblings::default();
        for (used, (mut source, own, problems)) in sources {
            let mut found = Problems::default();
            if let Some(definition) = definitions.get(&used.key()) {
                let body = source.body;
                source.body = watch.below(&names, || {
                    watch.among(&mut siblings, used.names(), || {
                        self.body(*definition, &used, body, &mut found)
                    })
                })?;
            }
            found.append(own);
            // With a wrong body a source does not come to its provisioners.
            if !found.has_errors() {
                found.append(problems);
            }
            self.problems.bodies.append(found);
            build.sources.push(source);
        }
        self.scope.set_value("source", roots::no_source().get())?;
        Ok(Some(build))
    }

    /// Evaluates the body of a source definition, and adds the body that the build has for it.
    fn body(
        &mut self,
        definition: SourceDefinition<'r>,
        used: &SourceName,
        own: Body,
        problems: &mut Problems,
    ) -> Result<Body, Error> {
        self.scope.set_value("source", roots::source(&used.kind, &used.local, self.marking).get())?;
        let mut expansion = self.session.expand(definition.document, self.scope)?;
        let view = expansion.written(definition.block.body());
        let mut body = Body::read(&mut expansion, view, &|_| false, self.watch)?;
        problems.add(expansion.take_diagnostics());
        self.fuel.spend(expansion.fuel(), definition.document.source(), definition.block.header_span())?;
        for (name, _) in own.attributes() {
            if body.attribute(name).is_some() {
                let line = TextRange::of_block(definition.document, definition.block).line();
                let detail = format!("The argument \"{name}\" is already set in the source at {line}.");
                problems.error(&used.place, "Duplicate argument", detail);
            }
        }
        body.append(own);
        Ok(body)
    }
}

/// Reads the blocks of a build; `None` after reporting blocks that no build has.
fn read_parts<'r>(
    build: SourceDefinition<'r>,
    head: &Header,
    accepts_unknown: bool,
    expansion: &mut Expansion<'r>,
    watch: &Watch<'_>,
    problems: &mut Problems,
) -> Result<Option<BuildParts<'r>>, Error> {
    let SourceDefinition { document, block } = build;
    let mut listed = Vec::new();
    for (reference, place) in &head.sources {
        listed.extend(SourceName::of(reference, place.clone(), problems));
    }
    let view = expansion.written(block.body());
    let content = expansion.allow_marked_labels().content(view, &header::BUILD)?;
    problems.add(expansion.take_diagnostics());
    if problems.has_errors() {
        return Ok(None);
    }
    let mut parts = BuildParts::read(document, expansion, view, &content, accepts_unknown, watch, problems)?;
    let has_block = content.blocks.iter().any(|block| block.kind == "source");
    if head.sources.is_empty() && !has_block && !head.has_unknown_sources {
        let detail = "A build needs a source: `sources = [\"source.TYPE.NAME\"]`, or a block `source \"source.TYPE.NAME\"`.";
        problems.error(&TextRange::of_block(document, block), "missing source reference", detail);
    }
    let listed = listed.into_iter().map(SourceUse::listed);
    parts.sources.splice(0..0, listed);
    Ok(Some(parts))
}

/// Returns type and name of a source definition.
fn labels(block: Block<'_>) -> (&str, &str) {
    let mut labels = block.labels();
    (labels.next().unwrap_or_default(), labels.next().unwrap_or_default())
}

/// Returns the sentence about a source that nothing defines, after `others` about such sources.
fn unknown_source(
    source: &SourceName,
    definitions: &HashMap<(&str, &str), SourceDefinition<'_>>,
    others: usize,
) -> String {
    // A proposal takes time proportional to the definitions, and a file may have as many unknown sources.
    const MOST_PROPOSALS: usize = 100;
    const MOST_LISTED: usize = 20;
    if source.definition.sensitive {
        return "The reference is sensitive, and there is no source of this type and name.".to_owned();
    }
    let wanted = source.reference();
    if others >= MOST_PROPOSALS {
        return format!("There is no source \"{wanted}\".");
    }
    let mut known: Vec<String> = definitions.keys().map(|(kind, name)| format!("{kind}.{name}")).collect();
    known.sort();
    match hclvm::diagnostics::nearest(&wanted, known.iter().map(String::as_str)) {
        Some(near) => format!("There is no source \"{wanted}\". Did you mean \"{near}\"?"),
        None if known.is_empty() => "The template defines no source.".to_owned(),
        None if known.len() <= MOST_LISTED => {
            format!("There is no source \"{wanted}\". The template defines {}.", known.join(", "))
        }
        None => format!("There is no source \"{wanted}\". The template defines {} others.", known.len()),
    }
}
