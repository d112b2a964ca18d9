//! Packer templates: folders of `*.pkr.hcl` and `*.pkr.json`.
//!
//! ```text
//! A  prepare    syntax of all files, blocks of the top level, declarations of variables, locals, data sources
//!    evaluate   values of variables
//! B             validations; locals and data sources, in the order of their references; headers of builds
//! C             bodies of sources, provisioners and post-processors, once for each source of a build
//! ```
//!
//! Inside of a phase all problems are collected; the next phase begins if there are none. The rules follow
//! Packer 1.16.

mod build;
mod data;
mod declarations;
mod elsewhere;
mod evaluate;
mod files;
mod instance;
mod order;
mod output;
mod plugins;
mod registry;
mod roots;
mod successors;
mod template;
mod version;

use std::path::PathBuf;
use std::sync::Arc;

use hclvm::diagnostics::Span;
use hclvm::functions::{Capabilities, FunctionTable, packer};
use hclvm::schema::Schema;
use hclvm::syntax::TypeMode;
use hclvm::{Diagnostics, Dialect, Document, Engine, Limits};

pub use build::{Build, PostProcessor, Provisioner, Source};
pub use data::{DataSources, GivenData, UnknownData};
use declarations::TemplateDefinitions;
use elsewhere::Elsewhere;
pub use evaluate::{Evaluation, Host};
pub use instance::{Instance, Update};
pub use template::Template;

use crate::application::{Application, ApplicationModule, FolderFile, NameDefinition, Purpose, ReadSettings};
use crate::constants::ConstantEvaluator;
use crate::evaluation;
use crate::files::Files;
use crate::given::Given;
use crate::hidden::{Hidden, without};
use crate::marks::Marking;
use crate::names::ModuleLayout;
use crate::problems::Problems;
use crate::variables::{Evaluators, Validator, VariableRules};
use crate::watch::{Explanation, Observed};

const VARIABLES: VariableRules = VariableRules {
    sensitive: true,
    types: TypeMode::WithDefaults,
    empty_is_open: true,
    sentences: true,
    prefix: "PKR_VAR_",
    file: ".pkrvar",
};

/// How templates are read: what functions may reach, and what is reported.
#[derive(Clone, Debug)]
pub struct Settings {
    granted: Capabilities,
    limits: Limits,
    version: String,
    directory: String,
    warn_undeclared: bool,
    checking: bool,
    partial: bool,
    expects_build: bool,
    mark_sensitive: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            granted: Capabilities::none(),
            limits: Limits::default(),
            version: "1.16.0".to_owned(),
            directory: ".".to_owned(),
            warn_undeclared: false,
            checking: false,
            partial: false,
            expects_build: false,
            mark_sensitive: false,
        }
    }
}

impl Settings {
    /// Returns the settings of a host that grants nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Grants capabilities to functions, among them `env` in the defaults of variables. Files should be those of
    /// the template's folder.
    pub fn granted(mut self, granted: Capabilities) -> Self {
        self.granted = granted;
        self
    }

    /// Sets the limits of texts and evaluations.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the version that templates see as `packer.version`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets the working directory that templates see as `path.cwd`.
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = directory.into().to_string_lossy().replace('\\', "/");
        self
    }

    /// Warns about values in variable files for variables that are not declared.
    pub fn warn_undeclared(mut self, warn: bool) -> Self {
        self.warn_undeclared = warn;
        self
    }

    /// Looks for what is wrong for all values of variables: those without a value are unknown, where they are errors
    /// otherwise, and functions that need what is not granted return unknown values. Values are not meaningful.
    pub fn checking(mut self, checking: bool) -> Self {
        self.checking = checking;
        self
    }

    /// Leaves the mark `sensitive` on the results that depend on sensitive variables and locals. Without, the values of
    /// an [`Evaluation`] are plain, as the application has them, and a host hides [the texts](Evaluation::secrets) in
    /// its output. Diagnostics and explanations show nothing of sensitive values in either case.
    pub fn mark_sensitive(mut self, mark: bool) -> Self {
        self.mark_sensitive = mark;
        self
    }

    pub(crate) fn marking(&self) -> Marking {
        if self.mark_sensitive { Marking::Results } else { Marking::Evaluation }
    }

    /// Declares that there are further files, so that what the given ones do not declare is unknown: for checks of
    /// single files.
    pub fn partial(mut self, partial: bool) -> Self {
        self.partial = partial;
        self
    }

    /// Reports a template without a block `build`, as Packer does before it builds; a warning for checks.
    pub fn expects_build(mut self, expects: bool) -> Self {
        self.expects_build = expects;
        self
    }

    /// Reads the files of a template. Problems other than those of the syntax are kept for
    /// [`Module::evaluate`], which shows them with those of the values.
    ///
    /// # Errors
    /// The syntax errors of all files.
    pub fn prepare(&self, files: &Files) -> Result<Module, Problems> {
        let mut functions = packer(&self.granted);
        // Only defaults of variables may call it.
        let env = functions.remove("env");
        let dialect = Dialect::with_functions(functions);
        let engine = Engine::builder().dialect(dialect).limits(self.limits).build();
        let mut problems = Problems::default();
        let documents = files.parse(&engine, &mut problems);
        if problems.has_errors() {
            let hidden: Vec<Hidden> = documents.iter().map(declarations::hidden_lines).collect();
            problems.hide_syntax(&hidden);
            return Err(problems);
        }
        let mut defaults = FunctionTable::new();
        if let Some(env) = env {
            defaults.insert("env", env);
        }
        let mut evaluators = Evaluators {
            defaults: ConstantEvaluator::new(Some(defaults), self.limits).exploring(self.checking),
            constants: ConstantEvaluator::new(None, self.limits),
            validator: Validator::new(&engine),
        };
        let others = files.parse_others(&engine);
        Ok(Module::new(self, files, &engine, (documents, &others), &mut evaluators, problems))
    }
}

