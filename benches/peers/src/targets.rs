//! What is aimed at: how many times our time the others take, at least.

use hclvm_workloads::Workload;

use crate::measure::Column;
use crate::peers::{NATIVE, OURS};
use crate::task::Task;

/// The aims for a task.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Against hcl-rs, which parses templates at each evaluation and compiles nothing.
    pub hcl_rs: f64,
    /// Against hcl-rs with the template parsed before.
    pub parsed: Option<f64>,
    /// Against the fastest of the engines written in Rust.
    pub pure_rust: Option<f64>,
    /// Against LuaJIT.
    pub luajit: Option<f64>,
    /// Against code written by hand on structs.
    pub native: Option<f64>,
}

/// The aim for the geometric mean against hcl-rs over W1 to W8 and W10.
pub const MEAN: f64 = 30.0;

/// The aims for a task.
pub fn target(task: Task) -> Target {
    let of = |hcl_rs, pure_rust, luajit| Target { hcl_rs, parsed: None, pure_rust, luajit, native: None };
    match task {
        Task::Expression(Workload::W1) => of(100.0, Some(9.0), Some(3.5)),
        Task::Expression(Workload::W2) => of(14.0, Some(9.0), Some(3.5)),
        Task::Expression(Workload::W2b) => of(1.5, Some(1.5), Some(0.7)),
        Task::Expression(Workload::W3) => of(50.0, Some(2.5), Some(1.3)),
        Task::Expression(Workload::W4) => Target { native: Some(1.0), ..of(55.0, Some(3.0), Some(2.5)) },
        Task::Expression(Workload::W5) => of(250.0, Some(10.0), Some(8.0)),
        Task::Expression(Workload::W6) => Target { parsed: Some(8.0), ..of(35.0, Some(4.0), Some(2.5)) },
        Task::Expression(Workload::W7) => of(40.0, Some(8.0), Some(2.0)),
        Task::Body => Target { native: Some(1.0), ..of(60.0, Some(2.8), Some(2.3)) },
        Task::Compile => of(3.5, Some(3.0), None),
        Task::Request => Target { native: Some(1.0), ..of(4.5, Some(2.2), Some(4.0)) },
    }
}

/// The engines that are all Rust.
pub const PURE_RUST: &[&str] =
    &[HCL_RS, HCL_RS_PARSED, "cel", "rhai", "minijinja", "starlark", "regorus (RVM)"];
/// hcl-rs as it comes.
pub const HCL_RS: &str = "hcl-rs";
/// hcl-rs with templates parsed before.
pub const HCL_RS_PARSED: &str = "hcl-rs, template parsed before";
/// LuaJIT.
pub const LUAJIT: &str = "LuaJIT (mlua)";

/// How many times our time a peer takes.
pub fn ratio(column: &Column, peer: &str) -> Option<f64> {
    Some(column.of(peer)? / column.of(OURS)?)
}

/// The fastest of the engines written in Rust, and how many times our time it takes.
pub fn best_pure_rust(column: &Column) -> Option<(&'static str, f64)> {
    let ratios = PURE_RUST.iter().filter_map(|peer| Some((*peer, ratio(column, peer)?)));
    ratios.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// How many times our time the code written by hand takes.
pub fn native(column: &Column) -> Option<f64> {
    ratio(column, NATIVE)
}

/// The geometric mean of a peer's ratios over W1 to W8 and W10; `None` if it does less than half of
/// them.
pub fn mean(columns: &[Column], peer: &str) -> Option<f64> {
    let evaluated: Vec<&Column> = columns.iter().filter(|column| column.task != Task::Compile).collect();
    let logs: Vec<f64> = evaluated.iter().filter_map(|column| Some(ratio(column, peer)?.ln())).collect();
    (2 * logs.len() > evaluated.len()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}
