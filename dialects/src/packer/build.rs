//! Builds: the sources of each, and the bodies that are evaluated for each source.
//!
//! ```text
//! build { name, sources }  ─▶ header: build = {name}, source unknown; dynamic blocks are expanded here
//!   for each source        ─▶ its body: source known
//!     for each provisioner and post-processor that its only and except admit
//!                          ─▶ its body: source known, build = the builder's values or placeholders
//! ```

mod header;
mod parts;

use hclvm::{Block, Document, Error, OwnedValue, Scope, Session};
use smol_str::SmolStr;

use super::declarations::TOP;
use super::roots;
use crate::evaluated::Body;
use crate::problems::{Place, Problems};
use header::Header;
use parts::{Parts, SourceName};

/// A build with its sources.
#[derive(Clone, Debug)]
pub struct Build {
    name: String,
    description: Option<String>,
    sources: Vec<Source>,
}

impl Build {
    /// Returns its name; empty if it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its description.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns its sources, in the order in which they are built.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }
}

/// A source of a build, with all bodies evaluated for it.
#[derive(Clone, Debug)]
pub struct Source {
    kind: SmolStr,
    name: SmolStr,
    body: Body,
    provisioners: Vec<Provisioner>,
    error_cleanup: Option<Provisioner>,
    post_processors: Vec<Vec<PostProcessor>>,
}

impl Source {
    /// Returns its type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the name that it has in the build.
    pub fn name(&self) -> &str {
        &self.name
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

    /// Returns the post-processors that run for it, in sequences that each begin with its artifact.
    pub fn post_processors(&self) -> &[Vec<PostProcessor>] {
        &self.post_processors
    }
}

/// A provisioner, or a post-processor, with its body evaluated for one source.
#[derive(Clone, Debug)]
pub struct Provisioner {
    kind: SmolStr,
    name: Option<String>,
    body: Body,
}

/// A post-processor is described as a provisioner is.
pub type PostProcessor = Provisioner;

impl Provisioner {
    /// Returns its type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns its body without the arguments that all provisioners have.
    pub fn body(&self) -> &Body {
        &self.body
    }
}

/// A source definition at the top level.
#[derive(Clone, Copy)]
struct Definition<'d> {
    document: &'d Document,
    block: Block<'d>,
}

/// Evaluates the builds of a template.
pub(super) struct Builder<'r> {
    pub(super) documents: &'r [Document],
    pub(super) session: &'r mut Session,
    pub(super) scope: &'r mut Scope,
    /// The values of the builder while it runs; empty before.
    pub(super) given: &'r [(String, OwnedValue)],
    /// Problems of headers, which are told before those of bodies.
    pub(super) headers: Problems,
    pub(super) bodies: Problems,
}

impl<'r> Builder<'r> {
    /// Evaluates all builds.
    pub(super) fn builds(&mut self) -> Vec<Build> {
        let documents = self.documents;
        let contents: Vec<_> = documents.iter().map(|one| one.body().content_lenient(&TOP).0).collect();
        let mut definitions: Vec<Definition<'r>> = Vec::new();
        for (document, content) in documents.iter().zip(&contents) {
            for block in content.blocks_of("source") {
                self.define(Definition { document, block }, &mut definitions);
            }
        }
        let mut builds = Vec::new();
        for (document, content) in documents.iter().zip(&contents) {
            for block in content.blocks_of("build") {
                match self.build(document, block, &definitions) {
                    Ok(build) => builds.extend(build),
                    Err(error) => self.headers.add(error.to_diagnostics(document.source().name())),
                }
            }
        }
        builds
    }

    fn define(&mut self, new: Definition<'r>, definitions: &mut Vec<Definition<'r>>) {
        let place = Place::of_block(new.document, new.block);
        match definitions.iter().find(|one| one.block.labels().eq(new.block.labels())) {
            Some(first) => {
                let line = Place::of_block(first.document, first.block).line();
                let detail = format!("This source is already defined at {line}.");
                self.headers.error(&place, "Duplicate source block", detail);
            }
            None => definitions.push(new),
        }
    }

