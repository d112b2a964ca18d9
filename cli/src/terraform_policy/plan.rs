//! `hclvm policy plan`: judges a plan, or objects in JSON.

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

use clap::{Args, ValueEnum};
use hclvm::{Engine, Layout, Limits};
use hclvm_dialects::terraform_policy::{
    Level, Plan, PlanSettings, Policies, Report, Schemas, Status, Verdict,
};
use serde_json::Value as Json;

use super::output::{RunResults, Shown};
use super::{CommonArguments, InputArguments, ResultFormat, Stage, files, output};
use crate::outcome::{CommandResult, EarlyEnd};

#[derive(Args, Debug)]
pub(super) struct PlanArguments {
    /// The plan in JSON, as `terraform show -json PLANFILE` writes it; - is standard input
    #[arg(value_name = "PLAN", required_unless_present = "objects")]
    plan: Option<String>,

    /// Evaluate policies for JSON objects instead of a plan: [{"type": "T", "name": "N", "attrs": {…}}]
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    objects: Option<String>,

    #[command(flatten)]
    common: CommonArguments,

    #[command(flatten)]
    inputs: InputArguments,

    /// Parameter of the set of policies, which is stronger than any input
    #[arg(long, value_name = "NAME=JSON")]
    parameter: Vec<String>,

    /// Tag of the workspace, which policies read as meta.tfe_workspace.tags
    #[arg(long, value_name = "NAME=VALUE")]
    workspace_tag: Vec<String>,

    /// The stage of the run; in `setup` providers and modules are judged alone
    #[arg(long, value_enum, default_value_t = Stage::Plan)]
    stage: Stage,

    /// The lock file, which has the versions of providers [example: .terraform.lock.hcl]
    #[arg(long, value_name = "FILE")]
    lock_file: Option<String>,

    /// The list of modules, which has their versions [example: .terraform/modules/modules.json]
    #[arg(long, value_name = "FILE")]
    modules_json: Option<String>,

    /// JSON file with what core::getdatasource finds: {"TYPE": [OBJECT, …]}
    #[arg(long, value_name = "FILE")]
    data: Option<String>,

    /// The time that core::timestamp returns [default: now]
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    /// Accept failures of the policy with this label, if its level is mandatory_overridable
    #[arg(long = "override", value_name = "LABEL")]
    overridden: Vec<String>,

    /// What an unknown result does to the exit code
    #[arg(long, value_enum, default_value_t = UnknownMeans::Pass, value_name = "WHAT")]
    unknown: UnknownMeans,

    /// Show results that pass and those that are skipped, too
    #[arg(long, short)]
    verbose: bool,

    /// Number of threads [default: one per processor]
    #[arg(long, short = 'j', value_name = "COUNT")]
    threads: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum UnknownMeans {
    /// Nothing
    Pass,
    /// As if the policy failed
    Fail,
}

pub(super) fn run(arguments: &PlanArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let common = &arguments.common;
    let threads = arguments
        .threads
        .map_or_else(|| thread::available_parallelism().map_or(1, NonZeroUsize::get), NonZeroUsize::get);
    let schemas = common.schemas()?;
    let mut settings = common.settings(schemas.as_ref()).threads(threads);
    if let Some(now) = arguments.now.clone().or_else(super::now) {
        settings = settings.now(now);
    }
    let Some(policies) = common.load(&settings, out)? else { return Ok(CommandResult::Unreadable) };
    let plan = arguments.read(schemas)?;
    let mut given = arguments.inputs.given()?;
    let engine = Engine::builder().limits(Limits::trusted()).build();
    for parameter in &arguments.parameter {
        let (name, text) = pair("--parameter", parameter)?;
        let mut scope = engine.scope(&Arc::new(Layout::new([name])));
        scope
            .set_json(name, text)
            .map_err(|error| EarlyEnd::Refused(format!("--parameter {name}: {error}.")))?;
        given = scope.get(name).map(|value| given.clone().parameter(name, value)).unwrap_or(given);
    }
    let report = match policies.judge(&plan, &given) {
        Ok(report) => report,
        Err(problems) => {
            common.refuse(&problems, out)?;
            return Ok(CommandResult::Unreadable);
        }
    };
    for note in plan.notes() {
        // If standard error is closed, the results are still of use.
        let _ = writeln!(std::io::stderr(), "note: {note}");
    }
    let format = common.format();
    if format == ResultFormat::Text {
        output::problems(format, policies.warnings());
        output::problems(format, report.problems());
    }
    let stops = arguments.stops(&policies, &report);
    let results = RunResults {
        verdicts: report.verdicts().iter().map(|verdict| shown(&policies, &plan, verdict)).collect(),
        problems: vec![policies.warnings(), report.problems()],
        verbose: arguments.verbose,
        ..RunResults::default()
    };
    results.print(format, out)?;
    Ok(if stops { CommandResult::Diagnosed } else { CommandResult::Fine })
}

fn shown<'r>(policies: &'r Policies, plan: &'r Plan, verdict: &'r Verdict) -> Shown<'r> {
    let operation = policies.operation(plan, verdict).map(|operation| operation.name());
    Shown { policies, resource: policies.object(plan, verdict), operation, verdict }
}

