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
        asked_to_end(&server).await.map_err(|error| format!("Cannot wait for signals: {error}."))?;
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

/// Waits for the signals by which terminals and supervisors end processes. On SIGHUP, with which logrotate reports a
/// renamed file, the log is opened again.
#[cfg(unix)]
async fn asked_to_end(server: &Server) -> std::io::Result<()> {
    let on = |kind| signal::unix::signal(kind);
    let mut terminate = on(signal::unix::SignalKind::terminate())?;
    let mut renamed = on(signal::unix::SignalKind::hangup())?;
    loop {
        tokio::select! {
            _ = terminate.recv() => return Ok(()),
            interrupted = signal::ctrl_c() => return interrupted,
            _ = renamed.recv() => server.reopen_log(),
        }
    }
}

/// Waits for the key by which terminals end processes.
#[cfg(not(unix))]
async fn asked_to_end(_: &Server) -> std::io::Result<()> {
    signal::ctrl_c().await
}
