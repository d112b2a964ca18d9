//! Notifications of the client: texts that are opened, changed and closed, files, folders and settings.

use gen_lsp_types as lsp;
use serde_json::{Value as Json, json};

use super::{ConnectionState, Server};
use crate::failure::RequestFailure;
use crate::params;
use crate::uri;

impl Server {
    /// Handles a notification. Those that are not listed are ignored, as the protocol requires.
    pub(super) fn notification(&mut self, method: &str, parameters: &Json) -> Result<(), RequestFailure> {
        match (method, self.state) {
            ("exit", _) => self.state = ConnectionState::Ended,
            (_, ConnectionState::Created | ConnectionState::ShutDown | ConnectionState::Ended) => {}
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
}
