//! Nomad jobs: one file with variables, local values and a job.
//!
//! ```text
//! prepare    syntax, blocks of the top level, declarations
//! evaluate   values of variables, validations ─▶ locals ─▶ the job
//! ```
//!
//! A step that finds errors is the last one. Names that nothing defines, such as `node.datacenter`, are left as
//! text for the client, `"${node.datacenter}"`. The rules follow Nomad 1.11.

mod blocks;
mod content;
mod declarations;
mod evaluate;
mod job;
mod schema;
mod text;

use std::sync::Arc;

use hclvm::functions::Capabilities;
use hclvm::schema::Schema;
use hclvm::syntax::TypeMode;
use hclvm::{Dialect, Document, Engine, Limits, Undefined};

use declarations::JobDefinitions;
pub use evaluate::{Evaluation, JobFile};
pub use text::RuntimeText;

use crate::application::{Application, ApplicationModule, Claim, NameDefinition, Purpose, ReadSettings};
use crate::evaluation;
use crate::files::{File, Files};
use crate::given::Given;
use crate::names::ModuleLayout;
use crate::problems::Problems;
use crate::variables::VariableRules;
use crate::watch::{Explanation, Observed};

const VARIABLES: VariableRules = VariableRules {
    sensitive: false,
    types: TypeMode::Exact,
    empty_is_open: false,
    sentences: false,
    prefix: "NOMAD_VAR_",
    file: ".var",
};

/// How jobs are read: what functions may reach, and what is an error.
#[derive(Clone, Debug)]
pub struct Settings {
    granted: Capabilities,
    limits: Limits,
    strict: bool,
    checking: bool,
    follow_ups: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let (granted, limits) = (Capabilities::none(), Limits::default());
        Self { granted, limits, strict: true, checking: false, follow_ups: false }
    }
}

impl Settings {
    /// Returns the settings of a host that grants nothing, as for jobs that come over an interface.
    pub fn new() -> Self {
        Self::default()
    }

    /// Grants capabilities to functions. Files should be those of the job's folder.
    pub fn granted(mut self, granted: Capabilities) -> Self {
        self.granted = granted;
        self
    }

    /// Sets the limits of texts and evaluations.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reports whether values for variables that are not declared are errors, as by default, or warnings.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Looks for what is wrong for all values of variables: those without a value are unknown, where they are errors
    /// otherwise, and functions that need what is not granted return unknown values. Values are not meaningful.
    pub fn checking(mut self, checking: bool) -> Self {
        self.checking = checking;
        self
    }

    /// Reports as Nomad does what follows from an error in an expression: that its value has not the type that is needed.
    pub fn follow_ups(mut self, report: bool) -> Self {
        self.follow_ups = report;
        self
    }

    /// Reads a job. Problems other than those of the syntax are kept for [`Module::evaluate`].
    ///
    /// # Errors
    /// The syntax errors of the file.
    pub fn prepare(&self, file: &File) -> Result<Module, Problems> {
        let engine = Engine::builder().dialect(Dialect::nomad(&self.granted)).limits(self.limits).build();
        let mut problems = Problems::default();
        let (document, found) = file.parse(&engine, is_json(file));
        problems.add(found);
        if problems.has_errors() {
            return Err(problems);
        }
        let names = declarations::names(&document);
        let document = document.for_layout(names.layout());
        let definitions = JobDefinitions::new(self.limits, &document, &mut problems);
        let settings = self.clone();
        Ok(Module(Arc::new(JobState { settings, engine, names, document, definitions, problems })))
    }
}

/// Nomad as an application.
#[derive(Clone, Copy, Debug)]
pub struct Nomad;