/// Packer as an application.
#[derive(Clone, Copy, Debug)]
pub struct Packer;

impl Application for Packer {
    fn name(&self) -> &'static str {
        "packer"
    }

    fn noun(&self) -> &'static str {
        "Packer template"
    }

    fn about(&self) -> &'static str {
        "With Packer's functions; a file of its blocks is read as a template"
    }

    fn patterns(&self) -> &'static [&'static str] {
        &["*.pkr.hcl", "*.pkr.json"]
    }

    fn dialect(&self, granted: &Capabilities) -> Dialect {
        Dialect::packer(granted)
    }

    fn folder_files(&self) -> &'static [FolderFile] {
        &files::FOLDER_FILES
    }

    fn roots(&self) -> &'static [&'static str] {
        &roots::NAMES
    }

    fn definitions(&self) -> &'static [NameDefinition] {
        &declarations::DEFINITIONS
    }

    fn schema(&self) -> Schema {
        declarations::TOP.clone()
    }

    /// Returns true if a file has nothing but blocks that templates have.
    fn recognizes(&self, document: &Document, _: bool) -> bool {
        crate::files::has_only(document, &declarations::TOP)
    }

    fn belongs(&self, name: &str) -> bool {
        [".pkr.hcl", ".pkr.json", ".pkrvars.hcl", ".pkrvars.json"].iter().any(|suffix| name.ends_with(suffix))
    }

    /// Returns false: values in files for variables that are not declared are ignored.
    fn is_strict(&self) -> bool {
        false
    }

    /// Returns the defaults of sensitive variables, and the literals in the expressions of sensitive local values.
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
        let settings = Settings::new()
            .granted(settings.granted.clone())
            .mark_sensitive(true)
            .directory(&settings.directory)
            .warn_undeclared(settings.strict)
            .checking(is_check)
            .expects_build(files.is_folder);
        Ok(Box::new(settings.prepare(files)?))
    }
}

impl ApplicationModule for Module {
    fn documents(&self) -> &[Document] {
        self.documents()
    }

    fn evaluate(&self, given: &Given) -> evaluation::Evaluation {
        self.evaluate_with(&given.inputs, Host::of(given, &GivenData::of(given))).boxed()
    }

    fn why(&self, given: &Given) -> (evaluation::Evaluation, Vec<Explanation>) {
        let (evaluation, explanations) = self.why(&given.inputs, Host::of(given, &GivenData::of(given)));
        (evaluation.boxed(), explanations)
    }

    fn observe(&self, given: &Given) -> Vec<Observed> {
        self.observe(&given.inputs, Host::of(given, &GivenData::of(given))).1
    }

    fn without_secrets(&self, found: &Diagnostics) -> Diagnostics {
        self.without_secrets(found)
    }
}

/// A template that was read: evaluated many times with different inputs.
#[derive(Clone, Debug)]
pub struct Module(Arc<TemplateState>);

#[derive(Debug)]
struct TemplateState {
    settings: Settings,
    files: Files,
    engine: Engine,
    names: ModuleLayout,
    elsewhere: Elsewhere,
    /// The values of builders that the template reads beside those that every builder has.
    builder_keys: Vec<String>,
    /// Compiled for the layout of `names`.
    documents: Vec<Document>,
    definitions: TemplateDefinitions,
    /// The parts of the files that hold sensitive values.
    hidden: Vec<Hidden>,
    /// The problems of the declarations.
    problems: Problems,
}

impl Module {
    /// Returns its files, in the order in which Packer reads them.
    pub fn documents(&self) -> &[Document] {
        &self.0.documents
    }

    /// Returns what was found in one of the [documents](Self::documents) alone, such as warnings of lints, without the
    /// defaults of sensitive variables and the literals of sensitive local values.
    pub fn without_secrets(&self, found: &Diagnostics) -> Diagnostics {
        without(&self.0.hidden, found)
    }

    fn new(
        settings: &Settings,
        files: &Files,
        engine: &Engine,
        (documents, others): (Vec<Document>, &[Document]),
        evaluators: &mut Evaluators,
        mut problems: Problems,
    ) -> Self {
        let elsewhere = Elsewhere::new(others, &documents);
        let names = declarations::names(&documents, &elsewhere.declared);
        let builder_keys = roots::builder_keys(&documents);
        let documents: Vec<Document> = documents.iter().map(|one| one.for_layout(names.layout())).collect();
        let definitions = TemplateDefinitions::new(&settings.version, &documents, evaluators, &mut problems);
        let hidden =
            documents.iter().map(|one| declarations::hidden(one, &mut evaluators.constants)).collect();
        let (settings, files, engine) = (settings.clone(), files.clone(), engine.clone());
        Self(Arc::new(TemplateState {
            settings,
            files,
            engine,
            names,
            elsewhere,
            builder_keys,
            documents,
            definitions,
            hidden,
            problems,
        }))
    }
}
