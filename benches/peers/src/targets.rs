//! Performance targets: lower bounds for the time of other engines as a multiple of hclvm's.

use hclvm_workloads::Workload;

use crate::measure::Column;
use crate::peers::{NATIVE, OURS};
use crate::task::Task;

/// The targets of a task.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Against hcl-rs, which parses templates in each evaluation and compiles nothing.
    pub hcl_rs: f64,
    /// Against hcl-rs with the template parsed beforehand.
    pub parsed: Option<f64>,
    /// Against the fastest of the engines written in Rust.
    pub pure_rust: Option<f64>,
    /// Against LuaJIT.
    pub luajit: Option<f64>,
    /// Against hand-written code on structs.
    pub native: Option<f64>,
}

/// The target for the geometric mean against hcl-rs over all tasks except `compile`.
pub const MEAN: f64 = 30.0;

/// Returns the targets of a task.
pub fn target(task: Task) -> Target {
    let of = |hcl_rs, pure_rust, luajit| Target { hcl_rs, parsed: None, pure_rust, luajit, native: None };
    match task {
        Task::Expression(Workload::PolicyCondition) => of(100.0, Some(9.0), Some(3.5)),
        Task::Expression(Workload::Arithmetic) => of(14.0, Some(9.0), Some(3.5)),
        Task::Expression(Workload::Fractions) => of(1.5, Some(1.5), Some(0.7)),
        Task::Expression(Workload::ForFilter) => of(50.0, Some(2.5), Some(1.3)),
        Task::Expression(Workload::ObjectFor) => {
            Target { native: Some(1.0), ..of(55.0, Some(3.0), Some(2.5)) }
        }
        Task::Expression(Workload::Splat) => of(250.0, Some(10.0), Some(8.0)),
        Task::Expression(Workload::Template) => {
            Target { parsed: Some(8.0), ..of(35.0, Some(4.0), Some(2.5)) }
        }
        Task::Expression(Workload::Switch) => of(40.0, Some(8.0), Some(2.0)),
        Task::Body => Target { native: Some(1.0), ..of(60.0, Some(2.8), Some(2.3)) },
        Task::Compile => of(3.5, Some(3.0), None),
        Task::Request => Target { native: Some(1.0), ..of(4.5, Some(2.2), Some(4.0)) },
    }
}

/// The engines written in Rust alone.
pub const PURE_RUST: &[&str] =
    &[HCL_RS, HCL_RS_PARSED, "cel", "rhai", "minijinja", "starlark", "regorus (RVM)"];
/// hcl-rs as documented.
pub const HCL_RS: &str = "hcl-rs";
/// hcl-rs with templates parsed beforehand.
pub const HCL_RS_PARSED: &str = "hcl-rs, template parsed before";
/// LuaJIT.
pub const LUAJIT: &str = "LuaJIT (mlua)";

/// Returns a peer's time as a multiple of hclvm's.
pub fn ratio(column: &Column, peer: &str) -> Option<f64> {
    Some(column.of(peer)? / column.of(OURS)?)
}

/// Returns the fastest of the engines written in Rust and its ratio.
pub fn best_pure_rust(column: &Column) -> Option<(&'static str, f64)> {
    let ratios = PURE_RUST.iter().filter_map(|peer| Some((*peer, ratio(column, peer)?)));
    ratios.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Returns the ratio of hand-written code on structs.
pub fn native(column: &Column) -> Option<f64> {
    ratio(column, NATIVE)
}

/// Returns the geometric mean of a peer's ratios over all tasks except `compile`, or `None` if it can
/// do no more than half of them.
pub fn mean(columns: &[Column], peer: &str) -> Option<f64> {
    let evaluated: Vec<&Column> = columns.iter().filter(|column| column.task != Task::Compile).collect();
    let logs: Vec<f64> = evaluated.iter().filter_map(|column| Some(ratio(column, peer)?.ln())).collect();
    (2 * logs.len() > evaluated.len()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}
