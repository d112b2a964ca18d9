//! The packages depend on each other in one direction only.

use std::collections::HashMap;
use std::process::Command;

use serde_json::Value;

/// The names that each package of the workspace depends on, for building and running.
fn dependencies() -> HashMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("metadata lists packages");
    packages.iter().map(|package| (text(&package["name"]), needed(package))).collect()
}

/// What a package needs other than for its own tests.
fn needed(package: &Value) -> Vec<String> {
    let listed = package["dependencies"].as_array().into_iter().flatten();
    listed.filter(|needed| needed["kind"] != "dev").map(|needed| text(&needed["name"])).collect()
}

fn text(json: &Value) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

#[test]
fn dependencies_point_one_way() {
    let needed = dependencies();
    for (package, forbidden) in [
        ("hclvm-vm", &["hclvm-compiler", "hclvm", "hclvm-cli", "hclvm-harness"][..]),
        ("hclvm-compiler", &["hclvm", "hclvm-cli", "hclvm-harness"]),
        ("hclvm", &["hclvm-cli", "hclvm-harness"]),
        ("hclvm-cli", &["hclvm-harness"]),
    ] {
        let found = needed.get(package).unwrap_or_else(|| panic!("{package} is a package of the workspace"));
        for name in forbidden {
            assert!(!found.contains(&(*name).to_owned()), "{package} depends on {name}");
        }
    }
}

#[test]
fn every_outside_crate_has_its_package() {
    let needed = dependencies();
    let users = |name: &str| -> Vec<&str> {
        let mut users: Vec<&str> = needed
            .iter()
            .filter(|(_, found)| found.iter().any(|found| found == name))
            .map(|(package, _)| package.as_str())
            .collect();
        users.sort_unstable();
        users
    };
    assert_eq!(users("rug"), ["hclvm-vm"]);
    assert_eq!(users("bumpalo"), ["hclvm-vm"]);
    assert_eq!(users("foldhash"), ["hclvm-vm"]);
    assert_eq!(users("logos"), ["hclvm-compiler"]);
    assert_eq!(users("unicode-ident"), ["hclvm-compiler"]);
}
