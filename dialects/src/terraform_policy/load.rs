//! Loading: files of policies, and what is wrong with them before anything is evaluated.
//!
//! ```text
//! each file ─▶ inputs ─▶ locals of the file ─▶ policies: filter, locals, enforce blocks
//!                 each file has a layout: attrs, prior_attrs, meta, input.NAME…, local.NAME…
//! ```
//!
//! Files do not see each other.

mod check;
mod header;
mod locals;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use hclvm::diagnostics::Span;
use hclvm::schema::Content;
use hclvm::syntax::TemplatePart;
use hclvm::{Attribute, Block, Dialect, Document, Engine, Layout, OwnedValue, Program};
use smol_str::{SmolStr, format_smolstr};

use super::inputs::InputDeclaration;
use super::language::{self, ROOTS};
use super::pattern::NamePattern;
use super::schemas::Schemas;
use super::{Level, Operations, PolicyKind, Settings, functions};
use crate::constants::ConstantEvaluator;
use crate::files::File;
use crate::hidden::{self, Hidden};
use crate::problems::{Problems, TextRange};

pub(super) use header::check_terraform_config;
pub(super) use locals::{LocalId, PolicyLocal};

use locals::{FileNames, ReadableNames, calls_of, reaches_out};

/// Names of inputs and locals of a file; layouts have 65,535.
const MOST_NAMES: usize = 60_000;
/// Policies that were loaded.
#[derive(Debug)]
pub(super) struct LoadedPolicies {
    pub(super) engine: Engine,
    pub(super) files: Vec<PolicyFile>,
    pub(super) policies: Vec<LoadedPolicy>,
    pub(super) problems: Problems,
}

/// A file of policies.
#[derive(Debug)]
pub(super) struct PolicyFile {
    pub(super) document: Document,
    pub(super) layout: Arc<Layout>,
    pub(super) inputs: Vec<InputDeclaration>,
    pub(super) locals: Vec<PolicyLocal>,
}

/// A policy as written.
#[derive(Debug)]
pub(super) struct LoadedPolicy {
    pub(super) kind: PolicyKind,
    pub(super) target: SmolStr,
    pub(super) pattern: NamePattern,
    pub(super) label: SmolStr,
    pub(super) level: Level,
    pub(super) operations: Operations,
    pub(super) file: usize,
    pub(super) span: Span,
    /// True if its results may depend on more than the object.
    pub(super) reaches_out: bool,
    pub(super) locals: Vec<PolicyLocal>,
    pub(super) filter: Option<PolicyStep>,
    pub(super) enforces: Vec<Enforce>,
}

impl LoadedPolicy {
    /// Returns its name in reports: `resource_policy.aws_s3_bucket.encrypted`.
    pub(super) fn address(&self) -> String {
        format!("{}.{}.{}", self.kind.block(), self.target, self.label)
    }
}

/// An expression, and the locals that it reads itself.
#[derive(Debug)]
pub(super) struct PolicyStep {
    pub(super) program: Program,
    pub(super) reads: Vec<LocalId>,
}

/// An `enforce` block.
#[derive(Debug)]
pub(super) struct Enforce {
    pub(super) span: Span,
    pub(super) condition: PolicyStep,
    pub(super) error: Option<Message>,
    pub(super) info: Option<Message>,
}

/// A message, which is a template.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) whole: PolicyStep,
    pub(super) parts: Vec<MessagePart>,
}

#[derive(Debug)]
pub(super) enum MessagePart {
    Text(String),
    Expression(Program),
}

/// Loads the policies of files.
pub(super) fn load(files: &[File], settings: &Settings) -> LoadedPolicies {
    let dialect = Dialect::with_functions(functions::table());
    let engine = Engine::builder().dialect(dialect).limits(settings.limits).build();
    let mut problems = Problems::default();
    let (mut documents, mut secrets) = (Vec::new(), Vec::new());
    for file in files {
        let (document, found) = file.parse(&engine, false);
        let has_errors = found.has_errors();
        secrets.push(secret_parts(&document, has_errors));
        problems.add(hidden::without(&secrets, &found));
        if !has_errors {
            documents.push(document);
        }
    }
    let mut loader = Loader {
        engine: &engine,
        layout: Arc::default(),
        constants: ConstantEvaluator::new(None, settings.limits),
        defaults: ConstantEvaluator::new(Some(functions::table()), settings.limits),
        problems,
        policies: Vec::new(),
        strict: settings.strict,
        schemas: settings.schemas.as_deref(),
    };
    let files = documents.iter().enumerate().map(|(at, document)| loader.file(at, document)).collect();
    let (mut problems, policies) = (loader.problems, loader.policies);
    problems.hide(&secrets);
    LoadedPolicies { engine, files, policies, problems }
}

/// Returns the defaults of inputs that may be sensitive; of a file with syntax errors, the lines of these inputs.
fn secret_parts(document: &Document, has_errors: bool) -> Hidden {
    let source = document.source();
    let inputs = document.body().blocks_of("input");
    let inputs = inputs.filter(|input| input.span().slice(source.text()).contains("sensitive"));
    if has_errors {
        let bodies = inputs.map(|input| Span::new(input.header_span().end, input.span().end));
        return Hidden::lines(source, &bodies.collect::<Vec<_>>());
    }
    let defaults = inputs.filter_map(|input| input.attribute("default"));
    Hidden::new(source, defaults.map(|one| one.expression_span()).collect())
}

