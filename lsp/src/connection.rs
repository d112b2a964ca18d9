//! The two directions of messages between a client and the server: streams of bytes, or channels of one process.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use serde_json::Value as Json;

use crate::transport::{self, Received};

/// The most messages that wait to be read. A client that sends more waits.
const WAITING: usize = 1024;

/// How a server is run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The command `hclvm`, which runs the cases of test files. Without it, no cases are run.
    pub command: Option<PathBuf>,
    /// The project file for all folders. Without it, each folder has the one that is found in it or above.
    pub project: Option<PathBuf>,
}

/// The connection of a server.
#[derive(Debug)]
pub struct Connection {
    pub(crate) receiver: Receiver<Received>,
    sender: Sender<String>,
    /// Writes what is sent until the connection is dropped.
    writer: Option<thread::JoinHandle<()>>,
}

/// The other end of a connection in one process, for tests and for editors written in Rust.
#[derive(Debug)]
pub struct Client {
    sender: SyncSender<Received>,
    receiver: Receiver<String>,
}

impl Connection {
    /// Creates a connection in memory.
    pub fn memory() -> (Client, Self) {
        let (to_server, receiver) = sync_channel(WAITING);
        let (sender, from_server) = channel();
        (Client { sender: to_server, receiver: from_server }, Self { receiver, sender, writer: None })
    }

    /// Creates a connection of streams, each of which a thread reads or writes.
    pub(crate) fn of_streams(
        mut input: impl BufRead + Send + 'static,
        mut output: impl Write + Send + 'static,
    ) -> Self {
        let (to_server, receiver) = sync_channel(WAITING);
        let (sender, from_server) = channel::<String>();
        thread::spawn(move || {
            while let Ok(Some(received)) = transport::read(&mut input) {
                if to_server.send(received).is_err() {
                    break;
                }
            }
        });
        let writer = thread::spawn(move || {
            while let Ok(message) = from_server.recv() {
                if transport::write(&mut output, &message).is_err() {
                    break;
                }
            }
        });
        Self { receiver, sender, writer: Some(writer) }
    }

    /// Sends a message. A message to a client that has disconnected is dropped.
    pub(crate) fn send(&self, message: String) {
        let _ = self.sender.send(message);
    }

    /// Waits until everything is written.
    pub(crate) fn finish(self) {
        let Self { sender, writer, .. } = self;
        drop(sender);
        if let Some(writer) = writer {
            let _ = writer.join();
        }
    }
}

impl Client {
    /// Sends a message. If the server has ended, nothing happens.
    pub fn send(&self, message: Json) {
        let _ = self.sender.send(Received::Message(message));
    }

    /// Waits for a message of the server, as JSON; `None` if it has ended.
    pub fn receive(&self) -> Option<String> {
        self.receiver.recv().ok()
    }
}
