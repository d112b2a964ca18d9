//! The evaluation of one policy for one object.
//!
//! ```text
//! operation ─▶ filter ─▶ each enforce block: locals that it reads, condition, messages ─▶ the worst result
//!                          a result that waits for other resources is tried in all worlds of at most four of them
//! ```
//!
//! In doubt a policy does not pass: what cannot be evaluated is an error, what depends on unknown values is unknown.

use std::collections::HashMap;
use std::sync::Arc;

use hclvm::value::{Arena, View, convert};
use hclvm::why::Why;
use hclvm::{Diagnostic, Diagnostics, Error, OwnedValue, Program, Scope, Session, Type, Value};

use super::host::{MOST_ASSUMED, Open, Reach};
use super::load::{
    InputValues, LoadedPolicies, LoadedPolicy, LocalId, Message, MessagePart, PolicyFile, PolicyLocal,
    PolicyStep,
};
use super::object::Object;
use super::resources::Resources;
use super::{Details, Failure, PolicyId, Status, Verdict};
use crate::problems::{Problems, TextRange};

/// What is shown in place of a sensitive part of a message.
const SENSITIVE_PART: &str = "(sensitive value)";
/// What is shown in place of an unknown part of a message.
const UNKNOWN_PART: &str = "(known after apply)";
/// What is shown in place of a message that cannot be evaluated.
const NO_MESSAGE: &str = "The policy is violated. Its message cannot be evaluated.";

/// What all evaluations of a run share.
#[derive(Debug)]
pub(super) struct PolicyRun<'r> {
    pub(super) loaded: &'r LoadedPolicies,
    pub(super) inputs: InputValues,
    pub(super) resources: Arc<Resources>,
    pub(super) now: Option<Arc<str>>,
}

/// A local that is equal for all objects: one of the file, or of the policy with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SharedKey {
    OfFile(usize),
    OfPolicy(usize, usize),
}

/// A local that is equal for all objects.
#[derive(Clone, Debug)]
struct SharedLocal {
    value: Result<OwnedValue, Diagnostics>,
    open: Vec<Open>,
    is_more_open: bool,
    lacks: Vec<String>,
}

/// Judges objects, in one thread.
#[derive(Debug)]
pub(super) struct Judge<'r> {
    run: &'r PolicyRun<'r>,
    session: Session,
    files: Vec<FileState>,
    /// The policy that is evaluated, and its file.
    policy: usize,
    file: usize,
    /// The number of conditions that may still be explained.
    pub(super) explanations: usize,
}

/// The values that the policies of a file read.
#[derive(Debug)]
struct FileState {
    scope: Scope,
    shared: HashMap<SharedKey, SharedLocal>,
    /// The policy that was evaluated last.
    policy: Option<usize>,
    computed: ComputedLocals,
}

/// Which locals have their value in the scope: those with the number of the current evaluation, and those that are equal for
/// all objects with the number of the time since when the scope has them: a policy may replace those of another one.
#[derive(Debug, Default)]
struct ComputedLocals {
    evaluation: u64,
    since: u64,
    since_policy: u64,
    of_policy: Vec<u64>,
    of_file: Vec<u64>,
}

impl ComputedLocals {
    /// Returns the number that a local has if it is computed, and the place of its number.
    fn number(&mut self, id: LocalId, is_shared: bool) -> (u64, Option<&mut u64>) {
        // Numbers of times are odd, so that none is one of an evaluation.
        let wanted = match id {
            _ if !is_shared => 2 * self.evaluation,
            LocalId::OfFile(_) => 2 * self.since + 1,
            LocalId::OfPolicy(_) => 2 * self.since_policy + 1,
        };
        let number = match id {
            LocalId::OfFile(at) => self.of_file.get_mut(at),
            LocalId::OfPolicy(at) => self.of_policy.get_mut(at),
        };
        (wanted, number)
    }

    fn has(&mut self, id: LocalId, is_shared: bool) -> bool {
        let (wanted, number) = self.number(id, is_shared);
        number.is_some_and(|number| *number == wanted)
    }

