//! The blocks of a build, expanded once and evaluated for each source.

use hclvm::expansion::{BlockView, BodyView, ContentView, Expansion};
use hclvm::{Document, Error, OwnedValue};
use smol_str::{SmolStr, format_smolstr};

use super::header::{self, Admission, COMMON};
use super::{Provisioner, Source};
use crate::evaluated::Body;
use crate::packer::roots;
use crate::problems::{Place, Problems};

/// The names of a source that a build uses.
#[derive(Clone)]
pub(super) struct SourceName {
    pub(super) kind: SmolStr,
    /// The name of its definition.
    pub(super) definition: SmolStr,
    /// Its name in the build.
    pub(super) local: SmolStr,
    pub(super) place: Place,
}

/// A source that a build uses.
pub(super) struct SourceUse<'a> {
    pub(super) name: SourceName,
    /// Its body in the build, for a `source` block.
    body: Option<BodyView<'a>>,
}

impl SourceName {
    /// Reads a reference; `None` after reporting that it is none.
    pub(super) fn of(text: &str, place: Place, problems: &mut Problems) -> Option<Self> {
        let Some((kind, name)) = header::reference(text) else {
            let detail = format!("\"{text}\" refers to no source. Write \"source.TYPE.NAME\".");
            problems.error(&place, "Invalid source reference", detail);
            return None;
        };
        Some(Self { kind, definition: name.clone(), local: name, place })
    }
}

/// A provisioner or post-processor of a build.
struct Step<'a> {
    kind: &'a str,
    /// The type of its block.
    block: &'a str,
    place: Place,
    name: Option<String>,
    admission: Admission,
    body: BodyView<'a>,
}

/// The blocks of a build.
pub(super) struct Parts<'a> {
    pub(super) sources: Vec<SourceUse<'a>>,
    provisioners: Vec<Step<'a>>,
    error_cleanup: Option<Step<'a>>,
    post_processors: Vec<Vec<Step<'a>>>,
}

impl<'a> Parts<'a> {
    /// Reads the blocks of a build, with the arguments that all of them have.
    pub(super) fn read(
        document: &Document,
        expansion: &mut Expansion<'a>,
        content: &ContentView<'a>,
        sources: Vec<SourceName>,
        problems: &mut Problems,
    ) -> Result<Self, Error> {
        let sources = sources.into_iter().map(|name| SourceUse { name, body: None }).collect();
        let mut parts =
            Self { sources, provisioners: Vec::new(), error_cleanup: None, post_processors: Vec::new() };
        for block in &content.blocks {
            match block.kind {
                "source" => parts.source(document, expansion, block, problems)?,
                "provisioner" => parts.provisioners.push(Step::read(document, expansion, block, problems)?),
                "error-cleanup-provisioner" => {
                    let step = Step::read(document, expansion, block, problems)?;
                    if parts.error_cleanup.is_some() {
                        let detail = "Another one is above. Put what both do into one.";
                        problems.error(&step.place, "Only one error-cleanup-provisioner is allowed", detail);
                    }
                    parts.error_cleanup = Some(step);
                }
                "post-processor" => {
                    parts.post_processors.push(vec![Step::read(document, expansion, block, problems)?]);
                }
                "post-processors" => {
                    let schema = hclvm::schema::Schema::new().block("post-processor", &["type"]);
                    let inner = expansion.content(block.body, &schema)?;
                    problems.add(expansion.take_diagnostics());
                    let mut sequence = Vec::new();
                    for block in &inner.blocks {
                        sequence.push(Step::read(document, expansion, block, problems)?);
                    }
                    parts.post_processors.push(sequence);
                }
                _ => {}
            }
        }
        Ok(parts)
    }

    fn source(
        &mut self,
        document: &Document,
        expansion: &mut Expansion<'a>,
        block: &BlockView<'a>,
        problems: &mut Problems,
    ) -> Result<(), Error> {
        let place = Place::new(document, block.header_span);
        let label = block.labels.first().copied().unwrap_or_default();
        let Some(mut name) = SourceName::of(label, place, problems) else { return Ok(()) };
        if let Some(attribute) = block.body.attributes().find(|one| one.name() == "name") {
            let value = expansion.value(attribute)?;
            problems.add(expansion.take_diagnostics());
            if let Some(local) = header::text_of(value) {
                name.local = local.into();
            }
        }
        self.sources.push(SourceUse { name, body: Some(block.body) });
        Ok(())
    }

    /// Evaluates all bodies for a source. Its body is the one in the build, without the definition's.
    pub(super) fn evaluate(
        &self,
        expansion: &mut Expansion<'a>,
        source: &SourceUse<'a>,
        build: &str,
        given: &[(String, OwnedValue)],
    ) -> Result<(Source, Problems), Error> {
        let mut problems = Problems::default();
        let used = &source.name;
        expansion.set("source", roots::source(&used.kind, &used.local).get())?;
        expansion.set("build", roots::no_build().get())?;
        let mut body = Body::default();
        if let Some(view) = source.body {
            body = Body::read(expansion, view, &["name"])?;
            problems.add(expansion.take_diagnostics());
        }
        expansion.set("build", roots::build(build, given).get())?;
        let label = format_smolstr!("{}.{}", used.kind, used.local);
        let mut run = |step: &Step<'a>| -> Result<Option<Provisioner>, Error> {
            if step.admission.admits(&label) {
                step.run(expansion, &mut problems).map(Some)
            } else {
                Ok(None)
            }
        };
        let mut provisioners = Vec::new();
        for step in &self.provisioners {
            provisioners.extend(run(step)?);
        }
        let error_cleanup = self.error_cleanup.as_ref().map(&mut run).transpose()?.flatten();
        let mut post_processors = Vec::new();
        for sequence in &self.post_processors {
            let mut steps = Vec::new();
            for step in sequence {
                steps.extend(run(step)?);
            }
            if !steps.is_empty() {
                post_processors.push(steps);
            }
        }
        let (kind, name) = (used.kind.clone(), used.local.clone());
        Ok((Source { kind, name, body, provisioners, error_cleanup, post_processors }, problems))
    }
}

impl<'a> Step<'a> {
    fn read(
        document: &Document,
        expansion: &mut Expansion<'a>,
        block: &BlockView<'a>,
        problems: &mut Problems,
    ) -> Result<Self, Error> {
        let place = Place::new(document, block.header_span);
        let attributes: Vec<_> = block.body.attributes().collect();
        let (name, admission) = header::common(expansion, &attributes, &place, problems)?;
        let kind = block.labels.first().copied().unwrap_or_default();
        Ok(Self { kind, block: block.kind, place, name, admission, body: block.body })
    }

    /// Evaluates its body.
    fn run(&self, expansion: &mut Expansion<'a>, problems: &mut Problems) -> Result<Provisioner, Error> {
        let body = Body::read(expansion, self.body, &COMMON)?;
        let found = expansion.take_diagnostics();
        if found.has_errors() {
            let title = format!(
                "Failed preparing {}-block \"{}\" \"{}\"",
                self.block,
                self.kind,
                self.name.as_deref().unwrap_or_default()
            );
            problems.error(&self.place, title, format!("Its body has errors:\n{found}"));
        }
        Ok(Provisioner { kind: self.kind.into(), name: self.name.clone(), body })
    }
}
