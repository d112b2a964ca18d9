//! Pieces of texts that several languages share.

#[cfg(feature = "plain")]
use hclvm_workloads::body;
use hclvm_workloads::{ARMS, SPECIAL_ARM};

use crate::task::Attributes;

/// Returns the chain of `switch` in languages with `?:`, for this subject.
#[cfg(feature = "plain")]
pub fn conditionals(subject: &str) -> String {
    arms(|zone, cluster| format!(r#"{subject} == "{zone}" ? "{cluster}" : "#)) + r#""none""#
}

/// Joins a piece for each arm of `switch`, given its key and its result.
pub fn arms(piece: impl Fn(&str, &str) -> String) -> String {
    (0..ARMS).map(|arm| piece(&zone(arm), &cluster(arm))).collect()
}

/// Returns the key of an arm of `switch`.
pub fn zone(arm: usize) -> String {
    format!("zone-{arm:02}")
}

/// Returns the result of an arm of `switch`.
pub fn cluster(arm: usize) -> String {
    format!("cluster-{arm:02}")
}

/// Returns the result of the arm of which `switch-number` has another one.
pub fn special() -> String {
    cluster(SPECIAL_ARM)
}

/// Returns what an attribute of the fifth kind writes in upper case.
#[cfg(feature = "plain")]
pub fn upper(constant: usize) -> &'static str {
    body::UPPER[constant % body::UPPER.len()]
}

/// Returns the group of an attribute of the sixth kind.
pub fn group(attributes: Attributes, constant: usize) -> String {
    format!("group-{:02}", if attributes == Attributes::Distinct { constant } else { constant % 16 })
}

/// Returns the number of replicas of an attribute of the seventh kind.
pub fn replicas(attributes: Attributes, constant: usize) -> usize {
    if attributes == Attributes::Distinct { constant } else { constant % 9 }
}
