//! The results of a run: one line for each mutant, a list of survivors, a table of rooms.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::compile::Build;
use crate::config::Config;
use crate::mutant::Mutant;
use crate::reach::Reach;
use crate::run::Verdict;

/// The verdicts about mutants of one tree, by id.
pub type Results = BTreeMap<u32, (Verdict, Duration)>;

/// Reads results that an earlier run left for this tree.
pub fn read(path: &Path, build: &Build) -> Results {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut lines = text.lines();
    if lines.next() != Some(&header(build)) {
        return Results::new();
    }
    lines.filter_map(row).collect()
}

fn header(build: &Build) -> String {
    format!("tree {:016x}", build.fingerprint)
}

fn row(line: &str) -> Option<(u32, (Verdict, Duration))> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [id, _, _, _, verdict, by, time, ..] = *fields.as_slice() else { return None };
    let verdict = match verdict {
        "killed" => Verdict::Killed(by.to_owned()),
        "survived" => Verdict::Survived,
        _ => Verdict::NotReached,
    };
    Some((id.parse().ok()?, (verdict, Duration::from_secs_f64(time.parse().ok()?))))
}

/// Formats a result as a line.
pub fn line(mutant: &Mutant, room: &str, verdict: &Verdict, time: Duration) -> String {
    let (word, by) = match verdict {
        Verdict::Killed(by) => ("killed", by.as_str()),
        Verdict::Survived => ("survived", ""),
        Verdict::NotReached => ("not reached", ""),
    };
    let Mutant { id, key, file, line, change, .. } = mutant;
    let (operator, time) = (change.operator, time.as_secs_f64());
    format!("{id}\t{room}\t{file}:{line}\t{operator}\t{word}\t{by}\t{time:.3}\t{key:016x}")
}

/// Returns the keys of the mutants that were not killed in the last run of another tree.
pub fn survivors_of_another_tree(path: &Path, build: &Build) -> BTreeSet<u64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let text = if text.lines().next() == Some(&header(build)) {
        fs::read_to_string(previous(path)).unwrap_or_default()
    } else {
        text
    };
    let survived =
        text.lines().filter(|line| row(line).is_some_and(|(_, (verdict, _))| !verdict.is_killed()));
    survived.filter_map(|line| u64::from_str_radix(line.rsplit('\t').next()?, 16).ok()).collect()
}

/// The file that keeps the results of the tree before this one.
fn previous(path: &Path) -> PathBuf {
    path.with_extension("previous.tsv")
}

/// Appends to the results of this tree; those of another are set aside.
pub fn append(path: &Path, build: &Build, line: &str) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    if fs::read_to_string(path).unwrap_or_default().lines().next() != Some(&header(build)) {
        if path.exists() {
            fs::rename(path, previous(path)).map_err(told)?;
        }
        fs::write(path, header(build) + "\n").map_err(told)?;
    }
    let mut file = OpenOptions::new().append(true).open(path).map_err(told)?;
    writeln!(file, "{line}").map_err(told)
}

/// Describes a survivor: its change, and the tests that reach it, fewest first.
pub fn survivor(mutant: &Mutant, build: &Build, reach: &Reach, verdict: &Verdict) -> String {
    let mut out = build.list.diff(mutant);
    if *verdict == Verdict::NotReached {
        return out + "not reached by any test\n\n";
    }
    let mut programs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let tests =
        reach.by_mutant.get(&mutant.id).into_iter().flatten().filter_map(|index| reach.tests.get(*index));
    for test in tests {
        let program = build.programs.get(test.program).map_or("", |program| &program.name);
        programs.entry(program).or_default().push(&test.name);
    }
    let total: usize = programs.values().map(Vec::len).sum();
    let _ = writeln!(out, "reached by {total} tests of {} programs:", programs.len());
    for (program, tests) in &programs {
        let shown: Vec<&str> = tests.iter().copied().take(3).collect();
        let more = if tests.len() > 3 { format!(" and {} more", tests.len() - 3) } else { String::new() };
        let _ = writeln!(out, "  {program}: {}{more}", shown.join(", "));
    }
    out + "\n"
}

/// The table of rooms, and the killed share of all mutants in percent.
pub fn summary(mutants: &[&Mutant], results: &Results, config: &Config) -> (String, f64) {
    let mut out = format!(
        "{:<20}{:>9}{:>9}{:>10}{:>13}{:>9}{:>9}\n",
        "room", "mutants", "killed", "survived", "not reached", "killed", "seconds"
    );
    let mut sums = ([0_usize; 4], Duration::ZERO);
    let rooms = config.room.iter().enumerate().map(|(index, room)| (Some(index), room.name.as_str()));
    let mut share = 0.0;
    for (index, name) in rooms.chain([(None, "all")]) {
        let (counts, time) = if let Some(index) = index {
            let mut counts = [0_usize; 4];
            let mut time = Duration::ZERO;
            for mutant in mutants.iter().filter(|mutant| mutant.room == index) {
                let Some((verdict, took)) = results.get(&mutant.id) else { continue };
                let column = match verdict {
                    Verdict::Killed(_) => 1,
                    Verdict::Survived => 2,
                    Verdict::NotReached => 3,
                };
                counts[0] += 1;
                counts[column] += 1;
                time += *took;
            }
            sums.0.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            sums.1 += time;
            (counts, time)
        } else {
            sums
        };
        let [all, killed, survived, missed] = counts;
        #[expect(clippy::cast_precision_loss, reason = "counts of mutants are small")]
        let percent = if all == 0 { 100.0 } else { killed as f64 * 100.0 / all as f64 };
        share = percent;
        let seconds = time.as_secs_f64();
        let _ = writeln!(
            out,
            "{name:<20}{all:>9}{killed:>9}{survived:>10}{missed:>13}{percent:>8.1}%{seconds:>9.0}"
        );
    }
    (out, share)
}
