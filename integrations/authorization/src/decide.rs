//! Decisions: the attributes of a request become the scope of the policy in use, and its decision an answer.

use std::cell::RefCell;
use std::fmt::Write;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use hclvm::policy::{Cause, Decision};
use hclvm::{Diagnostics, Error, Scope, Session};
use hclvm_decision_log::{DecisionLog, Summary};
use hclvm_reload::{Current, Reader};
use thread_local::ThreadLocal;

use crate::answer::Answer;
use crate::attributes::Input;
use crate::metrics::{Fault, Metrics};
use crate::outcome::{self, Unusable};
use crate::policy::Loaded;
use crate::settings::Settings;
use crate::telling::{Seldom, say};

/// What answers requests. It is shared by all threads.
#[derive(Debug)]
pub(crate) struct Decider {
    current: Current<Loaded>,
    workers: ThreadLocal<RefCell<Worker>>,
    /// `None` without a log, and after it was closed.
    log: RwLock<Option<DecisionLog>>,
    pub(crate) metrics: Arc<Metrics>,
    fault_status: u16,
    denied_status: u16,
    fail_open: bool,
    told: Seldom,
}

/// What a thread reuses.
#[derive(Debug)]
struct Worker {
    reader: Reader<Loaded>,
    session: Session,
    /// The scope of the last request, with the epoch of its policy.
    scope: Option<(u64, Scope)>,
}

impl Decider {
    pub(crate) fn new(
        current: Current<Loaded>,
        log: Option<DecisionLog>,
        metrics: Arc<Metrics>,
        settings: &Settings,
    ) -> Self {
        let Settings { fault_status, denied_status, fail_open, .. } = *settings;
        let (workers, log, told) =
            (ThreadLocal::new(), RwLock::new(log), Seldom::new(Duration::from_secs(1)));
        Self { current, workers, log, metrics, fault_status, denied_status, fail_open, told }
    }

    /// Returns what is in use.
    pub(crate) fn current(&self) -> &Current<Loaded> {
        &self.current
    }

    /// Answers a request.
    pub(crate) fn decide(&self, input: &impl Input) -> Answer {
        self.decide_and_read(input, |_| ()).0
    }

