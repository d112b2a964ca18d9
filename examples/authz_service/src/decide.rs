//! The policy in use, and decisions by it.

use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

use hclvm::policy::{Policy, PolicySpec};
use hclvm::{Engine, Error, Json as Shown, Module, Scope, Session};
use hclvm_decision_log::{DecisionLog, Inputs, Origin};
use hclvm_reload::{Files, Options, Problems, Reader, Reload, Watch};
use serde_json::{Value as Json, json};

/// A policy with its file, which makes scopes, and its place in the log.
struct Loaded {
    module: Module,
    policy: Policy,
    origin: Origin,
}

/// The service: the watched policy and the log of its decisions.
pub(crate) struct Service {
    watch: Watch<Loaded>,
    log: DecisionLog,
}

/// What a thread of the server reuses.
struct Worker {
    reader: Reader<Loaded>,
    session: Session,
}

thread_local! {
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

impl Service {
    /// Loads a policy and watches its file.
    pub(crate) fn open(file: &Path, log: DecisionLog) -> Result<Self, Problems> {
        let reload = Reload::builder(&Engine::new(), Files::new(file)).open(|candidate| {
            let module = candidate.document().module_for(["user", "action", "resource"])?;
            let policy = module.policy(&PolicySpec::default())?;
            let origin = Origin { epoch: candidate.epoch(), document: candidate.hash().to_string().into() };
            Ok(Loaded { module, policy, origin })
        })?;
        Ok(Self { watch: reload.watch(Options::default(), |_| {}), log })
    }

    /// Decides a request, whose members are the variables of the policy.
    pub(crate) fn decide(&self, request: &str) -> Result<Json, Error> {
        WORKER.with_borrow_mut(|worker| {
            let Worker { reader, session } = worker.get_or_insert_with(|| {
                let mut reader = self.watch.current().reader();
                let session = reader.current().document().engine().session();
                Worker { reader, session }
            });
            let Loaded { module, policy, origin } = reader.current().host();
            let mut scope: Scope = module.scope();
            scope.set_all_json(request)?;
            let started = Instant::now();
            let decision = policy.decide(session, &scope)?;
            self.log.record(&decision, Inputs::Json(request), origin, started.elapsed());
            let obligations: Vec<Json> =
                decision.obligations().map(|(_, value)| json!(Shown(value).lenient())).collect();
            Ok(json!({
                "effect": decision.effect(),
                "rule": decision.name(),
                "reason": decision.reason(),
                "obligations": obligations,
                "problems": decision.diagnostics().iter().map(ToString::to_string).collect::<Vec<_>>(),
            }))
        })
    }

    /// Returns what is in use, what was rejected, and what the log has done.
    pub(crate) fn status(&self) -> Json {
        let status = self.watch.current().status();
        let rejected = status.rejected.as_ref().map(|rejected| rejected.problems.to_string());
        let log = self.log.status();
        json!({
            "epoch": status.epoch,
            "hash": status.hash.to_string(),
            "rejected": rejected,
            "panic": status.panic.map(|panic| panic.to_string()),
            "not_logged": log.dropped + log.failed,
            "log": {
                "written": log.written,
                "failed": log.failed,
                "dropped": log.dropped,
                "waiting": log.waiting,
                "blocked_ms": log.blocked().map(|time| time.as_millis()),
                "error": log.error.map(|error| error.message),
            },
        })
    }
}
