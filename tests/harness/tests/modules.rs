//! Whole configurations in several scopes each: locals, dynamic blocks, every attribute.

mod recorded;

use std::process::Command;

use serde_json::Value as Json;

/// The configurations and their dialects.
const MODULES: [(&str, &str); 4] =
    [("authz", "packer"), ("game", "packer"), ("job.nomad", "packer"), ("job-passthrough.nomad", "nomad")];

#[test]
fn configurations_give_their_recorded_results() {
    let Some(directory) = recorded::directory("examples") else { return };
    for (name, dialect) in MODULES {
        let output = Command::new(recorded::HARNESS)
            .arg("module")
            .arg(directory.join(format!("{name}.hcl")))
            .arg(directory.join(format!("{name}.scopes.json")))
            .args(["--dialect", dialect])
            .output()
            .expect("the harness runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let found: Vec<Json> = serde_json::from_slice(&output.stdout).expect("results are JSON");
        let recorded = std::fs::read_to_string(directory.join(format!("{name}.expected.json")));
        let recorded: Vec<Json> =
            serde_json::from_str(&recorded.expect("recorded results")).expect("recorded results are JSON");
        assert_eq!(found.len(), recorded.len(), "{name}");
        for (found, recorded) in found.iter().zip(&recorded) {
            assert_eq!(found, recorded, "{name}: {}", recorded["scope"]);
        }
    }
}
