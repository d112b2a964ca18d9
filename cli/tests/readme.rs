//! The console blocks of README.md equal the output of the command. Its Rust blocks are doctests of
//! the library.

use std::path::Path;
use std::process::Command;

#[test]
fn console_blocks_show_the_real_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let consoles = readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let runs = consoles.flat_map(|console| console.split("$ ")).filter_map(|run| {
        let (command, shown) = run.split_once('\n')?;
        Some((command.strip_prefix("cargo run --release -- ")?, shown))
    });
    let mut checked = 0;
    for (arguments, shown) in runs {
        let output = Command::new(env!("CARGO_BIN_EXE_hclvm"))
            .args(arguments.split(' '))
            .current_dir(&root)
            .output()
            .expect("the command runs");
        let printed = String::from_utf8(output.stdout).expect("output is UTF-8");
        assert_eq!(printed.lines().count(), shown.lines().count(), "{arguments}");
        for (printed, shown) in printed.lines().zip(shown.lines()) {
            match shown.strip_suffix('…') {
                Some(beginning) => assert_eq!(printed.get(..beginning.len()), Some(beginning)),
                None => assert_eq!(printed, shown),
            }
        }
        checked += 1;
    }
    assert_eq!(checked, 2, "the README shows runs");
}

#[test]
fn one_liners_show_the_real_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let runs = readme.split("$ hclvm ").skip(1).filter_map(|run| run.split("```").next()?.split_once('\n'));
    let mut checked = 0;
    let needs_no_files = |arguments: &str| {
        ["eval -", "eval examples/", "test examples/"].iter().any(|start| arguments.starts_with(start))
    };
    for (arguments, shown) in runs.filter(|(arguments, _)| needs_no_files(arguments)) {
        let line = format!("{} {arguments}", env!("CARGO_BIN_EXE_hclvm"));
        let output = Command::new("sh").args(["-c", &line]).current_dir(&root).output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&output.stdout), shown, "{arguments}");
        checked += 1;
    }
    assert!(checked > 0, "the README shows one-liners");
}
