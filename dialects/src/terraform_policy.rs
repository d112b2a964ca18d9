//! Policies of Terraform: files `*.policy.hcl`, whose conditions judge resources, providers and modules, and files
//! `*.policytest.hcl`, which test them.
//!
//! ```text
//! *.policy.hcl ──Policies::load──▶ Policies ──judge──▶ a Verdict for each policy and object
//! terraform show -json ──Plan::read──▶ Plan ───╯
//! *.policytest.hcl ──TestFile::read──▶ mocks ──╯
//! ```
//!
//! ```
//! use hclvm::Limits;
//! use hclvm_dialects::File;
//! use hclvm_dialects::terraform_policy::{GivenInputs, Plan, PlanSettings, Policies, Settings, Status};
//!
//! let file = File::new("volumes.policy.hcl", r#"
//!     resource_policy "aws_ebs_volume" "encrypted" {
//!       enforce {
//!         condition     = attrs.encrypted == true
//!         error_message = "The volume is not encrypted."
//!       }
//!     }
//! "#);
//! let policies = Policies::load(&[file], &Settings::new()).expect("the file has no errors");
//! let plan = r#"{"format_version": "1.2", "resource_changes": [{
//!     "address": "aws_ebs_volume.a", "mode": "managed", "type": "aws_ebs_volume",
//!     "change": {"actions": ["create"], "before": null, "after": {"encrypted": false}}
//! }]}"#;
//! let plan = Plan::read(plan, &PlanSettings::new(), Limits::trusted())?;
//! let verdicts = policies.judge(&plan, &GivenInputs::new()).expect("inputs have values").into_verdicts();
//! assert_eq!(verdicts[0].status(), Status::Fail);
//! assert_eq!(verdicts[0].messages(), ["The volume is not encrypted."]);
//! # Ok::<(), hclvm::Error>(())
//! ```
//!
//! A condition whose value depends on what is known after the plan is applied is [`Status::Unknown`]: it neither passes
//! nor fails. The rules are those of Terraform's policies 0.4.

mod functions;
mod host;
mod inputs;
mod judge;
mod kinds;
mod language;
mod load;
mod merged;
mod object;
mod objects;
mod origins;
mod pattern;
mod plan;
mod report;
mod resources;
mod schemas;
mod test_file;

use std::sync::Arc;

use hclvm::Limits;
use hclvm::diagnostics::{Severity, Source, Span};
use hclvm::why::Why;

pub use inputs::GivenInputs;
pub use kinds::{Level, Operation, PolicyKind, Status};
pub use language::{Language, function_summary};
pub use plan::{Plan, PlanSettings};
pub use report::Report;
pub use schemas::Schemas;
pub use test_file::{MockResult, TestFile, TestResult, TestSettings};

use inputs::Sources;
use judge::{Judge, PolicyRun};
use kinds::Operations;
use load::{InputValues, LoadedPolicies};
use object::Object;
use resources::Resources;

use crate::files::File;
use crate::problems::Problems;

/// Conditions of a plan or a test file that are explained. An explanation may be much larger than the result.
const MOST_EXPLAINED: usize = 1_000;

/// The ending of the names of files with policies.
pub const POLICY_SUFFIX: &str = ".policy.hcl";
/// The ending of the names of files that test policies.
pub const TEST_SUFFIX: &str = ".policytest.hcl";

/// How policies are loaded and evaluated.
///
/// ```
/// use hclvm_dialects::terraform_policy::Settings;
///
/// let settings = Settings::new().strict(true).now("2026-11-27T00:00:00Z");
/// # let _ = settings;
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    limits: Limits,
    strict: bool,
    explain: bool,
    now: Option<Arc<str>>,
    threads: usize,
    schemas: Option<Arc<Schemas>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { limits: Limits::default(), strict: false, explain: true, now: None, threads: 1, schemas: None }
    }
}

impl Settings {
    /// Returns the settings for files of unknown origin.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits of texts and evaluations.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Refuses what may be a mistake, such as attributes of meta that are not documented, and reports functions that only this
    /// program has.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Explains results that do not pass, as by default, which takes several evaluations of each. Of the results of a plan
    /// the first 1,000 are explained.
    pub fn explain(mut self, explain: bool) -> Self {
        self.explain = explain;
        self
    }

    /// Sets the time that `timestamp` returns; without it, the time is unknown.
    pub fn now(mut self, now: impl Into<Arc<str>>) -> Self {
        self.now = Some(now.into());
        self
    }

