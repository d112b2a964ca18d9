//! The command line: what flags change in the settings of a file.

use std::fs;
use std::path::PathBuf;

use clap::Parser;
use hclvm_authorization::{Arguments, Combining, LogSettings, Settings};

const FILE: &str = r#"
listen {
  grpc  = "127.0.0.1:1"
  http  = "127.0.0.1:2"
  admin = "127.0.0.1:3"
}
policy {
  path      = "rules"
  combining = "deny-overrides"
}
denial {
  fault_status = 429
}
limits {
  threads = 3
}
decision_log {
  path   = "logs/d.log"
  masks  = ["request.body"]
  sample = 7
}
"#;

/// Returns the settings of a command line with flags that are separated by blanks.
fn settings(line: &str) -> Result<Settings, String> {
    let arguments =
        Arguments::try_parse_from(["hclvm-authorization"].into_iter().chain(line.split_whitespace()));
    let arguments = arguments.map_err(|error| error.to_string())?;
    arguments.settings().map_err(|problems| problems.to_string())
}

#[test]
fn flags_change_the_defaults() {
    let address = |port: u16| Some(([127, 0, 0, 1], port).into());
    let base = || Settings { grpc: address(9), ..Settings::default() };
    for (line, wanted) in [
        ("", base()),
        ("--policies x/y", Settings { policies: "x/y".into(), ..base() }),
        ("--http 127.0.0.1:8", Settings { http: address(8), ..base() }),
        ("--authzen 127.0.0.1:6", Settings { authzen: address(6), ..base() }),
        ("--admin 127.0.0.1:7", Settings { admin: address(7), ..base() }),
        ("--fault-status 404", Settings { fault_status: 404, ..base() }),
        ("--fail-open", Settings { fail_open: true, ..base() }),
        ("--decision-log -", Settings { log: Some(LogSettings::new("-")), ..base() }),
        ("--threads 5", Settings { threads: Some(5), ..base() }),
        ("--check", base()),
    ] {
        assert_eq!(settings(&format!("--grpc 127.0.0.1:9 {line}")).as_ref(), Ok(&wanted), "{line}");
    }
    let http = Settings { http: address(8), ..Settings::default() };
    assert_eq!(settings("--http 127.0.0.1:8"), Ok(http), "one address is enough");
    assert_eq!(settings("--check"), Ok(Settings::default()), "a check serves nothing");
}

#[test]
fn flags_change_the_file_and_nothing_else_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("authz.hcl");
    fs::write(&path, FILE).expect("it is written");
    let address = |port: u16| Some(([127, 0, 0, 1], port).into());
    let log = |path: PathBuf| {
        Some(LogSettings { masks: vec!["request.body".into()], sample: 7, ..LogSettings::new(path) })
    };
    let base = || Settings {
        policies: folder.path().join("rules"),
        combining: Combining::DenyOverrides,
        grpc: address(1),
        http: address(2),
        admin: address(3),
        fault_status: 429,
        threads: Some(3),
        log: log(folder.path().join("logs/d.log")),
        ..Settings::default()
    };
    for (line, wanted) in [
        ("", base()),
        ("--policies x", Settings { policies: "x".into(), ..base() }),
        ("--grpc 127.0.0.1:9", Settings { grpc: address(9), ..base() }),
        ("--http 127.0.0.1:9", Settings { http: address(9), ..base() }),
        ("--admin 127.0.0.1:9", Settings { admin: address(9), ..base() }),
        ("--fault-status 403", Settings { fault_status: 403, ..base() }),
        ("--fail-open", Settings { fail_open: true, ..base() }),
        ("--decision-log x.log", Settings { log: log("x.log".into()), ..base() }),
        ("--threads 1024", Settings { threads: Some(1024), ..base() }),
    ] {
        let line = format!("--config {} {line}", path.display());
        assert_eq!(settings(&line).as_ref(), Ok(&wanted), "{line}");
    }
    fs::write(&path, "denial {\n  fail_open = true\n}\ndecision_log {\n  path = \"-\"\n}\n")
        .expect("it is written");
    let found = settings(&format!("--config {} --check", path.display())).expect("it is right");
    assert_eq!(
        (found.fail_open, found.log),
        (true, Some(LogSettings::new("-"))),
        "- is no file of the folder"
    );
    assert_eq!(found.policies, folder.path().join("policies"));
}

#[test]
fn flags_that_cannot_be_used_are_refused() {
    for (line, why) in [
        ("--policies x", "There is no address to serve"),
        ("--grpc 127.0.0.1:9 --fault-status 500", "--fault-status: 500 is not a status for denials"),
        ("--grpc 127.0.0.1:9 --fault-status 299", "--fault-status: 299 is not a status for denials"),
        ("--grpc 127.0.0.1:9 --threads 0", "0 is not in 1..=1024"),
        ("--grpc 127.0.0.1:9 --threads 1025", "1025 is not in 1..=1024"),
        ("--grpc localhost", "invalid socket address"),
        ("--config missing.hcl --check", "Cannot read missing.hcl: "),
    ] {
        let told = settings(line).expect_err("it is wrong");
        assert!(told.contains(why), "{line}: {told}");
    }
}
