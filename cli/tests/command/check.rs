//! `hclvm check`: its output, its exit codes, and what declares variables.

use super::{Folder, POLICY, hclvm, hclvm_reading, json, text};

#[test]
fn check_shows_every_problem_with_its_line() {
    let folder = Folder::new();
    let good = folder.file("good.hcl", POLICY);
    let bad = folder.file("bad.hcl", "a = nosuch(1)\nlocals {\n  b = local.c\n  c = local.b\n}\n");
    let fine = hclvm(&["check", &good]);
    assert_eq!(fine.status.code(), Some(0));
    assert_eq!(text(&fine.stdout), "checked 1 file with 2 attributes: 0 errors, 0 warnings\n");
    let found = hclvm(&["check", &good, &bad]);
    assert_eq!(found.status.code(), Some(1));
    assert_eq!(text(&found.stdout), "checked 2 files with 5 attributes: 2 errors, 0 warnings\n");
    let complaint = text(&found.stderr);
    for wanted in
        ["Call to unknown function", "a = nosuch(1)\n", "    ^^^^^^", "local.b -> local.c -> local.b"]
    {
        assert!(complaint.contains(wanted), "{wanted} is missing in\n{complaint}");
    }
}

#[test]
fn check_prints_diagnostics_as_json() {
    let folder = Folder::new();
    let bad = folder.file("bad.hcl", "a = [1,\nb = \"é\" + )\n");
    let missing = folder.0.path().join("missing.hcl").to_string_lossy().into_owned();
    let output = hclvm(&["check", "--diagnostics", "json", &bad, &missing]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), ""));
    let found = json(&output.stdout);
    assert_eq!(found["valid"], false);
    let list = found["diagnostics"].as_array().expect("a list");
    assert_eq!(found["error_count"], list.len());
    assert_eq!(list[0]["range"]["filename"], bad);
    assert!(list[0]["range"]["start"]["line"].is_u64(), "{list:?}");
    assert!(list[0]["snippet"]["code"].is_string(), "{list:?}");
    assert_eq!(list.last().expect("one at least")["summary"], "Unreadable file");
}

/// The titles that a check of `file` tells.
fn titles(file: &str, arguments: &[&str]) -> Vec<String> {
    let output = hclvm(&[&["check", file, "--diagnostics", "json"], arguments].concat());
    let found = json(&output.stdout);
    let list = found["diagnostics"].as_array().expect("a list");
    list.iter().map(|one| one["summary"].as_str().expect("a title").to_owned()).collect()
}

#[test]
fn check_needs_no_scope() {
    let folder = Folder::new();
    let file =
        folder.file("x.hcl", "locals {\n  age = \"ten\"\n}\na = local.age + 1\nb = usr.on && upper(1, 2)\n");
    assert_eq!(titles(&file, &[]), ["Invalid operand", "Too many function arguments"]);
}

#[test]
fn variables_are_declared_by_names_types_samples_and_schemas() {
    let folder = Folder::new();
    let file = folder.file("x.hcl", "a = user.name + 1\nb = usr\n");
    let scope = folder.file("scope.json", r#"{"user": {"role": "a"}}"#);
    let schema = folder.file("types.hcl", "user = object({ name = list(string) })\n");
    assert_eq!(titles(&file, &["--vars", "user,usr"]), [""; 0]);
    assert_eq!(titles(&file, &["--vars", "user:object({name=number,role=string}),usr:any"]), [""; 0]);
    assert_eq!(titles(&file, &["--scope", &scope]), ["Unsupported attribute", "Unknown variable"]);
    assert_eq!(titles(&file, &["--schema", &schema, "--vars", "usr"]), ["Invalid operand"]);
}

#[test]
fn a_schema_with_a_mistake_is_diagnosed() {
    let folder = Folder::new();
    let (file, schema) = (folder.file("x.hcl", "a = 1\n"), folder.file("types.hcl", "user = strin\n"));
    let output = hclvm(&["check", &file, "--schema", &schema]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("types.hcl:1:8"), "{}", text(&output.stderr));
}

#[test]
fn check_reads_standard_input_and_json() {
    let read = hclvm_reading(&["check", "-"], "a = 1\nb = upper(1, 2)\n");
    assert_eq!(read.status.code(), Some(1));
    assert!(text(&read.stderr).contains("standard input:2:14"), "{}", text(&read.stderr));
    let folder = Folder::new();
    let file = folder.file("x.hcl.json", r#"{"a": "${upper(1, 2)}"}"#);
    assert_eq!(titles(&file, &[]), ["Too many function arguments"]);
}
