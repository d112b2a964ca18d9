//! The server: a queue of messages, the methods, and what happens if one fails.
//!
//! No message ends the server. A panic is caught, logged and answered; what was known about texts is forgotten then,
//! except the texts. Requests that the client cancels, or that a newer one replaces, are answered without being computed
//! if they wait. Diagnostics are sent when no message waits, so that fast typing costs one check.

use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::mpsc::TryRecvError;

use gen_lsp_types as lsp;
use hclvm::diagnostics::{Code, Span};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::analysis::Analysis;
use crate::commands::{EVALUATE, EXPLAIN, RUN_TEST, USE_SCOPE, WHY};
use crate::connection::{Connection, Options};
use crate::failure::{self, Failure};
use crate::features::{
    actions, completion, diagnostics, format, hints, hover, lenses, navigate, rename, signature, structure,
    symbols, tokens,
};
use crate::lines::Encoding;
use crate::params;
use crate::transport::{self, Received};
use crate::uri;
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

/// The most bytes of the output of a test run that are shown.
const LONGEST_OUTPUT: usize = 64 << 10;

/// A server with its client.
pub(crate) struct Server {
    connection: Connection,
    options: Options,
    workspace: Workspace,
    queue: VecDeque<Json>,
    /// The ids of requests that the client cancelled, as text.
    cancelled: HashSet<String>,
    state: State,
    client: ClientAbilities,
    /// The tokens that were sent last for a text, with their number.
    sent_tokens: HashMap<String, (u64, Vec<lsp::SemanticToken>)>,
    sent: u64,
}

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Created,
    Initialized,
    ShutDown,
    Ended,
}

/// Abilities of the client.
#[derive(Debug, Default)]
struct ClientAbilities {
    pulls_diagnostics: bool,
    watches_files: bool,
    /// False if the client shows the results of commands.
    shows_messages: bool,
}

impl Server {
    pub(crate) fn new(connection: Connection, options: Options) -> Self {
        Self {
            connection,
            options,
            workspace: Workspace::default(),
            queue: VecDeque::new(),
            cancelled: HashSet::new(),
            state: State::Created,
            client: ClientAbilities::default(),
            sent_tokens: HashMap::new(),
            sent: 0,
        }
    }

