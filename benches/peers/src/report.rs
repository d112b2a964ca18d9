//! The tables as text. A row is a workload in a form, a column is a peer. [`crate::chart`] draws the ratios.

use std::fmt::Write;

use hclvm_workloads::reference;

use crate::conditions::Conditions;
use crate::measure::Row;
use crate::peers::{NATIVE, OURS, WALKER};
use crate::targets::{HCL_RS, LUAJIT, MEAN, best_pure_rust, mean, ratio, target};
use crate::task::{Attributes, Form, Section, Task, Work};

/// The native code in the first process. Its ratio to that in the second shows how comparable they are.
pub const CONTROL: &str = "control";

/// Native code on dynamically typed data.
const NATIVE_JSON: &str = "Rust on serde_json";

/// A column of the tables: the peer, and its name in two lines.
#[derive(Debug)]
pub struct Heading {
    /// The peer.
    pub peer: &'static str,
    /// The upper line of its name.
    pub upper: &'static str,
    /// The lower line.
    pub lower: &'static str,
}

/// The peers in the order of their columns.
pub const COLUMNS: &[Heading] = &[
    Heading { peer: NATIVE, upper: "Rust on", lower: "structs" },
    Heading { peer: NATIVE_JSON, upper: "Rust on", lower: "JSON" },
    Heading { peer: HCL_RS, upper: "", lower: "hcl-rs" },
    Heading { peer: "cel", upper: "", lower: "cel" },
    Heading { peer: "rhai", upper: "", lower: "rhai" },
    Heading { peer: "minijinja", upper: "mini-", lower: "jinja" },
    Heading { peer: "regorus", upper: "", lower: "regorus" },
    Heading { peer: "zen", upper: "", lower: "zen" },
    Heading { peer: "starlark", upper: "", lower: "starlark" },
    Heading { peer: "cedar", upper: "", lower: "cedar" },
    Heading { peer: "wirefilter", upper: "wire-", lower: "filter" },
    Heading { peer: "roto", upper: "", lower: "roto" },
    Heading { peer: "arrow", upper: "", lower: "arrow" },
    Heading { peer: "QuickJS", upper: "", lower: "QuickJS" },
    Heading { peer: LUAJIT, upper: "", lower: "LuaJIT" },
    Heading { peer: reference::NAME, upper: "hcl", lower: "in Go" },
    Heading { peer: WALKER, upper: "tree-", lower: "walker" },
];

/// Returns all tables.
pub fn report(rows: &[Row], conditions: &Conditions) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Time of each peer, as a multiple of hclvm's, whose nanoseconds are in the first column. Rows in which a peer is\n\
         faster (below 1) come first. A minus means that the peer cannot express the row or has no such form.\n"
    );
    let columns: Vec<_> =
        COLUMNS.iter().filter(|column| rows.iter().any(|row| row.of(column.peer).is_some())).collect();
    let table = Table { columns };
    table.heading(&mut text, OURS);
    let losses = [("another engine is faster", true), ("only hand-written Rust is faster", false)];
    for (title, engine) in losses {
        let lost = rows.iter().filter(|row| lost(row) == Some(engine));
        table.section(&mut text, title, lost, ratio);
    }
    for section in Section::ALL {
        let won = rows.iter().filter(|row| row.task.section() == section && lost(row).is_none());
        table.section(&mut text, section.title(), won, ratio);
    }
    table.means(&mut text, rows);
    break_even(&mut text, rows);
    targets(&mut text, rows);
    text.push_str("Nanoseconds per evaluation\n\n");
    table.heading(&mut text, OURS);
    for section in Section::ALL {
        let all = rows.iter().filter(|row| row.task.section() == section);
        table.section(&mut text, section.title(), all, Row::of);
    }
    text + &conditions.text(rows)
}

/// Returns true if an engine is faster than hclvm in a row, false if only hand-written Rust is.
fn lost(row: &Row) -> Option<bool> {
    let native = || [NATIVE, NATIVE_JSON].into_iter().filter_map(|peer| ratio(row, peer));
    if faster_engines(row).next().is_some() {
        Some(true)
    } else {
        native().any(|it| it < 1.0).then_some(false)
    }
}

/// Returns the engines that are faster than hclvm in a row, with their ratios.
pub fn faster_engines(row: &Row) -> impl Iterator<Item = (&'static str, f64)> {
    let peers = COLUMNS.iter().map(|column| column.peer);
    let engines = peers.filter(|peer| ![NATIVE, NATIVE_JSON].contains(peer));
    engines.filter_map(|peer| Some((peer, ratio(row, peer)?))).filter(|(_, ratio)| *ratio < 1.0)
}

/// A table with the columns of the measured peers.
struct Table {
    columns: Vec<&'static Heading>,
}

impl Table {
    fn heading(&self, text: &mut String, first: &str) {
        let upper: String = self.columns.iter().map(|column| format!("{:>10}", column.upper)).collect();
        let lower: String = self.columns.iter().map(|column| format!("{:>10}", column.lower)).collect();
        let _ = writeln!(text, "{:44}{:>10}{upper}\n{:44}{first:>10}{lower}", "", "", "");
    }

