//! The blocks of a build, expanded once and evaluated for each source.

use hclvm::expansion::{BlockView, BodyView, ContentView, Expansion};
use hclvm::schema::Schema;
use hclvm::{Attribute, Document, Error, OwnedValue};
use smol_str::format_smolstr;

use super::common::{BuildStepKind, Common};
use super::header;
use super::{Provisioner, REGISTRY, Source, registry};
use crate::evaluated::Body;
use crate::marks::{ExpressionName, Marking, SENSITIVE};
use crate::packer::roots;
use crate::paths::Siblings;
use crate::problems::{Problems, TextRange};
use crate::watch::Watch;

/// The names of a source that a build uses.
#[derive(Clone)]
pub(super) struct SourceName {
    pub(super) kind: ExpressionName,
    /// The name of its definition.
    pub(super) definition: ExpressionName,
    /// Its name in the build.
    pub(super) local: ExpressionName,
    pub(super) place: TextRange,
}

/// A source that a build uses.
pub(super) struct SourceUse<'a> {
    pub(super) name: SourceName,
    /// Its body in the build, for a `source` block.
    body: Option<BodyView<'a>>,
}

impl SourceUse<'_> {
    /// Returns a source of the list `sources`.
    pub(super) fn listed(name: SourceName) -> Self {
        Self { name, body: None }
    }
}

impl SourceName {
    /// Returns its type, and its name in the build, as paths show them.
    pub(super) fn names(&self) -> [&str; 2] {
        [self.kind.shown(), self.local.shown()]
    }

    /// Returns type and name of its definition.
    pub(super) fn key(&self) -> (&str, &str) {
        (&self.kind.text, &self.definition.text)
    }

    /// Returns the reference to its definition as messages show it.
    pub(super) fn reference(&self) -> String {
        if self.definition.sensitive {
            return SENSITIVE.to_owned();
        }
        format!("{}.{}", self.kind.text, self.definition.text)
    }

    /// Reads a reference; `None` after reporting that it is none.
    pub(super) fn of(reference: &ExpressionName, place: TextRange, problems: &mut Problems) -> Option<Self> {
        let Some((kind, name)) = header::reference(&reference.text) else {
            let shown = reference.shown();
            let detail = format!("\"{shown}\" refers to no source. Write \"source.TYPE.NAME\".");
            problems.error(&place, "Invalid source reference", detail);
            return None;
        };
        let (kind, name) =
            (ExpressionName::new(kind, reference.sensitive), ExpressionName::new(name, reference.sensitive));
        Some(Self { kind, definition: name.clone(), local: name, place })
    }
}

/// A provisioner or post-processor of a build.
struct BuildStep<'a> {
    /// The type of the provisioner.
    kind: ExpressionName,
    what: BuildStepKind,
    place: TextRange,
    common: Common,
    body: BodyView<'a>,
}

/// The blocks of a build.
#[derive(Default)]
pub(super) struct BuildParts<'a> {
    pub(super) sources: Vec<SourceUse<'a>>,
    provisioners: Vec<BuildStep<'a>>,
    error_cleanup: Option<BuildStep<'a>>,
    post_processors: Vec<Vec<BuildStep<'a>>>,
    /// The arguments of its `hcp_packer_registry`.
    pub(super) registry: Option<Body>,
}

impl<'a> BuildParts<'a> {
    /// Reads the blocks of a build, with the arguments that all of them have. Blocks with problems are left out.
    pub(super) fn read(
        document: &'a Document,
        expansion: &mut Expansion<'a>,
        build: BodyView<'a>,
        content: &ContentView<'a>,
        accepts_unknown: bool,
        watch: &Watch<'_>,
        problems: &mut Problems,
    ) -> Result<Self, Error> {
        let mut parts = Self::default();
        let mut has_registry = false;
        for block in &content.blocks {
            let place = TextRange::new(document, block.header_span);
            let mut step =
                |what| BuildStep::read(document, expansion, block, what, accepts_unknown, watch, problems);
            match block.kind {
                "source" => parts.source(document, expansion, build, block, accepts_unknown, problems)?,
                "provisioner" => parts.provisioners.extend(step(BuildStepKind::Provisioner)?),
                "error-cleanup-provisioner" if parts.error_cleanup.is_some() => {
                    let detail = "Another one is above. Put what both do into one.";
                    problems.error(&place, "Only one error-cleanup-provisioner is allowed", detail);
                }
                "error-cleanup-provisioner" => parts.error_cleanup = step(BuildStepKind::Provisioner)?,
                "post-processor" => {
                    parts.post_processors.extend(step(BuildStepKind::PostProcessor)?.map(|step| vec![step]));
                }
                "post-processors" => {
                    parts.post_processors.extend(sequence(
                        document,
                        expansion,
                        block,
                        accepts_unknown,
                        watch,
                        problems,
                    )?);
                }
                REGISTRY if std::mem::replace(&mut has_registry, true) => {
                    let detail = "Another one is above. A build is published to one registry.";
                    problems.error(&place, "Only one hcp_packer_registry is allowed", detail);
                }
                REGISTRY => {
                    parts.registry = watch.below([REGISTRY], || {
                        registry::read(expansion, block.body, &place, watch, problems)
                    })?;
                }
                _ => {}
            }
        }
        Ok(parts)
    }

