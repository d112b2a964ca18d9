//! A client of the server for tests.

use std::fs;
use std::path::Path;
use std::thread::JoinHandle;

use hclvm_lsp::{Client, Connection, Options, serve};
use serde_json::{Value as Json, json};

/// A server with a client.
pub(crate) struct Editor {
    client: Client,
    server: Option<JoinHandle<bool>>,
    last: i32,
    version: i32,
    /// Notifications that were received while an answer was waited for.
    pub(crate) notifications: Vec<Json>,
}

impl Editor {
    /// Starts a server and initializes it.
    pub(crate) fn new() -> Self {
        Self::with(json!({"capabilities": {"textDocument": {"diagnostic": {}}}}))
    }

    /// Starts a server with parameters of `initialize`.
    pub(crate) fn with(parameters: Json) -> Self {
        let mut editor = Self::raw();
        editor.ask("initialize", parameters);
        editor.tell("initialized", json!({}));
        editor
    }

    /// Starts a server for a folder.
    pub(crate) fn of_folder(folder: &Path) -> Self {
        Self::with(json!({
            "capabilities": {"textDocument": {"diagnostic": {}}},
            "workspaceFolders": [{"uri": uri(folder), "name": "folder"}],
        }))
    }

    /// Starts a server that is not initialized.
    pub(crate) fn raw() -> Self {
        let (client, connection) = Connection::memory();
        let server = std::thread::spawn(move || serve(connection, Options::default()));
        Self { client, server: Some(server), last: 0, version: 0, notifications: Vec::new() }
    }

    /// Sends a message as it is.
    pub(crate) fn send(&self, message: Json) {
        self.client.send(message);
    }

    /// Returns the next message of the server.
    pub(crate) fn receive(&self) -> Json {
        let text = self.client.receive().expect("the server is there");
        serde_json::from_str(&text).expect("messages are JSON")
    }

    /// Sends a notification.
    pub(crate) fn tell(&self, method: &str, parameters: Json) {
        self.client.send(json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    /// Sends a request and returns the whole answer.
    pub(crate) fn answer(&mut self, method: &str, parameters: Json) -> Json {
        self.last += 1;
        let id = self.last;
        self.client.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let message = self.receive();
            if message.get("id").and_then(Json::as_i64) == Some(i64::from(id)) {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Sends a request and returns its result.
    pub(crate) fn ask(&mut self, method: &str, parameters: Json) -> Json {
        let answer = self.answer(method, parameters);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Opens a text.
    pub(crate) fn open(&self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "hcl", "version": 0, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces a text.
    pub(crate) fn replace(&mut self, uri: &str, text: &str) {
        self.change(uri, json!([{"text": text}]));
    }

    /// Changes a text.
    pub(crate) fn change(&mut self, uri: &str, changes: Json) {
        self.version += 1;
        let document = json!({"uri": uri, "version": self.version});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    /// Asks about a position.
    pub(crate) fn at(&mut self, method: &str, uri: &str, position: (usize, usize)) -> Json {
        self.ask(method, place(uri, position))
    }

    /// Returns the messages of the diagnostics of a text.
    pub(crate) fn messages(&mut self, uri: &str) -> Vec<String> {
        let report = self.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}));
        let items = report["items"].as_array().expect("a full report");
        items.iter().map(|item| item["message"].as_str().expect("a text").to_owned()).collect()
    }

    /// Returns the text that a hover shows; empty if there is none.
    pub(crate) fn hover(&mut self, uri: &str, position: (usize, usize)) -> String {
        self.at("textDocument/hover", uri, position)["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Returns the labels of the completions.
    pub(crate) fn completions(&mut self, uri: &str, position: (usize, usize)) -> Vec<String> {
        let list = self.at("textDocument/completion", uri, position);
        let items = list["items"].as_array().expect("a list");
        items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.tell("exit", Json::Null);
        if let Some(server) = self.server.take()
            && server.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the server ended by a panic");
        }
    }
}

/// Returns the parameters of a position.
pub(crate) fn place(uri: &str, (line, character): (usize, usize)) -> Json {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

/// Returns the address of a path without characters that need an escape.
pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Returns the line and column of a marker `^` in a text, and the text without it.
pub(crate) fn marked(text: &str) -> (String, (usize, usize)) {
    let at = text.find('^').expect("a marker");
    let before = &text[..at];
    let line = before.matches('\n').count();
    let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1);
    (text.replacen('^', "", 1), (line, column))
}

/// Writes files into a new folder, which is the root of a repository.
pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for tests");
    fs::create_dir(folder.path().join(".git")).expect("a folder for tests");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("a folder for tests");
        fs::write(path, text).expect("a file for tests");
    }
    folder
}

/// Applies the edits of a text.
pub(crate) fn edited(text: &str, edits: &Json) -> String {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let offset = |position: &Json| {
        let part = |name: &str| usize::try_from(position[name].as_u64().expect("a number")).expect("small");
        starts.get(part("line")).map_or(text.len(), |start| start + part("character"))
    };
    let mut all: Vec<(usize, usize, &str)> = edits
        .as_array()
        .into_iter()
        .flatten()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().expect("a text"))
        })
        .collect();
    all.sort_by_key(|(start, ..)| std::cmp::Reverse(*start));
    let mut text = text.to_owned();
    for (start, end, new) in all {
        text.replace_range(start..end, new);
    }
    text
}
