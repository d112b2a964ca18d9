//! Counts agreements and keeps the first disagreements.
#![expect(clippy::print_stdout, reason = "the figures are the program's output")]

/// The agreement of results with recorded ones.
#[derive(Debug)]
pub(crate) struct Tally {
    title: String,
    show: usize,
    agreed: usize,
    total: usize,
    shown: Vec<String>,
}

impl Tally {
    /// Creates an empty tally that keeps the first `show` disagreements.
    pub(crate) fn new(title: impl Into<String>, show: usize) -> Self {
        Self { title: title.into(), show, agreed: 0, total: 0, shown: Vec::new() }
    }

    /// Counts one comparison.
    pub(crate) fn compare(&mut self, what: &str, found: &str, expected: &str) {
        self.total += 1;
        if found == expected {
            self.agreed += 1;
        } else if self.shown.len() < self.show {
            self.shown.push(format!("{what}\n  found    {found}\n  expected {expected}"));
        }
    }

    /// Prints the figures.
    pub(crate) fn print(&self) {
        println!("{:<40} {:>6} of {:>6}", self.title, self.agreed, self.total);
        for disagreement in &self.shown {
            println!("{disagreement}");
        }
    }
}
