//! How much of the recorded cases the fast tier answers. Without this, a fast tier that always falls back
//! would pass every test of results.

use std::collections::BTreeMap;

use hclvm_harness::conformance::Answers;
use libtest_mimic::Failed;

/// For each family the least share of evaluations that the fast tier answers, in percent.
#[derive(Debug)]
pub(crate) struct Floors {
    least: BTreeMap<&'static str, u64>,
}

impl Floors {
    /// Reads a list: in each line a family and the percentages of several collections, of which `column` is
    /// one; `#` begins a comment.
    ///
    /// # Panics
    /// A line without that column.
    pub(crate) fn read(list: &'static str, column: usize) -> Self {
        let lines = list.lines().filter(|line| !line.starts_with('#'));
        let least = lines.map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (words[0], words[1 + column].parse().expect("a percentage"))
        });
        Self { least: least.collect() }
    }

    /// Fails if the fast tier answered too little.
    pub(crate) fn judge(&self, family: &str, answers: Answers) -> Result<(), Failed> {
        let Answers { evaluations, fast } = answers;
        let least = match self.least.get(family) {
            Some(least) => least,
            // Expanded bodies are not counted.
            None if evaluations == 0 => return Ok(()),
            None => return Err(format!("{family} has no floor").into()),
        };
        if fast * 100 >= evaluations * least {
            return Ok(());
        }
        Err(format!("the fast tier answers {fast} of {evaluations} evaluations, at least {least} % expected")
            .into())
    }
}
