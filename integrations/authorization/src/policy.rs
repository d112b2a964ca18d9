//! The policy in use: loaded from files, checked before it is used, with what a request needs of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hclvm::check::Declared;
use hclvm::policy::{Combining as Rule, Policy, PolicySpec};
use hclvm::run::Projection;
use hclvm::schema::Schema;
use hclvm::{Attribute, Block, Diagnostic, Diagnostics, Document, Engine, Error, Limits, OwnedValue};
use hclvm_decision_log::Origin;
use hclvm_reload::{Candidate, Files, Problems, Reload};

use crate::attributes::{TYPES, variables};
use crate::metrics::{Metrics, RuleCounters};
use crate::outcome::{ATTRIBUTES, OF_ALLOWING, OF_DENIALS, status};
use crate::settings::{Combining, Settings};

/// A policy that was accepted.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) policy: Policy,
    /// The parts of requests that it reads.
    pub(crate) projection: Projection,
    /// Where it comes from, for the decision log.
    pub(crate) origin: Origin,
    /// Counters by the names of its rules.
    pub(crate) rules: BTreeMap<String, RuleCounters>,
}

/// Loads the policy of the settings.
///
/// # Errors
/// Why there is none.
pub(crate) fn open(settings: &Settings, metrics: &Arc<Metrics>) -> Result<Reload<Loaded>, Problems> {
    let limits = Limits {
        fuel: settings.fuel,
        arena_bytes: settings.memory_bytes,
        text_bytes: settings.memory_bytes,
        time: Some(settings.time),
        ..Limits::untrusted()
    };
    // Diagnostics of requests are reported on the standard error, whose readers may not be those of requests.
    let engine = Engine::builder().limits(limits).values_in_diagnostics(false).build();
    let types = engine.parse("scope.hcl", TYPES)?;
    let declared = Declared::of_schema(&types)?;
    let (combining, metrics) = (settings.combining, Arc::clone(metrics));
    Reload::builder(&engine, Files::new(&settings.policies))
        .open(move |candidate| accept(candidate, &declared, combining, &metrics))
}

fn accept(
    candidate: &Candidate<'_>,
    declared: &Declared,
    combining: Combining,
    metrics: &Metrics,
) -> Result<Loaded, Problems> {
    let document = candidate.document();
    let combining = match combining {
        Combining::First => Rule::First,
        Combining::DenyOverrides => Rule::Overrides("deny"),
    };
    let spec = PolicySpec { combining, outcome: &ATTRIBUTES, ..PolicySpec::default() };
    let made = document.module_for(variables()).and_then(|module| Ok((module.policy(&spec)?, module)));
    let of_policy = made.as_ref().err().and_then(Error::diagnostics);
    let mut problems = unusable_rules(document);
    problems.extend(document.check(declared).iter().filter(|one| one.is_error()).cloned());
    problems.extend(of_policy.into_iter().flat_map(Diagnostics::iter).cloned());
    if !problems.is_empty() {
        problems.sort_by_key(|one| one.subject.map_or(0, |place| place.start));
        // The file, its policy and its expressions are checked one by one, and may have the same problem.
        problems.dedup_by(|a, b| (a.subject, &a.title) == (b.subject, &b.title));
        return Err(Diagnostics::new(Arc::clone(document.source()), problems).into());
    }
    let (policy, module) = made?;
    let names = document.body().blocks_of("rule").filter_map(|rule| rule.labels().next());
    let rules = metrics.rules(names);
    Ok(Loaded {
        policy,
        projection: module.document().projection(),
        origin: Origin { epoch: candidate.epoch(), document: candidate.hash().to_string().into() },
        rules,
    })
}

/// Returns the problems of rules that only this service has: other blocks in the file, rules without a name or of equal
/// names, and constants that no answer can use.
fn unusable_rules(document: &Document) -> Vec<Diagnostic> {
    let file = Schema::new().block("locals", &[]).block("rule", &["name"]);
    let (content, problems) = document.body().content_lenient(&file);
    let mut problems: Vec<Diagnostic> = problems.iter().cloned().collect();
    let mut names = BTreeSet::new();
    for block in content.blocks_of("rule") {
        if let Some(name) = block.labels().next()
            && !names.insert(name)
        {
            let detail =
                "There is a rule of this name already. Names tell rules apart in metrics and in the log.";
            problems.push(Diagnostic::error("Duplicate rule block", detail, block.header_span()));
        }
        problems.extend(unusable_constants(block));
    }
    problems
}

/// Returns the problems of attributes of a rule that have the same value for all requests.
fn unusable_constants(rule: Block<'_>) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    if let Some(attribute) = rule.attribute("status")
        && let Some(value) = constant(attribute)
        && status(value.get().unmark().0).is_err()
    {
        let detail = "A denial has a status from 300 to 499 that Envoy supports.";
        problems.push(Diagnostic::error("Invalid status", detail, attribute.expression_span()));
    }
    let Some(attribute) = rule.attribute("effect") else { return problems };
    let Some(effect) = constant(attribute) else { return problems };
    let (without, what) = match effect.get().as_str() {
        Some("allow") => (OF_DENIALS, "A rule that allows has no status and no body: these are of denials."),
        Some("deny") => (OF_ALLOWING, "A rule that denies cannot change the headers of the request."),
        // The library reports other effects.
        _ => return problems,
    };
    for attribute in without.into_iter().filter_map(|name| rule.attribute(name)) {
        problems.push(Diagnostic::error("Attribute without effect", what, attribute.name_span()));
    }
    problems
}

/// Returns the value that an attribute has for all requests; `None` if it depends on variables or has errors, which
/// a check shows.
fn constant(attribute: Attribute<'_>) -> Option<OwnedValue> {
    let mut session = attribute.document().engine().session();
    attribute.constant(&mut session).ok().flatten()
}
