//! Real files and mutants of them are accepted, diagnosed and evaluated as recorded.

mod recorded;

use std::process::Command;

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

#[test]
fn real_files_are_read_and_evaluated_as_recorded() {
    judge("corpus", &COUNTED);
}

#[test]
fn examples_of_function_pages_give_their_results() {
    judge("docs", &EXAMPLES);
}

fn judge(command: &str, counted: &[(&str, usize)]) {
    let Some(directory) = recorded::directory("corpus") else { return };
    let output = Command::new(recorded::HARNESS)
        .arg(command)
        .arg(directory)
        .args(["--show", "5"])
        .output()
        .expect("the harness runs");
    let text = String::from_utf8(output.stdout).expect("figures are text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (title, allowed) in counted {
        let line = text.lines().find(|line| line.starts_with(*title)).expect("every figure is printed");
        let figures: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [agreed, total] = figures[..] else { panic!("not a figure: {line}") };
        eprintln!("{line}");
        assert!(total > 0 && total - agreed <= *allowed, "{text}");
    }
}
