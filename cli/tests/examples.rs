//! The example files give the recorded results for all their scopes.

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
fn authorization_policy() {
    check("authz", &[]);
}

#[test]
fn game_tuning() {
    check("game", &[]);
}

#[test]
fn job_with_dynamic_blocks() {
    check("job", &[]);
}

#[test]
fn job_with_text_for_somebody_else() {
    check("passthrough", &["--dialect", "nomad"]);
}
