//! Sessions: the memory that one thread reuses to run programs, and the choice of the tier for each
//! run. The machine that runs code is `hclvm_vm::exec`.

use hclvm_vm::exec::{Frame, Outcome};
use hclvm_vm::{Arena, Interrupt, Record, TextBuffer, Value, exec};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::compile::program::Program;
use crate::compile::settings::{Engine, EngineSettings};
use crate::diagnostics::error::{Diagnostics, Error, LimitError};
use crate::diagnostics::problems::ProblemCollector;
use crate::run::cancel::{Cancel, SessionInterrupt};
use crate::run::explain::explain;
use crate::run::scope::Scope;

/// Memory to run programs in, one for each thread. A result borrows from it until the next run.
pub struct Session {
    arena: Arena,
    baseline: BaselineRuns,
    /// The buffer in which the fast tier builds templates.
    text: TextBuffer,
    /// Unless this is [`Tier::Best`], `arena` is never fresh: `run` tests only that.
    tier: Tier,
    time: Option<Duration>,
    /// Created when evaluations may be ended from outside. While there is one, `arena` is never fresh.
    interrupt: Option<Arc<SessionInterrupt>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({:?})", self.tier)
    }
}

/// The memory of baseline tier runs, and how many there were.
#[derive(Debug)]
struct BaselineRuns {
    /// Separate from the arena of the fast tier, so that what that allocated before it fell back does not
    /// count against the limits.
    arena: Arena,
    count: u64,
}

/// The tiers that a session uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tier {
    /// The fast tier, and the baseline tier when that falls back.
    #[default]
    Best,
    /// The baseline tier alone.
    Baseline,
    /// The baseline tier, looking for errors that depend on no value: both results of a conditional whose
    /// condition is unknown, the body of a loop over an unknown collection. A function whose capability is not
    /// granted returns an unknown value. For [`Session::evaluate`] and [`Session::expand`]; anything else runs as
    /// with [`Tier::Baseline`]. See [`Document::check`](crate::Document::check) for a whole file.
    Exploring,
}

/// The result of an evaluation, with its diagnostics.
#[derive(Debug)]
pub struct Evaluation<'s> {
    /// The value, which is partial if there are errors.
    pub value: Value<'s>,
    /// The errors and warnings.
    pub diagnostics: Diagnostics,
    /// The units of work that were spent; see [`Limits::fuel`](crate::Limits). A program that ran in both
    /// tiers counts in the one that has the value.
    pub fuel: u64,
    /// The value with the marks of what decided the errors.
    pub(crate) marked: Value<'s>,
}

impl<'s> Evaluation<'s> {
    /// Returns the value as one that other expressions read, such as that of a local value: if what decided the errors is
    /// marked, it is marked as well. That of [`Evaluation::value`] is as hashicorp/hcl has it, without these marks.
    pub fn marked_value(&self) -> Value<'s> {
        self.marked
    }
}

impl Engine {
    /// Creates memory to run programs in. Each thread needs its own.
    pub fn session(&self) -> Session {
        Session::new(self.settings())
    }
}

impl Session {
    fn new(settings: &EngineSettings) -> Self {
        let limits = &settings.limits;
        let mut session = Self {
            arena: settings.arena(),
            baseline: BaselineRuns { arena: settings.arena(), count: 0 },
            text: TextBuffer::default(),
            tier: Tier::default(),
            time: limits.time,
            interrupt: None,
        };
        if limits.time.is_some() {
            session.interruptible();
        }
        session
    }

    /// Returns a flag with which any thread can stop the evaluations of this session.
    pub fn cancel(&mut self) -> Cancel {
        self.interruptible().cancel()
    }

    /// Lets `cancel` stop the evaluations of this session. Several sessions can share one.
    pub fn set_cancel(&mut self, cancel: &Cancel) {
        self.interrupt = Some(Arc::new(SessionInterrupt::by(cancel.clone())));
        self.interruptible();
    }

    /// Sets the time that each later evaluation may take; `None` for no limit.
    pub fn set_time(&mut self, time: Option<Duration>) {
        self.time = time;
        self.interruptible();
    }

    /// Makes the session interruptible and returns its interrupt, which its arenas ask from now on.
    fn interruptible(&mut self) -> Arc<SessionInterrupt> {
        let interrupt = Arc::clone(self.interrupt.get_or_insert_default());
        for arena in [&mut self.arena, &mut self.baseline.arena] {
            arena.set_interrupt(Some(Arc::clone(&interrupt) as Arc<dyn Interrupt>));
        }
        interrupt
    }