fn pair<'t>(option: &str, text: &'t str) -> Result<(&'t str, &'t str), EarlyEnd> {
    // The text may be a secret whose name was forgotten.
    text.split_once('=')
        .ok_or_else(|| EarlyEnd::Refused(format!("Expected {option} NAME=VALUE, found no `=`.")))
}

impl PlanArguments {
    /// Reads the plan or the objects.
    fn read(&self, schemas: Option<Arc<Schemas>>) -> Result<Plan, EarlyEnd> {
        let limits = Limits::trusted();
        let mut settings = PlanSettings::new().setup(self.stage == Stage::Setup);
        for tag in &self.workspace_tag {
            let (name, value) = pair("--workspace-tag", tag)?;
            settings = settings.workspace_tag(name, value);
        }
        if let Some(schemas) = schemas {
            settings = settings.schemas(schemas);
        }
        if let Some(path) = &self.lock_file {
            settings = with_lock_file(settings, path)?;
        }
        if let Some(path) = &self.modules_json {
            settings = with_modules(settings, path)?;
        }
        if let Some(path) = &self.data {
            settings = with_data(settings, path)?;
        }
        let (path, read): (_, fn(&str, &PlanSettings, Limits) -> _) = match (&self.objects, &self.plan) {
            (Some(path), _) => (path, Plan::read_objects),
            (None, Some(path)) => (path, Plan::read),
            (None, None) => return Err(EarlyEnd::Refused("Name a plan in JSON, or objects.".to_owned())),
        };
        let text = files::text(path)?;
        read(&text, &settings, limits)
            .map_err(|error| EarlyEnd::Refused(format!("Cannot read {path}: {error}.")))
    }

    /// Returns true if a result fails the run.
    fn stops(&self, policies: &Policies, report: &Report) -> bool {
        report.verdicts().iter().any(|verdict| {
            let level = policies.level(verdict);
            let is_failure = verdict.status() >= Status::Fail
                || verdict.status() == Status::Unknown && self.unknown == UnknownMeans::Fail;
            let is_overridden = level == Level::Overridable
                && self.overridden.iter().any(|label| label == policies.label(verdict));
            is_failure && level != Level::Advisory && !is_overridden
        })
    }
}

/// Adds the versions of providers.
fn with_lock_file(mut settings: PlanSettings, path: &str) -> Result<PlanSettings, EarlyEnd> {
    let engine = Engine::new();
    let document = engine
        .parse(path, &files::text(path)?)
        .map_err(|error| EarlyEnd::Refused(format!("Cannot read {path}: {error}")))?;
    for provider in document.body().blocks_of("provider") {
        let (Some(source), Some(version)) = (provider.labels().next(), provider.attribute("version")) else {
            continue;
        };
        let value = version.constant(&mut engine.session()).ok().flatten();
        if let Some(version) = value.as_ref().and_then(|value| value.get().as_str()) {
            settings = settings.provider_version(source, version);
        }
    }
    Ok(settings)
}

/// Adds the versions of modules: the key `a.b` is that of `module.a.module.b`.
fn with_modules(mut settings: PlanSettings, path: &str) -> Result<PlanSettings, EarlyEnd> {
    let modules = json(path)?;
    for module in modules["Modules"].as_array().into_iter().flatten() {
        let (Some(key), Some(version)) = (module["Key"].as_str(), module["Version"].as_str()) else {
            continue;
        };
        let address: Vec<String> = key.split('.').map(|name| format!("module.{name}")).collect();
        settings = settings.module_version(address.join("."), version);
    }
    Ok(settings)
}

/// Adds what `getdatasource` finds.
fn with_data(mut settings: PlanSettings, path: &str) -> Result<PlanSettings, EarlyEnd> {
    let engine = Engine::builder().limits(Limits::trusted()).build();
    let mut scope = engine.scope(&Arc::new(Layout::new(["data"])));
    let refused = |error| EarlyEnd::Refused(format!("Cannot read {path}: {error}."));
    scope.set_json("data", &files::text(path)?).map_err(refused)?;
    for entry in scope.get("data").and_then(|data| data.as_entries()).unwrap_or_default() {
        for attributes in entry.value.as_items().unwrap_or_default() {
            settings = settings.data(entry.name, *attributes);
        }
    }
    Ok(settings)
}

fn json(path: &str) -> Result<Json, EarlyEnd> {
    serde_json::from_str(&files::text(path)?)
        .map_err(|error| EarlyEnd::Refused(format!("Cannot read {path}: {error}.")))
}
