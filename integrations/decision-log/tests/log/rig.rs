//! Requests, and logs that are closed.

use std::time::{Duration, Instant};

use hclvm::policy::{Policy, PolicySpec};
use hclvm::{Engine, Module, Scope, Session};
use hclvm_decision_log::{Builder, DecisionLog, Inputs, JsonLines, Origin, Status, Summary};
use serde_json::Value as Json;

use crate::file::File;

/// How long anything may take that takes milliseconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

const RULES: &str = "rule \"own\" {\n  when   = user.id == owner\n  effect = \"allow\"\n  reason = \"owner \\\"${owner}\\\"\"\n}\n";

/// A policy and the scope of a request.
pub(crate) struct Request {
    pub(crate) module: Module,
    pub(crate) policy: Policy,
    pub(crate) scope: Scope,
}

impl Request {
    pub(crate) fn new(values: &str) -> Self {
        Self::of(RULES, values)
    }

    /// Returns a request to a policy.
    pub(crate) fn of(rules: &str, values: &str) -> Self {
        let document = Engine::standard().parse("x.hcl", rules).expect("HCL");
        let module = document.module_for(["user", "owner", "list"]).expect("a module");
        let policy = module.policy(&PolicySpec::default()).expect("a policy");
        let mut scope = module.scope();
        scope.set_all_json(values).expect("JSON");
        Self { module, policy, scope }
    }

    pub(crate) fn session(&self) -> Session {
        self.module.document().engine().session()
    }

    pub(crate) fn record(&self, log: &DecisionLog, session: &mut Session) {
        self.record_with((&self.scope).into(), log, session);
    }

    pub(crate) fn record_with(&self, inputs: Inputs<'_>, log: &DecisionLog, session: &mut Session) {
        let decision = self.policy.decide(session, &self.scope).expect("within the limits");
        let origin = Origin { epoch: 7, document: "abc".into() };
        log.record(&decision, inputs, &origin, Duration::from_nanos(1_500));
    }
}

/// Returns the line for a request.
pub(crate) fn logged(builder: Builder, request: &Request) -> Json {
    let file = File::default();
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    request.record(&log, &mut request.session());
    assert_eq!(close(log).written, 1);
    file.lines().remove(0)
}

/// Returns the line for a request whose inputs are JSON.
pub(crate) fn logged_json(builder: Builder, request: &Request, json: &str) -> Json {
    let file = File::default();
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    request.record_with(Inputs::Json(json), &log, &mut request.session());
    assert_eq!(close(log).written, 1);
    file.lines().remove(0)
}

/// Ends a log. A log that does not end fails the test.
pub(crate) fn close(log: DecisionLog) -> Summary {
    let summary = log.close_within(PATIENCE);
    assert_eq!(summary.waiting, 0, "the log does not end: {summary:?}");
    summary
}

/// Records decisions that are alike.
pub(crate) fn record(log: &DecisionLog, count: usize) {
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let mut session = request.session();
    (0..count).for_each(|_| request.record(log, &mut session));
}

/// Waits until nothing waits.
pub(crate) fn settled(log: &DecisionLog) -> Status {
    let start = Instant::now();
    loop {
        let status = log.status();
        if status.waiting == 0 && status.unreported == 0 {
            return status;
        }
        assert!(start.elapsed() < PATIENCE, "{status:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