    fn insert(&mut self, id: LocalId, is_shared: bool) {
        let (wanted, number) = self.number(id, is_shared);
        if let Some(number) = number {
            *number = wanted;
        }
    }

    /// Lets all values be computed again.
    fn forget(&mut self) {
        self.evaluation += 1;
        self.since += 1;
        self.since_policy += 1;
    }
}

/// What a step gave.
enum StepOutcome {
    Truth(bool),
    Unknown,
    Failed(Diagnostics),
}

/// A judgement before it is a verdict. Its status is [`Status::Skipped`] if the filter excludes the object.
#[derive(Debug, Default)]
struct Judgement {
    status: Status,
    details: Details,
}

impl<'r> Judge<'r> {
    pub(super) fn new(run: &'r PolicyRun<'r>) -> Self {
        let engine = &run.loaded.engine;
        let state = |file: &PolicyFile| FileState {
            scope: engine.scope(&file.layout),
            shared: HashMap::new(),
            policy: None,
            computed: ComputedLocals { of_file: vec![0; file.locals.len()], ..ComputedLocals::default() },
        };
        Self {
            run,
            session: engine.session(),
            files: run.loaded.files.iter().map(state).collect(),
            policy: 0,
            file: 0,
            explanations: 0,
        }
    }

    /// Lets the policies of a file judge an object.
    pub(super) fn set_object(&mut self, file: usize, object: &Object) -> Result<(), Error> {
        let scope = &mut self.files[file].scope;
        scope.share("attrs", &object.attrs)?;
        scope.share("prior_attrs", &object.prior_attrs)?;
        scope.share("meta", &object.meta)
    }

    /// Judges the object that was set for the file of a policy.
    pub(super) fn judge(&mut self, id: PolicyId, (at, object): (usize, &Object)) -> Result<Verdict, Error> {
        let policy = &self.run.loaded.policies[id.0];
        if object.operation.is_some_and(|operation| !policy.operations.has(operation)) {
            return Ok(Verdict::new(id, at, Status::Skipped));
        }
        self.enter(id.0, policy)?;
        let Judgement { status, details } =
            if policy.reaches_out { self.judged_within_reach(policy)? } else { self.judged(policy, true)? };
        let details = (!details.is_empty()).then(|| Box::new(details));
        Ok(Verdict { details, ..Verdict::new(id, at, status) })
    }

    /// Starts an evaluation of a policy. Its file has its inputs from the first one on.
    fn enter(&mut self, id: usize, policy: &LoadedPolicy) -> Result<(), Error> {
        (self.policy, self.file) = (id, policy.file);
        let FileState { scope, policy: last, computed, .. } = &mut self.files[policy.file];
        computed.evaluation += 1;
        if *last == Some(id) {
            return Ok(());
        }
        if last.is_none() {
            let values = self.run.inputs.get(policy.file).map_or(&[][..], Vec::as_slice);
            for (input, value) in self.run.loaded.files[policy.file].inputs.iter().zip(values) {
                scope.share(&input.slot, value)?;
            }
        }
        *last = Some(id);
        computed.since_policy += 1;
        if computed.of_policy.len() < policy.locals.len() {
            computed.of_policy.resize(policy.locals.len(), 0);
        }
        Ok(())
    }

    fn state(&mut self) -> &mut FileState {
        &mut self.files[self.file]
    }

    fn key(&self, id: LocalId) -> SharedKey {
        match id {
            LocalId::OfFile(at) => SharedKey::OfFile(at),
            LocalId::OfPolicy(at) => SharedKey::OfPolicy(self.policy, at),
        }
    }

    /// Judges by a policy that depends on more than the object.
    fn judged_within_reach(&mut self, policy: &LoadedPolicy) -> Result<Judgement, Error> {
        let reach = Reach::new(&self.run.resources, self.run.now.as_ref());
        let (judged, reach) = reach.with(|| self.judged(policy, true));
        let mut judgement = judged?;
        if judgement.status == Status::Unknown {
            match self.in_all_worlds(policy, &reach)? {
                Some(agreed) => judgement = agreed,
                None => judgement.details.waits_for = waits_for(&reach),
            }
        }
        Ok(judgement)
    }