    /// Answers a request, and reads the decision of a rule.
    pub(crate) fn decide_and_read<R>(
        &self,
        input: &impl Input,
        read: impl FnOnce(&Decision<'_>) -> R,
    ) -> (Answer, Option<R>) {
        let worker = self.workers.get_or(|| {
            let mut reader = self.current.reader();
            let session = reader.current().document().engine().session();
            RefCell::new(Worker { reader, session, scope: None })
        });
        let Worker { reader, session, scope } = &mut *worker.borrow_mut();
        let loaded = reader.current();
        let (epoch, loaded) = (loaded.epoch(), loaded.host());
        if scope.as_ref().is_none_or(|(of, _)| *of != epoch) {
            *scope = Some((epoch, loaded.projection.scope()));
        }
        let Some((_, scope)) = scope else { return (self.refuse(self.fault_status), None) };
        let begin = Instant::now();
        let decision = input.set(scope).and_then(|()| loaded.policy.decide(session, scope));
        match decision {
            Ok(decision) => {
                let log = self.log.read().unwrap_or_else(PoisonError::into_inner);
                if let Some(log) = &*log {
                    log.record(&decision, &*scope, &loaded.origin, begin.elapsed());
                }
                drop(log);
                let read = decision.rule().map(|_| read(&decision));
                (self.answer(&decision, loaded), read)
            }
            Err(error) => (self.failure(&error), None),
        }
    }

    /// Returns the answer for a request that cannot be decided.
    pub(crate) fn fault(&self, fault: Fault) -> Answer {
        self.metrics.count_fault(fault);
        let [denied, allowed] = &self.metrics.undecided;
        if self.fail_open {
            allowed.inc();
            return Answer::allow();
        }
        denied.inc();
        Answer::deny(self.fault_status)
    }

    /// Denies a request that cannot be given to the policy, whatever the settings say about faults.
    pub(crate) fn refuse(&self, status: u16) -> Answer {
        self.metrics.count_fault(Fault::Request);
        self.metrics.undecided[0].inc();
        Answer::deny(status)
    }

    fn failure(&self, error: &Error) -> Answer {
        if self.told.is_due() {
            say(&format!("a request cannot be decided: {}", places(&error.to_diagnostics("request"))));
        }
        if error.is_limit() { self.fault(Fault::Limit) } else { self.refuse(self.fault_status) }
    }

    fn answer(&self, decision: &Decision<'_>, loaded: &Loaded) -> Answer {
        for rule in decision.failed() {
            if let Some(counters) = rule.labels().next().and_then(|name| loaded.rules.get(name)) {
                counters.faults.inc();
            }
        }
        let rule = match decision.cause() {
            Cause::Rule => decision.rule(),
            Cause::NoRule => None,
            _ => {
                self.tell(|| places(decision.diagnostics()));
                return self.fault(Fault::Rule);
            }
        };
        let Some(rule) = rule else {
            self.metrics.without_rule.inc();
            return Answer::deny(self.denied_status);
        };
        // The library leaves a decision undecided whose effect is neither "allow" nor "deny".
        let is_allowed = decision.effect() == "allow";
        match outcome::read(rule, is_allowed, self.denied_status) {
            Ok(answer) => {
                if let Some(counters) = decision.name().and_then(|name| loaded.rules.get(name)) {
                    if is_allowed { &counters.allowed } else { &counters.denied }.inc();
                }
                answer
            }
            Err(Unusable { attribute, why }) => {
                let name = decision.name().unwrap_or_default();
                self.tell(|| format!("the attribute `{attribute}` of rule \"{name}\" cannot be used: {why}"));
                // The policy denies; only how it does is not known.
                if is_allowed { self.fault(Fault::Outcome) } else { self.deny_anyway() }
            }
        }
    }

    /// Denies a request whose rule denies, but does not say how.
    fn deny_anyway(&self) -> Answer {
        self.metrics.count_fault(Fault::Outcome);
        self.metrics.undecided[0].inc();
        Answer::deny(self.fault_status)
    }

    fn tell(&self, what: impl FnOnce() -> String) {
        if self.told.is_due() {
            say(&format!("a request cannot be decided: {}", what()));
        }
    }

    /// Returns the number of decisions that the log dropped or could not write.
    pub(crate) fn not_logged(&self) -> u64 {
        let log = self.log.read().unwrap_or_else(PoisonError::into_inner);
        let status = log.as_ref().map(DecisionLog::status);
        status.map_or(0, |status| status.dropped + status.failed)
    }

    /// Writes what waits to be logged, and ends the log.
    pub(crate) fn close_log(&self) -> Option<Summary> {
        let log = self.log.write().unwrap_or_else(PoisonError::into_inner).take();
        log.map(DecisionLog::close)
    }
}

/// Returns the titles and places of diagnostics. Their details have values, which may be secret.
pub(crate) fn places(diagnostics: &Diagnostics) -> String {
    let mut text = String::new();
    for part in diagnostics.by_file() {
        for one in part.iter().filter(|one| one.is_error()) {
            let separator = if text.is_empty() { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{}", one.title);
            if let Some(place) = one.subject.map(|span| part.source().position(span.start)) {
                let _ = write!(text, " at {}:{}:{}", part.source().name(), place.line, place.column);
            }
        }
    }
    if text.is_empty() { "a value is unknown".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use hclvm::Engine;

    use super::places;

    /// Returns what is reported of texts that are read as one policy.
    fn told(files: &[(&str, &str)]) -> String {
        let files = files.iter().map(|(name, text)| (*name, text.as_bytes()));
        let (document, problems) = Engine::new().parse_files("conf", files);
        assert!(problems.is_empty());
        let module = document.expect("HCL").module().expect("a module");
        let mut scope = module.scope();
        scope.set_json("user", r#"{"name": "hunter2"}"#).expect("JSON");
        let mut session = module.document().engine().session();
        places(module.evaluate(&mut session, &scope).expect("within the limits").diagnostics())
    }

    #[test]
    fn errors_are_told_with_their_places_and_without_values() {
        let (first, second) =
            (("a.hcl", "a = user.name + 1\n"), ("b.hcl", "\nb = user.pin\nc = user.name\n"));
        let invalid = "Invalid operand at a.hcl:1:5";
        let unsupported = "Unsupported attribute at b.hcl:2:9";
        assert_eq!(told(&[first, second]), format!("{invalid}; {unsupported}"));
        assert_eq!(told(&[second]), unsupported);
        assert_eq!(told(&[("c.hcl", "c = user.name\n")]), "a value is unknown");
    }
}
