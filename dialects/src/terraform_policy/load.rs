//! Loading: files of policies, and what is wrong with them before anything is evaluated.
//!
//! ```text
//! each file ─▶ inputs ─▶ locals of the file ─▶ policies: filter, locals, enforce blocks
//!                 all files share one layout: attrs, prior_attrs, meta, input.NAME…, local.NAME…
//! ```
//!
//! Files do not see each other: a name that two files define has one slot, and [`judge`](super::judge) sets it to the
//! value that the file has which it evaluates.

mod check;
mod header;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use hclvm::analysis::dependency_order;
use hclvm::diagnostics::{Span, nearest};
use hclvm::schema::{Content, Schema};
use hclvm::syntax::TemplatePart;
use hclvm::{Attribute, Block, Dialect, Document, Engine, Layout, OwnedValue, Program};
use smol_str::{SmolStr, format_smolstr};

use super::inputs::InputDeclaration;
use super::pattern::Pattern;
use super::version::Constraint;
use super::{Level, Operations, PolicyKind, Settings, functions};
use crate::constants::Constants;
use crate::files::File;
use crate::problems::{Place, Problems};

/// The names that expressions read, beside those of loops.
const ROOTS: [&str; 5] = ["attrs", "prior_attrs", "meta", "input", "local"];
/// Names of inputs and locals that have slots; layouts have 65,535.
const MOST_NAMES: usize = 60_000;
/// Policies that were loaded.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) engine: Engine,
    pub(super) layout: Arc<Layout>,
    pub(super) files: Vec<PolicyFile>,
    pub(super) policies: Vec<LoadedPolicy>,
    pub(super) problems: Problems,
}

/// A file of policies.
#[derive(Debug)]
pub(super) struct PolicyFile {
    pub(super) document: Document,
    pub(super) inputs: Vec<InputDeclaration>,
    pub(super) locals: Vec<LocalDefinition>,
}

/// A policy as written.
#[derive(Debug)]
pub(super) struct LoadedPolicy {
    pub(super) kind: PolicyKind,
    pub(super) target: SmolStr,
    pub(super) pattern: Pattern,
    pub(super) label: SmolStr,
    pub(super) level: Level,
    pub(super) operations: Operations,
    pub(super) file: usize,
    pub(super) span: Span,
    pub(super) locals: Vec<LocalDefinition>,
    pub(super) filter: Option<Step>,
    pub(super) enforces: Vec<Enforce>,
}

impl LoadedPolicy {
    /// Returns its name in reports: `resource_policy.aws_s3_bucket.encrypted`.
    pub(super) fn address(&self) -> String {
        format!("{}.{}.{}", self.kind.block(), self.target, self.label)
    }
}

/// A local value of a file or of a policy.
#[derive(Debug)]
pub(super) struct LocalDefinition {
    /// The name with which expressions read it: `local.limit`.
    pub(super) slot: SmolStr,
    pub(super) step: Step,
    /// True if it depends on the object that is judged.
    pub(super) is_of_object: bool,
    /// True if it asks for other resources.
    calls_resources: bool,
}

/// An expression, and the locals that it reads itself.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) program: Program,
    pub(super) reads: Vec<LocalId>,
}

/// A local by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocalId {
    OfFile(usize),
    OfPolicy(usize),
}

/// An `enforce` block.
#[derive(Debug)]
pub(super) struct Enforce {
    pub(super) span: Span,
    pub(super) condition: Step,
    pub(super) error: Option<Message>,
    pub(super) info: Option<Message>,
}

/// A message, which is a template.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) whole: Step,
    pub(super) parts: Vec<MessagePart>,
}

#[derive(Debug)]
pub(super) enum MessagePart {
    Text(String),
    Expression(Program),
}

fn top() -> Schema {
    Schema::new()
        .block("policy", &[])
        .block("input", &["name"])
        .block("locals", &[])
        .block("resource_policy", &["type", "label"])
        .block("provider_policy", &["name", "label"])
        .block("module_policy", &["source", "label"])
}

