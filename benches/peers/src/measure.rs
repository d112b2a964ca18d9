//! Runs the contenders of all processes interleaved, batch by batch, and takes the median of each.

use std::time::Duration;

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer};
use crate::guests::Guest;
use crate::peers::{NATIVE, OURS, WALKER};
use crate::task::Task;

/// The length and number of batches.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Batches of each contender.
    pub rounds: usize,
    /// Approximate duration of a batch.
    pub batch: Duration,
}

/// The time a task takes one peer.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The peer.
    pub peer: String,
    /// Nanoseconds of an evaluation: the median of all batches.
    pub nanoseconds: f64,
    /// The interquartile range of the batches, relative to the median.
    pub spread: f64,
}

/// The time a task takes each peer.
#[derive(Clone, Debug)]
pub struct Row {
    /// The task.
    pub task: Task,
    /// The peers that can do it.
    pub cells: Vec<Cell>,
}

impl Row {
    /// Returns the nanoseconds per evaluation of a peer.
    pub fn of(&self, peer: &str) -> Option<f64> {
        self.cells.iter().find(|cell| cell.peer == peer).map(|cell| cell.nanoseconds)
    }
}

/// The process of a contender.
enum Place {
    Here(Box<dyn Contender>),
    /// The index of the guest, and the contender's index in it.
    There(usize, usize),
}

struct Entry {
    peer: String,
    place: Place,
    /// Evaluations of a batch.
    batch: u64,
    /// Untimed evaluations before a batch.
    warm_up: u64,
    batches: Vec<f64>,
}

impl Entry {
    fn new(peer: &str, place: Place) -> Self {
        Self { peer: peer.to_owned(), place, batch: 1, warm_up: 1, batches: Vec::new() }
    }

    fn answer(&mut self, guests: &mut [Guest], scope: usize) -> Result<Answer, Failure> {
        match &mut self.place {
            Place::Here(contender) => contender.answer(scope),
            Place::There(guest, at) => guests[*guest].answer(*at, scope),
        }
    }

    /// Returns the nanoseconds taken by this number of evaluations.
    fn time(&mut self, guests: &mut [Guest], evaluations: u64) -> Result<f64, Failure> {
        match &mut self.place {
            Place::Here(contender) => Ok(contender.time(evaluations).as_nanos() as f64),
            Place::There(guest, at) => Ok(guests[*guest].time(*at, evaluations)?.as_nanos() as f64),
        }
    }

    /// Times a batch after untimed evaluations, in which the allocator sorts the memory that another peer freed, and
    /// the processor's caches are filled.
    fn time_batch(&mut self, guests: &mut [Guest]) -> Result<(), Failure> {
        self.time(guests, self.warm_up)?;
        let nanoseconds = self.time(guests, self.batch)?;
        self.batches.push(nanoseconds / self.batch as f64);
        Ok(())
    }

    /// Determines how many evaluations make a batch, and how many precede it: one for each scope, but not more than
    /// a batch.
    fn calibrate(&mut self, guests: &mut [Guest], task: Task, batch: Duration) -> Result<(), Failure> {
        let stretch = match &self.place {
            Place::Here(_) => 1,
            Place::There(guest, _) => guests[*guest].stretch,
        };
        let aim = (batch * stretch).as_nanos() as f64;
        let mut evaluations = 1;
        // Untimed, like those before a batch.
        self.time(guests, evaluations)?;
        loop {
            let nanoseconds = self.time(guests, evaluations)?;
            if nanoseconds >= aim / 2.0 {
                // Whole rounds through the 64 scopes, if a batch is that long.
                let count = (evaluations as f64 * aim / nanoseconds).ceil() as u64;
                self.batch = if count > 64 { count.next_multiple_of(64) } else { count.max(1) };
                self.warm_up = self.batch.min(task.answers() as u64);
                return Ok(());
            }
            evaluations *= 2;
        }
    }

    fn cell(mut self) -> Cell {
        self.batches.sort_by(f64::total_cmp);
        let at = |part: f64| self.batches[((self.batches.len() - 1) as f64 * part).round() as usize];
        let median = at(0.5);
        Cell { nanoseconds: median, spread: (at(0.75) - at(0.25)) / median, peer: self.peer }
    }
}

/// Compares all results, then measures.
pub fn measure(task: Task, here: &[Peer], guests: &mut [Guest], effort: Effort) -> Result<Row, Failure> {
    let mut entries = Vec::new();
    for (guest, prepared) in guests.iter_mut().enumerate() {
        for (at, peer) in prepared.prepare(task)?.iter().enumerate() {
            entries.push(Entry::new(peer, Place::There(guest, at)));
        }
    }
    for peer in here {
        let prepared = (peer.prepare)(task).map_err(|failure| format!("{}: {failure}", peer.name))?;
        entries.extend(prepared.map(|contender| Entry::new(peer.name, Place::Here(contender))));
    }
    compare(task, &mut entries, guests)?;
    for entry in &mut entries {
        entry.calibrate(guests, task, effort.batch)?;
    }
    for _ in 0..effort.rounds {
        for entry in &mut entries {
            entry.time_batch(guests)?;
        }
    }
    Ok(Row { task, cells: entries.into_iter().map(Entry::cell).collect() })
}

/// Checks that every peer gives the result of native code in every scope, or that of the tree-walker where
/// there is no native code. Where texts are compiled, the result is the number of programs.
fn compare(task: Task, entries: &mut [Entry], guests: &mut [Guest]) -> Result<(), Failure> {
    let position = |peer: &str| entries.iter().position(|entry| entry.peer == peer);
    let Some(reference) = [NATIVE, WALKER, OURS].into_iter().find_map(position) else { return Ok(()) };
    let mut wrong: Vec<String> = Vec::new();
    let mut failed = vec![false; entries.len()];
    for scope in 0..task.answers() {
        let expected = entries[reference].answer(guests, scope)?;
        for (at, failed) in failed.iter_mut().enumerate().filter(|(_, failed)| !**failed) {
            let problem = match entries[at].answer(guests, scope) {
                Ok(found) if found == expected => continue,
                Ok(found) => format!(
                    "another result than {} in scope {scope}:\n  {}\ninstead of\n  {}",
                    entries[reference].peer,
                    found.shortened(),
                    expected.shortened()
                ),
                Err(failure) => failure.to_string(),
            };
            *failed = true;
            wrong.push(format!("{}, {}: {problem}", task.name(), entries[at].peer));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
