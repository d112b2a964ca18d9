//! `hclvm compile`, and compiled documents in place of files.

use std::fs;

use super::{Folder, hclvm, text};

const POLICY: &str = "limit = base * 2\nrule \"a\" {\n  allow = user == \"ada\"\n}\n";

#[test]
fn compiled_documents_are_evaluated_like_their_text() {
    let folder = Folder::new();
    let file = folder.file("policy.hcl", POLICY);
    let compiled = format!("{file}c");
    let output = hclvm(&["compile", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with(&compiled), "{}", text(&output.stdout));
    let arguments = |path| hclvm(&["eval", path, "--var", "base=4", "--var", "user=ada"]);
    let (expected, found) = (arguments(&file), arguments(&compiled));
    assert_eq!((found.status.code(), text(&found.stdout)), (Some(0), text(&expected.stdout)));
    assert!(text(&found.stdout).contains("\"limit\": 8"));
}

#[test]
fn a_document_of_another_dialect_is_compiled_again_with_a_note() {
    let folder = Folder::new();
    let file = folder.file("policy.hcl", "a = 1 + 1\n");
    let compiled = format!("{file}c");
    assert_eq!(hclvm(&["compile", &file, "-o", &compiled]).status.code(), Some(0));
    let output = hclvm(&["eval", &compiled, "--dialect", "nomad"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("for another dialect"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("\"a\": 2"));
}

#[test]
fn damaged_documents_are_errors() {
    let folder = Folder::new();
    let file = folder.file("policy.hcl", POLICY);
    let compiled = format!("{file}c");
    assert_eq!(hclvm(&["compile", &file, "-o", &compiled]).status.code(), Some(0));
    let mut bytes = fs::read(&compiled).expect("it was written");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&compiled, bytes).expect("it is written");
    let output = hclvm(&["eval", &compiled]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("is damaged"), "{}", text(&output.stderr));
}

#[test]
fn files_with_errors_are_not_compiled() {
    let folder = Folder::new();
    let file = folder.file("policy.hcl", "a = \n");
    assert_eq!(hclvm(&["compile", &file]).status.code(), Some(1));
    assert!(!fs::exists(format!("{file}c")).expect("the folder is there"));
}
