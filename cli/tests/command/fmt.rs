//! `hclvm fmt`: what is written, printed and reported.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{Folder, hclvm, hclvm_reading, text};

const UGLY: &str = "a=1\nbbb=[ 2 ]#x\n";
const PRETTY: &str = "a   = 1\nbbb = [2] #x\n";

#[test]
fn a_file_is_rewritten_once() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", UGLY);
    let first = hclvm(&["fmt", &file]);
    assert_eq!((first.status.code(), text(&first.stdout)), (Some(0), format!("{file}\n").as_str()));
    assert_eq!(fs::read_to_string(&file).expect("the file"), PRETTY);
    let second = hclvm(&["fmt", &file]);
    assert_eq!((second.status.code(), text(&second.stdout)), (Some(0), ""));
}

#[test]
fn check_lists_files_and_writes_nothing() {
    let folder = Folder::new();
    let (ugly, pretty) = (folder.file("a.hcl", UGLY), folder.file("b.hcl", PRETTY));
    let output = hclvm(&["fmt", "--check", &ugly, &pretty]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), format!("{ugly}\n").as_str()));
    assert_eq!(fs::read_to_string(&ugly).expect("the file"), UGLY);
    assert_eq!(hclvm(&["fmt", "--check", &pretty]).status.code(), Some(0));
}

#[test]
fn diff_prints_changes_and_writes_nothing() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", UGLY);
    let output = hclvm(&["fmt", "--diff", &file]);
    let wanted =
        format!("--- {file}\n+++ {file}\n@@ -1,2 +1,2 @@\n-a=1\n-bbb=[ 2 ]#x\n+a   = 1\n+bbb = [2] #x\n");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), wanted.as_str()));
    assert_eq!(fs::read_to_string(&file).expect("the file"), UGLY);
    assert_eq!(hclvm(&["fmt", "--diff", "--check", &file]).status.code(), Some(1));
}

#[test]
fn standard_input_is_printed() {
    let output = hclvm_reading(&["fmt", "-"], UGLY);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), PRETTY));
    assert_eq!(hclvm_reading(&["fmt", "-", "--check"], UGLY).status.code(), Some(1));
}

#[test]
fn folders_are_formatted_by_suffix_and_depth() {
    let folder = Folder::new();
    let root = folder.0.path();
    for inner in ["deep", ".hidden"] {
        fs::create_dir(root.join(inner)).expect("a folder");
        folder.file(&format!("{inner}/a.hcl"), UGLY);
    }
    for name in ["a.hcl", "b.pkr.hcl", "c.nomad", "d.tf", "e.tfvars", "f.tofu", "g.txt", "h.hcl.json"] {
        folder.file(name, UGLY);
    }
    let root = root.to_str().expect("a path of plain letters");
    let names = |arguments: &[&str]| -> Vec<String> {
        let output = hclvm(arguments);
        text(&output.stdout).lines().map(|line| line.replace(&format!("{root}/"), "")).collect()
    };
    let flat = ["a.hcl", "b.pkr.hcl", "c.nomad", "d.tf", "e.tfvars", "f.tofu"];
    assert_eq!(names(&["fmt", "--check", root]), flat);
    let deep = names(&["fmt", "--check", "--recursive", root]);
    assert_eq!(deep, ["a.hcl", "b.pkr.hcl", "c.nomad", "d.tf", "deep/a.hcl", "e.tfvars", "f.tofu"]);
}

#[test]
fn files_with_errors_stay_and_the_others_are_formatted() {
    let folder = Folder::new();
    let (broken, ugly) = (folder.file("a.hcl", "a = [1,\nb=}\n"), folder.file("b.hcl", UGLY));
    let output = hclvm(&["fmt", &broken, &ugly]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), format!("{ugly}\n").as_str()));
    assert!(text(&output.stderr).contains("a.hcl:2"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&broken).expect("the file"), "a = [1,\nb=}\n");
}

#[test]
fn what_cannot_be_formatted_is_reported() {
    let folder = Folder::new();
    let json = folder.file("a.hcl.json", "{}");
    let overlong = folder.file("b.hcl", b"a = \"\xC0\x80\"\n");
    for (path, code, wanted) in [
        (json.as_str(), 2, "is in JSON"),
        (overlong.as_str(), 1, "not part of a UTF-8 character"),
        ("/no/such/file.hcl", 2, "Cannot read"),
    ] {
        let output = hclvm(&["fmt", path]);
        assert_eq!(output.status.code(), Some(code), "{path}");
        assert!(text(&output.stderr).contains(wanted), "{}", text(&output.stderr));
    }
}

#[test]
fn permissions_and_links_are_kept() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", UGLY);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("permissions");
    let link = folder.0.path().join("link.hcl");
    symlink(&file, &link).expect("a link");
    assert_eq!(hclvm(&["fmt", link.to_str().expect("plain letters")]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(&file).expect("the file"), PRETTY);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(fs::metadata(&file).expect("the file").permissions().mode() & 0o777, 0o640);
    let protected = folder.file("b.hcl", UGLY);
    fs::set_permissions(&protected, fs::Permissions::from_mode(0o440)).expect("permissions");
    assert_eq!(hclvm(&["fmt", &protected]).status.code(), Some(2));
    assert_eq!(fs::read_to_string(&protected).expect("the file"), UGLY);
}