    /// Judges in all worlds that candidates which were left open allow: each is a member or not. `None` if there are too
    /// many, or the worlds do not agree.
    fn in_all_worlds(&mut self, policy: &LoadedPolicy, reach: &Reach) -> Result<Option<Judgement>, Error> {
        if reach.open.is_empty() || reach.open.len() > MOST_ASSUMED || reach.is_more_open {
            return Ok(None);
        }
        let mut agreed: Option<Judgement> = None;
        for world in 0..1_u32 << reach.open.len() {
            let assumed = reach.open.iter().cloned().enumerate();
            let assumed = assumed.map(|(at, one)| (one, world >> at & 1 == 1)).collect();
            let mut inner = Reach::new(&self.run.resources, self.run.now.as_ref());
            inner.assumed = Some(assumed);
            self.state().computed.forget();
            let (judged, inner) = inner.with(|| self.judged(policy, false));
            let judged = judged?;
            let is_open = judged.status == Status::Unknown;
            let differs = agreed.as_ref().is_some_and(|known| !known.agrees(&judged));
            if is_open || differs || !inner.open.is_empty() || inner.is_more_open {
                agreed = None;
                break;
            }
            agreed = Some(judged);
        }
        self.state().computed.forget();
        Ok(agreed)
    }

    fn judged(&mut self, policy: &LoadedPolicy, explain: bool) -> Result<Judgement, Error> {
        let mut judgement = Judgement::default();
        if let Some(filter) = &policy.filter {
            match self.truth(policy, filter)? {
                StepOutcome::Truth(false) => {
                    judgement.status = Status::Skipped;
                    return Ok(judgement);
                }
                StepOutcome::Truth(true) => {}
                StepOutcome::Unknown => {
                    judgement.status = Status::Unknown;
                    self.explain(policy, filter, None, explain, &mut judgement)?;
                    return Ok(judgement);
                }
                StepOutcome::Failed(found) => {
                    judgement.status = Status::Error;
                    judgement.details.problems.add(found);
                    return Ok(judgement);
                }
            }
        }
        for (at, enforce) in policy.enforces.iter().enumerate() {
            let status = match self.truth(policy, &enforce.condition)? {
                StepOutcome::Truth(true) => Status::Pass,
                StepOutcome::Truth(false) => Status::Fail,
                StepOutcome::Unknown => Status::Unknown,
                StepOutcome::Failed(found) => {
                    judgement.details.problems.add(found);
                    Status::Error
                }
            };
            judgement.status = judgement.status.max(status);
            if matches!(status, Status::Fail | Status::Unknown) {
                self.explain(policy, &enforce.condition, Some(at), explain, &mut judgement)?;
            }
            if status == Status::Fail
                && let Some(message) = &enforce.error
            {
                let text = self.message(policy, message, &mut judgement.details.problems)?;
                judgement.details.messages.push(text.unwrap_or_else(|| NO_MESSAGE.to_owned()));
            }
            if matches!(status, Status::Pass | Status::Fail)
                && let Some(message) = &enforce.info
                && let Some(text) = self.message(policy, message, &mut judgement.details.problems)?
            {
                judgement.details.infos.push(text);
            }
        }
        Ok(judgement)
    }

    /// Records why a condition is false or unknown.
    fn explain(
        &mut self,
        policy: &LoadedPolicy,
        step: &PolicyStep,
        enforce: Option<usize>,
        explain: bool,
        judgement: &mut Judgement,
    ) -> Result<(), Error> {
        let why = if explain && self.explanations > 0 {
            self.explanations -= 1;
            // What the explanation asks for again is not left open twice.
            let reach = Reach::new(&self.run.resources, self.run.now.as_ref());
            Some(reach.with(|| self.why(policy, step)).0?)
        } else {
            None
        };
        judgement.details.failures.push(Failure { enforce, why });
        Ok(())
    }