impl Application for Nomad {
    fn name(&self) -> &'static str {
        "nomad"
    }

    fn noun(&self) -> &'static str {
        "Nomad job"
    }

    fn about(&self) -> &'static str {
        "With Nomad's functions; && and || evaluate both operands; a file of its blocks is read as a job"
    }

    fn patterns(&self) -> &'static [&'static str] {
        &["*.nomad.hcl", "*.nomad"]
    }

    fn dialect(&self, granted: &Capabilities) -> Dialect {
        Dialect::nomad(granted)
    }

    fn undefined(&self) -> Undefined {
        Undefined::Text
    }

    fn claim(&self, name: &str) -> Claim {
        let is_of_suffix =
            [".nomad.hcl", ".nomad", ".nomad.json"].iter().any(|suffix| name.ends_with(suffix));
        if is_of_suffix { Claim::Yes } else { Claim::No }
    }

    /// A file of another name is a job if it has a block `job`, or nothing but blocks that job files have. It is none if it
    /// reads variables without declaring any: scopes give the variables of others.
    fn recognizes(&self, document: &Document, _: bool) -> bool {
        let declares = |kind: &str| document.body().blocks_of(kind).next().is_some();
        let declares_variables = declares("variable") || declares("variables");
        let has_job = declares("job") && (declares_variables || !reads_variables(document));
        has_job || (declares_variables && crate::files::has_only(document, &declarations::TOP))
    }

    fn telling_word(&self) -> Option<&'static str> {
        Some("job")
    }

    /// A file with one job that has groups or tasks, and nothing but blocks that job files have.
    fn is_unmistakable(&self, document: &Document) -> bool {
        let mut jobs = document.body().blocks_of("job");
        let (Some(job), None) = (jobs.next(), jobs.next()) else { return false };
        let makes = |block: hclvm::Block<'_>| match block.kind() {
            "dynamic" => block.labels().next().is_some_and(|made| matches!(made, "group" | "task")),
            kind => matches!(kind, "group" | "task") && block.labels().count() == 1,
        };
        job.body().blocks().any(makes)
            && crate::files::has_only(document, &declarations::TOP)
            && self.recognizes(document, false)
    }

    fn definitions(&self) -> &'static [NameDefinition] {
        &declarations::DEFINITIONS
    }

    fn schema(&self) -> Schema {
        declarations::TOP.clone()
    }

    fn native_suffixes(&self) -> &'static [&'static str] {
        &["nomad"]
    }

    fn is_strict(&self) -> bool {
        true
    }

    /// Reads the first file: a job has one.
    fn prepare(
        &self,
        files: &Files,
        settings: &ReadSettings,
    ) -> Result<Box<dyn ApplicationModule>, Problems> {
        let empty = File::new("", Vec::new());
        let file = files.iter().next().unwrap_or(&empty);
        let settings = Settings::new()
            .granted(settings.granted.clone())
            .strict(settings.strict)
            .follow_ups(true)
            .checking(settings.purpose == Purpose::Check);
        Ok(Box::new(settings.prepare(file)?))
    }
}

impl ApplicationModule for Module {
    fn documents(&self) -> &[Document] {
        std::slice::from_ref(self.document())
    }

    fn evaluate(&self, given: &Given) -> evaluation::Evaluation {
        self.evaluate(&given.inputs).boxed()
    }

    fn why(&self, given: &Given) -> (evaluation::Evaluation, Vec<Explanation>) {
        let (evaluation, explanations) = self.why(&given.inputs);
        (evaluation.boxed(), explanations)
    }

    fn observe(&self, given: &Given) -> Vec<Observed> {
        self.observe(&given.inputs).1
    }
}

/// Returns true if an expression reads the variables of a job file.
fn reads_variables(document: &Document) -> bool {
    document.referenced_paths().contains_key("var")
}

/// Returns true if a file is in JSON, which its first byte that is no space shows.
fn is_json(file: &File) -> bool {
    file.bytes().iter().find(|byte| **byte != b' ') == Some(&b'{')
}

/// A job that was read: evaluated many times with different inputs.
#[derive(Clone, Debug)]
pub struct Module(Arc<JobState>);

impl Module {
    /// Returns its file.
    pub fn document(&self) -> &Document {
        &self.0.document
    }
}

#[derive(Debug)]
struct JobState {
    settings: Settings,
    engine: Engine,
    names: ModuleLayout,
    /// Compiled for the layout of `names`.
    document: Document,
    definitions: JobDefinitions,
    /// The problems of the declarations.
    problems: Problems,
}
