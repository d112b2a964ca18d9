//! `hclvm fmt`: rewrites files in the canonical style.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use hclvm::{Diagnostics, Engine};
use hclvm_dialects::registry::applications;
use similar::TextDiff;

use crate::application::words::listed;
use crate::input::STANDARD_INPUT;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::report::{DiagnosticFormat, diagnostics_of, sentence};
use crate::{input, rewrite, texts};

/// Rewrite files in the canonical style
#[derive(Args, Debug)]
#[command(after_help = "\
The style matches hclfmt and terraform fmt. Only white space changes: comments, line breaks and values are
kept. The names of changed files are printed. A file with syntax errors is left as it is.

Examples:
  hclvm fmt
  hclvm fmt --recursive --check environments/
  hclvm fmt - < policy.hcl

Exit codes: 0 success, 1 syntax errors, or files in another style with --check, 2 invalid arguments or
a file that cannot be read or written.")]
pub(crate) struct FmtArguments {
    #[arg(help = paths_help(), default_value = ".", value_name = "PATH")]
    paths: Vec<String>,

    /// Write nothing, and exit with 1 if a file is in another style
    #[arg(long)]
    check: bool,

    /// Print what would change as unified diffs, and write nothing
    #[arg(long)]
    diff: bool,

    /// Also format subfolders, except those whose names begin with a dot
    #[arg(long, short)]
    recursive: bool,

    /// Format of diagnostics
    #[arg(long, value_enum, default_value_t = DiagnosticFormat::Text, value_name = "FORMAT")]
    diagnostics: DiagnosticFormat,
}

/// Returns the suffixes of the files of a folder that are formatted.
fn suffixes() -> impl Iterator<Item = &'static str> {
    let of_applications = applications().flat_map(|application| application.native_suffixes()).copied();
    std::iter::once("hcl").chain(of_applications)
}

fn paths_help() -> String {
    let patterns = listed(suffixes().map(|suffix| format!("*.{suffix}")), "and");
    format!(
        "Files and folders; - is standard input, which is printed in the canonical style. In a folder, the files \
         {patterns} are formatted, except hidden ones"
    )
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &FmtArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let engine = Engine::builder().further_errors(true).build();
    let mut result = CommandResult::Fine;
    for path in &arguments.paths {
        let files = match list(path, arguments.recursive) {
            Ok(files) => files,
            Err(stop) => {
                arguments.diagnostics.print(&unreadable(path, &stop));
                result = CommandResult::Unreadable;
                continue;
            }
        };
        for file in files {
            let outcome = format_file(&engine, &file, arguments, out)?;
            result = worse(result, outcome);
        }
    }
    Ok(result)
}

fn worse(one: CommandResult, other: CommandResult) -> CommandResult {
    match (one, other) {
        (CommandResult::Unreadable, _) | (_, CommandResult::Unreadable) => CommandResult::Unreadable,
        (CommandResult::Diagnosed, _) | (_, CommandResult::Diagnosed) => CommandResult::Diagnosed,
        _ => CommandResult::Fine,
    }
}

/// Formats a file, or shows why it cannot be formatted.
fn format_file(
    engine: &Engine,
    path: &str,
    arguments: &FmtArguments,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let read = match read(path) {
        Ok(bytes) => bytes,
        Err(stop) => {
            arguments.diagnostics.print(&unreadable(path, &stop));
            return Ok(CommandResult::Unreadable);
        }
    };
    let (before, after) = match formatted(engine, path, &read) {
        Ok(texts) => texts,
        Err(problems) => {
            arguments.diagnostics.print(&problems);
            return Ok(CommandResult::Diagnosed);
        }
    };
    let name = input::display_name(path);
    let changes = before != after;
    if arguments.diff && changes {
        let diff = TextDiff::from_lines(before, &after);
        write!(out, "{}", diff.unified_diff().header(name, name))?;
    } else if path == STANDARD_INPUT && !arguments.check && !arguments.diff {
        out.write_all(after.as_bytes())?;
    } else if changes {
        if !arguments.check
            && let Err(error) = rewrite::replace(Path::new(path), after.as_bytes())
        {
            let stop = EarlyEnd::Refused(format!("Cannot write {name}: {error}."));
            arguments.diagnostics.print(&unreadable(path, &stop));
            return Ok(CommandResult::Unreadable);
        }
        writeln!(out, "{name}")?;
    }
    Ok(if arguments.check && changes { CommandResult::Diagnosed } else { CommandResult::Fine })
}

/// Returns a text and its canonical form, or the problems of the text.
fn formatted<'t>(engine: &Engine, path: &str, bytes: &'t [u8]) -> Result<(&'t str, String), Diagnostics> {
    let name = input::display_name(path);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let (_, problems) = engine.parse_bytes_lenient(name, bytes);
            let place = format!("It is not UTF-8: byte {} begins no character.", error.valid_up_to());
            return Err(if problems.has_errors() {
                problems
            } else {
                sentence("Unreadable file", &place, name)
            });
        }
    };
    let after = engine.format(name, text).map_err(|error| diagnostics_of(&error, name))?;
    Ok((text, after))
}

fn unreadable(path: &str, stop: &EarlyEnd) -> Diagnostics {
    sentence("Unreadable file", &stop.to_string(), input::display_name(path))
}

fn read(path: &str) -> Result<Vec<u8>, EarlyEnd> {
    if texts::is_json(path) {
        let sentence =
            format!("{path} is in JSON. Use a formatter of JSON; this one is for HCL's native syntax.");
        return Err(EarlyEnd::Refused(sentence));
    }
    texts::source(path)
}

/// Returns the files at a path: itself, or those of a folder, by name.
fn list(path: &str, recursive: bool) -> Result<Vec<String>, EarlyEnd> {
    if path == STANDARD_INPUT || !Path::new(path).is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut open = vec![PathBuf::from(path)];
    while let Some(folder) = open.pop() {
        let refused =
            |error| EarlyEnd::Refused(format!("Cannot read the folder {}: {error}.", folder.display()));
        for entry in fs::read_dir(&folder).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let hidden = texts::is_hidden(&entry.file_name());
            // Links to folders are not followed, since they may form a circle.
            let is_folder = entry.file_type().map_err(refused)?.is_dir();
            if is_folder && recursive && !hidden {
                open.push(entry.path());
            } else if entry.path().is_file()
                && is_configuration(&entry.path())
                && (!hidden || is_of_application(&entry.path()))
            {
                files.extend(shown(&entry.path()));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns a path as text, without the current folder in front. Paths that are not UTF-8 are left out.
fn shown(path: &Path) -> Option<String> {
    path.strip_prefix(".").unwrap_or(path).to_str().map(str::to_owned)
}

/// Returns true for a file that an application reads in a folder, also if its name begins with a dot.
fn is_of_application(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    applications().any(|application| application.belongs(&name))
}

fn is_configuration(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffixes().any(|known| suffix == known))
}
