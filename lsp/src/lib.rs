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
//! here knows a dialect: applications come from the [registry](hclvm_dialects::registry) as a trait.
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
mod connection;
mod failure;
mod features;
mod index;
mod lines;
mod params;
mod server;
mod settings;
mod transport;
mod uri;
mod values;
mod workspace;

use std::io;
use std::net::{TcpListener, ToSocketAddrs};
use std::path::PathBuf;

pub use connection::{Client, Connection};

/// How a server is run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The command `hclvm`, which runs the cases of test files. Without it, no cases are run.
    pub command: Option<PathBuf>,
}

/// Answers the messages of a connection until it ends or the client says so. Returns true if the client asked for it in
/// order: with `shutdown` before `exit`.
pub fn serve(connection: Connection, options: Options) -> bool {
    server::Server::new(connection, options).run()
}

/// Serves standard input and output.
pub fn stdio(options: Options) -> bool {
    serve(Connection::of_streams(io::BufReader::new(io::stdin()), io::stdout()), options)
}

/// Listens on an address and serves the first client that connects.
///
/// # Errors
/// An address that cannot be listened on.
pub fn socket(address: impl ToSocketAddrs, options: Options) -> io::Result<bool> {
    let listener = TcpListener::bind(address)?;
    let (stream, _) = listener.accept()?;
    let input = io::BufReader::new(stream.try_clone()?);
    Ok(serve(Connection::of_streams(input, stream), options))
}
