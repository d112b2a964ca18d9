//! `hclvm lsp`: the language server of the crate `hclvm-lsp`, on standard input and output or on a socket.

use std::path::PathBuf;

use clap::Args;

use crate::outcome::{CommandResult, EarlyEnd};

/// Run the language server for editors (Language Server Protocol)
#[derive(Args, Debug)]
#[command(after_help = "\
The server reports the diagnostics of hclvm check. It shows values for the first block `scope` of the project file hclvm.hcl,
or for the one that the editor selects.

Exit codes: 0 the editor ended the server, 1 the connection was lost, 2 the address cannot be used.")]
pub(crate) struct LspArguments {
    /// Listen on this address, HOST:PORT, for one client, in place of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    socket: Option<String>,

    /// Project file for all folders, in place of the hclvm.hcl that is found in each
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Serve standard input and output, as without options; editors pass it
    #[arg(long, conflicts_with = "socket")]
    stdio: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &LspArguments) -> Result<CommandResult, EarlyEnd> {
    let options =
        hclvm_lsp::Options { command: std::env::current_exe().ok(), project: arguments.config.clone() };
    let in_order = match &arguments.socket {
        None => hclvm_lsp::stdio(options),
        Some(address) => hclvm_lsp::socket(address, options)
            .map_err(|error| EarlyEnd::Refused(format!("Cannot listen on {address}: {error}.")))?,
    };
    Ok(if in_order { CommandResult::Fine } else { CommandResult::Diagnosed })
}
