//! Modules of Terraform and OpenTofu: folders of `*.tf`, `*.tf.json`, `*.tofu` and `*.tofu.json`.
//!
//! ```text
//! prepare    syntax of all files, also of local modules ─▶ declarations ─▶ references of each folder
//! evaluate   values of variables ─▶ one graph of all modules: locals, resources, calls, outputs, in their order
//! ```
//!
//! A step that finds errors is the last one, and reports all that it finds; in the graph what depends on something with
//! errors is left out. No provider is asked: an attribute that is not written is unknown, unless a schema shows more, and
//! so is a module that is no folder. The rules are those of Terraform 1.11.

mod bind;
mod body;
mod conditions;
mod declarations;
mod evaluate;
mod expand;
mod files;
mod functions;
mod graph;
mod groups;
mod inputs;
mod modules;
mod output;
mod parts;
mod reader;
mod references;
mod resources;
mod results;
mod schemas;
mod tree;
mod values;

use std::sync::Arc;

use hclvm::diagnostics::Span;
use hclvm::functions::Capabilities;
use hclvm::{Diagnostics, Dialect, Document, Engine, Limits};

pub use evaluate::Evaluator;
pub use output::{Configuration, ResourceInstance};

use crate::application::{Application, ApplicationModule, FileRole, FolderFile, Purpose, ReadSettings};
use crate::constants::ConstantEvaluator;
use crate::evaluation;
use crate::files::{File, Files};
use crate::given::{Given, HostRoot};
use crate::hidden::{Hidden, without};
use crate::problems::Problems;
use crate::watch::{Explanation, Observed, Watch};
use graph::EvaluationGraph;
use schemas::ResourceSchemas;
use tree::ModuleTree;

/// The values of a module, and what is wrong with it. With errors, values are missing.
pub type Evaluation = evaluation::Evaluation<Configuration>;

/// How modules are read: what functions may reach, and what is an error.
#[derive(Clone, Debug)]
pub struct Settings {
    granted: Capabilities,
    limits: Limits,
    directory: String,
    strict: bool,
    checking: bool,
    partial: bool,
    schemas: Vec<File>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            granted: Capabilities::none(),
            limits: Limits::default(),
            directory: ".".to_owned(),
            strict: false,
            checking: false,
            partial: false,
            schemas: Vec::new(),
        }
    }
}

impl Settings {
    /// Returns the settings of a host that grants nothing. Functions that need what is not granted return unknown values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Grants capabilities to functions. Files should be those of the module's folder.
    pub fn granted(mut self, granted: Capabilities) -> Self {
        self.granted = granted;
        self
    }

    /// Sets the limits of texts and evaluations.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the working directory that modules see as `path.cwd`.
    pub fn directory(mut self, directory: impl Into<String>) -> Self {
        self.directory = directory.into().replace('\\', "/");
        self
    }

    /// Lets a variable without a value be an error. By default its value is unknown.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Looks for what is wrong for all values of variables: all of them are unknown.
    pub fn checking(mut self, checking: bool) -> Self {
        self.checking = checking;
        self
    }

    /// Declares that there are further files, so that what the given ones do not declare may be there: for checks of
    /// single files. Nothing is evaluated then.
    pub fn partial(mut self, partial: bool) -> Self {
        self.partial = partial;
        self
    }

    /// Adds the schemas of providers, as `terraform providers schema -json` prints them.
    pub fn schemas(mut self, file: File) -> Self {
        self.schemas.push(file);
        self
    }

