//! Compares hclvm with other engines on the workloads of `hclvm-workloads`.
//!
//! ```text
//! task        the workloads as tasks          answer   results in a normal form, for comparison
//! contender   one peer prepared for one task: the unit of measurement
//! peers/      one file per peer
//! guest       the main loop of the second process
//! guests      that process and the reference, as seen by the first
//! measure     interleaved batches of all contenders, medians
//! targets     performance targets             report   the tables       chart   the chart
//! ```
//!
//! There are two processes in Rust, because cargo unifies features: starlark turns on a feature of
//! serde_json that makes its values larger and slower for every crate in the build. So `peers` holds
//! hclvm, starlark and the tree-walker, and `peers-plain` all others, with serde_json's defaults. The
//! first drives the second through a pipe, batch by batch, so that the contenders of a task are
//! interleaved within one run; each process times its own batches. The reference implementation, a
//! program in Go, is driven in the same way where it has been built.

pub mod answer;
#[cfg(feature = "ours")]
pub mod chart;
pub mod contender;
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
