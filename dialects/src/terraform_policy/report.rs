//! The verdicts of a run: which policies judge which objects, and what follows.

use std::collections::HashMap;

use hclvm::Error;

use super::judge::Judge;
use super::load::LoadedPolicies;
use super::object::Object;
use super::{Details, Level, Policies, PolicyId, PolicyKind, Status, Verdict};
use crate::problems::Problems;

/// The policies for each kind and name of objects, in their order.
pub(super) struct PolicySelection<'s>(HashMap<(PolicyKind, &'s str), Vec<FilePolicies>>);

/// The policies of the file with a number.
type FilePolicies = (usize, Vec<PolicyId>);

impl<'s> PolicySelection<'s> {
    pub(super) fn new(
        loaded: &LoadedPolicies,
        objects: &'s [Object],
        wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let mut exact: HashMap<(PolicyKind, &str), Vec<usize>> = HashMap::new();
        let mut others = Vec::new();
        for (at, policy) in loaded.policies.iter().enumerate().filter(|(_, policy)| wanted(policy.file)) {
            match policy.pattern.exact() {
                Some(name) => exact.entry((policy.kind, name)).or_default().push(at),
                None => others.push((policy, at)),
            }
        }
        let mut selection: HashMap<(PolicyKind, &'s str), Vec<FilePolicies>> = HashMap::new();
        for object in objects {
            selection.entry((object.kind, object.name.as_str())).or_insert_with(|| {
                let matching = others
                    .iter()
                    .filter(|(policy, _)| policy.kind == object.kind && policy.pattern.matches(&object.name));
                let mut all: Vec<usize> = matching.map(|(_, at)| *at).collect();
                all.extend(exact.get(&(object.kind, object.name.as_str())).into_iter().flatten());
                all.sort_unstable();
                by_file(loaded, &all)
            });
        }
        Self(selection)
    }

    fn of<'o>(&'o self, object: &'o Object) -> &'o [FilePolicies] {
        let selection: &HashMap<(PolicyKind, &'o str), Vec<FilePolicies>> = &self.0;
        selection.get(&(object.kind, object.name.as_str())).map_or(&[], Vec::as_slice)
    }
}

/// Policies are numbered file by file.
fn by_file(loaded: &LoadedPolicies, policies: &[usize]) -> Vec<FilePolicies> {
    let file = |at: &usize| loaded.policies[*at].file;
    let of_file = |policies: &[usize]| (file(&policies[0]), policies.iter().copied().map(PolicyId).collect());
    policies.chunk_by(|one, other| file(one) == file(other)).map(of_file).collect()
}

/// Judges an object by all policies that are for it.
pub(super) fn judge_object(
    judge: &mut Judge<'_>,
    selection: &PolicySelection<'_>,
    at: usize,
    object: &Object,
    verdicts: &mut Vec<Verdict>,
) {
    let failed = |policy: PolicyId, error: &Error| {
        let mut details = Box::<Details>::default();
        details.problems.add(error.to_diagnostics(&object.address));
        Verdict { details: Some(details), ..Verdict::new(policy, at, Status::Error) }
    };
    for (file, policies) in selection.of(object) {
        let is_set = if object.skip { Ok(()) } else { judge.set_object(*file, object) };
        for policy in policies {
            let verdict = match &is_set {
                _ if object.skip => Verdict::new(*policy, at, Status::Skipped),
                Ok(()) => judge.judge(*policy, (at, object)).unwrap_or_else(|error| failed(*policy, &error)),
                Err(error) => failed(*policy, error),
            };
            verdicts.push(verdict);
        }
    }
}

/// The verdicts of a run.
#[derive(Clone, Debug)]
pub struct Report {
    pub(super) policies: Policies,
    pub(super) verdicts: Vec<Verdict>,
    pub(super) problems: Problems,
}

impl Report {
    /// Returns the verdicts, in the order of the objects and of the policies.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// Returns the verdicts alone.
    pub fn into_verdicts(self) -> Vec<Verdict> {
        self.verdicts
    }

    /// Returns warnings about inputs.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Returns true if a policy that is not advisory fails or cannot be evaluated.
    pub fn stops(&self) -> bool {
        self.verdicts
            .iter()
            .any(|verdict| verdict.status >= Status::Fail && self.policies.level(verdict) != Level::Advisory)
    }
}
