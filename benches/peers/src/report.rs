//! The tables as text.

use std::fmt::Write;

use hclvm_workloads::reference;

use crate::measure::{Column, Effort};
use crate::peers::{NATIVE, OURS};
use crate::targets::{HCL_RS, HCL_RS_PARSED, LUAJIT, MEAN, best_pure_rust, mean, native, ratio, target};

/// The native code in the first process: it shows that the processes are comparable.
const CONTROL: &str = "control";

/// All tables. `about` are versions that are known only when others say them.
pub fn report(columns: &[Column], effort: Effort, about: &[String]) -> String {
    let mut text = String::new();
    let peers = names(columns);
    table(&mut text, "How many times our time a peer takes", &peers, columns, |column, peer| {
        ratio(column, peer)
    });
    let means: Vec<String> =
        peers.iter().filter_map(|peer| Some(format!("{peer} {}", short(mean(columns, peer)?)))).collect();
    let _ =
        writeln!(text, "Geometric means over W1-W8 and W10, where a peer has them: {}.\n", means.join("; "));
    targets(&mut text, columns);
    let with_ours: Vec<&str> = [OURS].into_iter().chain(peers.iter().copied()).collect();
    table(
        &mut text,
        "Times relative to Rust written by hand on structs",
        &with_ours,
        columns,
        |column, peer| Some(column.of(peer)? / column.of(NATIVE)?),
    );
    table(&mut text, "Nanoseconds of an evaluation", &with_ours, columns, Column::of);
    conditions(&mut text, columns, effort);
    for versions in about {
        let _ = writeln!(text, "{}: {versions}.", reference::NAME);
    }
    text
}

/// The peers in the order in which they come, without us and without the control.
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
    let _ = write!(text, "{title}\n\n{:31}", "");
    for column in columns {
        let _ = write!(text, "{:>9}", column.task.name());
    }
    text.push('\n');
    for peer in peers {
        let _ = write!(text, "{peer:31}");
        for column in columns {
            let _ = write!(text, "{:>9}", cell(column, peer).map_or_else(|| "-".to_owned(), short));
        }
        text.push('\n');
    }
    text.push('\n');
}

fn targets(text: &mut String, columns: &[Column]) {
    let _ = writeln!(
        text,
        "Targets: times our time, found / wanted at least; ! where it is missed\n\n\
         {:5}{:>16}{:>16}{:>16}{:>16}  fastest in Rust",
        "", "hcl-rs", "fastest in Rust", "LuaJIT", "native"
    );
    for column in columns {
        let (aim, best) = (target(column.task), best_pure_rust(column));
        let _ = writeln!(
            text,
            "{:5}{:>16}{:>16}{:>16}{:>16}  {}",
            column.task.name(),
            against(ratio(column, HCL_RS), Some(aim.hcl_rs)),
            against(best.map(|best| best.1), aim.pure_rust),
            against(ratio(column, LUAJIT), aim.luajit),
            against(native(column), aim.native),
            best.map_or("", |best| best.0),
        );
        if let Some(parsed) = ratio(column, HCL_RS_PARSED) {
            let _ = writeln!(text, "     {:>16}  {HCL_RS_PARSED}", against(Some(parsed), aim.parsed));
        }
    }
    if let Some(mean) = mean(columns, HCL_RS) {
        let _ = writeln!(text, "mean {:>16}  geometric, W1-W8 and W10", against(Some(mean), Some(MEAN)));
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

/// Three digits are all that such a measurement has.
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
        format!(" The same native code in both\nprocesses: {} to {} times the time.", short(low), short(high))
    };
    let _ = writeln!(
        text,
        "{}; {}.\nMedians of {} batches of about {:.1} ms of processor time, taken in turn; half of all batches lie within {:.0} % of each \
         other\n(median over all cells). All results were compared before.{same}\n{}",
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

/// The versions of the peers, from the file that fixes them.
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
