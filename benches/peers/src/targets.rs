//! Performance targets: lower bounds for the time of other engines as a multiple of hclvm's.

use hclvm_workloads::Workload;

use crate::measure::Row;
use crate::peers::OURS;
use crate::task::{Attributes, Form, Task, Work};

/// The targets of a task.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Against hcl-rs.
    pub hcl_rs: f64,
    /// Against the fastest of the engines written in Rust that compute without static types.
    pub pure_rust: Option<f64>,
    /// Against LuaJIT.
    pub luajit: Option<f64>,
    /// Against hand-written code on structs.
    pub native: Option<f64>,
}

/// The target for the geometric mean against hcl-rs over the warm rows.
pub const MEAN: f64 = 30.0;

/// Returns the targets of a task, if it has any.
pub fn target(task: Task) -> Option<Target> {
    let of = |hcl_rs, pure_rust, luajit| Target { hcl_rs, pure_rust, luajit, native: None };
    Some(match (task.work, task.form) {
        (Work::Expression(Workload::PolicyCondition), Form::Json) => {
            Target { native: Some(1.0), ..of(4.5, Some(2.2), Some(4.0)) }
        }
        (Work::Expression(workload), Form::Warm) => match workload {
            Workload::PolicyCondition => of(100.0, Some(9.0), Some(3.5)),
            Workload::Arithmetic => of(14.0, Some(9.0), Some(3.5)),
            Workload::Fractions => of(1.5, Some(1.5), Some(0.7)),
            Workload::ForFilter => of(50.0, Some(2.5), Some(1.3)),
            Workload::ObjectFor => Target { native: Some(1.0), ..of(55.0, Some(3.0), Some(2.5)) },
            Workload::Splat => of(250.0, Some(10.0), Some(8.0)),
            Workload::Template => of(8.0, Some(4.0), Some(2.5)),
            Workload::Switch => of(40.0, Some(8.0), Some(2.0)),
            _ => return None,
        },
        (Work::Body(Attributes::Repeating), Form::Warm) => {
            Target { native: Some(1.0), ..of(60.0, Some(2.8), Some(2.3)) }
        }
        (Work::Compile, _) => of(3.5, Some(3.0), None),
        _ => return None,
    })
}

/// The engines written in Rust alone whose values have types at run time only.
pub const PURE_RUST: &[&str] = &[HCL_RS, "cel", "rhai", "minijinja", "starlark", "regorus", "zen"];
/// hcl-rs.
pub const HCL_RS: &str = "hcl-rs";
/// LuaJIT.
pub const LUAJIT: &str = "LuaJIT";

/// Returns a peer's time as a multiple of hclvm's.
pub fn ratio(row: &Row, peer: &str) -> Option<f64> {
    Some(row.of(peer)? / row.of(OURS)?)
}

/// Returns the fastest of the engines written in Rust and its ratio.
pub fn best_pure_rust(row: &Row) -> Option<(&'static str, f64)> {
    let ratios = PURE_RUST.iter().filter_map(|peer| Some((*peer, ratio(row, peer)?)));
    ratios.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Returns the geometric mean of a peer's ratios over the rows that it has, and their number; `None` if
/// it has no more than half of them.
pub fn mean<'r>(rows: impl IntoIterator<Item = &'r Row>, peer: &str) -> Option<(f64, usize)> {
    let mut count = 0;
    let ratios = rows.into_iter().inspect(|_| count += 1).filter_map(|row| ratio(row, peer));
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    let mean = || (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    (2 * logs.len() > count).then(|| (mean(), logs.len()))
}
