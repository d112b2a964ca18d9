//! Connections, of which each listener has a limited number open at once. Further ones wait in the queue of the system.
//!
//! ```text
//! accepted ── header ──▶ first request ── idle ──▶ next request ── idle ──▶ …
//!                 └──▶ closed                └──▶ asked to end ── CLOSING ──▶ closed
//! ```
//! A connection on which no request begins in time is closed, whatever else it sends: half a header, the preface of
//! HTTP/2, or answers to its pings. So it cannot keep its place among the others for ever. An answer that is sent as a
//! stream, as that of a watched health, does not count as a request.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::metrics::Metrics;

/// The time without another attempt after a connection cannot be accepted, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest time from the end of an idle connection's time until it is closed, for requests in flight.
const CLOSING: Duration = Duration::from_secs(1);

/// How often a peer of HTTP/2 is pinged, and how long it may take to answer: a machine that is gone frees its place
/// before the connection is idle for long.
const PING: Duration = Duration::from_secs(20);
const PONG: Duration = Duration::from_secs(10);

/// How long connections may wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// From the beginning to the end of the first request's headers.
    pub(crate) header: Duration,
    /// From a request or its response to the next one.
    pub(crate) idle: Duration,
}

/// An address with a limit of its own.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: TcpListener,
    permits: Arc<Semaphore>,
    times: Times,
    metrics: Arc<Metrics>,
}

/// An open connection, which is counted until it is dropped.
#[derive(Debug)]
struct Open {
    _permit: OwnedSemaphorePermit,
    metrics: Arc<Metrics>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.metrics.connections.dec();
    }
}

impl Listener {
    /// Binds an address.
    pub(crate) async fn bind(
        address: SocketAddr,
        connections: usize,
        times: Times,
        metrics: &Arc<Metrics>,
    ) -> io::Result<Self> {
        let socket = TcpListener::bind(address).await?;
        let permits = Arc::new(Semaphore::new(connections));
        Ok(Self { socket, permits, times, metrics: Arc::clone(metrics) })
    }

    /// Returns its address, with the port that the system chose if it was 0.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Serves connections until `stops`, and then the requests in flight. Connections are closed if this is dropped.
    pub(crate) async fn serve(self, routes: Router, mut stops: watch::Receiver<bool>) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                (stream, open) = self.accept() => {
                    let served = serve(stream, routes.clone(), self.times, stops.clone());
                    connections.spawn(async move {
                        served.await;
                        drop(open);
                    });
                }
                Some(_) = connections.join_next() => {}
                () = stopped(&mut stops) => break,
            }
        }
        drop(self);
        while connections.join_next().await.is_some() {}
    }

    async fn accept(&self) -> (TcpStream, Open) {
        // The semaphore is never closed.
        let Ok(permit) = Arc::clone(&self.permits).acquire_owned().await else {
            return std::future::pending().await;
        };
        loop {
            if let Ok((stream, _)) = self.socket.accept().await {
                // Answers are small: waiting for further bytes would only delay them.
                let _ = stream.set_nodelay(true);
                self.metrics.connections.inc();
                return (stream, Open { _permit: permit, metrics: Arc::clone(&self.metrics) });
            }
            sleep(PAUSE).await;
        }
    }
}

/// Waits for the end of the service. An error means that the sender is gone, which ends it as well.
async fn stopped(stops: &mut watch::Receiver<bool>) {
    let _ = stops.wait_for(|stops| *stops).await;
}

/// When requests began and ended on a connection.
#[derive(Debug)]
struct Activity {
    begin: Instant,
    /// Milliseconds from the beginning to the last request or response, and one; 0 before the first request.
    last: AtomicU64,
}

impl Activity {
    fn note(&self) {
        let milliseconds = u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(milliseconds.saturating_add(1), Ordering::Relaxed);
    }

    fn has_begun(&self) -> bool {
        self.last.load(Ordering::Relaxed) > 0
    }

    /// Returns when the connection has waited for too long if nothing else happens.
    fn deadline(&self, times: Times) -> Instant {
        match self.last.load(Ordering::Relaxed) {
            0 => self.begin + times.header,
            last => self.begin + Duration::from_millis(last) + times.idle,
        }
    }
}

/// Serves a connection until it ends, has waited for too long, or the service stops.
async fn serve(stream: TcpStream, routes: Router, times: Times, mut stops: watch::Receiver<bool>) {
    let activity = Arc::new(Activity { begin: Instant::now(), last: AtomicU64::new(0) });
    let routes = TowerToHyperService::new(routes);
    let service = {
        let activity = Arc::clone(&activity);
        service_fn(move |request| {
            activity.note();
            let (answer, activity) = (routes.call(request), Arc::clone(&activity));
            async move {
                let answer: Result<_, Infallible> = answer.await;
                activity.note();
                answer
            }
        })
    };
    let mut builder = Builder::new(TokioExecutor::new());
    // Of HTTP/1, the time for a header would also be that of a connection between two requests.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(times.idle.max(times.header));
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(PING).keep_alive_timeout(PONG);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let (mut is_stopping, mut end) = (false, None);
    // The first request changes the deadline, perhaps to an earlier one.
    let mut timer = pin!(sleep_until(activity.begin + times.header.min(times.idle)));
    loop {
        tokio::select! {
            _ = connection.as_mut() => return,
            () = stopped(&mut stops), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
                // Only requests that have begun are waited for.
                if !activity.has_begun() {
                    end = Some(Instant::now() + CLOSING);
                    timer.as_mut().reset(Instant::now() + CLOSING);
                }
            }
            () = timer.as_mut() => {
                let deadline = end.unwrap_or_else(|| activity.deadline(times));
                if deadline > Instant::now() {
                    timer.as_mut().reset(deadline);
                } else if end.is_some() || !activity.has_begun() {
                    return;
                } else {
                    connection.as_mut().graceful_shutdown();
                    end = Some(Instant::now() + CLOSING);
                    timer.as_mut().reset(Instant::now() + CLOSING);
                }
            }
        }
    }
}
