//! A scheduler or an executor of a Ballista cluster that has the functions of hclvm, with the default engine.
//!
//! ```console
//! $ hclvm-ballista scheduler --bind 127.0.0.1:50050
//! $ hclvm-ballista executor --scheduler 127.0.0.1:50050 --port 50051 --cores 4
//! ```

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use datafusion::common::{DataFusionError, Result, exec_err};
use hclvm::Engine;
use hclvm_datafusion::cluster::{Executor, serve_scheduler};
use tokio::net::TcpListener;

/// A scheduler or an executor of a Ballista cluster that has the functions of hclvm.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    role: Role,
    /// Ends the process after this many seconds.
    #[arg(long, global = true)]
    stop_after: Option<u64>,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// Plans queries and gives tasks to executors.
    Scheduler {
        /// The address to listen on. With port 0, any free port; the address is printed.
        #[arg(long, default_value = "127.0.0.1:50050")]
        bind: SocketAddr,
        /// The seconds after which the tasks of an executor that does not report are given to others.
        #[arg(long, default_value_t = 180)]
        executor_timeout: u64,
    },
    /// Runs tasks.
    Executor {
        /// The address of the scheduler.
        #[arg(long, default_value = "127.0.0.1:50050")]
        scheduler: SocketAddr,
        /// The address at which other executors and clients reach it.
        #[arg(long, default_value = "127.0.0.1")]
        host: String,
        /// The port at which they fetch results.
        #[arg(long, default_value_t = 50051)]
        port: u16,
        /// The number of tasks that it runs at once.
        #[arg(long, default_value_t = 1)]
        cores: usize,
        /// The folder for results. Without one, a temporary folder.
        #[arg(long)]
        work_dir: Option<PathBuf>,
    },
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let role = run(arguments.role);
    let Some(seconds) = arguments.stop_after else { return role.await };
    tokio::time::timeout(Duration::from_secs(seconds), role).await.unwrap_or(Ok(()))
}

async fn run(role: Role) -> Result<()> {
    let engine = Engine::new();
    match role {
        Role::Scheduler { bind, executor_timeout } => {
            let listener = TcpListener::bind(bind).await?;
            writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
            serve_scheduler(&engine, listener, Duration::from_secs(executor_timeout)).await
        }
        Role::Executor { scheduler, host, port, cores, work_dir } => {
            let temporary = tempfile::tempdir()?;
            let work_dir = work_dir.unwrap_or_else(|| temporary.path().to_owned());
            if !work_dir.is_dir() {
                return exec_err!("{} is no folder", work_dir.display());
            }
            let scheduler_host = scheduler.ip().to_string();
            let executor =
                Executor { scheduler_host, scheduler_port: scheduler.port(), host, port, cores, work_dir };
            executor
                .serve(&engine)
                .await
                .map_err(|error| DataFusionError::Context("executor".to_owned(), Box::new(error)))
        }
    }
}
