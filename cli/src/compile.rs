//! `hclvm compile`: writes a compiled document, which other commands and hosts load instead of compiling the text.

use std::io::Write;
use std::path::Path;

use clap::Args;

use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::rewrite;

/// Compile a file, so that it loads without parsing
#[derive(Args, Debug)]
#[command(after_help = "Example:
  hclvm compile policy.hcl -o policy.hclc
  hclvm eval policy.hclc --scope request.json

The compiled document contains the text, and the code of the file as a whole. It is of one version of hclvm and of
one dialect; others compile the text again.

Exit codes: 0 success, 1 errors found, 2 invalid arguments.")]
pub(crate) struct CompileArguments {
    /// The file
    file: String,

    /// Where to write the compiled document [default: the file with the suffix .hclc]
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,

    #[command(flatten)]
    options: CommandOptions,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &CompileArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let Some(document) = arguments.options.document(&arguments.file)? else {
        return Ok(CommandResult::Diagnosed);
    };
    let bytes = match document.save_module() {
        Ok(bytes) => bytes,
        Err(error) => {
            arguments.options.diagnostics.print(&error.to_diagnostics(&arguments.file));
            return Ok(CommandResult::Diagnosed);
        }
    };
    let default = || Path::new(&arguments.file).with_extension("hclc").display().to_string();
    let path = arguments.output.clone().unwrap_or_else(default);
    rewrite::create_or_replace(Path::new(&path), &bytes)
        .map_err(|error| EarlyEnd::Refused(format!("Cannot write {path}: {error}.")))?;
    writeln!(out, "{path}: {} bytes", bytes.len())?;
    Ok(CommandResult::Fine)
}