    /// Evaluates a build; returns `None` after reporting problems of its header.
    fn build(
        &mut self,
        document: &'r Document,
        block: Block<'r>,
        definitions: &[Definition<'r>],
    ) -> Result<Option<Build>, Error> {
        let place = Place::of_block(document, block);
        self.scope.set_value("build", roots::no_build().get())?;
        let mut problems = Problems::default();
        let head = Header::read(document, block, self.session, self.scope, &mut problems)?;
        self.scope.set_value("build", roots::build_header(&head.name).get())?;
        let mut expansion = self.session.expand(document, self.scope)?;
        let view = expansion.written(block.body());
        let content = expansion.content(view, &header::BUILD)?;
        problems.add(expansion.take_diagnostics());
        let mut parts = Parts::read(document, &mut expansion, &content, head.sources, &mut problems)?;
        if parts.sources.is_empty() && problems.is_empty() {
            let detail = "A build needs a source: `sources = [\"source.TYPE.NAME\"]`, or a block `source \"source.TYPE.NAME\"`.";
            problems.error(&place, "missing source reference", detail);
        }
        parts.sources.retain(|source| {
            let source = &source.name;
            let is_known = definition_of(source, definitions).is_some();
            if !is_known {
                let title = format!("Unknown source {}.{}", source.kind, source.definition);
                problems.error(&source.place, title, unknown_source(source, definitions));
            }
            is_known
        });
        let has_errors = problems.has_errors();
        self.headers.append(problems);
        if has_errors {
            return Ok(None);
        }
        let mut sources = Vec::new();
        for source in &parts.sources {
            let (evaluated, problems) = parts.evaluate(&mut expansion, source, &head.name, self.given)?;
            sources.push((source.name.clone(), evaluated, problems));
        }
        drop((parts, expansion));
        let mut build = Build { name: head.name, description: head.description, sources: Vec::new() };
        self.scope.set_value("build", roots::no_build().get())?;
        for (used, mut source, problems) in sources {
            if let Some(definition) = definition_of(&used, definitions) {
                source.body = self.body(definition, &used, source.body)?;
            }
            self.bodies.append(problems);
            build.sources.push(source);
        }
        self.scope.set_value("source", roots::no_source().get())?;
        Ok(Some(build))
    }

    /// Evaluates the body of a source definition, and adds the body that the build has for it.
    fn body(&mut self, definition: Definition<'r>, used: &SourceName, own: Body) -> Result<Body, Error> {
        self.scope.set_value("source", roots::source(&used.kind, &used.local).get())?;
        let mut expansion = self.session.expand(definition.document, self.scope)?;
        let view = expansion.written(definition.block.body());
        let (mut attributes, mut blocks) = Body::read(&mut expansion, view, &[])?.into_parts();
        self.bodies.add(expansion.take_diagnostics());
        let (more, more_blocks) = own.into_parts();
        for (name, value) in more {
            if attributes.iter().any(|(known, _)| *known == name) {
                let line = Place::of_block(definition.document, definition.block).line();
                let detail = format!("The argument \"{name}\" is already set in the source at {line}.");
                self.bodies.error(&used.place, "Duplicate argument", detail);
            }
            attributes.push((name, value));
        }
        blocks.extend(more_blocks);
        Ok(Body::of(attributes, blocks))
    }
}

fn definition_of<'d>(source: &SourceName, definitions: &[Definition<'d>]) -> Option<Definition<'d>> {
    let labels = [source.kind.as_str(), source.definition.as_str()];
    definitions.iter().find(|one| one.block.labels().eq(labels)).copied()
}

fn unknown_source(source: &SourceName, definitions: &[Definition<'_>]) -> String {
    let known: Vec<String> =
        definitions.iter().map(|one| one.block.labels().collect::<Vec<_>>().join(".")).collect();
    let wanted = format!("{}.{}", source.kind, source.definition);
    match hclvm::diagnostics::nearest(&wanted, known.iter().map(String::as_str)) {
        Some(near) => format!("There is no source \"{wanted}\". Did you mean \"{near}\"?"),
        None if known.is_empty() => "The template defines no source.".to_owned(),
        None => format!("There is no source \"{wanted}\". The template defines {}.", known.join(", ")),
    }
}
