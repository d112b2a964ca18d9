//! The command gives the recorded results for all scopes of the examples. README.md's runs are in `readme.rs`.

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

fn check(name: &str, options: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
    let output = Command::new(env!("CARGO_BIN_EXE_hclvm"))
        .arg("eval")
        .arg(folder.join(format!("{name}.hcl")))
        .arg("--scopes")
        .arg(folder.join("scopes.json"))
        .args(options)
        .output()
        .expect("the command runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}{}", String::from_utf8_lossy(&output.stdout));
    let recorded = std::fs::read(folder.join("expected.json")).expect("recorded results");
    let recorded: Vec<Json> = serde_json::from_slice(&recorded).expect("a list of results");
    let lines: Vec<&[u8]> = output.stdout.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), recorded.len());
    for (line, wanted) in lines.iter().zip(&recorded) {
        let found: Json = serde_json::from_slice(line).expect("a result is JSON");
        assert_eq!(&found, wanted, "{name}: {}", wanted["scope"]);
    }
}

#[test]
fn the_authorization_policy_has_its_recorded_results() {
    check("authz", &[]);
}

#[test]
fn the_game_tuning_has_its_recorded_results() {
    check("game", &[]);
}

#[test]
fn the_job_with_dynamic_blocks_has_its_recorded_results() {
    check("job", &[]);
}

#[test]
fn a_job_keeps_interpolations_of_undefined_variables_as_text() {
    check("passthrough", &["--dialect", "nomad"]);
}
