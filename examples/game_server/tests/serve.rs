//! The server as its users see it. The load program is run briefly: what it finds does not depend on how fast the
//! machine is.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value as Json;

#[test]
fn no_answer_fails_or_mixes_two_files_while_the_file_is_rewritten() {
    let output = Command::new(env!("CARGO_BIN_EXE_load")).args(["2", "4", "8"]).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("a text");
    assert!(output.status.success() && text.contains(", failed 0\n"), "{text}");
    assert!(text.contains("with answers of two files 0\n"), "{text}");
    assert!(!text.contains("requests 0,"), "{text}");
}

/// The server while it runs.
struct Server(std::process::Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_page_hears_of_reloads_and_rejections() {
    if let Err(error) = std::net::TcpListener::bind("127.0.0.1:0") {
        eprintln!("skipped: no server can listen here: {error}");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.hcl");
    fs::write(&file, "speed = player.rank\n").expect("it is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hclvm-game-server"));
    command.arg(&file).arg("127.0.0.1:0").stdout(Stdio::piped());
    let mut server = Server(command.spawn().expect("it starts"));
    let mut line = String::new();
    let output = server.0.stdout.take().expect("an output");
    BufReader::new(output).read_line(&mut line).expect("a line");
    let address = line.trim().rsplit('/').next().expect("an address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: game\r\n\r\n").expect("it reads");
    let mut lines = BufReader::new(stream).lines();
    let mut event = || -> Json {
        let data = lines.find_map(|line| line.expect("a line").strip_prefix("data: ").map(str::to_owned));
        serde_json::from_str(&data.expect("an event")).expect("JSON")
    };
    let first = event();
    assert_eq!((&first["status"]["epoch"], &first["report"]), (&0.into(), &Json::Null));
    fs::write(&file, "speed = player.rank * 2\n").expect("it is written");
    let reloaded = event();
    assert_eq!(reloaded["status"]["epoch"], 1);
    assert_eq!(reloaded["report"]["changed"][0], "speed");
    let value = &reloaded["report"]["values"][0];
    assert_eq!((&value["before"], &value["after"]), (&12.into(), &24.into()));
    fs::write(&file, "speed = player.level\n").expect("it is written");
    let rejected = event();
    assert_eq!(rejected["status"]["epoch"], 1);
    assert!(rejected["status"]["rejected"]["problems"].as_str().expect("a text").contains("level"));
}