    /// Sets the tiers of later runs. The results are equal; this is for tests that compare tiers.
    pub fn set_tier(&mut self, tier: Tier) {
        self.tier = tier;
        self.arena.lend();
    }

    /// Returns the number of results that the baseline tier computed: with [`Tier::Best`], how often the fast
    /// tier fell back. Counts programs, rules of rule sets and attributes of modules, not those of expansions.
    pub fn baseline_runs(&self) -> u64 {
        self.baseline.count
    }

    /// Frees the values of the last evaluation and starts the time of the next one. Out of line, because
    /// most runs of small programs have nothing to free.
    #[cold]
    #[inline(never)]
    fn reset(&mut self) {
        // Before the arena polls the interrupt.
        if let Some(interrupt) = &self.interrupt {
            interrupt.start(self.time);
        }
        self.arena.reset();
    }

    /// Like [`Session::reset`], for a run of a single program. Returns false if [`exec::run_fast`] is not to run it:
    /// there is an interrupt, or another tier was chosen. Out of line, because a run that finds the arena fresh does not
    /// call it.
    #[inline(never)]
    fn forget(&mut self) -> bool {
        if self.interrupt.is_none() && self.tier == Tier::Best {
            self.arena.forget();
            return true;
        }
        self.reset();
        false
    }

    /// Returns true if rows may be run in vectors: only the fast tier's limits are known to suit.
    pub(crate) fn runs_vectors(&self) -> bool {
        self.tier == Tier::Best
    }

    /// Starts the time of an evaluation that does not use the session's memory.
    ///
    /// # Errors
    /// The reason to end it, which is that it was cancelled.
    pub(crate) fn start_vector(&self, program: &Program) -> Result<(), Error> {
        let Some(interrupt) = &self.interrupt else { return Ok(()) };
        interrupt.start(self.time);
        match interrupt.ended() {
            Some(exhausted) => {
                let (source, span) = (Arc::clone(program.source()), program.span());
                Err(LimitError { exhausted, source, span }.into())
            }
            None => Ok(()),
        }
    }

    /// Starts an evaluation of several programs, which share one budget: returns the session's memory,
    /// empty, the tier, and the number of results of the baseline tier.
    pub(crate) fn start_shared(&mut self) -> (&Arena, Tier, &mut u64) {
        self.reset();
        (self.arena.lend(), self.tier, &mut self.baseline.count)
    }

    /// Starts an evaluation by the baseline tier alone: returns its memory, empty.
    pub(crate) fn start_observed(&mut self) -> &Arena {
        self.reset();
        self.arena.lend();
        self.baseline.count += 1;
        self.baseline.arena.reset();
        &self.baseline.arena
    }

