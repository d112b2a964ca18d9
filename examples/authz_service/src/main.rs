//! `cargo run --release -p hclvm-authz-service -- [FILE] [ADDRESS] [LOG]`: decides requests by the policy in a file,
//! which can be edited meanwhile.
//!
//! ```text
//! POST /decide    {"user": {"id": "ann"}, "action": "PUT", "resource": {…}}
//!                 {"effect": "allow", "rule": "owner", "reason": "owner of d-1", "obligations": [{"audit": true}]}
//! GET /status     the epoch and hash of the policy, what was rejected, and what the log has done
//! ```
//! A policy with errors is rejected, and the last good one decides. Decisions are logged as lines of JSON, to a file
//! or to the standard output. The file is renamed when it is large, and opened again on SIGHUP.

mod decide;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use decide::Service;
use hclvm_decision_log::{DecisionLog, JsonLines, LogFile, Reopen};
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;

/// The bytes after which the log is renamed.
const LARGEST: u64 = 100 << 20;

/// The renamed logs that are kept.
const KEPT: u32 = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/policy.hcl");
    let file = arguments.next().unwrap_or_else(|| here.to_owned());
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let mut reopen = None;
    let out: Box<dyn Write + Send> = match arguments.next() {
        Some(path) => {
            let file = LogFile::open(path)?.rotate(LARGEST, KEPT);
            reopen = Some(file.reopener());
            Box::new(file)
        }
        None => Box::new(io::stdout()),
    };
    let log = DecisionLog::builder().mask("user.token").start(JsonLines::new(out))?;
    let service = Arc::new(Service::open(Path::new(&file), log)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        if let Some(reopen) = reopen {
            reopen_on_signals(reopen)?;
        }
        writeln!(io::stderr(), "{file} on http://{}", listener.local_addr()?)?;
        let routes = Router::new().route("/decide", post(answer)).route("/status", get(status));
        axum::serve(listener, routes.with_state(service)).await
    })?;
    Ok(())
}

/// Opens the log again when logrotate has renamed it and sends SIGHUP.
#[cfg(unix)]
fn reopen_on_signals(reopen: Reopen) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut signals = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while signals.recv().await.is_some() {
            reopen.request();
        }
    });
    Ok(())
}

/// Elsewhere the log is rotated by its size alone.
#[cfg(not(unix))]
fn reopen_on_signals(_: Reopen) -> io::Result<()> {
    Ok(())
}

async fn answer(State(service): State<Arc<Service>>, request: String) -> Response {
    match service.decide(&request) {
        Ok(decision) => response(StatusCode::OK, &decision),
        Err(error) => response(StatusCode::BAD_REQUEST, &json!({ "error": error.to_string() })),
    }
}

async fn status(State(service): State<Arc<Service>>) -> Response {
    response(StatusCode::OK, &service.status())
}

fn response(code: StatusCode, body: &Json) -> Response {
    (code, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
