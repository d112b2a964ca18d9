//! Other engines beside this one, on the workloads of `hclvm-workloads`.
//!
//! ```text
//! task        W1 to W10                       answer   results in one form, to be compared
//! contender   what is measured: one peer made ready for one task
//! peers/      one file a peer
//! guest       the half of the program that lives in a second process
//! guests      that process and the reference's, as the first one sees them
//! measure     batches of all contenders in turn, medians
//! targets     what is aimed at                report   the tables       chart   the picture
//! ```
//!
//! Two processes, because some dependencies change what others get: hclvm and starlark turn on
//! features of serde_json that make its values larger and slower for everybody in the build. So
//! `peers` holds these two and our own tree-walker, and `peers-plain` all others with serde_json
//! as it is. The first drives the second through a pipe, batch by batch, so that all contenders
//! of a task still take turns within one run; each process measures its own batches. In the same
//! way it drives the reference implementation, a program in Go, where that was built.

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

/// What stops a run.
pub type Failure = Box<dyn std::error::Error>;