    /// Reads the files of a module and of the local modules that it calls. Problems other than those of the syntax are
    /// kept for [`Module::evaluate`].
    ///
    /// ```
    /// use hclvm_dialects::{File, Files, Inputs, terraform};
    ///
    /// let file = File::new("main.tf", r#"
    ///     variable "names" { default = ["a", "b"] }
    ///     resource "aws_instance" "web" {
    ///       count = length(var.names)
    ///       tags  = { Name = var.names[count.index] }
    ///     }
    ///     output "count" { value = length(aws_instance.web) }
    /// "#);
    /// let module = terraform::Settings::new().prepare(&Files::of(&terraform::Terraform, ".", [file]))?;
    /// let evaluation = module.evaluate(&Inputs::new());
    /// assert!(evaluation.problems().is_empty());
    /// assert_eq!(evaluation.content().output_value("count").and_then(|count| count.as_i64()), Some(2));
    /// assert_eq!(evaluation.content().resources()[1].address(), "aws_instance.web[1]");
    /// # Ok::<(), hclvm_dialects::Problems>(())
    /// ```
    ///
    /// # Errors
    /// The syntax errors of all files.
    pub fn prepare(&self, files: &Files) -> Result<Module, Problems> {
        let is_opentofu = files.iter().any(|file| files::is_of_opentofu(file.base()));
        let engine = |names: &[String]| {
            let functions = functions::table(&self.granted, is_opentofu, names.iter().map(String::as_str));
            Engine::builder().dialect(Dialect::with_functions(functions)).limits(self.limits).build()
        };
        let mut with = engine(&[]);
        let mut parsed = tree::parse(&with, files)?;
        let of_providers = parsed.provider_functions();
        if !of_providers.is_empty() {
            // Which functions exist is a part of an engine.
            with = engine(&of_providers);
            parsed = tree::parse(&with, files)?;
        }
        let mut problems = Problems::default();
        let schemas = ResourceSchemas::read(&self.schemas, &mut problems);
        let mut constants = ConstantEvaluator::new(None, self.limits);
        let mut references = Problems::default();
        let into = (&mut problems, &mut references);
        let tree = ModuleTree::new(parsed, &mut constants, &schemas, self.partial, into);
        let documents = &tree.folders[0].documents;
        let graph = EvaluationGraph::new(&tree, &mut references);
        let hidden = documents.iter().map(|one| declarations::hidden(one, &mut constants)).collect();
        let state = EvaluationState {
            settings: self.clone(),
            automatic: files::automatic(files).into_iter().cloned().collect(),
            engine: with,
            hidden,
            tree,
            graph,
            schemas,
            problems,
            references,
        };
        Ok(Module(Arc::new(state)))
    }
}

/// Terraform and OpenTofu as an application.
#[derive(Clone, Copy, Debug)]
pub struct Terraform;

impl Application for Terraform {
    fn name(&self) -> &'static str {
        "terraform"
    }

    fn noun(&self) -> &'static str {
        "Terraform module"
    }

    fn about(&self) -> &'static str {
        "With Terraform's functions; a folder of its files is read as a module, with the local modules that it calls"
    }

    fn patterns(&self) -> &'static [&'static str] {
        &["*.tf", "*.tf.json", "*.tofu"]
    }

    fn dialect(&self, granted: &Capabilities) -> Dialect {
        Dialect::with_functions(functions::table(granted, true, []))
    }

    fn folder_files(&self) -> &'static [FolderFile] {
        &files::FOLDER_FILES
    }

    fn role(&self, name: &str) -> Option<FileRole> {
        let mut roles = files::FOLDER_FILES.iter().filter(|file| file.matches(name)).map(|file| file.role);
        roles.next().filter(|_| !files::is_ignored(name))
    }

    /// Returns true if a file has nothing but blocks of modules, and one that only these have.
    fn recognizes(&self, document: &Document, _: bool) -> bool {
        let declares = |kind: &str| document.body().blocks_of(kind).next().is_some();
        crate::files::has_only(document, &declarations::TOP)
            && ["resource", "output", "module", "terraform", "provider"].into_iter().any(declares)
    }

    fn belongs(&self, name: &str) -> bool {
        [".tf", ".tf.json", ".tofu", ".tofu.json", ".tfvars", ".tfvars.json"]
            .iter()
            .any(|suffix| name.ends_with(suffix))
            && !files::is_ignored(name)
    }

    fn native_suffixes(&self) -> &'static [&'static str] {
        &["tf", "tofu", "tfvars"]
    }

    /// Returns false: values in files for variables that are not declared are warnings, and a variable without a value
    /// is unknown.
    fn is_strict(&self) -> bool {
        false
    }

    fn host_roots(&self) -> &'static [HostRoot] {
        &[HostRoot { name: "data", has_types: true }]
    }

    /// Returns the defaults of sensitive variables.
    fn secret_parts(&self, document: &Document) -> Vec<Span> {
        declarations::hidden(document, &mut ConstantEvaluator::new(None, Limits::untrusted())).into_parts()
    }

    fn sensitive_variables<'d>(&self, document: &'d Document) -> Vec<&'d str> {
        declarations::sensitive_variables(document, &mut ConstantEvaluator::new(None, Limits::untrusted()))
    }

    fn prepare(
        &self,
        files: &Files,
        settings: &ReadSettings,
    ) -> Result<Box<dyn ApplicationModule>, Problems> {
        let is_check = settings.purpose == Purpose::Check;
        let read = Settings::new()
            .granted(settings.granted.clone())
            .directory(&settings.directory)
            .strict(settings.strict)
            .checking(is_check)
            .partial(is_check && !files.is_folder);
        let read = settings.schemas.iter().fold(read, |read, file| read.schemas(file.clone()));
        Ok(Box::new(read.prepare(files)?))
    }
}

