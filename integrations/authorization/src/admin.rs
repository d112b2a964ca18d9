//! The admin address: whether the service lives and is ready, its metrics, and what policy is in use.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hclvm_reload::Problems;
use serde_json::json;

use crate::decide::{Decider, places};

/// What the admin address shows of.
#[derive(Clone, Debug)]
pub(crate) struct Admin {
    pub(crate) decider: Arc<Decider>,
    /// False from the time at which the service is asked to stop.
    pub(crate) is_ready: Arc<AtomicBool>,
    /// True if the lines of a rejected policy are shown.
    pub(crate) shows_texts: bool,
}

impl Admin {
    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(readiness))
            .route("/metrics", get(metrics))
            .route("/status", get(status))
            .with_state(self)
    }
}

async fn readiness(State(admin): State<Admin>) -> Response {
    if admin.is_ready.load(Ordering::Acquire) {
        return "ready\n".into_response();
    }
    (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response()
}

async fn metrics(State(admin): State<Admin>) -> Response {
    let metrics = &admin.decider.metrics;
    metrics.not_logged.set(i64::try_from(admin.decider.not_logged()).unwrap_or(i64::MAX));
    let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, form)], metrics.text()).into_response()
}

async fn status(State(admin): State<Admin>) -> Response {
    let status = admin.decider.current().status();
    let problems = |problems: &Problems| match problems {
        _ if admin.shows_texts => problems.to_string(),
        Problems::Diagnostics(list) => list.iter().map(places).collect::<Vec<_>>().join("; "),
        Problems::Sentence(_) => {
            "The policy cannot be loaded; the standard error of the service has the reason.".to_owned()
        }
    };
    let rejected = status.rejected.map(|rejected| problems(&rejected.problems));
    let body = json!({ "epoch": status.epoch, "hash": status.hash.to_string(), "rejected": rejected });
    ([(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
