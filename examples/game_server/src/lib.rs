//! A game server whose tuning is edited while it runs.
//!
//! ```text
//! GET /tuning/{name}/{rank}   the values for a player, with the epoch of the file they come from
//! GET /status                 the epoch, and what was rejected
//! GET /events                 each reload as a server-sent event
//! GET /                       a page that shows all of it
//! ```
//! A worker thread of the server keeps a reader, a session and a scope. A request is answered by the file that is in
//! use when it begins, even if that is replaced meanwhile.

mod events;
mod tuning;

use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path as Segments, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use hclvm::{Engine, Module};
use hclvm_reload::{Current, Files, Options, Problems, Reload, Watch};
use serde_json::Value as Json;
use tokio::net::TcpListener;
use tokio::sync::broadcast::{self, Sender};
use tuning::Tuning;

/// Events that a slow page may miss before it continues with the newest.
const EVENTS: usize = 64;

/// The server: the watched file and the listeners to its reloads.
#[derive(Clone, Debug)]
pub struct Game {
    watch: Arc<Watch<Module>>,
    events: Sender<Arc<str>>,
}

impl Game {
    /// Loads a file and watches it.
    ///
    /// # Errors
    /// Why it cannot be loaded.
    pub fn open(file: &Path, options: Options) -> Result<Self, Problems> {
        let sample = |scope: &mut hclvm::Scope, _: &hclvm_reload::Candidate<'_>| {
            scope.set_all_json(r#"{"player": {"name": "sample", "rank": 12}}"#)
        };
        let builder = Reload::builder(&Engine::new(), Files::new(file)).scope(sample);
        let reload = builder.open(|candidate| {
            // A file that does not fit is rejected, with the places of all mistakes.
            candidate.decode::<Tuning>()?;
            Ok(candidate.module()?)
        })?;
        let (events, _) = broadcast::channel(EVENTS);
        let (sender, current) = (events.clone(), reload.current().clone());
        let watch = reload.watch(options, move |outcome| {
            // Without a page there is no receiver.
            let _ = sender.send(events::text(outcome, &current.status()).into());
        });
        Ok(Self { watch: Arc::new(watch), events })
    }

    /// Returns the configuration in use.
    pub fn current(&self) -> &Current<Module> {
        self.watch.current()
    }

    /// Answers requests until the process ends.
    ///
    /// # Errors
    /// The listener fails.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        let routes = Router::new()
            .route("/", get(async || Html(include_str!("page.html"))))
            .route("/tuning/{name}/{rank}", get(tuning_of))
            .route("/status", get(status))
            .route("/events", get(events::stream))
            .with_state(self);
        axum::serve(listener, routes).await
    }
}

async fn tuning_of(State(game): State<Game>, Segments((name, rank)): Segments<(String, i64)>) -> Response {
    match tuning::answer(game.current(), &name, rank) {
        Ok(answer) => json(&answer),
        Err(error) => (axum::http::StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

async fn status(State(game): State<Game>) -> Response {
    json(&events::status(&game.current().status()))
}

fn json(value: &Json) -> Response {
    ([(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