    /// Runs a program. The result borrows from the session, the program and the scope.
    ///
    /// # Errors
    /// All diagnostics of the evaluation, or the limit that it exceeded.
    // Always inlined: the checks and the entry of the fast tier then share the frame of the caller, and
    // the result of 16 bytes is not copied through another one.
    #[inline(always)]
    pub fn run<'s>(&'s mut self, program: &'s Program, scope: &'s Scope) -> Result<Value<'s>, Error> {
        scope.check_program(program)?;
        self.run_checked(program, scope, || scope.frame(), || scope.values())
    }

    /// Runs a program that suits `scope` with the values of a frame, which are also `values`, without padding.
    // Always inlined, as `run`.
    #[inline(always)]
    pub(crate) fn run_checked<'s>(
        &'s mut self,
        program: &'s Program,
        scope: &'s Scope,
        frame: impl Fn() -> Frame<'s, 's>,
        values: impl FnOnce() -> &'s [Value<'s>],
    ) -> Result<Value<'s>, Error> {
        if (self.arena.is_fresh() || self.forget())
            && let Some(value) = exec::run_fast(&program.artifact().fast, frame, &self.arena, &mut self.text)
        {
            return Ok(value);
        }
        let tier = self.interrupt.as_ref().map(|_| self.tier);
        run_otherwise(&self.arena, tier, &mut self.text, &mut self.baseline, program, scope, values())
    }

    /// Runs a program and returns its value, which may be partial, beside the diagnostics.
    ///
    /// # Errors
    /// The limit that the evaluation exceeded.
    pub fn evaluate<'s>(
        &'s mut self,
        program: &'s Program,
        scope: &'s Scope,
    ) -> Result<Evaluation<'s>, Error> {
        self.evaluate_showing(program, scope, false)
    }

    /// Runs a program like [`Session::evaluate`], with diagnostics that show no values, as if all of them were marked: for
    /// an expression whose literals are secrets. The diagnostics still refer to its text, see [`Diagnostics::redacted`].
    ///
    /// # Errors
    /// The limit that the evaluation exceeded.
    pub fn evaluate_concealed<'s>(
        &'s mut self,
        program: &'s Program,
        scope: &'s Scope,
    ) -> Result<Evaluation<'s>, Error> {
        self.evaluate_showing(program, scope, true)
    }

    fn evaluate_showing<'s>(
        &'s mut self,
        program: &'s Program,
        scope: &'s Scope,
        concealed: bool,
    ) -> Result<Evaluation<'s>, Error> {
        let reporting = Reporting { concealed, ..Reporting::ALL };
        scope.check_program(program)?;
        self.reset();
        if let Some(evaluation) = run_fast(self.arena.lend(), self.tier, program, scope.frame()) {
            return Ok(evaluation);
        }
        self.baseline.count += 1;
        self.baseline.arena.reset();
        self.baseline.arena.set_partial(scope.is_partial());
        let (arena, values) = (&self.baseline.arena, scope.values());
        let evaluation = match self.tier {
            Tier::Exploring => run_exploring(arena, program, values, reporting)?,
            Tier::Best | Tier::Baseline => run_baseline(arena, program, values, reporting)?,
        };
        Ok(Evaluation { diagnostics: scope.suggest(evaluation.diagnostics), ..evaluation })
    }
}

/// Runs a program that [`exec::run_fast`] did not run, or that fell back. Out of line, because `run` is inlined into
/// its callers and must stay small. `tier` is the tier of a session with an interrupt.
#[cold]
#[inline(never)]
fn run_otherwise<'s>(
    arena: &'s Arena,
    tier: Option<Tier>,
    text: &mut TextBuffer,
    baseline: &'s mut BaselineRuns,
    program: &'s Program,
    scope: &'s Scope,
    values: &'s [Value<'s>],
) -> Result<Value<'s>, Error> {
    arena.lend();
    let value = match tier {
        Some(Tier::Best) => exec::run_watched(&program.artifact().fast, || Frame::new(values), arena, text),
        _ => None,
    };
    // A template that was abandoned may have grown large.
    text.shrink();
    match value {
        Some(value) => Ok(value),
        None => fall_back(baseline, program, scope, values),
    }
}

/// Runs the baseline tier after a fallback.
fn fall_back<'s>(
    baseline: &'s mut BaselineRuns,
    program: &'s Program,
    scope: &'s Scope,
    values: &'s [Value<'s>],
) -> Result<Value<'s>, Error> {
    baseline.count += 1;
    baseline.arena.reset();
    baseline.arena.set_partial(scope.is_partial());
    let arena = &baseline.arena;
    let outcome = exec::run(program.baseline()?, values, arena);
    if outcome.faults.is_empty() && outcome.exhausted.is_none() {
        return Ok(outcome.value);
    }
    let evaluation = evaluation((arena, values), program, outcome, Reporting::ALL)?;
    if evaluation.diagnostics.is_empty() {
        Ok(evaluation.value)
    } else {
        Err(scope.suggest(evaluation.diagnostics).into())
    }
}

/// Runs a program with the values of its layout's slots. Keeps the values in `arena`.
pub(crate) fn evaluate_in<'s>(
    arena: &'s Arena,
    tier: Tier,
    program: &'s Program,
    values: &[Value<'s>],
) -> Result<Evaluation<'s>, Error> {
    evaluate_reporting(arena, tier, program, values, Reporting::ALL)
}

/// The values that diagnostics show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporting {
    /// True if marks of the values were removed: they are not shown.
    pub(crate) concealed: bool,
    /// The number of diagnostics for which their collector has room. It counts further ones, which have neither sentence
    /// nor suggestion.
    pub(crate) room: usize,
}

impl Reporting {
    pub(crate) const ALL: Self = Self { concealed: false, room: usize::MAX };
}

