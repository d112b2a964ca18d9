//! The service while it runs: its addresses, the watched policy, and its end.
//!
//! ```text
//! start ─▶ policy loaded, addresses bound ─▶ serving, ready
//! stop  ─▶ NOT_SERVING, not ready ─▶ delay ─▶ no further connections ─▶ requests in flight are answered
//!       ─▶ the decision log is written ─▶ end
//! ```

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use axum::Router;
use envoy_types::ext_authz::v3::pb::AuthorizationServer;
use hclvm_decision_log::{DecisionLog, JsonLines, LogFile, Reopen, Summary};
use hclvm_reload::{Options, Outcome, Problems, Watch};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::admin::Admin;
use crate::authzen::AuthZen;
use crate::connections::{Listener, Times};
use crate::decide::Decider;
use crate::envoy::Checks;
use crate::http::Http;
use crate::metrics::Metrics;
use crate::policy::{Loaded, open};
use crate::settings::{LogSettings, Settings};
use crate::telling::say;

/// Connections of the admin address: those of probes and of a reader of metrics.
const ADMIN_CONNECTIONS: usize = 64;

/// The bytes of a message beside its body: headers, certificates, metadata.
const MESSAGE_BYTES: usize = 1 << 20;

/// The name of the service in health checks.
const SERVICE: &str = "envoy.service.auth.v3.Authorization";

/// A service that runs.
#[derive(Debug)]
pub struct Server {
    settings: Settings,
    decider: Arc<Decider>,
    watch: Watch<Loaded>,
    health: HealthReporter,
    is_ready: Arc<AtomicBool>,
    serving: Serving,
    admin: Serving,
    grpc_address: Option<SocketAddr>,
    http_address: Option<SocketAddr>,
    authzen_address: Option<SocketAddr>,
    admin_address: Option<SocketAddr>,
    reopen_log: Option<Reopen>,
}

/// How a service ended.
#[derive(Debug)]
pub struct Stopped {
    /// True if all requests in flight were answered.
    pub is_drained: bool,
    /// What the decision log has written, if there is one.
    pub log: Option<Summary>,
}

/// Servers that end together.
#[derive(Debug)]
struct Serving {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Serving {
    fn new() -> Self {
        Self { stop: watch::channel(false).0, tasks: JoinSet::new() }
    }

    fn add(&mut self, listener: Listener, routes: Router) {
        self.tasks.spawn(listener.serve(routes, self.stop.subscribe()));
    }

    /// Ends the servers when their requests are answered.
    async fn end(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

impl Server {
    /// Loads the policy, binds the addresses and serves them, on the runtime that it is called on.
    ///
    /// # Errors
    /// A policy that cannot be used, an address or a log file that cannot be opened.
    pub async fn start(settings: Settings) -> Result<Self, Problems> {
        let metrics = Arc::new(Metrics::new());
        let reload = open(&settings, &metrics)?;
        let (log, reopen_log) = settings.log.as_ref().map(open_log).transpose()?.unzip();
        let reopen_log = reopen_log.flatten();
        let decider = Decider::new(reload.current().clone(), log, Arc::clone(&metrics), &settings);
        let decider = Arc::new(decider);
        let (reporter, health) = tonic_health::server::health_reporter();
        reporter.set_service_status(SERVICE, ServingStatus::Serving).await;
        let is_ready = Arc::new(AtomicBool::new(true));

        let (mut serving, mut admin) = (Serving::new(), Serving::new());
        let times = Times { header: settings.header_time, idle: settings.idle_time };
        let bind = |address, connections| bind(address, connections, times, &metrics);
        let (grpc, grpc_address) = bind(settings.grpc, settings.connections).await?;
        let (http, http_address) = bind(settings.http, settings.connections).await?;
        let (authzen, authzen_address) = bind(settings.authzen, settings.connections).await?;
        let (own, admin_address) = bind(settings.admin, ADMIN_CONNECTIONS).await?;
        if let Some(listener) = grpc {
            let checks = Checks::new(Arc::clone(&decider), settings.body_bytes);
            let checks = AuthorizationServer::new(checks)
                .max_decoding_message_size(settings.body_bytes.saturating_add(MESSAGE_BYTES));
            serving.add(listener, Routes::new(checks).add_service(health).into_axum_router());
        }
        if let Some(listener) = http {
            let http = Http::new(Arc::clone(&decider), settings.body_bytes, &settings.http_prefix);
            serving.add(listener, http.router());
        }
        if let Some(listener) = authzen {
            serving.add(listener, AuthZen::new(Arc::clone(&decider), settings.body_bytes).router());
        }
        if let Some(listener) = own {
            let routes = Admin {
                decider: Arc::clone(&decider),
                is_ready: Arc::clone(&is_ready),
                shows_texts: settings.status_texts,
            };
            admin.add(listener, routes.router());
        }
        note_loaded(&metrics, 0);
        let watch = reload.watch(Options::default(), move |outcome| note(outcome, &metrics));
        let health = reporter;
        Ok(Self {
            settings,
            decider,
            watch,
            health,
            is_ready,
            serving,
            admin,
            grpc_address,
            http_address,
            authzen_address,
            admin_address,
            reopen_log,
        })
    }

    /// Opens the file of the decision log again under its name before the next line is written, after it was renamed.
    pub fn reopen_log(&self) {
        if let Some(log) = &self.reopen_log {
            log.request();
        }
    }

    /// Returns the address of gRPC, with the port that the system chose if it was 0.
    pub fn grpc_address(&self) -> Option<SocketAddr> {
        self.grpc_address
    }

    /// Returns the address of HTTP.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http_address
    }

    /// Returns the address of AuthZEN.
    pub fn authzen_address(&self) -> Option<SocketAddr> {
        self.authzen_address
    }

    /// Returns the admin address.
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin_address
    }