/// Loads the policies of files.
pub(super) fn load(files: &[File], settings: &Settings) -> Loaded {
    let dialect = Dialect::with_functions(functions::table());
    let engine = Engine::builder().dialect(dialect).limits(settings.limits).build();
    let mut problems = Problems::default();
    let mut documents = Vec::new();
    for file in files {
        let (document, found) = file.parse(&engine, false);
        let has_errors = found.has_errors();
        problems.add(found);
        if !has_errors {
            documents.push(document);
        }
    }
    let layout = Arc::new(layout(&documents, &mut problems));
    let mut loader = Loader {
        engine: &engine,
        layout: &layout,
        constants: Constants::new(None, settings.limits),
        defaults: Constants::new(Some(functions::table()), settings.limits),
        problems,
        policies: Vec::new(),
        strict: settings.strict,
    };
    let documents = documents.into_iter().map(|document| document.for_layout(&layout));
    let files = documents.enumerate().map(|(at, document)| loader.file(at, document)).collect();
    let (problems, policies) = (loader.problems, loader.policies);
    Loaded { engine, layout, files, policies, problems }
}

/// Returns the layout of all files.
fn layout(documents: &[Document], problems: &mut Problems) -> Layout {
    let mut names = BTreeSet::new();
    for document in documents {
        for block in document.body().blocks() {
            match block.kind() {
                "input" => names.extend(block.labels().next().map(|name| format_smolstr!("input.{name}"))),
                "locals" => {
                    names
                        .extend(block.body().attributes().map(|one| format_smolstr!("local.{}", one.name())));
                }
                _ => {
                    let locals = block.body().blocks_of("locals").flat_map(|one| one.body().attributes());
                    names.extend(locals.map(|one| format_smolstr!("local.{}", one.name())));
                }
            }
        }
        if names.len() > MOST_NAMES {
            let place = Place::new(document, Span::new(0, 0));
            problems.error(
                &place,
                "Too many policies",
                format!("All files together have at most {MOST_NAMES} names of inputs and locals."),
            );
            break;
        }
    }
    let roots = ROOTS.iter().map(SmolStr::new);
    Layout::new(roots.chain(names.into_iter().take(MOST_NAMES)))
}

/// Reads one file after the other.
struct Loader<'l> {
    engine: &'l Engine,
    layout: &'l Arc<Layout>,
    /// Evaluates without functions.
    constants: Constants,
    defaults: Constants,
    problems: Problems,
    policies: Vec<LoadedPolicy>,
    strict: bool,
}

/// The names of a file.
struct FileNames<'f> {
    inputs: HashMap<&'f str, usize>,
    locals: HashMap<&'f str, (usize, Place)>,
}

/// What the expressions of one place may read.
struct Names<'n> {
    file: &'n FileNames<'n>,
    /// The locals of the policy.
    own: HashMap<&'n str, usize>,
    /// `None` for the locals of a file.
    kind: Option<PolicyKind>,
}

