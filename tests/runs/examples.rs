//! The programs of examples/README.md print what it shows.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the program of an example. A run of some tests alone does not build examples, so that it may have to be
/// built.
fn program(arguments: &[&str], name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.parent().and_then(Path::parent).expect("the folder of the build");
    let program = folder.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    if !program.exists() {
        let mut cargo = Command::new(env!("CARGO"));
        let built = cargo.arg("build").args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).status();
        assert!(built.expect("cargo runs").success(), "{name}");
    }
    program
}

#[test]
fn programs_print_what_the_list_of_examples_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = std::fs::read_to_string(root.join("examples/README.md")).expect("the list of examples");
    let mut checked = Vec::new();
    for console in list.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        let (command, shown) = console.split_once('\n').expect("a command and its output");
        let arguments = command.strip_prefix("$ cargo run ").expect("a program");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let name = arguments.last().copied().unwrap_or_default();
        let output = Command::new(program(&arguments, name)).current_dir(root).output().expect("it runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed.lines().count(), shown.lines().count(), "{name}: {printed}");
        for (printed, shown) in printed.lines().zip(shown.lines()) {
            // The rest of a line may be a time.
            match shown.strip_suffix('…') {
                Some(beginning) => assert!(printed.starts_with(beginning), "{name}: {printed}"),
                None => assert_eq!(printed, shown, "{name}"),
            }
        }
        checked.push(name.to_owned());
    }
    for file in std::fs::read_dir(root.join("examples")).expect("the examples") {
        let path = file.expect("a file").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let is_program = path.extension().is_some_and(|suffix| suffix == "rs");
        // The listing of code changes with the instruction set, and that of the long configuration is its own test.
        let is_left_out = ["listing", "service_config"].contains(&name);
        assert!(
            !is_program || is_left_out || checked.iter().any(|known| known == name),
            "{name} is not shown"
        );
    }
}
