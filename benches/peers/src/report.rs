//! The tables as text. [`crate::chart`] draws the ratios.

use std::fmt::Write;

use hclvm_workloads::reference;

use crate::measure::{Column, Effort};
use crate::peers::{NATIVE, OURS};
use crate::targets::{HCL_RS, HCL_RS_PARSED, LUAJIT, MEAN, best_pure_rust, mean, native, ratio, target};

/// The native code in the first process. Its ratio to that in the second shows how comparable they are.
const CONTROL: &str = "control";

/// Returns all tables. `about` has the versions reported by other processes.
pub fn report(columns: &[Column], effort: Effort, about: &[String]) -> String {
    let mut text = String::new();
    let peers = names(columns);
    table(&mut text, "Time of each peer, as a multiple of hclvm's", &peers, columns, |column, peer| {
        ratio(column, peer)
    });
    let means: Vec<String> =
        peers.iter().filter_map(|peer| Some(format!("{peer} {}", short(mean(columns, peer)?)))).collect();
    let _ = writeln!(
        text,
        "Geometric means over the workloads a peer can do, without compile: {}.\n",
        means.join("; ")
    );
    targets(&mut text, columns);
    let with_ours: Vec<&str> = [OURS].into_iter().chain(peers.iter().copied()).collect();
    table(
        &mut text,
        "Time of each engine, as a multiple of hand-written Rust on structs",
        &with_ours,
        columns,
        |column, peer| Some(column.of(peer)? / column.of(NATIVE)?),
    );
    table(&mut text, "Nanoseconds per evaluation", &with_ours, columns, Column::of);
    conditions(&mut text, columns, effort);
    for versions in about {
        let _ = writeln!(text, "{}: {versions}.", reference::NAME);
    }
    text
}

/// Returns the peers in the order of their rows, without hclvm and the control.
fn names(columns: &[Column]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in columns.iter().flat_map(|column| &column.rows) {
        if row.peer != OURS && row.peer != CONTROL && !names.contains(&&*row.peer) {
            names.push(&row.peer);
        }
    }
    names
}

fn table(
    text: &mut String,
    title: &str,
    peers: &[&str],
    columns: &[Column],
    cell: impl Fn(&Column, &str) -> Option<f64>,
) {
    let _ = write!(text, "{title}\n\n");
    heading(text, columns);
    for peer in peers {
        let _ = write!(text, "{peer:31}");
        for column in columns {
            let _ = write!(text, "{:>11}", cell(column, peer).map_or_else(|| "-".to_owned(), short));
        }
        text.push('\n');
    }
    text.push('\n');
}

/// Writes the names of the columns, those of two words on two lines.
fn heading(text: &mut String, columns: &[Column]) {
    let names: Vec<(String, &str)> = columns
        .iter()
        .map(|column| match column.task.name().split_once('-') {
            Some((first, second)) => (format!("{first}-"), second),
            None => (String::new(), column.task.name()),
        })
        .collect();
    let upper: String = names.iter().map(|(first, _)| format!("{first:>11}")).collect();
    let lower: String = names.iter().map(|(_, second)| format!("{second:>11}")).collect();
    let _ = writeln!(text, "{:31}{upper}\n{:31}{lower}", "", "");
}

fn targets(text: &mut String, columns: &[Column]) {
    let _ = writeln!(
        text,
        "Targets: multiples of hclvm's time, found / wanted at least; ! marks a missed target\n\n\
         {:18}{:>16}{:>16}{:>16}{:>16}  fastest in Rust",
        "", "hcl-rs", "fastest in Rust", "LuaJIT", "native"
    );
    for column in columns {
        let (aim, best) = (target(column.task), best_pure_rust(column));
        let _ = writeln!(
            text,
            "{:18}{:>16}{:>16}{:>16}{:>16}  {}",
            column.task.name(),
            against(ratio(column, HCL_RS), Some(aim.hcl_rs)),
            against(best.map(|best| best.1), aim.pure_rust),
            against(ratio(column, LUAJIT), aim.luajit),
            against(native(column), aim.native),
            best.map_or("", |best| best.0),
        );
        if let Some(parsed) = ratio(column, HCL_RS_PARSED) {
            let _ = writeln!(text, "{:18}{:>16}  {HCL_RS_PARSED}", "", against(Some(parsed), aim.parsed));
        }
    }
    if let Some(mean) = mean(columns, HCL_RS) {
        let _ =
            writeln!(text, "{:18}{:>16}  without compile", "geometric mean", against(Some(mean), Some(MEAN)));
    }
    text.push('\n');
}

fn against(found: Option<f64>, wanted: Option<f64>) -> String {
    match (found, wanted) {
        (None, _) => "-".to_owned(),
        (Some(found), None) => format!("{}        ", short(found)),
        (Some(found), Some(wanted)) => {
            format!("{} / {wanted:<4} {}", short(found), if found < wanted { '!' } else { ' ' })
        }
    }
}

/// Formats a figure with three significant digits, the precision of these measurements.
pub fn short(value: f64) -> String {
    let digits = |value: f64| (2 - value.log10().floor() as i32).clamp(0, 3);
    let scale = 10f64.powi(digits(value));
    let rounded = (value * scale).round() / scale;
    format!("{rounded:.*}", digits(rounded) as usize)
}

fn conditions(text: &mut String, columns: &[Column], effort: Effort) {
    let controls: Vec<f64> =
        columns.iter().filter_map(|column| Some(column.of(CONTROL)? / column.of(NATIVE)?)).collect();
    let low = controls.iter().copied().fold(f64::INFINITY, f64::min);
    let high = controls.iter().copied().fold(0.0, f64::max);
    let mut spreads: Vec<f64> =
        columns.iter().flat_map(|column| &column.rows).map(|row| row.spread).collect();
    spreads.sort_by(f64::total_cmp);
    let spread = spreads.get(spreads.len() / 2).copied().unwrap_or_default();
    let same = if controls.is_empty() {
        String::new()
    } else {
        format!(
            " Native code in the first process\ntakes {} to {} times its time in the second.",
            short(low),
            short(high)
        )
    };
    let _ = writeln!(
        text,
        "{}; {}.\nMedians of {} batches of about {:.1} ms of processor time, interleaved; the interquartile range is {:.0} % of the \
         median\n(median over all cells). All results were compared first.{same}\n{}",
        machine(),
        compiler(),
        effort.rounds,
        effort.batch.as_secs_f64() * 1e3,
        spread * 100.0,
        versions(),
    );
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find(|line| line.starts_with("model name"));
    model.and_then(|line| line.split(':').nth(1)).unwrap_or("unknown processor").trim().to_owned()
}

fn compiler() -> String {
    let output = std::process::Command::new("rustc").arg("--version").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    version.unwrap_or_else(|_| "unknown compiler".to_owned())
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

const VERSIONED: &[&str] =
    &["cel", "hcl-rs", "luajit-src", "minijinja", "mlua", "regorus", "rhai", "serde_json", "starlark"];