    /// Reports attributes of resources that the schemas of providers do not have.
    pub fn schemas(mut self, schemas: impl Into<Arc<Schemas>>) -> Self {
        self.schemas = Some(schemas.into());
        self
    }

    /// Sets the number of threads that judge.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }
}

/// The number of a policy in its [`Policies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PolicyId(usize);

/// A condition that is false or unknown.
#[derive(Clone, Debug)]
pub struct Failure {
    enforce: Option<usize>,
    why: Option<Why>,
}

impl Failure {
    /// Returns the number of the `enforce` block, counted from 0; `None` for the filter.
    pub fn enforce(&self) -> Option<usize> {
        self.enforce
    }

    /// Returns why the condition is what it is, if explanations are wanted.
    pub fn why(&self) -> Option<&Why> {
        self.why.as_ref()
    }
}

/// What a policy says about an object.
#[derive(Clone, Debug)]
pub struct Verdict {
    policy: PolicyId,
    object: usize,
    status: Status,
    /// `None` for the many that have nothing to say but their status.
    details: Option<Box<Details>>,
}

#[derive(Clone, Debug, Default)]
struct Details {
    messages: Vec<String>,
    infos: Vec<String>,
    failures: Vec<Failure>,
    problems: Problems,
    waits_for: Vec<String>,
}

impl Details {
    const NONE: &'static Self = &Self {
        messages: Vec::new(),
        infos: Vec::new(),
        failures: Vec::new(),
        problems: Problems::NONE,
        waits_for: Vec::new(),
    };

    fn is_empty(&self) -> bool {
        let Self { messages, infos, failures, problems, waits_for } = self;
        messages.is_empty()
            && infos.is_empty()
            && failures.is_empty()
            && problems.is_empty()
            && waits_for.is_empty()
    }
}

impl Verdict {
    fn new(policy: PolicyId, object: usize, status: Status) -> Self {
        Self { policy, object, status, details: None }
    }

    fn details(&self) -> &Details {
        self.details.as_deref().unwrap_or(Details::NONE)
    }

    /// Returns the worst result of the conditions.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the messages of the conditions that do not hold, in their order.
    pub fn messages(&self) -> &[String] {
        &self.details().messages
    }

    /// Returns the messages that are shown whatever the result is.
    pub fn infos(&self) -> &[String] {
        &self.details().infos
    }

    /// Returns the conditions that are false or unknown.
    pub fn failures(&self) -> &[Failure] {
        &self.details().failures
    }

    /// Returns what is wrong with conditions that cannot be evaluated, and warnings about messages.
    pub fn problems(&self) -> &Problems {
        &self.details().problems
    }

    /// Returns the addresses of the resources that an unknown result waits for, and what else it lacks.
    pub fn waits_for(&self) -> &[String] {
        &self.details().waits_for
    }
}

/// Loaded policies: judge many plans.
#[derive(Clone, Debug)]
pub struct Policies {
    loaded: Arc<LoadedPolicies>,
    settings: Settings,
}

impl Policies {
    /// Loads files, each of which is evaluated alone.
    ///
    /// # Errors
    /// What is wrong with the files, all at once.
    pub fn load(files: &[File], settings: &Settings) -> Result<Self, Problems> {
        let loaded = load::load(files, settings);
        if loaded.problems.has_errors() {
            return Err(loaded.problems);
        }
        Ok(Self { loaded: Arc::new(loaded), settings: settings.clone() })
    }

    /// Returns warnings about the files.
    pub fn warnings(&self) -> &Problems {
        &self.loaded.problems
    }

    /// Returns the number of policies.
    pub fn len(&self) -> usize {
        self.loaded.policies.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.loaded.policies.is_empty()
    }

    /// Returns the name of the policy of a verdict: `resource_policy.aws_s3_bucket.encrypted`.
    pub fn address(&self, verdict: &Verdict) -> String {
        self.policy(verdict).address()
    }

    /// Returns the label of the policy of a verdict.
    pub fn label(&self, verdict: &Verdict) -> &str {
        &self.policy(verdict).label
    }

    /// Returns what follows if the policy of a verdict fails.
    pub fn level(&self, verdict: &Verdict) -> Level {
        self.policy(verdict).level
    }

