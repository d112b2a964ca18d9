//! The subcommand `specialize`.

use super::{Folder, POLICY, hclvm, hclvm_reading, text};

#[test]
fn specialize_prints_the_file_with_what_is_known() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let output = hclvm_reading(&["specialize", &policy, "--scope", "-"], r#"{"n": 4}"#);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let expected = POLICY.replace("n * 2", "8").replace("local.limit < 10", "true");
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn specialize_writes_a_file() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", "small = n < env.most\n");
    let known = folder.file("known.json", r#"{"env": {"most": 10}}"#);
    let residual = folder.file("residual.hcl", "");
    let output = hclvm(&["specialize", &policy, "--scope", &known, "-o", &residual]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(&residual).expect("it was written"), "small = n < (10)\n");
}

#[test]
fn specialize_reports_problems_of_its_files() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let list = folder.file("list.json", "[]");
    let broken = folder.file("broken.hcl", "a = 1 +\n");
    let cycle = folder.file("cycle.hcl", "locals {\n  a = local.a\n}\n");
    let scope = folder.file("scope.json", "{}");
    for arguments in [[&policy, &list], [&broken, &scope], [&cycle, &scope]] {
        let output = hclvm(&["specialize", arguments[0], "--scope", arguments[1]]);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""), "{arguments:?}");
        assert!(text(&output.stderr).starts_with("error["), "{}", text(&output.stderr));
    }
    let nowhere = format!("{policy}/residual.hcl");
    let output = hclvm(&["specialize", &policy, "--scope", &scope, "-o", &nowhere]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(hclvm(&["specialize", &policy]).status.code(), Some(2));
}