impl ApplicationModule for Module {
    fn documents(&self) -> &[Document] {
        self.documents()
    }

    fn evaluate(&self, given: &Given) -> evaluation::Evaluation {
        Watch::nothing(|watch| self.0.evaluation(given, watch)).boxed()
    }

    fn evaluator(&self) -> Box<dyn FnMut(&Given) -> evaluation::Evaluation + '_> {
        let mut evaluator = self.evaluator();
        Box::new(move |given| evaluator.evaluate(given).boxed())
    }

    fn why(&self, given: &Given) -> (evaluation::Evaluation, Vec<Explanation>) {
        let locals = &self.0.tree.folders[0].definitions.locals;
        let (evaluation, explanations) = Watch::explanations(locals, |watch| self.0.evaluation(given, watch));
        (evaluation.boxed(), explanations)
    }

    fn observe(&self, given: &Given) -> Vec<Observed> {
        let locals = &self.0.tree.folders[0].definitions.locals;
        Watch::coverage(locals, |watch| self.0.evaluation(given, watch)).1
    }

    fn without_secrets(&self, found: &Diagnostics) -> Diagnostics {
        without(&self.0.hidden, found)
    }
}

/// A module that was read: evaluated many times with different inputs.
#[derive(Clone, Debug)]
pub struct Module(Arc<EvaluationState>);

impl Module {
    /// Returns the files of the root module, in the order in which they are read.
    pub fn documents(&self) -> &[Document] {
        &self.0.tree.folders[0].documents
    }

    /// Evaluates the module.
    pub fn evaluate(&self, inputs: &crate::Inputs) -> Evaluation {
        let mut given = Given::new(&Terraform);
        given.inputs = inputs.clone();
        self.evaluate_with(&given)
    }

    /// Evaluates the module with values of data sources as well: members of `data` with the types as names.
    pub fn evaluate_with(&self, given: &Given) -> Evaluation {
        Watch::nothing(|watch| self.0.evaluation(given, watch))
    }

    /// Returns what evaluates the module for many sets of values, which often differ in few of them.
    ///
    /// ```
    /// use hclvm_dialects::{File, Files, Given, Inputs, terraform};
    ///
    /// let file = File::new("main.tf", r#"
    ///     variable "region" { default = "eu" }
    ///     output "zone" { value = "${var.region}-1" }
    /// "#);
    /// let module = terraform::Settings::new().prepare(&Files::of(&terraform::Terraform, ".", [file]))?;
    /// let mut evaluator = module.evaluator();
    /// let mut given = Given::new(&terraform::Terraform);
    /// for (region, zone) in [("us", "us-1"), ("ap", "ap-1")] {
    ///     given.inputs = Inputs::new().argument("region", region);
    ///     let evaluation = evaluator.evaluate(&given);
    ///     assert_eq!(evaluation.content().output_value("zone").and_then(|zone| zone.as_str()), Some(zone));
    /// }
    /// # Ok::<(), hclvm_dialects::Problems>(())
    /// ```
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(&self.0)
    }
}

#[derive(Debug)]
struct EvaluationState {
    settings: Settings,
    /// The variable files that are always read, weakest first.
    automatic: Vec<File>,
    engine: Engine,
    tree: ModuleTree,
    graph: EvaluationGraph,
    schemas: ResourceSchemas,
    /// The parts of the files that hold sensitive values.
    hidden: Vec<Hidden>,
    /// The problems of the declarations.
    problems: Problems,
    /// What is wrong with references and arguments, whatever the values.
    references: Problems,
}
