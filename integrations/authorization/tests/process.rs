//! The program as a process: its end with requests in flight, its command line, and its own examples.
#![cfg(unix)]

mod support;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use support::Reply;
use support::process::{Process, program};

const POLICY: &str = "rule \"post\" {\n  when   = request.body == \"12345\"\n  effect = \"allow\"\n}\n";

/// Returns the reply that a connection still gets.
fn rest(mut stream: TcpStream) -> Reply {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("a reply");
    Reply::parse(&text)
}

#[test]
fn requests_in_flight_are_answered_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = folder.path().join("policy.hcl");
    fs::write(&policy, POLICY).expect("it is written");
    let log = folder.path().join("decisions.log");
    let mut process = Process::start(&policy, &["--decision-log", log.to_str().expect("UTF-8")]);
    let mut streams = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(process.http).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket");
        stream.write_all(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n123").expect("it reads");
        streams.push(stream);
    }
    // Time for the service to read the heads of these requests; it has accepted them when it answers a later one.
    thread::sleep(Duration::from_millis(200));
    let mut last = TcpStream::connect(process.http).expect("it listens");
    last.write_all(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\nconnection: close\r\n\r\n12345")
        .expect("it reads");
    assert_eq!(rest(last).status, 200);

    process.terminate();
    // It stops to accept connections while the requests are open.
    let refused = (0..500).any(|_| {
        thread::sleep(Duration::from_millis(10));
        TcpStream::connect(process.http).is_err()
    });
    assert!(refused, "it still accepts connections");
    for mut stream in streams {
        stream.write_all(b"45").expect("it reads");
        assert_eq!(rest(stream).status, 200);
    }
    assert!(process.wait().success());
    let mut told = String::new();
    process.told.read_to_string(&mut told).expect("a text");
    assert!(told.contains("decisions logged: 9, dropped: 0, not written: 0"), "{told}");
    assert_eq!(fs::read_to_string(&log).expect("a log").lines().count(), 9);
}

#[test]
fn the_command_line_is_checked() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = program(&["--config", here.join("authz.hcl").to_str().expect("UTF-8"), "--check"]).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("authz.hcl");
    fs::write(&config, "listen {\n  grpc = \"here\"\n}\n").expect("it is written");
    fs::write(folder.path().join("policy.hcl"), POLICY).expect("it is written");
    let policy = folder.path().join("policy.hcl");
    let (config, policy) = (config.to_str().expect("UTF-8"), policy.to_str().expect("UTF-8"));
    for (arguments, wanted) in [
        (vec!["--config", config], "authz.hcl:2:10"),
        (vec!["--policies", policy], "no address to serve"),
        (
            vec!["--policies", policy, "--grpc", "127.0.0.1:0", "--fault-status", "200"],
            "not a status for denials",
        ),
        (vec!["--policies", "missing", "--grpc", "127.0.0.1:0"], "Cannot read"),
        (vec!["--policies", policy, "--grpc", "192.0.2.1:1"], "Cannot listen on 192.0.2.1:1"),
        (vec!["--config", "missing.hcl"], "Cannot read missing.hcl"),
    ] {
        let output = program(&arguments).output().expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && told.contains(wanted), "{arguments:?}: {told}");
    }
}

/// Returns what a service shows from its addresses to its end, after it was asked for the path of each fault.
fn told(policy: &str, arguments: &[&str], ask: impl FnOnce(&Process)) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("policy.hcl"), policy).expect("it is written");
    let mut process = Process::start(folder.path(), arguments);
    ask(&process);
    process.terminate();
    assert!(process.wait().success());
    let mut told = String::new();
    process.told.read_to_string(&mut told).expect("a text");
    told
}

fn get(process: &Process, path: &str) -> u16 {
    let mut stream = TcpStream::connect(process.http).expect("it listens");
    let ask = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).expect("it reads");
    rest(stream).status
}

#[test]
fn faults_are_told_with_their_places_and_without_values() {
    for (rule, parts) in [
        (
            "when = request.headers.x-none == \"a\"\neffect = \"allow\"",
            ["Unsupported attribute at ", "policy.hcl:2:23"],
        ),
        (
            "when = true\neffect = \"allow\"\nheaders = { x-path = \"hunter2\\n${request.path}\" }",
            [
                "the attribute `headers` of rule \"r\" cannot be used: ",
                "a header has a value with line breaks",
            ],
        ),
    ] {
        let text = told(&format!("rule \"r\" {{\n{rule}\n}}\n"), &[], |process| {
            assert_eq!([get(process, "/hunter2"), get(process, "/hunter2")], [403, 403]);
        });
        let line = text.lines().next().expect("a line");
        assert!(line.starts_with("hclvm-authorization: a request cannot be decided: "), "{text}");
        assert!(parts.into_iter().all(|part| line.contains(part)) && !text.contains("hunter2"), "{text}");
        assert!(text.ends_with("hclvm-authorization: stopping\n"), "{text}");
    }
}

#[test]
fn a_request_beyond_a_limit_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("authz.hcl");
    fs::write(&config, "limits {\n  fuel = 100\n}\n").expect("it is written");
    let policy = "rule \"r\" {\n  when   = length([for a in range(length(request.path) * 500) : a]) > 0\n  \
                  effect = \"allow\"\n}\n";
    for (flags, status, is_open) in [(&["--fail-open"][..], 200, true), (&[], 403, false)] {
        let arguments = [&["--config", config.to_str().expect("UTF-8")], flags].concat();
        let text = told(policy, &arguments, |process| {
            assert_eq!(process.beginning.contains("requests that cannot be decided are allowed"), is_open);
            assert_eq!(get(process, "/a"), status);
        });
        assert!(
            text.contains("a request cannot be decided: ") && !text.contains("decisions logged"),
            "{text}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn as_many_threads_serve_as_are_wanted() {
    for threads in ["1", "6"] {
        let policy = "rule \"r\" {\n  when = true\n  effect = \"allow\"\n}\n";
        told(policy, &["--threads", threads], |process| {
            assert_eq!(get(process, "/"), 200);
            // A thread has its name when it runs for the first time.
            let end = Instant::now() + Duration::from_secs(10);
            while process.threads("tokio").to_string() != threads && Instant::now() < end {
                thread::sleep(Duration::from_millis(10));
            }
            assert_eq!(process.threads("tokio").to_string(), threads);
        });
    }
}

#[test]
fn a_log_that_fails_is_told_at_the_end() {
    let policy = "rule \"r\" {\n  when = true\n  effect = \"allow\"\n}\n";
    if !Path::new("/dev/full").exists() {
        return;
    }
    let text = told(policy, &["--decision-log", "/dev/full"], |process| assert_eq!(get(process, "/"), 200));
    assert!(
        text.contains("decisions logged: 0, dropped: 0, not written: 1: No space left on device"),
        "{text}"
    );
}