    fn source(
        &mut self,
        document: &'a Document,
        expansion: &mut Expansion<'a>,
        build: BodyView<'a>,
        block: &BlockView<'a>,
        accepts_unknown: bool,
        problems: &mut Problems,
    ) -> Result<(), Error> {
        let place = TextRange::new(document, block.header_span);
        let label = label(block);
        let Some(mut name) = SourceName::of(&label, place, problems) else { return Ok(()) };
        if let Some(view) = block.body.attributes().find(|one| one.name() == "name") {
            if refuse_references(view.attribute, iterator(build, block), problems) {
                return Ok(());
            }
            let value = expansion.value(view)?;
            let found = expansion.take_diagnostics();
            let has_errors = found.has_errors();
            problems.add(found);
            if !has_errors {
                let at = TextRange::of_first_part(view.attribute);
                let local: String = header::known(
                    header::text_of(value),
                    &at,
                    "name",
                    header::TEXT,
                    value,
                    accepts_unknown,
                    problems,
                );
                if !local.is_empty() {
                    name.local = ExpressionName::new(local, value.contains_marks());
                }
            }
        }
        self.sources.push(SourceUse { name, body: Some(block.body) });
        Ok(())
    }

    /// Evaluates all bodies for a source. Its body is the one in the build, without the definition's. Returns the
    /// problems of that body, and those of provisioners and post-processors.
    pub(super) fn evaluate(
        &self,
        expansion: &mut Expansion<'a>,
        source: &SourceUse<'a>,
        (build, marking): (&ExpressionName, Marking),
        given: &[(String, OwnedValue)],
        watch: &Watch<'_>,
    ) -> Result<(Source, Problems, Problems), Error> {
        let (mut own, mut problems) = (Problems::default(), Problems::default());
        let used = &source.name;
        expansion.set("source", roots::source(&used.kind, &used.local, marking).get())?;
        expansion.set("build", roots::no_build().get())?;
        let mut body = Body::default();
        if let Some(view) = source.body {
            body = Body::read(expansion, view, &|name| name == "name", watch)?;
            own.add(expansion.take_diagnostics());
        }
        expansion.set("build", roots::build(build, marking, given).get())?;
        let (kind, name) = (used.kind.clone(), used.local.clone());
        let mut evaluated = Source {
            kind,
            name,
            body,
            provisioners: Vec::new(),
            error_cleanup: None,
            post_processors: Vec::new(),
        };
        let label = format_smolstr!("{}.{}", used.kind.text, used.local.text);
        let mut siblings = Siblings::default();
        for step in self.provisioners.iter().filter(|step| step.common.admission.admits(&label)) {
            evaluated.provisioners.push(step.run(
                expansion,
                used,
                "provisioner",
                watch,
                &mut siblings,
                &mut problems,
            )?);
        }
        if problems.has_errors() {
            return Ok((evaluated, own, problems));
        }
        for sequence in &self.post_processors {
            let mut steps = Vec::new();
            for step in sequence.iter().filter(|step| step.common.admission.admits(&label)) {
                let kind = "post-processor";
                steps.push(step.run(expansion, used, kind, watch, &mut siblings, &mut problems)?);
            }
            if !steps.is_empty() {
                evaluated.post_processors.push(steps);
            }
        }
        let cleanup = self.error_cleanup.as_ref().filter(|step| step.common.admission.admits(&label));
        if let Some(step) = cleanup.filter(|_| !problems.has_errors()) {
            let kind = "error-cleanup-provisioner";
            evaluated.error_cleanup =
                Some(step.run(expansion, used, kind, watch, &mut siblings, &mut problems)?);
        }
        Ok((evaluated, own, problems))
    }
}

