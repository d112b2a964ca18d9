//! The conditions of a run: commit, date, machine, load, versions.

use std::process::Command;

use hclvm_workloads::reference;

use crate::measure::{Effort, Row};
use crate::peers::NATIVE;
use crate::report::{CONTROL, short};

/// The conditions of a run.
#[derive(Clone, Debug)]
pub struct Conditions {
    commit: String,
    date: String,
    /// The load averages of the machine when the run began.
    began: String,
    ended: String,
    effort: Option<Effort>,
    /// The versions reported by the reference.
    reference: Vec<String>,
}

impl Conditions {
    /// Returns those at the beginning of a run.
    pub fn now() -> Self {
        Self {
            commit: commit(),
            date: output("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
            began: load(),
            ended: String::new(),
            effort: None,
            reference: Vec::new(),
        }
    }

    /// Adds those at its end.
    pub fn ended(self, effort: Effort, reference: Vec<String>) -> Self {
        Self { ended: load(), effort: Some(effort), reference, ..self }
    }

    /// Returns the processor that it was measured on.
    pub fn machine(&self) -> String {
        machine()
    }

    /// Returns the line for the chart.
    pub fn caption(&self) -> String {
        let Self { commit, date, began, ended, .. } = self;
        format!("Commit {commit}, {date}; load average of the machine {began} before, {ended} after")
    }

    /// Returns the lines below the tables.
    pub fn text(&self, rows: &[Row]) -> String {
        let controls: Vec<f64> =
            rows.iter().filter_map(|row| Some(row.of(CONTROL)? / row.of(NATIVE)?)).collect();
        let low = controls.iter().copied().fold(f64::INFINITY, f64::min);
        let high = controls.iter().copied().fold(0.0, f64::max);
        let mut spreads: Vec<f64> = rows.iter().flat_map(|row| &row.cells).map(|cell| cell.spread).collect();
        spreads.sort_by(f64::total_cmp);
        let spread = spreads.get(spreads.len() / 2).copied().unwrap_or_default();
        let effort = self.effort.map_or_else(String::new, |effort| {
            format!(
                "Medians of {} batches of about {:.1} ms of processor time, interleaved; ",
                effort.rounds,
                effort.batch.as_secs_f64() * 1e3
            )
        });
        let control = if controls.is_empty() {
            String::new()
        } else {
            format!(
                "\nNative code in the first process takes {} to {} times its time in the second.",
                short(low),
                short(high)
            )
        };
        let mut text = format!(
            "{}.\n{}; {}.\n{effort}the interquartile range is {:.0} % of the median (median over all \
             cells). All results were compared first.{control}\n{}\n",
            self.caption(),
            machine(),
            output("rustc", &["--version"]),
            spread * 100.0,
            versions(),
        );
        for versions in &self.reference {
            text += &format!("{}: {versions}.\n", reference::NAME);
        }
        text
    }
}

/// Returns the commit, with a note if files differ from it.
fn commit() -> String {
    let here = env!("CARGO_MANIFEST_DIR");
    let commit = output("git", &["-C", here, "rev-parse", "--short", "HEAD"]);
    // The files that a run writes do not count.
    let status = ["-C", here, "status", "--porcelain", "--untracked-files=no", "--", ":/", ":!/docs"];
    if output("git", &status).is_empty() { commit } else { format!("{commit} with changes") }
}

fn load() -> String {
    let averages = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    averages.split(' ').next().unwrap_or_default().to_owned()
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find(|line| line.starts_with("model name"));
    model.and_then(|line| line.split(':').nth(1)).unwrap_or("unknown processor").trim().to_owned()
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

/// Returns the versions of the peers from Cargo.lock.
fn versions() -> String {
    let mut lines = include_str!("../Cargo.lock").lines();
    let mut versions = Vec::new();
    while let Some(line) = lines.next() {
        let name = line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"'));
        let Some(name) = name.filter(|name| VERSIONED.contains(name)) else { continue };
        let version = lines.next().and_then(|line| line.split('"').nth(1));
        versions.push(format!("{name} {}", version.unwrap_or_default()));
    }
    versions.join(", ") + "."
}

const VERSIONED: &[&str] = &[
    "arrow-ord",
    "cedar-policy",
    "cel",
    "hcl-rs",
    "luajit-src",
    "minijinja",
    "mlua",
    "regorus",
    "rhai",
    "roto",
    "rquickjs",
    "serde_json",
    "starlark",
    "wirefilter-engine",
    "zen-expression",
];
