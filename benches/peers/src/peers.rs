//! The peers, one file each: the workloads in its language, its scopes, and the calls into it.
//!
//! Scopes are in the peer's own value type before anything is timed, except in the forms that set them in
//! each evaluation. Every peer is used as its documentation shows for repeated evaluation; if it shows two
//! ways, the faster one is used.

#[cfg(feature = "plain")]
pub mod arrow;
#[cfg(feature = "ours")]
pub mod cedar;
#[cfg(feature = "plain")]
pub mod cel;
#[cfg(feature = "plain")]
pub mod hcl_rs;
#[cfg(feature = "plain")]
pub mod luajit;
#[cfg(feature = "plain")]
pub mod minijinja;
mod native;
pub mod native_json;
pub mod native_struct;
#[cfg(feature = "ours")]
pub mod ours;
#[cfg(feature = "plain")]
pub mod quickjs;
#[cfg(feature = "plain")]
pub mod regorus;
#[cfg(feature = "plain")]
pub mod rhai;
#[cfg(feature = "plain")]
pub mod roto;
#[cfg(feature = "ours")]
mod setting;
#[cfg(feature = "ours")]
pub mod starlark;
mod text;
#[cfg(feature = "ours")]
pub mod treewalk;
#[cfg(feature = "plain")]
pub mod wirefilter;
#[cfg(feature = "plain")]
pub mod zen;

#[cfg(any(feature = "ours", feature = "plain"))]
use crate::contender::Peer;

/// The name of the peer whose results are expected of all others.
pub const NATIVE: &str = "Rust on structs";
/// The name of this library.
pub const OURS: &str = "hclvm";
/// The name of its tree-walker, whose results are expected where native code has none.
pub const WALKER: &str = "tree-walker";

/// The peers of the second process.
#[cfg(feature = "plain")]
pub fn plain() -> Vec<Peer> {
    vec![
        native_struct::PEER,
        native_json::PEER,
        hcl_rs::PEER,
        cel::PEER,
        rhai::PEER,
        minijinja::PEER,
        regorus::PEER,
        zen::PEER,
        wirefilter::PEER,
        roto::PEER,
        arrow::PEER,
        quickjs::PEER,
        luajit::PEER,
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
        treewalk::PEER,
        starlark::PEER,
        cedar::PEER,
        Peer { name: "control", ..native_struct::PEER },
    ]
}

/// Evaluations inside one call from the host, in the form that excludes the cost of a call.
pub const INSIDE: u64 = 64;