impl Loader<'_> {
    fn file(&mut self, at: usize, document: Document) -> PolicyFile {
        let (content, found) = document.body().content_lenient(&top());
        self.problems.add(found);
        let level = self.header(&document, &content);
        let inputs = self.inputs(&document, &content);
        let mut names = FileNames {
            inputs: inputs.iter().enumerate().map(|(at, one)| (one.name.as_str(), at)).collect(),
            locals: HashMap::new(),
        };
        let definitions = self.declare_locals(&content, &mut names);
        let locals = self.file_locals(&definitions, &names);
        let mut labels: HashMap<(&str, &str, &str), Place> = HashMap::new();
        for kind in PolicyKind::ALL {
            for block in content.blocks_of(kind.block()) {
                let mut of_block = block.labels();
                let target = of_block.next().unwrap_or_default();
                let label = of_block.next().unwrap_or_default();
                let place = Place::of_block(&document, block);
                if let Some(first) = labels.get(&(kind.block(), target, label)) {
                    let detail =
                        format!("\"{target}\" has a policy \"{label}\" already, at {}.", first.line());
                    self.problems.error(&place, "Duplicate policy", detail);
                    continue;
                }
                labels.insert((kind.block(), target, label), place);
                self.policy(at, (kind, target, label), block, (&names, &locals), level);
            }
        }
        drop(names);
        let document = document.clone();
        PolicyFile { document, inputs, locals }
    }

    /// Reads the block `policy`. Returns the level of policies without one.
    fn header(&mut self, document: &Document, content: &Content<'_>) -> Level {
        let schema = Schema::new()
            .optional("enforcement_level")
            .block("required_providers", &[])
            .block("terraform_config", &[])
            .block("plugins", &[]);
        let mut level = Level::Mandatory;
        let mut blocks = content.blocks_of("policy");
        let Some(block) = blocks.next() else { return level };
        for other in blocks {
            let detail = "A file has one block `policy`.";
            self.problems.error(&Place::of_block(document, other), "Duplicate policy block", detail);
        }
        let (content, found) = block.body().content_lenient(&schema);
        self.problems.add(found);
        if let Some(attribute) = content.attribute("enforcement_level") {
            level = self.level(attribute).unwrap_or(level);
            let detail = "Here it is the level of policies without one in this program alone.";
            self.problems.warning(&Place::of_name(attribute), "Enforcement level of a file", detail);
        }
        for providers in content.blocks_of("required_providers") {
            providers.body().attributes().for_each(|one| self.required_provider(one));
        }
        for config in content.blocks_of("terraform_config") {
            let (content, found) = config.body().content_lenient(&Schema::new().optional("required_version"));
            self.problems.add(found);
            if let Some(attribute) = content.attribute("required_version") {
                self.constraint(attribute);
            }
        }
        for plugins in content.blocks_of("plugins") {
            for plugin in plugins.body().attributes() {
                let detail = format!(
                    "Plugins are programs, which are not run here: calls of plugin::{}:: are errors.",
                    plugin.name()
                );
                self.problems.warning(&Place::of_name(plugin), "Unsupported plugin", detail);
            }
        }
        level
    }

    fn required_provider(&mut self, attribute: Attribute<'_>) {
        let Some(value) = self.constants.value(attribute, &mut self.problems) else { return };
        let place = Place::of_value(attribute);
        let text = |name: &str| {
            let entries = value.get().as_entries()?;
            hclvm::value::find(entries, name)?.value.as_str().map(str::to_owned)
        };
        if text("source").is_none() {
            let detail = "A provider has a `source` such as \"hashicorp/aws\".";
            self.problems.error(&place, "Invalid required provider", detail);
        }
        if let Some(version) = text("version")
            && (version.trim() == "*" || Constraint::parse(&version).is_none())
        {
            let detail = format!("\"{version}\" is no constraint such as \">= 6.0, < 7.0\".");
            self.problems.error(&place, "Invalid version constraint", detail);
        }
    }

    fn constraint(&mut self, attribute: Attribute<'_>) {
        let Some(text) = self.constants.text(attribute, &mut self.problems) else { return };
        if Constraint::parse(&text).is_none() {
            let detail = format!("\"{text}\" is no constraint such as \">= 1.16\".");
            self.problems.error(&Place::of_value(attribute), "Invalid version constraint", detail);
        }
    }

    fn inputs(&mut self, document: &Document, content: &Content<'_>) -> Vec<InputDeclaration> {
        let mut inputs: Vec<InputDeclaration> = Vec::new();
        let mut known: HashMap<&str, Place> = HashMap::new();
        for block in content.blocks_of("input") {
            let name = block.labels().next().unwrap_or_default();
            let place = Place::of_block(document, block);
            if let Some(first) = known.get(name) {
                let detail = format!("The input \"{name}\" is declared already, at {}.", first.line());
                self.problems.error(&place, "Duplicate input", detail);
                continue;
            }
            known.insert(name, place);
            let (constants, defaults) = (&mut self.constants, &mut self.defaults);
            inputs.push(InputDeclaration::read(block, constants, defaults, &mut self.problems));
        }
        inputs
    }

    /// Numbers the locals of a file.
    fn declare_locals<'d>(&mut self, content: &Content<'d>, names: &mut FileNames<'d>) -> Vec<Attribute<'d>> {
        let mut definitions = Vec::new();
        let attributes: Vec<Attribute<'d>> =
            content.blocks_of("locals").flat_map(|block| self.attributes(block)).collect();
        for attribute in attributes {
            let place = Place::of_name(attribute);
            if let Some((_, first)) = names.locals.get(attribute.name()) {
                let name = attribute.name();
                let detail = format!("The local \"{name}\" is defined already, at {}.", first.line());
                self.problems.error(&place, "Duplicate local", detail);
                continue;
            }
            names.locals.insert(attribute.name(), (definitions.len(), place));
            definitions.push(attribute);
        }
        definitions
    }

    fn attributes<'d>(&mut self, block: Block<'d>) -> Vec<Attribute<'d>> {
        let (attributes, found) = block.body().just_attributes_lenient();
        self.problems.add(found);
        attributes
    }

    fn file_locals(&mut self, definitions: &[Attribute<'_>], names: &FileNames<'_>) -> Vec<LocalDefinition> {
        let names = Names { file: names, own: HashMap::new(), kind: None };
        let mut locals = self.locals(definitions, &names);
        self.settle(definitions, &mut locals, &[]);
        locals
    }

    /// Compiles locals.
    fn locals(&mut self, definitions: &[Attribute<'_>], names: &Names<'_>) -> Vec<LocalDefinition> {
        let compile = |attribute: &Attribute<'_>| {
            let step = self.step(*attribute, names)?;
            let paths = step.program.referenced_paths();
            let is_of_object = ["attrs", "prior_attrs", "meta"].iter().any(|root| paths.contains_key(*root));
            let calls_resources = calls_resources(*attribute);
            let slot = format_smolstr!("local.{}", attribute.name());
            Some(LocalDefinition { slot, step, is_of_object, calls_resources })
        };
        definitions.iter().filter_map(compile).collect()
    }

    /// Finds cycles, and passes on what locals depend on.
    fn settle(
        &mut self,
        definitions: &[Attribute<'_>],
        locals: &mut [LocalDefinition],
        of_file: &[LocalDefinition],
    ) {
        if definitions.len() != locals.len() {
            return;
        }
        let is_own = |id: &LocalId| match (id, of_file.is_empty()) {
            (LocalId::OfFile(at), true) | (LocalId::OfPolicy(at), _) => Some(*at),
            (LocalId::OfFile(_), false) => None,
        };
        let reads: Vec<Vec<usize>> =
            locals.iter().map(|local| local.step.reads.iter().filter_map(is_own).collect()).collect();
        let mut cycles = Vec::new();
        let order = dependency_order(&reads, |cycle| cycles.push(cycle.to_vec()));
        for cycle in cycles.iter().take(20) {
            let Some(first) = cycle.first().and_then(|at| definitions.get(*at)) else { continue };
            let names: Vec<String> = cycle
                .iter()
                .chain(cycle.first())
                .take(20)
                .filter_map(|at| Some(format!("local.{}", definitions.get(*at)?.name())))
                .collect();
            let detail = format!("A local must not depend on itself: {}.", names.join(", which reads "));
            self.problems.error(&Place::of_name(*first), "Circular reference detected", detail);
        }
        for at in order {
            let (mut is_of_object, mut calls) = (locals[at].is_of_object, locals[at].calls_resources);
            for id in &locals[at].step.reads {
                let read = match is_own(id) {
                    Some(at) => locals.get(at),
                    None => match id {
                        LocalId::OfFile(at) => of_file.get(*at),
                        LocalId::OfPolicy(_) => None,
                    },
                };
                if let Some(read) = read {
                    is_of_object |= read.is_of_object;
                    calls |= read.calls_resources;
                }
            }
            (locals[at].is_of_object, locals[at].calls_resources) = (is_of_object, calls);
        }
    }

    /// Reads a policy.
    fn policy(
        &mut self,
        file: usize,
        (kind, target, label): (PolicyKind, &str, &str),
        block: Block<'_>,
        (names, of_file): (&FileNames<'_>, &[LocalDefinition]),
        level: Level,
    ) {
        let schema = Schema::new().optional("enforcement_level").optional("filter");
        let schema = if kind == PolicyKind::Resource { schema.optional("operations") } else { schema };
        let schema = schema.block("locals", &[]).block("enforce", &[]);
        let document = block.body().document();
        let place = Place::of_block(document, block);
        let (content, found) = block.body().content_lenient(&schema);
        self.problems.add(found);
        let level = match content.attribute("enforcement_level") {
            Some(attribute) => self.level(attribute).unwrap_or(level),
            None => level,
        };
        let mut own = HashMap::new();
        let definitions = self.policy_locals(document, &content, names, &mut own);
        let names = Names { file: names, own, kind: Some(kind) };
        let mut locals = self.locals(&definitions, &names);
        self.settle(&definitions, &mut locals, of_file);
        let filter = content.attribute("filter");
        let step = filter.and_then(|attribute| self.step(attribute, &names));
        let mut expressions: Vec<Attribute<'_>> = definitions.iter().copied().chain(filter).collect();
        let mut enforces = Vec::new();
        for enforce in content.blocks_of("enforce") {
            enforces.extend(self.enforce(enforce, &names, &mut expressions));
        }
        if content.blocks_of("enforce").next().is_none() {
            let detail = "A policy has at least one block `enforce`.";
            self.problems.error(&place, "Missing enforce block", detail);
        }
        let reads_prior = expressions.iter().any(|one| one.referenced_paths().contains_key("prior_attrs"));
        let calls = calls_of(&expressions, &locals, of_file, step.as_ref(), &enforces);
        if calls && kind != PolicyKind::Resource {
            let detail = "getresources and getdatasource can be called in policies of resources alone.";
            self.problems.error(&place, "Unsupported call", detail);
        }
        let written = content.attribute("operations");
        let operations = self.operations(written, reads_prior, (calls, &place));
        self.policies.push(LoadedPolicy {
            kind,
            target: target.into(),
            pattern: Pattern::new(kind, target),
            label: label.into(),
            level,
            operations,
            file,
            span: block.header_span(),
            locals,
            filter: step,
            enforces,
        });
    }

    fn policy_locals<'d>(
        &mut self,
        document: &'d Document,
        content: &Content<'d>,
        names: &FileNames<'_>,
        own: &mut HashMap<&'d str, usize>,
    ) -> Vec<Attribute<'d>> {
        let mut blocks = content.blocks_of("locals");
        let first = blocks.next();
        for other in blocks {
            let detail = "A policy has one block `locals`.";
            self.problems.error(&Place::of_block(document, other), "Duplicate locals block", detail);
        }
        let mut definitions = Vec::new();
        for attribute in first.map(|block| self.attributes(block)).unwrap_or_default() {
            let name = attribute.name();
            if let Some((_, place)) = names.locals.get(name) {
                let detail = format!(
                    "The file has a local \"{name}\", at {}, which this one would hide. Choose another name.",
                    place.line()
                );
                self.problems.error(&Place::of_name(attribute), "Duplicate local", detail);
            }
            own.insert(name, definitions.len());
            definitions.push(attribute);
        }
        definitions
    }

    fn enforce<'d>(
        &mut self,
        block: Block<'d>,
        names: &Names<'_>,
        expressions: &mut Vec<Attribute<'d>>,
    ) -> Option<Enforce> {
        let schema = Schema::new().required("condition").optional("error_message").optional("info_message");
        let (content, found) = block.body().content_lenient(&schema);
        self.problems.add(found);
        let mut message = |name: &str| {
            let attribute = content.attribute(name)?;
            expressions.push(attribute);
            self.message(attribute, names)
        };
        let (error, info) = (message("error_message"), message("info_message"));
        let condition = content.attribute("condition")?;
        expressions.push(condition);
        let condition = self.step(condition, names)?;
        Some(Enforce { span: block.header_span(), condition, error, info })
    }

    fn message(&mut self, attribute: Attribute<'_>, names: &Names<'_>) -> Option<Message> {
        let whole = self.step(attribute, names)?;
        let parts = match attribute.template_parts() {
            Ok(parts) => parts,
            Err(error) => {
                self.problems.add(error.to_diagnostics(attribute.document().source().name()));
                return None;
            }
        };
        let part = |part| match part {
            TemplatePart::Text(text) => MessagePart::Text(text.to_owned()),
            TemplatePart::Expression(program) => MessagePart::Expression(program),
        };
        Some(Message { whole, parts: parts.into_iter().map(part).collect() })
    }

    /// Compiles an expression; `None` after reporting what is wrong with it.
    fn step(&mut self, attribute: Attribute<'_>, names: &Names<'_>) -> Option<Step> {
        let reads = self.names(attribute, names)?;
        let program = match attribute.program() {
            Ok(program) => program,
            Err(error) => {
                self.problems.add(error.to_diagnostics(attribute.document().source().name()));
                return None;
            }
        };
        self.functions(attribute);
        self.explore(&program);
        Some(Step { program, reads })
    }
}

