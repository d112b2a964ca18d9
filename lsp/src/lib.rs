//! A language server for HCL: diagnostics as `hclvm check` reports them, and the values of expressions under samples of
//! scopes that the project file names.
//!
//! ```text
//! stdio, socket, memory ─▶ Server: a queue of messages, one after the other
//!                            │  Workspace: open texts, files of folders, projects
//!                            │  Analysis: one version of a text: document, names, tokens, problems, values
//!                            ╰─ features: a function for each method
//! ```
//! Parameters are the types of `gen-lsp-types`. The transport is written here: messages that are no JSON, or longer than
//! any file, are answered and do not end the server, and results are written as text without a tree of values. Nothing
//! here depends on a dialect: applications come from the [registry](hclvm_dialects::registry) as a trait.
//!
//! ```
//! use hclvm_lsp::{Connection, Options};
//!
//! let (client, server) = Connection::memory();
//! let thread = std::thread::spawn(move || hclvm_lsp::serve(server, Options::default()));
//! client.send(serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}));
//! let answer: serde_json::Value = serde_json::from_str(&client.receive().expect("it answers")).expect("in JSON");
//! assert_eq!(answer["result"]["serverInfo"]["name"], "hclvm");
//! client.send(serde_json::json!({"jsonrpc": "2.0", "method": "exit"}));
//! thread.join().expect("it ends");
//! ```

mod analysis;
mod commands;
mod connection;
mod coverage;
mod failure;
mod features;
mod index;
mod lines;
mod params;
mod serve;
mod server;
mod settings;
mod transport;
mod uri;
mod values;
mod workspace;

pub use connection::{Client, Connection, Options};
pub use serve::{serve, socket, stdio};