/// Like [`evaluate_in`], with diagnostics that show no more than this.
pub(crate) fn evaluate_reporting<'s>(
    arena: &'s Arena,
    tier: Tier,
    program: &'s Program,
    values: &[Value<'s>],
    reporting: Reporting,
) -> Result<Evaluation<'s>, Error> {
    match run_fast(arena, tier, program, Frame::new(values)) {
        Some(evaluation) => Ok(evaluation),
        None if tier == Tier::Exploring => run_exploring(arena, program, values, reporting),
        None => run_baseline(arena, program, values, reporting),
    }
}

/// Returns the value that the fast tier computes; `None` if it fell back. A value means that there
/// are no diagnostics.
pub(crate) fn value_in<'s>(
    arena: &'s Arena,
    tier: Tier,
    program: &'s Program,
    values: &[Value<'s>],
) -> Option<Value<'s>> {
    let fast = program.fast().filter(|_| tier == Tier::Best)?;
    exec::try_fast(fast, Frame::new(values), arena)
}

fn run_fast<'s>(
    arena: &'s Arena,
    tier: Tier,
    program: &'s Program,
    frame: Frame<'_, 's>,
) -> Option<Evaluation<'s>> {
    let fast = program.fast().filter(|_| tier == Tier::Best)?;
    let value = exec::try_fast(fast, frame, arena)?;
    let diagnostics = Diagnostics::new(Arc::clone(program.source()), Vec::new());
    Some(Evaluation { value, diagnostics, fuel: arena.budget().spent(), marked: value })
}

fn run_baseline<'s>(
    arena: &'s Arena,
    program: &'s Program,
    values: &[Value<'s>],
    reporting: Reporting,
) -> Result<Evaluation<'s>, Error> {
    let outcome = exec::run(program.baseline()?, values, arena);
    evaluation((arena, values), program, outcome, reporting)
}

/// Explores a program: see [`exec::explore`].
fn run_exploring<'s>(
    arena: &'s Arena,
    program: &'s Program,
    values: &[Value<'s>],
    reporting: Reporting,
) -> Result<Evaluation<'s>, Error> {
    let outcome = exec::explore(program.baseline()?, values, arena);
    evaluation((arena, values), program, outcome, reporting)
}

/// Explores a program for a check. Returns the value and its faults.
///
/// # Errors
/// The limit that was exceeded.
pub(crate) fn faults_in<'s>(
    arena: &'s Arena,
    program: &'s Program,
    values: &[Value<'s>],
) -> Result<(Value<'s>, &'s [Record<'s>]), Error> {
    let outcome = exec::explore(program.baseline()?, values, arena);
    within_limits(program, &outcome)?;
    Ok((outcome.value, outcome.faults))
}

/// Returns an error if a run exceeded a limit.
fn within_limits(program: &Program, outcome: &Outcome<'_>) -> Result<(), Error> {
    let Some(exhausted) = outcome.exhausted else { return Ok(()) };
    let (source, span) = (Arc::clone(program.source()), program.node_span(outcome.stopped_at));
    Err(LimitError { exhausted, source, span }.into())
}

/// Returns the result of a run of the baseline tier, with its faults as diagnostics. These show no values if they are
/// `concealed`, or if the engine hides all values.
pub(crate) fn evaluation<'s>(
    (arena, values): (&'s Arena, &[Value<'s>]),
    program: &'s Program,
    outcome: Outcome<'s>,
    Reporting { concealed, room }: Reporting,
) -> Result<Evaluation<'s>, Error> {
    within_limits(program, &outcome)?;
    let concealed = concealed || program.engine().hides_values();
    let mut problems = ProblemCollector::new(arena.budget().limits().faults);
    for (at, record) in outcome.faults.iter().enumerate() {
        let subject = Some(program.node_span(record.node));
        problems.push_with(subject, || {
            if at < room {
                let values = (values, arena.is_partial());
                explain(program, record, values, concealed, arena.comparisons())
            } else {
                program.counted(record)
            }
        });
    }
    let diagnostics = Diagnostics::new(Arc::clone(program.source()), problems.take());
    let marked = outcome.value.with_marks(arena, Record::marks_of(arena, outcome.faults));
    Ok(Evaluation { value: outcome.value, diagnostics, fuel: arena.budget().spent(), marked })
}
