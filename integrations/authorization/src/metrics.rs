//! Metrics in the text format of OpenMetrics, which Prometheus reads.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicI64, AtomicU64};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The upper bounds of the times of decisions in seconds: close to each other around some microseconds, which most
/// decisions take.
const BOUNDS: [f64; 18] = [
    1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 7e-6, 10e-6, 15e-6, 20e-6, 30e-6, 50e-6, 100e-6, 200e-6, 500e-6, 1e-3,
    5e-3, 20e-3, 100e-3,
];

/// Labels of decisions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DecisionLabels {
    result: &'static str,
    cause: &'static str,
    rule: String,
}

impl DecisionLabels {
    fn of_rule(result: &'static str, name: &str) -> Self {
        Self { result, cause: "rule", rule: name.to_owned() }
    }
}

/// The label of faults, and that of protocols and of reloads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RuleLabel {
    rule: String,
}

/// Why a request could not be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A rule has an error or depends on an unknown value, and might have decided otherwise.
    Rule,
    /// An attribute of the deciding rule cannot be used.
    Outcome,
    /// A limit was exceeded.
    Limit,
    /// The request cannot be read.
    Request,
}

impl Fault {
    /// Returns its name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Outcome => "outcome",
            Self::Limit => "limit",
            Self::Request => "request",
        }
    }
}

/// The counters of a rule.
#[derive(Clone, Debug)]
pub(crate) struct RuleCounters {
    pub(crate) allowed: Counter,
    pub(crate) denied: Counter,
    pub(crate) faults: Counter,
}

/// The names of rules that have counters: a service that runs for years keeps those of two policies.
#[derive(Debug, Default)]
struct RuleNames {
    /// Those of the policy in use.
    present: BTreeSet<String>,
    /// Those of the one before, by which a thread may still be deciding.
    before: BTreeSet<String>,
}