/// Reads a sequence of post-processors; `None` after reporting problems. The first wrong one ends it.
fn sequence<'a>(
    document: &'a Document,
    expansion: &mut Expansion<'a>,
    block: &BlockView<'a>,
    accepts_unknown: bool,
    watch: &Watch<'_>,
    problems: &mut Problems,
) -> Result<Option<Vec<BuildStep<'a>>>, Error> {
    let schema = Schema::new().block("post-processor", &["type"]);
    let content = expansion.content(block.body, &schema)?;
    let found = expansion.take_diagnostics();
    let has_errors = found.has_errors();
    problems.add(found);
    if has_errors {
        return Ok(None);
    }
    let mut steps = Vec::new();
    for block in &content.blocks {
        let what = BuildStepKind::PostProcessor;
        match BuildStep::read(document, expansion, block, what, accepts_unknown, watch, problems)? {
            Some(step) => steps.push(step),
            None => return Ok(None),
        }
    }
    Ok(Some(steps))
}

/// Returns the first label of a block; empty if it has none.
fn label(block: &BlockView<'_>) -> ExpressionName {
    ExpressionName::new(block.labels.first().copied().unwrap_or_default(), block.secret_labels)
}

/// Returns the iterator of the dynamic block that made a block of a build.
fn iterator<'a>(build: BodyView<'a>, block: &BlockView<'a>) -> Option<&'a str> {
    let mut dynamic = build.body().blocks().filter(|one| one.kind() == "dynamic" && block.made);
    let dynamic = dynamic.find(|one| one.header_span() == block.header_span)?;
    match dynamic.attribute("iterator") {
        Some(iterator) => iterator.keyword(),
        None => dynamic.labels().next(),
    }
}

/// Reports the variables and functions of an attribute that is read without any, except for an iterator. Returns
/// true if there are some.
fn refuse_references(attribute: Attribute<'_>, iterator: Option<&str>, problems: &mut Problems) -> bool {
    let place = |span| TextRange::new(attribute.document(), span);
    let mut variables = attribute.variables();
    variables.retain(|one| Some(one.root()) != iterator);
    for one in &variables {
        let detail = "The name of a source in a build is read before anything has a value. Use a literal.";
        problems.error(&place(one.span()), "Variables not allowed", detail);
    }
    let functions = attribute.required_functions();
    if let Some(name) = functions.first() {
        let detail = format!("The name of a source in a build is a literal; `{name}` cannot be called here.");
        problems.error(&TextRange::of_value(attribute), "Function calls not allowed", detail);
    }
    !variables.is_empty() || !functions.is_empty()
}

impl<'a> BuildStep<'a> {
    fn read(
        document: &'a Document,
        expansion: &mut Expansion<'a>,
        block: &BlockView<'a>,
        what: BuildStepKind,
        accepts_unknown: bool,
        watch: &Watch<'_>,
        problems: &mut Problems,
    ) -> Result<Option<Self>, Error> {
        let place = TextRange::new(document, block.header_span);
        let attributes: Vec<_> = block.body.attributes().collect();
        let kind = label(block);
        let common = watch.below([block.kind, kind.shown()], || {
            Common::read(what, expansion, &attributes, &place, accepts_unknown, watch, problems)
        })?;
        Ok(common.map(|common| Self { kind, what, place, common, body: block.body }))
    }

    /// Evaluates its body for a source. `kind` is the kind of its block.
    fn run(
        &self,
        expansion: &mut Expansion<'a>,
        source: &SourceName,
        kind: &str,
        watch: &Watch<'_>,
        siblings: &mut Siblings,
        problems: &mut Problems,
    ) -> Result<Provisioner, Error> {
        let body = watch.among(siblings, [kind, self.kind.shown()], || {
            Body::read(expansion, self.body, &|name| self.what.arguments().contains(&name), watch)
        })?;
        let found = expansion.take_diagnostics();
        let name = self.common.name.as_ref().map(|name| name.text.to_string());
        if found.has_errors() {
            let (what, kind) = (self.what.block(), self.kind.shown());
            let shown = self.common.name.as_ref().map_or("", ExpressionName::shown);
            let title = format!("Failed preparing {what}-block \"{kind}\" \"{shown}\"");
            problems.error(&self.place, title, format!("Its body has errors:\n{found}"));
        }
        let overrides = self.common.value("override").and_then(|value| {
            let entries = value.unmark().0.as_entries()?;
            entries.iter().find(|entry| entry.name == source.local.text.as_str()).map(|entry| entry.value)
        });
        let overrides = overrides.map(OwnedValue::new);
        let arguments = Body::of(self.common.values.clone(), Vec::new());
        Ok(Provisioner { kind: self.kind.clone(), name, arguments, overrides, body })
    }
}
