//! `hclvm explain`: what the code of a diagnostic means, with a wrong and a right text.

use std::io::Write;

use clap::Args;
use hclvm::diagnostics::Code;

use crate::outcome::{CommandResult, EarlyEnd};

/// Explain the code of a diagnostic, or list all codes
#[derive(Args, Debug)]
#[command(after_help = "\
Example: hclvm explain unknown-variable

Exit codes: 0 success, 2 there is no such code.")]
pub(crate) struct ExplainArguments {
    /// The code, as in `error[unknown-variable]`
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &ExplainArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    match &arguments.code {
        None => list(out)?,
        Some(name) => explain(found(name)?, out)?,
    }
    Ok(CommandResult::Fine)
}

fn found(name: &str) -> Result<Code, EarlyEnd> {
    Code::find(name).ok_or_else(|| {
        let hint = match Code::nearest(name) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "`hclvm explain` lists all codes.".to_owned(),
        };
        EarlyEnd::Refused(format!("There is no code `{name}`. {hint}"))
    })
}

/// Lists all codes with their titles.
fn list(out: &mut impl Write) -> Result<(), EarlyEnd> {
    let width = Code::all().map(|code| code.name().len()).max().unwrap_or(0);
    for code in Code::all() {
        let titles = code.titles().join(", ").replace("{}", "…");
        writeln!(out, "{}", format!("{:width$}  {titles}", code.name()).trim_end())?;
    }
    Ok(())
}

fn explain(code: Code, out: &mut impl Write) -> Result<(), EarlyEnd> {
    let titles = code.titles().join(", ").replace("{}", "…");
    let separator = if titles.is_empty() { "" } else { ": " };
    writeln!(out, "{code}{separator}{titles}\n\n{}", code.explanation())?;
    for (name, text) in [("Wrong", code.wrong()), ("Right", code.right())] {
        if !text.is_empty() {
            writeln!(out, "\n{name}:\n")?;
            text.lines().try_for_each(|line| writeln!(out, "    {line}"))?;
        }
    }
    if !code.without_example().is_empty() {
        writeln!(out, "\nThere is no example. {}", code.without_example())?;
    }
    if code.is_lint() {
        writeln!(out, "\nA comment silences this warning on its line or the next one: # hclvm:allow {code}")?;
    }
    Ok(())
}
