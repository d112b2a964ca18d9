//! `hclvm deps`: which parts of variables and which functions each attribute needs.

use std::collections::BTreeSet;
use std::io::Write;

use clap::Args;
use hclvm::Attribute;
use hclvm::analysis::Need;
use serde_json::{Value as Json, json};

use crate::attribute_path;
use crate::disasm::{Listed, plain};
use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::texts;

/// Show the variables and functions that each attribute uses
#[derive(Args, Debug)]
#[command(after_help = "\
A path ends where a number, a computed index or [*] follows. Paths of `local` are the locals of the file.

Examples:
  hclvm deps policy.hcl
  hclvm deps policy.hcl --json | jq -r '.[] | select(.functions | index(\"file\")) | .attribute'
  hclvm deps policies/ --dot | dot -Tsvg > policies.svg

Exit codes: 0 success, 1 errors found, 2 invalid arguments or a file that cannot be read.")]
pub(crate) struct DepsArguments {
    /// The file, or a folder: its files *.hcl and *.hcl.json are one body; - is standard input
    file: String,

    /// Print a list in JSON
    #[arg(long, conflicts_with = "dot")]
    json: bool,

    /// Print a graph for Graphviz
    #[arg(long)]
    dot: bool,

    #[command(flatten)]
    options: CommandOptions,
}

/// What an attribute needs.
struct Needs {
    attribute: String,
    variables: BTreeSet<String>,
    paths: Vec<String>,
    functions: Vec<String>,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &DepsArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let engine = arguments.options.engine(Some(&arguments.file))?;
    let read = texts::configuration(&engine, &arguments.file)?;
    read.problems.iter().for_each(|problems| arguments.options.diagnostics.print(problems));
    if read.documents.is_empty() {
        return Ok(CommandResult::Diagnosed);
    }
    let mut all = Vec::new();
    for document in &read.documents {
        let listed = Listed::all(document.body());
        for (block, attribute) in &listed.attributes {
            let name = attribute_path::quoted(attribute.name());
            all.push(Needs::of(format!("{}{name}", listed.blocks[*block]), *attribute));
        }
    }
    match (arguments.json, arguments.dot) {
        (true, _) => print_json(&all, out)?,
        (_, true) => print_dot(&all, out)?,
        _ => print_table(&all, out)?,
    }
    Ok(CommandResult::Fine)
}

impl Needs {
    fn of(path: String, attribute: Attribute<'_>) -> Self {
        let mut paths = Vec::new();
        for (variable, need) in attribute.referenced_paths() {
            add_paths(variable.to_string(), &need, &mut paths);
        }
        Self {
            attribute: path,
            variables: attribute.variables().iter().map(|one| one.root().to_owned()).collect(),
            paths,
            functions: attribute.required_functions().iter().map(ToString::to_string).collect(),
        }
    }
}

/// Adds the paths of a need, which are as deep as the paths in the text, up to a limit of the analysis.
fn add_paths(path: String, need: &Need, paths: &mut Vec<String>) {
    if need.is_whole() {
        paths.push(path);
        return;
    }
    for name in need.names() {
        if let Some(need) = need.attribute(name) {
            add_paths(format!("{path}.{}", attribute_path::quoted(name)), need, paths);
        }
    }
}

fn print_table(all: &[Needs], out: &mut impl Write) -> Result<(), EarlyEnd> {
    let cells = |one: &Needs| {
        let or_none = |list: &[String]| if list.is_empty() { "-".to_owned() } else { list.join(", ") };
        [one.attribute.clone(), or_none(&one.paths), or_none(&one.functions)].map(|cell| plain(&cell))
    };
    let mut rows = vec![["attribute", "reads", "calls"].map(str::to_owned)];
    rows.extend(all.iter().map(cells));
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0).min(WIDEST);
    let (first, second) = (width(0), width(1));
    for [attribute, reads, calls] in &rows {
        writeln!(out, "{}", format!("{attribute:first$}  {reads:second$}  {calls}").trim_end())?;
    }
    Ok(())
}

/// The widest column that others are aligned with: one long cell should not move all others out of the screen.
const WIDEST: usize = 60;

fn print_json(all: &[Needs], out: &mut impl Write) -> Result<(), EarlyEnd> {
    let members = all.iter().map(|one| {
        json!({
            "attribute": one.attribute,
            "variables": one.variables,
            "paths": one.paths,
            "functions": one.functions,
        })
    });
    let list: Json = members.collect();
    writeln!(out, "{list:#}")?;
    Ok(())
}

/// Prints attributes as boxes, what they read as ellipses, and functions as plain text.
fn print_dot(all: &[Needs], out: &mut impl Write) -> Result<(), EarlyEnd> {
    let quoted = |name: &str| format!("\"{}\"", plain(name).replace('\\', "\\\\").replace('"', "\\\""));
    let attributes: BTreeSet<&str> = all.iter().map(|one| one.attribute.as_str()).collect();
    let functions: BTreeSet<&String> = all.iter().flat_map(|one| &one.functions).collect();
    writeln!(out, "digraph deps {{\n  rankdir = LR;")?;
    for name in &attributes {
        writeln!(out, "  {} [shape = box];", quoted(name))?;
    }
    for name in functions {
        writeln!(out, "  {} [shape = plaintext];", quoted(&format!("{name}()")))?;
    }
    for one in all {
        let from = quoted(&one.attribute);
        for path in &one.paths {
            writeln!(out, "  {from} -> {};", quoted(read_of(path, &attributes)))?;
        }
        for name in &one.functions {
            writeln!(out, "  {from} -> {} [style = dashed];", quoted(&format!("{name}()")))?;
        }
    }
    writeln!(out, "}}")?;
    Ok(())
}

/// Returns the local that a path reads a part of, or the path.
fn read_of<'p>(path: &'p str, attributes: &BTreeSet<&str>) -> &'p str {
    let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
    let mut prefixes = ends.map(|at| &path[..at]).filter(|prefix| prefix.starts_with("local."));
    prefixes.find(|prefix| attributes.contains(prefix)).unwrap_or(path)
}