    fn why(&mut self, policy: &LoadedPolicy, step: &PolicyStep) -> Result<Why, Error> {
        let file = &self.run.loaded.files[policy.file];
        let definition = |name: &str| {
            let locals = policy.locals.iter().chain(&file.locals);
            locals.into_iter().find(|local| local.slot == name).map(|local| &local.step.program)
        };
        self.session.why_defined(&step.program, &self.files[self.file].scope, &definition)
    }

    /// Evaluates a condition with the locals that it reads.
    fn truth(&mut self, policy: &LoadedPolicy, step: &PolicyStep) -> Result<StepOutcome, Error> {
        if let Err(found) = self.locals(policy, &step.reads)? {
            return Ok(StepOutcome::Failed(found));
        }
        let value = match self.session.run(&step.program, &self.files[self.file].scope) {
            Ok(value) => value.unmark().0,
            Err(error) => return Ok(StepOutcome::Failed(error.to_diagnostics(step.program.source().name()))),
        };
        if let Some(truth) = value.as_bool() {
            return Ok(StepOutcome::Truth(truth));
        }
        Ok(match value.view() {
            View::Unknown(_) => StepOutcome::Unknown,
            View::String("true") => StepOutcome::Truth(true),
            View::String("false") => StepOutcome::Truth(false),
            view => {
                let found = match view {
                    View::Null(_) => "null".to_owned(),
                    _ => value.type_of(&Arena::new()).friendly_name().to_string(),
                };
                let detail = format!("The condition is true or false, not {found}.");
                let one = Diagnostic::error("Invalid condition".to_owned(), detail, step.program.span());
                StepOutcome::Failed(Diagnostics::new(Arc::clone(step.program.source()), vec![one]))
            }
        })
    }

    /// Computes locals that are not computed yet, each after those that it reads. Returns what is wrong with one.
    fn locals(&mut self, policy: &LoadedPolicy, reads: &[LocalId]) -> Result<Result<(), Diagnostics>, Error> {
        if reads.is_empty() {
            return Ok(Ok(()));
        }
        let run = self.run;
        let file = &run.loaded.files[policy.file];
        let definition = |id: LocalId| match id {
            LocalId::OfFile(at) => file.locals.get(at),
            LocalId::OfPolicy(at) => policy.locals.get(at),
        };
        // Each local is entered, then the locals that it reads, then it is computed.
        let mut open: Vec<(LocalId, bool)> = reads.iter().rev().map(|id| (*id, false)).collect();
        while let Some((id, is_ready)) = open.pop() {
            let Some(local) = definition(id) else { continue };
            let is_shared = !local.is_of_object;
            if self.state().computed.has(id, is_shared) {
                if is_shared {
                    self.add_open(self.key(id));
                }
                continue;
            }
            if !is_ready && !local.step.reads.is_empty() {
                open.push((id, true));
                open.extend(local.step.reads.iter().map(|id| (*id, false)));
                continue;
            }
            let shared = if is_shared { self.shared(id, local)? } else { None };
            let value = match shared {
                Some(value) => value,
                None => self.value(&local.step.program)?,
            };
            match value {
                Ok(value) => self.state().scope.share(&local.slot, &value)?,
                Err(found) => return Ok(Err(found)),
            }
            self.state().computed.insert(id, is_shared);
        }
        Ok(Ok(()))
    }

    /// Adds what a shared local left open to what the policy leaves open.
    fn add_open(&self, key: SharedKey) {
        if let Some(local) = self.files[self.file].shared.get(&key) {
            Reach::current(|reach| reach.add_open(&local.open, local.is_more_open, &local.lacks));
        }
    }

