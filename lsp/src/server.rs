//! The server: a queue of messages, the methods, and what happens if one fails.
//!
//! No message ends the server. A panic is caught, logged and answered; what was known about texts is forgotten then,
//! except the texts. Requests that the client cancels, or that a newer one replaces, are answered without being computed
//! if they wait. Diagnostics are sent when no message waits, so that fast typing costs one check.

mod abilities;
mod execute;
mod notifications;
mod requests;

use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::TryRecvError;

use gen_lsp_types as lsp;
use serde::Serialize;
use serde_json::{Value as Json, json};

use self::abilities::ClientAbilities;
use crate::connection::{Connection, Options};
use crate::failure::{self, RequestFailure};
use crate::features::diagnostics;
use crate::transport::{self, Received};
use crate::workspace::Workspace;

/// Requests of which a newer one about the same text replaces those that wait.
const REPLACED: [&str; 6] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/documentHighlight",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/range",
];

/// The most messages that are taken from the connection before the first of them is answered.
const MOST_QUEUED: usize = 256;

/// A server with its client.
pub(crate) struct Server {
    connection: Connection,
    options: Options,
    workspace: Workspace,
    queue: VecDeque<Json>,
    /// The ids of requests that the client cancelled, as text.
    cancelled: HashSet<String>,
    state: ConnectionState,
    client: ClientAbilities,
    /// The tokens that were sent last for a text, with their number.
    sent_tokens: HashMap<String, (u64, Vec<lsp::SemanticToken>)>,
    sent: u64,
}

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionState {
    Created,
    Initialized,
    ShutDown,
    Ended,
}

impl Server {
    pub(crate) fn new(connection: Connection, options: Options) -> Self {
        Self {
            connection,
            workspace: Workspace::new(options.project.clone()),
            options,
            queue: VecDeque::new(),
            cancelled: HashSet::new(),
            state: ConnectionState::Created,
            client: ClientAbilities::default(),
            sent_tokens: HashMap::new(),
            sent: 0,
        }
    }

    /// Answers messages until the connection ends. Returns true if it was shut down before.
    pub(crate) fn run(mut self) -> bool {
        let mut was_shut_down = false;
        while let Some(message) = self.next() {
            was_shut_down |= self.state == ConnectionState::ShutDown;
            self.guarded(message);
            if self.state == ConnectionState::Ended {
                break;
            }
        }
        self.connection.finish();
        was_shut_down
    }

    /// Returns the next message. Sends diagnostics before it waits for one.
    fn next(&mut self) -> Option<Json> {
        while self.queue.len() < MOST_QUEUED {
            match self.connection.receiver.try_recv() {
                Ok(received) => self.enqueue(received),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        if self.queue.is_empty() {
            self.publish();
            // Those that were answered before are never asked for again.
            self.cancelled.clear();
        }
        while self.queue.is_empty() {
            let received = self.connection.receiver.recv().ok()?;
            self.enqueue(received);
        }
        self.queue.pop_front()
    }

    fn enqueue(&mut self, received: Received) {
        match received {
            Received::Malformed(why) => self.connection.send(transport::malformed(&why)),
            Received::Message(message) => {
                if message.get("method").and_then(Json::as_str) == Some("$/cancelRequest") {
                    let id = message.pointer("/params/id").map(Json::to_string);
                    self.cancelled.extend(id);
                } else {
                    self.queue.push_back(message);
                }
            }
        }
    }

    /// Handles a message. A panic is an answer like others.
    fn guarded(&mut self, message: Json) {
        let id = message.get("id").cloned();
        let method = message.get("method").and_then(Json::as_str).unwrap_or_default().to_owned();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.handle(&message)));
        if let Err(panic) = outcome {
            let why = panic.downcast_ref::<String>().map(String::as_str);
            let why = why.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is known");
            let why = format!("{method} failed: {why}");
            self.workspace.forget();
            self.notify("window/logMessage", &json!({"type": 1, "message": why}));
            if let Some(id) = id {
                self.respond(&id, Err(RequestFailure::new(failure::INTERNAL_ERROR, why)));
            }
        }
    }

    fn handle(&mut self, message: &Json) {
        let Some(method) = message.get("method").and_then(Json::as_str) else {
            // An answer of the client, or something that is no message.
            let is_answer = message.get("result").is_some() || message.get("error").is_some();
            if !is_answer {
                self.connection.send(transport::malformed("it has no method"));
            }
            return;
        };
        let nothing = Json::Null;
        let parameters = message.get("params").unwrap_or(&nothing);
        let Some(id) = message.get("id") else {
            if let Err(why) = self.notification(method, parameters) {
                self.notify(
                    "window/logMessage",
                    &json!({"type": 2, "message": format!("{method}: {}", why.message)}),
                );
            }
            return;
        };
        if !(id.is_string() || id.is_number()) {
            self.connection.send(transport::malformed("its id is neither a number nor a string"));
            return;
        }
        let result = if self.cancelled.remove(&id.to_string()) || self.is_replaced(method, parameters) {
            Err(RequestFailure::new(failure::REQUEST_CANCELLED, "The request was cancelled."))
        } else {
            self.request(method, parameters)
        };
        self.respond(id, result);
    }

    /// Returns true if a request that waits asks the same about the same text.
    fn is_replaced(&self, method: &str, parameters: &Json) -> bool {
        let text =
            |parameters: Option<&Json>| parameters.and_then(|one| one.pointer("/textDocument/uri")).cloned();
        REPLACED.contains(&method)
            && self.queue.iter().take(64).any(|waiting| {
                waiting.get("method").and_then(Json::as_str) == Some(method)
                    && waiting.get("id").is_some()
                    && text(waiting.get("params")) == text(Some(parameters))
            })
    }

    fn respond(&self, id: &Json, result: Result<String, RequestFailure>) {
        self.connection.send(match result {
            Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            Err(RequestFailure { code, message }) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
            }
        });
    }

    fn notify(&self, method: &str, parameters: &impl Serialize) {
        if let Ok(parameters) = serde_json::to_string(parameters) {
            self.connection.send(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{parameters}}}"#));
        }
    }

    /// Sends the diagnostics of texts that changed, unless the client asks for them.
    fn publish(&mut self) {
        if self.client.pulls_diagnostics {
            return;
        }
        let dirty: Vec<String> = self
            .workspace
            .open
            .iter()
            .filter(|(_, file)| file.is_dirty)
            .map(|(uri, _)| uri.clone())
            .collect();
        for uri in dirty {
            let Some(file) = self.workspace.open.get_mut(&uri) else { continue };
            file.is_dirty = false;
            let version = file.version;
            let found = catch_unwind(AssertUnwindSafe(|| {
                let analysis = self.workspace.analysis(&uri).ok()?;
                Some(diagnostics::diagnostics(&self.workspace, &analysis))
            }));
            match found {
                Ok(Some(diagnostics)) => {
                    let uri = lsp::Uri(uri);
                    let parameters =
                        lsp::PublishDiagnosticsParams { uri, version: Some(version), diagnostics };
                    self.notify("textDocument/publishDiagnostics", &parameters);
                }
                Ok(None) => {}
                Err(_) => self.notify(
                    "window/logMessage",
                    &json!({"type": 1, "message": format!("the check of {uri} failed")}),
                ),
            }
        }
    }
}
