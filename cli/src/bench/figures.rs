//! The figures of a benchmark, as text and as JSON.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::json;

use super::allocations::Allocations;
use super::attributes::AttributeTime;
use crate::disasm::plain;

/// A difference between the quartiles of the rounds that is too large to trust a median.
const NOISY: f64 = 0.1;

/// The times of one evaluator.
#[derive(Debug)]
pub(crate) struct Sample {
    /// Nanoseconds of an evaluation: the median of the rounds.
    pub(crate) median: f64,
    /// The difference of the quartiles, as a share of the median.
    pub(crate) spread: f64,
}

impl Sample {
    /// Summarizes the nanoseconds that all scopes took, for each round; there is at least one.
    pub(crate) fn of(mut rounds: Vec<f64>, scopes: usize) -> Self {
        rounds.sort_by(f64::total_cmp);
        let at = |quarter: usize| rounds.get((rounds.len() - 1) * quarter / 4).copied().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "scopes are in memory, so they are fewer than 2^52")]
        let scopes = scopes as f64;
        Self { median: at(2) / scopes, spread: (at(3) - at(1)) / at(2) }
    }
}

/// All figures of a file.
#[derive(Debug)]
pub(super) struct Figures {
    /// True if the results of both evaluators are equal.
    pub(super) equal: bool,
    /// The values of the file: attributes and locals.
    pub(super) values: usize,
    pub(super) scopes: usize,
    /// The times of parsing alone, and of parsing and compiling.
    pub(super) prepare: [Duration; 2],
    /// The time of setting the variables of a scope from JSON; `None` without scopes.
    pub(super) set: Option<Sample>,
    pub(super) compiled: Sample,
    pub(super) walked: Sample,
    /// What each evaluator takes from the heap for all scopes; `None` if this is not counted.
    pub(super) allocations: [Option<Allocations>; 2],
    /// The times of attributes; none unless they were asked for.
    pub(super) attributes: Vec<AttributeTime>,
}

impl Figures {
    /// Returns the number of evaluations after which compiling takes less time in all than walking the tree;
    /// `None` if it never does.
    fn break_even(&self) -> Option<f64> {
        let gained = self.walked.median - self.compiled.median;
        let paid = self.prepare[1].saturating_sub(self.prepare[0]).as_secs_f64() * 1e9;
        (gained > 0.0).then(|| (paid / gained).ceil())
    }

    fn per_value(&self, sample: &Sample) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "values are in memory, so they are fewer than 2^52")]
        let values = self.values.max(1) as f64;
        sample.median / values
    }

    /// Returns the number of allocations and their bytes for an evaluation.
    fn per_evaluation(&self, all: Option<Allocations>) -> Option<[f64; 2]> {
        #[expect(clippy::cast_precision_loss, reason = "allocations are fewer than 2^52")]
        all.map(|Allocations { count, bytes }| [count, bytes].map(|one| one as f64 / self.scopes as f64))
    }

    pub(super) fn print(&self, as_json: bool, out: &mut impl Write) -> io::Result<()> {
        if as_json { self.print_json(out) } else { self.print_text(out) }
    }

    fn print_json(&self, out: &mut impl Write) -> io::Result<()> {
        let of = |sample: &Sample, allocations: Option<Allocations>| {
            let [count, bytes] = self.per_evaluation(allocations).map_or([None; 2], |both| both.map(Some));
            json!({
                "ns_per_file": sample.median,
                "ns_per_value": self.per_value(sample),
                "evaluations_per_second": 1e9 / sample.median,
                "spread": sample.spread,
                "allocations": count,
                "allocated_bytes": bytes,
            })
        };
        let [compiled, walked] = self.allocations;
        let mut figures = json!({
            "results_equal": self.equal,
            "values": self.values,
            "scopes": self.scopes,
            "compiled": of(&self.compiled, compiled),
            "tree_walker": of(&self.walked, walked),
            "ratio": self.walked.median / self.compiled.median,
            "parse_ns": self.prepare[0].as_secs_f64() * 1e9,
            "parse_and_compile_ns": self.prepare[1].as_secs_f64() * 1e9,
            "break_even_evaluations": self.break_even(),
            "noisy": self.is_noisy(),
        });
        if let Some(set) = &self.set {
            figures["set_ns"] = set.median.into();
        }
        if !self.attributes.is_empty() {
            let row =
                |one: &AttributeTime| json!({ "path": one.path, "line": one.line, "ns": one.nanoseconds });
            figures["attributes"] = self.attributes.iter().map(row).collect();
        }
        writeln!(out, "{figures:#}")
    }

    fn print_text(&self, out: &mut impl Write) -> io::Result<()> {
        let equal = if self.equal { "equal results" } else { "DIFFERENT results" };
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let (values, scopes) = (plural(self.values), plural(self.scopes));
        writeln!(out, "{} value{values} in {} scope{scopes}, {equal}", self.values, self.scopes)?;
        writeln!(out, "{:13}{:>12}{:>12}{:>16}{:>9}", "", "ns/file", "ns/value", "evaluations/s", "spread")?;
        for (name, sample) in [("compiled", &self.compiled), ("tree-walker", &self.walked)] {
            let (file, value) = (sample.median, self.per_value(sample));
            let spread = sample.spread * 100.0;
            writeln!(out, "{name:13}{file:>12.0}{value:>12.1}{:>16.0}{spread:>8.1}%", 1e9 / file)?;
        }
        if let [Some(compiled), Some(walked)] = self.allocations.map(|one| self.per_evaluation(one)) {
            for (name, [count, bytes]) in [("compiled", compiled), ("tree-walker", walked)] {
                writeln!(out, "{name:13}{count:>12.1} allocations of {bytes:.0} bytes for each evaluation")?;
            }
        }
        if let Some(set) = &self.set {
            let (set, run) = (set.median, self.compiled.median);
            writeln!(out, "setting a scope from its JSON {set:.0} ns, with a run {:.0} ns", set + run)?;
        }
        writeln!(out, "ratio {:.2}", self.walked.median / self.compiled.median)?;
        let micros = self.prepare.map(|time| time.as_secs_f64() * 1e6);
        writeln!(out, "parsing {:.1} us, with compiling {:.1} us", micros[0], micros[1])?;
        match self.break_even() {
            Some(count) => writeln!(out, "compiling has paid after {count} evaluations")?,
            None => writeln!(out, "compiling does not pay")?,
        }
        if !self.attributes.is_empty() {
            writeln!(out, "{:>12}{:>7}  without the locals that it uses", "ns", "line")?;
            for AttributeTime { path, line, nanoseconds } in &self.attributes {
                writeln!(out, "{nanoseconds:>12.1}{line:>7}  {}", plain(path))?;
            }
        }
        if self.is_noisy() {
            let share = NOISY * 100.0;
            writeln!(out, "warning: the rounds differ by more than {share} %; the machine is busy")?;
        }
        Ok(())
    }

    fn is_noisy(&self) -> bool {
        let set = self.set.as_ref().map_or(0.0, |set| set.spread);
        [self.compiled.spread, self.walked.spread, set].into_iter().any(|spread| spread > NOISY)
    }
}
