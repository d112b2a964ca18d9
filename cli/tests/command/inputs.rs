//! What is read as a part of an input: byte order marks, texts that are not UTF-8, hidden files of folders.

use super::{Folder, hclvm, hclvm_reading, text};

const MARK: &str = "\u{feff}";

/// Returns what a command prints that succeeds.
#[track_caller]
fn printed(arguments: &[&str], input: &str) -> String {
    let output = hclvm_reading(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

#[test]
fn json_may_begin_with_a_byte_order_mark() {
    let folder = Folder::new();
    let file = folder.file("y.hcl", "y = x\n");
    let scope = folder.file("s.json", format!("{MARK}{{\"x\": 1}}"));
    assert_eq!(printed(&["eval", &file, "--scope", &scope, "--attr", "y"], ""), "1\n");
    let input = format!("{MARK}{{\"x\": 2}}");
    assert_eq!(printed(&["eval", &file, "--scope", "-", "--attr", "y"], &input), "2\n");
    assert!(printed(&["specialize", &file, "--scope", &scope], "").contains("y = 1"));
    assert!(printed(&["check", &file, "--scope", &scope], "").contains("0 errors"));
    printed(&["bench", &file, "--scopes", &scope, "--rounds", "1", "--round", "1"], "");
    let recorded = printed(&["test", &file, "--record", &scope], "");
    assert!(recorded.contains("    x = 1\n"), "{recorded}");
    // Lines, with marks of files that were joined; a list; scopes that are read as a whole because of their title.
    for (lines, expected) in [
        (format!("{MARK}{{\"x\": 1}}\n{MARK}{{\"x\": 2}}\n"), "1\n2\n"),
        (format!("{MARK}\n {{\"x\": 1}}\n"), "1\n"),
        (format!("{MARK}[{{\"x\": 1}}, {{\"x\": 2}}]"), "1\n2\n"),
        (format!("{MARK}{{\"$name\": \"a\", \"x\": 1}}\n"), "1\n"),
        (String::new(), ""),
        ("{}".to_owned(), ""),
    ] {
        if expected.is_empty() {
            hclvm_reading(&["eval", "-e", "x", "--scopes", "-"], &lines);
            continue;
        }
        assert_eq!(printed(&["eval", "-e", "x", "--scopes", "-"], &lines), expected, "{lines:?}");
    }
    let json = folder.file("j.hcl.json", format!("{MARK}{{\"a\": \"${{1 + 1}}\"}}"));
    assert_eq!(printed(&["eval", &json, "--attr", "a"], ""), "2\n");
    let template =
        folder.file("a.pkr.hcl", "variable \"a\" {\n  type = string\n}\nlocals {\n  b = var.a\n}\n");
    let variables = folder.file("v.pkrvars.json", format!("{MARK}{{\"a\": \"q\"}}"));
    assert_eq!(printed(&["eval", &template, "--var-file", &variables, "--attr", "local.b"], ""), "\"q\"\n");
}

#[test]
fn utf_16_is_named() {
    let folder = Folder::new();
    for mark in [[0xff, 0xfe], [0xfe, 0xff]] {
        let bytes = [&mark[..], b"{\0}\0\n\0"].concat();
        for (option, name) in [("--scope", "s.json"), ("--scopes", "s.ndjson"), ("--scopes", "s.csv")] {
            let file = folder.file(name, &bytes);
            let output = hclvm(&["eval", "-e", "1", option, &file]);
            assert_eq!(output.status.code(), Some(2), "{name}");
            assert!(text(&output.stderr).contains("it is UTF-16; save it as UTF-8"), "{name}");
        }
        let json = hclvm(&["check", &folder.file("j.hcl.json", &bytes)]);
        assert!(text(&json.stderr).contains("Save the text as UTF-8."), "{}", text(&json.stderr));
    }
}

#[test]
fn hidden_files_are_no_part_of_a_folder() {
    let folder = Folder::new();
    folder.file("a.hcl", "a = 1\n");
    let hidden = folder.file(".wip.hcl", "q = = 1\n");
    folder.file("._a.hcl", b"\x00\x05\x16\x07\x00\x02");
    folder.file(".b.hcl.json", "{\"b\": 2");
    let path = folder.0.path().to_str().expect("a path of plain letters");
    assert!(!printed(&["eval", path], "").contains('b'));
    assert!(printed(&["check", path], "").starts_with("checked 1 file "));
    assert_eq!(printed(&["fmt", "--check", path], ""), "");
    assert_eq!(hclvm(&["check", &hidden]).status.code(), Some(1), "a file that is named is read");
    assert_eq!(hclvm(&["fmt", "--check", &hidden]).status.code(), Some(1));
    let only = Folder::new();
    only.file(".a.hcl", "a = 1\n");
    let only = hclvm(&["eval", only.0.path().to_str().expect("a path of plain letters")]);
    assert!(text(&only.stderr).contains("There are no files *.hcl"), "{}", text(&only.stderr));
}

#[test]
fn packer_has_files_whose_names_begin_with_a_dot() {
    let folder = Folder::new();
    let build = "source \"null\" \"x\" {}\nbuild {\n  sources = [\"null.x\"]\n}\n";
    folder.file(".a.pkr.hcl", format!("locals {{\n  b   = 1\n}}\n{build}"));
    let path = folder.0.path().to_str().expect("a path of plain letters");
    assert_eq!(printed(&["eval", path, "--attr", "local.b"], ""), "1\n");
    let output = hclvm(&["fmt", "--check", path]);
    assert!(output.status.code() == Some(1) && text(&output.stdout).contains(".a.pkr.hcl"));
}
