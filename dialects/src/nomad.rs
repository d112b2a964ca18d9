//! Nomad jobs: one file with variables, local values and a job.
//!
//! ```text
//! prepare    syntax, blocks of the top level, declarations
//! evaluate   values of variables, validations ─▶ locals ─▶ the job
//! ```
//!
//! A step that finds errors is the last one. Names that nothing defines, such as `node.datacenter`, are left as
//! text for the client, `"${node.datacenter}"`. The rules are those of Nomad 1.11.

mod blocks;
mod content;
mod declarations;
mod evaluate;
mod job;
mod schema;
mod text;

use std::sync::Arc;

use hclvm::functions::Capabilities;
use hclvm::syntax::TypeMode;
use hclvm::{Dialect, Document, Engine, Limits};

use declarations::Definitions;
pub use evaluate::Evaluation;
pub use text::RuntimeText;

use crate::files::File;
use crate::names::Names;
use crate::problems::Problems;
use crate::variables::VariableRules;

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
}

impl Default for Settings {
    fn default() -> Self {
        let (granted, limits) = (Capabilities::none(), Limits::default());
        Self { granted, limits, strict: true, checking: false }
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

    /// Tells whether values for variables that are not declared are errors, as by default, or warnings.
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
        let definitions = Definitions::new(self.limits, &document, &mut problems);
        let settings = self.clone();
        Ok(Module(Arc::new(State { settings, engine, names, document, definitions, problems })))
    }
}

/// Returns true if a file may be a job: it has nothing but blocks that job files have.
pub fn recognizes(document: &Document) -> bool {
    crate::files::has_only(document, &declarations::TOP)
}

/// Returns true if a file is in JSON, which its first byte that is no space tells.
fn is_json(file: &File) -> bool {
    file.bytes().iter().find(|byte| **byte != b' ') == Some(&b'{')
}

/// A job that was read: evaluated many times with different inputs.
#[derive(Clone, Debug)]
pub struct Module(Arc<State>);

impl Module {
    /// Returns its file.
    pub fn document(&self) -> &Document {
        &self.0.document
    }
}

#[derive(Debug)]
struct State {
    settings: Settings,
    engine: Engine,
    names: Names,
    /// Compiled for the layout of `names`.
    document: Document,
    definitions: Definitions,
    /// What is wrong with the declarations.
    problems: Problems,
}
