//! Real files and mutants of them: accepted, diagnosed and evaluated as recorded.

mod recorded;

use std::process::Command;

/// What is counted, and how many may disagree.
const COUNTED: [(&str, usize); 3] = [
    ("files accepted or rejected alike", 0),
    // A byte that is no character ends a block header instead of being passed over.
    ("files with equal diagnostics", 1),
    ("attributes with equal values", 0),
];

/// The same of examples in the function references of applications.
const EXAMPLES: [(&str, usize); 3] = [
    ("examples of packer with equal results", 0),
    ("examples of nomad with equal results", 0),
    // The table is granted no home directory to expand a path with.
    ("examples of opentofu with equal results", 1),
];

#[test]
fn real_files_are_read_and_evaluated_as_recorded() {
    judge("corpus", &COUNTED);
}

#[test]
fn examples_of_references_give_what_they_say() {
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