    /// Returns the value of a local that is equal for all objects, which is computed once; `None` in an assumed world if it
    /// depends on what is assumed, or was never computed without assumptions.
    fn shared(
        &mut self,
        id: LocalId,
        local: &PolicyLocal,
    ) -> Result<Option<Result<OwnedValue, Diagnostics>>, Error> {
        let is_assumed = Reach::current(|reach| reach.assumed.is_some()).unwrap_or(false);
        let (key, shared) = (self.key(id), &self.files[self.file].shared);
        if let Some(known) = shared.get(&key) {
            if is_assumed && (!known.open.is_empty() || known.is_more_open) {
                return Ok(None);
            }
            let value = known.value.clone();
            self.add_open(key);
            return Ok(Some(value));
        }
        if is_assumed {
            return Ok(None);
        }
        let mut reach = Reach::new(&self.run.resources, self.run.now.as_ref());
        for id in &local.step.reads {
            if let Some(read) = shared.get(&self.key(*id)) {
                reach.add_open(&read.open, read.is_more_open, &read.lacks);
            }
        }
        let (value, reach) = reach.with(|| self.value(&local.step.program));
        let (open, is_more_open, lacks) = (reach.open, reach.is_more_open, reach.lacks);
        let value = value?;
        let new = SharedLocal { value: value.clone(), open, is_more_open, lacks };
        self.state().shared.insert(key, new);
        self.add_open(key);
        Ok(Some(value))
    }

    fn value(&mut self, program: &Program) -> Result<Result<OwnedValue, Diagnostics>, Error> {
        Ok(match self.session.run(program, &self.files[self.file].scope) {
            Ok(value) => Ok(OwnedValue::new(value)),
            Err(error) => Err(error.to_diagnostics(program.source().name())),
        })
    }

    /// Returns a message; `None` after reporting that it cannot be evaluated.
    fn message(
        &mut self,
        policy: &LoadedPolicy,
        message: &Message,
        problems: &mut Problems,
    ) -> Result<Option<String>, Error> {
        let found = match self.locals(policy, &message.whole.reads)? {
            Ok(()) => match self.session.run(&message.whole.program, &self.files[self.file].scope) {
                Ok(value) => match shown(value) {
                    Some(text) => return Ok(Some(text)),
                    None => None,
                },
                Err(error) => Some(error.to_diagnostics(message.whole.program.source().name())),
            },
            Err(found) => Some(found),
        };
        if found.is_none() {
            return self.parts(message, problems);
        }
        let mut warnings = Problems::default();
        if let Some(found) = found {
            warnings.add(found);
        }
        problems.add_as_warnings(warnings);
        Ok(None)
    }

    /// Returns a message of which parts have no value that may be shown.
    fn parts(&mut self, message: &Message, problems: &mut Problems) -> Result<Option<String>, Error> {
        let scope = &self.files[self.file].scope;
        let mut text = String::new();
        for part in &message.parts {
            match part {
                MessagePart::Text(literal) => text += literal,
                MessagePart::Expression(program) => match self.session.run(program, scope) {
                    Ok(value) if value.contains_marks() => text += SENSITIVE_PART,
                    Ok(value) if !value.is_wholly_known() => text += UNKNOWN_PART,
                    Ok(value) => {
                        let Some(part) = shown(value) else {
                            let place =
                                TextRange { source: Arc::clone(program.source()), span: program.span() };
                            problems.warning(
                                &place,
                                "Invalid message",
                                "A part of the message is not a string.",
                            );
                            return Ok(None);
                        };
                        text += &part;
                    }
                    Err(error) => {
                        let mut warnings = Problems::default();
                        warnings.add(error.to_diagnostics(program.source().name()));
                        problems.add_as_warnings(warnings);
                        return Ok(None);
                    }
                },
            }
        }
        Ok(Some(text))
    }
}

/// Returns the addresses of the resources that an unknown result waits for, and what else it lacks.
fn waits_for(reach: &Reach) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for one in reach.open.iter().map(|one| &one.address).chain(&reach.lacks) {
        if !all.contains(one) {
            all.push(one.clone());
        }
    }
    if reach.is_more_open {
        all.push("further resources".to_owned());
    }
    all
}

/// Returns the text of a value that may be shown.
fn shown(value: Value<'_>) -> Option<String> {
    if value.contains_marks() {
        return None;
    }
    let arena = Arena::new();
    convert(&arena, value, Type::String).ok()?.as_str().map(str::to_owned)
}

impl Judgement {
    /// Returns true if two worlds have one result.
    fn agrees(&self, other: &Self) -> bool {
        let (one, other_one) = (&self.details, &other.details);
        self.status == other.status && one.messages == other_one.messages && one.infos == other_one.infos
    }
}
