//! Errors in the arguments: what people mean who know other tools.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Names of commands in other tools, and the command that does it here.
const COMMANDS: &[(&str, &str)] = &[
    ("apply", "eval"),
    ("authorize", "decide"),
    ("benchmark", "bench"),
    ("console", "repl"),
    ("disassemble", "disasm"),
    ("evaluate", "eval"),
    ("exec", "eval"),
    ("format", "fmt"),
    ("graph", "deps"),
    ("lint", "check"),
    ("partial", "specialize"),
    ("plan", "eval"),
    ("query", "eval"),
    ("run", "eval"),
    ("shell", "repl"),
    ("validate", "check"),
    ("verify", "check"),
    ("vet", "check"),
];

/// Replaces the suggestions of an error by better ones. `arguments` are those of the process.
pub(crate) fn explained(mut error: Error, arguments: &[String]) -> Error {
    match error.kind() {
        ErrorKind::InvalidSubcommand => command(&mut error),
        ErrorKind::UnknownArgument => option(&mut error, arguments),
        _ => {}
    }
    error
}

fn command(error: &mut Error) {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let meant = COMMANDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    if let Some((_, command)) = meant {
        error.remove(ContextKind::Suggested);
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![(*command).to_owned()]));
    } else if matches!(error.get(ContextKind::SuggestedSubcommand), Some(ContextValue::Strings(names))
        if names.iter().any(|name| name == "man"))
    {
        // A command that the help does not list.
        error.remove(ContextKind::SuggestedSubcommand);
    }
}

fn option(error: &mut Error, arguments: &[String]) {
    // The proposal to pass an option as a value behind `--` is never what was meant.
    error.remove(ContextKind::Suggested);
    if matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(argument)) if argument.starts_with('='))
    {
        let tip = "write an option and its value without spaces around `=`: --var name=value".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    // `-var`, as other tools have it.
    let name = arguments.iter().find_map(|argument| {
        let name = argument.strip_prefix('-').filter(|name| !name.starts_with('-'))?;
        let name = name.split('=').next().unwrap_or(name);
        (name.chars().count() > 1 && name.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(name)
    });
    let is_short = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(argument))
        if argument.starts_with('-') && argument.chars().count() == 2);
    if let Some(name) = name.filter(|_| is_short) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{name}")));
    }
}