    /// Ends the service: it is no longer ready, accepts no connections, answers the requests in flight, and writes
    /// the decision log.
    pub async fn stop(self) -> Stopped {
        let Self { settings, decider, watch, mut health, is_ready, serving, admin, .. } = self;
        is_ready.store(false, Ordering::Release);
        for service in ["", SERVICE] {
            health.set_service_status(service, ServingStatus::NotServing).await;
        }
        tokio::time::sleep(settings.delay).await;
        // The streams of those who watch the health would last for ever.
        for service in ["", SERVICE] {
            health.clear_service_status(service).await;
        }
        let is_drained = timeout(settings.drain, serving.end()).await.is_ok();
        // Both wait for a thread, which ends soon.
        let log = tokio::task::spawn_blocking(move || {
            drop(watch);
            decider.close_log()
        });
        let log = log.await.ok().flatten();
        let _ = timeout(settings.drain, admin.end()).await;
        Stopped { is_drained, log }
    }
}

/// Binds an address, if there is one.
async fn bind(
    address: Option<SocketAddr>,
    connections: usize,
    times: Times,
    metrics: &Arc<Metrics>,
) -> Result<(Option<Listener>, Option<SocketAddr>), Problems> {
    let Some(address) = address else { return Ok((None, None)) };
    let failed = |error| format!("Cannot listen on {address}: {error}.");
    let listener = Listener::bind(address, connections, times, metrics).await.map_err(failed)?;
    let bound = listener.address().map_err(failed)?;
    Ok((Some(listener), Some(bound)))
}

/// Opens the decision log. Returns it with what opens its file again; nothing does that for the standard output.
fn open_log(settings: &LogSettings) -> Result<(DecisionLog, Option<Reopen>), Problems> {
    let LogSettings { path, masks, sample, rotate_bytes, rotate_kept } = settings;
    let (out, reopen): (Box<dyn Write + Send>, _) = if path == Path::new("-") {
        (Box::new(io::stdout()), None)
    } else {
        let failed = |error| format!("Cannot open the log {}: {error}.", path.display());
        let mut file = LogFile::open(path).map_err(failed)?;
        if let Some(bytes) = rotate_bytes {
            file = file.rotate(*bytes, *rotate_kept);
        }
        let reopen = file.reopener();
        (Box::new(file), Some(reopen))
    };
    let builder = masks.iter().fold(DecisionLog::builder().sample(*sample), |log, mask| log.mask(mask));
    let log = builder.start(JsonLines::new(out));
    let log = log.map_err(|error| format!("Cannot start the decision log: {error}."))?;
    Ok((log, reopen))
}

/// Reports and counts what an attempt to replace the policy did.
fn note(outcome: &Outcome, metrics: &Metrics) {
    match outcome {
        Outcome::Reloaded(report) => {
            say(&format!("the policy was replaced: {report}"));
            metrics.count_reload("loaded");
            note_loaded(metrics, report.epoch);
        }
        Outcome::Rejected(rejection) => {
            say(&format!("the policy is rejected, the last one remains in use:\n{}", rejection.problems));
            metrics.count_reload("rejected");
            metrics.is_rejected.set(1);
        }
        Outcome::Restored => {
            say("the files hold the policy in use again");
            metrics.count_reload("restored");
            metrics.is_rejected.set(0);
        }
        Outcome::Unchanged | Outcome::Unfinished(_) => {}
    }
}

fn note_loaded(metrics: &Metrics, epoch: u64) {
    metrics.is_rejected.set(0);
    metrics.epoch.set(i64::try_from(epoch).unwrap_or(i64::MAX));
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    metrics.loaded_at.set(since.as_secs_f64());
}
