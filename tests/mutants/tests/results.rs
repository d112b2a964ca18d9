//! Results are kept for one tree; the survivors of the tree before it can be run again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use hclvm_mutants::compile::Build;
use hclvm_mutants::list::List;
use hclvm_mutants::mutant::{Change, Mutant, Splice};
use hclvm_mutants::report::{append, line, read, survivors_of_another_tree};
use hclvm_mutants::run::Verdict;

fn build(fingerprint: u64) -> Build {
    Build { list: List::default(), dropped: BTreeSet::new(), programs: Vec::new(), fingerprint }
}

fn mutant(id: u32) -> Mutant {
    let splice = Splice::around(0..0, "", "");
    let change = Change { operator: "if", changed: 0..0, replacement: String::new(), splice };
    Mutant { id, key: 100 + u64::from(id), file: "a.rs".to_owned(), line: 1, room: 0, change }
}

#[test]
fn results_are_read_back_for_their_tree_and_survivors_for_the_next() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("results-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder can be written");
    let path = folder.join("results.tsv");
    let verdicts = [Verdict::Killed("a/b::c".to_owned()), Verdict::Survived, Verdict::NotReached];
    let (first, second) = (build(1), build(2));
    for (id, verdict) in (0..).zip(&verdicts) {
        let line = line(&mutant(id), "room", verdict, Duration::from_millis(250));
        append(&path, &first, &line).expect("the folder can be written");
    }
    let found = read(&path, &first);
    let found: Vec<(u32, &Verdict)> = found.iter().map(|(id, (verdict, _))| (*id, verdict)).collect();
    assert_eq!(found, [(0, &verdicts[0]), (1, &verdicts[1]), (2, &verdicts[2])]);
    assert!(read(&path, &second).is_empty());

    let survivors = BTreeSet::from([101, 102]);
    assert_eq!(survivors_of_another_tree(&path, &second), survivors);
    let killed = line(&mutant(1), "room", &verdicts[0], Duration::ZERO);
    append(&path, &second, &killed).expect("the folder can be written");
    assert_eq!(survivors_of_another_tree(&path, &second), survivors, "an interrupted run continues");
    assert_eq!(read(&path, &second).len(), 1);
    fs::remove_dir_all(folder).expect("the folder is ours");
}
