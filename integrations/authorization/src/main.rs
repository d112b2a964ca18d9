//! The program: `hclvm-authorization --policies FOLDER --grpc ADDRESS`. README.md describes it.

use std::process::ExitCode;

use clap::Parser;
use hclvm_authorization::{Arguments, Server, Settings, Stopped, say};
use hclvm_reload::Problems;
use tokio::signal;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let ended = arguments.settings().and_then(|settings| {
        if arguments.check {
            return hclvm_authorization::check(&settings);
        }
        run(settings)
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            say(&problems.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Serves until the process is asked to end.
fn run(settings: Settings) -> Result<(), Problems> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = settings.threads {
        builder.worker_threads(threads);
    }
    let runtime = builder.enable_all().build().map_err(|error| format!("Cannot start threads: {error}."))?;
    runtime.block_on(async {
        if settings.fail_open {
            say("requests that cannot be decided are allowed, as --fail-open or the settings say");
        }
        // Before anything is served, so that no signal ends the process without an answer to its requests.
        let mut signals = Signals::listen().map_err(|error| format!("Cannot wait for signals: {error}."))?;
        let server = Server::start(settings).await?;
        let addresses = [
            ("grpc", server.grpc_address()),
            ("http", server.http_address()),
            ("authzen", server.authzen_address()),
            ("admin", server.admin_address()),
        ];
        let addresses =
            addresses.iter().filter_map(|(name, address)| Some(format!("{name} {}", (*address)?)));
        say(&format!("serving {}", addresses.collect::<Vec<_>>().join(", ")));
        signals.asked_to_end(&server).await;
        say("stopping");
        let Stopped { is_drained, log } = server.stop().await;
        if !is_drained {
            say("some requests were not answered in time");
        }
        if let Some(log) = log {
            let error = log.error.map(|error| format!(": {error}")).unwrap_or_default();
            let (written, dropped, failed) = (log.written, log.dropped, log.failed);
            say(&format!("decisions logged: {written}, dropped: {dropped}, not written: {failed}{error}"));
        }
        Ok(())
    })
}

/// The signals by which terminals and supervisors end processes, and SIGHUP, with which logrotate reports a renamed file.
#[cfg(unix)]
struct Signals {
    terminate: signal::unix::Signal,
    interrupt: signal::unix::Signal,
    hangup: signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        use signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for a signal that ends the process. On SIGHUP, the log is opened again.
    async fn asked_to_end(&mut self, server: &Server) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hangup.recv() => server.reopen_log(),
            }
        }
    }
}

/// The key by which terminals end processes.
#[cfg(not(unix))]
struct Signals(signal::windows::CtrlC);

#[cfg(not(unix))]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        signal::windows::ctrl_c().map(Self)
    }

    async fn asked_to_end(&mut self, _: &Server) {
        self.0.recv().await;
    }
}
