//! The peers, one file each: the workloads in its language, its scopes, and the calls into it.
//!
//! Scopes are in the peer's own value type before anything is timed, except for `json-decision`, where
//! reading is part of the task. Every peer is used as its documentation shows for repeated evaluation;
//! if it shows two ways, the faster one is used.

#[cfg(feature = "plain")]
pub mod cel;
#[cfg(feature = "plain")]
pub mod hcl_rs;
#[cfg(feature = "plain")]
pub mod luajit;
#[cfg(feature = "plain")]
pub mod minijinja;
pub mod native_json;
pub mod native_struct;
#[cfg(feature = "ours")]
pub mod ours;
#[cfg(feature = "plain")]
pub mod regorus;
#[cfg(feature = "plain")]
pub mod rhai;
#[cfg(feature = "ours")]
pub mod starlark;
#[cfg(feature = "ours")]
pub mod treewalk;

#[cfg(any(feature = "ours", feature = "plain"))]
use crate::contender::Peer;

/// The name of the peer whose results are expected of all others.
pub const NATIVE: &str = "Rust on structs";
/// The name of this library.
pub const OURS: &str = "hclvm";

/// The peers of the second process.
#[cfg(feature = "plain")]
pub fn plain() -> Vec<Peer> {
    vec![
        native_struct::PEER,
        native_struct::READ_FIELDS,
        native_json::PEER,
        hcl_rs::PEER,
        hcl_rs::TEMPLATE,
        cel::PEER,
        rhai::PEER,
        minijinja::PEER,
        regorus::PEER,
        luajit::PEER,
        luajit::INSIDE,
    ]
}

/// Returns true if a peer was requested by a prefix of its name, or is one that others are compared with.
pub fn wanted(name: &str, beginnings: &[String]) -> bool {
    let low = name.to_lowercase();
    name == OURS
        || name == NATIVE
        || beginnings.is_empty()
        || beginnings.iter().any(|beginning| low.starts_with(&beginning.to_lowercase()))
}

/// The peers of the first process.
#[cfg(feature = "ours")]
pub fn ours() -> Vec<Peer> {
    vec![
        ours::PEER,
        ours::ONE_BY_ONE,
        ours::OF_EVERYTHING,
        treewalk::PEER,
        starlark::PEER,
        starlark::INSIDE,
        Peer { name: "control", ..native_struct::PEER },
    ]
}

/// Evaluations inside one call from the host, for the rows that exclude the cost of a call.
pub const INSIDE: u64 = 64;