/// All metrics of a service.
pub(crate) struct Metrics {
    registry: Mutex<Registry>,
    decisions: Family<DecisionLabels, Counter>,
    rule_faults: Family<RuleLabel, Counter>,
    names: Mutex<RuleNames>,
    faults: Family<KindLabel, Counter>,
    reloads: Family<KindLabel, Counter>,
    /// Requests that no rule applies to.
    pub(crate) without_rule: Counter,
    /// Requests that could not be decided, and were denied or allowed.
    pub(crate) undecided: [Counter; 2],
    grpc: Histogram,
    http: Histogram,
    authzen: Histogram,
    pub(crate) epoch: Gauge<i64, AtomicI64>,
    pub(crate) loaded_at: Gauge<f64, AtomicU64>,
    pub(crate) is_rejected: Gauge<i64, AtomicI64>,
    pub(crate) not_logged: Gauge<i64, AtomicI64>,
    pub(crate) connections: Gauge<i64, AtomicI64>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let decisions = Family::<DecisionLabels, Counter>::default();
        let counter = |result, cause| {
            let labels = DecisionLabels { result, cause, rule: String::new() };
            decisions.get_or_create(&labels).clone()
        };
        let without_rule = counter("deny", "no-rule");
        let undecided = [counter("deny", "fault"), counter("allow", "fault")];
        let times = Family::<KindLabel, Histogram>::new_with_constructor(|| Histogram::new(BOUNDS));
        let time = |kind| times.get_or_create(&KindLabel { kind }).clone();
        let metrics = Self {
            registry: Mutex::default(),
            rule_faults: Family::default(),
            names: Mutex::default(),
            faults: Family::default(),
            reloads: Family::default(),
            without_rule,
            undecided,
            grpc: time("grpc"),
            http: time("http"),
            authzen: time("authzen"),
            epoch: Gauge::default(),
            loaded_at: Gauge::default(),
            is_rejected: Gauge::default(),
            not_logged: Gauge::default(),
            connections: Gauge::default(),
            decisions,
        };
        for kind in [Fault::Rule, Fault::Outcome, Fault::Limit, Fault::Request] {
            drop(metrics.faults.get_or_create(&KindLabel { kind: kind.name() }));
        }
        for kind in ["loaded", "rejected", "restored"] {
            drop(metrics.reloads.get_or_create(&KindLabel { kind }));
        }
        metrics.register(times);
        metrics
    }

    fn register(&self, times: Family<KindLabel, Histogram, fn() -> Histogram>) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let mut own = Registry::with_prefix("hclvm_authorization");
        own.register("decisions", "Decisions by result, cause and rule", self.decisions.clone());
        own.register(
            "faults",
            "Requests that could not be decided, by the kind of fault",
            self.faults.clone(),
        );
        let text = "Decisions in which a rule had an error";
        own.register("rule_faults", text, self.rule_faults.clone());
        let text = "Seconds from a request that is decoded to the response that is built, by protocol";
        own.register("decision_seconds", text, times);
        own.register("policy_epoch", "The number of policies that replaced another one", self.epoch.clone());
        let text = "The time from which the policy is in use, in seconds since 1970";
        own.register("policy_loaded_timestamp_seconds", text, self.loaded_at.clone());
        let text = "1 while the files hold a policy that was rejected, else 0";
        own.register("policy_rejected", text, self.is_rejected.clone());
        own.register("reloads", "Attempts to replace the policy, by outcome", self.reloads.clone());
        let text = "Decisions that the decision log dropped or could not write since it was opened";
        own.register("decision_log_dropped", text, self.not_logged.clone());
        own.register("connections", "Connections that are open", self.connections.clone());
        *registry = own;
    }

    /// Returns the counters of the rules of a policy that replaces the one in use. The counts of rules that neither
    /// has are added up in one counter, so that names that change take no memory for ever.
    pub(crate) fn rules<'n>(&self, names: impl Iterator<Item = &'n str>) -> BTreeMap<String, RuleCounters> {
        let next: BTreeSet<String> = names.map(str::to_owned).collect();
        let mut known = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let present = std::mem::replace(&mut known.present, next.clone());
        for name in known.before.difference(&present).filter(|name| !next.contains(*name)) {
            self.retire(name);
        }
        known.before = present;
        next.into_iter().map(|name| (name.clone(), self.rule(&name))).collect()
    }

    fn rule(&self, name: &str) -> RuleCounters {
        let counter = |result| self.decisions.get_or_create(&DecisionLabels::of_rule(result, name)).clone();
        let faults = self.rule_faults.get_or_create(&RuleLabel { rule: name.to_owned() }).clone();
        RuleCounters { allowed: counter("allow"), denied: counter("deny"), faults }
    }

    /// Adds the counts of a rule to those of all former rules, and removes its counters.
    fn retire(&self, name: &str) {
        let RuleCounters { allowed, denied, faults } = self.rule(name);
        for (result, count) in [("allow", allowed), ("deny", denied)] {
            let all = DecisionLabels { result, cause: "former-rule", rule: String::new() };
            self.decisions.get_or_create(&all).inc_by(count.get());
            self.decisions.remove(&DecisionLabels::of_rule(result, name));
        }
        self.rule_faults.get_or_create(&RuleLabel { rule: String::new() }).inc_by(faults.get());
        self.rule_faults.remove(&RuleLabel { rule: name.to_owned() });
    }

    /// Counts a request that could not be decided.
    pub(crate) fn count_fault(&self, fault: Fault) {
        self.faults.get_or_create(&KindLabel { kind: fault.name() }).inc();
    }

    /// Counts an attempt to replace the policy.
    pub(crate) fn count_reload(&self, kind: &'static str) {
        self.reloads.get_or_create(&KindLabel { kind }).inc();
    }

    /// Adds the time of a decision that was asked for over gRPC.
    pub(crate) fn add_grpc(&self, time: Duration) {
        self.grpc.observe(time.as_secs_f64());
    }

    /// Adds the time of a decision that was asked for over HTTP.
    pub(crate) fn add_http(&self, time: Duration) {
        self.http.observe(time.as_secs_f64());
    }

    /// Adds the time of a request of AuthZEN.
    pub(crate) fn add_authzen(&self, time: Duration) {
        self.authzen.observe(time.as_secs_f64());
    }

    /// Returns all metrics as text.
    pub(crate) fn text(&self) -> String {
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lines of a metric.
    fn lines(metrics: &Metrics, beginning: &str) -> Vec<String> {
        let text = metrics.text();
        let lines = text.lines().filter(|line| line.starts_with(beginning));
        lines.map(|line| line.replace("hclvm_authorization_", "")).collect()
    }

    #[test]
    fn rules_keep_their_counts_while_they_are_in_use() {
        let metrics = Metrics::new();
        let first = metrics.rules(["a", "b", "b"].into_iter());
        assert_eq!(first.keys().collect::<Vec<_>>(), ["a", "b"]);
        first["a"].allowed.inc();
        first["b"].denied.inc();
        first["b"].faults.inc();
        let second = metrics.rules(["b", "c"].into_iter());
        second["b"].denied.inc();
        // A decision by the first policy may still be counted.
        first["a"].allowed.inc();
        assert_eq!(metrics.rule("a").allowed.get(), 2);
        let third = metrics.rules(["b", "a"].into_iter());
        assert_eq!((third["a"].allowed.get(), third["b"].denied.get(), third["b"].faults.get()), (2, 2, 1));
    }

    #[test]
    fn counters_of_names_that_change_are_bounded() {
        let metrics = Metrics::new();
        for at in 0..50 {
            let names: Vec<String> = (0..4).map(|rule| format!("rule-{at}-{rule}")).collect();
            let rules = metrics.rules(names.iter().map(String::as_str));
            for counters in rules.values() {
                counters.allowed.inc();
                counters.denied.inc_by(2);
                counters.faults.inc_by(3);
            }
        }
        let decisions = "hclvm_authorization_decisions_total";
        let (all, faults) =
            (lines(&metrics, decisions), lines(&metrics, "hclvm_authorization_rule_faults_total"));
        assert!(all.len() < 25 && faults.len() < 12, "{} and {}", all.len(), faults.len());
        let former =
            |result| format!("decisions_total{{result=\"{result}\",cause=\"former-rule\",rule=\"\"}} ");
        for wanted in [former("allow") + "192", former("deny") + "384"] {
            assert!(all.contains(&wanted), "{wanted}: {all:?}");
        }
        assert!(faults.contains(&"rule_faults_total{rule=\"\"} 576".to_owned()), "{faults:?}");
    }

    #[test]
    fn every_kind_has_a_counter_of_its_own() {
        let metrics = Metrics::new();
        let kinds = [Fault::Rule, Fault::Outcome, Fault::Limit, Fault::Request];
        for (count, fault) in (1..).zip(kinds) {
            (0..count).for_each(|_| metrics.count_fault(fault));
            let line = format!("faults_total{{kind=\"{}\"}} {count}", fault.name());
            assert!(lines(&metrics, "hclvm_authorization_faults_total").contains(&line), "{line}");
        }
        for kind in ["loaded", "rejected", "restored"] {
            let line = format!("reloads_total{{kind=\"{kind}\"}} 0");
            assert!(lines(&metrics, "hclvm_authorization_reloads_total").contains(&line), "{line}");
        }
        metrics.undecided[0].inc();
        metrics.without_rule.inc_by(2);
        metrics.undecided[1].inc_by(3);
        let decisions = lines(&metrics, "hclvm_authorization_decisions_total");
        for (result, cause, count) in [("deny", "fault", 1), ("deny", "no-rule", 2), ("allow", "fault", 3)] {
            let line = format!("decisions_total{{result=\"{result}\",cause=\"{cause}\",rule=\"\"}} {count}");
            assert!(decisions.contains(&line), "{line}: {decisions:?}");
        }
        metrics.add_http(Duration::from_secs(2));
        let seconds = lines(&metrics, "hclvm_authorization_decision_seconds_");
        assert!(seconds.contains(&"decision_seconds_sum{kind=\"http\"} 2.0".to_owned()), "{seconds:?}");
        assert!(seconds.contains(&"decision_seconds_count{kind=\"grpc\"} 0".to_owned()), "{seconds:?}");
    }
}
