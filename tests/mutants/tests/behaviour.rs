//! An instrumented program behaves as the original without a mutant, and as the changed text with one.
//!
//! All changed texts are compiled at once, as modules of one program.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hclvm_mutants::find::{self, Functions};
use hclvm_mutants::mutant::{Change, Mutant};
use hclvm_mutants::rewrite::rewrite;

const FIXTURE: &str = include_str!("fixture.rs.txt");

/// The kinds of changes.
const OPERATORS: usize = 15;

/// The constant functions of the fixture.
struct Needed;

impl Functions for Needed {
    fn stays_const(&self, name: &str) -> bool {
        name == "needed"
    }

    fn is_excluded(&self, name: &str) -> bool {
        name == "run"
    }
}

/// The mutants of the fixture, all of which compile, and what else changes in its text.
fn mutants() -> (Vec<Mutant>, Vec<std::ops::Range<usize>>) {
    let found = find::find(FIXTURE, &Needed).expect("the fixture is Rust");
    let mutant = |(id, change): (u32, Change)| Mutant {
        id,
        key: u64::from(id),
        file: "fixture.rs".to_owned(),
        line: FIXTURE.get(..change.changed.start).unwrap_or_default().lines().count(),
        room: 0,
        change,
    };
    ((1..).zip(found.changes).map(mutant).collect(), found.removed)
}

fn changed(change: &Change) -> String {
    let mut text = FIXTURE.to_owned();
    text.replace_range(change.changed.clone(), &change.replacement);
    text
}

/// Creates a folder of this process.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder can be written");
    folder
}

fn compile(folder: &Path, name: &str, text: &str, arguments: &[&str]) -> PathBuf {
    let (source, out) = (folder.join(format!("{name}.rs")), folder.join(name));
    fs::write(&source, text).expect("the folder can be written");
    let output = Command::new("rustc")
        .args(["--edition", "2024", "--cap-lints", "allow", "-o"])
        .arg(&out)
        .arg(&source)
        .args(arguments)
        .output()
        .expect("the compiler is there");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    out
}

fn output(program: &Path, mutant: &str) -> String {
    let output = Command::new(program).env("MUTANT", mutant).output().expect("the program runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_mutant_behaves_as_its_text_and_no_mutant_as_the_original() {
    let folder = folder("behaviour");
    let (mutants, removed) = mutants();
    let caught = "fn show(run: fn() -> String) -> String {\n    \
                  std::panic::catch_unwind(run).unwrap_or_else(|_| \"panicked\".to_owned())\n}\n";

    let switch = compile(
        &folder,
        "libmutant_switch.rlib",
        include_str!("../src/switch.rs"),
        &["--crate-type=rlib", "--crate-name=mutant_switch"],
    );
    let instrumented = rewrite(FIXTURE, &mutants, &removed).text;
    let instrumented = format!("{instrumented}\n{caught}\nfn main() {{ print!(\"{{}}\", show(run)); }}\n");
    let link = format!("mutant_switch={}", switch.display());
    let instrumented = compile(&folder, "instrumented", &instrumented, &["--extern", &link]);

    let mut texts = format!("{caught}mod m0 {{\n{FIXTURE}\n}}\n");
    let mut calls = "    print!(\"{}\\0\", show(m0::run));\n".to_owned();
    for mutant in &mutants {
        let _ = writeln!(texts, "mod m{} {{\n{}\n}}", mutant.id, changed(&mutant.change));
        let _ = writeln!(calls, "    print!(\"{{}}\\0\", show(m{}::run));", mutant.id);
    }
    let texts = compile(&folder, "texts", &format!("{texts}fn main() {{\n{calls}}}\n"), &[]);

    let wanted = output(&texts, "");
    let mut wanted = wanted.split('\0');
    let original = wanted.next().expect("the original is first");
    assert!(original.lines().count() == 6, "{original}");
    assert_eq!(output(&instrumented, ""), original);
    let mut effective = BTreeSet::new();
    for (mutant, wanted) in mutants.iter().zip(wanted) {
        assert_eq!(output(&instrumented, &mutant.id.to_string()), wanted, "{:?}", mutant.change);
        if wanted != original {
            effective.insert(mutant.change.operator);
        }
    }
    let offered: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.change.operator).collect();
    assert_eq!(offered.len(), OPERATORS, "the fixture has all kinds of changes");
    assert_eq!(effective, offered, "each kind of change has an effect");
    fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn reached_mutants_are_recorded() {
    let folder = folder("reach");
    let text = "fn main() { if mutant_switch::on(3) || mutant_switch::on(5) { panic!() } }";
    let switch = compile(
        &folder,
        "libmutant_switch.rlib",
        include_str!("../src/switch.rs"),
        &["--crate-type=rlib", "--crate-name=mutant_switch"],
    );
    let program =
        compile(&folder, "main", text, &["--extern", &format!("mutant_switch={}", switch.display())]);
    let record = folder.join("record");
    fs::write(&record, []).expect("the folder can be written");
    let status = Command::new(program).env("MUTANT_REACH", &record).status().expect("the program runs");
    assert!(status.success());
    assert_eq!(fs::read(record).expect("it was recorded"), [0, 0, 0, 1, 0, 1]);
    fs::remove_dir_all(folder).expect("the folder is ours");
}
