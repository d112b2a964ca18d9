//! Files that are not regular ones, and what lies behind links that lead out of the directory.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use hclvm::functions::{Capabilities, packer};

use super::{directory, engine, granted, outcome};

/// Evaluates an expression in another thread: opening a pipe would wait forever.
fn outcome_in_time(root: &Path, text: &str) -> String {
    let (sender, receiver) = mpsc::channel();
    let (root, text) = (root.to_owned(), text.to_owned());
    std::thread::spawn(move || sender.send(outcome(&engine(packer(&granted(&root))), &text)));
    receiver.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| "it waits".to_owned())
}

#[test]
fn pipes_sockets_and_folders_are_refused_before_they_are_opened() {
    let root = directory(&[("sub/a.txt", "a")]);
    let made = Command::new("mkfifo").arg(root.path().join("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    symlink("pipe", root.path().join("link")).expect("linked");
    let _socket = UnixListener::bind(root.path().join("socket")).expect("bound");
    for path in ["pipe", "link", "socket", "sub"] {
        let functions = ["file", "templatefile", "filebase64"];
        for function in
            functions.into_iter().filter(|name| cfg!(feature = "encoding") || *name != "filebase64")
        {
            let more = if function == "templatefile" { ", {}" } else { "" };
            let call = format!("{function}({path:?}{more})");
            let detail = outcome_in_time(root.path(), &call);
            assert!(detail.contains("it is not a regular file"), "{call}: {detail}");
        }
    }
    assert!(outcome_in_time(root.path(), r#"fileexists("pipe")"#).contains("is not a regular file"));
    assert_eq!(outcome_in_time(root.path(), r#"jsonencode(fileset(".", "**"))"#), r#"["sub/a.txt"]"#);
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_files_of_processes_are_refused() {
    for (root, path) in [("/dev", "zero"), ("/proc", "self/status"), ("/", "proc/self/environ")] {
        let detail =
            outcome(&engine(packer(&Capabilities::none().directory(root))), &format!("file({path:?})"));
        assert!(detail.contains("it is not a regular file"), "{root} {path}: {detail}");
    }
}

#[test]
fn links_do_not_reveal_which_files_exist_outside() {
    let root = directory(&[("inner/a.txt", "a"), ("outer/there.txt", "no")]);
    let inner = root.path().join("inner");
    symlink("../outer", inner.join("out")).expect("linked");
    symlink(root.path().join("outer/missing.txt"), inner.join("dangling")).expect("linked");
    symlink("missing.txt", inner.join("within")).expect("linked");
    symlink("round", inner.join("round")).expect("linked");
    let engine = engine(packer(&granted(&inner)));
    for path in ["out/there.txt", "out/missing.txt", "out/missing/deeper.txt", "out/there.txt/x", "dangling"]
    {
        for call in ["file", "fileexists"] {
            let detail = outcome(&engine, &format!("{call}({path:?})"));
            assert!(detail.contains(&format!("{path:?} is outside of the directory")), "{call}: {detail}");
        }
    }
    for path in
        ["missing.txt", "within", "missing/../missing.txt", &inner.join("missing.txt").display().to_string()]
    {
        assert_eq!(outcome(&engine, &format!("fileexists({path:?})")), "false", "{path}");
    }
    assert!(outcome(&engine, r#"file("round")"#).contains("cannot be used"));
}

#[test]
fn a_file_longer_than_a_text_may_be_is_an_error() {
    let root = directory(&[("long.txt", &"x".repeat(101)), ("fits.txt", &"x".repeat(100))]);
    let limits = hclvm::Limits { text_bytes: 100, ..hclvm::Limits::untrusted() };
    let table = packer(&granted(root.path()));
    let engine = hclvm::Engine::builder().functions(table).limits(limits).build();
    assert_eq!(outcome(&engine, r#"file("fits.txt")"#).len(), 100);
    assert!(outcome(&engine, r#"file("long.txt")"#).contains("\"long.txt\" has more than 100 bytes"));
}
