//! `hclvm bench`: which figures are printed, and what is refused. Times are not compared.

use super::{Folder, POLICY, hclvm, hclvm_reading, json, text};

const QUICK: [&str; 4] = ["--rounds", "3", "--round", "1"];

#[test]
fn figures_are_printed_for_both_evaluators() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let arguments = [&["bench", &policy, "--scopes", "-", "--json"][..], &QUICK].concat();
    let output = hclvm_reading(&arguments, "{\"n\": 1}\n{\"n\": 7}\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let figures = json(&output.stdout);
    assert_eq!(
        (&figures["results_equal"], &figures["values"], &figures["scopes"]),
        (&true.into(), &2.into(), &2.into())
    );
    for evaluator in ["compiled", "tree_walker"] {
        for figure in ["ns_per_file", "ns_per_value", "evaluations_per_second", "spread"] {
            assert!(figures[evaluator][figure].is_number(), "{evaluator} {figure}: {figures}");
        }
    }
    let shown = hclvm_reading(
        &arguments.iter().copied().filter(|one| *one != "--json").collect::<Vec<_>>(),
        "{\"n\": 1}",
    );
    assert!(figures["set_ns"].as_f64() > Some(0.0), "{figures}");
    for part in
        ["2 values in 1 scope, equal results", "tree-walker", "ratio", "setting a scope from its JSON"]
    {
        assert!(text(&shown.stdout).contains(part), "{}", text(&shown.stdout));
    }
}

#[cfg(not(feature = "count-allocations"))]
#[test]
fn allocations_are_not_told_if_they_are_not_counted() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let arguments = [&["bench", &policy, "--scopes", "-", "--json"][..], &QUICK].concat();
    let figures = json(&hclvm_reading(&arguments, "{\"n\": 1}").stdout);
    assert!(figures["compiled"]["allocations"].is_null(), "{figures}");
}

#[cfg(feature = "count-allocations")]
#[test]
fn allocations_are_counted_for_each_evaluation() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let arguments = [&["bench", &policy, "--scopes", "-"][..], &QUICK].concat();
    let scopes = "{\"n\": 1}\n{\"n\": 7}\n";
    let figures = json(&hclvm_reading(&[&arguments[..], &["--json"]].concat(), scopes).stdout);
    assert_eq!(figures["compiled"]["allocations"], 0.0, "a warm session takes nothing from the heap");
    assert!(figures["tree_walker"]["allocations"].as_f64() > Some(0.0), "{figures}");
    let shown = hclvm_reading(&arguments, scopes);
    assert!(text(&shown.stdout).contains("0.0 allocations of 0 bytes"), "{}", text(&shown.stdout));
}

#[test]
fn a_scope_with_errors_is_not_measured() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let arguments = [&["bench", &policy, "--scopes", "-"][..], &QUICK].concat();
    let output = hclvm_reading(&arguments, "{\"n\": 1}\n{\"n\": \"x\"}\n");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""), "no figures are printed");
    assert!(text(&output.stderr).contains("error[invalid-operand]"), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).ends_with("because scope 2 of 2 has errors. The first of them is shown.\n"),
        "{}",
        text(&output.stderr)
    );
    let unset = hclvm(&[&["bench", &policy][..], &QUICK].concat());
    assert_eq!((unset.status.code(), text(&unset.stdout)), (Some(1), ""));
    let told = text(&unset.stderr);
    assert!(told.contains("help: set the variable with --scopes FILE, with {\"n\": VALUE}\n"), "{told}");
}

#[test]
fn attributes_are_timed_by_their_paths() {
    let folder = Folder::new();
    let made = "dynamic \"port\" {\n  for_each = [n]\n  content {\n    to = port.value\n  }\n}\n";
    let policy = folder.file("policy.hcl", format!("{POLICY}{made}"));
    let arguments = [&["bench", &policy, "--scopes", "-", "--attributes"][..], &QUICK].concat();
    let figures = json(&hclvm_reading(&[&arguments[..], &["--json"]].concat(), "{\"n\": 1}").stdout);
    let rows = figures["attributes"].as_array().expect("the times of attributes");
    assert!(rows.iter().all(|row| row["ns"].as_f64() > Some(0.0)), "{figures}");
    let times: Vec<f64> = rows.iter().filter_map(|row| row["ns"].as_f64()).collect();
    assert!(times.is_sorted_by(|one, other| one >= other), "{figures}");
    let line = |row: &serde_json::Value| Some((row["path"].as_str()?.to_owned(), row["line"].as_u64()?));
    let mut lines: Vec<_> = rows.iter().filter_map(line).collect();
    lines.sort_unstable();
    let expected = [("dynamic.port.for_each", 8), ("local.limit", 2), ("rule.small.when", 5)];
    assert_eq!(lines, expected.map(|(path, line)| (path.to_owned(), line)));
    let shown = hclvm_reading(&arguments, "{\"n\": 1}");
    assert!(text(&shown.stdout).contains("  rule.small.when\n"), "{}", text(&shown.stdout));
}

#[test]
fn dynamic_blocks_and_long_chains_of_locals_have_equal_results() {
    let folder = Folder::new();
    let mut chain = String::from("locals {\n  l0 = 1\n");
    for at in 1..3000 {
        chain += &["  l", &at.to_string(), " = local.l", &(at - 1).to_string(), " + 1\n"].concat();
    }
    let blocks =
        "dynamic \"port\" {\n  for_each = {a = 1, b = 2}\n  content {\n    to = port.value\n  }\n}\n";
    for text in [format!("{chain}}}\na = local.l2999\n"), blocks.to_owned()] {
        let file = folder.file("file.hcl", text);
        let output = hclvm(&[&["bench", &file, "--json"][..], &QUICK].concat());
        assert_eq!(json(&output.stdout)["results_equal"], true);
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let json = folder.file("policy.hcl.json", "{}");
    let broken = folder.file("broken.hcl", "a = [\n");
    for (arguments, code) in [
        (vec!["bench", &json], 2),
        (vec!["bench", &broken], 1),
        (vec!["bench", "/no/such/file.hcl"], 2),
        (vec!["bench", &policy, "--rounds", "0"], 2),
        (vec!["bench", &policy, "--scopes", "-"], 2),
    ] {
        assert_eq!(hclvm(&arguments).status.code(), Some(code), "{arguments:?}");
    }
}