/// Returns the layout of a file.
fn layout(document: &Document, problems: &mut Problems) -> Layout {
    let mut names = BTreeSet::new();
    for block in document.body().blocks() {
        match block.kind() {
            "input" => names.extend(block.labels().next().map(|name| format_smolstr!("input.{name}"))),
            "locals" => {
                names.extend(block.body().attributes().map(|one| format_smolstr!("local.{}", one.name())));
            }
            _ => {
                let locals = block.body().blocks_of("locals").flat_map(|one| one.body().attributes());
                names.extend(locals.map(|one| format_smolstr!("local.{}", one.name())));
            }
        }
    }
    if names.len() > MOST_NAMES {
        let place = TextRange::new(document, Span::new(0, 0));
        let detail = format!("A file has at most {MOST_NAMES} names of inputs and locals.");
        problems.error(&place, "Too many policies", detail);
    }
    let roots = ROOTS.iter().map(SmolStr::new);
    Layout::new(roots.chain(names.into_iter().take(MOST_NAMES)))
}

/// Reads one file after the other.
struct Loader<'l> {
    engine: &'l Engine,
    /// That of the file that is read.
    layout: Arc<Layout>,
    /// Evaluates without functions.
    constants: ConstantEvaluator,
    defaults: ConstantEvaluator,
    problems: Problems,
    policies: Vec<LoadedPolicy>,
    strict: bool,
    schemas: Option<&'l Schemas>,
}

impl Loader<'_> {
    fn file(&mut self, at: usize, document: &Document) -> PolicyFile {
        self.layout = Arc::new(layout(document, &mut self.problems));
        let document = document.for_layout(&self.layout);
        let (content, found) = document.body().content_lenient(&language::policies());
        self.problems.add(found);
        let level = self.header(&document, &content);
        let inputs = self.inputs(&document, &content);
        let mut names = FileNames {
            inputs: inputs.iter().enumerate().map(|(at, one)| (one.name.as_str(), at)).collect(),
            locals: HashMap::new(),
        };
        let definitions = self.declare_locals(&content, &mut names);
        let locals = self.file_locals(&definitions, &names);
        let mut labels: HashMap<(&str, &str, &str), TextRange> = HashMap::new();
        for kind in PolicyKind::ALL {
            for block in content.blocks_of(kind.block()) {
                let mut of_block = block.labels();
                let target = of_block.next().unwrap_or_default();
                let label = of_block.next().unwrap_or_default();
                let place = TextRange::of_block(&document, block);
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
        drop(content);
        PolicyFile { document, layout: Arc::clone(&self.layout), inputs, locals }
    }

    fn inputs(&mut self, document: &Document, content: &Content<'_>) -> Vec<InputDeclaration> {
        let mut inputs: Vec<InputDeclaration> = Vec::new();
        let mut known: HashMap<&str, TextRange> = HashMap::new();
        for block in content.blocks_of("input") {
            let name = block.labels().next().unwrap_or_default();
            let place = TextRange::of_block(document, block);
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

    /// Reads a policy.
    fn policy(
        &mut self,
        file: usize,
        (kind, target, label): (PolicyKind, &str, &str),
        block: Block<'_>,
        (names, of_file): (&FileNames<'_>, &[PolicyLocal]),
        level: Level,
    ) {
        let document = block.body().document();
        let place = TextRange::of_block(document, block);
        let (content, found) = block.body().content_lenient(&language::policy(kind));
        self.problems.add(found);
        let level = match content.attribute("enforcement_level") {
            Some(attribute) => self.level(attribute).unwrap_or(level),
            None => level,
        };
        let mut own = HashMap::new();
        let definitions = self.policy_locals(document, &content, names, &mut own);
        let schemas = self.schemas.filter(|_| kind == PolicyKind::Resource);
        let resource = schemas.and_then(|schemas| schemas.attributes(target));
        let names = ReadableNames { file: names, own, kind: Some(kind), resource };
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
            pattern: NamePattern::new(kind, target),
            label: label.into(),
            level,
            operations,
            file,
            span: block.header_span(),
            reaches_out: reaches_out(&expressions, of_file),
            locals,
            filter: step,
            enforces,
        });
    }

    fn enforce<'d>(
        &mut self,
        block: Block<'d>,
        names: &ReadableNames<'_>,
        expressions: &mut Vec<Attribute<'d>>,
    ) -> Option<Enforce> {
        let (content, found) = block.body().content_lenient(&language::enforce());
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

    fn message(&mut self, attribute: Attribute<'_>, names: &ReadableNames<'_>) -> Option<Message> {
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
    fn step(&mut self, attribute: Attribute<'_>, names: &ReadableNames<'_>) -> Option<PolicyStep> {
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
        Some(PolicyStep { program, reads })
    }
}

/// The values of inputs, by the number of the file and of the input.
pub(super) type InputValues = Vec<Vec<OwnedValue>>;
