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

fn test_of_authorization(policy: &str) -> std::process::Output {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/authz");
    let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory for the test");
    std::fs::write(folder.path().join("authz.hcl"), policy).expect("a policy");
    std::fs::copy(source.join("authz.hcltest"), folder.path().join("authz.hcltest")).expect("its tests");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hclvm"));
    command.args(["test", "authz.hcltest"]).current_dir(folder.path()).output().expect("the command runs")
}

#[test]
fn the_tests_of_the_authorization_policy_find_a_planted_change() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/authz/authz.hcl");
    let policy = std::fs::read_to_string(path).expect("the policy");
    let output = test_of_authorization(&policy);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "5 cases in 1 file: 5 passed, 0 failed\n");
    assert_eq!(output.status.code(), Some(0));
    for (text, change, failure) in [
        ("env.failed_logins * 15", "env.failed_logins * 5", "local.risk\n    expected 95\n    found    55"),
        (
            "user.id == resource.owner_id && local.same_tenant",
            "user.id == resource.owner_id",
            "rule.allow-owner.when",
        ),
        ("&& !local.is_admin", "", "rule.deny-locked-resource.when"),
    ] {
        let changed = policy.replace(text, change);
        assert_ne!(changed, policy, "{text}");
        let output = test_of_authorization(&changed);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}: {printed}");
        assert!(printed.contains(failure), "{text}: {printed}");
    }
}
