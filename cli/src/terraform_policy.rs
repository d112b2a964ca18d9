//! `hclvm policy`: Terraform's policies, checked, tested, and run over plans and other objects.
//!
//! `files` finds and reads files, `plan` judges plans, `tests` runs test files, `output` writes what they found. The rules
//! are those of `hclvm_dialects::terraform_policy`; rules that allow or deny are decided by `hclvm decide`.

mod files;
mod output;
mod plan;
mod tests;

use std::io::Write;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use hclvm::functions::Capabilities;
use hclvm::{Dialect, Engine};
use hclvm_dialects::terraform_policy::{GivenInputs, POLICY_SUFFIX, Policies, Schemas, Settings};
use hclvm_dialects::{File, Problems};

use crate::limits::LimitArguments;
use crate::outcome::{CommandResult, EarlyEnd};

/// Check, test and run Terraform policies (*.policy.hcl)
#[derive(Args, Debug)]
pub(crate) struct PolicyCommand {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Find mistakes in policies before they run
    #[command(visible_alias = "validate")]
    Check(PolicyCheckArguments),
    /// Run the mocks of test files (*.policytest.hcl)
    Test(tests::PolicyTestArguments),
    /// Evaluate policies for a plan or other objects
    Plan(plan::PlanArguments),
}

#[derive(Args, Debug)]
struct PolicyCheckArguments {
    /// Further files or folders, like --policies
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    #[command(flatten)]
    common: CommonArguments,

    /// Accepted for other tools; policies of all stages are checked
    #[arg(long, value_enum, hide = true)]
    evaluation_stage: Option<Stage>,
}

/// When policies are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// Before anything is downloaded: providers and modules alone
    Setup,
    /// When a plan is made
    Plan,
}

/// What all subcommands have.
#[derive(Args, Debug)]
struct CommonArguments {
    /// Files *.policy.hcl, or folders in which all of them are read [default: .]
    #[arg(long, value_name = "PATH")]
    policies: Vec<String>,

    /// Report probable mistakes, and functions that only hclvm has
    #[arg(long)]
    strict: bool,

    /// Schemas, as `terraform providers schema -json` writes them: values have exact types, and names are checked
    #[arg(long, value_name = "FILE")]
    schemas: Option<String>,

    /// Format of the results
    #[arg(long, value_enum, default_value_t = ResultFormat::Text, value_name = "FORMAT")]
    format: ResultFormat,

    /// Print the results as JSON: short for --format json
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    limits: LimitArguments,
}

/// The format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ResultFormat {
    /// Text
    Text,
    /// One JSON object
    Json,
    /// One SARIF 2.1.0 log, for code scanning and editors
    Sarif,
    /// JUnit XML, for continuous integration
    Junit,
    /// Workflow commands, which GitHub shows beside the lines of a change
    Github,
}

/// Values of inputs.
#[derive(Args, Debug)]
struct InputArguments {
    /// Value of an input: a string, or an expression if the input has another type
    #[arg(long, value_name = "NAME=VALUE")]
    input: Vec<String>,

    /// File with values of inputs, NAME = VALUE; later files are stronger
    #[arg(long, value_name = "FILE")]
    input_file: Vec<String>,
}

pub(crate) fn run(command: &PolicyCommand, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    match &command.command {
        Subcommands::Check(arguments) => check(arguments, out),
        Subcommands::Test(arguments) => tests::run(arguments, out),
        Subcommands::Plan(arguments) => plan::run(arguments, out),
    }
}

fn check(arguments: &PolicyCheckArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let common = &arguments.common;
    let files = common.files(&arguments.paths)?;
    let count = files.len();
    let schemas = common.schemas()?;
    let (problems, is_valid) = match Policies::load(&files, &common.settings(schemas.as_ref())) {
        Ok(policies) => (policies.warnings().clone(), true),
        Err(problems) => (problems, false),
    };
    if common.format() == ResultFormat::Text {
        output::problems(common.format(), &problems);
        if is_valid {
            let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
            writeln!(out, "{files} of policies: no errors.")?;
        }
    } else {
        output::RunResults { problems: vec![&problems], ..output::RunResults::default() }
            .print(common.format(), out)?;
    }
    Ok(if is_valid { CommandResult::Fine } else { CommandResult::Diagnosed })
}

impl CommonArguments {
    fn format(&self) -> ResultFormat {
        if self.json { ResultFormat::Json } else { self.format }
    }

    fn settings(&self, schemas: Option<&Arc<Schemas>>) -> Settings {
        let settings = Settings::new().limits(self.limits.limits()).strict(self.strict);
        match schemas {
            Some(schemas) => settings.schemas(Arc::clone(schemas)),
            None => settings,
        }
    }

    /// Reads the schemas of providers.
    fn schemas(&self) -> Result<Option<Arc<Schemas>>, EarlyEnd> {
        let Some(path) = &self.schemas else { return Ok(None) };
        let schemas = Schemas::read(&files::text(path)?, hclvm::Limits::trusted());
        schemas
            .map(|schemas| Some(Arc::new(schemas)))
            .map_err(|error| EarlyEnd::Refused(format!("Cannot read {path}: {error}.")))
    }

    /// Reads the files of policies, with those of further paths.
    fn files(&self, more: &[String]) -> Result<Vec<File>, EarlyEnd> {
        let here = [String::from(".")];
        let paths: Vec<&String> = self.policies.iter().chain(more).collect();
        let paths = if paths.is_empty() { here.iter().collect() } else { paths };
        let files = files::read(&paths, POLICY_SUFFIX)?;
        if files.is_empty() {
            return Err(EarlyEnd::Refused(
                "There are no files *.policy.hcl. Name their folder with --policies.".to_owned(),
            ));
        }
        Ok(files)
    }

    /// Loads policies; `None` after printing what is wrong with them.
    fn load(&self, settings: &Settings, out: &mut impl Write) -> Result<Option<Policies>, EarlyEnd> {
        let files = self.files(&[])?;
        match Policies::load(&files, settings) {
            Ok(policies) => Ok(Some(policies)),
            Err(problems) => {
                self.refuse(&problems, out)?;
                Ok(None)
            }
        }
    }

    /// Prints problems that end a run.
    fn refuse(&self, problems: &Problems, out: &mut impl Write) -> Result<(), EarlyEnd> {
        match self.format() {
            ResultFormat::Text => output::problems(ResultFormat::Text, problems),
            format => output::RunResults { problems: vec![problems], ..output::RunResults::default() }
                .print(format, out)?,
        }
        Ok(())
    }
}

impl InputArguments {
    fn given(&self) -> Result<GivenInputs, EarlyEnd> {
        let environment = std::env::vars_os();
        let environment = environment
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let mut given = GivenInputs::new().environment(environment);
        for text in &self.input {
            let (name, value) = text
                .split_once('=')
                // The text may be a secret whose name was forgotten.
                .ok_or_else(|| EarlyEnd::Refused("Expected --input NAME=VALUE, found no `=`.".to_owned()))?;
            given = given.argument(name, value);
        }
        for path in &self.input_file {
            given = given.file(File::new(path.as_str(), crate::texts::source(path)?));
        }
        Ok(given)
    }
}

/// Returns the present time as `timestamp` writes it.
fn now() -> Option<String> {
    let granted = Capabilities::none().system_clock();
    let engine = Engine::builder().dialect(Dialect::granted(&granted)).build();
    let now = engine.eval("timestamp()", &engine.scope(&Arc::default())).ok()?;
    now.get().as_str().map(str::to_owned)
}
