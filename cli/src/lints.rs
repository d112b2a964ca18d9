//! Warnings by the arguments: `--allow CODE`, `--deny CODE`, `--deny warnings`.

use clap::Args;
use hclvm::diagnostics::Code;
use hclvm::lint::Lints;

/// Which warnings are errors.
#[derive(Args, Debug)]
pub(crate) struct LintArguments {
    /// Treat warnings with this code as errors, or all of them: warnings
    #[arg(long, value_delimiter = ',', value_name = "CODE", value_parser = denied)]
    deny: Vec<Denied>,
}

#[derive(Clone, Copy, Debug)]
enum Denied {
    Warnings,
    Code(Code),
}

fn denied(name: &str) -> Result<Denied, String> {
    match name {
        "warnings" => Ok(Denied::Warnings),
        "warning" | "all" => Err("to deny all warnings, write `warnings`".to_owned()),
        _ => lint(name).map(Denied::Code),
    }
}

/// Returns the code of a warning.
pub(crate) fn lint(name: &str) -> Result<Code, String> {
    match Code::find(name) {
        Some(code) if code.is_lint() => Ok(code),
        Some(_) => Err(format!("`{name}` is the code of an error")),
        None => Err(match Code::nearest(name) {
            Some(near) => format!("there is no code `{name}`; did you mean `{near}`?"),
            None => format!("there is no code `{name}`; `hclvm explain` lists all"),
        }),
    }
}

impl LintArguments {
    /// Returns which lints are shown, and how: as the project file says, and then as the options say.
    pub(crate) fn lints(&self, of_project: Lints, allowed: impl Iterator<Item = Code>) -> Lints {
        let lints = allowed.fold(of_project, Lints::allow);
        self.deny.iter().fold(lints, |lints, denied| match denied {
            Denied::Warnings => lints.deny_all(),
            Denied::Code(code) => lints.deny(*code),
        })
    }
}
