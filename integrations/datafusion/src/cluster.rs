//! Queries on several machines with Ballista: a scheduler, executors and a client that know the functions.
//!
//! ```text
//! client       files ─▶ Functions ─▶ plan with calls ──codec──▶ bytes: name of the function and its files
//! scheduler    bytes ──codec──▶ plan, stages, tasks ──codec──▶ bytes
//! executor     bytes ──codec──▶ task: columns ─▶ results
//! ```
//! A plan carries the registered files, so schedulers and executors register none. What they do not get is
//! the engine: all of them are built with the same dialect and limits.

mod codec;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ballista::extension::SessionContextExt;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::extension::SessionConfigExt;
use ballista_core::utils::{default_config_producer, default_session_builder};
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::arrow::array::RecordBatch;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use hclvm::Engine;
use tokio::net::TcpListener;

use crate::Functions;
pub use codec::FunctionCodec;

/// How often a scheduler looks for executors that are gone, and how often executors report.
const INTERVAL: Duration = Duration::from_secs(1);

/// Returns a session whose queries run on a cluster, such as `df://localhost:50050`, with the functions registered.
///
/// # Errors
/// A URL without a host.
pub async fn connect(url: &str, functions: &Functions) -> Result<SessionContext> {
    connect_with(url, functions, SessionConfig::new_with_ballista()).await
}

/// Like [`connect`], with settings of the session.
///
/// # Errors
/// As [`connect`].
pub async fn connect_with(url: &str, functions: &Functions, config: SessionConfig) -> Result<SessionContext> {
    let codec = Arc::new(FunctionCodec::new(functions.library().engine()));
    let config = config
        .with_ballista_logical_extension_codec(Arc::clone(&codec) as _)
        .with_ballista_physical_extension_codec(codec);
    let state = SessionStateBuilder::new().with_default_features().with_config(config).build();
    let session = SessionContext::remote_with_state(url, state).await?;
    functions.register(&session)?;
    Ok(session)
}

/// Runs a scheduler until the process ends.
///
/// `executor_timeout` is the time after which the tasks of an executor that does not report are given to others; at
/// least two seconds.
///
/// # Errors
/// Those of the listener.
pub async fn serve_scheduler(
    engine: &Engine,
    listener: TcpListener,
    executor_timeout: Duration,
) -> Result<()> {
    let address = listener.local_addr()?;
    let codec = Arc::new(FunctionCodec::new(engine));
    let config = SchedulerConfig {
        bind_host: address.ip().to_string(),
        external_host: address.ip().to_string(),
        bind_port: address.port(),
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: executor_timeout.as_secs().max(2),
        expire_dead_executor_interval_seconds: INTERVAL.as_secs(),
        override_logical_codec: Some(Arc::clone(&codec) as _),
        override_physical_codec: Some(codec),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_memory(
        config.scheduler_endpoint(),
        Arc::new(default_session_builder),
        Arc::new(default_config_producer),
    );
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(config)).await;
    start_grpc_service_with_listener(listener, scheduler.map_err(remote)?).await.map_err(remote)
}

/// An executor of a cluster.
#[derive(Clone, Debug)]
pub struct Executor {
    /// The host of the scheduler.
    pub scheduler_host: String,
    /// The port of the scheduler.
    pub scheduler_port: u16,
    /// The address at which other executors and clients reach it.
    pub host: String,
    /// The port at which they fetch results.
    pub port: u16,
    /// The number of tasks that it runs at once.
    pub cores: usize,
    /// The folder for results that other tasks and the client fetch. It is kept.
    pub work_dir: PathBuf,
}

impl Executor {
    /// Runs the executor until the process is asked to end.
    ///
    /// # Errors
    /// A scheduler that cannot be reached within half a minute, and a port that is in use.
    pub async fn serve(&self, engine: &Engine) -> Result<()> {
        let codec = Arc::new(FunctionCodec::new(engine));
        let config = ExecutorProcessConfig {
            bind_host: self.host.clone(),
            external_host: Some(self.host.clone()),
            port: self.port,
            scheduler_host: self.scheduler_host.clone(),
            scheduler_port: self.scheduler_port,
            scheduler_connect_timeout_seconds: 30,
            vcores: self.cores.max(1),
            task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
            work_dir: Some(self.work_dir.to_string_lossy().into_owned()),
            executor_heartbeat_interval_seconds: INTERVAL.as_secs(),
            override_logical_codec: Some(Arc::clone(&codec) as _),
            override_physical_codec: Some(codec),
            ..ExecutorProcessConfig::default()
        };
        start_executor_process(Arc::new(config)).await.map_err(remote)
    }
}

/// Returns the rows of a query. Submits the query again if it fails, at most `attempts` times in all: a query whose
/// results are on an executor that ends before the client has fetched them fails.
///
/// # Errors
/// The error of the last attempt. An error in the plan is returned at once.
pub async fn collect(query: &DataFrame, attempts: usize) -> Result<Vec<RecordBatch>> {
    let mut attempt = 1;
    loop {
        match query.clone().collect().await {
            Ok(batches) => return Ok(batches),
            Err(error) if attempt >= attempts || matches!(error.find_root(), DataFusionError::Plan(_)) => {
                return Err(error);
            }
            Err(_) => attempt += 1,
        }
    }
}

fn remote(error: ballista_core::error::BallistaError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
