//! Connections, of which a limited number is open at once. Further ones wait in the queue of the system.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::metrics::Metrics;

/// The time without another attempt after a connection cannot be accepted, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// A listener that shares a limit with others.
#[derive(Debug)]
pub(crate) struct Limited {
    listener: TcpListener,
    permits: Arc<Semaphore>,
    metrics: Arc<Metrics>,
}

/// A connection, which is counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    _permit: OwnedSemaphorePermit,
    metrics: Arc<Metrics>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.metrics.connections.dec();
    }
}

impl Limited {
    pub(crate) fn new(listener: TcpListener, permits: Arc<Semaphore>, metrics: Arc<Metrics>) -> Self {
        Self { listener, permits, metrics }
    }
}

impl axum::serve::Listener for Limited {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // The semaphore is never closed.
        let Ok(permit) = Arc::clone(&self.permits).acquire_owned().await else {
            return std::future::pending().await;
        };
        loop {
            if let Ok((stream, address)) = self.listener.accept().await {
                // Answers are small: waiting for further bytes would only delay them.
                let _ = stream.set_nodelay(true);
                self.metrics.connections.inc();
                let metrics = Arc::clone(&self.metrics);
                return (Connection { stream, _permit: permit, metrics }, address);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, to)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, from)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        from: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, from)
    }
}
