//! Warnings of `check`, and the arguments that allow and deny them.

use crate::{Folder, hclvm, text};

const TEXT: &str = "locals {\n  n = 1\n}\na = true ? x : y\n";

#[test]
fn warnings_do_not_change_the_exit_code() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", TEXT);
    let output = hclvm(&["check", &file]);
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output.stderr);
    assert!(shown.starts_with("warning[unused-local]: Unused local value\n"), "{shown}");
    assert!(shown.contains("\nwarning[constant-condition]: Constant condition\n"), "{shown}");
    assert_eq!(text(&output.stdout), "checked 1 file with 2 attributes: 0 errors, 2 warnings\n");
}

#[test]
fn denied_warnings_are_errors() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", TEXT);
    let output = hclvm(&["check", &file, "--deny", "unused-local"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "checked 1 file with 2 attributes: 1 error, 1 warning\n");
    let output = hclvm(&["check", &file, "--deny", "warnings", "--allow", "unused-local"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "checked 1 file with 2 attributes: 1 error, 0 warnings\n");
}

#[test]
fn allowed_warnings_are_not_shown() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", TEXT);
    let output = hclvm(&["check", &file, "--allow", "unused-local,constant-condition,files"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
    let commented =
        folder.file("b.hcl", format!("# hclvm:allow-file unused-local, constant-condition\n{TEXT}"));
    assert_eq!(text(&hclvm(&["check", &commented, "--deny", "warnings"]).stderr), "");
}

#[test]
fn only_codes_of_warnings_can_be_allowed_and_denied() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", TEXT);
    for (option, code, why) in [
        ("--allow", "unknown-function", "is the code of an error"),
        ("--deny", "unknown-function", "is the code of an error"),
        ("--allow", "unused-lcoal", "did you mean `unused-local`?"),
        ("--deny", "nothing-at-all", "lists all"),
    ] {
        let output = hclvm(&["check", &file, option, code]);
        assert_eq!(output.status.code(), Some(2), "{option} {code}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
}
