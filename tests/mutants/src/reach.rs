//! The mutants that each test reaches: one recording run of each test.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use crate::compile::{Build, Program};
use crate::config::Config;
use crate::process::{self, Outcome};
use crate::tree::{self, Folders};

/// A test that passes without a mutant.
#[derive(Clone, Debug)]
pub struct Test {
    /// The index of its program.
    pub program: usize,
    /// Its name.
    pub name: String,
    /// The time that it takes.
    pub time: Duration,
}

/// The tests that reach each mutant.
#[derive(Debug, Default)]
pub struct Reach {
    /// The tests.
    pub tests: Vec<Test>,
    /// The indexes of the tests that reach a mutant, by id.
    pub by_mutant: BTreeMap<u32, Vec<usize>>,
    /// Programs that take several names of tests, by index.
    pub takes_several: Vec<bool>,
    /// Tests that fail without a mutant, whose failures prove nothing.
    pub failing: Vec<String>,
}

/// The limit of a recording run. The limit of a run with a mutant depends on the time of the recording.
const LONGEST: Duration = Duration::from_secs(300);

/// Records the reach of all tests, or reads it if it was recorded for this tree.
pub fn record(
    folders: &Folders,
    config: &Config,
    build: &Build,
    jobs: usize,
    tell: &dyn Fn(&str),
) -> Result<Reach, String> {
    let file = folders.file("reach");
    let header = format!("tree {:016x}", build.fingerprint);
    if let Ok(text) = fs::read_to_string(&file)
        && text.lines().next() == Some(&header)
    {
        return read(&text, &build.programs).ok_or_else(|| format!("{} is damaged", file.display()));
    }
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut several = Vec::new();
    for (index, program) in build.programs.iter().enumerate() {
        let names = process::tests(program)?;
        several.push(process::takes_several(program, &names));
        all.extend(
            names.into_iter().filter(|name| !config.skips(&program.target, name)).map(|name| (index, name)),
        );
    }
    tell(&format!("recording the reach of {} tests in {} programs", all.len(), build.programs.len()));
    let rows = Mutex::new(Vec::new());
    process::in_parallel(&all, jobs, |job, (index, name)| {
        let program = build.programs.get(*index).ok_or("no such program")?;
        let record = folders.file(&format!("reached.{job}"));
        process::truncate(&record)?;
        let environment = ("MUTANT_REACH", &*record.to_string_lossy());
        let (outcome, time) = process::run(program, &[name], environment, LONGEST, config.memory)?;
        let reached = fs::read(&record).map_err(|error| format!("{}: {error}", record.display()))?;
        let ids: Vec<u32> = (0..).zip(&reached).filter(|(_, byte)| **byte != 0).map(|(id, _)| id).collect();
        rows.lock().expect("no thread panics with it").push((*index, name.clone(), outcome, time, ids));
        Ok(())
    })?;
    let mut rows = rows.into_inner().expect("no thread panics with it");
    rows.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut text = header + "\n";
    for (program, takes) in build.programs.iter().zip(&several) {
        let _ = writeln!(text, "program\t{}\t{takes}", program.name);
    }
    for (index, name, outcome, time, ids) in rows {
        let passed = outcome == Outcome::Passed;
        let _ = writeln!(text, "test\t{index}\t{name}\t{passed}\t{}\t{}", time.as_micros(), ranges(&ids));
    }
    tree::write(&file, text.as_bytes())?;
    read(&text, &build.programs).ok_or_else(|| "the record cannot be read".to_owned())
}

/// Writes ids as `1-3,7`.
fn ranges(ids: &[u32]) -> String {
    let mut out = String::new();
    for chunk in ids.chunk_by(|a, b| a + 1 == *b) {
        if let (Some(first), Some(last)) = (chunk.first(), chunk.last()) {
            let _ = write!(out, "{first}-{last},");
        }
    }
    out
}

fn read(text: &str, programs: &[Program]) -> Option<Reach> {
    let mut reach = Reach::default();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        match *fields.as_slice() {
            ["program", name, several] => {
                if programs.get(reach.takes_several.len())?.name != name {
                    return None;
                }
                reach.takes_several.push(several == "true");
            }
            ["test", program, name, passed, time, ids] => {
                let program: usize = program.parse().ok()?;
                if passed != "true" {
                    reach.failing.push(format!("{}::{name}", programs.get(program)?.name));
                    continue;
                }
                let index = reach.tests.len();
                let time = Duration::from_micros(time.parse().ok()?);
                reach.tests.push(Test { program, name: name.to_owned(), time });
                for range in ids.split(',').filter(|range| !range.is_empty()) {
                    let (first, last) = range.split_once('-')?;
                    for id in first.parse::<u32>().ok()?..=last.parse().ok()? {
                        reach.by_mutant.entry(id).or_default().push(index);
                    }
                }
            }
            _ => return None,
        }
    }
    Some(reach)
}