    fn section<'r>(
        &self,
        text: &mut String,
        title: &str,
        rows: impl Iterator<Item = &'r Row>,
        cell: impl Fn(&Row, &str) -> Option<f64>,
    ) {
        let mut first = true;
        for row in rows {
            if std::mem::take(&mut first) {
                let _ = writeln!(text, "{title}");
            }
            let ours = row.of(OURS).map_or_else(|| "-".to_owned(), short);
            self.line(text, &format!("  {}", row.task.name()), &ours, |peer| cell(row, peer).map(short));
        }
        if !first {
            text.push('\n');
        }
    }

    fn line(&self, text: &mut String, label: &str, first: &str, cell: impl Fn(&str) -> Option<String>) {
        let _ = write!(text, "{label:44}{first:>10}");
        for column in &self.columns {
            let _ = write!(text, "{:>10}", cell(column.peer).unwrap_or_else(|| "-".to_owned()));
        }
        text.push('\n');
    }

    /// Writes the geometric mean of each section, and below it the number of rows that a peer has of it.
    fn means(&self, text: &mut String, rows: &[Row]) {
        let _ = writeln!(
            text,
            "Geometric means of the ratios over the rows of a section that a peer has, all of them, whether faster or slower. The line\n\
             below each gives the number of these rows; a peer that has half of them or fewer has no mean.\n"
        );
        self.heading(text, "rows");
        let means = Section::ALL.into_iter().filter(|section| section.has_mean());
        for section in means {
            let chosen = || rows.iter().filter(|row| row.task.section() == section);
            self.mean(text, section.short(), chosen);
        }
        let evaluated = || rows.iter().filter(|row| row.task.section().has_mean());
        self.mean(text, "all but parse and compile", evaluated);
        text.push('\n');
    }

    fn mean<'r, I: Iterator<Item = &'r Row>>(&self, text: &mut String, label: &str, rows: impl Fn() -> I) {
        let count = rows().count();
        if count == 0 {
            return;
        }
        self.line(text, label, &count.to_string(), |peer| mean(rows(), peer).map(|mean| short(mean.0)));
        self.line(text, "", "", |peer| mean(rows(), peer).map(|mean| mean.1.to_string()));
    }
}

/// The times that decide whether compiling pays off, in nanoseconds.
#[derive(Debug)]
pub struct BreakEven {
    /// The workload.
    pub name: String,
    parse: f64,
    compile: f64,
    walk: f64,
    run: f64,
}

impl BreakEven {
    /// Returns the number of evaluations from which on parsing, compiling and running takes less time than
    /// parsing and walking the tree.
    pub fn evaluations(&self) -> f64 {
        ((self.compile - self.parse) / (self.walk - self.run)).max(0.0).ceil()
    }
}

/// Returns those of the workloads of which compiling was measured. The body is run one by one.
pub fn break_evens(rows: &[Row]) -> Vec<BreakEven> {
    let find = |task: Task| rows.iter().find(|row| row.task == task);
    let of = |row: &Row| {
        let (work, form) = match (row.task.work, row.task.form) {
            (Work::Expression(_), Form::Compile) => (row.task.work, Form::Warm),
            (Work::Compile, _) => (Work::Body(Attributes::Repeating), Form::OneByOne),
            _ => return None,
        };
        let warm = Task { work, form: Form::Warm };
        Some(BreakEven {
            name: warm.name(),
            parse: row.of(WALKER)?,
            compile: row.of(OURS)?,
            walk: find(warm)?.of(WALKER)?,
            run: find(Task { work, form })?.of(OURS)?,
        })
    };
    rows.iter().filter_map(of).collect()
}

fn break_even(text: &mut String, rows: &[Row]) {
    let all = break_evens(rows);
    if all.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "Break-even: the number of evaluations from which on parsing, compiling and running takes less time than parsing and\n\
         walking the tree. Nanoseconds; the body is run one by one.\n\n{:32}{:>12}{:>12}{:>12}{:>12}{:>14}",
        "", "parse", "compile", "walk", "run", "evaluations"
    );
    for it in &all {
        let [parse, compile, walk, run] = [it.parse, it.compile, it.walk, it.run].map(short);
        let _ = writeln!(
            text,
            "{:32}{parse:>12}{compile:>12}{walk:>12}{run:>12}{:>14.0}",
            it.name,
            it.evaluations()
        );
    }
    text.push('\n');
}

fn targets(text: &mut String, rows: &[Row]) {
    let aimed: Vec<_> = rows.iter().filter_map(|row| Some((row, target(row.task)?))).collect();
    if aimed.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "Targets: multiples of hclvm's time, found / wanted at least; ! marks a missed target\n\n\
         {:18}{:>16}{:>16}{:>16}{:>16}  fastest in Rust",
        "", "hcl-rs", "fastest in Rust", "LuaJIT", "native"
    );
    for (row, aim) in aimed {
        let best = best_pure_rust(row);
        let _ = writeln!(
            text,
            "{:18}{:>16}{:>16}{:>16}{:>16}  {}",
            row.task.name(),
            against(ratio(row, HCL_RS), Some(aim.hcl_rs)),
            against(best.map(|best| best.1), aim.pure_rust),
            against(ratio(row, LUAJIT), aim.luajit),
            against(ratio(row, NATIVE), aim.native),
            best.map_or("", |best| best.0),
        );
    }
    let warm = rows.iter().filter(|row| row.task.section() == Section::Warm);
    if let Some((mean, count)) = mean(warm, HCL_RS) {
        let mean = against(Some(mean), Some(MEAN));
        let _ = writeln!(text, "{:18}{mean:>16}  over the {count} warm rows", "geometric mean");
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
