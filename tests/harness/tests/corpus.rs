//! Real files and mutants of them are accepted, diagnosed and evaluated as recorded.

mod judge;

use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed};

/// The counts, and how many disagreements each may have.
const COUNTED: [(&str, usize); 3] = [
    ("files accepted or rejected alike", 0),
    // An invalid byte ends a block header instead of being skipped.
    ("files with equal diagnostics", 1),
    ("attributes with equal values", 0),
];

/// The counts for examples in the function pages of applications.
const EXAMPLES: [(&str, usize); 3] = [
    ("examples of packer with equal results", 0),
    ("examples of nomad with equal results", 0),
    // The table has no capability for a home directory to expand a path with.
    ("examples of opentofu with equal results", 1),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        judge::unless_absent("real_files_are_read_and_evaluated_as_recorded", "corpus", |directory| {
            compare("corpus", directory, &COUNTED)
        }),
        judge::unless_absent("examples_of_function_pages_give_their_results", "corpus", |directory| {
            compare("docs", directory, &EXAMPLES)
        }),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn compare(command: &str, directory: &Path, counted: &[(&str, usize)]) -> Result<(), Failed> {
    let output = Command::new(judge::HARNESS).arg(command).arg(directory).args(["--show", "5"]).output()?;
    let text = String::from_utf8(output.stdout)?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    for (title, allowed) in counted {
        let line = text.lines().find(|line| line.starts_with(*title)).ok_or("a figure is missing")?;
        let figures: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [agreed, total] = figures[..] else { return Err(format!("not a figure: {line}").into()) };
        if total == 0 || total - agreed > *allowed {
            return Err(text.into());
        }
    }
    Ok(())
}
