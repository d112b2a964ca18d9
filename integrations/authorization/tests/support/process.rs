//! The program as a process, with its addresses.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A service in a process of its own, which ends with this value.
pub(crate) struct Process {
    child: Child,
    /// What it shows up to its addresses.
    pub(crate) beginning: String,
    /// What it shows behind them.
    pub(crate) told: BufReader<ChildStderr>,
    pub(crate) grpc: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) admin: SocketAddr,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the program with these arguments.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hclvm-authorization"));
    command.args(arguments);
    command
}

impl Process {
    /// Serves a policy on free ports of this machine.
    pub(crate) fn start(policies: &Path, arguments: &[&str]) -> Self {
        let any = "127.0.0.1:0";
        let mut command = program(&["--grpc", any, "--http", any, "--admin", any]);
        command.arg("--policies").arg(policies).args(arguments).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut told = BufReader::new(child.stderr.take().expect("an output"));
        let mut beginning = String::new();
        while !beginning.contains(": serving ") {
            assert!(told.read_line(&mut beginning).expect("a line") > 0, "no addresses: {beginning}");
        }
        let address = |name: &str| {
            let (_, rest) = beginning.split_once(name).unwrap_or_else(|| panic!("no addresses: {beginning}"));
            rest.split([',', '\n']).next().and_then(|text| text.trim().parse().ok()).expect("an address")
        };
        let (grpc, http, admin) = (address("grpc "), address("http "), address("admin "));
        Self { child, beginning, told, grpc, http, admin }
    }

    /// Asks it to end, as a supervisor does.
    pub(crate) fn terminate(&self) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().expect("there is a command `kill`");
        assert!(sent.success());
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(30) {
            if let Some(status) = self.child.try_wait().expect("it is a child") {
                return status;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("it does not end");
    }

    /// Returns the number of its threads whose names begin with a text.
    #[cfg(target_os = "linux")]
    pub(crate) fn threads(&self, beginning: &str) -> usize {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).expect("a folder");
        let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        names.filter(|name| name.starts_with(beginning)).count()
    }

    /// Returns the memory that it holds, in KiB; `None` where the system does not show.
    pub(crate) fn resident(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}
