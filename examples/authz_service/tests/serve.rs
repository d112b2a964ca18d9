//! The service as its clients see it, while its policy is edited.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

const POLICY: &str = include_str!("../policy.hcl");

/// The service while it runs.
struct Server {
    process: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts a service. Returns `None` where no server can listen.
    fn start(policy: &Path, log: &Path) -> Option<Self> {
        if let Err(error) = TcpListener::bind("127.0.0.1:0") {
            eprintln!("skipped: no server can listen here: {error}");
            return None;
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_hclvm-authz-service"));
        command.arg(policy).arg("127.0.0.1:0").arg(log).stderr(Stdio::piped());
        let mut process = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(process.stderr.take().expect("an output")).read_line(&mut line).expect("a line");
        let address = line.trim().rsplit('/').next().expect("an address").to_owned();
        Some(Self { process, address })
    }

    /// Asks, and returns the status line and the body.
    fn ask(&self, method: &str, path: &str, body: &str) -> (String, Json) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: authz\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
        (head.lines().next().expect("a status").to_owned(), serde_json::from_str(body).expect("JSON"))
    }

    fn decide(&self, user: &str, action: &str) -> Json {
        let request = json!({
            "user": {"id": user, "token": "secret"},
            "action": action,
            "resource": {"id": "d-1", "owner": "ann", "locked": false, "readers": ["bob"]},
        });
        self.ask("POST", "/decide", &request.to_string()).1
    }

    /// Asks for the status until it is as wanted: the file is watched by another thread.
    fn status_with(&self, is_wanted: impl Fn(&Json) -> bool) -> Json {
        wait_for(|| Some(self.ask("GET", "/status", "").1).filter(|status| is_wanted(status)))
    }
}

/// Waits for a result.
fn wait_for<T>(mut result: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(result) = result() {
            return result;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "it takes too long");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn requests_are_decided_by_the_last_good_policy_and_logged() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, log) = (folder.path().join("policy.hcl"), folder.path().join("decisions.log"));
    fs::write(&file, POLICY).expect("it is written");
    let Some(server) = Server::start(&file, &log) else { return };
    let owner = json!({"effect": "allow", "rule": "owner", "reason": "owner of d-1",
        "obligations": [{"audit": true}], "problems": []});
    assert_eq!(server.decide("ann", "PUT"), owner);
    assert_eq!(server.decide("bob", "GET")["rule"], "readers");
    let denied = server.decide("bob", "PUT");
    assert_eq!((&denied["effect"], &denied["rule"]), (&"deny".into(), &Json::Null));

    let (status, body) = server.ask("POST", "/decide", "{");
    assert!(status.contains("400") && body["error"].is_string(), "{status} {body}");
    let undecided = server.ask("POST", "/decide", "{\"action\": \"GET\"}").1;
    assert_eq!(undecided["effect"], "deny");
    assert!(undecided["problems"][0].as_str().expect("a text").contains("user"), "{undecided}");

    fs::write(&file, POLICY.replace("user.id ==", "user.id =")).expect("it is written");
    let status = server.status_with(|status| !status["rejected"].is_null());
    assert_eq!((&status["epoch"], &status["not_logged"]), (&0.into(), &0.into()));
    assert_eq!(server.decide("ann", "PUT"), owner, "the last good policy decides");

    fs::write(&file, POLICY.replace("effect      = \"allow\"", "effect      = \"deny\""))
        .expect("it is written");
    let status = server.status_with(|status| status["epoch"] == 1);
    assert_eq!(status["rejected"], Json::Null);
    assert_eq!(server.decide("ann", "PUT")["effect"], "deny");

    // The log is written some milliseconds later.
    let whole = |count: usize| {
        let text = fs::read_to_string(&log).ok()?;
        (text.lines().count() == count && text.ends_with('\n')).then_some(text)
    };
    let lines = wait_for(|| whole(6));
    let lines: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    let causes: Vec<&str> = lines.iter().filter_map(|line| line["cause"].as_str()).collect();
    assert_eq!(causes, ["rule", "rule", "no-rule", "undecided", "rule", "rule"]);
    assert_eq!((&lines[0]["epoch"], &lines[5]["epoch"]), (&0.into(), &1.into()));
    assert_ne!(lines[0]["document"], lines[5]["document"]);
    assert_eq!(lines[0]["inputs"]["user"], json!({"id": "ann", "token": {"$masked": true}}));
    assert_eq!(lines[3]["open"]["rules"][0]["is"], "failed", "{}", lines[3]);
    let counts = server.status_with(|status| status["log"]["waiting"] == 0)["log"].take();
    assert_eq!(
        (&counts["written"], &counts["failed"], &counts["error"]),
        (&6.into(), &0.into(), &Json::Null)
    );

    if cfg!(unix) {
        // As logrotate does it.
        fs::rename(&log, folder.path().join("decisions.log.1")).expect("it is renamed");
        let id = server.process.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &id]).status().expect("a command").success());
        // The signal is received some time later.
        let first = wait_for(|| {
            server.decide("ann", "PUT");
            fs::read_to_string(&log).ok()?.lines().next().map(str::to_owned)
        });
        assert_eq!(serde_json::from_str::<Json>(&first).expect("a line")["epoch"], 1);
    }
}