impl Names<'_> {
    fn local(&self, name: &str) -> Option<LocalId> {
        self.own
            .get(name)
            .map(|at| LocalId::OfPolicy(*at))
            .or_else(|| self.file.locals.get(name).map(|(at, _)| LocalId::OfFile(*at)))
    }

    fn undefined(&self, what: &str, name: &str) -> String {
        let hint = if what == "local" {
            nearest(name, self.own.keys().chain(self.file.locals.keys()).copied())
        } else {
            nearest(name, self.file.inputs.keys().copied())
        };
        let hint = hint.map_or_else(
            || "Names of other files are not visible here.".to_owned(),
            |near| format!("Did you mean {what}.{near}?"),
        );
        format!("There is no {what} named \"{name}\". {hint}")
    }
}

/// Returns true if an expression asks for other resources or data.
fn calls_resources(attribute: Attribute<'_>) -> bool {
    let asks = |name: &SmolStr| {
        matches!(name.strip_prefix("core::").unwrap_or(name), "getresources" | "getdatasource")
    };
    attribute.required_functions().iter().any(asks)
}

/// Returns true if a policy asks for other resources or data, also through locals of its file.
fn calls_of(
    expressions: &[Attribute<'_>],
    locals: &[LocalDefinition],
    of_file: &[LocalDefinition],
    filter: Option<&Step>,
    enforces: &[Enforce],
) -> bool {
    let messages = enforces.iter().flat_map(|one| one.error.iter().chain(&one.info)).map(|one| &one.whole);
    let steps = filter.into_iter().chain(enforces.iter().map(|one| &one.condition)).chain(messages);
    let steps = steps.chain(locals.iter().map(|one| &one.step));
    let calls = |id: &LocalId| match id {
        LocalId::OfFile(at) => of_file.get(*at).is_some_and(|one| one.calls_resources),
        LocalId::OfPolicy(at) => locals.get(*at).is_some_and(|one| one.calls_resources),
    };
    expressions.iter().any(|one| calls_resources(*one)) || steps.flat_map(|one| &one.reads).any(calls)
}

/// The values of inputs, by the number of the file and of the input.
pub(super) type InputValues = Vec<Vec<OwnedValue>>;