    /// Answers messages until the connection ends. Returns true if it was shut down before.
    pub(crate) fn run(mut self) -> bool {
        let mut was_shut_down = false;
        while let Some(message) = self.next() {
            was_shut_down |= self.state == State::ShutDown;
            self.guarded(message);
            if self.state == State::Ended {
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
                self.respond(&id, Err(Failure::new(failure::INTERNAL_ERROR, why)));
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
            self.connection.send(transport::malformed("its id is no number and no string"));
            return;
        }
        let result = if self.cancelled.remove(&id.to_string()) || self.is_replaced(method, parameters) {
            Err(Failure::new(failure::REQUEST_CANCELLED, "The request was cancelled."))
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

    fn respond(&self, id: &Json, result: Result<String, Failure>) {
        self.connection.send(match result {
            Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            Err(Failure { code, message }) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
            }
        });
    }

    fn notify(&self, method: &str, parameters: &impl Serialize) {
        if let Ok(parameters) = serde_json::to_string(parameters) {
            self.connection.send(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{parameters}}}"#));
        }
    }

    fn notification(&mut self, method: &str, parameters: &Json) -> Result<(), Failure> {
        match (method, self.state) {
            ("exit", _) => self.state = State::Ended,
            (_, State::Created | State::ShutDown | State::Ended) => {}
            ("initialized", _) => self.watch_files(),
            ("textDocument/didOpen", _) => {
                let lsp::DidOpenTextDocumentParams { text_document: text } = params::read(parameters)?;
                self.workspace.open(&text.uri.0, text.version, text.text);
            }
            ("textDocument/didChange", _) => {
                let lsp::DidChangeTextDocumentParams { text_document: text, content_changes: changes } =
                    params::read(parameters)?;
                self.workspace.change(&text.text_document_identifier.uri.0, text.version, changes)?;
            }
            ("textDocument/didClose", _) => {
                let closed: lsp::DidCloseTextDocumentParams = params::read(parameters)?;
                let uri = closed.text_document.uri;
                self.workspace.close(&uri.0);
                self.sent_tokens.remove(&uri.0);
                if !self.client.pulls_diagnostics {
                    let nothing =
                        lsp::PublishDiagnosticsParams { uri, version: None, diagnostics: Vec::new() };
                    self.notify("textDocument/publishDiagnostics", &nothing);
                }
            }
            ("workspace/didChangeWatchedFiles" | "textDocument/didSave", _) => self.workspace.forget(),
            ("workspace/didChangeWorkspaceFolders", _) => {
                let changed: lsp::DidChangeWorkspaceFoldersParams = params::read(parameters)?;
                let removed = changed.event.removed.iter().map(|folder| uri::to_path(&folder.uri.0));
                let removed: Vec<_> = removed.collect();
                self.workspace.folders.retain(|folder| !removed.contains(folder));
                let added = changed.event.added.iter().map(|folder| uri::to_path(&folder.uri.0));
                self.workspace.folders.extend(added);
            }
            ("workspace/didChangeConfiguration", _) => {
                let scope = parameters.pointer("/settings/hclvm/scope").and_then(Json::as_str);
                self.workspace.sample = scope.map(str::to_owned).filter(|name| !name.is_empty());
                self.workspace.forget();
            }
            // Notifications that are not known are left out, as the protocol says.
            _ => {}
        }
        Ok(())
    }

    /// Asks the client to report changes of files.
    fn watch_files(&mut self) {
        if self.client.watches_files {
            let watchers: Vec<Json> = ["**/*.hcl", "**/*.json", "**/*.nomad"]
                .map(|pattern| json!({"globPattern": pattern}))
                .to_vec();
            let registration = json!({"registrations": [{
                "id": "files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": {"watchers": watchers},
            }]});
            let request = json!({"jsonrpc": "2.0", "id": "files", "method": "client/registerCapability", "params": registration});
            self.connection.send(request.to_string());
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

    /// Answers a request with JSON.
    fn request(&mut self, method: &str, parameters: &Json) -> Result<String, Failure> {
        match (method, self.state) {
            ("initialize", State::Created) => return self.initialize(parameters),
            ("initialize", _) => {
                return Err(Failure::new(failure::INVALID_REQUEST, "The server is initialized already."));
            }
            (_, State::Created) => {
                return Err(Failure::new(failure::NOT_INITIALIZED, "The first request is `initialize`."));
            }
            ("shutdown", State::Initialized) => {
                self.state = State::ShutDown;
                return Ok("null".to_owned());
            }
            (_, State::ShutDown | State::Ended) => {
                return Err(Failure::new(failure::INVALID_REQUEST, "The server is shut down."));
            }
            _ => {}
        }
        match method {
            "textDocument/hover" => self.at(parameters, |_, text, at| Ok(hover::hover(text, at))),
            "textDocument/completion" => self.at(parameters, |server, text, at| {
                Ok(completion::completion(&mut server.workspace, text, at))
            }),
            "completionItem/resolve" => json_of(&completion::resolve(params::read(parameters)?)),
            "textDocument/signatureHelp" => {
                self.at(parameters, |_, text, at| Ok(signature::signature(text, at)))
            }
            "textDocument/definition" | "textDocument/declaration" => self
                .at(parameters, |server, text, at| Ok(navigate::definition(&mut server.workspace, text, at))),
            "textDocument/references" => {
                let with = parameters
                    .pointer("/context/includeDeclaration")
                    .and_then(Json::as_bool)
                    .unwrap_or(false);
                self.at(parameters, |server, text, at| {
                    Ok(navigate::references(&mut server.workspace, text, at, with))
                })
            }
            "textDocument/documentHighlight" => {
                self.at(parameters, |_, text, at| Ok(navigate::highlights(text, at)))
            }
            "textDocument/prepareRename" => {
                self.at(parameters, |server, text, at| rename::prepare(&mut server.workspace, text, at))
            }
            "textDocument/rename" => {
                let name = parameters.get("newName").and_then(Json::as_str).unwrap_or_default().to_owned();
                self.at(parameters, |server, text, at| rename::rename(&mut server.workspace, text, at, &name))
            }
            "textDocument/documentSymbol" => self.text(parameters, |_, text| Ok(symbols::document(text))),
            "workspace/symbol" => {
                let wanted: lsp::WorkspaceSymbolParams = params::read(parameters)?;
                json_of(&symbols::workspace(&mut self.workspace, &wanted.query))
            }
            "textDocument/semanticTokens/full" => self.all_tokens(parameters, None),
            "textDocument/semanticTokens/full/delta" => {
                let before = parameters.get("previousResultId").and_then(Json::as_str);
                self.all_tokens(parameters, Some(before.unwrap_or_default()))
            }
            "textDocument/semanticTokens/range" => self.within(parameters, |_, text, within| {
                Ok(lsp::SemanticTokens { result_id: None, data: tokens::tokens(text, Some(within)) })
            }),
            "textDocument/foldingRange" => self.text(parameters, |_, text| Ok(structure::folding(text))),
            "textDocument/selectionRange" => {
                let wanted: lsp::SelectionRangeParams = params::read(parameters)?;
                let positions: Vec<lsp::Position> = wanted.positions.into_iter().take(1000).collect();
                self.text(parameters, |_, text| {
                    Ok(positions.iter().map(|at| structure::selection(text, *at)).collect::<Vec<_>>())
                })
            }
            "textDocument/documentLink" => self.text(parameters, |_, text| Ok(structure::links(text))),
            "textDocument/formatting" => self.text(parameters, |_, text| Ok(format::whole(text))),
            "textDocument/rangeFormatting" => {
                let wanted: Ranged = params::read(parameters)?;
                self.text(parameters, |_, text| Ok(format::lines(text, wanted.range)))
            }
            "textDocument/onTypeFormatting" => {
                let character = parameters.get("ch").and_then(Json::as_str).unwrap_or_default().to_owned();
                let at: lsp::TextDocumentPositionParams = params::read(parameters)?;
                self.text(parameters, |_, text| Ok(format::typed(text, at.position.line, &character)))
            }
            "textDocument/inlayHint" => {
                self.within(parameters, |_, text, within| Ok(hints::hints(text, within)))
            }
            "textDocument/codeLens" => {
                self.text(parameters, |server, text| Ok(lenses::lenses(&server.workspace, text)))
            }
            "textDocument/codeAction" => {
                let wanted: Ranged = params::read(parameters)?;
                self.text(parameters, |server, text| {
                    Ok(actions::actions(&server.workspace, text, wanted.range))
                })
            }
            "textDocument/diagnostic" => self.text(parameters, |server, text| {
                let items = diagnostics::diagnostics(&server.workspace, text);
                Ok(json!({"kind": "full", "items": items}))
            }),
            "workspace/diagnostic" => Ok(self.all_diagnostics()),
            "workspace/executeCommand" => self.command(&params::read(parameters)?),
            _ => Err(Failure::new(failure::METHOD_NOT_FOUND, format!("There is no method `{method}`."))),
        }
    }

    /// Answers a request about a text.
    fn text<R: Serialize>(
        &mut self,
        parameters: &Json,
        answer: impl FnOnce(&mut Self, &Rc<Analysis>) -> Result<R, Failure>,
    ) -> Result<String, Failure> {
        let uri = parameters.pointer("/textDocument/uri").and_then(Json::as_str);
        let uri =
            uri.ok_or_else(|| Failure::new(failure::INVALID_PARAMS, "`textDocument.uri` is missing."))?;
        let analysis = self.workspace.analysis(uri)?;
        json_of(&answer(self, &analysis)?)
    }

    /// Answers a request about a position of a text.
    fn at<R: Serialize>(
        &mut self,
        parameters: &Json,
        answer: impl FnOnce(&mut Self, &Rc<Analysis>, u32) -> Result<R, Failure>,
    ) -> Result<String, Failure> {
        let wanted: lsp::TextDocumentPositionParams = params::read(parameters)?;
        self.text(parameters, |server, analysis| {
            let offset = analysis.lines.offset(analysis.text(), wanted.position);
            answer(server, analysis, offset)
        })
    }

    /// Answers a request about a range of a text.
    fn within<R: Serialize>(
        &mut self,
        parameters: &Json,
        answer: impl FnOnce(&mut Self, &Rc<Analysis>, Span) -> Result<R, Failure>,
    ) -> Result<String, Failure> {
        let wanted: Ranged = params::read(parameters)?;
        self.text(parameters, |server, analysis| {
            let span = analysis.lines.span(analysis.text(), wanted.range);
            answer(server, analysis, span)
        })
    }

    /// Answers with the tokens of a text, or with what changed since those with a number.
    fn all_tokens(&mut self, parameters: &Json, before: Option<&str>) -> Result<String, Failure> {
        let uri =
            parameters.pointer("/textDocument/uri").and_then(Json::as_str).unwrap_or_default().to_owned();
        self.text(parameters, |server, analysis| {
            let found = tokens::tokens(analysis, None);
            server.sent += 1;
            let id = server.sent.to_string();
            let known = server
                .sent_tokens
                .remove(&uri)
                .filter(|(number, _)| Some(number.to_string().as_str()) == before);
            let result = match known {
                Some((_, known)) => {
                    let edits = tokens::delta(&known, &found);
                    Tokens::Delta(lsp::SemanticTokensDelta { result_id: Some(id), edits })
                }
                None => Tokens::Full(lsp::SemanticTokens { result_id: Some(id), data: found.clone() }),
            };
            server.sent_tokens.insert(uri, (server.sent, found));
            Ok(result)
        })
    }

    /// Returns the diagnostics of all files of the folders.
    fn all_diagnostics(&mut self) -> String {
        let mut items = Vec::new();
        for path in self.workspace.paths() {
            // A file that cannot be read has no diagnostics, and one that fails does not hide those of others.
            let found = catch_unwind(AssertUnwindSafe(|| {
                let analysis = self.workspace.file(&path)?;
                let diagnostics = diagnostics::diagnostics(&self.workspace, &analysis);
                Some(
                    json!({"kind": "full", "uri": self.workspace.uri(&path), "version": null, "items": diagnostics}),
                )
            }));
            items.extend(found.ok().flatten());
        }
        json!({"items": items}).to_string()
    }

    fn command(&mut self, wanted: &lsp::ExecuteCommandParams) -> Result<String, Failure> {
        let arguments = wanted.arguments.clone().unwrap_or_default();
        let text = |at: usize| arguments.get(at).and_then(Json::as_str);
        let number =
            |at: usize| arguments.get(at).and_then(Json::as_u64).and_then(|one| u32::try_from(one).ok());
        let missing = || Failure::new(failure::INVALID_PARAMS, "The command needs other arguments.");
        let result = match wanted.command.as_str() {
            EXPLAIN => {
                let name = text(0).ok_or_else(missing)?;
                let code = Code::find(name)
                    .ok_or_else(|| Failure::refused(format!("There is no code `{name}`.")))?;
                actions::explanation(code)
            }
            EVALUATE | WHY => {
                let analysis = self.workspace.analysis(text(0).ok_or_else(missing)?)?;
                let at = number(2).or(number(1)).ok_or_else(missing)?;
                let is_why = wanted.command == WHY;
                let found = if is_why { lenses::why(&analysis, at) } else { lenses::evaluate(&analysis, at) };
                found.ok_or_else(|| {
                    Failure::refused("There is no value: the file or the expression has errors.")
                })?
            }
            RUN_TEST => self.run_test(text(0).ok_or_else(missing)?)?,
            USE_SCOPE => {
                self.workspace.sample = text(0).map(str::to_owned);
                self.workspace.forget();
                return Ok("null".to_owned());
            }
            other => {
                return Err(Failure::new(failure::INVALID_PARAMS, format!("There is no command `{other}`.")));
            }
        };
        if self.client.shows_messages {
            self.notify("window/showMessage", &json!({"type": 3, "message": result}));
        }
        json_of(&result)
    }

    /// Runs the cases of a test file by the command, as it is saved.
    fn run_test(&self, uri: &str) -> Result<String, Failure> {
        let command = self.options.command.as_ref();
        let command = command.ok_or_else(|| Failure::refused("This server runs no tests."))?;
        let path = uri::to_path(uri);
        let run = Command::new(command).arg("test").arg("--").arg(&path).stdin(Stdio::null()).output();
        let output = run.map_err(|error| Failure::refused(format!("The tests cannot be run: {error}.")))?;
        let both = [output.stdout, output.stderr].concat();
        let shown = &both[..both.len().min(LONGEST_OUTPUT)];
        Ok(String::from_utf8_lossy(shown).into_owned())
    }

    fn initialize(&mut self, parameters: &Json) -> Result<String, Failure> {
        // Only these parts are read, so that a client with unknown abilities is served as well.
        let has = |path: &str| parameters.pointer(path).and_then(Json::as_bool).unwrap_or(false);
        let encodings =
            parameters.pointer("/capabilities/general/positionEncodings").and_then(Json::as_array);
        let takes_bytes = encodings.is_some_and(|all| all.iter().any(|one| one.as_str() == Some("utf-8")));
        self.workspace.encoding = if takes_bytes { Encoding::Utf8 } else { Encoding::Utf16 };
        let folders = parameters.get("workspaceFolders").and_then(Json::as_array);
        let folders: Vec<&str> =
            folders.into_iter().flatten().filter_map(|one| one.get("uri").and_then(Json::as_str)).collect();
        self.workspace.folders = if folders.is_empty() {
            parameters.get("rootUri").and_then(Json::as_str).into_iter().map(uri::to_path).collect()
        } else {
            folders.into_iter().map(uri::to_path).collect()
        };
        self.client = ClientAbilities {
            pulls_diagnostics: parameters
                .pointer("/capabilities/textDocument/diagnostic")
                .is_some_and(Json::is_object),
            watches_files: has("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration"),
            shows_messages: !has("/initializationOptions/showsResults"),
        };
        let scope = parameters.pointer("/initializationOptions/scope").and_then(Json::as_str);
        self.workspace.sample = scope.map(str::to_owned).filter(|name| !name.is_empty());
        self.state = State::Initialized;
        Ok(json!({
            "capabilities": capabilities(self.workspace.encoding),
            "serverInfo": {"name": "hclvm", "version": env!("CARGO_PKG_VERSION")},
        })
        .to_string())
    }
}

/// Parameters with a range.
#[derive(serde::Deserialize)]
struct Ranged {
    range: lsp::Range,
}

/// Tokens, or their changes.
#[derive(Serialize)]
#[serde(untagged)]
enum Tokens {
    Full(lsp::SemanticTokens),
    Delta(lsp::SemanticTokensDelta),
}

fn json_of(result: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(result).map_err(|error| Failure::new(failure::INTERNAL_ERROR, error.to_string()))
}

/// Returns what the server can do.
fn capabilities(encoding: Encoding) -> Json {
    let encoding = match encoding {
        Encoding::Utf16 => "utf-16",
        Encoding::Utf8 => "utf-8",
    };
    json!({
        "positionEncoding": encoding,
        "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
        "hoverProvider": true,
        "completionProvider": {"triggerCharacters": [".", "\"", "{"], "resolveProvider": true},
        "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
        "declarationProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix"]},
        "codeLensProvider": {},
        "documentLinkProvider": {},
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "documentOnTypeFormattingProvider": {"firstTriggerCharacter": "}", "moreTriggerCharacter": ["\n"]},
        "renameProvider": {"prepareProvider": true},
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "inlayHintProvider": true,
        "executeCommandProvider": {"commands": [EXPLAIN, EVALUATE, WHY, RUN_TEST, USE_SCOPE]},
        "semanticTokensProvider": {
            "legend": {"tokenTypes": tokens::TYPES, "tokenModifiers": tokens::MODIFIERS},
            "range": true,
            "full": {"delta": true},
        },
        "diagnosticProvider": {"identifier": "hclvm", "interFileDependencies": true, "workspaceDiagnostics": true},
        "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
    })
}