    /// Returns the address of the object of a verdict about a plan.
    pub fn object<'p>(&self, plan: &'p Plan, verdict: &Verdict) -> &'p str {
        plan.objects.get(verdict.object).map_or("", |object| &object.address)
    }

    /// Returns the operation of the object of a verdict about a plan.
    pub fn operation(&self, plan: &Plan, verdict: &Verdict) -> Option<Operation> {
        plan.objects.get(verdict.object).and_then(|object| object.operation)
    }

    /// Returns the place of the policy of a verdict, or of one of its `enforce` blocks.
    pub fn place(&self, verdict: &Verdict, enforce: Option<usize>) -> (&Arc<Source>, Span) {
        let policy = self.policy(verdict);
        let source = self.loaded.files[policy.file].document.source();
        let enforce = enforce.and_then(|at| policy.enforces.get(at));
        (source, enforce.map_or(policy.span, |enforce| enforce.span))
    }

    fn policy(&self, verdict: &Verdict) -> &load::LoadedPolicy {
        &self.loaded.policies[verdict.policy.0]
    }

    /// Judges the objects of a plan by all policies whose labels select them. Verdicts are in the order of the objects, and
    /// for each object in the order of the policies.
    ///
    /// # Errors
    /// Inputs without a value, and values that do not fit.
    pub fn judge(&self, plan: &Plan, given: &GivenInputs) -> Result<Report, Problems> {
        let mut problems = Problems::default();
        let mut sources = Sources::new(given, self.settings.limits, &mut problems);
        let inputs = self.inputs(&mut sources, &[], |_| true, &mut problems);
        sources.warn_undeclared(&mut problems);
        problems.hide(&sources.secrets);
        if problems.has_errors() {
            return Err(problems);
        }
        let run = self.run(inputs, &plan.resources);
        let mut verdicts = self.verdicts(&run, &plan.objects);
        if self.settings.explain {
            explain(&run, &plan.objects, &mut verdicts);
        }
        Ok(Report { policies: self.clone(), verdicts, problems })
    }

    fn run(&self, inputs: InputValues, resources: &Arc<Resources>) -> PolicyRun<'_> {
        PolicyRun {
            loaded: &self.loaded,
            inputs,
            resources: Arc::clone(resources),
            now: self.settings.now.clone(),
        }
    }

    /// Returns the values of the inputs of all files; those of other files than `wanted` are unknown.
    fn inputs(
        &self,
        sources: &mut Sources,
        written: &[&inputs::Values],
        wanted: impl Fn(usize) -> bool,
        problems: &mut Problems,
    ) -> InputValues {
        let files = self.loaded.files.iter().enumerate();
        files
            .map(
                |(at, file)| {
                    if wanted(at) { sources.values(&file.inputs, written, problems) } else { Vec::new() }
                },
            )
            .collect()
    }

    /// Judges objects, on several threads if there are enough of them.
    fn verdicts(&self, run: &PolicyRun<'_>, objects: &[Object]) -> Vec<Verdict> {
        /// Fewer objects are judged sooner than a thread has started.
        const LEAST: usize = 64;
        let selection = report::PolicySelection::new(&self.loaded, objects, |_| true);
        let threads = self.settings.threads.min(objects.len().div_ceil(LEAST)).max(1);
        let size = objects.len().div_ceil(threads).max(1);
        let judge = |(chunk, part): (usize, &[Object])| {
            let mut judge = Judge::new(run);
            let mut verdicts = Vec::new();
            for (at, object) in part.iter().enumerate() {
                report::judge_object(&mut judge, &selection, chunk * size + at, object, &mut verdicts);
            }
            verdicts
        };
        let mut chunks = objects.chunks(size).enumerate();
        if threads == 1 {
            return chunks.next().map(judge).unwrap_or_default();
        }
        let judge = &judge;
        std::thread::scope(|scope| {
            let threads: Vec<_> = chunks.map(|chunk| scope.spawn(move || judge(chunk))).collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }
}

/// Explains the first results that do not pass, by judging them again.
fn explain(run: &PolicyRun<'_>, objects: &[Object], verdicts: &mut [Verdict]) {
    let mut judge = Judge::new(run);
    judge.explanations = MOST_EXPLAINED;
    for verdict in verdicts.iter_mut().filter(|verdict| !verdict.failures().is_empty()) {
        if judge.explanations == 0 {
            break;
        }
        if let Some(object) = objects.get(verdict.object)
            && judge.set_object(run.loaded.policies[verdict.policy.0].file, object).is_ok()
            && let Ok(explained) = judge.judge(verdict.policy, (verdict.object, object))
        {
            *verdict = explained;
        }
    }
}

/// Returns true if problems stop a run.
pub(crate) fn stops(problems: &Problems) -> bool {
    problems.iter().any(|one| one.severity == Severity::Error)
}
