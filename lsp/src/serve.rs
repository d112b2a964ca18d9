//! Serving a connection, standard input and output, or a socket.

use std::io;
use std::net::{TcpListener, ToSocketAddrs};

use crate::connection::{Connection, Options};
use crate::server::Server;

/// Answers the messages of a connection until it ends or the client says so. Returns true if the client asked for it in
/// order: with `shutdown` before `exit`.
pub fn serve(connection: Connection, options: Options) -> bool {
    Server::new(connection, options).run()
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
