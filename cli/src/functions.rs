//! `hclvm functions`: the functions that expressions can call, and the dialects that have them.

use std::io::Write;
use std::sync::Arc;

use clap::Args;
use hclvm::diagnostics::nearest;
use hclvm::functions::{Capabilities, Function, FunctionTable, summary, tables};

use crate::outcome::{CommandResult, EarlyEnd};

/// List the functions, or describe one
#[derive(Args, Debug)]
#[command(after_help = "\
Example: hclvm functions setproduct

Exit codes: 0 success, 2 there is no such function.")]
pub(crate) struct FunctionsArguments {
    /// The function
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// The functions of a dialect.
type Table = (&'static str, FunctionTable);

/// Runs the subcommand.
pub(crate) fn run(arguments: &FunctionsArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    show(arguments.name.as_deref(), out)?;
    Ok(CommandResult::Fine)
}

/// Lists the functions, or describes one.
pub(crate) fn show(name: Option<&str>, out: &mut impl Write) -> Result<(), EarlyEnd> {
    let tables = tables(&Capabilities::none());
    match name {
        None => list(&tables, out),
        Some(name) => describe(name, &tables, out),
    }
}

/// Returns the names of all functions. Those of OpenTofu's namespace `core` repeat others.
fn names(tables: &[Table]) -> Vec<&str> {
    let all = tables.iter().flat_map(|(_, table)| table.names());
    let mut names: Vec<&str> = all.map(|name| name.as_str()).filter(|name| !name.contains("::")).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A function of one name that dialects share.
struct Variant<'t> {
    function: &'t Arc<Function>,
    dialects: Vec<&'static str>,
    summary: Option<hclvm::functions::Summary>,
}

/// Returns the functions of a name. Dialects have one in common if its signature and its description are equal.
fn variants<'t>(name: &str, tables: &'t [Table]) -> Vec<Variant<'t>> {
    let mut variants: Vec<Variant<'t>> = Vec::new();
    for (dialect, table) in tables {
        let Some(function) = table.get(name) else { continue };
        let summary = summary(name, dialect);
        let equal = variants.iter_mut().find(|one| {
            one.summary == summary && one.function.typed_signature(name) == function.typed_signature(name)
        });
        match equal {
            Some(one) => one.dialects.push(dialect),
            None => variants.push(Variant { function, dialects: vec![dialect], summary }),
        }
    }
    variants
}

fn list(tables: &[Table], out: &mut impl Write) -> Result<(), EarlyEnd> {
    let names = names(tables);
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
    for name in names {
        for one in variants(name, tables) {
            let text = one.summary.map_or("", |summary| summary.text);
            writeln!(out, "{}", format!("{name:width$}  {text}").trim_end())?;
        }
    }
    Ok(())
}

fn describe(name: &str, tables: &[Table], out: &mut impl Write) -> Result<(), EarlyEnd> {
    let variants = variants(name, tables);
    if variants.is_empty() {
        let hint = match nearest(name, names(tables)) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "`hclvm functions` lists all.".to_owned(),
        };
        return Err(EarlyEnd::Refused(format!("There is no function `{name}`. {hint}")));
    }
    for (at, Variant { function, dialects, summary }) in variants.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let needs = if function.pure { "" } else { "; depends on more than its arguments" };
        writeln!(out, "{}\n{}{needs}", function.typed_signature(name), dialects.join(", "))?;
        if let Some(summary) = summary {
            writeln!(out, "\n{}", summary.text)?;
            if let Some((call, result)) = summary.example {
                writeln!(out, "\n    {call} # {result}")?;
            }
        }
    }
    Ok(())
}
