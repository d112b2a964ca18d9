//! What to do at the command about errors whose messages are written for every host: set a variable, grant access, define
//! the result of a function of the host.

use std::io::{self, Write as _};

use hclvm::diagnostics::codes;
use hclvm::{Diagnostic, Diagnostics};
use hclvm_project::PROJECT_FILE;

use crate::disasm::plain;
use crate::limits;
use crate::report::DiagnosticFormat;

/// Prints a line of help for each kind of error that has one, once, if diagnostics are text. `set` is how the command
/// sets a variable, with `{}` in place of its name.
pub(crate) fn print<'d>(
    format: DiagnosticFormat,
    problems: impl IntoIterator<Item = &'d Diagnostics>,
    set: Option<&str>,
) {
    if format != DiagnosticFormat::Text {
        return;
    }
    let mut lines: Vec<String> = Vec::new();
    for problem in problems.into_iter().flat_map(Diagnostics::iter) {
        if let Some((kind, line)) = line(problem, set)
            && !lines.iter().any(|known| known.starts_with(kind))
        {
            lines.push(format!("{kind}{line}"));
        }
    }
    for line in lines {
        // If standard error is closed, the help is not wanted.
        let _ = writeln!(io::stderr(), "\nhelp: {}", plain(&line));
    }
}

/// Returns the help about a problem: its beginning, which is that of its kind, and the rest.
fn line(problem: &Diagnostic, set: Option<&str>) -> Option<(&'static str, String)> {
    let code = problem.code();
    if code == codes::UNSET_VARIABLE {
        let name = quoted(&problem.detail)?;
        return Some(("set the variable with ", set?.replace("{}", name)));
    }
    if code == codes::UNKNOWN_FUNCTION {
        let name = quoted(&problem.detail)?;
        let rest = format!("{PROJECT_FILE} or --functions FILE: function \"{name}\" {{ result = VALUE }}");
        return Some(("if only the host has the function, define its result in ", rest));
    }
    if code == codes::LIMIT_EXCEEDED {
        // Where the message comes from the library.
        return Some(("raise the limit with ", limits::option_of(&problem.detail)?));
    }
    let ungranted = problem.detail.split_once("it needs the capability \"")?.1;
    let (capability, _) = ungranted.split_once('"')?;
    Some(("grant this access with ", format!("--grant {capability}")))
}

/// Returns the first name in quotes.
fn quoted(text: &str) -> Option<&str> {
    text.split('"').nth(1)
}
