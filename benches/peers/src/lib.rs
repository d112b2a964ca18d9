//! Compares hclvm with other engines on the workloads of `hclvm-workloads`.
//!
//! ```text
//! task        workloads in forms: the rows    answer   results in a normal form, for comparison
//! contender   one peer prepared for one task: the unit of measurement
//! engine      combines an engine for expressions to all forms
//! peers/      one file per peer
//! guest       the main loop of the second process
//! guests      that process and the reference, as seen by the first
//! measure     interleaved batches of all contenders, medians
//! targets     performance targets, ratios, means
//! figures     the figures of docs/performance.md
//! report      the tables                      chart    the chart       conditions   what they were measured on
//! ```
//!
//! There are two processes in Rust, because cargo unifies features: starlark and cedar turn on features of
//! serde_json that make its values larger and slower for every crate in the build. So `peers` holds
//! hclvm, starlark, cedar and the tree-walker, and `peers-plain` all others, with serde_json's defaults. The
//! first drives the second through a pipe, batch by batch, so that the contenders of a task are
//! interleaved within one run; each process times its own batches. The reference implementation, a
//! program in Go, is driven in the same way where it has been built.

pub mod answer;
#[cfg(feature = "ours")]
pub mod chart;
#[cfg(feature = "ours")]
pub mod conditions;
pub mod contender;
#[cfg(feature = "plain")]
pub mod engine;
#[cfg(feature = "ours")]
pub mod figures;
pub mod guest;
#[cfg(feature = "ours")]
pub mod guests;
#[cfg(feature = "ours")]
pub mod measure;
pub mod peers;
#[cfg(feature = "ours")]
pub mod report;
#[cfg(feature = "ours")]
pub mod targets;
pub mod task;

/// An error that stops a run.
pub type Failure = Box<dyn std::error::Error>;
