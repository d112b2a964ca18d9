//! Coverage of the last run of tests: the outcomes of conditions, by line, read from the tracefile that
//! `hclvm test --coverage=lcov` writes.
//!
//! ```text
//! SF:/project/policy.hcl      the file of the records that follow
//! BRDA:7,0,1,3                line 7, condition 0, outcome 1 (false), which occurred 3 times
//! ```

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The coverage of files, by their paths.
#[derive(Debug, Default)]
pub(crate) struct FileCoverage {
    files: HashMap<PathBuf, BTreeMap<u32, ConditionOutcomes>>,
}

/// Outcomes of conditions: each may be true and false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConditionOutcomes {
    pub(crate) occurred: u32,
    pub(crate) possible: u32,
}

impl FileCoverage {
    /// Reads a tracefile. Records of other kinds, and malformed ones, are ignored.
    pub(crate) fn read(tracefile: &str) -> Self {
        let mut coverage = Self::default();
        let mut lines = None;
        for record in tracefile.lines() {
            if let Some(path) = record.strip_prefix("SF:") {
                lines = Some(coverage.files.entry(PathBuf::from(path)).or_default());
            } else if let (Some(branch), Some(lines)) = (record.strip_prefix("BRDA:"), &mut lines)
                && let [line, _, _, count] = *branch.split(',').collect::<Vec<_>>()
                && let Ok(line) = line.parse::<u32>()
            {
                let outcomes = lines.entry(line.saturating_sub(1)).or_default();
                outcomes.possible += 1;
                outcomes.occurred += u32::from(!matches!(count, "0" | "-"));
            }
        }
        coverage
    }

    /// Returns the outcomes of the conditions on some lines of a file, counted from 0; `None` if there are none.
    pub(crate) fn of_lines(&self, path: &Path, lines: RangeInclusive<u32>) -> Option<ConditionOutcomes> {
        let sum = |sum: ConditionOutcomes, one: &ConditionOutcomes| ConditionOutcomes {
            occurred: sum.occurred + one.occurred,
            possible: sum.possible + one.possible,
        };
        let found = self.files.get(path)?.range(lines).map(|(_, outcomes)| outcomes);
        Some(found.fold(ConditionOutcomes::default(), sum)).filter(|found| found.possible > 0)
    }

    /// Drops the coverage of a file, whose lines have changed.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.files.remove(path);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ConditionOutcomes, FileCoverage};

    #[test]
    fn outcomes_are_counted_by_line() {
        let text = "TN:\nBRDA:1,0,0,1\nSF:/a.hcl\nBRDA:7,0,0,0\nBRDA:7,0,1,3\nBRDA:9,0,0,-\nBRDA:x\nDA:7,1\n";
        let mut coverage = FileCoverage::read(text);
        let path = Path::new("/a.hcl");
        assert_eq!(coverage.of_lines(path, 6..=8), Some(ConditionOutcomes { occurred: 1, possible: 3 }));
        assert_eq!(coverage.of_lines(path, 7..=7), None);
        assert_eq!(coverage.of_lines(Path::new("/b.hcl"), 0..=9), None);
        coverage.forget(path);
        assert_eq!(coverage.of_lines(path, 6..=8), None);
    }
}
