//! A cluster of processes on this machine, which end with the test.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use datafusion::common::Result;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

/// The time after which processes end by themselves, should the test not end them.
const LONGEST: &str = "300";

/// A scheduler and executors.
pub(crate) struct Cluster {
    /// The address of the scheduler.
    pub(crate) url: String,
    pub(crate) executors: Vec<ExecutorProcess>,
    _scheduler: Child,
}

/// An executor.
pub(crate) struct ExecutorProcess {
    process: Child,
    work_dir: TempDir,
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hclvm-ballista"));
    command.args(["--stop-after", LONGEST]).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

impl Cluster {
    /// Starts a scheduler and this many executors.
    pub(crate) async fn start(executors: usize) -> Result<Self> {
        let mut scheduler = command();
        scheduler
            .args(["scheduler", "--bind", "127.0.0.1:0", "--executor-timeout", "2"])
            .stdout(Stdio::piped());
        let mut scheduler = scheduler.spawn()?;
        let output = scheduler.stdout.take().expect("the output is a pipe");
        let mut lines = BufReader::new(output).lines();
        let address = lines.next_line().await?.expect("the scheduler prints its address");
        // Read until its end, so that the scheduler does not wait.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let mut cluster =
            Self { url: format!("df://{address}"), executors: Vec::new(), _scheduler: scheduler };
        for _ in 0..executors {
            cluster.executors.push(ExecutorProcess::start(&address).await?);
        }
        Ok(cluster)
    }
}

impl ExecutorProcess {
    async fn start(scheduler: &str) -> Result<Self> {
        let work_dir = tempfile::tempdir()?;
        let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port().to_string();
        let mut executor = command();
        executor.args(["executor", "--scheduler", scheduler, "--port", &port, "--cores", "1", "--work-dir"]);
        let process = executor.arg(work_dir.path()).stdout(Stdio::null()).spawn()?;
        Ok(Self { process, work_dir })
    }

    /// Returns the number of files with results that it has written.
    pub(crate) fn results(&self) -> usize {
        files(self.work_dir.path())
    }

    /// Returns after it has written results.
    pub(crate) async fn has_results(&self) {
        while self.results() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Ends the process at once.
    pub(crate) async fn kill(&mut self) -> Result<()> {
        Ok(self.process.kill().await?)
    }
}

fn files(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let count = |path: &Path| if path.is_dir() { files(path) } else { 1 };
    entries.flatten().map(|entry| count(&entry.path())).sum()
}
