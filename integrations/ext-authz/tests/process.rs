//! The program as a process: its end with requests in flight, its command line, and its own examples.
#![cfg(unix)]

mod support;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread;
use std::time::Duration;

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
            "no status of a denial",
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
